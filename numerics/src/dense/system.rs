//! Square systems `A X = B`: the method chosen by the structure, refinement, and error estimates.

use faer::{Mat, MatRef};

use super::cholesky::NotPositiveDefinite;
use super::condition::{reciprocal_condition, weighted_inverse_norm};
use super::dependent::dependent_column;
use super::factors::{FactorError, MatrixFactors, SquareMethod};
use super::refinement::{refine_solution, series_error, size_in};
use super::rows::{SHARED_LEAST, each_column, each_row};
use super::scaling::Equilibration;
use super::structure::MatrixStructure;
use super::{
    absolute_dot, absolute_sum, add_multiple, euclidean_norm, exponent_of, matrix_product, max_abs,
    scale_by_exponent,
};
use crate::exact::residual_entry;

/// A right-hand side of few columns gets its residual in doubled precision; more would cost as much as the factorisation.
pub(crate) const PRECISE_COLUMNS_MAX: usize = 4;

/// Elimination whose entries grow by more than this has lost so many digits that orthogonal factors are used instead.
pub const GROWTH_MAX: f64 = 1e8;

/// A backward error above this says that the factors cannot be trusted, regardless of their growth.
pub(crate) const BACKWARD_ERROR_MAX: f64 = 1e-13;

/// A solution and its evidence. Norms over several right-hand sides are Frobenius norms.
#[derive(Debug, Clone)]
pub struct DenseSolution {
    /// n x k, row by row.
    pub x: Vec<f64>,
    /// `|B - A X|`.
    pub residual: f64,
    /// `|B - A X| / |B|`; the residual itself when `B` is zero.
    pub relative_error: f64,
    /// Largest over the columns of `|b - A x| / (|A| |x| + |b|)` in maximum norms.
    pub backward_error: f64,
    /// The estimate of `1 / (|A|_1 |A^-1|_1)` of the matrix as factored.
    pub rcond: f64,
    /// Whether rows or columns were scaled before factoring.
    pub equilibrated: bool,
    /// Method used.
    pub method: SquareMethod,
    /// Method tried before without a trustworthy answer.
    pub abandoned: Option<SquareMethod>,
    /// Growth of the elimination, where there was one.
    pub growth: Option<f64>,
    /// Steps of refinement that were kept.
    pub refinements: usize,
    /// Estimate of the largest relative error of a column in the maximum norm, the entries of `A` and `B` taken as exact: the
    /// last correction, with what its geometric series would add. Infinite where the corrections do not shrink.
    pub error_estimate: f64,
    /// Bound of the same error when every entry of `A` and `B` is only known to a relative 2^-53:
    /// `| |A^-1| (|r| + 2^-53 (|A| |x| + |b|)) | / |x|`, the norm estimated.
    pub error_bound: f64,
}

/// Errors of a square system.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SystemError {
    /// The matrix has no such factors.
    #[error(transparent)]
    Factors(#[from] FactorError),
    /// The solution is larger than any double.
    #[error("the solution is too large for a double")]
    Overflow,
    /// The matrix is singular to rounding, and what was found solves nothing.
    #[error(
        "`A` is singular to working precision (reciprocal condition {rcond:.1e}), and no `x` makes the residual small"
    )]
    NoSolution {
        /// The reciprocal condition number.
        rcond: f64,
    },
}

/// Below this reciprocal condition number a matrix may be exactly singular.
pub(crate) const RCOND_DOUBTFUL: f64 = 1.5e-8; // the square root of eps

/// The error of a matrix that is singular: exactly, or to rounding where the solution leaves a residual as large as `b`.
fn check_singular(a: &[f64], n: usize, found: &DenseSolution) -> Result<(), SystemError> {
    const RCOND_NONE: f64 = 4.0 * f64::EPSILON;
    const RESIDUAL_LARGE: f64 = 1e-2;
    // Not a number where the factors have no finite inverse.
    if found.rcond >= RCOND_DOUBTFUL {
        return Ok(());
    }
    if let Some(column) = dependent_column(a, n) {
        return Err(FactorError::Singular { column }.into());
    }
    if found.rcond >= RCOND_NONE || found.relative_error <= RESIDUAL_LARGE {
        return Ok(());
    }
    let rcond = found.rcond;
    Err(SystemError::NoSolution { rcond })
}

/// Solves the square system for `k` right-hand sides; `a` is n x n and `b` n x k, row by row.
///
/// # Method
/// Without a `method` the structure decides: triangular; banded where the band is narrow; Cholesky for a symmetric matrix with
/// positive diagonal, block diagonal pivoting where that fails or the diagonal has other signs; else LU with partial pivoting.
/// Elimination that grows by more than [`GROWTH_MAX`] or leaves a backward error above `BACKWARD_ERROR_MAX` gives way to
/// Householder QR. Rows and columns are scaled by powers of two when their sizes differ by more than 2^26 or come near the
/// range of a double. Up to `PRECISE_COLUMNS_MAX` columns are refined with residuals in doubled precision until the
/// corrections stop shrinking; more columns get one step in plain precision where it makes the residual smaller.
///
/// # Accuracy and cost
/// With refinement all digits while the condition is below about 1e15. 2/3 n^3 operations (Cholesky and block diagonal half of
/// that, QR four times as much), then O(n^2) for each column.
///
/// # Errors
/// [`SystemError`].
///
/// # References
/// N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, chapters 7, 9 to 12 and 15; J. Demmel and
/// others, "Error bounds from extra-precise iterative refinement", ACM TOMS 32, 2006.
pub fn solve_dense_system(
    a: &[f64],
    n: usize,
    b: &[f64],
    k: usize,
    method: Option<SquareMethod>,
) -> Result<DenseSolution, SystemError> {
    let found = if a.len() < SHARED_LEAST {
        solve_here(a, n, b, k, method)?
    } else {
        // Every pass is shared among the threads of the pool; the work starts in one of them, so that none waits for another to wake.
        thread_pools::run_in_pool(|| solve_here(a, n, b, k, method))?
    };
    check_singular(a, n, &found)?;
    Ok(found)
}

fn solve_here(
    a: &[f64],
    n: usize,
    b: &[f64],
    k: usize,
    method: Option<SquareMethod>,
) -> Result<DenseSolution, SystemError> {
    let structure = MatrixStructure::of(a, n);
    let chosen = method.unwrap_or_else(|| choose_method(structure, n));
    let first = solve_with(a, n, b, k, structure, chosen);
    let next = match (&first, chosen) {
        _ if method.is_some() => None,
        (
            Err(SystemError::Factors(FactorError::NotPositiveDefinite(_))),
            SquareMethod::Cholesky,
        ) => Some(SquareMethod::SymmetricIndefinite),
        (Ok(found), _) if is_untrusted(found) => Some(SquareMethod::Qr),
        (Err(SystemError::Overflow), SquareMethod::Lu | SquareMethod::SymmetricIndefinite) => {
            Some(SquareMethod::Qr)
        }
        _ => None,
    };
    let second = match next {
        Some(SquareMethod::SymmetricIndefinite) => {
            let scaling = Equilibration::of(a, n);
            // Levelling rows and columns apart loses the symmetry.
            let next = if scaling.used {
                SquareMethod::Lu
            } else {
                SquareMethod::SymmetricIndefinite
            };
            match solve_with(a, n, b, k, structure, next) {
                // Elimination names the column at fault.
                Err(SystemError::Factors(FactorError::SingularBlock)) => {
                    solve_with(a, n, b, k, structure, SquareMethod::Lu)
                }
                Ok(found) if is_untrusted(&found) => {
                    solve_with(a, n, b, k, structure, SquareMethod::Qr).map(|better| {
                        DenseSolution {
                            abandoned: Some(next),
                            ..better
                        }
                    })
                }
                other => other,
            }
        }
        Some(next) => solve_with(a, n, b, k, structure, next).map(|better| DenseSolution {
            abandoned: Some(chosen),
            ..better
        }),
        None => return first,
    };
    match (first, second) {
        (Ok(first), Err(_)) => Ok(first),
        (Ok(first), Ok(second)) if first.backward_error < second.backward_error / 10.0 => Ok(first),
        (_, second) => second,
    }
}

fn is_untrusted(found: &DenseSolution) -> bool {
    found.growth.is_some_and(|growth| growth > GROWTH_MAX)
        || found.backward_error > BACKWARD_ERROR_MAX
}

/// The method that the structure requires.
fn choose_method(structure: MatrixStructure, n: usize) -> SquareMethod {
    if structure.is_triangular() {
        SquareMethod::Triangular
    } else if structure.is_banded(n) {
        if structure.is_tridiagonal() {
            SquareMethod::Tridiagonal
        } else {
            SquareMethod::Banded
        }
    } else if structure.symmetric {
        // Where the diagonal has other signs, Cholesky says so at once.
        SquareMethod::Cholesky
    } else {
        SquareMethod::Lu
    }
}

fn solve_with(
    a: &[f64],
    n: usize,
    b: &[f64],
    k: usize,
    structure: MatrixStructure,
    method: SquareMethod,
) -> Result<DenseSolution, SystemError> {
    if method == SquareMethod::Cholesky && !structure.positive_diagonal {
        let index =
            (0..n).find(|&index| a[index * n + index].is_nan() || a[index * n + index] <= 0.0);
        let size = index.map_or(n, |index| index + 1);
        return Err(FactorError::NotPositiveDefinite(NotPositiveDefinite { size }).into());
    }
    let scaling = match method {
        SquareMethod::Cholesky | SquareMethod::SymmetricIndefinite
            if structure.positive_diagonal =>
        {
            Equilibration::symmetric(a, n)
        }
        SquareMethod::Cholesky | SquareMethod::SymmetricIndefinite => Equilibration::even(a, n),
        _ => Equilibration::of(a, n),
    };
    let matrix = scaling.apply(a);
    let factors = MatrixFactors::new(&matrix, n, structure, method)?;
    let rcond = reciprocal_condition(&factors, one_norm(&matrix, n));
    let (rhs, exponents) = scaled_columns(b, n, k, &scaling.rows);
    let mut x = rhs.clone();
    factors.solve(&mut x);
    if !all_finite(&x) {
        return Err(SystemError::Overflow);
    }
    let units = unknown_units(&scaling.columns);
    let refined = if k <= PRECISE_COLUMNS_MAX {
        refine_precisely(&factors, &matrix, &rhs, x, &units)
    } else {
        refine_once(&factors, &matrix, &rhs, x, &units)
    };
    let RefinedColumns {
        x,
        rest,
        refinements,
        error_estimate,
    } = refined;
    let error_bound = error_bound(&factors, &matrix, &rhs, &x, &rest, &units);
    let backward_error = backward_error(&matrix, n, &x, &rhs, &rest);
    let restored = |values: &Mat<f64>, shift: &dyn Fn(usize) -> i32| -> Vec<f64> {
        let mut out = Vec::with_capacity(n * k);
        for row in 0..n {
            let entry =
                |column| scale_by_exponent(values[(row, column)], exponents[column] + shift(row));
            out.extend((0..k).map(entry));
        }
        out
    };
    let solution = restored(&x, &|row| scaling.columns[row]);
    if solution.iter().any(|value| !value.is_finite()) {
        return Err(SystemError::Overflow);
    }
    let residual = euclidean_norm(&restored(&rest, &|row| -scaling.rows[row]));
    let norm = euclidean_norm(b);
    Ok(DenseSolution {
        x: solution,
        residual,
        relative_error: residual / if norm > 0.0 { norm } else { 1.0 },
        backward_error,
        rcond,
        equilibrated: scaling.used,
        method,
        abandoned: None,
        growth: factors.growth(&matrix),
        refinements,
        error_estimate,
        error_bound,
    })
}

/// The sizes of the unknowns relative to each other: powers of two, the largest 1.
pub(crate) fn unknown_units(columns: &[i32]) -> Vec<f64> {
    let most = columns.iter().copied().max().unwrap_or(0);
    let unit = |&exponent: &i32| scale_by_exponent(1.0, exponent - most);
    columns.iter().map(unit).collect()
}

/// The right-hand sides with their rows scaled and every column brought to size 1, and the exponents of the columns.
fn scaled_columns(b: &[f64], n: usize, k: usize, rows: &[i32]) -> (Mat<f64>, Vec<i32>) {
    let exponent = |column: usize| {
        let entries = (0..n).map(|row| (b[row * k + column], rows[row]));
        let sizes = entries.filter(|&(entry, _)| entry != 0.0);
        let sizes = sizes.map(|(entry, shift)| exponent_of(entry.abs()) + shift);
        sizes.max().unwrap_or(0)
    };
    let exponents: Vec<i32> = (0..k).map(exponent).collect();
    let rhs = Mat::from_fn(n, k, |row, column| {
        scale_by_exponent(b[row * k + column], rows[row] - exponents[column])
    });
    (rhs, exponents)
}

/// The largest column sum of magnitudes of an n x n matrix, row by row.
pub fn one_norm(a: &[f64], n: usize) -> f64 {
    let add = |sum: f64, _, entry: f64| sum + entry.abs();
    max_abs(&each_column(a, n, add, |a, b| a + b))
}

struct RefinedColumns {
    x: Mat<f64>,
    rest: Mat<f64>,
    refinements: usize,
    error_estimate: f64,
}

/// Refines each column on its own with residuals in doubled precision.
fn refine_precisely(
    factors: &MatrixFactors,
    a: &[f64],
    rhs: &Mat<f64>,
    mut x: Mat<f64>,
    units: &[f64],
) -> RefinedColumns {
    let n = x.nrows();
    let mut rest = Mat::zeros(n, x.ncols());
    let (mut refinements, mut error_estimate) = (0, 0.0_f64);
    let residual = |x: &[f64], b: &[f64]| -> Vec<f64> {
        each_row(a, n, |row, entries| residual_entry(entries, x, b[row]))
    };
    for column in 0..x.ncols() {
        let b = rhs.col_as_slice(column);
        let start = x.col_as_slice(column).to_vec();
        let refined = refine_solution(factors, residual, b, start, units);
        refinements = refinements.max(refined.refinements);
        error_estimate = error_estimate.max(refined.error_estimate);
        x.col_as_slice_mut(column).copy_from_slice(&refined.x);
        rest.col_as_slice_mut(column).copy_from_slice(&refined.rest);
    }
    RefinedColumns {
        x,
        rest,
        refinements,
        error_estimate,
    }
}

/// One step for all columns together, kept where it makes the residual smaller.
fn refine_once(
    factors: &MatrixFactors,
    a: &[f64],
    rhs: &Mat<f64>,
    mut x: Mat<f64>,
    units: &[f64],
) -> RefinedColumns {
    let (n, k) = x.shape();
    let residual = |x: &Mat<f64>| {
        let mut rest = rhs.clone();
        let image = matrix_product(MatRef::from_row_major_slice(a, n, n), x.as_ref());
        for column in 0..k {
            add_multiple(
                rest.col_as_slice_mut(column),
                -1.0,
                image.col_as_slice(column),
            );
        }
        rest
    };
    let mut rest = residual(&x);
    let mut correction = rest.clone();
    factors.solve(&mut correction);
    let mut error_estimate = 0.0_f64;
    for column in 0..k {
        let whole = size_in(units, x.col_as_slice(column));
        let size = size_in(units, correction.col_as_slice(column));
        error_estimate = error_estimate.max(series_error(size, size / whole, whole));
    }
    let mut refinements = 0;
    if all_finite(&correction) && backward_error(a, n, &x, rhs, &rest) > f64::EPSILON {
        let better = Mat::from_fn(n, k, |row, column| {
            x[(row, column)] + correction[(row, column)]
        });
        let new_rest = residual(&better);
        for column in 0..k {
            let size = |matrix: &Mat<f64>| max_abs(matrix.col_as_slice(column));
            if size(&new_rest) < size(&rest) {
                refinements = 1;
                for (to, from) in [(&mut x, &better), (&mut rest, &new_rest)] {
                    to.col_as_slice_mut(column)
                        .copy_from_slice(from.col_as_slice(column));
                }
            }
        }
    }
    RefinedColumns {
        x,
        rest,
        refinements,
        error_estimate,
    }
}

/// See [`DenseSolution::error_bound`]; for many columns `|A| |x|` is replaced by the row sums of `|A|` times the largest entry.
fn error_bound(
    factors: &MatrixFactors,
    a: &[f64],
    b: &Mat<f64>,
    x: &Mat<f64>,
    rest: &Mat<f64>,
    units: &[f64],
) -> f64 {
    const ROUNDOFF: f64 = f64::EPSILON / 2.0;
    let (n, k) = x.shape();
    let size = |column| size_in(units, x.col_as_slice(column));
    let sizes: Vec<f64> = (0..k).map(size).collect();
    let weights = each_row(a, n, |row, entries| {
        let sum = (k > PRECISE_COLUMNS_MAX).then(|| absolute_sum(entries));
        let weight = |column: usize| {
            let x = x.col_as_slice(column);
            let image = sum.map_or_else(|| absolute_dot(entries, x), |sum| sum * max_abs(x));
            let rest = rest[(row, column)].abs();
            (rest + ROUNDOFF * (image + b[(row, column)].abs())) / sizes[column]
        };
        let present = (0..k).filter(|&column| sizes[column] > 0.0);
        present.map(weight).fold(0.0, f64::max)
    });
    weighted_inverse_norm(factors, units, &weights)
}

fn backward_error(a: &[f64], n: usize, x: &Mat<f64>, b: &Mat<f64>, rest: &Mat<f64>) -> f64 {
    let sums = each_row(a, n, |_, entries| absolute_sum(entries));
    let a_norm = sums.into_iter().fold(0.0, f64::max);
    let of_column = |column| {
        let size = |matrix: &Mat<f64>| max_abs(matrix.col_as_slice(column));
        let scale = a_norm * size(x) + size(b);
        if scale > 0.0 { size(rest) / scale } else { 0.0 }
    };
    (0..b.ncols()).map(of_column).fold(0.0, f64::max)
}

fn all_finite(matrix: &Mat<f64>) -> bool {
    let finite = |column: &[f64]| column.iter().all(|value| value.is_finite());
    (0..matrix.ncols()).all(|column| finite(matrix.col_as_slice(column)))
}
