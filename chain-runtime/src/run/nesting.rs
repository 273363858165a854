//! Nested runs: the root run of a run, and cancelling a run together with those nested in it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use journal::{RunRecord, RunState, StateStore};
use registry::{CallerContext, Dispatcher, Principal};
use tool_core::capability::RecordDurability;
use tool_core::{StopFlag, ToolError, object, tool_error};

use super::ChainResult;
use super::durable::{ResumeSettings, resume_run};
use super::events::{CallPart, CallUnit};
use super::memory::RunMemory;
use super::options::RunOptions;
use super::resume::ResumeRequest;
use crate::check::{CheckedPlan, is_chain};
use crate::tools::child_id;

/// Returns the top-level run that (transitively) started this run.
///
/// # Errors
/// `tool_error` when the state cannot be read.
pub fn root_run(state: &StateStore, found: &RunRecord) -> Result<Option<RunRecord>, ToolError> {
    let mut root: Option<RunRecord> = None;
    while let Some(parent) = &root.as_ref().unwrap_or(found).parent {
        match state.run_named(parent)? {
            Some(run) => root = Some(run),
            None => break,
        }
    }
    Ok(root)
}

/// Refuses a run that is nested in another.
///
/// # Errors
/// `conflict` with reason `run_within`.
pub(super) fn require_root(state: &StateStore, found: &RunRecord) -> Result<(), ToolError> {
    let Some(outer) = root_run(state, found)? else {
        return Ok(());
    };
    let (id, outer) = (&found.id, &outer.id);
    Err(
        tool_error!(Conflict, "run_within"; "the run `{id}` is nested in the run `{outer}`";
            "name `{outer}`: its nested runs are included"),
    )
}

/// Result of cancelling a run.
#[derive(Debug)]
pub struct CancellationResult {
    /// Its id.
    pub run: String,
    /// Result of the run after its compensations; or why its plan is no longer allowed, so that nothing could be undone.
    pub result: Result<Box<ChainResult>, ToolError>,
    /// Results of its nested runs, which were cancelled first.
    pub within: Vec<Self>,
}

/// Cancels a run that no process is executing, and its nested runs: pending steps do not start, and steps with a `compensate`
/// are undone in reverse order. A run whose plan is no longer allowed is cancelled without undoing anything.
///
/// # Errors
/// As [`super::resume_recorded_run`], without the problems of its plan.
pub fn cancel_run(
    state: &Arc<StateStore>,
    id: &str,
    dispatcher: &Dispatcher,
    context: &CallerContext,
) -> Result<CancellationResult, ToolError> {
    let found = state.run(id)?;
    require_root(state, &found)?;
    let how = ResumeRequest::default();
    cancel_all(state, &found, dispatcher, context, &how, &StopFlag::new())
}

/// Cancels the nested runs of a run that is undone.
///
/// # Errors
/// As [`cancel_run`].
pub(super) fn cancel_nested(
    state: &Arc<StateStore>,
    found: &RunRecord,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    how: &ResumeRequest,
    stop: &StopFlag,
) -> Result<Vec<CancellationResult>, ToolError> {
    let mut within = Vec::new();
    for inner in state.runs_within(&found.id)? {
        if inner.parent.as_ref() == Some(&found.id) && !inner.state.is_final() {
            let context = CallerContext {
                who: Principal::from_value(&inner.role, &inner.who),
                ..context.clone()
            };
            within.push(cancel_all(state, &inner, dispatcher, &context, how, stop)?);
        }
    }
    Ok(within)
}

fn cancel_all(
    state: &Arc<StateStore>,
    found: &RunRecord,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    how: &ResumeRequest,
    stop: &StopFlag,
) -> Result<CancellationResult, ToolError> {
    let within = cancel_nested(state, found, dispatcher, context, how, stop)?;
    let how = ResumeRequest {
        accept_changes: true,
        ..how.of_nested(&found.id)
    };
    let going = ResumeSettings {
        options: RunOptions {
            stop: stop.clone(),
            ..RunOptions::default()
        },
        cancels: true,
        within: &within,
    };
    let result = match resume_run(state, found, dispatcher, context, going, &how) {
        Ok(result) => Ok(Box::new(result)),
        Err(refused) if !refused.problems().is_empty() => {
            let (journal, _) = state.take_run(&found.id)?;
            let event = object! {
                "kind" => "cancelled",
                "reason" => "the plan is no longer one that may run",
                "error_code" => refused.code().as_str(),
            };
            journal.write(&event, RecordDurability::Synced)?;
            journal.finish(RunState::Cancelled)?;
            Err(refused)
        }
        Err(err) => return Err(err),
    };
    Ok(CancellationResult {
        run: found.id.clone(),
        result,
        within,
    })
}

impl RunMemory {
    /// Adds the errors of nested runs.
    pub(super) fn with_within(mut self, within: &[CancellationResult]) -> Self {
        let error = |one: &CancellationResult| one.result.as_ref().ok()?.error.clone();
        let open = within
            .iter()
            .filter_map(|one| Some((one.run.clone(), error(one)?)));
        self.within.extend(open);
        self
    }

    /// Calls that earlier processes began, those of nested runs included.
    pub(super) fn began(&self, plan: &CheckedPlan, chain_id: &str) -> BTreeSet<CallUnit> {
        let known = self.past.keys().map(|(unit, _)| unit);
        let known = known.chain(self.unknown.keys()).copied();
        let mut began: BTreeSet<CallUnit> = known.filter(|unit| !unit.part.undoes()).collect();
        let within = match self.part() {
            2.. => self.state.runs_within(chain_id).unwrap_or_default(),
            _ => Vec::new(),
        };
        let within: HashSet<&str> = within.iter().map(|run| run.id.as_str()).collect();
        let steps = plan.steps.iter().enumerate();
        for (position, step) in steps.filter(|_| !within.is_empty()) {
            let parts = match &step.map {
                _ if !is_chain(step.tool) => Vec::new(),
                Some(map) => (0..map.max).map(CallPart::Item).collect(),
                None => vec![CallPart::Whole],
            };
            let is_within = |part: &CallPart| {
                let mut ids = (1..=step.retry.max + 1)
                    .map(|attempt| child_id(chain_id, &step.id, part.item(), attempt));
                ids.any(|id| within.contains(id.as_str()))
            };
            let parts = parts.into_iter().filter(is_within);
            began.extend(parts.map(|part| CallUnit {
                step: position,
                part,
            }));
        }
        began
    }
}
