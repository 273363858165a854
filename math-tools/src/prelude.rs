//! The names that every tool needs, and [`refuse!`] for errors that name an argument, a reason and the next step.

/// Returns the error `invalid` or `numeric` at an argument: `refuse!(invalid "/A", "shape"; "expected {n} rows"; "add rows")`.
macro_rules! refuse {
    ($kind:ident $at:expr $(, $reason:literal)?; $message:literal $(, $value:expr)* $(; $hint:literal)?) => {{
        let error = tool_core::ToolError::$kind($at, format_args!($message $(, $value)*));
        return Err(error$(.reason($reason))?$(.hint($hint))?);
    }};
}

/// The hint of the nearest known name, where one is near enough.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    tool_core::nearest::nearest_name(name, known).map(|near| format!("did you mean `{near}`?"))
}

/// The default of a flag that is on.
pub(crate) fn default_true() -> bool {
    true
}

pub(crate) use tool_core::Describe;
pub(crate) use tool_core::examples;
pub(crate) use tool_core::{
    BoundedInteger, Category, Count, Ctx, ErrorCode, Finite, Input, JsonExample, Matrix, Numbers,
    Positive, Probability, RandomSeed, Real, RequestProblem, Spec, Syntax, Table, TextInput,
    Tolerance, Tool, ToolError, Value, Vector,
};
pub(crate) use tool_core::{Decode, Encode};

/// The usual probability of intervals.
pub(crate) fn default_confidence() -> Probability {
    Probability::literal(0.95)
}

/// The probability of intervals, above 0 and below 1; the usual one when absent.
pub(crate) fn confidence_level(
    confidence: impl Into<Option<Probability>>,
) -> Result<f64, ToolError> {
    let level = confidence.into().unwrap_or_else(default_confidence).get();
    if level == 0.0 || level == 1.0 {
        refuse!(invalid "/confidence"; "expected a probability above 0 and below 1, found {level}";
            "the usual one is 0.95");
    }
    Ok(level)
}
