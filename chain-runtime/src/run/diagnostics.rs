//! Diagnostics of a run: requested and used modes, waves, and their durations.

use tool_core::{Object, Value, fields, object};

use super::finished::{StepOutcome, duration_in_ms};
use super::report::{ChainStatus, RunProcess};
use crate::check::CheckedPlan;
use crate::plan::Mode;

pub(super) fn run_diagnostics(
    plan: &CheckedPlan,
    waves: &[Vec<usize>],
    ends: &[StepOutcome],
    status: ChainStatus,
    process: &RunProcess,
) -> Object {
    let fallback = plan.fallback_to_seq();
    let tools = |steps: &[usize]| -> Vec<&str> {
        steps.iter().map(|&step| plan.steps[step].tool).collect()
    };
    let all: Vec<usize> = (0..plan.steps.len()).collect();
    let timeline = waves.iter().enumerate().map(|(index, steps)| {
        let ran = steps.iter().map(|&step| &ends[step]);
        let ran = ran.filter(|end| end.has_run());
        let began = ran.clone().map(|end| end.began).min();
        let ended = ran.map(|end| end.ended).max();
        let elapsed = began
            .zip(ended)
            .map(|(began, ended)| duration_in_ms(ended.saturating_sub(began)));
        let mutates = steps
            .iter()
            .any(|&step| !plan.steps[step].effects.is_empty());
        let together = plan.parallel_mutations() && plan.mode_used == Mode::Dep;
        object! {
            "wave_index" => index,
            "tools" => tools(steps),
            "mode_used" => plan.mode_used.as_str(),
            "elapsed_ms" => elapsed.unwrap_or(0.0),
            "fallback_to_seq" => fallback,
            "parallel_mutations_enabled" => together && mutates,
        }
    });
    fields! {
        "chain_id" => &*process.chain_id,
        "time_ms" => process.started_unix_ms,
        "caller_type" => "chain",
        "tools" => tools(&all),
        "success" => status == ChainStatus::Success,
        "mode_requested" => plan.mode_requested().as_str(),
        "mode_used" => plan.mode_used.as_str(),
        "fallback_to_seq" => fallback,
        "fallback_reason" => plan.fallback_reason.clone(),
        "parallel_mutations_enabled" => plan.parallel_mutations(),
        "barrier" => plan.barrier,
        "threads" => process.threads,
        "waves" => waves.len(),
        "steps" => plan.steps.len(),
        "wave_timeline" => timeline.collect::<Vec<_>>(),
        "elapsed_ms" => duration_in_ms(process.elapsed),
    }
}

/// Diagnostics with bounded lists; `left_out` has the number of omitted entries of each.
pub(super) fn bound_diagnostics(diagnostics: &Object, most: usize) -> Object {
    let mut shown = Object::new();
    let mut left_out = Object::new();
    for (key, value) in diagnostics.iter() {
        let Value::Array(items) = value else {
            shown.insert(key, value.clone());
            continue;
        };
        let first = items.iter().take(most).map(|item| match item {
            Value::Object(entry) => bound_diagnostics(entry, most).into(),
            other => other.clone(),
        });
        shown.insert(key, Value::array(first.collect()));
        if items.len() > most {
            left_out.insert(key, items.len() - most);
        }
    }
    if !left_out.is_empty() {
        shown.insert("left_out", left_out);
    }
    shown
}
