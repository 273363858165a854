//! `integrate_samples`: the integral of a function that is known at samples.

use numerics::quadrature::{self, SampleRule, UNEVEN_STEPS};

use super::samples::SampledFunction;
use crate::prelude::*;

/// Integrate samples of a function: Simpson's rule, trapezia, or a spline.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Values, finite; at least 2.
    #[schema(extend("x-shape" = ["n"]))]
    pub y: Input<Vector>,
    /// Places of the values, strictly ascending or descending (which changes the sign), of any spacing.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Option<Input<Vector>>,
    /// Distance of the places where there is no `x`; absent: 1.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub dx: Option<Positive>,
    /// `simpson` (parabolas; SciPy's rule for even numbers of samples), `trapezoid`, `spline` (cubic, not a knot), `pchip` (monotone cubic).
    #[value(default)]
    pub method: IntegrateSamplesMethod,
    /// Whether to return the integral from the first place up to each place too.
    #[value(default)]
    pub cumulative: bool,
}

/// How to integrate samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum IntegrateSamplesMethod {
    /// Parabolas through three neighbours.
    #[default]
    Simpson,
    /// Straight lines.
    Trapezoid,
    /// The cubic spline with the ends "not a knot".
    Spline,
    /// The monotone cubic of Fritsch and Butland.
    Pchip,
}

/// The integral, and how much the rules differ.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The integral.
    pub integral: f64,
    /// Estimate of the error: the largest difference from the other rules (for `trapezoid` from Simpson's), and from every second sample; plus
    /// the difference from trapezia over intervals more than 3 times as long or short as a neighbour. It
    /// knows the samples only: what happens between them may be larger. Absent for fewer than 3 samples.
    #[value(skip_encoding_if = "Option::is_none")]
    pub error: Option<f64>,
    /// What was used; `trapezoid` for 2 samples.
    pub method: IntegrateSamplesMethod,
    /// Number of samples.
    pub samples: usize,
    /// Integral from the first place up to each.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"], "x-present" = { "cumulative": true }))]
    pub cumulative: Option<Vec<f64>>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("integrate_samples", "Integrate samples")
        .tags(&[
            "integral",
            "simpson",
            "trapezoid",
            "spline",
            "cumulative",
            "calculus",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "x^2 at 0, 1, 2": r#"{"y": [0, 1, 4]}"#
            => r#"{"integral": 2.6666666666666665, "error": 4.440892098500626e-16, "method": "simpson", "samples": 3}"#;
        "up to each place": r#"{"x": [0, 1, 3], "y": [1, 1, 1], "method": "trapezoid", "cumulative": true}"#
            => r#"{"integral": 3.0, "error": 0.0, "method": "trapezoid", "samples": 3, "cumulative": [0.0, 1.0, 3.0]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let samples = SampledFunction::load(args.x.as_ref(), &args.y, args.dx, 2, ctx)?;
        let (x, y) = (&samples.x, &samples.y);
        ctx.afford(x.len() as f64 * 100.0)?;
        let found = quadrature::integrate_samples(x, y, args.method.rule());
        let method = IntegrateSamplesMethod::of(found.rule);
        let swings = matches!(
            method,
            IntegrateSamplesMethod::Simpson | IntegrateSamplesMethod::Spline
        );
        if found.uneven > 0 && swings {
            ctx.warn(format!(
                "{} of {} intervals are more than {UNEVEN_STEPS} times as long or short as a neighbour: a curve through such samples may \
                 swing far out; `method`: \"trapezoid\" or \"pchip\" does not",
                found.uneven,
                x.len() - 1
            ));
        }
        let sign = if samples.is_reversed { -1.0 } else { 1.0 };
        let cumulative = args
            .cumulative
            .then(|| cumulative_sums(&found.pieces, samples.is_reversed));
        if !found.value.is_finite() {
            refuse!(numeric "/y", "overflow"; "the integral is beyond the range of a double"; "scale the values");
        }
        Ok(Output {
            integral: sign * found.value + 0.0,
            error: found.error,
            method,
            samples: x.len(),
            cumulative,
        })
    }
}

impl IntegrateSamplesMethod {
    fn rule(self) -> SampleRule {
        match self {
            Self::Simpson => SampleRule::Simpson,
            Self::Trapezoid => SampleRule::Trapezoid,
            Self::Spline => SampleRule::Spline,
            Self::Pchip => SampleRule::Pchip,
        }
    }

    fn of(rule: SampleRule) -> Self {
        match rule {
            SampleRule::Simpson => Self::Simpson,
            SampleRule::Trapezoid => Self::Trapezoid,
            SampleRule::Spline => Self::Spline,
            SampleRule::Pchip => Self::Pchip,
        }
    }
}

/// Sums up to each place, in the order given.
fn cumulative_sums(pieces: &[f64], is_reversed: bool) -> Vec<f64> {
    let mut total = 0.0;
    let mut sums = vec![0.0];
    let mut add = |piece: f64| {
        total += piece;
        sums.push(total);
    };
    if is_reversed {
        pieces.iter().rev().for_each(|piece| add(-piece));
    } else {
        pieces.iter().for_each(|piece| add(*piece));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::{Args, IntegrateSamplesMethod};
    use crate::prelude::*;

    fn run(args: &str) -> Result<super::Output, ToolError> {
        let args: Args = tool_core::convert::from_value(&crate::linalg::tests::parse(args))
            .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
        Args::run(args, &Ctx::default())
    }

    #[test]
    fn bad_samples_are_refused() {
        for (args, path) in [
            (r#"{"y": [1]}"#, "/y"),
            (r#"{"y": []}"#, "/y"),
            (r#"{"y": [1, 2], "x": [1]}"#, "/x"),
            (r#"{"y": [1, 2], "x": [1, 1]}"#, "/x/1"),
            (r#"{"y": [1, 2, 3], "x": [0, 2, 1]}"#, "/x/2"),
            (r#"{"y": [1, 2, 3], "x": [0, 1, 2], "dx": 2}"#, "/dx"),
            (r#"{"y": [1, 2], "x": [-1.7e308, 1.7e308]}"#, "/x"),
            (r#"{"y": [1.7e308, 1.7e308, 1.7e308], "dx": 10}"#, "/y"),
        ] {
            let err = run(args).unwrap_err();
            assert_eq!(err.path(), Some(path), "{args}: {err:?}");
        }
    }

    #[test]
    fn cubics_are_exact_and_descending_places_change_the_sign() {
        let cubic = |x: f64| 4.0 * x * x * x - 1.0;
        let x = [0.0, 0.5, 0.75, 1.25, 2.0];
        let y = x.map(cubic);
        let both = |x: &[f64], y: &[f64]| {
            format!(r#"{{"x": {x:?}, "y": {y:?}, "method": "spline", "cumulative": true}}"#)
        };
        let up = run(&both(&x, &y)).unwrap();
        assert!(
            (up.integral - 14.0).abs() < 1e-13 && up.method == IntegrateSamplesMethod::Spline,
            "{up:?}"
        );
        let (mut a, mut b) = (x, y);
        a.reverse();
        b.reverse();
        let down = run(&both(&a, &b)).unwrap();
        assert!((down.integral + 14.0).abs() < 1e-13, "{down:?}");
        assert!((down.cumulative.unwrap()[4] + 14.0).abs() < 1e-13);
    }

    /// OpenMS issue 3845 (a peak with one short step): the parabola is negative, the data are not.
    #[test]
    fn errors_on_uneven_steps_cover_the_trapezia() {
        let places = r#""x": [2270.93, 2272.86, 2273.16], "y": [410430, 166125, 896669]"#;
        for factor in ["", r#", "method": "spline""#, r#", "method": "pchip""#] {
            let args: Args = tool_core::convert::from_value(&crate::linalg::tests::parse(
                &format!("{{{places}{factor}}}"),
            ))
            .unwrap();
            let ctx = Ctx::default();
            let found = Args::run(args, &ctx).unwrap();
            let trapezia = run(&format!(r#"{{{places}, "method": "trapezoid"}}"#)).unwrap();
            let apart = (found.integral - trapezia.integral).abs();
            assert!(found.error.unwrap() >= apart * (1.0 - 1e-12), "{found:?}");
            let warns = found.method != IntegrateSamplesMethod::Pchip;
            assert_eq!(ctx.take_warnings().len(), usize::from(warns));
        }
        let even = run(r#"{"x": [0, 1, 3], "y": [0, 1, 9]}"#).unwrap();
        assert!((even.integral - 9.0).abs() < 1e-14 && even.error.unwrap() < 1e-14);
    }

    #[test]
    fn two_samples_are_a_trapezium() {
        let found = run(r#"{"y": [1, 3], "dx": 2}"#).unwrap();
        assert_eq!(
            (found.integral, found.error, found.method),
            (4.0, None, IntegrateSamplesMethod::Trapezoid)
        );
    }
}
