//! Linear least squares: orthogonal factors refined to full precision, equality constraints, and minimum norm for any rank.

mod design;
mod minimum_norm;
mod saddle;

pub(super) use saddle::matrix_vector_product;

pub use design::DesignMatrix;
pub use minimum_norm::{MinimumNorm, minimum_norm, rank_tolerance};

use faer::Mat;

use self::saddle::SaddleFactors;
use super::{SpectralConvergenceError, add_multiple, euclidean_norm, max_abs, scale_by_exponent};
use crate::exact::CompensatedSum;

/// Errors of a least squares problem.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LeastSquaresError {
    /// The columns depend on each other; `rank` of them do not.
    #[error("the columns are linearly dependent: rank {rank} of {columns}")]
    RankDeficient {
        /// Numerical rank.
        rank: usize,
        /// Number of columns, less the constraints.
        columns: usize,
    },
    /// The constraints depend on each other.
    #[error("the constraints are linearly dependent: rank {rank} of {rows}")]
    ConstraintsDependent {
        /// Numerical rank.
        rank: usize,
        /// Number of constraints.
        rows: usize,
    },
    /// The solution is larger than any double.
    #[error("the solution is too large for a double")]
    Overflow,
    /// The singular values did not converge.
    #[error(transparent)]
    NoConvergence(#[from] SpectralConvergenceError),
}

/// Conditions `C x = d` that the solution must meet exactly.
#[derive(Debug, Clone, Copy)]
pub struct EqualityConstraints<'a> {
    /// p x n, row by row.
    pub c: &'a [f64],
    /// p x k, row by row: one column per right-hand side.
    pub d: &'a [f64],
    /// p, from 1 to n.
    pub rows: usize,
}

/// A fit of full rank and its evidence, for k right-hand sides.
#[derive(Debug, Clone)]
pub struct LeastSquaresFit {
    /// n x k, row by row.
    pub x: Vec<f64>,
    /// `|b - A x|` of each right-hand side, weights included.
    pub residual_norms: Vec<f64>,
    /// `b - A x` of the first right-hand side, weights included.
    pub residuals: Vec<f64>,
    /// Smallest over largest diagonal entry of the triangular factor of the scaled columns, a cheap stand-in for the reciprocal
    /// condition; it is at most about n times too large on all but constructed matrices.
    pub rcond: f64,
    /// `(A' A)^-1`, or its restriction to what the constraints leave free; n x n, row by row.
    pub unscaled_covariance: Option<Vec<f64>>,
    /// Steps of refinement.
    pub refinements: usize,
    /// Estimate of the largest relative error of a right-hand side's solution in the norm of the scaled columns.
    pub error_estimate: f64,
    /// Largest `|A_j' r| / (|A_j| |r|)` over the columns: how far the residual is from orthogonal, without constraints.
    pub optimality: f64,
}

/// Solves `min |b - A x|` subject to `C x = d` for a matrix of full column rank.
///
/// `b` is m x k, row by row: `high` and what lies below its last bit, `low`, when that is known.
///
/// # Method
/// Columns are scaled to length about 1 by powers of two. The constraints are eliminated with an orthonormal basis of their null
/// space; the rest is factored by Householder QR with column exchanges. Björck's iteration refines solution and residual
/// together, with residuals of the augmented system in doubled precision, until the corrections stop shrinking.
///
/// # Accuracy and cost
/// All digits while the condition of the scaled columns is below about 1e15. 2 m n^2 operations for the factors, about 100 m n
/// for each step of refinement and right-hand side; the covariance costs n such steps twice.
///
/// # Errors
/// [`LeastSquaresError::RankDeficient`] when a diagonal entry of R is at most `tolerance` times the largest.
///
/// # References
/// Å. Björck, "Iterative refinement of linear least squares solutions", BIT 7, 1967; Å. Björck, "Numerical Methods for Least
/// Squares Problems", SIAM 1996, sections 2.9 and 5.1; A. J. Cox, N. J. Higham, "Stability of Householder QR factorization for
/// weighted least squares problems", 1998 (rows are sorted by size).
pub fn fit_least_squares(
    design: &DesignMatrix,
    (high, low): (&[f64], Option<&[f64]>),
    k: usize,
    constraints: Option<EqualityConstraints<'_>>,
    tolerance: f64,
    covariance: bool,
) -> Result<LeastSquaresFit, LeastSquaresError> {
    const ROUNDS_MAX: usize = 10;
    let (m, n) = (design.rows, design.columns);
    let (scaled_design, exponents) = design.scaled();
    let conditions = constraints.map(|given| scaled_conditions(given, n, &exponents));
    let matrix = conditions.as_ref().map(|(c, _)| c);
    let saddle = SaddleFactors::new(&scaled_design, matrix, tolerance)?;
    let p = matrix.map_or(0, Mat::nrows);

    let mut out = LeastSquaresFit {
        x: vec![0.0; n * k],
        residual_norms: Vec::with_capacity(k),
        residuals: Vec::new(),
        rcond: saddle.rcond(),
        unscaled_covariance: None,
        refinements: 0,
        error_estimate: 0.0,
        optimality: 0.0,
    };
    for side in 0..k {
        let column: Vec<f64> = (0..m).map(|row| high[row * k + side]).collect();
        let shift = super::exponent_of(max_abs(&column));
        let b: Vec<CompensatedSum> = (0..m)
            .map(|row| CompensatedSum {
                high: scale_by_exponent(column[row], -shift),
                low: low.map_or(0.0, |low| scale_by_exponent(low[row * k + side], -shift)),
            })
            .collect();
        let d: Vec<f64> = match (&constraints, &conditions) {
            (Some(given), Some((_, shifts))) => (0..p)
                .map(|row| scale_by_exponent(given.d[row * k + side], shifts[row] - shift))
                .collect(),
            _ => Vec::new(),
        };
        let g = vec![0.0; n];
        let target = AugmentedRhs { b, g, d };
        let refined = refine_augmented(&scaled_design, matrix, &saddle, &target, ROUNDS_MAX);
        out.refinements = out.refinements.max(refined.rounds);
        out.error_estimate = out.error_estimate.max(refined.error_estimate);
        for (index, &value) in refined.x.iter().enumerate() {
            let value = scale_by_exponent(value, exponents[index] + shift);
            if !value.is_finite() {
                return Err(LeastSquaresError::Overflow);
            }
            out.x[index * k + side] = value;
        }
        let rest = scaled_design.residual(&target.b, &refined.x);
        let norm = euclidean_norm(&rest);
        out.optimality = out.optimality.max(scaled_design.optimality(&rest, norm));
        out.residual_norms.push(scale_by_exponent(norm, shift));
        if side == 0 {
            out.residuals = rest
                .iter()
                .map(|&value| scale_by_exponent(value, shift))
                .collect();
        }
    }
    if covariance {
        let mut inverse = vec![0.0; n * n];
        for column in 0..n {
            let mut g = vec![0.0; n];
            // r + A x = 0 and A' r = -e give x = (A' A)^-1 e.
            g[column] = -1.0;
            let target = AugmentedRhs {
                b: vec![CompensatedSum::default(); m],
                g,
                d: vec![0.0; p],
            };
            let solved = refine_augmented(&scaled_design, matrix, &saddle, &target, 2);
            for (row, &value) in solved.x.iter().enumerate() {
                inverse[row * n + column] =
                    scale_by_exponent(value, exponents[row] + exponents[column]);
            }
        }
        out.unscaled_covariance = Some(inverse);
    }
    Ok(out)
}

/// Constraints for the scaled unknowns, each row brought to size 1, with the exponents of the rows.
fn scaled_conditions(
    given: EqualityConstraints<'_>,
    n: usize,
    exponents: &[i32],
) -> (Mat<f64>, Vec<i32>) {
    let mut matrix = Mat::from_fn(given.rows, n, |row, column| {
        scale_by_exponent(given.c[row * n + column], exponents[column])
    });
    let shifts: Vec<i32> = (0..given.rows)
        .map(|row| {
            let sizes = (0..n).map(|column| matrix[(row, column)].abs());
            -super::exponent_of(sizes.fold(0.0, f64::max))
        })
        .collect();
    for (row, &shift) in shifts.iter().enumerate() {
        (0..n).for_each(|column| {
            matrix[(row, column)] = scale_by_exponent(matrix[(row, column)], shift)
        });
    }
    (matrix, shifts)
}

/// Right-hand side of `r + A x = b`, `A' r + C' y = g`, `C x = d`.
struct AugmentedRhs {
    b: Vec<CompensatedSum>,
    g: Vec<f64>,
    d: Vec<f64>,
}

struct RefinedFit {
    x: Vec<f64>,
    rounds: usize,
    error_estimate: f64,
}

fn refine_augmented(
    design: &DesignMatrix,
    conditions: Option<&Mat<f64>>,
    saddle: &SaddleFactors,
    target: &AugmentedRhs,
    rounds_max: usize,
) -> RefinedFit {
    let (m, n) = (design.rows, design.columns);
    let mut x = vec![0.0; n];
    let mut rest = vec![0.0; m];
    let mut multipliers = vec![0.0; target.d.len()];
    let (mut last, mut ratio, mut rounds) = (f64::INFINITY, 0.0, 0);
    // Starting from zero, the first step is the plain solution and the others refine it.
    for round in 0..=rounds_max {
        let f = design.augmented_residual(&target.b, &rest, &x);
        let (g, h) = dual_residuals(design, conditions, target, &rest, &x, &multipliers);
        let (step_rest, step, step_multipliers) = saddle.solve(f, &g, &h);
        let size = max_abs(&step);
        if !size.is_finite() {
            break;
        }
        if round > 0 && size >= last {
            // Corrections of the size of the rounding cannot shrink.
            let rounding = last <= f64::EPSILON * max_abs(&x);
            ratio = if rounding { 0.0 } else { size / last };
            break;
        }
        ratio = if round > 1 { size / last } else { 0.0 };
        rounds = round;
        last = size;
        add_multiple(&mut x, 1.0, &step);
        add_multiple(&mut rest, 1.0, &step_rest);
        add_multiple(&mut multipliers, 1.0, &step_multipliers);
        // A correction at the rounding of the result is the last that can matter.
        if round > 0 && size <= f64::EPSILON / 4.0 * max_abs(&x) {
            break;
        }
    }
    let whole = max_abs(&x);
    let error_estimate = if whole == 0.0 {
        0.0
    } else if ratio >= 1.0 {
        f64::INFINITY
    } else {
        last * ratio / (1.0 - ratio) / whole + f64::EPSILON
    };
    RefinedFit {
        x,
        rounds,
        error_estimate,
    }
}

/// `g - A' r - C' y` and `d - C x` in doubled precision.
fn dual_residuals(
    design: &DesignMatrix,
    conditions: Option<&Mat<f64>>,
    target: &AugmentedRhs,
    rest: &[f64],
    x: &[f64],
    multipliers: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let of_column = |column: usize| {
        let mut sum = CompensatedSum::new(target.g[column]);
        design.subtract_inner(&mut sum, column, rest);
        if let Some(c) = conditions {
            for (row, &y) in multipliers.iter().enumerate() {
                sum.add_product(-c[(row, column)], y);
            }
        }
        sum.value()
    };
    let of_row = |c: &Mat<f64>, row: usize| {
        let mut sum = CompensatedSum::new(target.d[row]);
        for (column, &x) in x.iter().enumerate() {
            sum.add_product(-c[(row, column)], x);
        }
        sum.value()
    };
    let g = (0..design.columns).map(of_column).collect();
    let h = conditions.map(|c| (0..c.nrows()).map(|row| of_row(c, row)).collect());
    (g, h.unwrap_or_default())
}
