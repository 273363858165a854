//! Commands of LaTeX: fractions, roots, brackets, names, matrices.

use super::function::is_function_name;
use super::lexer::NotationTokenKind;
use super::parser::{ExpressionReader, Read};
use crate::greek::is_greek_name;
use crate::tree::{Expr, MathFunction};

impl ExpressionReader<'_> {
    pub(super) fn command(&mut self, name: &str) -> Read<Expr> {
        let from = self.at;
        self.at += 1;
        match name {
            "frac" | "dfrac" | "tfrac" | "cfrac" => self.fraction(from),
            "sqrt" => self.root(),
            "infty" => Ok(Expr::infinity()),
            "pi" => Ok(Expr::pi()),
            "mathrm" | "operatorname" | "text" | "mathit" | "mathbf" | "textrm" => {
                self.worded(from)
            }
            "binom" | "dbinom" | "tbinom" => {
                let (n, k) = (self.group()?, self.group()?);
                self.apply_function("binom", vec![n, k])
            }
            "int" => self.integral(from),
            "sum" => self.summation(),
            "lim" => self.limit(),
            "begin" => self.environment(),
            "lfloor" => self.rounded("rfloor", MathFunction::Floor),
            "lceil" => self.rounded("rceil", MathFunction::Ceil),
            "lbrace" => {
                let value = self.sum()?;
                match self.take_command("rbrace") {
                    true => Ok(value),
                    false => Err(self.fault("expected `\\}`")),
                }
            }
            "Gamma" if self.is_sign('(') => {
                let argument = self.bracketed(')')?;
                Ok(Expr::apply(MathFunction::Gamma, argument))
            }
            "exp" if self.is_sign('{') => Ok(self.group()?.exp()),
            "dot" | "ddot" if self.options.function.is_some() => self.dotted(name),
            "mathbb" | "vec" | "hat" | "bar" | "overline" | "tilde" | "dot" | "ddot" => Err(self
                .fault(&format!(
                    "`\\{name}` has no symbolic meaning here: use a plain name"
                ))),
            "partial" => Err(self.fault(
                "`\\partial` alone is no expression: write `\\frac{\\partial}{\\partial x}`",
            )),
            _ if is_function_name(name) && !is_greek_name(name) => self.function(name, from),
            _ if matches!(&self.options.function, Some((function, _)) if function == name) => {
                self.unknown_function(name)
            }
            _ if is_greek_name(name) => self.letter(name),
            _ => Err(self.fault(&format!("`\\{name}` is not known"))),
        }
    }

    /// A Greek letter.
    fn letter(&mut self, name: &str) -> Read<Expr> {
        let plain = match name {
            "varepsilon" => "epsilon",
            "vartheta" => "theta",
            "varphi" => "phi",
            _ => name,
        };
        self.symbol_with_index(plain)
    }

    /// `\mathrm{e}`, `\operatorname{arsinh} x`, `\text{speed}`.
    fn worded(&mut self, from: usize) -> Read<Expr> {
        self.expect_sign('{')?;
        let mut word = String::new();
        while let Some(NotationTokenKind::Name(part)) = self.peek() {
            word.push_str(part);
            self.at += 1;
        }
        self.expect_sign('}')?;
        let known = match word.as_str() {
            "arsinh" => "asinh",
            "arcosh" => "acosh",
            "artanh" => "atanh",
            other => other,
        };
        if known == "d"
            && self.integrals > 0
            && let Some(NotationTokenKind::Name(variable)) = self.peek().cloned()
        {
            self.at += 1;
            self.differential = Some(variable);
            return Ok(Expr::symbol("\u{2202}"));
        }
        if is_function_name(known) {
            return self.function(known, from);
        }
        match self.constant(known) {
            Some(constant) => Ok(constant),
            None if word.is_empty() => Err(self.fault("expected letters in the braces")),
            None => self.symbol_with_index(&word),
        }
    }

    fn fraction(&mut self, from: usize) -> Read<Expr> {
        if let Some(derivative) = self.derivative(from)? {
            return Ok(derivative);
        }
        // `\frac12`: the digits are one number for the lexer.
        if let Some(NotationTokenKind::Number(value)) = self.peek() {
            let digits = value.to_string();
            if value.is_integer()
                && digits.len() == 2
                && self.text[self.place()..].starts_with(&digits)
            {
                let mut parts = digits
                    .chars()
                    .filter_map(|digit| digit.to_digit(10))
                    .map(|digit| Expr::integer(i64::from(digit)));
                if let (Some(top), Some(bottom)) = (parts.next(), parts.next()) {
                    self.at += 1;
                    return Ok(top / bottom);
                }
            }
        }
        let top = self.group()?;
        let differential = self.differential.take();
        let bottom = self.group()?;
        self.differential = self.differential.take().or(differential);
        Ok(top / bottom)
    }

    fn root(&mut self) -> Read<Expr> {
        let mut degree = Expr::integer(2);
        if self.is_sign('[') {
            self.at += 1;
            degree = self.sum()?;
            self.expect_sign(']')?;
        }
        let inside = match self.is_sign('(') {
            true => self.bracketed(')')?,
            false => self.group()?,
        };
        Ok(inside.pow(&degree.recip()))
    }

    fn rounded(&mut self, close: &str, function: MathFunction) -> Read<Expr> {
        let inside = self.sum()?;
        match self.take_command(close) {
            true => Ok(Expr::apply(function, inside)),
            false => Err(self.fault(&format!("expected `\\{close}`"))),
        }
    }

    /// A matrix.
    fn environment(&mut self) -> Read<Expr> {
        let kind = self.environment_name()?;
        if !matches!(kind.as_str(), "pmatrix" | "bmatrix" | "matrix" | "vmatrix") {
            return Err(self.fault(&format!("`{kind}` is no matrix")));
        }
        let mut rows = vec![Vec::new()];
        loop {
            let element = self.sum()?;
            if let Some(row) = rows.last_mut() {
                row.push(element);
            }
            if self.take_sign('&') {
                continue;
            }
            if self.peek() == Some(&NotationTokenKind::RowBreak) {
                self.at += 1;
                if self.is_command("end") {
                    break;
                }
                rows.push(Vec::new());
                continue;
            }
            break;
        }
        if !self.take_command("end") || self.environment_name()? != kind {
            return Err(self.fault(&format!("expected `\\end{{{kind}}}`")));
        }
        if rows.iter().any(|row| row.len() != rows[0].len()) {
            return Err(self.fault("expected rows of equal length"));
        }
        let rows = rows
            .into_iter()
            .map(|row| Expr::call(MathFunction::Row, row))
            .collect();
        Ok(Expr::call(MathFunction::MatrixOf, rows))
    }

    fn environment_name(&mut self) -> Read<String> {
        self.expect_sign('{')?;
        let mut name = String::new();
        while let Some(NotationTokenKind::Name(part)) = self.peek() {
            name.push_str(part);
            self.at += 1;
        }
        self.expect_sign('}')?;
        Ok(name)
    }
}
