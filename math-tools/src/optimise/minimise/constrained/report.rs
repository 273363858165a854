//! The answer for an end under constraints.

use tool_core::{Ctx, Real};

use super::kkt::{DEPENDENT, KktEvidence};
use super::{ConstrainedPoint, ConstrainedProblem, ConstrainedResult};
use crate::linalg::dense::max_abs;
use crate::optimise::minimise::{ConstraintReport, MinimiseMethod, Output, warn_of_no_convergence};

impl ConstrainedResult {
    /// The answer; `bounded` says whether bounds were given.
    pub(crate) fn output(
        self,
        problem: &ConstrainedProblem<'_>,
        bounded: bool,
        ctx: &Ctx,
    ) -> Output {
        if !self.converged {
            warn_of_no_convergence(self.iterations, ctx);
        }
        let target = &problem.target;
        let is_seen =
            self.method != MinimiseMethod::Cobyla || target.is_smooth() || target.is_oracle();
        if !is_seen {
            ctx.warn("the objective has kinks or steps, at which linear models may see no gain: not known to be an optimum; compare the results from other starts");
        }
        let given = problem.watched.constraints;
        let is_unique = self.has_unique_multipliers;
        let is_unique =
            is_unique.unwrap_or_else(|| problem.has_unique_multipliers(&self.at, DEPENDENT));
        if given.len() > 0 && !is_unique {
            ctx.warn("the gradients of the active constraints and bounds depend on each other: the multipliers are one choice of many");
        }
        let constrained = given.len() > 0;
        let bound_multipliers = self.evidence.bound_multipliers.iter();
        let bound_multipliers = bound_multipliers.map(|multiplier| target.restored(*multiplier));
        Output {
            f: target.restored(self.at.value),
            iterations: self.iterations,
            evaluations: target.evaluations,
            gradient_norm: Real(max_abs(&self.at.gradient)),
            constraints: constrained.then(|| problem.report(&self.at, &self.evidence)),
            violation: constrained.then_some(self.evidence.violation),
            kkt_residual: (bounded || constrained).then_some(Real(self.evidence.residual)),
            bound_multipliers: bounded.then(|| bound_multipliers.collect()),
            lowest_curvature: self.lowest_curvature,
            converged: self.converged && is_seen,
            method: self.method,
            reason: self.reason,
            named: None,
            x: self.at.x,
        }
    }
}

impl ConstrainedProblem<'_> {
    /// The constraints at a point, in the caller's signs.
    pub(crate) fn report(
        &self,
        at: &ConstrainedPoint,
        evidence: &KktEvidence,
    ) -> Vec<ConstraintReport> {
        let (target, given) = (&self.target, self.watched.constraints);
        let constraint = |index: usize| ConstraintReport {
            value: given.signs[index] * at.c[index] + 0.0,
            multiplier: target.restored(given.signs[index] * evidence.multipliers[index]),
            active: evidence.active[index],
        };
        (0..given.len()).map(constraint).collect()
    }
}
