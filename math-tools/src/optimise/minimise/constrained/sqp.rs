//! Sequential quadratic programming.

use tool_core::ToolError;

use faer::Mat;

use super::kkt::{Evidence, violations};
use super::restore::{self, Restored};
use super::step::{self, Conditions, Step};
use super::{Found, Problem, State};
use crate::linalg::dense::{add_multiple, dot, max_abs};
use crate::optimise::minimise::curvature::along;
use crate::optimise::minimise::found::{Method, Reason};

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
/// Those of the problem; `numeric` with reason `infeasible` at a point where every step increases the violation.
///
/// # References
/// J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006, chapter 18; M. J. D. Powell, "A fast algorithm for
/// nonlinearly constrained optimization calculations", 1978 (weights, damped updates).
pub(crate) fn minimise(
    problem: &mut Problem<'_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<Found, ToolError> {
    let x = restore::affine(problem, x0)?;
    let values = problem.values(&x)?;
    if !values.0.is_finite() || values.1.iter().any(|c| !c.is_finite()) {
        refuse!(numeric "/x0", "not_finite";
            "the objective or a constraint is not finite at `x0` or at the nearest point that satisfies the linear constraints";
            "start at a point where they are finite");
    }
    let at = problem.state(x, values)?;
    let multipliers = problem.evidence(&at)?.multipliers;
    let n = at.x.len();
    let mut search = Search {
        weights: steepness(&at),
        radius: max_abs(&at.x).max(1.0),
        quasi: Quasi::new(n),
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
            let look = search.look_down(problem, &evidence, escapes < ESCAPES_MAX)?;
            lowest_curvature = look.lowest;
            match look.lower {
                Some(lower) => {
                    search.at = lower;
                    escapes += 1;
                    continue;
                }
                None => {
                    let (converged, reason) = match look.negative {
                        true => (false, Reason::NegativeCurvature),
                        false => (true, Reason::Kkt),
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
                (false, Reason::MaxIter),
                lowest_curvature,
            ));
        }
        iterations += 1;
        if search.advance(problem)? {
            continue;
        }
        if !search.plain {
            search.plain = true;
            search.quasi = Quasi::new(n);
            continue;
        }
        search.plain = false;
        if evidence.violation > tolerance && restorations < RESTORATIONS_MAX {
            restorations += 1;
            match restore::restore(problem, &search.at, problem.equal(), tolerance)? {
                Restored::Better(x) => {
                    let values = problem.values(&x)?;
                    if values.0.is_finite() {
                        search.at = problem.state(x, values)?;
                        search.multipliers = problem.evidence(&search.at)?.multipliers;
                        search.weights = steepness(&search.at);
                        continue;
                    }
                }
                Restored::Stationary(x, c) => {
                    let violated = problem.violated(&c, tolerance);
                    return Err(problem.infeasible(&x, &c, &violated, false));
                }
                Restored::Stuck => {}
            }
        }
        return Ok(search.found(
            evidence,
            iterations,
            (false, Reason::NoProgress),
            lowest_curvature,
        ));
    }
}

/// Prices at which no violation pays to first order.
fn steepness(at: &State) -> Vec<f64> {
    let size = max_abs(&at.gradient);
    let price = |row: &Vec<f64>| size / max_abs(row).max(1e-8 * size).max(f64::MIN_POSITIVE);
    at.jacobian.iter().map(price).collect()
}

const ESCAPES_MAX: usize = 10;
const RESTORATIONS_MAX: usize = 5;
const POLISHING_MAX: usize = 3;
/// Violations that polishing leaves, relative to the size of the point.
const POLISHED: f64 = 1e-14;

struct Search {
    at: State,
    multipliers: Vec<f64>,
    /// Prices of the violations.
    weights: Vec<f64>,
    /// Longest step where the model has no minimum.
    radius: f64,
    quasi: Quasi,
    /// Whether the last step increased the sum of the violations to a noticeable one.
    worse: bool,
    /// Whether the second derivatives are left out for one step.
    plain: bool,
    /// Steps in a row that changed the merit by no more than rounding.
    flat: usize,
    tolerance: f64,
}

/// The result of a look at the curvature at a point that satisfies the first-order conditions.
struct Look {
    lowest: Option<f64>,
    lower: Option<State>,
    negative: bool,
}

impl Search {
    fn found(
        self,
        evidence: Evidence,
        iterations: u64,
        (converged, reason): (bool, Reason),
        lowest_curvature: Option<f64>,
    ) -> Found {
        Found {
            at: self.at,
            evidence,
            iterations,
            converged,
            method: Method::Sqp,
            reason,
            lowest_curvature,
        }
    }

    fn is_optimal(&self, problem: &Problem<'_>, evidence: &Evidence) -> bool {
        /// However large the values are, the gradient is known to so many digits.
        const NOISE_MAX: f64 = 1e-6;
        let noise = problem.target.gradient_noise(&self.at.x, self.at.value);
        let noise = noise.min(NOISE_MAX * evidence.scale());
        evidence.violation <= self.tolerance
            && evidence.relative <= self.tolerance + noise
            && evidence.complementarity <= self.tolerance * self.at.value.abs().max(1.0)
    }

    /// The objective and the weighted violations.
    fn merit(&self, value: f64, c: &[f64], equal: &[bool]) -> f64 {
        let priced = violations(c, equal)
            .zip(&self.weights)
            .map(|(violation, weight)| violation * weight);
        value + priced.sum::<f64>()
    }

    /// Moves on by one step; answers whether it could.
    fn advance(&mut self, problem: &mut Problem<'_>) -> Result<bool, ToolError> {
        let exact = if self.plain {
            None
        } else {
            problem.hessian(&self.at.x, &self.multipliers)?
        };
        let is_exact = exact.is_some();
        let hessian = exact.unwrap_or_else(|| self.quasi.matrix(&self.at, self.radius));
        let Some((convex, modified)) = step::convex(&hessian, &self.at.gradient, self.radius)
        else {
            return Ok(false);
        };
        let conditions = Conditions::new(&self.at, problem.equal(), &problem.bounds);
        let most = max_abs(&self.weights)
            .max(max_abs(&self.multipliers))
            .max(max_abs(&self.at.gradient));
        let penalty = 10.0 * most.max(1.0);
        let ctx = problem.target.ctx;
        let Some(step) = conditions.solve(&self.at, &convex, penalty, || ctx.check())? else {
            return Ok(false);
        };
        let newton = if is_exact && modified {
            conditions.newton(&self.at, &hessian, &step.active)
        } else {
            None
        };
        let first = newton.as_ref().unwrap_or(&step).clone();
        for step in newton.into_iter().chain([step]) {
            let before = self.at.clone();
            if self.line_search(problem, &conditions, &step, modified)? {
                let sum = |at: &State| violations(&at.c, problem.equal()).sum::<f64>();
                let (old, new) = (sum(&before), sum(&self.at));
                self.worse = new > 2.0 * old && new > 1e-2 * max_abs(&self.at.x).max(1.0);
                self.quasi.update(&before, &self.at, &step.multipliers);
                self.multipliers = step.multipliers;
                self.plain = false;
                return Ok(true);
            }
        }
        self.flatter(problem, first)
    }

    /// Takes a whole step that halves what is left of the gradient of the Lagrangian and leaves the merit as it is but for rounding: near
    /// a minimum values say less than gradients.
    fn flatter(&mut self, problem: &mut Problem<'_>, step: Step) -> Result<bool, ToolError> {
        const HIGHER: f64 = 1e-9;
        let equal = problem.equal();
        let mut x = along(&self.at.x, 1.0, &step.direction);
        problem.bounds.project(&mut x);
        let (value, c) = problem.values(&x)?;
        let start = self.merit(self.at.value, &self.at.c, equal);
        let merit = self.merit(value, &c, equal);
        if !merit.is_finite() || merit > start + HIGHER * start.abs().max(1.0) {
            return Ok(false);
        }
        let before = problem.evidence(&self.at)?;
        let next = problem.state(x, (value, c))?;
        let after = problem.evidence(&next)?;
        let better = after.residual <= 0.5 * before.residual
            && after.violation <= before.violation.max(self.tolerance);
        if better {
            self.at = next;
            self.multipliers = step.multipliers;
        }
        Ok(better)
    }

    /// Raises the prices above the multipliers; lowers those that are too high slowly, and none while violations grow.
    fn reprice(&mut self, multipliers: &[f64]) {
        const MARGIN: f64 = 1.1;
        const RISE: f64 = 4.0;
        for (weight, multiplier) in self.weights.iter_mut().zip(multipliers) {
            let least = MARGIN * multiplier.abs();
            let kept = if self.worse {
                RISE * *weight
            } else {
                (*weight + least) / 2.0
            };
            *weight = least.max(kept);
        }
    }

    fn line_search(
        &mut self,
        problem: &mut Problem<'_>,
        conditions: &Conditions,
        step: &Step,
        modified: bool,
    ) -> Result<bool, ToolError> {
        const DECREASE: f64 = 1e-4;
        const CUTS_MAX: usize = 40;
        const FLAT_MAX: usize = 10;
        let equal = problem.equal();
        self.reprice(&step.multipliers);
        let gains = violations(&self.at.c, equal)
            .zip(&step.left)
            .zip(&self.weights);
        let gain: f64 = gains
            .map(|((before, after), weight)| weight * (before - after))
            .sum();
        let slope = dot(&self.at.gradient, &step.direction) - gain;
        let start = self.merit(self.at.value, &self.at.c, equal);
        let noise = 10.0 * f64::EPSILON * start.abs().max(self.at.value.abs());
        let size = max_abs(&self.at.x).max(1.0);
        let length = max_abs(&step.direction);
        let tiny = length <= 1e-6 * size;
        if length == 0.0 || (slope >= 0.0 && !tiny) || !slope.is_finite() {
            return Ok(false);
        }
        let mut share = 1.0;
        for cut in 0..CUTS_MAX {
            let mut x = along(&self.at.x, share, &step.direction);
            problem.bounds.project(&mut x);
            if x == self.at.x {
                return Ok(false);
            }
            let (value, c) = problem.values(&x)?;
            let merit = self.merit(value, &c, equal);
            let bar = start + DECREASE * share * slope.min(0.0) + noise;
            let flat = cut == 0
                && tiny
                && self.flat < FLAT_MAX
                && merit <= start + 1e-9 * start.abs().max(1.0);
            if merit <= bar || flat {
                self.flat = if merit < start - noise {
                    0
                } else {
                    self.flat + 1
                };
                if self.flat > 2 * FLAT_MAX {
                    return Ok(false);
                }
                if modified {
                    self.radius *= if cut == 0 { 10.0 } else { 1.0 };
                }
                self.at = problem.state(x, (value, c))?;
                return Ok(true);
            }
            if cut == 0
                && value.is_finite()
                && let Some(correction) = conditions.correction(&step.active, &c, x.len())
                && max_abs(&correction) <= length
            {
                let mut corrected = along(&x, 1.0, &correction);
                problem.bounds.project(&mut corrected);
                let (value, c) = problem.values(&corrected)?;
                if self.merit(value, &c, equal) <= bar {
                    self.at = problem.state(corrected, (value, c))?;
                    return Ok(true);
                }
            }
            let bend = merit - start - slope * share;
            let best = -slope * share * share / (2.0 * bend);
            share = if best.is_finite() {
                best.clamp(0.1 * share, 0.5 * share)
            } else {
                0.1 * share
            };
        }
        Ok(false)
    }

    /// Looks for negative curvature along the active constraints, and for a lower feasible point in its direction.
    fn look_down(
        &self,
        problem: &mut Problem<'_>,
        evidence: &Evidence,
        search: bool,
    ) -> Result<Look, ToolError> {
        const SHARE: f64 = 1e-6;
        const STRONG: f64 = 1e-7;
        const STEPS: [f64; 5] = [1e-2, 0.1, 0.5, 2.0, 10.0];
        let mut look = Look {
            lowest: None,
            lower: None,
            negative: false,
        };
        let Some(hessian) = problem.hessian(&self.at.x, &evidence.multipliers)? else {
            return Ok(look);
        };
        let conditions = Conditions::new(&self.at, problem.equal(), &problem.bounds);
        let strong = STRONG * evidence.scale();
        let mut rows = Vec::new();
        // Along the active constraints: those that hold x stay equalities.
        let mut held = problem.equal().to_vec();
        let mut bound_rows = self.at.c.len();
        for (index, multiplier) in evidence.multipliers.iter().enumerate() {
            if problem.equal()[index] || multiplier.abs() > strong {
                held[index] = true;
                rows.push(index);
            }
        }
        for (index, multiplier) in evidence.bound_multipliers.iter().enumerate() {
            let (low, high) = (problem.bounds.low[index], problem.bounds.high[index]);
            let count = usize::from(low.is_finite()) + usize::from(high.is_finite() && high > low);
            if count > 0 && (multiplier.abs() > strong || low == high) {
                rows.push(bound_rows); // either bound has the same direction
            }
            bound_rows += count;
        }
        let Some((lowest, direction, size)) = conditions.lowest_curvature(&hessian, &rows) else {
            return Ok(look);
        };
        look.lowest = Some(lowest);
        if lowest >= -SHARE * size.max(SHARE) {
            return Ok(look);
        }
        look.negative = true;
        if !search {
            return Ok(look);
        }
        let scale = max_abs(&self.at.x).max(1.0);
        let clearly = 1e-12 * (1.0 + self.at.value.abs());
        for step in STEPS.iter().flat_map(|step| [step * scale, -step * scale]) {
            let mut x = along(&self.at.x, step, &direction);
            problem.bounds.project(&mut x);
            let c = problem.watched.values(&x)?;
            if c.iter().any(|c| !c.is_finite()) {
                continue;
            }
            let away = State {
                x,
                c,
                ..self.at.clone()
            };
            let Restored::Better(x) = restore::restore(problem, &away, &held, self.tolerance)?
            else {
                continue;
            };
            let (value, c) = problem.values(&x)?;
            let bar = look
                .lower
                .as_ref()
                .map_or(self.at.value - clearly, |lower: &State| lower.value);
            if value < bar
                && violations(&c, problem.equal()).all(|violation| violation <= self.tolerance)
            {
                look.lower = Some(problem.state(x, (value, c))?);
            }
        }
        Ok(look)
    }
}

/// A positive definite stand-in for the Hessian of the Lagrangian, by damped updates.
struct Quasi {
    matrix: Option<Mat<f64>>,
    n: usize,
}

impl Quasi {
    fn new(n: usize) -> Self {
        Self { matrix: None, n }
    }

    /// The matrix; at first such that steepest descent goes as far as the size of the point.
    fn matrix(&self, at: &State, radius: f64) -> Mat<f64> {
        if let Some(matrix) = &self.matrix {
            return matrix.clone();
        }
        let size = (10.0 * max_abs(&at.gradient) / radius).max(1e-10);
        Mat::from_fn(self.n, self.n, |i, j| if i == j { size } else { 0.0 })
    }

    /// Powell's update with the change of the gradient of the Lagrangian.
    fn update(&mut self, from: &State, to: &State, multipliers: &[f64]) {
        const DAMPING: f64 = 0.2;
        let step = along(&to.x, -1.0, &from.x);
        let mut change = along(&to.gradient, -1.0, &from.gradient);
        for (multiplier, (new, old)) in multipliers
            .iter()
            .zip(to.jacobian.iter().zip(&from.jacobian))
        {
            add_multiple(&mut change, -multiplier, new);
            add_multiple(&mut change, *multiplier, old);
        }
        let (inner, square) = (dot(&step, &change), dot(&change, &change));
        let mut matrix = match self.matrix.take() {
            Some(matrix) => matrix,
            None => {
                let scale = if inner > 0.0 { square / inner } else { 1.0 };
                let scale = if scale.is_finite() && scale > 0.0 {
                    scale.clamp(1e-8, 1e8)
                } else {
                    1.0
                };
                Mat::from_fn(self.n, self.n, |i, j| if i == j { scale } else { 0.0 })
            }
        };
        let image = step::times(&matrix, &step);
        let bend = dot(&step, &image);
        if bend > 0.0 && bend.is_finite() && square.is_finite() {
            let theta = if inner >= DAMPING * bend {
                1.0
            } else {
                (1.0 - DAMPING) * bend / (bend - inner)
            };
            let mut damped: Vec<f64> = change.iter().map(|entry| theta * entry).collect();
            add_multiple(&mut damped, 1.0 - theta, &image);
            let inner = dot(&step, &damped);
            for column in 0..self.n {
                add_multiple(
                    matrix.col_as_slice_mut(column),
                    -image[column] / bend,
                    &image,
                );
                add_multiple(
                    matrix.col_as_slice_mut(column),
                    damped[column] / inner,
                    &damped,
                );
            }
        }
        self.matrix = Some(matrix);
    }
}
