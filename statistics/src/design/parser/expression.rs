//! Arguments of functions, and arithmetic over columns.

use super::{DEGREE_MAX, FormulaParser};
use crate::design::FormulaError;
use crate::design::FormulaProblem;
use crate::design::formula::{ArithmeticSign, ColumnFunction, FactorKind, NumericExpression};
use crate::design::lexer::FormulaToken;

impl FormulaParser<'_> {
    /// `column, ref="level"`, `column, Treatment("level")`, and the parenthesis.
    pub(super) fn read_category(&mut self) -> Result<FactorKind, FormulaError> {
        let column = self.read_name()?;
        let mut base = None;
        if self.takes(',') {
            let is_treatment =
                matches!(self.peek(), FormulaToken::Name(name) if name == "Treatment");
            match self.read_name()?.as_str() {
                "Treatment" => self.expect('(', "`(`")?,
                "ref" | "base" => self.expect('=', "`=`")?,
                _ => {
                    self.at -= 1;
                    return Err(self.expected("`ref=\"level\"`"));
                }
            }
            if is_treatment && matches!(self.peek(), FormulaToken::Name(_)) {
                self.read_name()?;
                self.expect('=', "`=`")?;
            }
            base = Some(self.read_level()?);
            if is_treatment {
                self.expect(')', "`)`")?;
            }
        }
        self.expect(')', "`)`")?;
        Ok(FactorKind::Category { column, base })
    }

    pub(super) fn read_level(&mut self) -> Result<String, FormulaError> {
        let level = match self.peek() {
            FormulaToken::Text(text) => text.clone(),
            FormulaToken::Number(number) => number.to_string(),
            _ => return Err(self.expected("a level between quotes")),
        };
        self.at += 1;
        Ok(level)
    }

    /// `x, degree, raw=True`, and the parenthesis.
    pub(super) fn read_polynomial(&mut self) -> Result<FactorKind, FormulaError> {
        let of = self.read_expression()?;
        self.expect(',', "`,` and the degree")?;
        if matches!(self.peek(), FormulaToken::Name(name) if name == "degree") {
            self.at += 1;
            self.expect('=', "`=`")?;
        }
        let degree = match self.peek() {
            FormulaToken::Number(number)
                if number.fract() == 0.0 && (1.0..=DEGREE_MAX as f64).contains(number) =>
            {
                *number as usize
            }
            _ => return Err(self.expected("a degree from 1 to 60")),
        };
        self.at += 1;
        let mut is_raw = false;
        if self.takes(',') {
            match self.read_name()?.as_str() {
                "raw" => self.expect('=', "`=`")?,
                _ => {
                    self.at -= 1;
                    return Err(self.expected("`raw=True`"));
                }
            }
            is_raw = matches!(self.read_name()?.as_str(), "True" | "TRUE" | "true" | "T");
        }
        self.expect(')', "`)`")?;
        Ok(FactorKind::Polynomial { of, degree, is_raw })
    }

    /// Sums and differences of numbers.
    pub(super) fn read_expression(&mut self) -> Result<NumericExpression, FormulaError> {
        self.enter()?;
        let mut left = self.read_product()?;
        loop {
            let sign = match () {
                () if self.takes('+') => ArithmeticSign::Add,
                () if self.takes('-') => ArithmeticSign::Subtract,
                () => break,
            };
            let right = self.read_product()?;
            left = NumericExpression::Binary(sign, Box::new(left), Box::new(right));
            self.count_sign()?;
        }
        self.depth -= 1;
        Ok(left)
    }

    pub(super) fn read_product(&mut self) -> Result<NumericExpression, FormulaError> {
        let mut left = self.read_signed()?;
        loop {
            let sign = match () {
                () if self.takes('*') => ArithmeticSign::Multiply,
                () if self.takes('/') => ArithmeticSign::Divide,
                () => return Ok(left),
            };
            let right = self.read_signed()?;
            left = NumericExpression::Binary(sign, Box::new(left), Box::new(right));
            self.count_sign()?;
        }
    }

    pub(super) fn read_signed(&mut self) -> Result<NumericExpression, FormulaError> {
        self.enter()?;
        let signed = match self.takes('-') {
            true => NumericExpression::Negative(Box::new(self.read_signed()?)),
            false => {
                let base = self.read_operand()?;
                match self.takes('^') {
                    true => {
                        let exponent = Box::new(self.read_signed()?);
                        NumericExpression::Binary(ArithmeticSign::Power, Box::new(base), exponent)
                    }
                    false => base,
                }
            }
        };
        self.depth -= 1;
        Ok(signed)
    }

    pub(super) fn read_operand(&mut self) -> Result<NumericExpression, FormulaError> {
        match self.peek().clone() {
            FormulaToken::Number(number) => {
                self.at += 1;
                Ok(NumericExpression::Number(number))
            }
            FormulaToken::Sign('(') => {
                self.at += 1;
                let inner = self.read_expression()?;
                self.expect(')', "`)`")?;
                Ok(inner)
            }
            FormulaToken::Name(name) if self.sign_after('(') => {
                let known = ColumnFunction::NAMED
                    .iter()
                    .find(|(known, _)| *known == name);
                if name != "I" && known.is_none() {
                    return Err(self.fault(FormulaProblem::UnknownFunction(name)));
                }
                self.at += 2;
                let inner = self.read_expression()?;
                self.expect(')', "`)`")?;
                Ok(match known {
                    Some((_, function)) => NumericExpression::Function(*function, Box::new(inner)),
                    None => inner,
                })
            }
            FormulaToken::Name(name) => {
                self.at += 1;
                Ok(NumericExpression::Column(name))
            }
            _ => Err(self.expected("a number or the name of a column")),
        }
    }
}
