//! The recorded end of a run: written before the first compensation, it binds every process that resumes the run.

use std::sync::Arc;

use tool_core::{ErrorCode, Object, ToolError, Value};

use super::encoding::quoted;
use super::machine::EndCause;
use crate::check::CheckedPlan;

/// Early end of a run by an earlier process.
pub(super) struct Ending {
    /// Why.
    pub(super) why: ToolError,
    /// Whether it was stopped, rather than ended by a step.
    pub(super) is_stop: bool,
}

/// Reads the early end of a run.
pub(super) fn ending_in(record: &Value) -> Option<Ending> {
    let cause = record.get("cause")?.as_str()?;
    let why = record.get("error").and_then(ToolError::from_value);
    Some(Ending {
        why: why.unwrap_or_else(|| ToolError::new(ErrorCode::Cancelled, "the run was ended")),
        is_stop: cause != "step",
    })
}

/// The record that a chain ends.
pub(super) fn ending_record(cause: &EndCause, plan: Option<&CheckedPlan>) -> Value {
    let mut record = Object::new();
    record.insert("kind", "ending");
    record.insert("cause", cause.cause);
    if let (Some(at), Some(plan)) = (cause.at, plan) {
        record.insert("at", plan.steps[at].id.as_ref());
    }
    if let Some(error) = &cause.error {
        record.insert("error", error.clone().without_evidence().to_value());
    }
    Value::Object(Arc::new(record))
}

/// The record that a run was cancelled.
pub(super) fn cancelled_record() -> Value {
    let cause = EndCause {
        cause: "cancelled",
        at: None,
        error: Some(ToolError::new(
            ErrorCode::Cancelled,
            "the run was cancelled",
        )),
    };

    ending_record(&cause, None)
}

/// Options of `runs resume RUN` that decide the outcome of a call, in backticks.
pub(super) fn options(name: &str, ended: bool) -> String {
    let say = |what: &str| quoted(&format!("{name}={what}")).into_owned();
    match ended {
        true => format!("--decide {}`, or `{}`", say("done"), say("failed")),
        false => format!(
            "--decide {}`, or `{}`, or `{}`",
            say("again"),
            say("failed"),
            say("done")
        ),
    }
}
