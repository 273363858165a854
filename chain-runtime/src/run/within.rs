//! Runs that are part of other runs: who is around whom, and that they are cancelled together.

use std::sync::Arc;

use registry::{CallerContext, Dispatcher, Principal};
use tool_core::capability::Durability;
use tool_core::{ErrorCode, StopFlag, ToolError, Value};

use super::ChainResult;
use super::durable::{Going, go_on};
use super::options::RunOptions;
use super::resume::Resume;
use journal::{Run, RunState, State};

/// The run that a run is part of: the outermost one whose step began it, or began who did.
///
/// # Errors
/// `tool_error` when the state cannot be read.
pub fn around(state: &State, found: &Run) -> Result<Option<Run>, ToolError> {
    let mut outermost = parent(state, found)?;
    while let Some(outer) = outermost
        .as_ref()
        .map(|run| parent(state, run))
        .transpose()?
        .flatten()
    {
        outermost = Some(outer);
    }
    Ok(outermost)
}

/// The run whose step began a run.
pub(crate) fn parent(state: &State, found: &Run) -> Result<Option<Run>, ToolError> {
    // Ids may be given: a run of its own, called `build-20261123`, has no layer of delegation.
    match found.id.rsplit_once('-') {
        Some((outer, call))
            if call.len() == 8
                && call.bytes().all(|byte| byte.is_ascii_hexdigit())
                && Principal::from_value(&found.role, &found.who).is_delegate() =>
        {
            state.run_named(outer)
        }
        _ => Ok(None),
    }
}

/// Refuses a run that is part of another.
///
/// # Errors
/// `conflict` with reason `run_within`.
pub(super) fn outermost(state: &State, found: &Run) -> Result<(), ToolError> {
    match around(state, found)? {
        None => Ok(()),
        Some(outer) => {
            let (id, outer) = (&found.id, &outer.id);
            let message = format_args!("the run `{id}` is part of the run `{outer}`");
            Err(ToolError::new(ErrorCode::Conflict, message)
                .reason("run_within")
                .hint(format!("name `{outer}`: what is in it goes with it")))
        }
    }
}

/// What came of cancelling a run.
#[derive(Debug)]
pub struct Cancelled {
    /// Its id.
    pub run: String,
    /// What waited did not start, and what says how was undone; or why the plan is no longer one that may run, so that nothing
    /// could be undone.
    pub result: Result<Box<ChainResult>, ToolError>,
    /// The same of the runs within it, which went first.
    pub within: Vec<Self>,
}

/// Cancels a run that nobody works on, and the runs within it: what waits does not start, and what says how is undone, the last
/// first. A run whose plan is no longer allowed is cancelled too; then nothing is undone.
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
    outermost(state, &found)?;
    let how = Resume::default();
    cancel_all(state, &found, dispatcher, context, &how, &StopFlag::new())
}

/// Cancels the runs within one that goes back.
///
/// # Errors
/// As [`cancel`].
pub(super) fn end_within(
    state: &Arc<State>,
    found: &Run,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    how: &Resume,
    stop: &StopFlag,
) -> Result<Vec<Cancelled>, ToolError> {
    let mut within = Vec::new();
    for inner in state.runs_within(&found.id)? {
        let is_own = parent(state, &inner)?.is_some_and(|outer| outer.id == found.id);
        if is_own && !inner.state.is_final() {
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
    let within = end_within(state, found, dispatcher, context, how, stop)?;
    let how = Resume {
        decisions: how.within.get(&found.id).cloned().unwrap_or_default(),
        within: how.within.clone(),
        accept_changes: true,
    };
    let going = Going {
        options: RunOptions {
            stop: stop.clone(),
            ..RunOptions::default()
        },
        cancels: true,
        within: &within,
    };
    let result = match go_on(state, found, dispatcher, context, going, &how) {
        Ok(result) => Ok(Box::new(result)),
        Err(refused) if !refused.problems().is_empty() => {
            let (journal, _) = state.take_run(&found.id)?;
            let event = Value::object([
                ("kind", Value::from("cancelled")),
                (
                    "reason",
                    Value::from("the plan is no longer one that may run"),
                ),
                ("error_code", Value::from(refused.code().as_str())),
            ]);
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
