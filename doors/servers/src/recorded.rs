//! Recorded runs and pipelines as servers show them: a role sees its own in the workspace, the operator all of the workspace.

use agents::pipeline::RecordedPipeline;
use chain_runtime::run as chains;
use journal::{PipelineRecord, RunRecord, RunState, StateScope, StateStore};
use tool_core::{CallOutcome, Object, OutcomeStatus, Result, ToolError, Value, object, tool_error};

/// One run that a caller sees.
///
/// # Errors
/// `invalid_args` for any other, the same whether or not it exists.
pub fn visible_run(state: &StateStore, scope: &StateScope, id: &str) -> Result<RunRecord> {
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
pub fn run_summary(run: &RunRecord) -> Value {
    object! {
        "id" => run.id.as_str(), "plan" => run.plan_id.as_str(), "state" => run.state_shown(), "role" => run.role.as_str(),
        "created_ms" => run.created_ms, "changed_ms" => run.changed_ms,
    }
}

/// The recorded answer of a run; `None` while it runs, was interrupted, or waits for nothing.
///
/// # Errors
/// When its records cannot be read.
pub fn recorded_answer(state: &StateStore, run: &RunRecord) -> Result<Option<CallOutcome>> {
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

/// A pipeline that a caller sees.
///
/// # Errors
/// `invalid_args` with reason `unknown_pipeline` for any other, the same whether or not it exists.
pub fn visible_pipeline(
    state: &StateStore,
    scope: &StateScope,
    id: &str,
) -> Result<PipelineRecord> {
    state.pipeline_in(scope, id).map_err(|error| {
        // A state that cannot be read is said as it is.
        if !matches!(
            error.reason_str(),
            Some("unknown_pipeline" | "ambiguous_pipeline")
        ) {
            return error;
        }
        unknown_pipeline_error(id)
    })
}

fn unknown_pipeline_error(id: &str) -> ToolError {
    let shown: String = id.chars().take(60).collect();
    tool_error!(InvalidArgs, "unknown_pipeline"; "there is no pipeline `{shown}` here"; "a role sees its own pipelines in the workspace of the server")
}

/// A pipeline in a list.
pub fn pipeline_summary(row: &PipelineRecord) -> Value {
    object! {
        "id" => row.id.as_str(), "file" => row.file.as_str(), "state" => row.state.as_str(), "role" => row.role.clone(),
        "created_ms" => row.created_ms, "changed_ms" => row.changed_ms,
    }
}

/// A pipeline with its phases and agents, and the gate that it waits at.
///
/// # Errors
/// When its record cannot be read.
pub fn pipeline_details(state: &StateStore, row: PipelineRecord) -> Result<Value> {
    let summary = pipeline_summary(&row);
    let recorded = RecordedPipeline::load(state, row)?;
    let mut members = summary.as_object().cloned().unwrap_or_default();
    let value = recorded.to_value();
    for (key, member) in value.as_object().into_iter().flat_map(Object::iter) {
        if key != "pipeline" {
            members.insert(key, member.clone());
        }
    }
    if let Some(gate) = recorded.open_gate() {
        let (question, _) = state.notice(&gate.notice)?;
        members.insert(
            "gate",
            object! { "phase" => gate.phase, "notice" => gate.notice, "text" => question.text },
        );
    }
    Ok(Value::from(members))
}
