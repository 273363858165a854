//! Iterative refinement of one right-hand side, regardless of the factors.

use super::condition::LinearOperator;
use super::{add_multiple, max_abs};

/// A refined solution and what its corrections say.
#[derive(Debug, Clone)]
pub struct RefinedSolution {
    /// The solution.
    pub x: Vec<f64>,
    /// `b - A x`.
    pub rest: Vec<f64>,
    /// Corrections that were kept.
    pub refinements: usize,
    /// Estimate of the relative error in the maximum norm, entries in their units; infinite where the corrections do not shrink.
    pub error_estimate: f64,
}

/// Adds corrections until they stop shrinking; `residual(x, b)` is `b - A x` in doubled precision, `inverse` applies `A^-1`.
///
/// # References
/// J. Demmel and others, "Error bounds from extra-precise iterative refinement", ACM TOMS 32, 2006.
pub fn refine_solution(
    inverse: &(impl LinearOperator + ?Sized),
    residual: impl Fn(&[f64], &[f64]) -> Vec<f64>,
    b: &[f64],
    x: Vec<f64>,
    units: &[f64],
) -> RefinedSolution {
    const ROUNDS_MAX: usize = 10;
    let mut refinements = 0;
    let mut current = x;
    let mut current_rest = residual(&current, b);
    let mut correction = current_rest.clone();
    inverse.apply(&mut correction);
    let mut size = size_in(units, &correction);
    let mut ratio = size / size_in(units, &current);
    for round in 1..=ROUNDS_MAX {
        if max_abs(&current_rest) == 0.0 || !size.is_finite() {
            break;
        }
        let mut next = current.clone();
        add_multiple(&mut next, 1.0, &correction);
        let next_rest = residual(&next, b);
        let mut next_correction = next_rest.clone();
        inverse.apply(&mut next_correction);
        let next_size = size_in(units, &next_correction);
        // A correction that does not shrink still may mend the residual of a matrix that is singular to working precision.
        let better = next_size < size || max_abs(&next_rest) < max_abs(&current_rest);
        if !better || !next_size.is_finite() {
            // Corrections of the size of the rounding cannot shrink.
            let rounding = size <= f64::EPSILON * size_in(units, &current);
            ratio = if rounding { 0.0 } else { next_size / size };
            break;
        }
        ratio = next_size / size;
        refinements = refinements.max(round);
        (current, current_rest, correction, size) = (next, next_rest, next_correction, next_size);
        let whole = size_in(units, &current);
        if size <= f64::EPSILON * whole {
            ratio = 0.0;
            break;
        }
        if ratio > 0.5 {
            break;
        }
    }
    let error_estimate = if max_abs(&current_rest) == 0.0 {
        0.0
    } else {
        series_error(size, ratio, size_in(units, &current))
    };
    RefinedSolution {
        x: current,
        rest: current_rest,
        refinements,
        error_estimate,
    }
}

/// Error estimate from the corrections: the last one, its geometric series, and the rounding of the result.
pub(crate) fn series_error(correction: f64, ratio: f64, size: f64) -> f64 {
    if size == 0.0 {
        return 0.0;
    }
    if ratio >= 1.0 || correction.is_nan() {
        return f64::INFINITY;
    }
    correction / size / (1.0 - ratio) + f64::EPSILON
}

/// Largest magnitude, each entry in its unit.
pub(crate) fn size_in(units: &[f64], x: &[f64]) -> f64 {
    let pairs = x.iter().zip(units);
    pairs.fold(0.0, |most, (x, unit)| (x * unit).abs().max(most))
}
