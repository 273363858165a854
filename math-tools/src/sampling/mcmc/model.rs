//! Arguments and results of `mcmc`, and the thresholds of convergence.

use numerics::sampling::diagnostics::UnconvergedEvidence;
use numerics::sampling::mcmc::MetricShape;
use tool_core::schema::json;
use tool_core::{
    BoundedInteger, Decode, Describe, Encode, EncodeError, Encoder, Input, Positive, Probability,
    RandomSeed, Real, Table, Value,
};

use crate::expression::NamedParameters;
use crate::expression::unknowns::StartPoint;

/// Most dimensions of a density.
pub(crate) const DIMENSION_MAX: usize = 200;

/// Draw from a distribution given the logarithm of its density, up to a constant, and say how far to trust the draws. By several chains
/// of the No-U-Turn sampler (on exact gradients) or of adaptive random-walk Metropolis; with R-hat, effective sample sizes and
/// Monte Carlo errors.
///
/// During burn-in the sampler learns the scale and the covariance of the distribution; then it is frozen. A point where
/// the expression is NaN or minus infinity has density zero. The first chain starts at `x0`, the others around it.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Logarithm of the density, an expression of `x0`, `x1`, ... (`x` = `x0`, `y` = `x1`, `z` = `x2`) or of the names of `x0`; a sum
    /// of densities such as `normal_lpdf(x, mu, sigma)`.
    pub log_density: String,
    /// Named numbers the expression uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers. The density names them and reduces them to one number, such as `sum(normal_lpdf(y, x0 + x1*t, 1))`; inline
    /// or from a file.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Start, one number per dimension (1 to 200), where the density is not zero: a list, or an object with the names of the
    /// variables, such as `{"a": 1, "b": 0}`.
    #[schema(extend("x-shape" = ["d"]))]
    pub x0: Input<StartPoint>,
    /// `nuts` (No-U-Turn sampler; needs the gradient), `metropolis` (random walk; for densities with steps, kinks or bounds), or
    /// `auto`: `nuts` where the expression has a derivative at `x0` and no `if`, comparison, `abs`, `min`, `max`, `floor`, `%` or
    /// other step or kink, else `metropolis`.
    #[value(default)]
    pub method: McmcMethod,
    /// Draws kept from each chain.
    #[value(default = "BoundedInteger::<1, 100_000_000>::of::<10_000>")]
    pub n_samples: BoundedInteger<1, 100_000_000>,
    /// Standard deviation of the first proposals in every dimension, and of the starts of further chains around `x0`; with
    /// `burnin` 0 it stays as it is. For `nuts` it is the first guess of the scale.
    #[value(default = "default_proposal")]
    pub proposal_std: Positive,
    /// Steps of each chain before the first draw is kept; the sampler adapts during these.
    #[value(default = "BoundedInteger::<0, 100_000_000>::of::<1000>")]
    pub burnin: BoundedInteger<0, 100_000_000>,
    /// Steps of each chain per kept draw.
    #[value(default = "BoundedInteger::<1, 1_000_000>::of::<1>")]
    pub thin: BoundedInteger<1, 1_000_000>,
    /// For `nuts`: the mean acceptance along trajectories that the step size is adapted to, 0.6 to 0.99; higher means smaller steps
    /// and fewer divergences. 0.8 where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(range(min = 0.6, max = 0.99))]
    pub target_accept: Option<Probability>,
    /// Number of chains; R-hat compares them.
    #[value(default = "BoundedInteger::<1, 256>::of::<4>")]
    pub chains: BoundedInteger<1, 256>,
    /// Seed of the random streams; 42 for a direct call where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
    /// Whether the draws are part of the result. Absent: they are, and an answer that a model reads has a handle for many of them; `true` puts
    /// them into the answer up to its limit.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub return_samples: Option<bool>,
}

fn default_proposal() -> Positive {
    Positive::literal(1.0)
}

/// The sampler.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum McmcMethod {
    /// `nuts` for smooth expressions, else `metropolis`.
    #[default]
    Auto,
    /// Random-walk Metropolis with an adapted proposal.
    Metropolis,
    /// The No-U-Turn sampler with an adapted metric and step size.
    Nuts,
}

/// Draws and what they say about themselves.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// Kept draws, `[chain][draw][dimension]`; absent when `return_samples` is false.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["chains", "n_samples", "d"]))]
    #[schema(extend("x-present" = { "return_samples": { "not": false } }))]
    pub samples: Option<KeptDraws>,
    /// The method that was used: `nuts` or `metropolis`.
    pub method: McmcMethod,
    /// Share of accepted proposals after burn-in, over all chains; for `nuts` the mean acceptance along trajectories.
    pub acceptance_rate: f64,
    /// A row for each dimension: name, mean, standard deviation, quantiles 5 %, 50 % and 95 %, effective sample size and R-hat.
    pub summary: Vec<DimensionSummary>,
    /// Mean of all kept draws, per dimension.
    #[schema(extend("x-shape" = ["d"]))]
    pub mean: Vec<f64>,
    /// Sample standard deviation of all kept draws (n - 1), per dimension; `"NaN"` for a single draw.
    #[schema(extend("x-shape" = ["d"]))]
    pub std_dev: Vec<Real>,
    /// Sample covariance of all kept draws (n - 1), `[dimension][dimension]`; `"NaN"` for a single draw.
    #[schema(extend("x-shape" = ["d", "d"]))]
    pub covariance: Vec<Vec<Real>>,
    /// Bulk effective sample size per dimension: how many independent draws the mean is worth; `"NaN"` where it does not exist.
    #[schema(extend("x-shape" = ["d"]))]
    pub ess: Vec<Real>,
    /// Tail effective sample size per dimension: the smaller of those of the 5 % and 95 % quantiles.
    #[schema(extend("x-shape" = ["d"]))]
    pub ess_tail: Vec<Real>,
    /// Rank-normalised split R-hat per dimension; above 1.01 the chains have not mixed.
    #[schema(extend("x-shape" = ["d"]))]
    pub rhat: Vec<Real>,
    /// Monte Carlo standard error of the mean, per dimension.
    #[schema(extend("x-shape" = ["d"]))]
    pub mcse: Vec<Real>,
    /// Whether all R-hat are at most 1.01 and all effective sample sizes at least 100 per chain; for `nuts` also at most 1 % of the
    /// trajectories diverged and no energy fraction is below 0.3.
    pub converged: bool,
    /// Reason they have not converged; absent when they have.
    #[value(skip_encoding_if = "Option::is_none")]
    pub reason: Option<UnconvergedReason>,
    /// Standard deviations of the proposals (`nuts`: of the metric) after burn-in, `[chain][dimension]`.
    #[schema(extend("x-shape" = ["chains", "d"]))]
    pub proposal_std: Vec<Vec<f64>>,
    /// Whether the sampler was adapted (`burnin` > 0).
    pub adapted: bool,
    /// Kept draws per chain.
    pub n_samples: i64,
    /// Number of chains.
    pub chains: i64,
    /// Number of dimensions.
    pub dimension: usize,
    /// The names of the dimensions, in the order of `mean`, where `x0` has names.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "x0": { "is": "named" } }))]
    pub names: Option<Vec<String>>,
    /// Evaluations of the density, for `nuts` with its gradient.
    pub evaluations: u64,
    /// Statistics of the trajectories of `nuts`; absent for `metropolis`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": "nuts" }))]
    pub nuts: Option<NutsReport>,
    /// Seed of the random streams.
    pub seed: RandomSeed,
}

/// What the draws say of one dimension.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct DimensionSummary {
    /// Name: that of `x0`, or `x0`, `x1`, ...
    pub name: String,
    /// Mean.
    pub mean: f64,
    /// Standard deviation; `"NaN"` for a single draw.
    pub std_dev: Real,
    /// Quantile 0.05 of the draws.
    pub q5: f64,
    /// Median.
    pub q50: f64,
    /// Quantile 0.95 of the draws.
    pub q95: f64,
    /// Effective sample size of the bulk; `"NaN"` where it does not exist.
    pub ess: Real,
    /// Rank-normalised split R-hat; `"NaN"` where it does not exist.
    pub rhat: Real,
}

/// Statistics of the trajectories of the No-U-Turn sampler after burn-in.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct NutsReport {
    /// Trajectories whose energy rose by more than 1000, over all chains: the draws may miss a part of the distribution near them.
    pub divergences: u64,
    /// Trajectories that came where the density is zero, over all chains; harmless but slow.
    pub outside: u64,
    /// Trajectories that had not turned after 1023 steps (tree depth 10), over all chains.
    pub tree_depth_saturated: u64,
    /// Leapfrog step per chain, in units of the metric.
    pub step_size: Vec<f64>,
    /// Form of the metric per chain: `dense` when the last window of burn-in had a correlation beyond 0.5, in 50 dimensions or fewer.
    pub metric: Vec<MetricForm>,
    /// Energy Bayesian fraction of missing information per chain; below 0.3 the tails are explored too slowly.
    pub bfmi: Vec<Real>,
}

/// The form of the metric, the covariance that trajectories are scaled by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum MetricForm {
    /// A standard deviation per dimension.
    Diagonal,
    /// A whole covariance.
    Dense,
}

/// Kept draws, `[chain][draw][dimension]`, in one block.
#[derive(Debug, Clone)]
pub(crate) struct KeptDraws(pub(super) Value);

impl Encode for KeptDraws {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        self.0.encode(encoder)
    }
}

tool_core::inline_schema!(
    KeptDraws,
    json!({ "type": "array", "items": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } } })
);

/// The first reason that chains have not converged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum UnconvergedReason {
    /// R-hat or an effective sample size is not defined: too few draws, or draws that do not vary.
    Undefined,
    /// An R-hat is above 1.01: the chains have not mixed.
    Rhat,
    /// An effective sample size is below 100 per chain.
    EffectiveSize,
    /// More than 1 % of the trajectories diverged, or an energy fraction is below 0.3.
    Trajectories,
}

impl From<UnconvergedEvidence> for UnconvergedReason {
    fn from(evidence: UnconvergedEvidence) -> Self {
        match evidence {
            UnconvergedEvidence::Undefined => Self::Undefined,
            UnconvergedEvidence::Rhat => Self::Rhat,
            UnconvergedEvidence::EffectiveSize => Self::EffectiveSize,
            UnconvergedEvidence::Trajectories => Self::Trajectories,
        }
    }
}

impl From<MetricShape> for MetricForm {
    fn from(shape: MetricShape) -> Self {
        match shape {
            MetricShape::Diagonal => Self::Diagonal,
            MetricShape::Dense => Self::Dense,
        }
    }
}
