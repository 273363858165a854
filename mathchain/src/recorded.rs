//! Recorded runs as servers show them: a role sees its own in the workspace, the operator all of the workspace.

use chain_runtime::run as chains;
use journal::{RunRecord, RunState, StateScope, StateStore};
use tool_core::{CallOutcome, OutcomeStatus, Result, Value, object, tool_error};

/// One run that a caller sees.
///
/// # Errors
/// `invalid_args` for any other, the same whether or not it exists.
pub(crate) fn visible_run(state: &StateStore, scope: &StateScope, id: &str) -> Result<RunRecord> {
    state.run_in(scope, id).map_err(|error| {
        // A state that cannot be read is said as it is.
        if !matches!(error.reason_str(), Some("unknown_run" | "ambiguous_run")) {
            return error;
        }
        let shown: String = id.chars().take(60).collect();
        tool_error!(InvalidArgs, "run"; "there is no run `{shown}` here"; "a role sees its own runs in the workspace of the server")
    })
}

/// A run in a list.
pub(crate) fn run_summary(run: &RunRecord) -> Value {
    object! {
        "id" => run.id.as_str(), "plan" => run.plan_id.as_str(), "state" => run.state_shown(), "role" => run.role.as_str(),
        "created_ms" => run.created_ms, "changed_ms" => run.changed_ms,
    }
}

/// The recorded answer of a run; `None` while it runs, was interrupted, or waits for nothing.
///
/// # Errors
/// When its records cannot be read.
pub(crate) fn recorded_answer(state: &StateStore, run: &RunRecord) -> Result<Option<CallOutcome>> {
    if run.state == RunState::Running {
        return Ok(None);
    }
    let outcome = chains::outcome_of(state, run)?;
    if run.state != RunState::Suspended {
        return Ok(Some(outcome));
    }
    let mut waiting = state.approvals_of_run(&run.id)?;
    if waiting.is_empty() {
        // Approved, and not resumed yet.
        return Ok(None);
    }
    let so_far = outcome
        .err()
        .and_then(|error| error.evidence_value().cloned());
    Ok(Some(CallOutcome {
        status: OutcomeStatus::PendingApproval {
            approval_id: waiting.swap_remove(0),
            so_far: so_far.unwrap_or_default(),
        },
        ..outcome
    }))
}
