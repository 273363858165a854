//! The distribution of an expression of random variables.

use numerics::sampling::monte_carlo::{ValueDistribution, VariableDistribution, draw_values};

use super::blocks::{PointExpression, check_defined, sampling_error};
use crate::call_watch::CallWatch;
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
        let distribution = variable_distribution(&args)?;
        let scope = ExpressionScope::point(VARIABLES_MAX)
            .with_table(args.data.as_ref(), ctx)?
            .with_parameters(&args.parameters, "/parameters")?;
        let expression = Expression::parse(&args.expression, &scope)
            .map_err(|err| err.into_tool_error("/expression"))?;
        unknowns::check_use(args.data.as_ref(), [&expression], ctx)?;
        let samples = args.samples.size();
        let seed = ctx.seed(args.seed);
        let dimension = expression_dimension(&expression, VARIABLES_MAX);
        let (function, watch) = (PointExpression(&expression), CallWatch(ctx));
        let error = |error| sampling_error(error, "/expression", ctx);
        let drawn = draw_values(
            &function,
            dimension,
            distribution,
            samples,
            seed.get(),
            &watch,
        );
        let drawn = drawn.map_err(error)?;
        check_defined(&drawn.undefined, &expression, samples as u64, "/expression")?;
        let found = drawn.describe(&watch).map_err(error)?;
        Ok(distribution_output(found, samples, seed))
    }
}

/// The distribution that the arguments describe.
fn variable_distribution(args: &Args) -> Result<VariableDistribution, ToolError> {
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
            Ok(VariableDistribution::Uniform { low, width })
        }
        DistributionName::Normal => Ok(VariableDistribution::Normal {
            mean: args.mean.map_or(0.0, Finite::get),
            std: args.std.map_or(1.0, Positive::get),
        }),
        DistributionName::Exponential => Ok(VariableDistribution::Exponential {
            scale: args.rate.map_or(1.0, Positive::get).recip(),
        }),
    }
}

/// One more than the highest slot an expression uses, at most `slots`.
pub(super) fn expression_dimension(expression: &Expression, slots: usize) -> usize {
    let highest = (0..slots).rev().find(|&slot| expression.uses(slot));
    highest.map_or(0, |slot| slot + 1)
}

fn distribution_output(found: ValueDistribution, samples: usize, seed: RandomSeed) -> Output {
    let [p5, p25, p50, p75, p95] = found.quantiles;
    Output {
        mean: found.moments.mean,
        std: found.moments.std(),
        standard_error: found.moments.standard_error(),
        percentiles: Percentiles {
            p5,
            p25,
            p50,
            p75,
            p95,
        },
        samples: samples as i64,
        histogram: Histogram {
            edges: found.edges,
            counts: found.counts,
        },
        seed,
    }
}
