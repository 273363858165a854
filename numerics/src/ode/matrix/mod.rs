//! [`ShiftedFactors`], the factors of `s M - J` for a real or complex `s`, stored as the [`JacobianPattern`] of `M` and `J` suggests.

mod banded;
mod dense;
mod field;
mod pattern;
mod sparse;

use std::sync::Arc;

use self::banded::ShiftedBandedLu;
use self::dense::ShiftedDenseLu;
use self::sparse::ShiftedSparseLu;

pub(crate) use self::field::{RealOrComplexField, SingularShift};
pub use self::pattern::{JacobianPattern, JacobianStorage};

/// The factors of `s M - J`.
#[derive(Debug)]
pub(crate) struct ShiftedFactors<T: RealOrComplexField> {
    pattern: Arc<JacobianPattern>,
    factors: ShiftedLu<T>,
}

#[derive(Debug)]
enum ShiftedLu<T: RealOrComplexField> {
    Dense(ShiftedDenseLu<T>),
    Banded(ShiftedBandedLu<T>),
    Sparse(Box<ShiftedSparseLu<T>>),
}

impl<T: RealOrComplexField> ShiftedFactors<T> {
    /// Room for the factors.
    pub(crate) fn new(pattern: &Arc<JacobianPattern>) -> Self {
        let n = pattern.n;
        let factors = match pattern.storage() {
            JacobianStorage::Dense => ShiftedLu::Dense(ShiftedDenseLu::new(n)),
            JacobianStorage::Banded { lower, upper } => {
                ShiftedLu::Banded(ShiftedBandedLu::new(n, lower, upper))
            }
            JacobianStorage::Sparse => ShiftedLu::Sparse(Box::new(ShiftedSparseLu::new(pattern))),
        };
        Self {
            pattern: Arc::clone(pattern),
            factors,
        }
    }

    /// Doubles that the factors of a pattern take.
    pub(crate) fn room(pattern: &JacobianPattern) -> usize {
        let n = pattern.n;
        let numbers = match pattern.storage() {
            JacobianStorage::Dense => n * n,
            JacobianStorage::Banded { lower, upper } => n * (2 * lower + upper + 1),
            JacobianStorage::Sparse => 20 * (pattern.entries.len() + n),
        };
        numbers.saturating_mul(size_of::<T>() / size_of::<f64>())
    }

    /// Factors `shift M - J`, the entries of `J` in the order of the pattern.
    ///
    /// # Errors
    /// [`SingularShift`].
    pub(crate) fn factor(&mut self, shift: T, jacobian: &[f64]) -> Result<(), SingularShift> {
        let pattern = &*self.pattern;
        let of_jacobian = pattern
            .entries
            .iter()
            .zip(jacobian)
            .map(|(&(row, column), &value)| (row, column, T::real(-value)));
        let of_mass = pattern
            .mass
            .iter()
            .map(|&(row, column, value)| (row, column, shift * T::real(value)));
        let entries = of_jacobian.chain(of_mass);
        match &mut self.factors {
            ShiftedLu::Dense(factors) => factors.factor(entries),
            ShiftedLu::Banded(factors) => factors.factor(entries),
            ShiftedLu::Sparse(factors) => factors.factor(entries.map(|(_, _, value)| value)),
        }
    }

    /// Replaces each part of `x` of the length of the matrix by the solution with it as the right-hand side.
    pub(crate) fn solve(&mut self, x: &mut [T]) {
        for part in x.chunks_exact_mut(self.pattern.n) {
            match &mut self.factors {
                ShiftedLu::Dense(factors) => factors.solve(part),
                ShiftedLu::Banded(factors) => factors.solve(part),
                ShiftedLu::Sparse(factors) => factors.solve(part),
            }
        }
    }
}

#[cfg(test)]
mod tests;
