//! Integrals, sums, limits and derivatives as they are written in LaTeX.

use super::lexer::NotationTokenKind;
use super::parser::{ExpressionReader, Read};
use crate::tree::{Expr, MathFunction};

impl ExpressionReader<'_> {
    /// `_a^b` in either order.
    fn bounds(&mut self) -> Read<(Option<Expr>, Option<Expr>)> {
        let (mut low, mut high) = (None, None);
        loop {
            if low.is_none() && self.take_sign('_') {
                low = Some(self.bound_group()?);
            } else if high.is_none() && self.take_sign('^') {
                high = Some(self.bound_group()?);
            } else {
                return Ok((low, high));
            }
        }
    }

    fn bound_group(&mut self) -> Read<Expr> {
        let is_negative = self.take_sign('-');
        // `\int_01` sets one digit; a longer number is read as it is written.
        let value = self.group()?;
        Ok(if is_negative { -value } else { value })
    }

    /// `\int_a^b f \, dx`.
    pub(super) fn integral(&mut self, from: usize) -> Read<Expr> {
        let bounds = self.bounds()?;
        let outer = self.differential.take();
        let bars = std::mem::take(&mut self.bars);
        self.integrals += 1;
        let inside = self.sum()?;
        self.integrals -= 1;
        self.bars = bars;
        let Some(variable) = self.differential.take() else {
            return Err(self.fault("the integral has no end: expected `d` and its variable"));
        };
        self.differential = outer;
        let marker = Expr::symbol("\u{2202}");
        let integrand = &inside / &marker;
        if integrand.contains(&marker) {
            // A sum whose last term alone has the differential: `x + 1 dx`.
            let plain = inside.replace(&marker, &Expr::zero());
            let last = (&inside - &plain) / &marker;
            if last.contains(&marker) {
                return Err(self.fault("the differential stands where it is no factor"));
            }
            self.note(
                from,
                "the integral of the whole sum",
                "the integral of its last term",
            );
            return self.finish_integral(plain + last, &variable, bounds);
        }
        self.finish_integral(integrand, &variable, bounds)
    }

    fn finish_integral(
        &mut self,
        integrand: Expr,
        variable: &str,
        bounds: (Option<Expr>, Option<Expr>),
    ) -> Read<Expr> {
        let x = self.symbol(variable);
        match bounds {
            (None, None) => Ok(Expr::call(MathFunction::Integral, vec![integrand, x])),
            (Some(low), Some(high)) => Ok(Expr::call(
                MathFunction::Integral,
                vec![integrand, x, low, high],
            )),
            _ => Err(self.fault("the integral has one limit: expected both or none")),
        }
    }

    /// `\sum_{k=1}^{n} f`.
    pub(super) fn summation(&mut self) -> Read<Expr> {
        let start = self.at;
        if !self.take_sign('_') || !self.take_sign('{') {
            return Err(self.fault("expected `_{k=...}` after `\\sum`"));
        }
        let Some(NotationTokenKind::Name(index)) = self.peek().cloned() else {
            return Err(self.fault("expected the index of the sum"));
        };
        self.at += 1;
        if self.peek()
            != Some(&NotationTokenKind::Relation(
                crate::tree::RelationKind::Equal,
            ))
        {
            return Err(self.fault("expected `=` after the index of the sum"));
        }
        self.at += 1;
        self.bound.push(index.clone());
        let low = self.sum()?;
        self.expect_sign('}')?;
        if !self.take_sign('^') {
            return Err(self.fault("expected the upper limit of the sum"));
        }
        let high = self.bound_group()?;
        let body = self.operand(start, "the sum")?;
        self.bound.pop();
        let k = self.symbol(&index);
        Ok(Expr::call(MathFunction::SumOver, vec![body, k, low, high]))
    }

    /// What an operator acts on: a product; a sum that follows is named.
    fn operand(&mut self, from: usize, what: &str) -> Read<Expr> {
        let mut is_negative = false;
        if self.take_sign('-') {
            is_negative = true;
        }
        let mut total = self.factor()?;
        loop {
            if self.take_sign('*') {
                total = total * self.signed_factor()?;
            } else if self.take_sign('/') {
                total = total / self.signed_factor()?;
            } else if self.starts_factor() && !(self.integrals > 0 && self.differential.is_some()) {
                total = total * self.factor()?;
            } else {
                break;
            }
        }
        if self.is_sign('+') || self.is_sign('-') {
            self.note(
                from,
                format!("{what} ends before the next `+` or `-`"),
                format!("{what} of all that follows"),
            );
        }
        Ok(if is_negative { -total } else { total })
    }

    /// `\lim_{x \to a^+} f`.
    pub(super) fn limit(&mut self) -> Read<Expr> {
        let start = self.at;
        if !self.take_sign('_') || !self.take_sign('{') {
            return Err(self.fault("expected `_{x \\to a}` after `\\lim`"));
        }
        let variable = match self.peek().cloned() {
            Some(NotationTokenKind::Name(name) | NotationTokenKind::Command(name)) => name,
            _ => return Err(self.fault("expected the variable of the limit")),
        };
        self.at += 1;
        if !self.take_command("to") && !self.take_command("rightarrow") {
            return Err(self.fault("expected `\\to` after the variable of the limit"));
        }
        let (point, side) = self.limit_point()?;
        self.bound.push(variable.clone());
        let body = self.operand(start, "the limit")?;
        self.bound.pop();
        let x = self.symbol(&variable);
        Ok(Expr::call(
            MathFunction::Limit,
            vec![body, x, point, Expr::integer(side)],
        ))
    }

    fn limit_point(&mut self) -> Read<(Expr, i64)> {
        let end = (self.at..self.tokens.len())
            .scan(1usize, |depth, place| {
                match self.tokens[place].kind {
                    NotationTokenKind::Sign('{') => *depth += 1,
                    NotationTokenKind::Sign('}') => *depth -= 1,
                    _ => {}
                }
                Some((place, *depth))
            })
            .find(|(_, depth)| *depth == 0)
            .map(|(place, _)| place)
            .ok_or_else(|| self.fault("expected `}` after the point of the limit"))?;
        // `a^+`, `a^{+}`, `a+`, and the same with minus.
        let tail = |back: usize| end.checked_sub(back).map(|place| &self.tokens[place].kind);
        let side_of = |kind: Option<&NotationTokenKind>| match kind {
            Some(NotationTokenKind::Sign('+')) => 1,
            Some(NotationTokenKind::Sign('-')) => -1,
            _ => 0,
        };
        let (side, used) = match (tail(1), tail(2), tail(3), tail(4)) {
            (
                Some(NotationTokenKind::Sign('}')),
                sign,
                Some(NotationTokenKind::Sign('{')),
                Some(NotationTokenKind::Sign('^')),
            ) if side_of(sign) != 0 => (side_of(sign), 4),
            (sign, Some(NotationTokenKind::Sign('^')), ..) if side_of(sign) != 0 => {
                (side_of(sign), 2)
            }
            (sign, ..) if side_of(sign) != 0 => (side_of(sign), 1),
            _ => (0, 0),
        };
        let stop = end - used;
        let tokens = self.tokens;
        self.tokens = &tokens[..stop];
        let point = self.sum();
        self.tokens = tokens;
        let point = point?;
        if self.at != stop {
            return Err(self.fault("expected the point of the limit"));
        }
        self.at = end + 1;
        Ok((point, side))
    }

    /// `\frac{d}{dx} f`, `\frac{d^2}{dx^2} f`, `\frac{dy}{dx}`, after `\frac`; `None` where it is an ordinary fraction.
    pub(super) fn derivative(&mut self, from: usize) -> Read<Option<Expr>> {
        let back = self.at;
        let result = self.derivative_parts()?;
        let Some((function, variable, order)) = result else {
            self.at = back;
            return Ok(None);
        };
        let x = self.symbol(&variable);
        let body = match function {
            Some(function) => match &self.options.function {
                Some((name, _)) if *name == function => {
                    Expr::apply(MathFunction::Named(function.as_str().into()), x.clone())
                }
                _ => {
                    self.note(
                        from,
                        format!("the derivative of a function {function}({variable})"),
                        "a fraction",
                    );
                    Expr::apply(MathFunction::Named(function.as_str().into()), x.clone())
                }
            },
            None => self.operand(from, "the derivative")?,
        };
        Ok(Some(Expr::call(
            MathFunction::Derivative,
            vec![body, x, Expr::integer(order)],
        )))
    }

    fn derivative_parts(&mut self) -> Read<Option<(Option<String>, String, i64)>> {
        if !self.take_sign('{') || !self.take_d() {
            return Ok(None);
        }
        let order = self.small_power();
        let mut function = None;
        if let Some(NotationTokenKind::Name(name)) = self.peek().cloned() {
            function = Some(name);
            self.at += 1;
        }
        if !self.take_sign('}') || !self.take_sign('{') || !self.take_d() {
            return Ok(None);
        }
        let Some(NotationTokenKind::Name(variable)) = self.peek().cloned() else {
            return Ok(None);
        };
        self.at += 1;
        let below = self.small_power();
        if below != order || !self.take_sign('}') {
            return Ok(None);
        }
        Ok(Some((function, variable, order)))
    }

    fn take_d(&mut self) -> bool {
        if self.take_command("partial") {
            return true;
        }
        let is_d = matches!(self.peek(), Some(NotationTokenKind::Name(name)) if name == "d");
        self.at += usize::from(is_d);
        is_d
    }

    fn small_power(&mut self) -> i64 {
        let back = self.at;
        if !self.take_sign('^') {
            return 1;
        }
        let is_group = self.take_sign('{');
        let Some(NotationTokenKind::Number(value)) = self.peek().cloned() else {
            self.at = back;
            return 1;
        };
        self.at += 1;
        if is_group && !self.take_sign('}') {
            self.at = back;
            return 1;
        }
        num_traits::ToPrimitive::to_i64(&value.to_integer()).unwrap_or(0)
    }
}
