//! Encoding of the ends of calls in records, and the names of calls.

use std::borrow::Cow;

use tool_core::{ToolError, Value, fields};

use super::events::{Part, Unit};
use super::finished::{Finished, StepStatus};
use crate::check::CheckedPlan;
use crate::plan::COMPENSATE_SUFFIX;

/// Name of a call for users: `step`, `step[3]`, `step!compensate`, `step[3]!compensate`.
pub(super) fn name_of(plan: &CheckedPlan, unit: Unit) -> String {
    let id = &plan.steps[unit.step].id;
    match unit.part {
        Part::Whole => id.to_string(),
        Part::Item(index) => format!("{id}[{index}]"),
        Part::Undo => format!("{id}{COMPENSATE_SUFFIX}"),
        Part::UndoItem(index) => format!("{id}[{index}]{COMPENSATE_SUFFIX}"),
    }
}

/// A word quoted for a shell: brackets are patterns in some shells, and `!` recalls earlier commands.
pub(super) fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-=.,:/".contains(&byte);
    match word.bytes().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")).into(),
    }
}

/// The unit that a record is about.
pub(super) fn unit_of(plan: &CheckedPlan, record: &Value) -> Option<Unit> {
    let name = record.text("step")?;
    let item = record.get("item").and_then(Value::as_i64);
    let item = item.map(usize::try_from).transpose().ok()?;
    let undone = name.strip_suffix(COMPENSATE_SUFFIX);
    Some(Unit {
        step: plan.position(undone.unwrap_or(name))?,
        part: match (undone, item) {
            (Some(_), Some(item)) => Part::UndoItem(item),
            (Some(_), None) => Part::Undo,
            (None, Some(item)) => Part::Item(item),
            (None, None) => Part::Whole,
        },
    })
}

/// The end of a call as stored.
pub(super) fn value_of(end: &Finished) -> Value {
    let mut kept = fields! { "status" => end.status.as_str() };
    kept.insert_some("output_digest", end.digest());
    kept.insert_some("output", end.output.clone());
    kept.insert_some("error", end.error.as_ref().map(ToolError::to_value));
    kept.insert("warnings", end.warnings.clone());
    kept.insert("defaults_used", end.defaults_used.clone());
    kept.insert("metadata", end.metadata.clone());
    kept.into()
}

pub(super) fn status_in(record: &Value) -> StepStatus {
    let ended = [StepStatus::Done, StepStatus::Denied, StepStatus::Unknown];
    let status = record.text("status").and_then(StepStatus::parse);
    status
        .filter(|status| ended.contains(status))
        .unwrap_or(StepStatus::Failed)
}

pub(super) fn digest_in(record: &Value) -> Option<String> {
    record.text("output_digest").map(str::to_owned)
}

pub(super) fn end_of(value: &Value) -> Finished {
    let texts = |key: &str| -> Vec<String> {
        let items = value.get(key).and_then(Value::items).unwrap_or_default();
        items
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let metadata = value.get("metadata").and_then(Value::as_object);
    Finished {
        status: status_in(value),
        output_digest: digest_in(value).map(Into::into),
        output: value.get("output").cloned(),
        error: value.get("error").and_then(ToolError::from_value),
        warnings: texts("warnings"),
        defaults_used: texts("defaults_used"),
        metadata: metadata.cloned().unwrap_or_default(),
        ..Finished::default()
    }
}
