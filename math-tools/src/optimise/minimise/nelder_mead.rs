//! The downhill simplex of Nelder and Mead, with restarts until a fresh simplex finds nothing lower.
//!
//! The moves are those of the crate `argmin`. It ends when the values on the simplex agree, says nothing of its size, panics when
//! the first evaluations fail and mistakes NaN for a defect; so values are made finite, errors are latched, and convergence is
//! tested here, in x and in f.

use std::cell::{Cell, RefCell};

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;
use tool_core::ToolError;

use super::curvature::{self, lower_point};
use super::lbfgs::Point;
use super::target::Target;
use super::{Found, Reason};

/// The cost of an iteration grows with the square of the number of coordinates.
pub(crate) const COORDINATES_MAX: usize = 200;

/// Minimises from a start point.
///
/// # Method
/// Runs of the simplex method, each from a fresh simplex around the best point: 0.05 max(1, |x|) along each axis at first, a
/// tenth of that later. A run ends when the values on the simplex differ by rounding only, or after 1000 (n + 1) iterations.
/// Converged when a run moves no coordinate by more than `tolerance max(1, |x|)` and lowers the value by no more than
/// `tolerance max(1, |f|)`; in x the tolerance is at least 6e-8, since near a minimum values resolve no less. Where second derivatives
/// are known, a point below along the direction of lowest curvature starts a further run.
///
/// # Accuracy and cost
/// One or two evaluations per iteration; slow beyond ten coordinates.
///
/// # Errors
/// Those of the target.
///
/// # References
/// J. A. Nelder, R. Mead, "A simplex method for function minimization", Computer Journal 7, 1965; C. T. Kelley, "Detection and
/// remediation of stagnation in the Nelder-Mead algorithm", SIAM J. Optim. 10, 1999 (restarts).
pub(crate) fn minimise(
    target: &mut Target<'_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<Found, ToolError> {
    const FIRST_SIZE: f64 = 0.05;
    const LATER_SIZE: f64 = 0.005;
    const X_TOLERANCE_MIN: f64 = 6e-8; // 4 sqrt(eps)
    let run_max = 1000 * (x0.len() as u64 + 1);
    let mut x = x0.to_vec();
    let mut value = target.value(&x)?;
    let (mut iterations, mut size) = (0, FIRST_SIZE);
    loop {
        let left = run_max.min(max_iter - iterations);
        let (next, next_value, used) = run(target, (&x, value), size, left)?;
        iterations += used.max(1);
        let moves = next.iter().zip(&x);
        let moves = moves.map(|(next, x)| (next - x).abs() / x.abs().max(1.0));
        let moved = moves.fold(0.0, f64::max);
        let lowered = (value - next_value) / value.abs().max(1.0);
        let converged = moved <= tolerance.max(X_TOLERANCE_MIN) && lowered <= tolerance;
        if next_value <= value {
            (x, value) = (next, next_value);
        }
        if converged
            && iterations < max_iter
            && let Some(curvature) = curvature::lowest(target, &x)?
            && let Some(lower) = lower_point(target, (&x, value), &curvature)?
        {
            value = target.value(&lower)?;
            (x, size) = (lower, FIRST_SIZE);
            continue;
        }
        if converged || iterations >= max_iter {
            let gradient = target.gradient(&x, value)?;
            let reasons = [Reason::MaxIter, Reason::Simplex];
            let at = Point { x, value, gradient };
            return Ok(at.found(iterations, converged, reasons[usize::from(converged)]));
        }
        size = LATER_SIZE;
    }
}

/// One run of the simplex: the best point, its value and the iterations used.
fn run(
    target: &mut Target<'_>,
    (x, value): (&[f64], f64),
    size: f64,
    max_iter: u64,
) -> Result<(Vec<f64>, f64, u64), ToolError> {
    let mut simplex = vec![x.to_vec()];
    for index in 0..x.len() {
        let mut vertex = x.to_vec();
        vertex[index] += size * x[index].abs().max(1.0);
        simplex.push(vertex);
    }
    let problem = Watched {
        vertices_left: Cell::new(simplex.len()),
        target: RefCell::new(target),
        error: RefCell::new(None),
    };
    let outcome = NelderMead::new(simplex)
        .with_sd_tolerance(f64::EPSILON * value.abs() + f64::MIN_POSITIVE)
        .and_then(|solver| {
            Executor::new(problem, solver)
                .configure(|state| state.max_iters(max_iter))
                .timer(false)
                .run()
        });
    let unexpected = |words: &dyn std::fmt::Display| {
        let message = format!("the simplex method failed: {words}");
        ToolError::new(tool_core::ErrorCode::Internal, message)
    };
    let mut result = outcome.map_err(|err| match err.downcast::<ToolError>() {
        Ok(error) => error,
        Err(err) => unexpected(&err),
    })?;
    let problem = result.problem.problem.as_mut();
    if let Some(error) = problem.and_then(|problem| problem.error.take()) {
        return Err(error);
    }
    let state = result.state;
    match state.get_best_param() {
        Some(best) => Ok((best.clone(), state.get_best_cost(), state.get_iter())),
        None => Err(unexpected(&"no point")),
    }
}

/// The target as the crate sees it.
struct Watched<'r, 'a> {
    target: RefCell<&'r mut Target<'a>>,
    /// Vertices of the first simplex still to be evaluated: an error there would be a panic.
    vertices_left: Cell<usize>,
    error: RefCell<Option<ToolError>>,
}

impl CostFunction for Watched<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let left = self.vertices_left.get();
        let starting = left > 0;
        self.vertices_left.set(left.saturating_sub(1));
        let latched = self.error.take();
        match latched.map_or_else(|| self.target.borrow_mut().value(x), Err) {
            Ok(value) => Ok(value.min(f64::MAX)),
            Err(error) if starting => {
                *self.error.borrow_mut() = Some(error);
                Ok(f64::MAX)
            }
            Err(error) => Err(error.into()),
        }
    }
}
