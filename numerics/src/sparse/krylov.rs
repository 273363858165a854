//! The outer loop of the iterative methods, on the true residual.

use super::precondition::Preconditioner;
use super::{CsrMatrix, KrylovConvergenceError, SparseError};
use crate::dense::{add_multiple, euclidean_norm};
use crate::watch::Watch;

/// When an iteration ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoppingCriterion {
    /// `|b - A x| / |b|`.
    pub tolerance: f64,
    /// Products with the matrix.
    pub iterations_max: usize,
}

/// A solution by iteration.
#[derive(Debug, Clone)]
pub(super) struct KrylovSolution {
    pub x: Vec<f64>,
    /// `b - A x`, in doubled precision.
    pub rest: Vec<f64>,
    pub iterations: usize,
}

/// One run of an inner iteration: a correction, and the iterations it took.
pub(super) struct KrylovRun {
    pub correction: Vec<f64>,
    pub iterations: usize,
}

/// The operands of an inner iteration.
pub(super) struct KrylovProblem<'a> {
    pub a: &'a CsrMatrix,
    pub preconditioner: &'a mut dyn Preconditioner,
    pub watch: &'a dyn Watch,
}

/// Adds corrections until the true residual, computed in doubled precision, is within the tolerance.
///
/// `inner(problem, rest, level, iterations_left)` solves `A d = rest` approximately, down to a residual of `level` if it can. An
/// inner residual that is updated rather than computed drifts from the true one; this loop continues from the true one. A run that
/// leaves more than the share `rest_max` of the residual ends the loop.
pub(super) fn iterate_corrections(
    problem: &mut KrylovProblem<'_>,
    b: &[f64],
    target: StoppingCriterion,
    rest_max: f64,
    mut inner: impl FnMut(&mut KrylovProblem<'_>, &[f64], f64, usize) -> Result<KrylovRun, SparseError>,
) -> Result<KrylovSolution, SparseError> {
    let mut found = KrylovSolution {
        x: vec![0.0; b.len()],
        rest: b.to_vec(),
        iterations: 0,
    };
    let whole = euclidean_norm(b);
    let level = target.tolerance * whole;
    let mut size = whole;
    while size > level {
        let left = target.iterations_max - found.iterations;
        if left == 0 {
            return Err(no_convergence(found, size / whole, target, false));
        }
        // Below the rounding of its start an updated residual says nothing.
        let run = inner(problem, &found.rest, level.max(f64::EPSILON * size), left)?;
        found.iterations += run.iterations;
        let mut next = found.x.clone();
        add_multiple(&mut next, 1.0, &run.correction);
        let rest = problem.a.precise_residual(&next, b);
        let next_size = euclidean_norm(&rest);
        let rests = next_size > level && (next_size.is_nan() || next_size > rest_max * size);
        if next_size < size {
            (found.x, found.rest, size) = (next, rest, next_size);
        }
        if rests && run.iterations < left {
            return Err(no_convergence(found, size / whole, target, true));
        }
    }
    Ok(found)
}

fn no_convergence(
    found: KrylovSolution,
    residual: f64,
    target: StoppingCriterion,
    stagnated: bool,
) -> SparseError {
    SparseError::NoConvergence(Box::new(KrylovConvergenceError {
        x: found.x,
        residual,
        tolerance: target.tolerance,
        iterations: found.iterations,
        stagnated,
    }))
}
