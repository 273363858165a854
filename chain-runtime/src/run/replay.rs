//! Replay of a run: calls that are functions of their arguments are repeated and compared, all others have their recorded ends,
//! and calls without one are not made.

use std::sync::Arc;

use journal::{END_KEY, RunRecord, RunState, StateStore, named_values};
use registry::{CallerContext, Dispatcher};
use tool_core::{ToolError, Value};

use super::durable::{build_version, check_recorded_plan, processor_profile};
use super::finished::StepStatus;
use super::memory::{ReplayComparison, RunMemory, UnreadableValue};
use super::options::RunOptions;
use super::{ChainResult, drive_run};

/// Result of a replay.
#[derive(Debug)]
pub struct RunReplayResult {
    /// The run.
    pub run: RunRecord,
    /// The calls that were compared.
    pub compared: ReplayComparison,
    /// Whether the whole result is equal; `None` where the run did not end.
    pub result_same: Option<bool>,
    /// Differences from the recorded result; of a run that did not end, only those of its steps.
    pub reasons: Vec<String>,
    /// Steps and compensations without a recorded end, which were not called.
    pub open: Vec<String>,
    /// Differences of the program and the processor from those of the run.
    pub differs: Vec<String>,
}

impl RunReplayResult {
    /// Whether everything that was compared is equal.
    pub fn is_same(&self) -> bool {
        let compared = &self.compared;
        compared.divergences.is_empty() && compared.unreadable.is_empty() && self.reasons.is_empty()
    }
}

/// Replays a run without changing it: only calls whose end is recorded are made.
///
/// # Errors
/// As [`super::resume_recorded_run`]; `precondition_failed` with reason `values_collected` where the values of the run were collected.
pub fn replay_run(
    state: &Arc<StateStore>,
    id: &str,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    options: RunOptions,
) -> Result<RunReplayResult, ToolError> {
    let found = state.run(id)?;
    found.with_values()?;
    let (plan, _) = check_recorded_plan(state, &found, dispatcher, context, true)?;
    let records = state.run_records(&found.id)?;
    let memory = Arc::new(RunMemory::replay(Arc::clone(state), &plan, &records));
    let options = RunOptions {
        memory: Some(Arc::clone(&memory)),
        chain_id: Some(format!("{}-replay", found.id)),
        ..options
    };
    let result = drive_run(&plan, dispatcher, options);
    let facts = [
        ("program", &found.build, build_version().to_owned()),
        ("processor", &found.profile, processor_profile()),
    ];
    let differs = facts.iter().filter(|(_, before, now)| *before != now);
    let differs = differs.map(|(what, before, now)| format!("{what}: {before} -> {now}"));
    let differs = differs.collect();
    let mut compared = memory.compared();
    // Other stored values are read only to find damage.
    for record in &records {
        let others = named_values(record).filter(|(key, _)| *key != END_KEY);
        let unread = others.filter_map(|(key, handle)| Some((key, state.value(&handle).err()?)));
        compared
            .unreadable
            .extend(unread.map(|(key, error)| UnreadableValue {
                what: key.to_owned(),
                unit: None,
                error,
            }));
    }
    let is_chain = |record: &&Value| record.text("kind") == Some("chain");
    let last = records.iter().rev().find(is_chain);
    // A process died in it: the recorded steps are older than its last calls.
    let last = last.filter(|_| found.state != RunState::Running);
    let is_whole = matches!(found.state, RunState::Succeeded | RunState::Failed);
    let recorded = last.and_then(|record| record.text("result_digest"));
    let digest = registry::digest::of_value(&result.deterministic());
    let recorded = recorded.filter(|_| is_whole);
    let result_same = recorded.map(|recorded| recorded == digest);
    let reasons = match last {
        Some(record) if result_same != Some(true) => {
            difference_reasons(is_whole, &state.with_lists(record), &result)
        }
        _ => Vec::new(),
    };
    Ok(RunReplayResult {
        run: found,
        compared,
        result_same,
        reasons,
        open: open_steps(&result),
        differs,
    })
}

/// Steps and compensations without a recorded end.
fn open_steps(result: &ChainResult) -> Vec<String> {
    let steps = result.steps.iter();
    let steps = steps.map(|step| (step.id.to_string(), &step.end));
    let undone = result.undone.iter();
    let undone = undone.map(|one| (format!("{} (undoing)", one.step), &one.end));
    let open = steps
        .chain(undone)
        .filter(|(_, end)| end.status == StepStatus::Pending);
    open.map(|(name, _)| name).collect()
}

/// Differences of a result from the recorded one; of a run that did not end, only those of ended steps.
fn difference_reasons(is_whole: bool, recorded: &Value, result: &ChainResult) -> Vec<String> {
    let mut reasons = Vec::new();
    let (ended, now) = (recorded.text("status"), result.status.as_str());
    if let Some(ended) = ended.filter(|ended| is_whole && *ended != now) {
        reasons.push(format!("the run ended `{ended}`, replayed it ends `{now}`"));
    }
    let steps = recorded.get("step_status").and_then(Value::items);
    for (before, step) in steps.unwrap_or_default().iter().zip(&result.steps) {
        let was = before.text("status").unwrap_or_default();
        if !is_whole && !["done", "failed", "denied"].contains(&was) {
            continue;
        }
        let (id, now) = (&step.id, step.end.status.as_str());
        if was != now {
            reasons.push(format!("step `{id}` ended `{was}`, replayed it is `{now}`"));
        } else if before.text("output_digest") != step.end.digest() {
            reasons.push(format!("step `{id}` gave another result"));
        }
    }
    if is_whole && reasons.is_empty() {
        reasons.push("the outputs, or the words of an error, are not the recorded ones".to_owned());
    }
    reasons
}
