//! `integrate_nd`: the integral of a function of several variables over a box, or between limits that depend on earlier variables.

mod map;
#[cfg(test)]
mod tests;

use numerics::FunctionError;
use numerics::quadrature::{
    QuadratureEnd, QuadratureError, SOBOL_DIMENSIONS, cubature_points, integrate_box,
    integrate_by_random_points,
};

use self::map::IntegrationDomain;
use super::limit::RangeLimit;
use crate::call_watch::CallWatch;
use crate::expression::unknowns;
use crate::expression::{Expression, NamedParameters};
use crate::prelude::*;

/// Integrate a function of several variables over a box, also infinite, or between limits that depend on earlier variables.
///
/// Few variables by adaptive cubature, many by quasi-Monte Carlo points, with an error.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Integrand: an expression in `x0`, `x1`, ... (`x`, `y`, `z` for the first three), or in `variables`.
    pub f: String,
    /// Lower and upper limit of each variable, 2 to 33 of them, such as `[[0, 1], [0, "x0"], ["-inf", "inf"]]`: numbers, infinities, or
    /// expressions in the variables before.
    #[schema(extend("x-shape" = ["d", 2]))]
    pub bounds: Vec<[RangeLimit; 2]>,
    /// Names of the variables, in the order of `bounds`.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// Named numbers the expressions use, such as `{"a": 1.5}`.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which `f` reduces to one number, such as `exp(sum(normal_lpdf(y, x0, x1)))`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// `auto` (cubature up to 6 variables), `cubature` (adaptive, up to 12 variables; for integrands with few kinks), or
    /// `quasi_monte_carlo` (scrambled Sobol' points; for many variables).
    #[value(default)]
    pub method: IntegrateNdMethod,
    /// Error asked for, relative to the integral.
    #[value(default = "default_rtol")]
    pub rtol: Tolerance,
    /// Error asked for, absolute; the larger of both counts.
    #[value(default = "default_atol")]
    pub atol: Tolerance,
    /// Most evaluations of the integrand.
    #[value(default = "BoundedInteger::<1000, 1_000_000_000>::of::<2_000_000>")]
    pub max_evals: BoundedInteger<1000, 1_000_000_000>,
    /// Seed of the scrambling; 42 for a direct call where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// How to integrate over several variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum IntegrateNdMethod {
    /// By the number of variables.
    #[default]
    Auto,
    /// The adaptive rule of Genz and Malik.
    Cubature,
    /// Means over scrambled Sobol' points.
    QuasiMonteCarlo,
}

fn default_rtol() -> Tolerance {
    Tolerance::literal(1e-6)
}

fn default_atol() -> Tolerance {
    Tolerance::literal(0.0)
}

/// The integral and its error.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(crate) struct Output {
    /// The integral.
    pub integral: f64,
    /// Estimate of the absolute error: of `cubature` the differences of two rules; of `quasi_monte_carlo` 5 standard errors.
    pub error: f64,
    /// Standard error of the mean of 16 randomisations; absent for `cubature`.
    #[value(skip_encoding_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Whether `error` is at most `atol` or `rtol` times the integral.
    pub converged: bool,
    /// Reason the search ended.
    pub reason: IntegrateNdReason,
    /// Evaluations of the integrand.
    pub evaluations: u64,
    /// The method used.
    pub method: IntegrateNdMethod,
}

/// Reason that a search for an integral ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum IntegrateNdReason {
    /// The error is as small as asked for.
    Tolerance,
    /// Rounding allows no smaller error.
    Rounding,
    /// `max_evals` were used.
    Evaluations,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("integrate_nd", "Integrate over several variables")
        .seeded()
        .tags(&[
            "integral",
            "cubature",
            "quasi-monte carlo",
            "sobol",
            "multiple integral",
            "calculus",
        ])
        .syntax(&[("/f", Syntax::Expression), ("/bounds", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "x y over the unit square": r#"{"f": "x*y", "bounds": [[0, 1], [0, 1]]}"#
            => r#"{"integral": 0.25, "error": 4.440892098500626e-16, "converged": true, "reason": "tolerance", "evaluations": 119, "method": "cubature"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        const CUBATURE_AUTO: usize = 6;
        const CUBATURE_MAX: usize = 12;
        let n = args.bounds.len();
        if n < 2 {
            refuse!(invalid "/bounds", "dimension"; "expected the limits of 2 to {SOBOL_DIMENSIONS} variables, found {n}";
                "for one variable use `integrate`");
        }
        let method = match args.method {
            IntegrateNdMethod::Auto if n <= CUBATURE_AUTO => IntegrateNdMethod::Cubature,
            IntegrateNdMethod::Auto => IntegrateNdMethod::QuasiMonteCarlo,
            given => given,
        };
        let most = if method == IntegrateNdMethod::Cubature {
            CUBATURE_MAX
        } else {
            SOBOL_DIMENSIONS
        };
        if n > most {
            refuse!(invalid "/bounds", "dimension"; "{n} variables, the limit of this method is {most}";
                "use `quasi_monte_carlo`, or beyond {SOBOL_DIMENSIONS} variables the tool `monte_carlo_native`");
        }
        let names = (!args.variables.is_empty()).then_some(args.variables.as_slice());
        if let Some(names) = names.filter(|names| names.len() != n) {
            refuse!(invalid "/variables", "shape"; "{} names for {n} variables", names.len(); "give one name for each row of `bounds`");
        }
        if let Some(index) = (1..args.variables.len())
            .find(|&index| args.variables[..index].contains(&args.variables[index]))
        {
            refuse!(invalid format!("/variables/{index}"); "`{}` is there twice", args.variables[index]; "rename one of them");
        }
        let data = args.data.as_ref();
        let scope =
            unknowns::unknowns_scope((n, names), data, &args.parameters, "/variables", ctx)?;
        let expression =
            Expression::parse(&args.f, &scope).map_err(|err| err.into_tool_error("/f"))?;
        unknowns::check_use(data, [&expression], ctx)?;
        let map = IntegrationDomain::new(&args.bounds, &scope)?;
        let mut field = UnitCubeIntegrand {
            strip: expression.strip(1 << 12),
            evaluator: expression.evaluator(),
            limits: map.evaluators(),
            map: &map,
            ctx,
        };
        let tolerances = (args.rtol.get().max(1e-14), args.atol.get());
        let most = args.max_evals.get() as u64;
        let found = match method {
            IntegrateNdMethod::QuasiMonteCarlo => {
                by_random_points(&mut field, n, tolerances, most, ctx.seed(args.seed), ctx)?
            }
            _ => by_cubature(&mut field, n, tolerances, most, ctx)?,
        };
        cubature_output(found, method, &expression, &field, ctx)
    }
}

/// What either method finds.
#[derive(Debug, Clone, Copy)]
struct MultipleIntegral {
    integral: f64,
    error: f64,
    standard_error: Option<f64>,
    evaluations: u64,
    ending: QuadratureEnd,
    /// Evaluations without a finite value.
    undefined: bool,
}

/// The integrand over the unit cube.
struct UnitCubeIntegrand<'a> {
    /// Points between two looks at the stop flag.
    strip: usize,
    evaluator: crate::expression::SystemEvaluator<'a>,
    limits: map::Evaluators<'a>,
    map: &'a IntegrationDomain,
    ctx: &'a Ctx,
}

impl UnitCubeIntegrand<'_> {
    /// Values at points of the unit cube, `points[i]` coordinate `i` of each.
    fn values(&mut self, points: &[Vec<f64>], values: &mut [f64]) -> Result<(), FunctionError> {
        for first in (0..values.len()).step_by(self.strip) {
            let last = (first + self.strip).min(values.len());
            self.ctx.check().map_err(FunctionError::new)?;
            let (places, stretch) = self.map.places(points, first..last, &mut self.limits);
            let slots: Vec<&[f64]> = places.iter().map(Vec::as_slice).collect();
            let values = &mut values[first..last];
            self.evaluator.eval_block(&slots, values);
            for (value, stretch) in values.iter_mut().zip(stretch) {
                // An empty interval has no integral, whatever the integrand is there.
                *value = if stretch == 0.0 {
                    0.0
                } else {
                    *value * stretch
                };
            }
        }
        Ok(())
    }
}

fn by_cubature(
    field: &mut UnitCubeIntegrand<'_>,
    n: usize,
    tolerances: (f64, f64),
    most: u64,
    ctx: &Ctx,
) -> Result<MultipleIntegral, ToolError> {
    let points = cubature_points(n) as u64;
    if most < 2 * points {
        refuse!(invalid "/max_evals"; "cubature of {n} variables takes {points} evaluations for each box";
            "raise `max_evals` or use `quasi_monte_carlo`");
    }
    // Boxes, and the points of one round.
    let boxes = most / points;
    ctx.reserve(
        boxes.saturating_mul(16 * n as u64 + 96)
            + (boxes / 4)
                .min(1 << 16)
                .saturating_mul(points * (n as u64 + 1) * 8),
    )?;
    let mut values = |points: &[Vec<f64>], values: &mut [f64]| field.values(points, values);
    let watch = CallWatch(ctx);
    let found = integrate_box(&mut values, &vec![(0.0, 1.0); n], tolerances, most, &watch)
        .map_err(|error| multiple_integral_error(error, ctx))?;
    Ok(MultipleIntegral {
        integral: found.value,
        error: found.error,
        standard_error: None,
        evaluations: found.evaluations,
        ending: found.ending,
        undefined: !found.error.is_finite(),
    })
}

fn by_random_points(
    field: &mut UnitCubeIntegrand<'_>,
    n: usize,
    tolerances: (f64, f64),
    most: u64,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<MultipleIntegral, ToolError> {
    let mut values = |points: &[Vec<f64>], values: &mut [f64]| field.values(points, values);
    let watch = CallWatch(ctx);
    let found = integrate_by_random_points(&mut values, n, tolerances, most, seed.get(), &watch)
        .map_err(|error| multiple_integral_error(error, ctx))?;
    Ok(MultipleIntegral {
        integral: found.value,
        error: found.error,
        standard_error: Some(found.standard_error),
        evaluations: found.evaluations,
        ending: found.ending,
        undefined: found.is_undefined,
    })
}

fn multiple_integral_error(error: QuadratureError, ctx: &Ctx) -> ToolError {
    match error {
        QuadratureError::Interrupted(interruption) => {
            CallWatch(ctx).interruption_error(interruption)
        }
        QuadratureError::Function(error) => CallWatch::function_error(error),
        other => ToolError::numeric("/f", other),
    }
}

fn cubature_output(
    found: MultipleIntegral,
    method: IntegrateNdMethod,
    expression: &Expression,
    field: &UnitCubeIntegrand<'_>,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    if found.undefined {
        let point = field.map.middle();
        let cause = match point.as_deref().map(|point| expression.value(point)) {
            Some(Err(cause)) => format!(", such as the middle: {cause}"),
            _ => String::new(),
        };
        refuse!(numeric "/f", "domain"; "no finite estimate: the integrand is infinite or undefined at some points, or the integral diverges{cause}";
            "guard the integrand with `if(condition, a, b)`, or choose limits between which it is defined");
    }
    if !found.integral.is_finite() {
        refuse!(numeric "/f", "overflow"; "the integral is beyond the range of a double"; "scale the integrand");
    }
    let reason = match found.ending {
        QuadratureEnd::Tolerance => IntegrateNdReason::Tolerance,
        QuadratureEnd::Rounding => IntegrateNdReason::Rounding,
        QuadratureEnd::Evaluations => IntegrateNdReason::Evaluations,
    };
    if reason != IntegrateNdReason::Tolerance {
        let error = found.error;
        ctx.warn(match reason {
            IntegrateNdReason::Rounding => format!("the error {error:.1e} is that of rounding: positive and negative parts cancel"),
            _ => format!("stopped after {} evaluations with the error {error:.1e}; raise `max_evals` or the tolerance", found.evaluations),
        });
    }
    Ok(Output {
        integral: found.integral,
        error: found.error,
        standard_error: found.standard_error,
        converged: reason == IntegrateNdReason::Tolerance,
        reason,
        evaluations: found.evaluations,
        method,
    })
}
