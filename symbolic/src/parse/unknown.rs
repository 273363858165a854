//! The unknown function of a differential equation: `y`, `y(x)`, `y''`, `dy/dx`, `d^2y/dx^2`, `\\dot{y}`, `y^{(4)}`.

use super::lexer::NotationTokenKind;
use super::parser::{ExpressionReader, Read};
use crate::tree::{Expr, MathFunction};

/// Orders of derivatives that are read.
const ORDER_LIMIT: i64 = 20;

impl ExpressionReader<'_> {
    /// The name of the unknown function was read: its marks and its argument follow.
    pub(super) fn unknown_function(&mut self, name: &str) -> Read<Expr> {
        let mut order = 0;
        while self.take_sign('\'') {
            order += 1;
        }
        if order == 0 {
            order = self.raised_order();
        }
        self.unknown_derivative(name, order)
    }

    /// `^{(4)}` or `^{\\prime\\prime}`; 0 where it is a power.
    fn raised_order(&mut self) -> i64 {
        let back = self.at;
        if self.take_sign('^') {
            let is_group = self.take_sign('{');
            let mut order = 0;
            while self.take_sign('\'') {
                order += 1;
            }
            if order == 0
                && is_group
                && self.take_sign('(')
                && let Some(NotationTokenKind::Number(value)) = self.peek().cloned()
            {
                self.at += 1;
                let value = num_traits::ToPrimitive::to_i64(&value.to_integer()).unwrap_or(0);
                order = if self.take_sign(')') { value } else { 0 };
            }
            if order > 0 && (!is_group || self.take_sign('}')) {
                return order;
            }
        }
        self.at = back;
        0
    }

    fn unknown_derivative(&mut self, name: &str, order: i64) -> Read<Expr> {
        if order > ORDER_LIMIT {
            return Err(self.fault(&format!(
                "a derivative has an order of at most {ORDER_LIMIT}"
            )));
        }
        let variable = self
            .options
            .function
            .as_ref()
            .map_or_else(String::new, |(_, variable)| variable.clone());
        let x = self.symbol(&variable);
        let mut argument = x.clone();
        if self.is_sign('(') {
            argument = self.bracketed(')')?;
        }
        let value = Expr::apply(MathFunction::Named(name.into()), argument.clone());
        if order == 0 {
            return Ok(value);
        }
        let mut parts = vec![value, x.clone(), Expr::integer(order)];
        if argument != x {
            parts.push(argument);
        }
        Ok(Expr::call(MathFunction::Derivative, parts))
    }

    /// `\\dot{y}` and `\\ddot{y}`, after the command.
    pub(super) fn dotted(&mut self, command: &str) -> Read<Expr> {
        let is_group = self.take_sign('{');
        let name = match self.peek().cloned() {
            Some(NotationTokenKind::Name(name) | NotationTokenKind::Command(name)) => name,
            _ => return Err(self.fault("expected the unknown function under the dots")),
        };
        let is_unknown = matches!(&self.options.function, Some((known, _)) if *known == name);
        if !is_unknown {
            return Err(self.fault(&format!(
                "`{name}` under the dots is not the unknown function"
            )));
        }
        self.at += 1;
        if is_group {
            self.expect_sign('}')?;
        }
        self.unknown_derivative(&name, if command == "dot" { 1 } else { 2 })
    }

    /// `dy/dx`, `d^2y/dx^2`, `d2y/dx2`, where the name begins one.
    pub(super) fn quotient_of_differentials(&mut self, name: &str) -> Read<Option<Expr>> {
        let Some((function, variable)) = self.options.function.clone() else {
            return Ok(None);
        };
        if !name.starts_with('d') || name == function {
            return Ok(None);
        }
        let back = self.at;
        let found = self.differential_parts(name, &function, &variable);
        match found {
            Some(order) if (1..=ORDER_LIMIT).contains(&order) => {
                let x = self.symbol(&variable);
                let value = Expr::apply(MathFunction::Named(function.as_str().into()), x.clone());
                Ok(Some(Expr::call(
                    MathFunction::Derivative,
                    vec![value, x, Expr::integer(order)],
                )))
            }
            _ => {
                self.at = back;
                Ok(None)
            }
        }
    }

    fn differential_parts(&mut self, name: &str, function: &str, variable: &str) -> Option<i64> {
        self.at += 1;
        let order = match name.strip_suffix(function) {
            Some("d") => 1,
            Some(start) => start.strip_prefix('d')?.parse().ok()?,
            None if name == "d" => {
                let order = self.raised_number();
                self.take_name(function)?;
                order.unwrap_or(1)
            }
            None => return None,
        };
        if self.take_sign('(') {
            self.take_name(variable)?;
            self.take_sign(')').then_some(())?;
        }
        self.take_sign('/').then_some(())?;
        let below = match self.peek().cloned() {
            Some(NotationTokenKind::Name(below)) => below,
            _ => return None,
        };
        self.at += 1;
        let mut below_order = None;
        if below == "d" {
            self.take_name(variable)?;
        } else {
            let rest = below.strip_prefix('d')?.strip_prefix(variable)?;
            if !rest.is_empty() {
                below_order = Some(rest.parse().ok()?);
            }
        }
        let below_order = below_order.or_else(|| self.raised_number()).unwrap_or(1);
        (order == below_order).then_some(order)
    }

    fn take_name(&mut self, wanted: &str) -> Option<()> {
        let is_there = matches!(
            self.peek(),
            Some(NotationTokenKind::Name(name) | NotationTokenKind::Command(name)) if name == wanted
        );
        self.at += usize::from(is_there);
        is_there.then_some(())
    }

    /// `^2` or `^{2}`.
    fn raised_number(&mut self) -> Option<i64> {
        let back = self.at;
        if self.take_sign('^') {
            let is_group = self.take_sign('{');
            if let Some(NotationTokenKind::Number(value)) = self.peek().cloned() {
                self.at += 1;
                if !is_group || self.take_sign('}') {
                    return num_traits::ToPrimitive::to_i64(&value.to_integer());
                }
            }
        }
        self.at = back;
        None
    }
}
