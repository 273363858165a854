//! Encoding of the ends of calls in records, and the names of calls.

use std::borrow::Cow;
use std::sync::Arc;

use tool_core::{Object, ToolError, Value};

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
    let name = record.get("step")?.as_str()?;
    let item = record.get("item").and_then(Value::as_i64);
    let (id, part) = match (name.strip_suffix(COMPENSATE_SUFFIX), item) {
        (Some(id), Some(item)) => (id, Part::UndoItem(usize::try_from(item).ok()?)),
        (Some(id), None) => (id, Part::Undo),
        (None, Some(item)) => (name, Part::Item(usize::try_from(item).ok()?)),
        (None, None) => (name, Part::Whole),
    };
    Some(Unit {
        step: plan.position(id)?,
        part,
    })
}

/// The end of a call as stored.
pub(super) fn value_of(end: &Finished) -> Value {
    let mut kept = Object::new();
    kept.insert("status", end.status.as_str());
    if let Some(digest) = &end.output_digest {
        kept.insert("output_digest", digest.as_str());
    }
    if let Some(output) = &end.output {
        kept.insert("output", output.clone());
    }
    if let Some(error) = &end.error {
        kept.insert("error", error.to_value());
    }
    kept.insert("warnings", end.warnings.clone());
    kept.insert("defaults_used", end.defaults_used.clone());
    kept.insert("metadata", Value::Object(Arc::new(end.metadata.clone())));
    Value::Object(Arc::new(kept))
}

pub(super) fn status_in(record: &Value) -> StepStatus {
    let status = record.get("status").and_then(Value::as_str);
    [StepStatus::Done, StepStatus::Denied, StepStatus::Unknown]
        .into_iter()
        .find(|one| Some(one.as_str()) == status)
        .unwrap_or(StepStatus::Failed)
}

pub(super) fn digest_in(record: &Value) -> Option<String> {
    let digest = record.get("output_digest").and_then(Value::as_str);
    digest.map(str::to_owned)
}

pub(super) fn end_of(value: &Value) -> Finished {
    let texts = |key: &str| -> Vec<String> {
        let items = value.get(key).and_then(Value::items).unwrap_or_default();
        items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    Finished {
        status: status_in(value),
        output_digest: digest_in(value).map(Into::into),
        output: value.get("output").cloned(),
        error: value.get("error").and_then(ToolError::from_value),
        warnings: texts("warnings"),
        defaults_used: texts("defaults_used"),
        metadata: value
            .get("metadata")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
        ..Finished::default()
    }
}
