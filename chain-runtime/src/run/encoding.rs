//! Records of a run: the ends of calls, their names, and the end of the run, which is written before the first compensation and
//! binds every process that resumes the run.

use std::borrow::Cow;

use tool_core::{Object, ToolError, Value, fields, tool_error};

use super::events::{CallPart, CallUnit};
use super::finished::{StepOutcome, StepStatus};
use super::machine::EndCause;
use crate::check::CheckedPlan;
use crate::plan::COMPENSATE_SUFFIX;

/// Name of a call for users: `step`, `step[3]`, `step!compensate`, `step[3]!compensate`.
pub(super) fn name_of(plan: &CheckedPlan, unit: CallUnit) -> String {
    let id = &plan.steps[unit.step].id;
    match unit.part {
        CallPart::Whole => id.to_string(),
        CallPart::Item(index) => format!("{id}[{index}]"),
        CallPart::Undo => format!("{id}{COMPENSATE_SUFFIX}"),
        CallPart::UndoItem(index) => format!("{id}[{index}]{COMPENSATE_SUFFIX}"),
    }
}

/// A word quoted for a shell: brackets are patterns in some shells, and `!` recalls earlier commands.
pub(super) fn quote_shell_word(word: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-=.,:/".contains(&byte);
    match word.bytes().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")).into(),
    }
}

/// The unit that a record is about.
pub(super) fn unit_of(plan: &CheckedPlan, record: &Value) -> Option<CallUnit> {
    let name = record.text("step")?;
    let item = record.get("item").and_then(Value::as_i64);
    let item = item.map(usize::try_from).transpose().ok()?;
    let undone = name.strip_suffix(COMPENSATE_SUFFIX);
    Some(CallUnit {
        step: plan.position(undone.unwrap_or(name))?,
        part: match (undone, item) {
            (Some(_), Some(item)) => CallPart::UndoItem(item),
            (Some(_), None) => CallPart::Undo,
            (None, Some(item)) => CallPart::Item(item),
            (None, None) => CallPart::Whole,
        },
    })
}

/// Member with the digest of the result, of events and stored ends.
pub(super) const DIGEST_KEY: &str = "output_digest";

/// The end of a call as stored.
pub(super) fn value_of(end: &StepOutcome) -> Object {
    let mut kept = fields! { "status" => end.status.as_str() };
    kept.insert_some(DIGEST_KEY, end.digest());
    kept.insert_some("output", end.output.clone());
    kept.insert_some("error", end.error.as_ref().map(ToolError::to_value));
    kept.insert("warnings", end.warnings.clone());
    kept.insert("defaults_used", end.defaults_used.clone());
    kept.insert("metadata", end.metadata.clone());
    kept
}

pub(super) fn status_in(record: &Value) -> StepStatus {
    let ended = [StepStatus::Done, StepStatus::Denied, StepStatus::Unknown];
    let status = record.text("status").and_then(StepStatus::parse);
    status
        .filter(|status| ended.contains(status))
        .unwrap_or(StepStatus::Failed)
}

pub(super) fn digest_in(record: &Value) -> Option<String> {
    record.text(DIGEST_KEY).map(str::to_owned)
}

pub(super) fn end_of(value: &Value) -> StepOutcome {
    let texts = |key: &str| -> Vec<String> {
        let items = value.get(key).and_then(Value::items).unwrap_or_default();
        let texts = items.iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let metadata = value.get("metadata").and_then(Value::as_object);
    StepOutcome {
        status: status_in(value),
        output_digest: digest_in(value).map(Into::into),
        output: value.get("output").cloned(),
        error: value.get("error").and_then(ToolError::from_value),
        warnings: texts("warnings"),
        defaults_used: texts("defaults_used"),
        metadata: metadata.cloned().unwrap_or_default(),
        ..StepOutcome::default()
    }
}

/// Early end of a run by an earlier process.
pub(super) struct PriorRunEnd {
    /// Why.
    pub(super) why: ToolError,
    /// Whether it was stopped, rather than ended by a step.
    pub(super) is_stop: bool,
}

/// Reads the early end of a run.
pub(super) fn ending_in(record: &Value) -> Option<PriorRunEnd> {
    let cause = record.text("cause")?;
    let why = record.get("error").and_then(ToolError::from_value);
    Some(PriorRunEnd {
        why: why.unwrap_or_else(|| tool_error!(Cancelled, "the run was ended")),
        is_stop: cause != "step",
    })
}

/// The record that a chain ends.
pub(super) fn ending_record(cause: &EndCause, plan: Option<&CheckedPlan>) -> Value {
    let mut record = fields! { "kind" => "ending", "cause" => cause.cause };
    let step = plan.zip(cause.at).map(|(plan, at)| &*plan.steps[at].id);
    record.insert_some("at", step);
    let error = cause.error.clone();
    let error = error.map(|error| error.without_evidence().to_value());
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
pub(super) fn resume_options_text(name: &str, ended: bool) -> String {
    let option = |outcome: &str| quote_shell_word(&format!("{name}={outcome}")).into_owned();
    let [again, failed, done] = ["again", "failed", "done"].map(option);
    match ended {
        true => format!("--decide {done}`, or `{failed}`"),
        false => format!("--decide {again}`, or `{failed}`, or `{done}`"),
    }
}
