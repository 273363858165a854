//! [`OptimizeCall`]: a problem as a tool states it, and its answer.

use numerics::optimise::{
    ConstraintState, MinimiseMethod, MinimiseOptions, MinimiseProblem, Optimum, OptimumNote,
};
use tool_core::{Ctx, Real, ToolError};

use super::bounds::{Given, VariableBounds, read_bounds};
use super::constraints::ConstraintSet;
use super::objective::ObjectiveFunction;
use super::{ConstraintReport, Output};
use crate::call_watch::CallWatch;
use crate::expression::unknowns::{self, PerVariable, StartPoint};
use crate::optimise::errors::ProblemWords;

/// A problem as a tool states it.
pub(in crate::optimise) struct OptimizeCall<'a> {
    pub(in crate::optimise) function: &'a ObjectiveFunction,
    pub(in crate::optimise) constraints: &'a ConstraintSet,
    pub(in crate::optimise) start: &'a StartPoint,
    pub(in crate::optimise) bounds: Option<&'a PerVariable<Given>>,
    pub(in crate::optimise) method: MinimiseMethod,
    pub(in crate::optimise) maximise: bool,
    /// Absent: what suits the method.
    pub(in crate::optimise) max_iter: Option<u64>,
    pub(in crate::optimise) tolerance: f64,
}

impl OptimizeCall<'_> {
    /// Minimises or maximises.
    ///
    /// # Errors
    /// Those of the methods; `invalid_args` for bounds that do not fit.
    pub(in crate::optimise) fn solve(self, ctx: &Ctx) -> Result<Output, ToolError> {
        let n = self.start.len();
        let given = self.bounds;
        let given = given.map(|each| each.of(self.start, &[None, None], "/bounds"));
        let given = given.transpose()?;
        let bounds = match &given {
            Some(given) => read_bounds(given, n)?,
            None => VariableBounds::free(n),
        };
        let mut x0 = self.start.to_vec();
        if bounds.project(&mut x0) {
            ctx.warn("`x0` is outside the bounds; started at the nearest point within");
        }
        let options = MinimiseOptions {
            method: self.method,
            maximise: self.maximise,
            max_iter: self.max_iter,
            tolerance: self.tolerance,
        };
        let problem = MinimiseProblem::new(self.function.evaluator(ctx), n)
            .within(bounds)
            .under(&self.constraints.kinds, self.constraints.evaluator());
        let words = ProblemWords {
            objective: Some((self.function, &x0)),
            constraints: Some(self.constraints),
        };
        let found = problem
            .minimise_from(self.start, &options, &CallWatch(ctx))
            .map_err(|error| words.error(error, ctx))?;
        found
            .notes
            .iter()
            .for_each(|note| warn_of(*note, found.iterations, ctx));
        Ok(self.output(found, given.is_some()))
    }

    /// The answer; `is_bounded` says whether bounds were given.
    fn output(&self, found: Optimum, is_bounded: bool) -> Output {
        let is_constrained = self.constraints.len() > 0;
        Output {
            f: found.value,
            iterations: found.iterations,
            evaluations: found.evaluations,
            gradient_norm: Real(found.gradient_norm),
            constraints: is_constrained
                .then(|| report_constraints(self.constraints, &found.constraints)),
            violation: is_constrained.then_some(found.violation),
            kkt_residual: (is_bounded || is_constrained).then_some(Real(found.kkt_residual)),
            bound_multipliers: is_bounded.then_some(found.bound_multipliers),
            lowest_curvature: found.lowest_curvature,
            converged: found.converged,
            method: found.method.into(),
            reason: found.reason.into(),
            named: unknowns::by_name(self.start.names(), &found.x),
            x: found.x,
        }
    }
}

/// The constraints at a point, in the caller's signs.
pub(in crate::optimise) fn report_constraints(
    constraints: &ConstraintSet,
    states: &[ConstraintState],
) -> Vec<ConstraintReport> {
    let report = |(state, sign): (&ConstraintState, &f64)| ConstraintReport {
        value: sign * state.value + 0.0, // no negative zero
        multiplier: sign * state.multiplier + 0.0,
        active: state.active,
    };
    states.iter().zip(&constraints.signs).map(report).collect()
}

fn warn_of(note: OptimumNote, iterations: u64, ctx: &Ctx) {
    match note {
        OptimumNote::NotConverged => ctx.warn(format!("stopped after {iterations} iterations without convergence; raise `max_iter`, start elsewhere or try another `method`")),
        OptimumNote::UnseenKinks => ctx.warn("the objective has kinks or steps, at which linear models may see no gain: not known to be an optimum; compare the results from other starts"),
        OptimumNote::AmbiguousMultipliers => ctx.warn("the gradients of the active constraints and bounds depend on each other: the multipliers are one choice of many"),
        OptimumNote::FarFromStart => ctx.warn("x ran far away from the start: the objective may be unbounded, or level off without an optimum; set `bounds`"),
    }
}
