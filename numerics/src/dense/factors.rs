//! A common interface to the factorisations of a square matrix: method, solution, growth.

use faer::Mat;

use super::banded::{BandedLu, TriangularMatrix};
use super::cholesky::{BunchKaufman, Cholesky, NotPositiveDefinite};
use super::condition::LinearOperator;
use super::lstsq::matrix_vector_product;
use super::rows::row_sizes;
use super::structure::MatrixStructure;
use super::{Lu, columns_of, dot, matrix_product, max_abs, thin_qr};

/// Method for a square system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SquareMethod {
    /// Elimination with partial pivoting.
    Lu,
    /// Householder reflections.
    Qr,
    /// `L L'` of a symmetric positive definite matrix.
    Cholesky,
    /// `L D L'` of a symmetric matrix with rook pivoting.
    SymmetricIndefinite,
    /// Substitution only.
    Triangular,
    /// Elimination within the band.
    Banded,
    /// Elimination within three diagonals.
    Tridiagonal,
}

/// The factors of a square matrix.
#[derive(Debug, Clone)]
pub enum MatrixFactors {
    /// See [`Lu`].
    Lu(Lu),
    /// Orthonormal `Q` and upper triangular `R`.
    Qr {
        /// n x n.
        q: Mat<f64>,
        /// Upper triangle.
        r: TriangularMatrix,
    },
    /// See [`Cholesky`].
    Cholesky(Cholesky),
    /// See [`BunchKaufman`].
    Indefinite(BunchKaufman),
    /// See [`TriangularMatrix`].
    Triangular(TriangularMatrix),
    /// See [`BandedLu`].
    Banded(BandedLu),
}

/// Errors of a factorisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// An exact zero pivot.
    #[error(
        "`A` is singular: column {column} (columns count from 0) depends on the columns before it"
    )]
    Singular {
        /// The first such column, counted from 0.
        column: usize,
    },
    /// The block diagonal factor is exactly singular.
    #[error("`A` is singular")]
    SingularBlock,
    /// Cholesky met a pivot that is not positive.
    #[error("`A` is not positive definite: {0}")]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
}

impl MatrixFactors {
    /// Factors the n x n matrix `a`, row by row, which must have the structure that the method needs.
    ///
    /// # Errors
    /// [`FactorError`], which says where.
    pub fn new(
        a: &[f64],
        n: usize,
        structure: MatrixStructure,
        method: SquareMethod,
    ) -> Result<Self, FactorError> {
        let singular = |pivot: Option<usize>| match pivot {
            Some(column) => Err(FactorError::Singular { column }),
            None => Ok(()),
        };
        // A symmetric matrix read row by row is the same read column by column.
        let columns = || columns_of(a, n, n);
        Ok(match method {
            SquareMethod::Lu => {
                let factors = Lu::new(columns());
                singular(factors.zero_pivot())?;
                Self::Lu(factors)
            }
            SquareMethod::Qr => {
                let (q, r) = thin_qr(columns());
                let r = TriangularMatrix {
                    entries: r,
                    upper: true,
                };
                singular(r.zero_pivot())?;
                Self::Qr { q, r }
            }
            SquareMethod::Cholesky => Self::Cholesky(Cholesky::new(columns())?),
            SquareMethod::SymmetricIndefinite => {
                let factors = BunchKaufman::new(columns());
                if factors.is_singular() {
                    return Err(FactorError::SingularBlock);
                }
                Self::Indefinite(factors)
            }
            SquareMethod::Triangular => {
                let factors = TriangularMatrix {
                    entries: columns(),
                    upper: structure.lower == 0,
                };
                singular(factors.zero_pivot())?;
                Self::Triangular(factors)
            }
            SquareMethod::Banded | SquareMethod::Tridiagonal => {
                let factors = BandedLu::new(a, n, structure.lower, structure.upper);
                singular(factors.zero_pivot())?;
                Self::Banded(factors)
            }
        })
    }

    /// Largest entry of `U` over the largest of the matrix, where the elimination exchanges rows; `None` for the methods that
    /// cannot grow.
    pub fn growth(&self, a: &[f64]) -> Option<f64> {
        let largest = match self {
            Self::Lu(factors) => (0..factors.packed.ncols())
                .map(|column| max_abs(&factors.packed.col_as_slice(column)[..=column]))
                .fold(0.0, f64::max),
            Self::Banded(factors) => factors.largest_in_upper(),
            _ => return None,
        };
        Some(largest / max_abs(&row_sizes(a, self.size())))
    }

    /// Replaces the columns of `rhs` by the solutions of `A x = rhs`.
    pub fn solve(&self, rhs: &mut Mat<f64>) {
        match self {
            Self::Lu(factors) => factors.solve(rhs),
            Self::Cholesky(factors) => factors.solve(rhs),
            Self::Indefinite(factors) => factors.solve(rhs),
            Self::Qr { q, r } => {
                *rhs = matrix_product(q.as_ref().transpose(), rhs.as_ref());
                (0..rhs.ncols()).for_each(|column| r.apply(rhs.col_as_slice_mut(column)));
            }
            Self::Triangular(_) | Self::Banded(_) => {
                (0..rhs.ncols()).for_each(|column| self.apply(rhs.col_as_slice_mut(column)));
            }
        }
    }
}

impl LinearOperator for MatrixFactors {
    fn size(&self) -> usize {
        match self {
            Self::Lu(factors) => factors.packed.ncols(),
            Self::Qr { q, .. } => q.ncols(),
            Self::Cholesky(factors) => factors.size(),
            Self::Indefinite(factors) => factors.size(),
            Self::Triangular(factors) => factors.size(),
            Self::Banded(factors) => factors.size(),
        }
    }

    fn apply(&self, x: &mut [f64]) {
        match self {
            Self::Lu(factors) => factors.solve_vector(x),
            Self::Qr { q, r } => {
                let image: Vec<f64> = (0..q.ncols()).map(|c| dot(q.col_as_slice(c), x)).collect();
                x.copy_from_slice(&image);
                r.apply(x);
            }
            Self::Cholesky(factors) => factors.apply(x),
            Self::Indefinite(factors) => factors.apply(x),
            Self::Triangular(factors) => factors.apply(x),
            Self::Banded(factors) => factors.apply(x),
        }
    }

    fn apply_transposed(&self, x: &mut [f64]) {
        match self {
            Self::Lu(factors) => factors.solve_transposed(x),
            Self::Qr { q, r } => {
                r.apply_transposed(x);
                x.copy_from_slice(&matrix_vector_product(q, x));
            }
            Self::Cholesky(factors) => factors.apply(x),
            Self::Indefinite(factors) => factors.apply(x),
            Self::Triangular(factors) => factors.apply_transposed(x),
            Self::Banded(factors) => factors.apply_transposed(x),
        }
    }
}
