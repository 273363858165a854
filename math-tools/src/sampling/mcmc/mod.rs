//! Sampling from a density by random-walk Metropolis, several chains at once.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use tool_core::{
    Bounded, Category, Ctx, ErrorCode, Example, Input, Numbers, Positive, Real, Seed, Spec, Syntax,
    Tool, ToolError, Value, Vector,
};

use super::blocks::Moments;
use super::diagnostics::{DRAWS_MIN, Diagnostics, diagnose};
use crate::expression::{Expression, Parameters, Scope};

mod kernel;
#[cfg(test)]
mod tests;

use kernel::{Chain, Plan};

/// Markov chain Monte Carlo.
#[derive(Debug)]
pub struct Mcmc;

/// Most dimensions of a density.
pub const DIMENSION_MAX: usize = 200;

/// R-hat above this means that the chains have not mixed (Vehtari et al. 2021).
const RHAT_MAX: f64 = 1.01;
/// Fewest effective draws per chain that make the diagnostics trustworthy (Vehtari et al. 2021).
const ESS_PER_CHAIN_MIN: f64 = 100.0;
/// Acceptance rates outside of this range mean a badly scaled proposal.
const ACCEPTANCE_RANGE: std::ops::Range<f64> = 0.05..0.8;

/// Draw from a distribution given the logarithm of its density (up to a constant) as an expression of `x0`, `x1`, ..., with
/// several adaptive random-walk Metropolis chains, and say how far to trust the draws: R-hat, effective sample sizes,
/// Monte Carlo errors.
///
/// During burn-in the proposal learns the scale and the covariance of the distribution; then it is frozen. A point where
/// the expression is NaN or minus infinity has density zero. The first chain starts at `x0`, the others around it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Logarithm of the density, an expression of `x0`, `x1`, ... (`x` = `x0`, `y` = `x1`, `z` = `x2`).
    pub log_density: String,
    /// Named numbers the expression uses, such as `{\"a\": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Start, one number per dimension (1 to 200), where the density is not zero.
    pub x0: Input<Vector>,
    /// Draws kept from each chain.
    #[serde(default = "default_draws")]
    pub n_samples: Bounded<1, 100_000_000>,
    /// Standard deviation of the first proposals in every dimension, and of the starts of further chains around `x0`; with
    /// `burnin` 0 it stays as it is.
    #[serde(default = "default_proposal")]
    pub proposal_std: Positive,
    /// Steps of each chain before the first draw is kept; the proposal adapts during these.
    #[serde(default = "default_burnin")]
    pub burnin: Bounded<0, 100_000_000>,
    /// Steps of each chain per kept draw.
    #[serde(default = "default_thin")]
    pub thin: Bounded<1, 1_000_000>,
    /// Number of chains; R-hat compares them.
    #[serde(default = "default_chains")]
    pub chains: Bounded<1, 256>,
    /// Seed of the random streams; 42 for a direct call where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Seed>,
    /// Whether the draws themselves are part of the result.
    #[serde(default = "default_return_samples")]
    pub return_samples: bool,
}

fn default_draws() -> Bounded<1, 100_000_000> {
    Bounded::literal(10_000)
}

fn default_proposal() -> Positive {
    Positive::literal(1.0)
}

fn default_burnin() -> Bounded<0, 100_000_000> {
    Bounded::literal(1000)
}

fn default_thin() -> Bounded<1, 1_000_000> {
    Bounded::literal(1)
}

fn default_chains() -> Bounded<1, 256> {
    Bounded::literal(4)
}

fn default_return_samples() -> bool {
    true
}

/// Draws and what they say about themselves.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Kept draws, `[chain][draw][dimension]`; absent when `return_samples` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Draws>,
    /// Share of accepted proposals after burn-in, over all chains.
    pub acceptance_rate: f64,
    /// Mean of all kept draws, per dimension.
    pub mean: Vec<f64>,
    /// Sample standard deviation of all kept draws (n - 1), per dimension; `"NaN"` for a single draw.
    pub std_dev: Vec<Real>,
    /// Sample covariance of all kept draws (n - 1), `[dimension][dimension]`; `"NaN"` for a single draw.
    pub covariance: Vec<Vec<Real>>,
    /// Bulk effective sample size per dimension: how many independent draws the mean is worth; `"NaN"` where it does not exist.
    pub ess: Vec<Real>,
    /// Tail effective sample size per dimension: the smaller of those of the 5 % and 95 % quantiles.
    pub ess_tail: Vec<Real>,
    /// Rank-normalised split R-hat per dimension; above 1.01 the chains have not mixed.
    pub rhat: Vec<Real>,
    /// Monte Carlo standard error of the mean, per dimension.
    pub mcse: Vec<Real>,
    /// Whether all R-hat are at most 1.01 and all effective sample sizes at least 100 per chain.
    pub converged: bool,
    /// Standard deviations of the proposals after burn-in, `[chain][dimension]`.
    pub proposal_std: Vec<Vec<f64>>,
    /// Whether the proposals were adapted (`burnin` > 0).
    pub adapted: bool,
    /// Kept draws per chain.
    pub n_samples: i64,
    /// Number of chains.
    pub chains: i64,
    /// Number of dimensions.
    pub dimension: usize,
    /// Evaluations of the density.
    pub evaluations: u64,
    /// Seed of the random streams.
    pub seed: Seed,
}

/// Kept draws, `[chain][draw][dimension]`, in one block.
#[derive(Debug, Clone)]
pub struct Draws(Value);

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
        tags: &["bayes", "posterior", "metropolis", "sampling"],
        syntax: &[("/log_density", Syntax::Expression)],
        output_bytes_max: Some(256 << 20), // the draws are the result
        ..Spec::seeded()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let start = args.x0.load(ctx)?;
        check_dimension(&start)?;
        let scope = Scope::point(start.len()).with_parameters(&args.parameters, "/parameters")?;
        let density = Expression::parse(&args.log_density, &scope)
            .map_err(|err| err.into_tool_error("/log_density"))?;
        check_start(&density, &start)?;
        let seed = ctx.seed(args.seed);
        let plan = Plan {
            density: &density,
            start: &start,
            draws: args.n_samples.size(),
            thin: args.thin.size(),
            burnin: args.burnin.size(),
            proposal_std: args.proposal_std.get(),
        };
        let chain_count = args.chains.size();
        reserve(&plan, chain_count, ctx)?;
        let evaluations = plan.evaluations().saturating_mul(chain_count as u64);
        ctx.count_evaluations(evaluations)?;
        let chains = kernel::run(&plan, chain_count, seed, ctx)?;
        let mut output = summarise(&plan, &chains, seed, ctx)?;
        if args.return_samples {
            output.samples = Some(draws(chains, &plan));
        }
        warn(&output, &args, ctx);
        Ok(output)
    }

    fn examples() -> Vec<Example<Args, Output>> {
        let args = Args {
            log_density: "if(x == 1, 0, log(0))".into(),
            parameters: Parameters::default(),
            x0: Input::inline([1.0]),
            n_samples: Bounded::literal(2),
            proposal_std: default_proposal(),
            burnin: Bounded::literal(0),
            thin: default_thin(),
            chains: Bounded::literal(1),
            seed: None,
            return_samples: true,
        };
        let undefined = || vec![Real(f64::NAN)];
        let output = Output {
            samples: Numbers::new(vec![1, 2, 1], vec![1.0, 1.0], false)
                .map(Value::Numbers)
                .map(Draws),
            acceptance_rate: 0.0,
            mean: vec![1.0],
            std_dev: vec![Real(0.0)],
            covariance: vec![vec![Real(0.0)]],
            ess: undefined(),
            ess_tail: undefined(),
            rhat: undefined(),
            mcse: undefined(),
            converged: false,
            proposal_std: vec![vec![1.0]],
            adapted: false,
            n_samples: 2,
            chains: 1,
            dimension: 1,
            evaluations: 3,
            seed: Seed::DEFAULT,
        };
        vec![Example {
            title: "a single point has all the density: the chain stays, and says that it did not converge",
            args,
            output,
        }]
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
        .hint("random-walk chains are hopeless in so many dimensions"));
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
    Err(ToolError::new(
        ErrorCode::Numeric,
        format_args!("the log density is not finite at `x0`: {cause}"),
    )
    .reason("domain")
    .at("/x0")
    .hint("start where the density is not zero"))
}

/// Draws, their copies for the diagnostics and the proposals' matrices.
fn reserve(plan: &Plan<'_>, chains: usize, ctx: &Ctx) -> Result<(), ToolError> {
    const COPIES: usize = 2; // as drawn, and as one block
    const PER_DRAW_OF_ONE_DIMENSION: usize = 24; // halves, ranks, order, spectrum
    let dimension = plan.start.len();
    let draws = plan.draws.saturating_mul(chains);
    ctx.reserve_doubles(draws.saturating_mul(COPIES * dimension + PER_DRAW_OF_ONE_DIMENSION))?;
    ctx.reserve_doubles(dimension * dimension * 3 * chains)
}

/// The draws of all chains as one block.
fn draws(chains: Vec<Chain>, plan: &Plan<'_>) -> Draws {
    let shape = vec![chains.len(), plan.draws, plan.start.len()];
    let data = chains.into_iter().flat_map(|chain| chain.draws).collect();
    let block = Numbers::new(shape, data, false)
        .expect("every chain holds `draws` times `dimension` numbers, at least one");
    Draws(Value::Numbers(block))
}

fn summarise(
    plan: &Plan<'_>,
    chains: &[Chain],
    seed: Seed,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let dimension = plan.start.len();
    let mut diagnostics: Vec<Diagnostics> = Vec::with_capacity(dimension);
    let mut mean = Vec::with_capacity(dimension);
    for axis in 0..dimension {
        ctx.check()?;
        let columns: Vec<Vec<f64>> = chains
            .iter()
            .map(|chain| {
                chain.draws[axis..]
                    .iter()
                    .step_by(dimension)
                    .copied()
                    .collect()
            })
            .collect();
        mean.push(
            Moments::join_all(columns.iter().map(|column| Moments::of(column)).collect()).mean,
        );
        diagnostics.push(diagnose(&columns, ctx)?);
    }
    let covariance = covariance(chains, &mean, ctx)?;
    let count = (chains.len() * plan.draws) as f64;
    if !covariance
        .iter()
        .flatten()
        .all(|entry| entry.is_finite() || count < 2.0)
    {
        return Err(ToolError::new(
            ErrorCode::Numeric,
            "the draws run off to infinity: the density has no finite integral",
        )
        .reason("improper")
        .at("/log_density")
        .hint("the log density must fall faster than -log|x| in every direction"));
    }
    let real =
        |f: fn(&Diagnostics) -> f64| diagnostics.iter().map(|found| Real(f(found))).collect();
    let enough = ESS_PER_CHAIN_MIN * chains.len() as f64;
    let good = |found: &Diagnostics| {
        found.rhat <= RHAT_MAX && found.ess_bulk.min(found.ess_tail) >= enough
    };
    Ok(Output {
        samples: None,
        acceptance_rate: chains
            .iter()
            .map(|chain| chain.accepted as f64)
            .sum::<f64>()
            / (count * plan.thin as f64),
        mean,
        std_dev: (0..dimension)
            .map(|axis| Real(covariance[axis][axis].sqrt()))
            .collect(),
        covariance: covariance
            .iter()
            .map(|row| row.iter().copied().map(Real).collect())
            .collect(),
        ess: real(|found| found.ess_bulk),
        ess_tail: real(|found| found.ess_tail),
        rhat: real(|found| found.rhat),
        mcse: real(|found| found.mcse),
        converged: diagnostics.iter().all(good),
        proposal_std: chains
            .iter()
            .map(|chain| chain.proposal_std.clone())
            .collect(),
        adapted: plan.burnin > 0,
        n_samples: plan.draws as i64,
        chains: chains.len() as i64,
        dimension,
        evaluations: plan.evaluations().saturating_mul(chains.len() as u64),
        seed,
    })
}

/// Sample covariance over all draws of all chains.
fn covariance(chains: &[Chain], mean: &[f64], ctx: &Ctx) -> Result<Vec<Vec<f64>>, ToolError> {
    let dimension = mean.len();
    let mut sums = vec![vec![0.0; dimension]; dimension];
    let mut count = 0.0;
    for draw in chains
        .iter()
        .flat_map(|chain| chain.draws.chunks_exact(dimension))
    {
        ctx.check()?;
        count += 1.0;
        for (row, sums) in sums.iter_mut().enumerate() {
            let deviation = draw[row] - mean[row];
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum += deviation * (draw[column] - mean[column]);
            }
        }
    }
    sums.iter_mut()
        .flatten()
        .for_each(|sum| *sum /= count - 1.0);
    Ok(sums)
}

/// Says what the reader must know before using the draws.
fn warn(output: &Output, args: &Args, ctx: &Ctx) {
    let axes = |bad: &dyn Fn(usize) -> bool| -> String {
        let found: Vec<String> = (0..output.dimension)
            .filter(|&axis| bad(axis))
            .map(|axis| format!("x{axis}"))
            .collect();
        found.join(", ")
    };
    let largest = output
        .rhat
        .iter()
        .map(|rhat| rhat.0)
        .fold(f64::NAN, f64::max);
    let unmixed = axes(&|axis| output.rhat[axis].0 > RHAT_MAX);
    if !unmixed.is_empty() {
        ctx.warn(format!("R-hat is above {RHAT_MAX} (largest {largest:.3}) for {unmixed}: the chains have not mixed; do not use the draws, raise `burnin` and `n_samples`"));
    }
    let enough = ESS_PER_CHAIN_MIN * output.chains as f64;
    let few = axes(&|axis| output.ess[axis].0.min(output.ess_tail[axis].0) < enough);
    if !few.is_empty() {
        ctx.warn(format!("fewer than {enough} effective draws for {few}: raise `n_samples`, or `thin` if the result grows too large"));
    }
    let unknown = axes(&|axis| output.rhat[axis].0.is_nan());
    if !unknown.is_empty() {
        ctx.warn(format!(
            "no diagnostics for {unknown}: fewer than {DRAWS_MIN} draws, or chains that never moved"
        ));
    }
    if !ACCEPTANCE_RANGE.contains(&output.acceptance_rate) {
        ctx.warn(format!(
            "{:.1} % of the proposals were accepted: {}",
            100.0 * output.acceptance_rate,
            if args.burnin.get() == 0 {
                "set `proposal_std` to the width of the distribution, or let it adapt with `burnin`"
            } else {
                "raise `burnin`"
            }
        ));
    }
    if output.chains == 1 {
        ctx.warn("a single chain cannot show that it missed a part of the distribution: use several `chains`");
    }
}
