//! A second opinion on `monte_carlo`: another stream of random numbers.

use tool_core::{AnswerVerification, Ctx, RandomSeed, Tool, ToolError, Verify};

use super::monte_carlo::{Args, Output};

const COMPARED: &str = "mean";
/// Distance from the seed of the answer to that of the second computation.
const APART: u64 = 0x9e37_79b9;
/// Standard errors of the difference that chance explains: one call in 1.7 million has more.
const STANDARD_ERRORS: f64 = 5.0;

impl Verify for Args {
    fn verify(args: Self, output: &Output, ctx: &Ctx) -> Result<AnswerVerification, ToolError> {
        let seed = RandomSeed::new(output.seed.get().wrapping_add(APART));
        let by = format!("another random stream, seed {}", seed.get());
        let own = ctx.without_messages();
        let found = Tool::run(
            Args {
                seed: Some(seed),
                ..args
            },
            &own,
        )?;
        let scale = output.mean.abs().max(found.mean.abs());
        let error = output.standard_error.hypot(found.standard_error);
        let tolerance = if scale > 0.0 {
            STANDARD_ERRORS * error / scale + f64::EPSILON
        } else {
            0.0
        };
        let pair = (&[output.mean][..], &[found.mean][..]);
        Ok(AnswerVerification::of_numbers(
            by, COMPARED, pair, tolerance,
        ))
    }
}
