//! [`MinimiseProblem`]: a problem with its start and its bounds, and the choice between the methods with and without constraints.

use tool_core::{Ctx, Real, ToolError};

use super::bounds::{Given, VariableBounds};
use super::constrained::constraints::ConstraintEvaluator;
use super::constrained::{self, ConstrainedProblem as Constrained, ConstraintSet};
use super::found::{MinimiseEnd, MinimiseMethod};
use super::objective::ObjectiveFunction;
use super::target::MinimisationTarget;
use super::{Output, curvature, free, nelder_mead, warn_of_no_convergence};
use crate::expression::unknowns::{self, PerVariable, StartPoint};
use crate::linalg::dense::max_abs;

/// Iterations of a method where the call sets no limit.
pub(super) const ITERATIONS: u64 = 1000;

/// A problem as a tool states it.
pub(in crate::optimise) struct MinimiseProblem<'a> {
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

fn takes_constraints(method: MinimiseMethod) -> bool {
    matches!(
        method,
        MinimiseMethod::Sqp | MinimiseMethod::AugmentedLagrangian | MinimiseMethod::Cobyla
    )
}

/// Checks the number of variables.
///
/// # Errors
/// `invalid_args` for none, and for more than a method takes.
pub(in crate::optimise) fn check_size(
    n: usize,
    method: MinimiseMethod,
    is_constrained: bool,
) -> Result<(), ToolError> {
    if n == 0 {
        refuse!(invalid "/x0"; "`x0` is empty"; "give one number per variable");
    }
    let most = nelder_mead::COORDINATES_MAX;
    if method == MinimiseMethod::NelderMead && n > most {
        let message = format!("`nelder_mead` takes at most {most} variables, found {n}");
        return Err(ToolError::invalid("/method", message).hint("use `gradient`"));
    }
    let most = constrained::VARIABLES_MAX_SPARSE;
    if (is_constrained || takes_constraints(method)) && n > most {
        let message = format!("problems with constraints have at most {most} variables, found {n}");
        return Err(ToolError::invalid("/x0", message)
            .hint("eliminate variables, or state constraints of one variable as `bounds`"));
    }
    Ok(())
}

impl MinimiseProblem<'_> {
    /// Minimises or maximises.
    ///
    /// # Errors
    /// Those of the methods; `invalid_args` for bounds that do not fit.
    pub(in crate::optimise) fn solve(self, ctx: &Ctx) -> Result<Output, ToolError> {
        let n = self.start.len();
        let simplex_fits = n <= nelder_mead::COORDINATES_MAX;
        ctx.reserve_doubles(40 * n + if simplex_fits { 4 * n * n } else { 0 })?;
        let given = self.bounds;
        let given = given.map(|each| each.of(self.start, &[None, None], "/bounds"));
        let given = given.transpose()?;
        let bounds = match &given {
            Some(given) => VariableBounds::new(given, n)?,
            None => VariableBounds::free(n),
        };
        let mut x0 = self.start.to_vec();
        if bounds.project(&mut x0) {
            ctx.warn("`x0` is outside the bounds; started at the nearest point within");
        }
        let is_constrained = self.constraints.len() > 0 || takes_constraints(self.method);
        let names = self.start.names();
        let limits = (self.max_iter, self.tolerance);
        let usual = (self.max_iter.unwrap_or(ITERATIONS), self.tolerance);
        if is_constrained {
            if constrained::takes_dense_factors(n) {
                ctx.reserve_doubles(2 * n * (self.constraints.len() + 2 * n) + 8 * n * n)?;
            }
            // The start moves to satisfy linear constraints.
            let (target, _) = MinimisationTarget::near(self.function, self.maximise, &x0, ctx)?;
            let watched = ConstraintEvaluator::new(self.constraints, ctx);
            let mut problem = Constrained::new(target.within(&bounds), watched, bounds, &x0);
            let found = constrained::minimise_constrained(&mut problem, self.method, &x0, usual)?;
            let mut output = found.output(&problem, given.is_some(), ctx);
            output.named = unknowns::by_name(names, &output.x);
            return Ok(judge_distance(output, self.start, ctx));
        }
        let target = MinimisationTarget::new(self.function, self.maximise, &x0, ctx)?;
        let mut target = target.within(&bounds);
        let (found, method) =
            free::minimise_in_box(&mut target, &bounds, self.method, &x0, limits)?;
        if !found.converged {
            warn_of_no_convergence(found.iterations, ctx);
        }
        let movable = bounds.movable(&found.x, &found.gradient);
        let lowest_curvature = match found.lowest_curvature {
            None => curvature::find_lowest_curvature(&mut target, &found.x, &movable)?
                .map(|curvature| curvature.lowest),
            known => known,
        };
        let mut multipliers: Vec<f64> =
            found.gradient.iter().map(|g| target.restored(*g)).collect();
        movable.iter().for_each(|&index| multipliers[index] = 0.0);
        let bounded = given.is_some();
        let output = Output {
            lowest_curvature,
            f: target.restored(found.value),
            iterations: found.iterations,
            evaluations: target.evaluations,
            gradient_norm: Real(max_abs(&found.gradient)),
            constraints: None,
            violation: None,
            kkt_residual: bounded.then(|| Real(bounds.slope(&found.x, &found.gradient))),
            bound_multipliers: bounded.then_some(multipliers),
            converged: found.converged,
            method,
            reason: found.reason,
            named: unknowns::by_name(names, &found.x),
            x: found.x,
        };
        Ok(judge_distance(output, self.start, ctx))
    }
}

/// A point that ran away is no optimum, and one far from the start is said to be.
fn judge_distance(mut output: Output, start: &[f64], ctx: &Ctx) -> Output {
    const FAR: f64 = 1e12;
    const LOST: f64 = 1e100;
    let distance = max_abs(&output.x) / (1.0 + max_abs(start));
    if distance > LOST && output.converged {
        (output.converged, output.reason) = (false, MinimiseEnd::NoProgress);
    }
    if distance > FAR {
        ctx.warn("x ran far away from the start: the objective may be unbounded, or level off without an optimum; set `bounds`");
    }
    output
}
