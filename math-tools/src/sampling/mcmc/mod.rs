//! Sampling from a density by the No-U-Turn sampler or random-walk Metropolis, several chains at once.
//!
//! `kernel` says what every chain does; `nuts`, `trajectory` and `hamiltonian` are the one sampler, `metropolis` the other; `warmup` is
//! what both learn with, `report` what is said of the draws.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use tool_core::{
    Bounded, Category, Ctx, ErrorCode, Input, JsonExample, Numbers, Positive, Probability, Real,
    Seed, Spec, Syntax, Tool, ToolError, Value, Vector,
};

use crate::expression::{Expression, Parameters, Scope, System};

mod hamiltonian;
mod kernel;
mod metropolis;
mod nuts;
pub(super) mod report;
#[cfg(test)]
mod tests;
mod trajectory;
mod warmup;

use kernel::{Chain, Plan, Sampler};
use report::Unconverged;

/// Markov chain Monte Carlo.
#[derive(Debug)]
pub(crate) struct Mcmc;

/// Most dimensions of a density.
pub(crate) const DIMENSION_MAX: usize = 200;

/// The acceptance that `nuts` adapts its steps to where the arguments set none.
const TARGET_ACCEPT: f64 = 0.8;

/// Draw from a distribution given the logarithm of its density (up to a constant) as an expression of `x0`, `x1`, ..., with
/// several chains of the No-U-Turn sampler (on exact gradients) or of adaptive random-walk Metropolis, and say how far to trust
/// the draws: R-hat, effective sample sizes, Monte Carlo errors.
///
/// During burn-in the sampler learns the scale and the covariance of the distribution; then it is frozen. A point where
/// the expression is NaN or minus infinity has density zero. The first chain starts at `x0`, the others around it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Logarithm of the density, an expression of `x0`, `x1`, ... (`x` = `x0`, `y` = `x1`, `z` = `x2`).
    pub log_density: String,
    /// Named numbers the expression uses, such as `{\"a\": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Start, one number per dimension (1 to 200), where the density is not zero.
    #[schemars(extend("x-shape" = ["d"]))]
    pub x0: Input<Vector>,
    /// `nuts` (No-U-Turn sampler; needs the gradient), `metropolis` (random walk; for densities with steps, kinks or bounds), or
    /// `auto`: `nuts` where the expression has a derivative at `x0` and no `if`, comparison, `abs`, `min`, `max`, `floor`, `%` or
    /// other step or kink, else `metropolis`.
    #[serde(default)]
    pub method: Method,
    /// Draws kept from each chain.
    #[serde(default = "Bounded::<1, 100_000_000>::of::<10_000>")]
    pub n_samples: Bounded<1, 100_000_000>,
    /// Standard deviation of the first proposals in every dimension, and of the starts of further chains around `x0`; with
    /// `burnin` 0 it stays as it is. For `nuts` it is the first guess of the scale.
    #[serde(default = "default_proposal")]
    pub proposal_std: Positive,
    /// Steps of each chain before the first draw is kept; the sampler adapts during these.
    #[serde(default = "Bounded::<0, 100_000_000>::of::<1000>")]
    pub burnin: Bounded<0, 100_000_000>,
    /// Steps of each chain per kept draw.
    #[serde(default = "Bounded::<1, 1_000_000>::of::<1>")]
    pub thin: Bounded<1, 1_000_000>,
    /// For `nuts`: the mean acceptance along trajectories that the step size is adapted to, 0.6 to 0.99; higher means smaller steps
    /// and fewer divergences. 0.8 where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.6, max = 0.99))]
    pub target_accept: Option<Probability>,
    /// Number of chains; R-hat compares them.
    #[serde(default = "Bounded::<1, 256>::of::<4>")]
    pub chains: Bounded<1, 256>,
    /// Seed of the random streams; 42 for a direct call where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Seed>,
    /// Whether the draws themselves are part of the result.
    #[serde(default = "default_return_samples")]
    pub return_samples: bool,
}

fn default_proposal() -> Positive {
    Positive::literal(1.0)
}

fn default_return_samples() -> bool {
    true
}

/// The sampler.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    /// `nuts` for smooth expressions, else `metropolis`.
    #[default]
    Auto,
    /// Random-walk Metropolis with an adapted proposal.
    Metropolis,
    /// The No-U-Turn sampler with an adapted metric and step size.
    Nuts,
}

/// Draws and what they say about themselves.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Kept draws, `[chain][draw][dimension]`; absent when `return_samples` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shape" = ["chains", "n_samples", "d"]))]
    #[schemars(extend("x-present" = { "return_samples": true }))]
    pub samples: Option<Draws>,
    /// The method that was used: `nuts` or `metropolis`.
    pub method: Method,
    /// Share of accepted proposals after burn-in, over all chains; for `nuts` the mean acceptance along trajectories.
    pub acceptance_rate: f64,
    /// Mean of all kept draws, per dimension.
    #[schemars(extend("x-shape" = ["d"]))]
    pub mean: Vec<f64>,
    /// Sample standard deviation of all kept draws (n - 1), per dimension; `"NaN"` for a single draw.
    #[schemars(extend("x-shape" = ["d"]))]
    pub std_dev: Vec<Real>,
    /// Sample covariance of all kept draws (n - 1), `[dimension][dimension]`; `"NaN"` for a single draw.
    #[schemars(extend("x-shape" = ["d", "d"]))]
    pub covariance: Vec<Vec<Real>>,
    /// Bulk effective sample size per dimension: how many independent draws the mean is worth; `"NaN"` where it does not exist.
    #[schemars(extend("x-shape" = ["d"]))]
    pub ess: Vec<Real>,
    /// Tail effective sample size per dimension: the smaller of those of the 5 % and 95 % quantiles.
    #[schemars(extend("x-shape" = ["d"]))]
    pub ess_tail: Vec<Real>,
    /// Rank-normalised split R-hat per dimension; above 1.01 the chains have not mixed.
    #[schemars(extend("x-shape" = ["d"]))]
    pub rhat: Vec<Real>,
    /// Monte Carlo standard error of the mean, per dimension.
    #[schemars(extend("x-shape" = ["d"]))]
    pub mcse: Vec<Real>,
    /// Whether all R-hat are at most 1.01 and all effective sample sizes at least 100 per chain; for `nuts` also at most 1 % of the
    /// trajectories diverged and no energy fraction is below 0.3.
    pub converged: bool,
    /// Reason they have not converged; absent when they have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Unconverged>,
    /// Standard deviations of the proposals (`nuts`: of the metric) after burn-in, `[chain][dimension]`.
    #[schemars(extend("x-shape" = ["chains", "d"]))]
    pub proposal_std: Vec<Vec<f64>>,
    /// Whether the sampler was adapted (`burnin` > 0).
    pub adapted: bool,
    /// Kept draws per chain.
    pub n_samples: i64,
    /// Number of chains.
    pub chains: i64,
    /// Number of dimensions.
    pub dimension: usize,
    /// Evaluations of the density, for `nuts` with its gradient.
    pub evaluations: u64,
    /// Statistics of the trajectories of `nuts`; absent for `metropolis`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-present" = { "method": "nuts" }))]
    pub nuts: Option<Nuts>,
    /// Seed of the random streams.
    pub seed: Seed,
}

/// Statistics of the trajectories of the No-U-Turn sampler after burn-in.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Nuts {
    /// Trajectories whose energy rose by more than 1000, over all chains: the draws may miss a part of the distribution near them.
    pub divergences: u64,
    /// Trajectories that came where the density is zero, over all chains; harmless but slow.
    pub outside: u64,
    /// Trajectories that had not turned after 1023 steps (tree depth 10), over all chains.
    pub tree_depth_saturated: u64,
    /// Leapfrog step per chain, in units of the metric.
    pub step_size: Vec<f64>,
    /// Form of the metric per chain: `dense` when the last window of burn-in had a correlation beyond 0.5, in 50 dimensions or fewer.
    pub metric: Vec<Metric>,
    /// Energy Bayesian fraction of missing information per chain; below 0.3 the tails are explored too slowly.
    pub bfmi: Vec<Real>,
}

/// The form of the metric, the covariance that trajectories are scaled by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Metric {
    /// A standard deviation per dimension.
    Diagonal,
    /// A whole covariance.
    Dense,
}

/// Kept draws, `[chain][draw][dimension]`, in one block.
#[derive(Debug, Clone)]
pub(crate) struct Draws(Value);

impl Serialize for Draws {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for Draws {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Draws".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } } })
    }
}

impl Tool for Mcmc {
    const SPEC: Spec = Spec {
        id: "mcmc",
        version: 1,
        title: "Markov chain Monte Carlo",
        category: Category::Math,
        tags: &[
            "bayes",
            "posterior",
            "metropolis",
            "nuts",
            "hamiltonian",
            "sampling",
        ],
        syntax: &[("/log_density", Syntax::Expression)],
        output_bytes_max: Some(256 << 20), // the draws are the result
        ..Spec::seeded()
    };
    type Args = Args;
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a single point has all the density: the chain stays, and says that it did not converge",
        args: r#"{"log_density": "if(x == 1, 0, log(0))", "x0": [1], "n_samples": 2, "burnin": 0,
                "chains": 1}"#,
        output: r#"{"samples": [[[1.0], [1.0]]], "method": "metropolis", "acceptance_rate": 0.0,
                "mean": [1.0], "std_dev": [0.0], "covariance": [[0.0]], "ess": ["NaN"],
                "ess_tail": ["NaN"], "rhat": ["NaN"], "mcse": ["NaN"], "converged": false,
                "reason": "undefined", "proposal_std": [[1.0]], "adapted": false, "n_samples": 2,
                "chains": 1, "dimension": 1, "evaluations": 3, "seed": 42}"#,
    }];

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let start = args.x0.load(ctx)?;
        check_dimension(&start)?;
        let scope = Scope::point(start.len()).with_parameters(&args.parameters, "/parameters")?;
        let density = Expression::parse(&args.log_density, &scope)
            .map_err(|err| err.into_tool_error("/log_density"))?;
        check_start(&density, &start)?;
        let gradient = gradient(&density, &start, args.method)?;
        let sampler = sampler(gradient.as_ref(), args.target_accept)?;
        let seed = ctx.seed(args.seed);
        let plan = Plan {
            density: &density,
            start: &start,
            draws: args.n_samples.size(),
            thin: args.thin.size(),
            burnin: args.burnin.size(),
            proposal_std: args.proposal_std.get(),
            sampler,
        };
        let chain_count = args.chains.size();
        reserve(&plan, chain_count, ctx)?;
        let chains = kernel::run(&plan, chain_count, seed, ctx)?;
        let mut output = report::summarise(&plan, &chains, seed, ctx)?;
        if args.return_samples {
            output.samples = Some(draws(chains, &plan));
        }
        report::warn(&output, &args, ctx);
        Ok(output)
    }
}

fn check_dimension(start: &[f64]) -> Result<(), ToolError> {
    if start.is_empty() {
        return Err(ToolError::invalid(
            "/x0",
            "expected one number per dimension, found an empty list",
        )
        .hint("for example [0] for one dimension"));
    }
    if start.len() > DIMENSION_MAX {
        return Err(ToolError::new(
            ErrorCode::LimitExceeded,
            format_args!(
                "expected at most {DIMENSION_MAX} dimensions, found {}",
                start.len()
            ),
        )
        .reason("dimension")
        .at("/x0")
        .hint("split the density into independent parts"));
    }
    Ok(())
}

/// The chain must start where the density is positive and finite.
fn check_start(density: &Expression, start: &[f64]) -> Result<(), ToolError> {
    if density.evaluator().eval(start).is_finite() {
        return Ok(());
    }
    let cause = density
        .value(start)
        .err()
        .map_or_else(|| "it is infinite".to_owned(), |cause| cause.to_string());
    Err(ToolError::numeric(
        "/x0",
        format_args!("the log density is not finite at `x0`: {cause}"),
    )
    .reason("domain")
    .hint("start where the density is not zero"))
}

/// The density with its derivatives, for `nuts`; `None` for `metropolis`.
///
/// # Errors
/// When `nuts` is requested and there is no gradient at the start.
fn gradient(
    density: &Expression,
    start: &[f64],
    method: Method,
) -> Result<Option<System>, ToolError> {
    let smooth = || density.ast().is_smooth();
    if method == Method::Metropolis || (method == Method::Auto && !smooth()) {
        return Ok(None);
    }
    let slots: Vec<usize> = (0..start.len()).collect();
    let found = System::value_and_gradient(density, &slots)
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
        (Err(cause), Method::Nuts) => Err(ToolError::invalid(
            "/method",
            format_args!("`nuts` needs the gradient of the log density: {cause}"),
        )
        .reason("gradient")
        .hint("use `metropolis`")),
        (Err(_), _) => Ok(None),
    }
}

/// Transition kernel of the chains.
fn sampler(
    gradient: Option<&System>,
    target_accept: Option<Probability>,
) -> Result<Sampler<'_>, ToolError> {
    const RANGE: std::ops::RangeInclusive<f64> = 0.6..=0.99;
    let target = target_accept.map(Probability::get);
    match (gradient, target) {
        (_, Some(target)) if !RANGE.contains(&target) => Err(ToolError::invalid(
            "/target_accept",
            format_args!("expected a number from 0.6 to 0.99, found {target}"),
        )
        .hint("0.8 is usual, 0.95 avoids most divergences")),
        (None, Some(_)) => Err(ToolError::invalid(
            "/target_accept",
            "`target_accept` is an argument of `nuts`, but the method is `metropolis`",
        )
        .reason("method")
        .hint("leave it out, or set `method` to \"nuts\"")),
        (None, None) => Ok(Sampler::Metropolis),
        (Some(gradient), target) => Ok(Sampler::Nuts {
            gradient,
            target_accept: target.unwrap_or(TARGET_ACCEPT),
        }),
    }
}

/// Draws, their copies for the diagnostics and the proposals' matrices.
fn reserve(plan: &Plan<'_>, chains: usize, ctx: &Ctx) -> Result<(), ToolError> {
    const COPIES: usize = 2; // as drawn, and as one block
    let dimension = plan.start.len();
    let draws = plan.draws.saturating_mul(chains);
    let diagnosed = report::PER_DRAW * dimension.min(report::AXES_AT_ONCE);
    ctx.reserve_doubles(draws.saturating_mul(COPIES * dimension + diagnosed))?;
    ctx.reserve_doubles(dimension * (4 * dimension + 100) * chains) // matrices, and the states of trajectories
}

/// The draws of all chains as one block.
fn draws(chains: Vec<Chain>, plan: &Plan<'_>) -> Draws {
    let shape = vec![chains.len(), plan.draws, plan.start.len()];
    let data = chains.into_iter().flat_map(|chain| chain.draws).collect();
    let block = Numbers::new(shape, data, false)
        .expect("every chain holds `draws` times `dimension` numbers, at least one");
    Draws(Value::Numbers(block))
}
