//! The recorded end of a run: written before the first compensation, it binds every process that resumes the run.

use tool_core::{ToolError, Value, fields, tool_error};

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
    let cause = record.text("cause")?;
    let why = record.get("error").and_then(ToolError::from_value);
    Some(Ending {
        why: why.unwrap_or_else(|| tool_error!(Cancelled, "the run was ended")),
        is_stop: cause != "step",
    })
}

/// The record that a chain ends.
pub(super) fn ending_record(cause: &EndCause, plan: Option<&CheckedPlan>) -> Value {
    let mut record = fields! { "kind" => "ending", "cause" => cause.cause };
    let step = plan.zip(cause.at).map(|(plan, at)| &*plan.steps[at].id);
    record.insert_some("at", step);
    let error = cause
        .error
        .clone()
        .map(|error| error.without_evidence().to_value());
    record.insert_some("error", error);
    record.into()
}

/// The record that a run was cancelled.
pub(super) fn cancelled_record() -> Value {
    let cause = EndCause {
        cause: "cancelled",
        at: None,
        error: Some(tool_error!(Cancelled, "the run was cancelled")),
    };
    ending_record(&cause, None)
}

/// Options of `runs resume RUN` that decide the outcome of a call, in backticks.
pub(super) fn options(name: &str, ended: bool) -> String {
    let option = |outcome: &str| quoted(&format!("{name}={outcome}")).into_owned();
    let [again, failed, done] = ["again", "failed", "done"].map(option);
    match ended {
        true => format!("--decide {done}`, or `{failed}`"),
        false => format!("--decide {again}`, or `{failed}`, or `{done}`"),
    }
}
