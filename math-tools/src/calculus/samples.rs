//! Samples of a function: places in ascending order, and values.

use crate::prelude::*;

/// Checked samples.
#[derive(Debug)]
pub(super) struct SampledFunction {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    /// Whether the places were given in descending order; they are reversed then.
    pub(super) is_reversed: bool,
}

impl SampledFunction {
    /// Loads values with their places, or at the distance `dx`.
    pub(super) fn load(
        x: Option<&Input<Vector>>,
        y: &Input<Vector>,
        dx: Option<Positive>,
        least: usize,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let y = y.load(ctx)?;
        ctx.reserve_doubles(y.len().saturating_mul(12))?;
        let mut y = y.to_vec();
        if y.len() < least {
            refuse!(invalid "/y", "too_few"; "expected at least {least} samples, found {}", y.len(); "pass more samples");
        }
        let mut x = match x {
            Some(_) if dx.is_some() => {
                refuse!(invalid "/dx"; "`x` and `dx` both set the places"; "leave one of them out");
            }
            Some(x) => x.load(ctx)?.to_vec(),
            None => {
                let step = dx.map_or(1.0, Positive::get);
                (0..y.len()).map(|index| index as f64 * step).collect()
            }
        };
        if x.len() != y.len() {
            refuse!(invalid "/x", "shape"; "`x` has {} places, `y` {} values", x.len(), y.len(); "pass one place for each value");
        }
        let is_reversed = x.len() > 1 && x[0] > x[1];
        if is_reversed {
            x.reverse();
            y.reverse();
        }
        if let Some(at) = x.windows(2).position(|pair| pair[0] >= pair[1]) {
            let index = if is_reversed {
                x.len() - 1 - at
            } else {
                at + 1
            };
            refuse!(invalid format!("/x/{index}"), "order"; "the places are not in strict order: {} stands beside {}", x[at], x[at + 1];
                "sort the samples by `x`, and join those at one place");
        }
        let span = x[x.len() - 1] - x[0];
        if !span.is_finite() {
            refuse!(invalid "/x", "range"; "the places are too far apart for doubles"; "scale them");
        }
        Ok(Self { x, y, is_reversed })
    }
}
