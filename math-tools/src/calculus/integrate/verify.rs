//! A second opinion on `integrate`: the other quadrature.

use tool_core::{AnswerVerification, Ctx, Tool, ToolError, Verify};

use super::answer::Output;
use super::{Args, IntegrateMethod, RangeLimit};

const COMPARED: &str = "integral";

impl Verify for Args {
    fn verify(args: Self, output: &Output, ctx: &Ctx) -> Result<AnswerVerification, ToolError> {
        let (method, by) = match output.method.as_str() {
            "tanh_sinh" => (
                IntegrateMethod::GaussKronrod,
                "adaptive Gauss-Kronrod rules",
            ),
            _ => (
                IntegrateMethod::TanhSinh,
                "the trapezoidal rule after a double-exponential substitution",
            ),
        };
        let mut points = args.points.clone();
        let places = output
            .singularities
            .iter()
            .map(|place| RangeLimit::Number(*place));
        points.extend(places.take(1000 - points.len().min(1000)));
        let again = Args {
            method,
            points,
            plot: false,
            ..args
        };
        // Its warnings are not those of the answer.
        let own = ctx.without_messages();
        let found = Tool::run(again, &own)?;
        /// Share of the integral of the magnitude above which an error estimate says nothing.
        const POOR: f64 = 1e-2;
        if found.error > POOR * found.absolute {
            let reason = format!(
                "its error estimate is {:e} for an integral of {:e}",
                found.error, found.integral
            );
            return Ok(AnswerVerification::unavailable(by, COMPARED, reason));
        }
        let scale = output.integral.abs().max(found.integral.abs());
        let errors = output.error + found.error + 4.0 * f64::EPSILON * scale;
        let tolerance = if scale > 0.0 { errors / scale } else { 0.0 };
        let pair = (&[output.integral][..], &[found.integral][..]);
        Ok(AnswerVerification::of_numbers(
            by, COMPARED, pair, tolerance,
        ))
    }
}
