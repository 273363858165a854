//! Exact evaluation over the rationals.

use tool_core::Ctx;

use super::evaluate::Arithmetic;
use super::fault::EvaluationFault;
use super::functions::{BinaryDefinition, UnaryDefinition};
use super::rational::{ExactResult, Rational};

/// Rational numbers; `slots` are the values of the variables.
pub(super) struct RationalArithmetic<'a> {
    pub(super) slots: &'a [Rational],
    pub(super) ctx: &'a Ctx,
}

impl Arithmetic for RationalArithmetic<'_> {
    type Value = Rational;

    fn number(&mut self, _: f64, text: &str) -> ExactResult {
        if text.is_empty() {
            return Err(EvaluationFault::Inexact);
        }
        Rational::parse(text)
    }

    fn variable(&self, slot: usize) -> Rational {
        self.slots[slot].clone()
    }

    fn function(&mut self, op: &UnaryDefinition, x: &Rational) -> ExactResult {
        op.exact_value(x)
    }

    fn operation(&mut self, op: &BinaryDefinition, a: &Rational, b: &Rational) -> ExactResult {
        op.exact_value(a, b)
    }

    fn is_zero(&mut self, x: &Rational) -> Result<bool, EvaluationFault> {
        Ok(x.is_zero())
    }

    fn check(&self) -> Result<(), EvaluationFault> {
        self.ctx.check().map_err(|_| EvaluationFault::Stopped)
    }
}
