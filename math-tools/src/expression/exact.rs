//! Exact evaluation over the rationals.

use tool_core::Ctx;

use super::evaluate::{Arithmetic, EvaluationFault};
use super::functions::{Binary, Unary};
use super::rational::Rational;

/// Rational numbers; `slots` are the values of the variables.
pub(super) struct RationalArithmetic<'a> {
    pub(super) slots: &'a [Rational],
    pub(super) ctx: &'a Ctx,
}

impl Arithmetic for RationalArithmetic<'_> {
    type Value = Rational;

    fn number(&mut self, _: f64, text: &str) -> Result<Rational, EvaluationFault> {
        if text.is_empty() {
            return Err(EvaluationFault::Inexact);
        }
        Rational::parse(text)
    }

    fn variable(&self, slot: usize) -> Rational {
        self.slots[slot].clone()
    }

    fn function(&mut self, op: Unary, x: &Rational) -> Result<Rational, EvaluationFault> {
        apply_exact_unary(op, x)
    }

    fn operation(
        &mut self,
        op: Binary,
        a: &Rational,
        b: &Rational,
    ) -> Result<Rational, EvaluationFault> {
        apply_exact_binary(op, a, b)
    }

    fn is_zero(&mut self, x: &Rational) -> Result<bool, EvaluationFault> {
        Ok(x.is_zero())
    }

    fn check(&self) -> Result<(), EvaluationFault> {
        self.ctx.check().map_err(|_| EvaluationFault::Stopped)
    }
}

/// A function of one exact value, where that is exact.
pub(super) fn apply_exact_unary(op: Unary, x: &Rational) -> Result<Rational, EvaluationFault> {
    match op {
        Unary::Neg => Ok(x.neg()),
        Unary::Square => x.mul(x),
        Unary::Abs => Ok(x.abs()),
        Unary::Floor => Ok(x.floor()),
        Unary::Ceil => Ok(x.ceil()),
        Unary::Trunc => Ok(x.trunc()),
        Unary::Round => x.round(),
        Unary::Sign => Ok(x.sign()),
        Unary::Sqrt => x.sqrt(),
        Unary::Factorial => x.factorial(),
        Unary::Gamma => x.gamma(),
        Unary::Lgamma if *x == Rational::from(1) || *x == Rational::from(2) => Ok(0.into()),
        Unary::Reciprocal => Rational::from(1).div(x),
        Unary::Re | Unary::Conj => Ok(x.clone()),
        Unary::Im => Ok(Rational::from(0)),
        _ => Err(EvaluationFault::Inexact),
    }
}

/// A function of two exact values, where that is exact.
pub(super) fn apply_exact_binary(
    op: Binary,
    a: &Rational,
    b: &Rational,
) -> Result<Rational, EvaluationFault> {
    let truth = |holds: bool| Ok(Rational::from(i32::from(holds)));
    match op {
        Binary::Add => a.add(b),
        Binary::Sub => a.sub(b),
        Binary::Mul => a.mul(b),
        Binary::Div => a.div(b),
        Binary::Mod => a.modulo(b),
        Binary::FloorDiv => a.div(b).map(|quotient| quotient.floor()),
        Binary::Fmod => a.remainder(b),
        Binary::Pow => a.pow(b),
        Binary::Less => truth(a < b),
        Binary::LessEqual => truth(a <= b),
        Binary::Greater => truth(a > b),
        Binary::GreaterEqual => truth(a >= b),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::Min => Ok(a.min(b).clone()),
        Binary::Max => Ok(a.max(b).clone()),
        Binary::CopySign if a.is_negative() == b.is_negative() => Ok(a.clone()),
        Binary::CopySign => Ok(a.neg()),
        _ => Err(EvaluationFault::Inexact),
    }
}
