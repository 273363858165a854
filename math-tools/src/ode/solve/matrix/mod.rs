//! [`Pattern`], which entries of a Jacobian can differ from zero, and [`Shifted`], the factors of `s M - J` for a real or complex `s`.

mod banded;
mod dense;
mod sparse;

use std::fmt::Debug;
use std::ops::{AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::sync::Arc;

use faer::c64;
use faer::traits::ComplexField;

use self::banded::Banded;
use self::dense::Dense;
use self::sparse::Sparse;

/// The entries of the Jacobian that can differ from zero, the mass matrix, and the storage that suits both.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Rows and columns.
    pub n: usize,
    /// Row and column of each entry of the Jacobian, in the order of their values.
    pub entries: Vec<(usize, usize)>,
    /// The entries of the mass matrix with their values.
    pub mass: Vec<(usize, usize, f64)>,
    /// Whether the mass matrix is the identity.
    pub identity: bool,
    storage: Storage,
}

/// How `s M - J` is stored and factored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Every entry.
    Dense,
    /// The diagonals from `lower` below to `upper` above the main one.
    Banded {
        /// Diagonals below the main one.
        lower: usize,
        /// Diagonals above the main one.
        upper: usize,
    },
    /// The entries of the pattern.
    Sparse,
}

impl Pattern {
    /// The pattern of a Jacobian and a mass matrix, the identity when absent.
    pub(crate) fn new(
        n: usize,
        entries: Vec<(usize, usize)>,
        mass: Option<Vec<(usize, usize, f64)>>,
    ) -> Self {
        let identity = mass.is_none();
        let mass = mass.unwrap_or_else(|| (0..n).map(|index| (index, index, 1.0)).collect());
        let places = || {
            let of_mass = mass.iter().map(|&(row, column, _)| (row, column));
            entries.iter().copied().chain(of_mass)
        };
        let below = |(row, column): (usize, usize)| row.saturating_sub(column);
        let above = |(row, column): (usize, usize)| column.saturating_sub(row);
        let lower = places().map(below).max().unwrap_or(0);
        let upper = places().map(above).max().unwrap_or(0);
        // A band costs 2 l (l + u) operations per column, full elimination 2/3 n^2 that run faster; sparse elimination starts late.
        let storage = if n >= 8 && 3 * lower * (lower + upper) < n * n / 4 && 2 * lower + upper < n
        {
            Storage::Banded { lower, upper }
        } else if n >= 64 && 10 * (entries.len() + mass.len()) < n * n {
            Storage::Sparse
        } else {
            Storage::Dense
        };
        // A band of which little is used is better served by its entries.
        let storage = match storage {
            Storage::Banded { lower, upper }
                if lower + upper > 40 && 8 * entries.len() < n * (lower + upper) =>
            {
                Storage::Sparse
            }
            other => other,
        };
        Self {
            n,
            entries,
            mass,
            identity,
            storage,
        }
    }

    /// The storage that was chosen.
    pub(crate) fn storage(&self) -> Storage {
        self.storage
    }

    /// `y = M x`, for each part of the length of the matrix.
    pub(crate) fn apply_mass(&self, x: &[f64], y: &mut [f64]) {
        if self.identity {
            y.copy_from_slice(x);
            return;
        }
        y.fill(0.0);
        for (x, y) in x.chunks_exact(self.n).zip(y.chunks_exact_mut(self.n)) {
            for &(row, column, value) in &self.mass {
                y[row] += value * x[column];
            }
        }
    }
}

/// Real or complex numbers.
pub(crate) trait Field:
    ComplexField
    + Copy
    + Debug
    + PartialEq
    + Neg<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// A real number.
    fn real(value: f64) -> Self;
    /// The reciprocal.
    fn reciprocal(self) -> Self;
    /// A norm: of a complex number the sum of the magnitudes of both parts.
    fn size(self) -> f64;
}

impl Field for f64 {
    fn real(value: f64) -> Self {
        value
    }

    fn reciprocal(self) -> Self {
        1.0 / self
    }

    fn size(self) -> f64 {
        self.abs()
    }
}

impl Field for c64 {
    fn real(value: f64) -> Self {
        Self::new(value, 0.0)
    }

    /// Without the square of a part, which can overflow.
    fn reciprocal(self) -> Self {
        let scale = self.re.abs().max(self.im.abs());
        let (re, im) = (self.re / scale, self.im / scale);
        let size = scale * (re * re + im * im);
        Self::new(re / size, -im / size)
    }

    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// `s M - J` is singular to the last bit, or not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Singular;

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
        let factors = match pattern.storage {
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
        let numbers = match pattern.storage {
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
