//! The optimum that an end under constraints is.

use super::kkt::{DEPENDENT, KktEvidence};
use super::{ConstrainedPoint, ConstrainedProblem, ConstrainedResult};
use crate::dense::max_abs;
use crate::optimise::functions::FunctionShape;
use crate::optimise::minimise::result::{ConstraintState, MinimiseMethod, Optimum, OptimumNote};

impl ConstrainedResult {
    /// The optimum in the caller's sign.
    pub(crate) fn into_optimum(self, problem: &ConstrainedProblem<'_>) -> Optimum {
        let mut notes = Vec::new();
        if !self.converged {
            notes.push(OptimumNote::NotConverged);
        }
        let target = &problem.target;
        let is_seen =
            self.method != MinimiseMethod::Cobyla || target.shape() != FunctionShape::Kinked;
        if !is_seen {
            notes.push(OptimumNote::UnseenKinks);
        }
        let is_unique = self.has_unique_multipliers;
        let is_unique =
            is_unique.unwrap_or_else(|| problem.has_unique_multipliers(&self.at, DEPENDENT));
        if !problem.equal().is_empty() && !is_unique {
            notes.push(OptimumNote::AmbiguousMultipliers);
        }
        let bound_multipliers = self.evidence.bound_multipliers.iter();
        let bound_multipliers = bound_multipliers.map(|multiplier| target.restored(*multiplier));
        Optimum {
            value: target.restored(self.at.value),
            iterations: self.iterations,
            evaluations: target.evaluations,
            gradient_norm: max_abs(&self.at.gradient),
            constraints: problem.constraint_states(&self.at, &self.evidence),
            violation: self.evidence.violation,
            kkt_residual: self.evidence.residual,
            bound_multipliers: bound_multipliers.collect(),
            lowest_curvature: self.lowest_curvature,
            converged: self.converged && is_seen,
            method: self.method,
            reason: self.reason,
            notes,
            x: self.at.x,
        }
    }
}

impl ConstrainedProblem<'_> {
    /// The constraints at a point.
    pub(crate) fn constraint_states(
        &self,
        at: &ConstrainedPoint,
        evidence: &KktEvidence,
    ) -> Vec<ConstraintState> {
        let state = |index: usize| ConstraintState {
            value: at.c[index],
            multiplier: self.target.restored(evidence.multipliers[index]),
            active: evidence.active[index],
        };
        (0..at.c.len()).map(state).collect()
    }
}
