//! Sequential quadratic programming: [`minimise_by_sqp`] decides, `advance` takes a step.

mod advance;
mod quasi;

use crate::optimise::error::{NotFinitePlace, OptimiseError};

use self::quasi::QuasiNewtonHessian;
use super::kkt::KktEvidence;
use super::restore::{self, RestorationEnd};
use super::second_order::look_down;
use super::{ConstrainedPoint, ConstrainedProblem, ConstrainedResult};
use crate::dense::max_abs;
use crate::optimise::minimise::result::{MinimiseEnd, MinimiseMethod};

/// Minimises from a start point, which is first moved to satisfy the affine constraints; they hold from then on.
///
/// # Method
/// Each step solves a quadratic program with the exact Hessian of the Lagrangian, whose eigenvalues are replaced by their magnitudes
/// where it is not positive definite; then a step of Newton's method along the constraints that the program found active follows,
/// which converges quadratically. Where second derivatives are not known, damped BFGS updates take their place. The sum of the
/// objective and the weighted violations decreases in a line search; a step that the curvature of the constraints spoils is corrected
/// to second order. Where the linearised constraints contradict each other the program is elastic; where no step helps, the
/// violations alone are minimised.
///
/// # Accuracy and cost
/// Converged when the gradient of the Lagrangian is at most `tolerance` times the largest multiplier (or 1) plus rounding, no
/// constraint is violated by more than `tolerance`, and the Lagrangian curves down along no active constraint. n^3 operations and n
/// products of the Hessian for each step; a step costs about one gradient.
///
/// # Errors
/// Those of the problem; [`OptimiseError::Infeasible`] at a point where every step increases the violation.
///
/// # References
/// J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006, chapter 18; M. J. D. Powell, "A fast algorithm for
/// nonlinearly constrained optimization calculations", 1978 (weights, damped updates).
pub(crate) fn minimise_by_sqp(
    problem: &mut ConstrainedProblem<'_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<ConstrainedResult, OptimiseError> {
    let x = restore::restore_affine(problem, x0)?;
    let values = problem.values(&x)?;
    if !values.0.is_finite() || values.1.iter().any(|c| !c.is_finite()) {
        return Err(NotFinitePlace::MovedStart.into());
    }
    let at = problem.state(x, values)?;
    let multipliers = problem.evidence(&at)?.multipliers;
    let n = at.x.len();
    let mut search = SqpSearch {
        weights: exact_penalty_prices(&at),
        radius: max_abs(&at.x).max(1.0),
        quasi: QuasiNewtonHessian::new(n),
        plain: false,
        worse: false,
        flat: 0,
        multipliers,
        at,
        tolerance,
    };
    let (mut iterations, mut restorations, mut escapes, mut polishing) = (0, 0, 0, 0);
    loop {
        let evidence = problem.evidence(&search.at)?;
        let mut lowest_curvature = None;
        let optimal = search.is_optimal(problem, &evidence);
        // Steps near the end cost little and leave no violation.
        let polish = optimal
            && polishing < POLISHING_MAX
            && iterations < max_iter
            && evidence.violation > POLISHED * max_abs(&search.at.x).max(1.0);
        if polish {
            polishing += 1;
            if search.advance(problem)? {
                iterations += 1;
                continue;
            }
        }
        if optimal {
            let escape = (escapes < ESCAPES_MAX).then_some(tolerance);
            let look = look_down(problem, &search.at, &evidence, escape)?;
            lowest_curvature = look.lowest;
            match look.lower {
                Some(lower) => {
                    search.at = lower;
                    escapes += 1;
                    continue;
                }
                None => {
                    let (converged, reason) = match look.negative {
                        true => (false, MinimiseEnd::NegativeCurvature),
                        false => (true, MinimiseEnd::Kkt),
                    };
                    return Ok(search.found(
                        evidence,
                        iterations,
                        (converged, reason),
                        lowest_curvature,
                    ));
                }
            }
        }
        if iterations == max_iter {
            return Ok(search.found(
                evidence,
                iterations,
                (false, MinimiseEnd::MaxIter),
                lowest_curvature,
            ));
        }
        iterations += 1;
        if search.advance(problem)? {
            continue;
        }
        if !search.plain {
            search.plain = true;
            search.quasi = QuasiNewtonHessian::new(n);
            continue;
        }
        search.plain = false;
        if evidence.violation > tolerance && restorations < RESTORATIONS_MAX {
            restorations += 1;
            match restore::restore_feasibility(problem, &search.at, problem.equal(), tolerance)? {
                RestorationEnd::Better(x) => {
                    let values = problem.values(&x)?;
                    if values.0.is_finite() {
                        search.at = problem.state(x, values)?;
                        search.multipliers = problem.evidence(&search.at)?.multipliers;
                        search.weights = exact_penalty_prices(&search.at);
                        continue;
                    }
                }
                RestorationEnd::Stationary(x, c) => {
                    let violated = problem.violated(&c, tolerance);
                    return Err(problem.infeasible(&x, &c, &violated, false));
                }
                RestorationEnd::Stuck => {}
            }
        }
        return Ok(search.found(
            evidence,
            iterations,
            (false, MinimiseEnd::NoProgress),
            lowest_curvature,
        ));
    }
}

/// Prices at which no violation pays to first order.
fn exact_penalty_prices(at: &ConstrainedPoint) -> Vec<f64> {
    let size = max_abs(&at.gradient);
    let price = |row: &Vec<f64>| size / max_abs(row).max(1e-8 * size).max(f64::MIN_POSITIVE);
    at.jacobian.iter().map(price).collect()
}

const ESCAPES_MAX: usize = 10;
const RESTORATIONS_MAX: usize = 5;
const POLISHING_MAX: usize = 3;
/// Violations that polishing leaves, relative to the size of the point.
const POLISHED: f64 = 1e-14;

struct SqpSearch {
    at: ConstrainedPoint,
    multipliers: Vec<f64>,
    /// Prices of the violations.
    weights: Vec<f64>,
    /// Longest step where the model has no minimum.
    radius: f64,
    quasi: QuasiNewtonHessian,
    /// Whether the last step increased the sum of the violations to a noticeable one.
    worse: bool,
    /// Whether the second derivatives are left out for one step.
    plain: bool,
    /// Steps in a row that changed the merit by no more than rounding.
    flat: usize,
    tolerance: f64,
}

impl SqpSearch {
    fn found(
        self,
        evidence: KktEvidence,
        iterations: u64,
        (converged, reason): (bool, MinimiseEnd),
        lowest_curvature: Option<f64>,
    ) -> ConstrainedResult {
        ConstrainedResult {
            has_unique_multipliers: None,
            at: self.at,
            evidence,
            iterations,
            converged,
            method: MinimiseMethod::Sqp,
            reason,
            lowest_curvature,
        }
    }

    fn is_optimal(&self, problem: &ConstrainedProblem<'_>, evidence: &KktEvidence) -> bool {
        let noise = problem.gradient_noise(&self.at);
        evidence.is_optimal(self.at.value, self.tolerance, noise)
    }
}
