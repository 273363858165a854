//! An open step: what it was called with, what it gave, and how far that can be trusted.

use chain_runtime::count_phrase;
use journal::StateStore;
use maud::{Markup, html};
use tool_core::{Object, ToolError, Value};

use super::super::parts::{OutsideText, error_block, state_badge};
use super::super::values::value_block;
use crate::people::run::{RunModel, StepRow};

/// Ends of items that are shown.
const ENDS_SHOWN: usize = 5;
/// Largest value that is read for a page, in bytes.
const BYTES_MAX: u64 = 8 << 20;
/// Members of the record of a call that say who decided it and how.
const DECIDED: [&str; 7] = [
    "decision",
    "layer",
    "rule",
    "reason",
    "approved_by",
    "approval_id",
    "call_id",
];

/// The card of a step.
pub(super) fn step_card(
    state: &StateStore,
    model: &RunModel,
    step: &StepRow,
    close: &str,
) -> Markup {
    let written = step.written.get("args").cloned().unwrap_or_default();
    let names = |places: &[usize]| -> Vec<&str> {
        let steps = places.iter().filter_map(|place| model.steps.get(*place));
        steps.map(|one| one.id.as_str()).collect()
    };
    html! {
        article class="card" id={ "step-" (step.id) } {
            header {
                h3 { code { (OutsideText(&step.id)) } " " (state_badge(&step.state)) }
                a href=(close) { "Close" }
            }
            p class="small" {
                "calls " code { (OutsideText(&step.tool)) }
                @if !step.before.is_empty() { " after " (OutsideText(&names(&step.before).join(", "))) }
                @if let Some(items) = step.items_words() { " · " (items) }
                @if let Some(nodes) = step.nodes_words() { " · computed on " (OutsideText(&nodes)) }
            }
            h4 { "Arguments as written" }
            (value_block(&written))
            @for key in ["map", "when", "retry", "approval", "on_error", "compensate"] {
                @if let Some(value) = step.written.get(key) { h4 { (key) } (value_block(value)) }
            }
            @for (item, stored) in step.ends.iter().take(ENDS_SHOWN) {
                @if let Some(item) = item { h4 { "Item " (item) } }
                @if stored.handle.bytes() > BYTES_MAX { p class="note" { "The result has " (stored.handle.bytes()) " bytes: see the artifacts of the run." } }
                @else {
                    @match state.end(stored) {
                        Ok(end) => (end_block(&end)),
                        Err(error) => (error_block(&error)),
                    }
                }
            }
            @if step.ends.len() > ENDS_SHOWN { p class="small" { (count_phrase((step.ends.len() - ENDS_SHOWN) as u64, "more result")) } }
            (calls_block(step))
        }
    }
}

/// The end of a call: result, error, warnings and evidence.
fn end_block(end: &Value) -> Markup {
    let texts = |key: &str| -> Vec<String> {
        let items = end.items_at(key);
        let texts = items.iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let metadata = end.get("metadata").and_then(Value::as_object);
    html! {
        @if let Some(error) = end.get("error").and_then(ToolError::from_value) {
            (error_block(&error))
            @if let Some(evidence) = error.evidence_value() { h4 { "Evidence" } (value_block(evidence)) }
        }
        @if let Some(output) = end.get("output") { h4 { "Result" } (value_block(output)) }
        @for warning in texts("warnings") { p class="note" { (OutsideText(&warning)) } }
        @for used in texts("defaults_used") { p class="note" { "default used: " (OutsideText(&used)) } }
        @if let Some(metadata) = metadata.filter(|it| !it.is_empty()) {
            details { summary { "Evidence of the call" } (value_block(&Value::from(metadata.clone()))) }
        }
    }
}

/// Who decided the calls of a step, by which rule.
fn calls_block(step: &StepRow) -> Markup {
    let decided = |record: &Value| {
        let mut members = Object::new();
        for key in DECIDED {
            members.insert_some(key, record.get(key).filter(|it| !it.is_null()).cloned());
        }
        Value::from(members)
    };
    html! {
        @if let Some(last) = step.calls.last() {
            details {
                summary { "Decision of the policy" }
                (value_block(&decided(last)))
            }
        }
    }
}
