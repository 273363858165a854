//! The augmented Lagrangian: violations at a quadratic price, shifted by the multipliers.

use crate::optimise::error::{NotFinitePlace, OptimiseError};

use super::kkt::{KktEvidence, constraint_violations};
use super::restore::{self, RestorationEnd};
use super::second_order::{CurvatureProbeResult, look_down};
use super::{ConstrainedPoint, ConstrainedProblem, ConstrainedResult};
use crate::dense::{add_multiple, max_abs};
use crate::optimise::minimise::result::{MinimiseEnd, MinimiseMethod};
use crate::optimise::minimise::smooth::SmoothFunction;
use crate::optimise::minimise::{lbfgs, newton};

/// The most variables.
pub(crate) const VARIABLES_MAX: usize = 5000;

/// Minimises from a start point; the constraints may be violated on the way.
///
/// # Method
/// Each round minimises `f + p/2 sum (c - m/p)^2`, of inequalities only where the term in brackets is negative, within the bounds, by limited-memory BFGS and
/// where that ends early Newton's method in a trust region; the multipliers become `m - p c`, not negative for inequalities, and the price p
/// grows by 10 where neither violation nor complementarity has halved. Constraints are divided by their largest derivative at the start where that is above 1.
///
/// # Accuracy and cost
/// The tests at the end are those of [`super::sqp`]; beyond 300 variables the curvature is not looked at. Linear in the number of
/// variables for each step; `max_iter` holds for each round.
///
/// # Errors
/// Those of the problem; [`OptimiseError::Infeasible`] at a point where every step increases the violation (up to 300 variables).
///
/// # References
/// A. R. Conn, N. I. M. Gould, P. L. Toint, "A globally convergent augmented Lagrangian algorithm for optimization with general
/// constraints and simple bounds", SIAM J. Numer. Anal. 28, 1991; E. G. Birgin, J. M. Martinez, "Practical Augmented Lagrangian Methods for
/// Constrained Optimization", SIAM 2014, algorithm 4.1.
pub(crate) fn minimise_augmented_lagrangian(
    problem: &mut ConstrainedProblem<'_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<ConstrainedResult, OptimiseError> {
    /// The second price is so high that the first round hardly leaves the constraints.
    const PRICES: [f64; 2] = [1.0, 1e4];
    let mut best: Option<ConstrainedResult> = None;
    let mut iterations = 0;
    for factor in PRICES {
        let mut lagrangian = AugmentedObjective::new(problem, x0)?;
        lagrangian.price *= factor;
        let mut found = run_rounds(&mut lagrangian, x0, max_iter, tolerance)?;
        iterations += found.iterations;
        found.iterations = iterations;
        let before = best
            .as_ref()
            .map_or(f64::INFINITY, |best| best.evidence.violation);
        if found.converged || found.evidence.violation < before {
            best = Some(found);
        }
        if best
            .as_ref()
            .is_some_and(|best| best.evidence.violation <= tolerance)
        {
            break;
        }
    }
    let Some(mut best) = best else {
        return Err(NotFinitePlace::EveryEnd.into());
    };
    best.iterations = iterations;
    if best.evidence.violation > tolerance
        && problem.is_small()
        && let RestorationEnd::Stationary(x, c) =
            restore::restore_feasibility(problem, &best.at, problem.equal(), tolerance)?
    {
        let violated = problem.violated(&c, tolerance);
        return Err(problem.infeasible(&x, &c, &violated, false));
    }
    Ok(best)
}

/// Rounds from a start point.
fn run_rounds(
    lagrangian: &mut AugmentedObjective<'_, '_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<ConstrainedResult, OptimiseError> {
    const ROUNDS_MAX: usize = 60;
    const PRICE_MAX: f64 = 1e14;
    const ESCAPES_MAX: usize = 10;
    let (mut x, mut inner, mut before) = (x0.to_vec(), 1e-2_f64, f64::INFINITY);
    let (mut iterations, mut escapes) = (0, 0);
    let mut end = (false, MinimiseEnd::NoProgress, None);
    for _ in 0..ROUNDS_MAX {
        let (next, used, ended) = lagrangian.descend(&x, max_iter, inner.max(0.1 * tolerance))?;
        (x, iterations) = (next, iterations + used);
        let c = lagrangian.problem.constraints(&x)?;
        let lack = lagrangian.lack(&c);
        lagrangian.shift(&c);
        let (at, evidence) = lagrangian.evidence(&x)?;
        let noise = lagrangian.problem.gradient_noise(&at);
        if evidence.is_optimal(at.value, tolerance, noise) {
            let escape = (escapes < ESCAPES_MAX).then_some(tolerance);
            let look = match lagrangian.problem.is_small() {
                true => look_down(lagrangian.problem, &at, &evidence, escape)?,
                false => CurvatureProbeResult::default(),
            };
            if let Some(lower) = look.lower {
                (x, inner, before) = (lower.x, 1e-2, f64::INFINITY);
                escapes += 1;
                continue;
            }
            let reason =
                [MinimiseEnd::Kkt, MinimiseEnd::NegativeCurvature][usize::from(look.negative)];
            end = (!look.negative, reason, look.lowest);
            break;
        }
        if ended == MinimiseEnd::MaxIter && inner <= tolerance {
            end.1 = MinimiseEnd::MaxIter;
            break;
        }
        let feasible = evidence.violation <= 0.1 * tolerance;
        if (lack > 0.5 * before && !feasible) || !lack.is_finite() {
            lagrangian.price *= 10.0;
        }
        if lagrangian.price > PRICE_MAX {
            break;
        }
        before = lack;
        inner = (0.1 * inner).max(0.1 * tolerance);
    }
    let (at, evidence) = lagrangian.evidence(&x)?;
    Ok(ConstrainedResult {
        has_unique_multipliers: None,
        at,
        evidence,
        iterations,
        converged: end.0,
        method: MinimiseMethod::AugmentedLagrangian,
        reason: end.1,
        lowest_curvature: end.2,
    })
}

/// Columns and entries of a row, without zeros.
type Row = Vec<(usize, f64)>;

/// The function that a round minimises.
struct AugmentedObjective<'p, 'a> {
    problem: &'p mut ConstrainedProblem<'a>,
    /// What each constraint is divided by.
    units: Vec<f64>,
    /// Multipliers of the divided constraints.
    multipliers: Vec<f64>,
    price: f64,
    /// The derivatives of the divided constraints at the point of the last product, without zeros.
    rows: Option<(Vec<f64>, Vec<Row>)>,
}

impl<'p, 'a> AugmentedObjective<'p, 'a> {
    fn new(problem: &'p mut ConstrainedProblem<'a>, x0: &[f64]) -> Result<Self, OptimiseError> {
        let (value, c) = problem.values(x0)?;
        if !value.is_finite() {
            return Err(NotFinitePlace::StartOfBoth.into());
        }
        let mut units = Vec::with_capacity(c.len());
        let mut one = vec![0.0; c.len()];
        for index in 0..c.len() {
            one[index] = 1.0;
            let steepest = max_abs(&problem.weighted_gradient(x0, &one)?);
            units.push(if steepest.is_finite() {
                steepest.max(1.0)
            } else {
                1.0
            });
            one[index] = 0.0;
        }
        let scaled: Vec<f64> = c.iter().zip(&units).map(|(c, unit)| c / unit).collect();
        let sum: f64 = constraint_violations(&scaled, problem.equal())
            .map(|v| v * v)
            .sum();
        let price = (20.0 * value.abs().max(1.0) / sum.max(1.0)).clamp(1e-6, 10.0);
        Ok(Self {
            multipliers: vec![0.0; c.len()],
            problem,
            units,
            price,
            rows: None,
        })
    }

    /// `p c - m` of each divided constraint where it counts: minus the multiplier that the next round starts with.
    fn pulls(&self, c: &[f64]) -> Vec<f64> {
        let equal = self.problem.equal();
        let pull = |index: usize| {
            let pull = self.price * c[index] / self.units[index] - self.multipliers[index];
            if equal[index] { pull } else { pull.min(0.0) }
        };
        (0..c.len()).map(pull).collect()
    }

    /// Minus the pulls as weights of the constraints as given.
    fn weights(&self, c: &[f64]) -> Vec<f64> {
        let pulls = self.pulls(c);
        pulls
            .iter()
            .zip(&self.units)
            .map(|(pull, unit)| -pull / unit)
            .collect()
    }

    /// The largest violation or lack of complementarity, of the divided constraints.
    fn lack(&self, c: &[f64]) -> f64 {
        let equal = self.problem.equal();
        let lack = |index: usize| {
            let c = c[index] / self.units[index];
            let slack = self.multipliers[index] / self.price;
            if equal[index] {
                c.abs()
            } else {
                c.min(slack).abs()
            }
        };
        (0..c.len()).map(lack).fold(0.0, f64::max)
    }

    /// The multipliers of the next round.
    fn shift(&mut self, c: &[f64]) {
        const LARGEST: f64 = 1e15;
        let pulls = self.pulls(c);
        let shifted = pulls.iter().map(|pull| (-pull).clamp(-LARGEST, LARGEST));
        self.multipliers = shifted.collect();
    }

    /// Minimises within the bounds; answers the point, the iterations and why it ended.
    fn descend(
        &mut self,
        x: &[f64],
        max_iter: u64,
        tolerance: f64,
    ) -> Result<(Vec<f64>, u64, MinimiseEnd), OptimiseError> {
        let bounds = self.problem.bounds.clone();
        let first = lbfgs::descend_by_lbfgs(self, &bounds, x, max_iter, (tolerance, 0.0))?;
        if first.converged {
            return Ok((first.x, first.iterations, first.reason));
        }
        let second = newton::minimise_by_newton(self, &bounds, &first.x, max_iter, tolerance)?;
        Ok(match second {
            Some(second) => {
                let iterations = first.iterations + second.iterations;
                (second.x, iterations, second.reason)
            }
            None => (first.x, first.iterations, first.reason),
        })
    }

    /// Forms the derivatives at a point, once for all products there.
    fn look_at_rows(&mut self, x: &[f64]) -> Result<(), OptimiseError> {
        if self.rows.as_ref().is_some_and(|(at, _)| at == x) {
            return Ok(());
        }
        let mut weights = vec![0.0; self.units.len()];
        let mut rows = Vec::with_capacity(weights.len());
        for index in 0..weights.len() {
            weights[index] = self.units[index].recip();
            let row = self.problem.weighted_gradient(x, &weights)?;
            weights[index] = 0.0;
            let entries = row.into_iter().enumerate();
            rows.push(entries.filter(|(_, entry)| *entry != 0.0).collect());
        }
        self.rows = Some((x.to_vec(), rows));
        Ok(())
    }

    /// The point with its evidence: the multipliers of the projected gradient where the variables are few, else those of the method.
    fn evidence(&mut self, x: &[f64]) -> Result<(ConstrainedPoint, KktEvidence), OptimiseError> {
        let values = self.problem.values(x)?;
        let at = self.problem.state(x.to_vec(), values)?;
        if self.problem.is_small() {
            let evidence = self.problem.evidence(&at)?;
            return Ok((at, evidence));
        }
        let multipliers = self.multipliers.iter().zip(&self.units);
        let multipliers: Vec<f64> = multipliers.map(|(m, unit)| m / unit).collect();
        let evidence = KktEvidence::at(self.problem, &at, multipliers)?;
        Ok((at, evidence))
    }
}

impl SmoothFunction for AugmentedObjective<'_, '_> {
    fn value(&mut self, x: &[f64]) -> Result<f64, OptimiseError> {
        let (value, c) = self.problem.values(x)?;
        if !value.is_finite() {
            return Ok(value);
        }
        // (pull^2 - m^2) / 2 p, without the squares that cancel.
        let pulls = self.pulls(&c);
        let terms = pulls.iter().zip(&self.multipliers);
        let sum: f64 = terms.map(|(pull, m)| (pull - m) * (pull + m)).sum();
        Ok(value + sum / (2.0 * self.price))
    }

    fn gradient(&mut self, x: &[f64], _: f64) -> Result<Vec<f64>, OptimiseError> {
        let c = self.problem.constraints(x)?;
        let value = self.problem.objective(x)?;
        let mut gradient = self.problem.gradient(x, value)?;
        let weights = self.weights(&c);
        let pull = self.problem.weighted_gradient(x, &weights)?;
        add_multiple(&mut gradient, -1.0, &pull);
        Ok(gradient)
    }

    fn hessian_times(&mut self, x: &[f64], v: &[f64]) -> Result<Option<Vec<f64>>, OptimiseError> {
        let c = self.problem.constraints(x)?;
        let weights = self.weights(&c);
        let Some(mut product) = self.problem.hessian_times(x, &weights, v)? else {
            return Ok(None);
        };
        self.look_at_rows(x)?;
        let rows = self.rows.iter().flat_map(|(_, rows)| rows);
        let equal = self.problem.equal();
        for (index, row) in rows.enumerate() {
            if equal[index] || weights[index] > 0.0 {
                let along: f64 = row.iter().map(|&(column, entry)| entry * v[column]).sum();
                for &(column, entry) in row {
                    product[column] += self.price * along * entry;
                }
            }
        }
        Ok(Some(product))
    }

    fn gradient_noise(&self, x: &[f64], value: f64) -> f64 {
        self.problem.noise(x, value)
    }
}
