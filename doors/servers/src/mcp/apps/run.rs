//! Facts about a run for the page that shows it, in the metadata of an answer, which no model reads.

use rmcp::model::CallToolResult;
use serde_json::{Value as Json, json};
use tool_core::{CallOutcome, OutcomeStatus, Result, Value};

use crate::mcp::door::McpServerState;
use crate::people::run::graph::{BOX_HEIGHT, BOX_WIDTH, RunGraph};
use crate::people::run::{RunModel, StepRow};
use crate::people::states::state_class;
use crate::recorded;

/// Where the facts are in the metadata.
const KEY: &str = "mathchain/run";
/// Steps in a table, those that are not done before the others.
const STEPS_MAX: usize = 300;

/// Adds the graph and the steps of the run that a call of `chain_run` began; an answer without a recorded run stays as it is.
pub(in crate::mcp) fn run_facts(
    door: &McpServerState,
    outcome: &CallOutcome,
    answer: &mut CallToolResult,
) {
    let Some(id) = run_id(outcome) else { return };
    // A page without the graph still shows the answer.
    if let Ok(Some(facts)) = facts_of(door, id) {
        let meta = answer.meta.get_or_insert_default();
        meta.insert(KEY.to_owned(), facts);
    }
}

/// The run of an outcome, where it names one.
fn run_id(outcome: &CallOutcome) -> Option<&str> {
    let told = match &outcome.status {
        OutcomeStatus::Success(output) => output,
        OutcomeStatus::Error(error) => error.evidence_value()?,
        OutcomeStatus::PendingApproval { so_far, .. } => so_far,
    };
    told.get("chain_id").and_then(Value::as_str)
}

fn facts_of(door: &McpServerState, id: &str) -> Result<Option<Json>> {
    let Some(state) = door.toolkit.state() else {
        return Ok(None);
    };
    let scope = door.scope();
    let run = recorded::visible_run(state, &scope, id)?;
    let mut model = RunModel::read(state, &run)?;
    for approval in state.approvals_of_run(&run.id)? {
        if let Ok((approval, _)) = state.approval_in(&scope, &approval) {
            model.note_waiting(&approval, &run);
        }
    }
    let graph = RunGraph::of(&model).ok().map(|graph| graph_json(&graph));
    let mut steps: Vec<&StepRow> = model.steps.iter().collect();
    steps.sort_by_key(|step| step.state == "done");
    let left_out = steps.len().saturating_sub(STEPS_MAX);
    steps.truncate(STEPS_MAX);
    let step = |step: &&StepRow| {
        let (class, sign) = state_class(&step.state);
        json!({
            "id": step.id, "tool": step.tool, "state": step.state, "class": class, "sign": sign, "attempts": step.attempts,
            "elapsed_ms": step.elapsed_ms, "items": step.items_words(),
            "after": step.before.iter().filter_map(|place| Some(&model.steps.get(*place)?.id)).collect::<Vec<_>>(),
        })
    };
    Ok(Some(json!({
        "run": run.id, "plan": run.plan_id, "state": run.state_shown(), "class": state_class(run.state_shown()).0,
        "failed_step": model.failed_step, "counts": model.counts(),
        "steps": steps.iter().map(step).collect::<Vec<_>>(), "left_out": left_out, "graph": graph,
    })))
}

fn graph_json(graph: &RunGraph) -> Json {
    let boxes = graph.boxes.iter().map(|one| {
        let ((class, sign), (title, tool)) = (state_class(&one.state), one.lines());
        json!({
            "x": one.x(), "y": one.y(), "title": title, "tool": tool, "state": one.state, "class": class, "sign": sign,
            "count": one.count, "step": one.step,
        })
    });
    let arrows = graph.arrows.iter();
    let arrows = arrows.map(|one| json!({ "path": one.path, "failed": one.is_failed }));
    let (width, height) = graph.size();
    json!({
        "width": width, "height": height, "box": [BOX_WIDTH, BOX_HEIGHT], "grouped": graph.is_grouped,
        "boxes": boxes.collect::<Vec<_>>(), "arrows": arrows.collect::<Vec<_>>(),
    })
}
