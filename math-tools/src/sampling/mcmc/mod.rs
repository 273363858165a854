//! Sampling from a density by the No-U-Turn sampler or random-walk Metropolis, several chains at once.
//!
//! `model` has the arguments and results, `density` the expression as a density, `report` the summary in the words of the tool; the samplers
//! are those of [`numerics::sampling::mcmc`].

use numerics::sampling::diagnostics::{AXES_AT_ONCE, DOUBLES_PER_DRAW};
use numerics::sampling::mcmc::{
    ChainSchedule, MarkovChain, TransitionKernel, run_chains, summarise_chains,
};

use self::density::ExpressionDensity;
use super::blocks::{sampling_error, too_many_dimensions};
use crate::call_watch::CallWatch;
use crate::expression::{Expression, ExpressionSystem, unknowns};
use crate::prelude::*;

mod density;
pub(super) mod model;
pub(super) mod report;
#[cfg(test)]
mod tests;

use model::KeptDraws;
pub(crate) use model::{Args, DIMENSION_MAX, McmcMethod, Output};
#[cfg(test)]
pub(crate) use model::{MetricForm, NutsReport};

/// The acceptance that `nuts` adapts its steps to where the arguments set none.
const TARGET_ACCEPT: f64 = 0.8;

impl Tool for Args {
    const SPEC: Spec = Spec {
        inline_if: Some("/return_samples"),
        ..Spec::named("mcmc", "Markov chain Monte Carlo")
            .seeded()
            .tags(&[
                "bayes",
                "posterior",
                "metropolis",
                "nuts",
                "hamiltonian",
                "sampling",
            ])
            .syntax(&[("/log_density", Syntax::Expression)])
            .large()
    };
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a single point has all the density: the chain stays, and says that it did not converge":
            r#"{"log_density": "if(x == 1, 0, log(0))", "x0": [1], "n_samples": 2, "burnin": 0,
                "chains": 1}"#
            => r#"{"samples": [[[1.0], [1.0]]], "method": "metropolis", "acceptance_rate": 0.0,
                "summary": [{"name": "x0", "mean": 1.0, "std_dev": 0.0, "q5": 1.0, "q50": 1.0,
                    "q95": 1.0, "ess": "NaN", "rhat": "NaN"}],
                "mean": [1.0], "std_dev": [0.0], "covariance": [[0.0]], "ess": ["NaN"],
                "ess_tail": ["NaN"], "rhat": ["NaN"], "mcse": ["NaN"], "converged": false,
                "reason": "undefined", "proposal_std": [[1.0]], "adapted": false, "n_samples": 2,
                "chains": 1, "dimension": 1, "evaluations": 3, "seed": 42}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let start = args.x0.load(ctx)?;
        check_dimension(&start)?;
        let (variables, data) = ((start.len(), start.names()), args.data.as_ref());
        let scope = unknowns::unknowns_scope(variables, data, &args.parameters, "/x0", ctx)?;
        let density = Expression::parse(&args.log_density, &scope)
            .map_err(|err| err.into_tool_error("/log_density"))?;
        unknowns::check_use(data, [&density], ctx)?;
        check_start(&density, &start)?;
        let gradient = density_gradient(&density, &start, args.method)?;
        let kernel = choose_kernel(gradient.is_some(), args.target_accept)?;
        let seed = ctx.seed(args.seed);
        let level = ExpressionDensity {
            level: &density,
            gradient: gradient.as_ref(),
        };
        let plan = ChainSchedule {
            density: &level,
            start: &start,
            draws: args.n_samples.size(),
            thin: args.thin.size(),
            burnin: args.burnin.size(),
            proposal_std: args.proposal_std.get(),
            kernel,
        };
        let chain_count = args.chains.size();
        reserve_draws(&plan, chain_count, ctx)?;
        let watch = CallWatch(ctx);
        let error = |error| sampling_error(error, "/log_density", ctx);
        let chains = run_chains(&plan, chain_count, seed.get(), &watch).map_err(error)?;
        let found = summarise_chains(&plan, &chains, &watch).map_err(error)?;
        let mut output = report::chain_output(&plan, &chains, found, seed);
        if args.return_samples != Some(false) {
            output.samples = Some(collect_draws(chains, &plan));
        }
        output.names = start.names().map(<[String]>::to_vec);
        for (row, name) in output
            .summary
            .iter_mut()
            .zip(start.names().unwrap_or_default())
        {
            row.name.clone_from(name);
        }
        report::warn_of_unusable_draws(&output, &args, ctx);
        Ok(output)
    }
}

fn check_dimension(start: &[f64]) -> Result<(), ToolError> {
    if start.is_empty() {
        let message = "expected one number per dimension, found an empty list";
        return Err(ToolError::invalid("/x0", message).hint("for example [0] for one dimension"));
    }
    match too_many_dimensions(start.len(), DIMENSION_MAX) {
        Some(error) => Err(error
            .at("/x0")
            .hint("split the density into independent parts")),
        None => Ok(()),
    }
}

/// The chain must start where the density is positive and finite.
fn check_start(density: &Expression, start: &[f64]) -> Result<(), ToolError> {
    if density.evaluator().eval(start).is_finite() {
        return Ok(());
    }
    let cause = density.value(start).err();
    let cause = cause.map_or_else(|| "it is infinite".to_owned(), |cause| cause.to_string());
    let message = format!("the log density is not finite at `x0`: {cause}");
    let error = ToolError::numeric("/x0", message).reason("domain");
    Err(error.hint("start where the density is not zero"))
}

/// The density with its derivatives, for `nuts`; `None` for `metropolis`.
///
/// # Errors
/// When `nuts` is requested and there is no gradient at the start.
fn density_gradient(
    density: &Expression,
    start: &[f64],
    method: McmcMethod,
) -> Result<Option<ExpressionSystem>, ToolError> {
    let smooth = || density.ast().is_smooth();
    if method == McmcMethod::Metropolis || (method == McmcMethod::Auto && !smooth()) {
        return Ok(None);
    }
    let slots: Vec<usize> = (0..start.len()).collect();
    let found = ExpressionSystem::value_and_gradient(density, &slots)
        .map_err(|err| err.to_string())
        .and_then(|system| {
            let mut values = vec![0.0; start.len() + 1];
            system.evaluator().point(start, &mut values);
            match values.iter().all(|value| value.is_finite()) {
                true => Ok(system),
                false => Err("the gradient is not finite at `x0`".to_owned()),
            }
        });
    match (found, method) {
        (Ok(system), _) => Ok(Some(system)),
        (Err(cause), McmcMethod::Nuts) => {
            let message = format!("`nuts` needs the gradient of the log density: {cause}");
            let error = ToolError::invalid("/method", message).reason("gradient");
            Err(error.hint("use `metropolis`"))
        }
        (Err(_), _) => Ok(None),
    }
}

/// Transition kernel of the chains.
fn choose_kernel(
    has_gradient: bool,
    target_accept: Option<Probability>,
) -> Result<TransitionKernel, ToolError> {
    const RANGE: std::ops::RangeInclusive<f64> = 0.6..=0.99;
    let target = target_accept.map(Probability::get);
    match (has_gradient, target) {
        (_, Some(target)) if !RANGE.contains(&target) => {
            let message = format!("expected a number from 0.6 to 0.99, found {target}");
            let error = ToolError::invalid("/target_accept", message);
            Err(error.hint("0.8 is usual, 0.95 avoids most divergences"))
        }
        (false, Some(_)) => {
            let message =
                "`target_accept` is an argument of `nuts`, but the method is `metropolis`";
            let error = ToolError::invalid("/target_accept", message).reason("method");
            Err(error.hint("leave it out, or set `method` to \"nuts\""))
        }
        (false, None) => Ok(TransitionKernel::Metropolis),
        (true, target) => Ok(TransitionKernel::Nuts {
            target_accept: target.unwrap_or(TARGET_ACCEPT),
        }),
    }
}

/// Draws, their copies for the diagnostics and the proposals' matrices.
fn reserve_draws(plan: &ChainSchedule<'_>, chains: usize, ctx: &Ctx) -> Result<(), ToolError> {
    const COPIES: usize = 2; // as drawn, and as one block
    let dimension = plan.start.len();
    let draws = plan.draws.saturating_mul(chains);
    let diagnosed = DOUBLES_PER_DRAW * dimension.min(AXES_AT_ONCE);
    ctx.reserve_doubles(draws.saturating_mul(COPIES * dimension + diagnosed))?;
    ctx.reserve_doubles(dimension * (4 * dimension + 100) * chains) // matrices, and the states of trajectories
}

/// The draws of all chains as one block.
fn collect_draws(chains: Vec<MarkovChain>, plan: &ChainSchedule<'_>) -> KeptDraws {
    let shape = vec![chains.len(), plan.draws, plan.start.len()];
    let data = chains.into_iter().flat_map(|chain| chain.draws).collect();
    let block = Numbers::new(shape, data, false)
        .expect("every chain holds `draws` times `dimension` numbers, at least one");
    KeptDraws(Value::Numbers(block))
}
