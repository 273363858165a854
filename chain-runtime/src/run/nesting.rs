//! Nested runs: the root run of a run, and cancelling a run together with those nested in it.

use std::sync::Arc;

use registry::{CallerContext, Dispatcher, Principal};
use tool_core::capability::Durability;
use tool_core::{StopFlag, ToolError, object, tool_error};

use super::ChainResult;
use super::durable::{Resumption, resume_run};
use super::options::RunOptions;
use super::resume::Resume;
use journal::{Run, RunState, State};

/// Returns the top-level run that (transitively) started this run.
///
/// # Errors
/// `tool_error` when the state cannot be read.
pub fn root_run(state: &State, found: &Run) -> Result<Option<Run>, ToolError> {
    let mut root: Option<Run> = None;
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
pub(super) fn require_root(state: &State, found: &Run) -> Result<(), ToolError> {
    let Some(outer) = root_run(state, found)? else {
        return Ok(());
    };
    let (id, outer) = (&found.id, &outer.id);
    Err(
        tool_error!(Conflict, "the run `{id}` is nested in the run `{outer}`")
            .reason("run_within")
            .hint(format!("name `{outer}`: its nested runs are included")),
    )
}

/// Result of cancelling a run.
#[derive(Debug)]
pub struct Cancelled {
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
/// As [`super::resume`], without the problems of its plan.
pub fn cancel(
    state: &Arc<State>,
    id: &str,
    dispatcher: &Dispatcher,
    context: &CallerContext,
) -> Result<Cancelled, ToolError> {
    let found = state.run(id)?;
    require_root(state, &found)?;
    let how = Resume::default();
    cancel_all(state, &found, dispatcher, context, &how, &StopFlag::new())
}

/// Cancels the nested runs of a run that is undone.
///
/// # Errors
/// As [`cancel`].
pub(super) fn cancel_nested(
    state: &Arc<State>,
    found: &Run,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    how: &Resume,
    stop: &StopFlag,
) -> Result<Vec<Cancelled>, ToolError> {
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
    state: &Arc<State>,
    found: &Run,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    how: &Resume,
    stop: &StopFlag,
) -> Result<Cancelled, ToolError> {
    let within = cancel_nested(state, found, dispatcher, context, how, stop)?;
    let how = Resume {
        accept_changes: true,
        ..how.of_nested(&found.id)
    };
    let going = Resumption {
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
            journal.write(&event, Durability::Synced)?;
            journal.finish(RunState::Cancelled)?;
            Err(refused)
        }
        Err(err) => return Err(err),
    };
    Ok(Cancelled {
        run: found.id.clone(),
        result,
        within,
    })
}
