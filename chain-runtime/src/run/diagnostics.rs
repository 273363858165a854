//! Diagnostics of a run: requested and used modes, waves, and their durations.

use std::sync::Arc;
use std::time::Duration;

use tool_core::{Object, Value};

use super::report::{ChainStatus, ms};
use crate::check::CheckedPlan;
use crate::plan::Mode;

#[expect(
    clippy::too_many_arguments,
    reason = "one flat record, put together in one place"
)]
pub(super) fn diagnostics(
    plan: &CheckedPlan,
    waves: &[Vec<usize>],
    ends: &[(Duration, Duration, bool)],
    chain_id: &str,
    status: ChainStatus,
    threads: usize,
    started_unix_ms: u64,
    elapsed: Duration,
) -> Object {
    let fallback = plan.fallback_to_seq();
    let tools = |steps: &[usize]| -> Value {
        Value::array(
            steps
                .iter()
                .map(|&step| Value::from(plan.steps[step].tool))
                .collect(),
        )
    };
    let all: Vec<usize> = (0..plan.steps.len()).collect();
    let timeline = waves.iter().enumerate().map(|(index, steps)| {
        let ran = steps
            .iter()
            .map(|&step| ends[step])
            .filter(|(_, _, ran)| *ran);
        let began = ran.clone().map(|(began, _, _)| began).min();
        let ended = ran.map(|(_, ended, _)| ended).max();
        let elapsed = began
            .zip(ended)
            .map_or(0.0, |(began, ended)| ms(ended.saturating_sub(began)));
        let mutations = plan.parallel_mutations()
            && plan.mode_used == Mode::Dep
            && steps
                .iter()
                .any(|&step| !plan.steps[step].effects.is_empty());
        Value::object([
            ("wave_index", Value::from(index)),
            ("tools", tools(steps)),
            ("mode_used", Value::from(plan.mode_used.as_str())),
            ("elapsed_ms", Value::from(elapsed)),
            ("fallback_to_seq", Value::from(fallback)),
            ("parallel_mutations_enabled", Value::from(mutations)),
        ])
    });
    let mut record = Object::new();
    record.insert("chain_id", chain_id);
    record.insert("time_ms", started_unix_ms);
    record.insert("caller_type", "chain");
    record.insert("tools", tools(&all));
    record.insert("success", status == ChainStatus::Success);
    record.insert("mode_requested", plan.mode_requested().as_str());
    record.insert("mode_used", plan.mode_used.as_str());
    record.insert("fallback_to_seq", fallback);
    record.insert("fallback_reason", plan.fallback_reason.clone());
    record.insert("parallel_mutations_enabled", plan.parallel_mutations());
    record.insert("barrier", plan.barrier);
    record.insert("threads", threads);
    record.insert("waves", waves.len());
    record.insert("steps", plan.steps.len());
    record.insert("wave_timeline", Value::array(timeline.collect()));
    record.insert("elapsed_ms", ms(elapsed));
    record
}

/// Diagnostics with bounded lists; `left_out` has the number of omitted entries of each.
pub(super) fn bounded(diagnostics: &Object, most: usize) -> Object {
    let mut shown = Object::new();
    let mut left_out = Object::new();
    for (key, value) in diagnostics.iter() {
        let Value::Array(items) = value else {
            shown.insert(key, value.clone());
            continue;
        };
        let first = items.iter().take(most).map(|item| match item {
            Value::Object(entry) => Value::Object(Arc::new(bounded(entry, most))),
            other => other.clone(),
        });
        shown.insert(key, Value::array(first.collect()));
        if items.len() > most {
            left_out.insert(key, items.len() - most);
        }
    }
    if !left_out.is_empty() {
        shown.insert("left_out", Value::Object(Arc::new(left_out)));
    }
    shown
}
