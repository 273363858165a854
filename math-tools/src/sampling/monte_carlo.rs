//! The distribution of an expression of random variables.

use kernels::vector::UniformGenerators;
use rand::RngExt;
use rand_distr::{Distribution as _, Exp1, StandardNormal};
use rayon::prelude::*;
use tool_core::rng::{StreamRng, stream_states};

use super::blocks::{BLOCK, SampleMoments, UndefinedPoints, block_count, sample_expression};
use super::order;
use crate::expression::{Expression, ExpressionScope, NamedParameters, unknowns};
use crate::prelude::*;

/// Most variables of an expression: `x0` to `x63`.
pub(crate) const VARIABLES_MAX: usize = 64;

/// Sample an expression of independent random variables and describe its distribution: mean, standard deviation, percentiles
/// and a histogram.
///
/// Every variable `x0`, `x1`, ... of the expression (`x` = `x0`, `y` = `x1`, `z` = `x2`) is drawn independently from the same
/// distribution: uniform on [low, high), normal with mean and std, or exponential with rate.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The expression, of `x0` to `x63`.
    pub expression: String,
    /// Named numbers the expression uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which the expression reduces to one number, such as `sum((y - x)**2)`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Number of samples, at least 2.
    #[value(default = "BoundedInteger::<2, 1_000_000_000>::of::<10_000>")]
    pub samples: BoundedInteger<2, 1_000_000_000>,
    /// The distribution of every variable.
    #[value(default)]
    pub distribution: DistributionName,
    /// Lower end of the uniform distribution; 0 where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub low: Option<Finite>,
    /// Upper end of the uniform distribution, above `low`; 1 where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub high: Option<Finite>,
    /// Mean of the normal distribution; 0 where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub mean: Option<Finite>,
    /// Standard deviation of the normal distribution; 1 where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub std: Option<Positive>,
    /// Rate of the exponential distribution, the inverse of its mean; 1 where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub rate: Option<Positive>,
    /// Seed of the random streams; 42 for a direct call where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// The distribution of a random variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum DistributionName {
    /// Uniform on [low, high).
    #[default]
    Uniform,
    /// Normal with mean and std.
    Normal,
    /// Exponential with rate.
    Exponential,
}

/// The distribution of the values.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// Mean of the values.
    pub mean: f64,
    /// Sample standard deviation of the values (n - 1).
    pub std: f64,
    /// Standard error of the mean: `std / sqrt(samples)`.
    pub standard_error: f64,
    /// Percentiles of the values, by linear interpolation between order statistics.
    pub percentiles: Percentiles,
    /// Number of samples.
    pub samples: i64,
    /// Counts of the values in bins of equal width from the least to the greatest value.
    pub histogram: Histogram,
    /// Seed of the random streams.
    pub seed: RandomSeed,
}

/// Percentiles.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Percentiles {
    /// 5 % of the values are below.
    #[value(rename = "5")]
    pub p5: f64,
    /// A quarter of the values is below.
    #[value(rename = "25")]
    pub p25: f64,
    /// The median.
    #[value(rename = "50")]
    pub p50: f64,
    /// Three quarters of the values are below.
    #[value(rename = "75")]
    pub p75: f64,
    /// 95 % of the values are below.
    #[value(rename = "95")]
    pub p95: f64,
}

/// Counts in bins of equal width.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Histogram {
    /// Edges of the bins, one more than there are bins; a bin holds its lower edge, the last one its upper edge too.
    pub edges: Vec<f64>,
    /// Number of values in each bin.
    pub counts: Vec<u64>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("monte_carlo", "Monte Carlo simulation")
        .seeded()
        .tags(&["random", "sampling", "distribution", "uncertainty"])
        .syntax(&[("/expression", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a constant has no spread":
            r#"{"expression": "3 + 0*x", "samples": 100, "distribution": "normal"}"#
            => r#"{"mean": 3.0, "std": 0.0, "standard_error": 0.0,
                "percentiles": {"5": 3.0, "25": 3.0, "50": 3.0, "75": 3.0, "95": 3.0}, "samples": 100,
                "histogram": {"edges": [2.5, 3.5], "counts": [100]}, "seed": 42}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let sampler = DistributionSampler::new(&args)?;
        let scope = ExpressionScope::point(VARIABLES_MAX)
            .with_table(args.data.as_ref(), ctx)?
            .with_parameters(&args.parameters, "/parameters")?;
        let expression = Expression::parse(&args.expression, &scope)
            .map_err(|err| err.into_tool_error("/expression"))?;
        unknowns::check_use(args.data.as_ref(), [&expression], ctx)?;
        let samples = args.samples.size();
        let seed = ctx.seed(args.seed);
        let (values, blocks) = draw_values(&expression, &sampler, samples, seed, ctx)?;
        describe_values(values, &blocks, seed, ctx)
    }
}

/// A distribution with its parameters.
#[derive(Debug, Clone, Copy)]
enum DistributionSampler {
    Uniform { low: f64, width: f64 },
    Normal { mean: f64, std: f64 },
    Exponential { scale: f64 },
}

impl DistributionSampler {
    fn new(args: &Args) -> Result<Self, ToolError> {
        let given = [
            ("low", args.low.is_some(), DistributionName::Uniform),
            ("high", args.high.is_some(), DistributionName::Uniform),
            ("mean", args.mean.is_some(), DistributionName::Normal),
            ("std", args.std.is_some(), DistributionName::Normal),
            ("rate", args.rate.is_some(), DistributionName::Exponential),
        ];
        let stray = |(_, given, of): &&(_, bool, _)| *given && *of != args.distribution;
        let stray = given.iter().find(stray);
        if let Some((name, _, of)) = stray {
            let of = format!("{of:?}").to_lowercase();
            let message = format!("`{name}` is a parameter of the {of} distribution");
            let error = ToolError::invalid(format!("/{name}"), message).reason("distribution");
            return Err(error.hint(format!("leave it out, or set `distribution` to \"{of}\"")));
        }
        match args.distribution {
            DistributionName::Uniform => {
                let low = args.low.map_or(0.0, Finite::get);
                let high = args.high.map_or(1.0, Finite::get);
                let width = high - low;
                if low >= high || !width.is_finite() {
                    refuse!(invalid "/high";
                        "expected a finite interval with `low` below `high`, found {low} and {high}";
                        "set `low` and `high`");
                }
                Ok(Self::Uniform { low, width })
            }
            DistributionName::Normal => Ok(Self::Normal {
                mean: args.mean.map_or(0.0, Finite::get),
                std: args.std.map_or(1.0, Positive::get),
            }),
            DistributionName::Exponential => Ok(Self::Exponential {
                scale: args.rate.map_or(1.0, Positive::get).recip(),
            }),
        }
    }

    fn draw(self, rng: &mut StreamRng) -> f64 {
        match self {
            Self::Uniform { low, width } => low + width * rng.random::<f64>(),
            Self::Normal { mean, std } => {
                let z: f64 = StandardNormal.sample(rng);
                mean + std * z
            }
            Self::Exponential { scale } => {
                let unit: f64 = Exp1.sample(rng);
                scale * unit
            }
        }
    }
}

/// Values of an expression at random points with their moments and extremes: one stream per [`BLOCK`] samples, the same for any number of
/// threads.
fn draw_values(
    expression: &Expression,
    sampler: &DistributionSampler,
    samples: usize,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<(Vec<f64>, Vec<BlockSummary>), ToolError> {
    const COPIES: usize = 2; // the values, and those a selection collects
    ctx.count_evaluations(samples as u64)?;
    ctx.reserve_doubles(samples.saturating_mul(COPIES))?;
    let blocks = block_count(samples as u64);
    let bytes = size_of::<Result<(BlockSummary, UndefinedPoints), ToolError>>() as u64;
    ctx.reserve(blocks.saturating_mul(bytes))?;
    let dimension = expression_dimension(expression, VARIABLES_MAX);
    let mut values = vec![0.0; samples];
    let one = |(block, values): (usize, &mut [f64])| {
        let mut stream = VariateStream::new(*sampler, seed, block as u64, ctx);
        let fill = |_, out: &mut [f64]| stream.fill(out);
        let undefined = sample_expression(expression, dimension, values, ctx, fill)?;
        Ok((BlockSummary::of(values), undefined))
    };
    let parts = values.par_chunks_mut(BLOCK as usize).enumerate();
    let blocks: Vec<Result<(BlockSummary, UndefinedPoints), ToolError>> =
        thread_pools::run_in_pool(|| parts.map(one).collect());
    let blocks = blocks.into_iter().collect::<Result<Vec<_>, _>>()?;
    let (summaries, undefined): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
    UndefinedPoints::join_all(undefined).check(expression, samples as u64, "/expression")?;
    Ok((values, summaries))
}

/// Summary of the values of a block.
struct BlockSummary {
    moments: SampleMoments,
    least: f64,
    greatest: f64,
}

impl BlockSummary {
    fn of(values: &[f64]) -> Self {
        const LANES: usize = 8;
        let (mut least, mut greatest) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        let (steps, rest) = values.as_chunks::<LANES>();
        let rest: Vec<[f64; LANES]> = rest.iter().map(|value| [*value; LANES]).collect();
        for step in steps.iter().chain(&rest) {
            for (lane, &value) in step.iter().enumerate() {
                let (low, high) = (least[lane], greatest[lane]);
                least[lane] = if value < low { value } else { low };
                greatest[lane] = if value > high { value } else { high };
            }
        }
        Self {
            moments: SampleMoments::of(values),
            least: least.into_iter().fold(f64::INFINITY, f64::min),
            greatest: greatest.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// Random numbers of one block: uniform ones by generators in lockstep, others one by one.
enum VariateStream {
    Uniform(Box<UniformGenerators>, f64, f64),
    Other(DistributionSampler, StreamRng),
}

impl VariateStream {
    fn new(sampler: DistributionSampler, seed: RandomSeed, block: u64, ctx: &Ctx) -> Self {
        match sampler {
            DistributionSampler::Uniform { low, width } => {
                let uniforms = UniformGenerators::new(stream_states(seed.get(), block));
                Self::Uniform(Box::new(uniforms), low, width)
            }
            other => Self::Other(other, ctx.rng(seed, block)),
        }
    }

    fn fill(&mut self, out: &mut [f64]) {
        match self {
            Self::Uniform(uniforms, low, width) => uniforms.fill(*low, *width, out),
            Self::Other(sampler, rng) => out.fill_with(|| sampler.draw(rng)),
        }
    }
}

/// One more than the highest slot an expression uses, at most `slots`.
pub(super) fn expression_dimension(expression: &Expression, slots: usize) -> usize {
    let highest = (0..slots).rev().find(|&slot| expression.uses(slot));
    highest.map_or(0, |slot| slot + 1)
}

fn describe_values(
    mut values: Vec<f64>,
    blocks: &[BlockSummary],
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let moments = SampleMoments::join_all(blocks.iter().map(|block| block.moments).collect());
    let (mean, std) = (moments.mean, moments.std());
    if !(mean.is_finite() && std.is_finite()) {
        return Err(overflow_error());
    }
    let ends = blocks.iter().map(|block| (block.least, block.greatest));
    let ends = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let histogram = sturges_histogram(&values, ends.unwrap_or_default(), ctx)?;
    let shares = [0.05, 0.25, 0.5, 0.75, 0.95];
    let [p5, p25, p50, p75, p95] = order::order_quantiles(&mut values, shares, ctx)?;
    let percentiles = Percentiles {
        p5,
        p25,
        p50,
        p75,
        p95,
    };
    Ok(Output {
        mean,
        std,
        standard_error: moments.standard_error(),
        percentiles,
        samples: values.len() as i64,
        histogram,
        seed,
    })
}

fn overflow_error() -> ToolError {
    let message = "the mean or the variance of the values is beyond the range of a double";
    let error = ToolError::numeric("/expression", message).reason("overflow");
    error.hint("sample the logarithm of the expression")
}

/// Bins of equal width from the least to the greatest number: as many as Sturges' rule requires, one when all are equal.
fn sturges_histogram(
    values: &[f64],
    (least, greatest): (f64, f64),
    ctx: &Ctx,
) -> Result<Histogram, ToolError> {
    if least == greatest {
        return Ok(Histogram {
            edges: vec![least - 0.5, least + 0.5],
            counts: vec![values.len() as u64],
        });
    }
    let bins = values.len().ilog2() as usize + 1;
    let width = (greatest - least) / bins as f64;
    if !width.is_finite() {
        return Err(overflow_error());
    }
    let mut edges: Vec<f64> = (0..bins).map(|bin| least + bin as f64 * width).collect();
    edges.push(greatest);
    Ok(Histogram {
        counts: order::count_in_bins(values, &edges, ctx)?,
        edges,
    })
}
