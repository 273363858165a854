//! That a chain ends early, as it stands in the journal: a record before the first undoing, which binds every process that goes on.

use std::sync::Arc;

use tool_core::{ErrorCode, Object, ToolError, Value};

use super::machine::EndCause;
use super::recorded::quoted;
use crate::check::CheckedPlan;

/// That a process before this one ended the chain.
pub(super) struct Ending {
    /// Why.
    pub(super) why: ToolError,
    /// Whether it was stopped, and no step ended it.
    pub(super) is_stop: bool,
}

/// Why a process before this one ended the chain.
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

/// How a person says what became of a call: after `runs resume RUN`, in the marks of code.
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
