//! `savgol_filter`: smoothing by polynomials fitted to windows.

use numerics::quadrature::samples::savitzky_golay;

use crate::prelude::*;

/// Smooth samples, or differentiate them, by the Savitzky-Golay filter: in each place the value of the polynomial that fits the window around it best.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Samples, equally spaced.
    #[schema(extend("x-shape" = ["m"]))]
    pub data: Input<Vector>,
    /// Samples in a window, odd; at an end the window is not centred (SciPy's mode `interp`).
    #[value(default = "BoundedInteger::<3, 501>::of::<7>")]
    pub window_length: BoundedInteger<3, 501>,
    /// Degree of the polynomials, below `window_length`.
    #[value(default = "BoundedInteger::<0, 12>::of::<3>")]
    pub polyorder: BoundedInteger<0, 12>,
    /// Order of the derivative; 0 smooths.
    #[value(default = "BoundedInteger::<0, 12>::of::<0>")]
    pub deriv: BoundedInteger<0, 12>,
    /// Distance of two samples, for derivatives; absent: 1.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub delta: Option<Positive>,
}

/// The smoothed samples, or their derivatives.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The values of the polynomials, or their derivatives, one for each sample.
    #[schema(extend("x-shape" = ["m"]))]
    pub filtered: Vec<f64>,
    /// Standard errors, from the residuals of each window.
    #[schema(extend("x-shape" = ["m"]))]
    pub errors: Vec<f64>,
    /// Largest residual of a sample, `data - filtered`; of smoothing.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "deriv": 0 }))]
    pub residual_max: Option<f64>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("savgol_filter", "Savitzky-Golay filter")
        .tags(&["signal", "filter", "smooth", "savitzky-golay", "noise"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "nothing stays nothing":
            r#"{"data": [0, 0, 0, 0, 0], "window_length": 5, "polyorder": 2}"#
            => r#"{"filtered": [0.0, 0.0, 0.0, 0.0, 0.0], "errors": [0.0, 0.0, 0.0, 0.0, 0.0],
                "residual_max": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let data = args.data.load(ctx)?;
        let (width, degree) = (args.window_length.size(), args.polyorder.size());
        let order = args.deriv.size();
        if width.is_multiple_of(2) {
            refuse!(invalid "/window_length"; "expected an odd number of samples, found {width}"; "take one more");
        }
        if degree >= width {
            refuse!(invalid "/polyorder"; "expected a degree below `window_length`, {width}, found {degree}"; "choose a smaller one");
        }
        if width > data.len() {
            refuse!(invalid "/window_length", "too_few"; "a window of {width} samples does not fit into {}", data.len(); "choose a smaller window");
        }
        ctx.afford((data.len() * width * (degree + 1) * (degree + 1)) as f64 * 4.0)?;
        ctx.reserve_doubles(data.len().saturating_mul(4))?;
        let delta = args.delta.map_or(1.0, Positive::get);
        let places: Vec<f64> = (0..data.len()).map(|index| index as f64 * delta).collect();
        let (filtered, errors) = match order > degree {
            true => (vec![0.0; data.len()], vec![0.0; data.len()]),
            false => savitzky_golay(&places, &data, order, width, degree),
        };
        if !filtered
            .iter()
            .chain(&errors)
            .all(|value| value.is_finite())
        {
            refuse!(numeric "/data", "overflow"; "a value is beyond the range of a double"; "scale the samples");
        }
        let residuals = data.iter().zip(&filtered).map(|(a, b)| (a - b).abs());
        let residual_max = (order == 0).then(|| residuals.fold(0.0, f64::max));
        Ok(Output {
            filtered,
            errors,
            residual_max,
        })
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{AnyTool, Ctx, Value, json, tool_entry};

    use super::Args;

    fn run(args: &str) -> Result<Value, tool_core::ToolError> {
        let tool: &dyn AnyTool = tool_entry::<Args>().tool();
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        tool.decode(&args)?.run(&Ctx::default())
    }

    fn close(output: &Value, expected: &[f64]) {
        let found = output.get("filtered").and_then(Value::as_numbers).unwrap();
        for (found, expected) in found.as_slice().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    /// Savitzky and Golay's weights of five points for a square or a cube: -3, 12, 17, 12, -3 over 35. At the ends the square through the
    /// last five samples is taken at its own samples: the farthest weighs 3 and -5 over 35.
    #[test]
    fn a_spike_is_spread_by_the_weights_of_the_paper() {
        let output = run(r#"{"data": [0,0,0,0,35,0,0,0,0], "window_length": 5, "polyorder": 2}"#);
        close(
            &output.unwrap(),
            &[3.0, -5.0, -3.0, 12.0, 17.0, 12.0, -3.0, -5.0, 3.0],
        );
    }

    #[test]
    fn a_polynomial_of_the_degree_is_left_as_it_is_and_its_derivative_exact() {
        let cube = r#""data": [-8, -1, 0, 1, 8, 27, 64, 125], "window_length": 5"#;
        let smooth = run(&format!("{{{cube}}}")).unwrap();
        close(&smooth, &[-8.0, -1.0, 0.0, 1.0, 8.0, 27.0, 64.0, 125.0]);
        let slope = run(&format!(r#"{{{cube}, "deriv": 1, "delta": 0.5}}"#)).unwrap();
        close(&slope, &[24.0, 6.0, 0.0, 6.0, 24.0, 54.0, 96.0, 150.0]);
        let none = run(&format!(r#"{{{cube}, "deriv": 4}}"#)).unwrap();
        close(&none, &[0.0; 8]);
    }

    #[test]
    fn windows_that_do_not_fit_are_refused() {
        for (args, at) in [
            (
                r#"{"data": [1,2,3,4,5,6,7,8], "window_length": 4}"#,
                "/window_length",
            ),
            (r#"{"data": [1,2,3], "window_length": 5}"#, "/window_length"),
            (
                r#"{"data": [1,2,3,4,5], "window_length": 3, "polyorder": 3}"#,
                "/polyorder",
            ),
        ] {
            assert_eq!(run(args).unwrap_err().path(), Some(at));
        }
    }
}
