//! One step: the quadratic program, and the line search on the merit function.

use crate::optimise::error::OptimiseError;

use super::super::kkt::constraint_violations;
use super::super::step::{self, SqpStep, StepConditions};
use super::super::{ConstrainedPoint, ConstrainedProblem};
use super::SqpSearch;
use crate::dense::{dot, max_abs};
use crate::optimise::minimise::curvature::point_along;

impl SqpSearch {
    /// The objective and the weighted violations.
    fn merit(&self, value: f64, c: &[f64], equal: &[bool]) -> f64 {
        let priced = constraint_violations(c, equal)
            .zip(&self.weights)
            .map(|(violation, weight)| violation * weight);
        value + priced.sum::<f64>()
    }

    /// Moves on by one step; answers whether it could.
    pub(super) fn advance(
        &mut self,
        problem: &mut ConstrainedProblem<'_>,
    ) -> Result<bool, OptimiseError> {
        let exact = if self.plain {
            None
        } else {
            problem.hessian(&self.at.x, &self.multipliers)?
        };
        let is_exact = exact.is_some();
        let hessian = exact.unwrap_or_else(|| self.quasi.matrix(&self.at, self.radius));
        let Some((convex, modified)) =
            step::convexify_hessian(&hessian, &self.at.gradient, self.radius)
        else {
            return Ok(false);
        };
        let conditions = StepConditions::new(&self.at, problem.equal(), &problem.bounds);
        let most = max_abs(&self.weights)
            .max(max_abs(&self.multipliers))
            .max(max_abs(&self.at.gradient));
        let penalty = 10.0 * most.max(1.0);
        let watch = problem.target.watch;
        let Some(step) = conditions.solve(&self.at, &convex, penalty, watch)? else {
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
                let sum = |at: &ConstrainedPoint| {
                    constraint_violations(&at.c, problem.equal()).sum::<f64>()
                };
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
    fn flatter(
        &mut self,
        problem: &mut ConstrainedProblem<'_>,
        step: SqpStep,
    ) -> Result<bool, OptimiseError> {
        const HIGHER: f64 = 1e-9;
        let equal = problem.equal();
        let mut x = point_along(&self.at.x, 1.0, &step.direction);
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
        problem: &mut ConstrainedProblem<'_>,
        conditions: &StepConditions,
        step: &SqpStep,
        modified: bool,
    ) -> Result<bool, OptimiseError> {
        const DECREASE: f64 = 1e-4;
        const CUTS_MAX: usize = 40;
        const FLAT_MAX: usize = 10;
        let equal = problem.equal();
        self.reprice(&step.multipliers);
        let gains = constraint_violations(&self.at.c, equal)
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
            let mut x = point_along(&self.at.x, share, &step.direction);
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
                let mut corrected = point_along(&x, 1.0, &correction);
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
}
