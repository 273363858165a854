//! `integrate_samples`: the integral of a function that is known at samples.

use kernels::quadrature::samples as kernel;

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
        let method = if x.len() == 2 {
            IntegrateSamplesMethod::Trapezoid
        } else {
            args.method
        };
        let pieces = interval_integrals(method, x, y);
        let integral = sum_of_pieces(&pieces);
        let uneven = find_uneven_intervals(x);
        let error = (x.len() > 2).then(|| estimate_error(method, integral, x, y));
        let error = error.map(|error| error + apart_where(&uneven, method, &pieces, x, y));
        let count = uneven.iter().filter(|is_uneven| **is_uneven).count();
        if count > 0
            && matches!(
                method,
                IntegrateSamplesMethod::Simpson | IntegrateSamplesMethod::Spline
            )
        {
            ctx.warn(format!(
                "{count} of {} intervals are more than {UNEVEN} times as long or short as a neighbour: a curve through such samples may \
                 swing far out; `method`: \"trapezoid\" or \"pchip\" does not",
                x.len() - 1
            ));
        }
        let sign = if samples.is_reversed { -1.0 } else { 1.0 };
        let cumulative = args
            .cumulative
            .then(|| cumulative_sums(&pieces, samples.is_reversed));
        if !integral.is_finite() {
            refuse!(numeric "/y", "overflow"; "the integral is beyond the range of a double"; "scale the values");
        }
        Ok(Output {
            integral: sign * integral + 0.0,
            error,
            method,
            samples: x.len(),
            cumulative,
        })
    }
}

/// The integral of each interval.
fn interval_integrals(method: IntegrateSamplesMethod, x: &[f64], y: &[f64]) -> Vec<f64> {
    match method {
        IntegrateSamplesMethod::Trapezoid => kernel::trapezoid_integrals(x, y),
        IntegrateSamplesMethod::Simpson => kernel::simpson_integrals(x, y),
        IntegrateSamplesMethod::Spline => {
            kernel::hermite_integrals(x, y, &kernel::spline_slopes(x, y))
        }
        IntegrateSamplesMethod::Pchip => {
            kernel::hermite_integrals(x, y, &kernel::pchip_slopes(x, y))
        }
    }
}

fn sum_of_pieces(pieces: &[f64]) -> f64 {
    kernels::vector::sum_numbers(pieces)
}

/// Ratio of neighbouring intervals from which parabolas and splines are not trusted.
const UNEVEN: f64 = 3.0;

/// The intervals much longer or shorter than a neighbour.
fn find_uneven_intervals(x: &[f64]) -> Vec<bool> {
    let steps: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut uneven = vec![false; steps.len()];
    for (index, pair) in steps.windows(2).enumerate() {
        if pair[0] > UNEVEN * pair[1] || pair[1] > UNEVEN * pair[0] {
            uneven[index] = true;
            uneven[index + 1] = true;
        }
    }
    uneven
}

/// The difference from trapezia over some intervals.
fn apart_where(
    uneven: &[bool],
    method: IntegrateSamplesMethod,
    pieces: &[f64],
    x: &[f64],
    y: &[f64],
) -> f64 {
    if method == IntegrateSamplesMethod::Trapezoid || !uneven.contains(&true) {
        return 0.0;
    }
    let trapezia = kernel::trapezoid_integrals(x, y);
    let differences = pieces.iter().zip(&trapezia).zip(uneven);
    let counted = differences.filter(|(_, is_uneven)| **is_uneven);
    counted.map(|((a, b), _)| (a - b).abs()).sum()
}

fn estimate_error(method: IntegrateSamplesMethod, integral: f64, x: &[f64], y: &[f64]) -> f64 {
    /// Fewer samples have no half.
    const HALF_MIN: usize = 7;
    let others: &[IntegrateSamplesMethod] = match method {
        IntegrateSamplesMethod::Trapezoid => &[IntegrateSamplesMethod::Simpson],
        IntegrateSamplesMethod::Simpson => &[IntegrateSamplesMethod::Spline],
        IntegrateSamplesMethod::Spline => &[IntegrateSamplesMethod::Simpson],
        IntegrateSamplesMethod::Pchip => &[
            IntegrateSamplesMethod::Simpson,
            IntegrateSamplesMethod::Spline,
        ],
    };
    let apart = others
        .iter()
        .map(|other| (sum_of_pieces(&interval_integrals(*other, x, y)) - integral).abs());
    let mut most = apart.fold(0.0, f64::max);
    if x.len() >= HALF_MIN && x.len() % 2 == 1 {
        let every_second = |values: &[f64]| values.iter().copied().step_by(2).collect::<Vec<f64>>();
        let coarse = sum_of_pieces(&interval_integrals(
            method,
            &every_second(x),
            &every_second(y),
        ));
        // Orders 2 and 4: the error falls to a quarter and to a sixteenth.
        let share = if matches!(
            method,
            IntegrateSamplesMethod::Trapezoid | IntegrateSamplesMethod::Pchip
        ) {
            3.0
        } else {
            15.0
        };
        most = most.max((coarse - integral).abs() / share);
    }
    most
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
