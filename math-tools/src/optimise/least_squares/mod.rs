//! `nonlinear_least_squares`: residuals that are not linear in the variables.

pub(crate) mod options;
pub(crate) mod problem;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use numerics::optimise::{
    LeastSquaresResult, LevenbergEnd, LevenbergOptions, ResidualProblem, RobustLoss, StepWeights,
    VariableBounds,
};

use self::options::{LeastSquaresReason, ResidualLoss};
use self::problem::ResidualSystem;
use super::errors::fit_error;
use super::minimise::bounds::{Given, read_bounds};
use crate::call_watch::CallWatch;
use crate::expression::NamedParameters;
use crate::expression::unknowns::{self, PerVariable, StartPoint};
use crate::prelude::*;

/// Find the x that minimises the sum of squares of residuals. From a start point, by the Levenberg-Marquardt method with exact
/// derivatives. `curve_fit` fits a model to data and reports standard errors.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Residuals: expressions in x0, x1, ... or the names of `x0`, and in columns of `data`; one whose value is a column is a
    /// residual for each row.
    pub residuals: Vec<String>,
    /// Start point. A list, one number per variable, or an object with names, such as `{"a": 1, "b": 0}`.
    #[schema(extend("x-shape" = ["n"]))]
    pub x0: Input<StartPoint>,
    /// Columns of numbers that residuals name.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Named numbers that residuals use.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Bounds of each variable, `[low, high]` with null for none, in their order or by name.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub bounds: Option<PerVariable<Given>>,
    /// How much a residual counts: its square, or less when it is large.
    #[value(default)]
    pub loss: ResidualLoss,
    /// Residual at which a loss begins to count less.
    #[value(default = "default_loss_scale")]
    pub loss_scale: Positive,
    /// Largest number of iterations.
    #[value(default = "BoundedInteger::<1, 1_000_000>::of::<1000>")]
    pub max_iter: BoundedInteger<1, 1_000_000>,
    /// Ended when a step changes x by less than this, relative to its size.
    #[value(default = "default_tolerance")]
    pub tolerance: Tolerance,
}

fn default_loss_scale() -> Positive {
    Positive::literal(1.0)
}

fn default_tolerance() -> Tolerance {
    Tolerance::literal(1e-12)
}

/// The point found and how.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The best point.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// The entries of `x` by name, where `x0` has names.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "x0": { "is": "named" } }))]
    pub named: Option<BTreeMap<String, f64>>,
    /// Whether x passed the test of a minimum.
    pub converged: bool,
    /// Reason the method ended.
    pub reason: LeastSquaresReason,
    /// Sum of the squares of the residuals.
    pub sum_of_squares: f64,
    /// The residuals at x.
    #[schema(extend("x-shape" = ["m"]))]
    pub residuals: Vec<f64>,
    /// Largest cosine between the residuals and a column of the Jacobian of a variable that is not at a bound: 0 at a minimum, except where a
    /// column vanishes there (`reason` is `curvature`) or the residuals do (`exact`).
    pub cosine: f64,
    /// Whether each variable is at a bound that holds it.
    #[schema(extend("x-shape" = ["n"]))]
    pub at_bound: Vec<bool>,
    /// Iterations.
    pub iterations: u64,
    /// Evaluations of the residuals and their Jacobian.
    pub evaluations: u64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("nonlinear_least_squares", "Minimise a sum of squares")
        .tags(&[
            "least squares",
            "levenberg-marquardt",
            "optimisation",
            "fit",
        ])
        .syntax(&[("/residuals", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "Rosenbrock's valley as residuals":
            r#"{"residuals": ["10*(x1 - x0**2)", "1 - x0"], "x0": [-1.2, 1]}"#
            => r#"{"x": [1.0, 1.0], "converged": true, "reason": "exact", "sum_of_squares": 0.0, "residuals": [0.0, 0.0],
                "cosine": 0.0, "at_bound": [false, false], "iterations": 19, "evaluations": 43}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let start = args.x0.load(ctx)?;
        let (mut x0, names) = (start.to_vec(), start.names().map(<[String]>::to_vec));
        if x0.is_empty() {
            refuse!(invalid "/x0"; "`x0` is empty"; "give one number per variable");
        }
        let bounds = match &args.bounds {
            Some(given) => read_bounds(&given.of(&start, &[None, None], "/bounds")?, x0.len())?,
            None => VariableBounds::free(x0.len()),
        };
        if bounds.project(&mut x0) {
            ctx.warn("`x0` is outside `bounds`: the nearest point in them is the start");
        }
        let (variables, data) = ((x0.len(), names.as_deref()), args.data.as_ref());
        let scope = unknowns::unknowns_scope(variables, data, &args.parameters, "/x0", ctx)?;
        let loss = RobustLoss {
            kind: args.loss.into(),
            scale: args.loss_scale.get(),
        };
        let texts = &args.residuals;
        let mut problem = ResidualSystem::new(texts, scope, x0.len(), loss, ctx)?;
        let pairs = bounds.low.iter().zip(&bounds.high);
        let pairs: Vec<[f64; 2]> = pairs.map(|(low, high)| [*low, *high]).collect();
        let how = LevenbergOptions {
            bounds: &pairs,
            max_iter: args.max_iter.get() as u64,
            tolerance: args.tolerance.get(),
            scale: 0.0,
            error: 0.0,
            weights: StepWeights::Largest,
        };
        let (found, iterations) = minimise_doggedly(&mut problem, &x0, &how, ctx)?;
        let Some(found) = found else {
            refuse!(numeric "/residuals", "not_finite"; "a residual or a derivative is not finite at `x0`";
                "choose a start at which they are");
        };
        let converged = found.reason.has_converged();
        if found.reason == LevenbergEnd::Flat {
            ctx.warn(
                "a variable has no influence at x, which need not be a minimum: start elsewhere",
            );
        } else if !converged {
            ctx.warn(
                "stopped without convergence: start elsewhere, set `bounds`, or raise `max_iter`",
            );
        }
        let residuals = problem.values(&found.point)?.unwrap_or_default();
        Ok(Output {
            sum_of_squares: residuals.iter().map(|r| r * r).sum(),
            residuals,
            converged,
            reason: found.reason.into(),
            cosine: found.cosine,
            at_bound: found.held,
            iterations,
            evaluations: problem.evaluations,
            named: unknowns::by_name(names.as_deref(), &found.point),
            x: found.point,
        })
    }
}

/// Minimises the squares of residuals for a call: [`numerics::optimise::minimise_doggedly`].
///
/// # Errors
/// Those of the residuals, and of a stop.
pub(crate) fn minimise_doggedly(
    problem: &mut dyn ResidualProblem,
    start: &[f64],
    how: &LevenbergOptions<'_>,
    ctx: &Ctx,
) -> Result<(Option<LeastSquaresResult>, u64), ToolError> {
    numerics::optimise::minimise_doggedly(problem, start, how, &CallWatch(ctx))
        .map_err(|error| fit_error(error, ctx))
}
