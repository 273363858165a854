//! The methods under constraints: one, or several in turn, in units that suit the problem.

use crate::optimise::error::{MethodMismatch, OptimiseError};

use super::kkt::DEPENDENT;
use super::second_order::look_down;
use super::{
    ConstrainedPoint, ConstrainedProblem, ConstrainedResult, VARIABLES_MAX, augmented, cobyla, sqp,
};
use crate::dense::max_abs;
use crate::optimise::minimise::result::{MinimiseEnd, MinimiseMethod};
use crate::optimise::minimise::scale::{ProblemScale, ScaleEvidence};

/// Minimises with a method; the end is in the caller's units.
///
/// # Errors
/// Those of the problem; [`OptimiseError::Unsuitable`] for a method that does not fit.
pub(crate) fn minimise_constrained(
    problem: &mut ConstrainedProblem<'_>,
    method: MinimiseMethod,
    x0: &[f64],
    limits: (u64, f64),
) -> Result<ConstrainedResult, OptimiseError> {
    const ROUNDS_MAX: usize = 3;
    let mut scale = ProblemScale::one(x0.len());
    let mut best = run_round(problem, method, x0, limits)?;
    for _ in 0..ROUNDS_MAX {
        let Some(next) = other_units(problem, x0, &mut best, limits.1)? else {
            break;
        };
        if next == scale {
            break;
        }
        scale = next;
        let inside = scale.inside(&best.at.x);
        problem.set_scale(scale.clone());
        let found = run_round(problem, method, &inside, limits);
        let found = restore_units(problem, found?)?;
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
fn restore_units(
    problem: &mut ConstrainedProblem<'_>,
    found: ConstrainedResult,
) -> Result<ConstrainedResult, OptimiseError> {
    let x = problem.scale.outside(&found.at.x);
    // In the caller's units bounds that are not active may look so.
    let has_unique_multipliers = Some(problem.has_unique_multipliers(&found.at, DEPENDENT));
    problem.set_scale(ProblemScale::one(x.len()));
    let values = problem.values(&x)?;
    let at = problem.state(x, values)?;
    let evidence = problem.evidence(&at)?;
    let known = found.lowest_curvature.is_some();
    let lowest_curvature = match known {
        true => look_down(problem, &at, &evidence, None)?.lowest,
        false => None,
    };
    Ok(ConstrainedResult {
        at,
        evidence,
        lowest_curvature,
        has_unique_multipliers,
        ..found
    })
}

/// The units in which an end is not one, or in which a search that failed may do better.
fn other_units(
    problem: &mut ConstrainedProblem<'_>,
    x0: &[f64],
    found: &mut ConstrainedResult,
    tolerance: f64,
) -> Result<Option<ProblemScale>, OptimiseError> {
    // Linear models in units that do not suit them may take any number of iterations.
    let models = found.method == MinimiseMethod::Cobyla;
    if found.reason == MinimiseEnd::NegativeCurvature
        || found.reason == MinimiseEnd::MaxIter && !models
    {
        return Ok(None);
    }
    let (at, evidence) = (&found.at, &found.evidence);
    let rounding = problem
        .gradient_noise(at)
        .max(f64::EPSILON * max_abs(&at.gradient));
    if found.converged && evidence.residual <= rounding {
        return Ok(None);
    }
    let hessian = match problem.is_small() {
        true => problem.hessian(&at.x, &evidence.multipliers)?,
        false => return Ok(None),
    };
    let diagonal = |hessian: faer::Mat<f64>| (0..at.x.len()).map(|i| hessian[(i, i)]).collect();
    let start = problem.objective(x0)?;
    let drop = if start.is_finite() {
        (start - at.value).abs()
    } else {
        0.0
    };
    let scale = ProblemScale::of(&ScaleEvidence {
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
    let state = ConstrainedPoint {
        value: at.value / scale.value,
        gradient: scale.gradient(&at.gradient),
        jacobian: problem.jacobian(&x)?,
        c: at.c.clone(),
        x,
    };
    let small = tolerance + problem.gradient_noise(&state);
    let passes = problem.evidence(&state)?.relative <= small;
    found.has_unique_multipliers = Some(problem.has_unique_multipliers(&state, DEPENDENT));
    problem.set_scale(ProblemScale::one(at.x.len()));
    Ok((!passes).then_some(scale))
}

fn run_round(
    problem: &mut ConstrainedProblem<'_>,
    method: MinimiseMethod,
    x0: &[f64],
    (max_iter, tolerance): (u64, f64),
) -> Result<ConstrainedResult, OptimiseError> {
    let n = x0.len();
    match method {
        MinimiseMethod::Sqp if n > VARIABLES_MAX => Err(too_many(method, VARIABLES_MAX, n)),
        MinimiseMethod::Sqp => sqp::minimise_by_sqp(problem, x0, max_iter, tolerance),
        MinimiseMethod::AugmentedLagrangian => {
            augmented::minimise_augmented_lagrangian(problem, x0, max_iter, tolerance)
        }
        MinimiseMethod::Auto if n > VARIABLES_MAX => {
            augmented::minimise_augmented_lagrangian(problem, x0, max_iter, tolerance)
        }
        MinimiseMethod::Cobyla => {
            let most = cobyla::COORDINATES_MAX;
            if n > most {
                return Err(too_many(method, most, n));
            }
            cobyla::minimise_by_cobyla(problem, x0, max_iter, tolerance)
        }
        MinimiseMethod::Auto => in_turn(problem, x0, max_iter, tolerance),
        MinimiseMethod::Gradient | MinimiseMethod::Newton | MinimiseMethod::NelderMead => {
            Err(MethodMismatch::TakesNoConstraints.into())
        }
    }
}

/// The end of a method that does not take so many variables.
fn too_many(method: MinimiseMethod, most: usize, variables: usize) -> OptimiseError {
    let method = Some(method);
    MethodMismatch::TooManyVariables {
        method,
        most,
        variables,
    }
    .into()
}

/// Sequential quadratic programming; where it does not converge, the augmented Lagrangian, from whose end it tries again, and then linear
/// models without derivatives. A contradiction that `sqp` meets has to be confirmed by the others.
fn in_turn(
    problem: &mut ConstrainedProblem<'_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<ConstrainedResult, OptimiseError> {
    /// Iterations of each round of a second look at an end that converged.
    const SECOND_LOOK: u64 = 300;
    let mut turns = MethodTurns {
        first: sqp::minimise_by_sqp(problem, x0, max_iter, tolerance),
        tolerance,
    };
    let doubtful = turns.is_doubtful(problem);
    if turns.is_final() && !doubtful {
        return turns.first;
    }
    if problem.is_smooth() {
        let (from, max_iter) = match doubtful {
            true => (x0.to_vec(), max_iter.min(SECOND_LOOK)),
            false => (turns.end(x0), max_iter),
        };
        let second = augmented::minimise_augmented_lagrangian(problem, &from, max_iter, tolerance);
        let near =
            |end: &ConstrainedResult| end.evidence.violation <= tolerance.sqrt() && !end.converged;
        let polished = match &second {
            Ok(end) if near(end) => {
                let from = end.at.x.clone();
                Some(sqp::minimise_by_sqp(problem, &from, max_iter, tolerance))
            }
            _ => None,
        };
        turns.take(second, false)?;
        if let Some(polished) = polished {
            turns.take(polished, false)?;
        }
    }
    let few = x0.len() <= cobyla::COORDINATES_MAX;
    if few && !turns.is_final() {
        let from = turns.end(x0);
        let kinked = !problem.is_smooth();
        turns.take(
            cobyla::minimise_by_cobyla(problem, &from, max_iter, tolerance),
            kinked,
        )?;
    }
    turns.first
}

/// The best end so far.
struct MethodTurns {
    first: Result<ConstrainedResult, OptimiseError>,
    tolerance: f64,
}

impl MethodTurns {
    /// Whether nothing better is looked for.
    fn is_final(&self) -> bool {
        match &self.first {
            Ok(found) => found.converged,
            // Affine constraints that contradict each other are a proof.
            Err(OptimiseError::Infeasible(conflict)) => conflict.is_proven,
            Err(_) => true,
        }
    }

    /// Where the next method starts.
    fn end(&self, x0: &[f64]) -> Vec<f64> {
        self.first
            .as_ref()
            .map_or_else(|_| x0.to_vec(), |found| found.at.x.clone())
    }

    /// Whether the end may be no minimum though it passed the tests: where the gradients of nonlinear constraints depend on each other, first
    /// and second order say little.
    fn is_doubtful(&self, problem: &ConstrainedProblem<'_>) -> bool {
        /// The end of a violation of 1e-8 that grows with the square.
        const NEARLY: f64 = 1e-4;
        let nonlinear = problem.watched.kinds.affine.contains(&false);
        nonlinear
            && problem.is_smooth()
            && self.first.as_ref().is_ok_and(|found| {
                found.converged && !problem.has_unique_multipliers(&found.at, NEARLY)
            })
    }

    /// Takes another end where it is better: one that converged, and is lower or the first that did; or the first feasible one. At a kink
    /// the linear models end converged where others do not.
    fn take(
        &mut self,
        other: Result<ConstrainedResult, OptimiseError>,
        kinked: bool,
    ) -> Result<(), OptimiseError> {
        let mut other = match other {
            Ok(other) => other,
            Err(OptimiseError::Infeasible(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let tolerance = self.tolerance;
        let Ok(first) = &mut self.first else {
            if other.evidence.violation <= tolerance {
                self.first = Ok(other);
            }
            return Ok(());
        };
        other.iterations += first.iterations;
        first.iterations = other.iterations;
        let (old, new) = (first.evidence.violation, other.evidence.violation);
        let lower = first.at.value - other.at.value;
        let models = other.method == MinimiseMethod::Cobyla;
        let better = if first.converged {
            other.converged && lower > tolerance * first.at.value.abs().max(1.0)
        } else if old > tolerance && new <= tolerance {
            true
        } else {
            other.converged && new <= old.max(tolerance) && (lower > 0.0 || kinked || !models)
        };
        if better {
            *first = other;
        }
        Ok(())
    }
}
