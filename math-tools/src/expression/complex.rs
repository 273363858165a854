//! Evaluation over the complex numbers, in doubles.

use super::evaluate::Arithmetic;
use super::fault::EvaluationFault;
use super::functions::{BinaryDefinition, TernaryDefinition, UnaryDefinition};
use super::plane::{PlaneResult, RealOrComplex};

/// Complex numbers at a point of real numbers; the slot after them is that of the imaginary unit.
pub(super) struct ComplexArithmetic<'a>(pub(super) &'a [f64]);

impl Arithmetic for ComplexArithmetic<'_> {
    type Value = RealOrComplex;

    fn number(&mut self, value: f64, _: &str) -> PlaneResult {
        Ok(RealOrComplex::Real(value))
    }

    fn variable(&self, slot: usize) -> RealOrComplex {
        self.0
            .get(slot)
            .map_or(RealOrComplex::Pair(0.0, 1.0), |&value| {
                RealOrComplex::Real(value)
            })
    }

    fn function(&mut self, op: &UnaryDefinition, x: &RealOrComplex) -> PlaneResult {
        op.complex_value(*x).and_then(RealOrComplex::finite)
    }

    fn operation(
        &mut self,
        op: &BinaryDefinition,
        a: &RealOrComplex,
        b: &RealOrComplex,
    ) -> PlaneResult {
        op.complex_value(*a, *b).and_then(RealOrComplex::finite)
    }

    fn ternary(&mut self, op: &TernaryDefinition, operands: [&RealOrComplex; 3]) -> PlaneResult {
        use RealOrComplex::Real;
        match operands.map(|operand| *operand) {
            [Real(a), Real(b), Real(c)] => Real(op.value(a, b, c)).finite(),
            _ => Err(EvaluationFault::RealOnly),
        }
    }

    fn is_zero(&mut self, x: &RealOrComplex) -> Result<bool, EvaluationFault> {
        Ok(x.parts() == (0.0, 0.0))
    }
}
