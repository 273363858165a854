//! The downhill simplex of Nelder and Mead, with restarts until a fresh simplex finds nothing lower.
//!
//! The moves are those of the crate `argmin`. It ends when the values on the simplex agree, says nothing of its size, panics when
//! the first evaluations fail and mistakes NaN for a defect; so values are made finite, errors are latched, and convergence is
//! tested here, in x and in f.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;
use tool_core::ToolError;

use super::curvature::{self, lower_point};
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
        let (next, next_value, used) = run(
            target,
            (&x, value),
            size,
            run_max.min(max_iter - iterations),
        )?;
        iterations += used.max(1);
        let moved = next
            .iter()
            .zip(&x)
            .map(|(next, x)| (next - x).abs() / x.abs().max(1.0))
            .fold(0.0, f64::max);
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
            return Ok(Found {
                gradient_norm: crate::linalg::dense::max_abs(&gradient),
                x,
                value,
                iterations,
                converged,
                lowest_curvature: None,
                reason: if converged {
                    Reason::Simplex
                } else {
                    Reason::MaxIter
                },
            });
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
        vertices_left: RefCell::new(simplex.len()),
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
        ToolError::new(
            tool_core::ErrorCode::Internal,
            format_args!("the simplex method failed: {words}"),
        )
    };
    let mut result = outcome.map_err(|err| match err.downcast::<ToolError>() {
        Ok(error) => error,
        Err(err) => unexpected(&err),
    })?;
    if let Some(error) = result
        .problem
        .problem
        .as_mut()
        .and_then(|problem| problem.error.take())
    {
        return Err(error);
    }
    let state = result.state;
    let best = state
        .get_best_param()
        .ok_or_else(|| unexpected(&"no point"))?
        .clone();
    Ok((best, state.get_best_cost(), state.get_iter()))
}

/// The target as the crate sees it.
struct Watched<'r, 'a> {
    target: RefCell<&'r mut Target<'a>>,
    /// Vertices of the first simplex still to be evaluated: an error there would be a panic.
    vertices_left: RefCell<usize>,
    error: RefCell<Option<ToolError>>,
}

impl CostFunction for Watched<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let starting = {
            let mut left = self.vertices_left.borrow_mut();
            let starting = *left > 0;
            *left = left.saturating_sub(1);
            starting
        };
        if let Some(error) = self.error.borrow().clone() {
            return if starting {
                Ok(f64::MAX)
            } else {
                Err(error.into())
            };
        }
        match self.target.borrow_mut().value(x) {
            Ok(value) => Ok(value.min(f64::MAX)),
            Err(error) if starting => {
                *self.error.borrow_mut() = Some(error);
                Ok(f64::MAX)
            }
            Err(error) => Err(error.into()),
        }
    }
}
