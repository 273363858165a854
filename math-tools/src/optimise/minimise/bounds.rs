//! Bounds of variables as arguments.

use std::borrow::Borrow;

pub(crate) use numerics::optimise::VariableBounds;
use tool_core::{Finite, ToolError};

/// Lower and upper bound of a variable as given; `None` where there is none.
pub(crate) type Given = [Option<Finite>; 2];

/// Checks the bounds of `n` variables.
///
/// # Errors
/// `invalid_args` at `/bounds` when there is not one pair for each variable, and at the pair whose low is above its high.
pub(crate) fn read_bounds(
    given: &[impl Borrow<Given>],
    n: usize,
) -> Result<VariableBounds, ToolError> {
    if given.len() != n {
        let found = given.len();
        refuse!(invalid "/bounds", "shape"; "expected {n} pairs [low, high], one per variable, found {found}";
            "give one pair for each entry of `x0`; null where there is no bound");
    }
    let mut bounds = VariableBounds::free(n);
    for (index, pair) in given.iter().enumerate() {
        let [low, high] = pair.borrow().map(|bound| bound.map(Finite::get));
        bounds.low[index] = low.unwrap_or(f64::NEG_INFINITY);
        bounds.high[index] = high.unwrap_or(f64::INFINITY);
        if let (Some(low), Some(high)) = (low, high)
            && low > high
        {
            refuse!(invalid format!("/bounds/{index}"), "infeasible";
                "no x{index} satisfies the bounds: the low {low} is above the high {high}";
                "give each pair as [low, high]");
        }
    }
    Ok(bounds)
}
