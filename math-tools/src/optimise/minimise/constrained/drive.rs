//! The methods under constraints: one, or several in turn, in units that suit the problem.

use tool_core::ToolError;

use super::look::look_down;
use super::{Found, Problem, State, cobyla, sqp};
use crate::linalg::dense::max_abs;
use crate::optimise::minimise::found::{Method, Reason};
use crate::optimise::minimise::scale::{Scale, Sizes};

/// Minimises with a method; the end is in the caller's units.
///
/// # Errors
/// Those of the problem; `invalid_args` at `/method` for one that does not fit.
pub(crate) fn minimise(
    problem: &mut Problem<'_>,
    method: Method,
    x0: &[f64],
    limits: (u64, f64),
) -> Result<Found, ToolError> {
    const ROUNDS_MAX: usize = 3;
    let mut scale = Scale::one(x0.len());
    let mut best = round(problem, method, x0, limits)?;
    for _ in 0..ROUNDS_MAX {
        let Some(next) = other_units(problem, x0, &best, limits.1)? else {
            break;
        };
        if next == scale {
            break;
        }
        scale = next;
        let inside = scale.inside(&best.at.x);
        problem.set_scale(scale.clone());
        let found = round(problem, method, &inside, limits);
        let found = outside(problem, found?)?;
        let iterations = best.iterations + found.iterations;
        let lower = best.at.value - found.at.value > limits.1 * scale.value;
        if !best.converged || found.converged || lower {
            best = found;
        }
        best.iterations = iterations;
    }
    Ok(best)
}

/// The same end in the caller's units.
fn outside(problem: &mut Problem<'_>, found: Found) -> Result<Found, ToolError> {
    let x = problem.scale.outside(&found.at.x);
    problem.set_scale(Scale::one(x.len()));
    let values = problem.values(&x)?;
    let at = problem.state(x, values)?;
    let evidence = problem.evidence(&at)?;
    let known = found.lowest_curvature.is_some();
    let lowest_curvature = match known {
        true => look_down(problem, &at, &evidence, None)?.lowest,
        false => None,
    };
    Ok(Found {
        at,
        evidence,
        lowest_curvature,
        ..found
    })
}

/// The units in which an end is not one, or in which a search that failed may do better.
fn other_units(
    problem: &mut Problem<'_>,
    x0: &[f64],
    found: &Found,
    tolerance: f64,
) -> Result<Option<Scale>, ToolError> {
    if matches!(found.reason, Reason::MaxIter | Reason::NegativeCurvature) {
        return Ok(None);
    }
    let (at, evidence) = (&found.at, &found.evidence);
    let rounding = problem.gradient_noise(at).max(f64::EPSILON * max_abs(&at.gradient));
    if found.converged && evidence.residual <= rounding {
        return Ok(None);
    }
    let hessian = problem.hessian(&at.x, &evidence.multipliers)?;
    let diagonal = |hessian: faer::Mat<f64>| (0..at.x.len()).map(|i| hessian[(i, i)]).collect();
    let start = problem.objective(x0)?;
    let drop = if start.is_finite() { (start - at.value).abs() } else { 0.0 };
    let scale = Scale::of(&Sizes {
        x: &at.x,
        gradient: &at.gradient,
        bends: hessian.map(diagonal),
        drop,
    });
    if scale.is_one() || !found.converged {
        return Ok(Some(scale));
    }
    problem.set_scale(scale.clone());
    let x = scale.inside(&at.x);
    let state = State {
        value: at.value / scale.value,
        gradient: scale.gradient(&at.gradient),
        jacobian: problem.jacobian(&x)?,
        c: at.c.clone(),
        x,
    };
    let small = tolerance + problem.gradient_noise(&state);
    let passes = problem.evidence(&state)?.relative <= small;
    problem.set_scale(Scale::one(at.x.len()));
    Ok((!passes).then_some(scale))
}

fn round(
    problem: &mut Problem<'_>,
    method: Method,
    x0: &[f64],
    (max_iter, tolerance): (u64, f64),
) -> Result<Found, ToolError> {
    match method {
        Method::Sqp => sqp::minimise(problem, x0, max_iter, tolerance),
        Method::Cobyla => {
            let (most, n) = (cobyla::COORDINATES_MAX, x0.len());
            if n > most {
                let message = format!("`cobyla` takes at most {most} variables, found {n}");
                return Err(ToolError::invalid("/method", message).hint("use `sqp`"));
            }
            cobyla::minimise(problem, x0, max_iter, tolerance)
        }
        Method::Auto => in_turn(problem, x0, max_iter, tolerance),
        Method::Gradient | Method::Newton | Method::NelderMead => {
            refuse!(invalid "/method"; "this method takes no constraints"; "use `auto`, `sqp` or `cobyla`")
        }
    }
}

/// Sequential quadratic programming; where it does not converge, linear models without derivatives from its end, or from the start where
/// it took a kink or a step for a contradiction.
fn in_turn(
    problem: &mut Problem<'_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<Found, ToolError> {
    let few = x0.len() <= cobyla::COORDINATES_MAX;
    let first = match sqp::minimise(problem, x0, max_iter, tolerance) {
        Ok(first) => first,
        Err(error) => {
            let may_err = error.reason_str() == Some("infeasible") && !problem.is_smooth();
            if !may_err || !few {
                return Err(error);
            }
            return match cobyla::minimise(problem, x0, max_iter, tolerance) {
                Ok(found) if found.evidence.violation <= tolerance => Ok(found),
                _ => Err(error),
            };
        }
    };
    if first.converged || !few {
        return Ok(first);
    }
    let mut second = cobyla::minimise(problem, &first.at.x, max_iter, tolerance)?;
    let feasible = second.evidence.violation <= first.evidence.violation.max(tolerance);
    // A kink is where this method ends converged; elsewhere it has to be lower.
    let lower = second.at.value < first.at.value || first.evidence.violation > tolerance;
    let better = feasible && second.converged && (lower || !problem.is_smooth());
    second.iterations += first.iterations;
    Ok(if better { second } else { first })
}
