//! `integrate`: the integral of a function of one variable.

mod answer;
mod range;
#[cfg(test)]
mod tests;
mod verify;

use numerics::FunctionError;
use numerics::quadrature::{self, Integral};
use numerics::roots::interval::Interval;

use super::limit::RangeLimit;
use crate::call_watch::CallWatch;
use crate::expression::{Expression, ExpressionScope, NamedParameters, unknowns};
use crate::prelude::*;

#[cfg(test)]
use self::answer::IntegrateReason;
pub(crate) use self::answer::Output;
use self::answer::integral_output;
use self::range::IntegrationRange;

/// Integrate a function of one variable over a finite or infinite range, with an error that holds.
///
/// Narrow peaks, singularities at the ends and inside, and waves up to infinity are dealt with; an integral that diverges is refused.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Integrand: an expression in `x`, such as `exp(-x**2)*cos(3*x)`.
    pub f: String,
    /// Lower end: a number, `"-inf"`, or a constant such as `"pi/2"`. A lower end above the upper one changes the sign.
    pub from: RangeLimit,
    /// Upper end, likewise; `"inf"` for none.
    pub to: RangeLimit,
    /// Name of the variable.
    #[value(default = "default_variable")]
    pub variable: String,
    /// Named numbers the expressions use, such as `{"a": 1.5}`.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which `f` reduces to one number, such as `exp(sum(normal_lpdf(y, x, 1)))`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Places between the ends where the integrand jumps, has a kink, a pole or a narrow peak; at most 1000. They save evaluations.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub points: Vec<RangeLimit>,
    /// Simple poles between the ends of which the Cauchy principal value is meant.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub principal_value: Vec<RangeLimit>,
    /// `auto`; `gauss_kronrod` (adaptive halving alone, without a search for peaks), `tanh_sinh` (double-exponential; for functions analytic inside), `oscillatory`
    /// (an infinite end summed over half-waves from the start).
    #[value(default)]
    pub method: IntegrateMethod,
    /// Error asked for, relative to the integral; at least 1e-14.
    #[value(default = "default_rtol")]
    pub rtol: Tolerance,
    /// Error asked for, absolute; the larger of both counts.
    #[value(default = "default_atol")]
    pub atol: Tolerance,
    /// Most evaluations of the integrand.
    #[value(default = "BoundedInteger::<100, 100_000_000>::of::<5_000_000>")]
    pub max_evals: BoundedInteger<100, 100_000_000>,
    /// Whether to draw the integrand as text.
    #[value(default)]
    pub plot: bool,
}

/// How to integrate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum IntegrateMethod {
    /// Adaptive Gauss-Kronrod rules, with the limits at ends and singular places extrapolated.
    #[default]
    Auto,
    /// Adaptive Gauss-Kronrod rules alone.
    GaussKronrod,
    /// The trapezoidal rule after a double-exponential substitution.
    TanhSinh,
    /// As `auto`, with an infinite end summed over half-waves from the start.
    Oscillatory,
}

fn default_variable() -> String {
    "x".to_owned()
}

fn default_rtol() -> Tolerance {
    Tolerance::literal(1e-10)
}

fn default_atol() -> Tolerance {
    Tolerance::literal(0.0)
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("integrate", "Integrate a function")
        .tags(&[
            "integral",
            "quadrature",
            "gauss-kronrod",
            "tanh-sinh",
            "principal value",
            "calculus",
        ])
        .syntax(&[
            ("/f", Syntax::Expression),
            ("/from", Syntax::Expression),
            ("/to", Syntax::Expression),
            ("/points", Syntax::Expression),
            ("/principal_value", Syntax::Expression),
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a parabola": r#"{"f": "3*x**2", "from": 0, "to": 2}"#
            => r#"{"integral": 8.0, "error": 8.07003895950495e-15, "converged": true, "reason": "tolerance", "absolute": 8.0,
                "evaluations": 4816, "intervals": 2, "singularities": [], "method": "gauss_kronrod"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let scope = integrand_scope(&args, ctx)?;
        let expression =
            Expression::parse(&args.f, &scope).map_err(|err| err.into_tool_error("/f"))?;
        unknowns::check_use(args.data.as_ref(), [&expression], ctx)?;
        let range = IntegrationRange::new(&args, ctx)?;
        let found = if range.points.is_empty() {
            Integral::zero()
        } else {
            integrate_over_range(&args, &expression, &range, ctx)?
        };
        integral_output(&args, &expression, &range, found, ctx)
    }
}

/// The names of the integrand.
fn integrand_scope(args: &Args, ctx: &Ctx) -> Result<ExpressionScope, ToolError> {
    let name = args.variable.as_str();
    let mut bytes = name.bytes();
    let starts = bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let is_name = starts && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name || crate::expression::is_constant(name) || name.len() > 64 {
        refuse!(invalid "/variable"; "expected the name of a variable, of letters, digits and `_`, found `{}`",
            name.chars().take(64).collect::<String>(); "the usual one is `x`");
    }
    ExpressionScope::new()
        .variable(name)
        .with_table(args.data.as_ref(), ctx)?
        .with_parameters(&args.parameters, "/parameters")
}

fn integrate_over_range(
    args: &Args,
    expression: &Expression,
    range: &IntegrationRange,
    ctx: &Ctx,
) -> Result<Integral, ToolError> {
    /// Samples of the second look; fewer where a value costs microseconds.
    const SAMPLES: [usize; 2] = [1 << 15, 1 << 13];
    /// Most numbers of an evaluation over intervals, of which there are thousands, at 50 ns a number.
    const BOUNDED_NUMBERS_MAX: usize = 1 << 13;
    /// Those beside bounds of the integrand.
    const BOUNDED: usize = 1 << 12;
    /// Bytes that an interval takes, for each of its evaluations.
    const BYTES: u64 = 16;
    let most = args.max_evals.get() as u64;
    ctx.reserve(most.saturating_mul(BYTES) + (8 << 19))?;
    let strip = expression.strip(1 << 12);
    let watch = CallWatch(ctx);
    let mut evaluator = expression.evaluator();
    let mut values = |places: &[f64], values: &mut [f64]| -> Result<(), FunctionError> {
        for (places, values) in places.chunks(strip).zip(values.chunks_mut(strip)) {
            ctx.check().map_err(FunctionError::new)?;
            evaluator.eval_block(&[places], values);
        }
        Ok(())
    };
    let tolerances = (args.rtol.get().max(1e-14), args.atol.get());
    let found = if args.method == IntegrateMethod::TanhSinh {
        let points = &range.points;
        quadrature::double_exponential_between(&mut values, points, tolerances, most, &watch)
    } else {
        // Where a function has no form over intervals, more samples stand in for bounds.
        let bounds = |x: Interval| {
            ctx.check().ok()?; // the values that follow say so
            Some(expression.enclosure(&[x], 0).ok()??.values)
        };
        let is_short = expression.numbers() <= BOUNDED_NUMBERS_MAX;
        let is_bounded = is_short && expression.enclosure(&[Interval::WHOLE], 0).is_ok();
        let request = quadrature::QuadratureRequest {
            points: &range.points,
            poles: &range.poles,
            relative: tolerances.0,
            absolute: tolerances.1,
            evaluations_max: most,
            samples: match args.method {
                IntegrateMethod::GaussKronrod => 0,
                _ if is_bounded => BOUNDED.min(args.max_evals.size() / 4),
                _ => SAMPLES[usize::from(expression.is_pointwise() || !is_short)]
                    .min(args.max_evals.size() / 4),
            },
            bounds: is_bounded.then_some(&bounds),
            method: match args.method {
                IntegrateMethod::GaussKronrod => quadrature::QuadratureMethod::Plain,
                IntegrateMethod::Oscillatory => quadrature::QuadratureMethod::Waves,
                IntegrateMethod::Auto | IntegrateMethod::TanhSinh => {
                    quadrature::QuadratureMethod::Auto
                }
            },
        };
        quadrature::integrate_function(&mut values, &request, &watch)
    };
    found.map_err(|error| answer::integral_error(error, args, expression, range, ctx))
}
