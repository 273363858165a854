//! [`Shifted`], the factors of `s M - J` for a real or complex `s`, stored as the [`Pattern`] of `M` and `J` suggests.

mod banded;
mod dense;
mod field;
mod pattern;
mod sparse;

use std::sync::Arc;

use self::banded::Banded;
use self::dense::Dense;
use self::sparse::Sparse;

pub(crate) use self::field::{Field, Singular};
pub(crate) use self::pattern::{Pattern, Storage};

/// The factors of `s M - J`.
#[derive(Debug)]
pub(crate) struct Shifted<T: Field> {
    pattern: Arc<Pattern>,
    factors: Factors<T>,
}

#[derive(Debug)]
enum Factors<T: Field> {
    Dense(Dense<T>),
    Banded(Banded<T>),
    Sparse(Box<Sparse<T>>),
}

impl<T: Field> Shifted<T> {
    /// Room for the factors.
    pub(crate) fn new(pattern: &Arc<Pattern>) -> Self {
        let n = pattern.n;
        let factors = match pattern.storage() {
            Storage::Dense => Factors::Dense(Dense::new(n)),
            Storage::Banded { lower, upper } => Factors::Banded(Banded::new(n, lower, upper)),
            Storage::Sparse => Factors::Sparse(Box::new(Sparse::new(pattern))),
        };
        Self {
            pattern: Arc::clone(pattern),
            factors,
        }
    }

    /// Doubles that the factors of a pattern take.
    pub(crate) fn room(pattern: &Pattern) -> usize {
        let n = pattern.n;
        let numbers = match pattern.storage() {
            Storage::Dense => n * n,
            Storage::Banded { lower, upper } => n * (2 * lower + upper + 1),
            Storage::Sparse => 20 * (pattern.entries.len() + n),
        };
        numbers.saturating_mul(size_of::<T>() / size_of::<f64>())
    }

    /// Factors `shift M - J`, the entries of `J` in the order of the pattern.
    ///
    /// # Errors
    /// [`Singular`].
    pub(crate) fn factor(&mut self, shift: T, jacobian: &[f64]) -> Result<(), Singular> {
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
            Factors::Dense(factors) => factors.factor(entries),
            Factors::Banded(factors) => factors.factor(entries),
            Factors::Sparse(factors) => factors.factor(entries.map(|(_, _, value)| value)),
        }
    }

    /// Replaces each part of `x` of the length of the matrix by the solution with it as the right-hand side.
    pub(crate) fn solve(&mut self, x: &mut [T]) {
        for part in x.chunks_exact_mut(self.pattern.n) {
            match &mut self.factors {
                Factors::Dense(factors) => factors.solve(part),
                Factors::Banded(factors) => factors.solve(part),
                Factors::Sparse(factors) => factors.solve(part),
            }
        }
    }
}

#[cfg(test)]
mod tests;
