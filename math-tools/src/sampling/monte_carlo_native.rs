//! Integration over a box by plain Monte Carlo.

use numerics::sampling::blocks::SampleMoments;
use numerics::sampling::monte_carlo::mean_over_box;

use super::blocks::{PointExpression, check_defined, sampling_error, too_many_dimensions};
use crate::call_watch::CallWatch;
use crate::expression::{Expression, ExpressionScope, NamedParameters, unknowns};
use crate::prelude::*;

/// Most dimensions of the box.
pub(crate) const DIMENSION_MAX: usize = 1000;

/// Integrate a function of `x0`, `x1`, ... over a box by Monte Carlo, with a standard error.
///
/// The error falls with the square root of the number of samples, in any dimension. All cores work; the result is the same for
/// any number of them.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The box: one `[lower, upper]` per dimension, lower below upper; 1 to 1000 dimensions.
    #[schema(extend("x-shape" = ["d", 2]))]
    pub bounds: Input<Matrix>,
    /// The integrand: an expression of `x0`, `x1`, ... (`x` = `x0`, `y` = `x1`, `z` = `x2`), or a name: `constant` (1), `sphere`
    /// (sum of x_i^2), `gaussian` (exp(-0.5 * sum of x_i^2)), `polynomial` (sum of 1 + x_i + x_i^2).
    #[value(default = "default_function")]
    pub function: String,
    /// Named numbers the expression uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which the function reduces to one number, such as `exp(sum(normal_lpdf(y, x0, x1)))`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Number of samples, at least 2.
    #[value(default = "Samples::of::<10_000>")]
    pub n_samples: Samples,
    /// Seed of the random streams; 42 for a direct call where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// Number of samples, at least 2.
pub(crate) type Samples = BoundedInteger<2, 1_000_000_000_000>;

fn default_function() -> String {
    "constant".into()
}

/// The integral and its error.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(crate) struct Output {
    /// Estimate of the integral: `volume * mean_value`.
    pub integral: f64,
    /// Standard error of the integral: `volume * sqrt(variance / n_samples)`; the truth lies within two of them about 19 times
    /// of 20, unless the integrand has narrow peaks that no sample met.
    pub standard_error: f64,
    /// Number of evaluations of the integrand.
    pub samples_used: i64,
    /// Volume of the box.
    pub volume: f64,
    /// Mean of the integrand over the box.
    pub mean_value: f64,
    /// Sample variance of the integrand over the box (n - 1).
    pub variance: f64,
    /// Number of samples requested.
    pub n_samples: i64,
    /// Seed of the random streams.
    pub seed: RandomSeed,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("monte_carlo_native", "Monte Carlo integration")
        .seeded()
        .tags(&["integral", "quadrature", "random", "parallel"])
        .syntax(&[("/function", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the integral of 1 is the area": r#"{"bounds": [[0, 2], [0, 3]], "n_samples": 100}"#
            => r#"{"integral": 6.0, "standard_error": 0.0, "samples_used": 100, "volume": 6.0,
                "mean_value": 1.0, "variance": 0.0, "n_samples": 100, "seed": 42}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let bounds = args.bounds.load(ctx)?;
        let volume = check_bounds(&bounds)?;
        let function = parse_integrand(&args, bounds.rows(), ctx)?;
        unknowns::check_use(args.data.as_ref(), [&function], ctx)?;
        let samples = args.n_samples.get() as u64;
        let seed = ctx.seed(args.seed);
        let moments = integrate_over_box(&function, &bounds, samples, seed, ctx)?;
        let output = Output {
            integral: volume * moments.mean,
            standard_error: volume * moments.standard_error(),
            samples_used: samples as i64,
            volume,
            mean_value: moments.mean,
            variance: moments.variance(),
            n_samples: samples as i64,
            seed,
        };
        let found = [output.integral, output.standard_error, output.variance];
        if found.iter().all(|value| value.is_finite()) {
            return Ok(output);
        }
        let message = "the integral or its variance is beyond the range of a double";
        let error = ToolError::numeric("/function", message).reason("overflow");
        Err(error.hint("scale the function"))
    }
}

/// Checks the box and gives its volume.
fn check_bounds(bounds: &Matrix) -> Result<f64, ToolError> {
    if bounds.columns() != 2 {
        let found = bounds.columns();
        let message = format!("expected one `[lower, upper]` per dimension, found rows of {found}");
        let error = ToolError::invalid("/bounds", message).reason("shape");
        return Err(error.hint("for example [[0, 1], [-2, 2]]"));
    }
    if let Some(error) = too_many_dimensions(bounds.rows(), DIMENSION_MAX) {
        return Err(error.at("/bounds").hint("integrate over fewer variables"));
    }
    for row in 0..bounds.rows() {
        let (lower, upper) = (bounds.row(row)[0], bounds.row(row)[1]);
        if lower >= upper {
            let message = format!("expected lower below upper, found {lower} and {upper}");
            return Err(ToolError::invalid(format!("/bounds/{row}"), message)
                .hint("swap them, or leave the dimension out"));
        }
    }
    let side = |row| bounds.row(row)[1] - bounds.row(row)[0];
    let volume: f64 = (0..bounds.rows()).map(side).product();
    if volume.is_finite() && volume > 0.0 {
        return Ok(volume);
    }
    let message = format!("the volume of the box is {volume}, beyond the range of a double");
    let error = ToolError::numeric("/bounds", message).reason("overflow");
    Err(error.hint("rescale the variables"))
}

/// The text of a named integrand in a number of dimensions.
type Formula = fn(usize) -> String;

/// Named integrands and what they mean in dimension `n`.
const NAMED: [(&str, Formula); 4] = [
    ("constant", |_| "1".into()),
    ("sphere", |n| sum_text(n, |i| format!("x{i}**2"))),
    ("gaussian", |n| {
        format!("exp(-0.5 * ({}))", sum_text(n, |i| format!("x{i}**2")))
    }),
    ("polynomial", |n| {
        sum_text(n, |i| format!("1 + x{i} + x{i}**2"))
    }),
];

fn sum_text(n: usize, term: impl Fn(usize) -> String) -> String {
    (0..n).map(term).collect::<Vec<_>>().join(" + ")
}

/// The integrand of a name or of an expression.
fn parse_integrand(args: &Args, dimension: usize, ctx: &Ctx) -> Result<Expression, ToolError> {
    let scope = ExpressionScope::point(dimension)
        .with_table(args.data.as_ref(), ctx)?
        .with_parameters(&args.parameters, "/parameters")?;
    let function = args.function.as_str();
    let named = NAMED.iter().find(|(name, _)| *name == function);
    let named = named.map(|(_, text)| text(dimension));
    let text = named.as_deref().unwrap_or(function);
    Expression::parse(text, &scope).map_err(|err| {
        let error = err.into_tool_error("/function");
        match did_you_mean(function.trim(), NAMED.iter().map(|(name, _)| *name)) {
            Some(near) => error.hint(near),
            None => error,
        }
    })
}

/// Moments of the integrand at points drawn uniformly from the inside of the box.
fn integrate_over_box(
    function: &Expression,
    bounds: &Matrix,
    samples: u64,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<SampleMoments, ToolError> {
    let side = |row| [bounds.row(row)[0], bounds.row(row)[1]];
    let sides: Vec<[f64; 2]> = (0..bounds.rows()).map(side).collect();
    let integrand = PointExpression(function);
    let found = mean_over_box(&integrand, &sides, samples, seed.get(), &CallWatch(ctx))
        .map_err(|error| sampling_error(error, "/function", ctx))?;
    check_defined(&found.undefined, function, samples, "/function")?;
    Ok(found.moments)
}
