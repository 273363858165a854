//! Errors of tests as errors of a call.

use statistics::hypothesis::HypothesisError;

use crate::call_watch::CallWatch;
use crate::prelude::*;

/// The error of the argument at a pointer, with a reason and the next step.
pub(crate) fn test_fault(error: HypothesisError, pointer: &str, ctx: &Ctx) -> ToolError {
    if let HypothesisError::Interrupted(interruption) = error {
        return CallWatch(ctx).interruption_error(interruption);
    }
    let found =
        |error: ToolError, reason: &'static str, hint: &str| error.reason(reason).hint(hint);
    let fault = ToolError::invalid(pointer, &error);
    match error {
        HypothesisError::TooFew { .. } => found(
            fault,
            "too_few",
            "give more observations, or leave the small group out",
        ),
        HypothesisError::TooMany { .. } => found(
            ToolError::new(ErrorCode::LimitExceeded, &error).at(pointer),
            "too_many",
            "choose a test for large samples, or fewer observations",
        ),
        HypothesisError::Constant { .. } => found(
            fault,
            "constant",
            "values that are all the same need no test: describe them",
        ),
        HypothesisError::Lengths { .. } => found(
            fault,
            "shape",
            "pairs and conditions have a value of each subject, in one order",
        ),
        HypothesisError::Range { .. } => found(fault, "range", "check the argument"),
        HypothesisError::Undefined { .. } => found(
            fault,
            "undefined",
            "leave empty rows and columns of counts out; for other data choose another test",
        ),
        HypothesisError::Interrupted(_) => fault,
    }
}
