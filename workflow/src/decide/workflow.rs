//! Transitions of workflows.

use super::gate::gate_opening_event;
use super::request::next_dated;
use super::{accept_event, args, event_at, text};
use crate::actor::DecisionContext;
use crate::event::{
    GateSatisfied, WorkflowAdvanced, WorkflowCompleted, WorkflowDiscarded, WorkflowEvent,
    WorkflowPaused, WorkflowResumed, WorkflowStarted,
};
use crate::fault::WorkflowFault;
use crate::names::GateKind;
use crate::state::WorkflowState;
use crate::template::{CommandResult, WorkflowTemplate};

args! {
    /// Start a workflow from a template.
    WorkflowStart {
        /// Name of the template: `standard`, `hotfix`, `documentation`, `ideation`, or one of the project.
        template: String,
        /// Id of the request it serves.
        request_id: Option<String>,
        /// Id of the one chain it serves; every chain of the request where absent.
        chain_id: Option<String>,
        /// Commands of its verification, instead of those of the template.
        commands: Option<Vec<String>>,
    }

    /// Go to the next stage; the gate of the current one must be satisfied.
    WorkflowAdvance {
        /// Id of the workflow.
        workflow_id: String,
        /// What the commands of a `verification_pass` gate returned, in their order.
        results: Option<Vec<CommandResult>>,
        /// The stage that is left, from 0; the current one where absent.
        stage: Option<usize>,
    }

    /// Pause a workflow: no stage and no task of it moves until it is resumed.
    WorkflowPause {
        /// Id of the workflow.
        workflow_id: String,
        /// Why.
        reason: String,
    }

    /// Resume a paused workflow. One that waits for an answer is resumed by the answer.
    WorkflowResume {
        /// Id of the workflow.
        workflow_id: String,
        /// Why.
        reason: Option<String>,
    }

    /// Give a workflow up.
    WorkflowDiscard {
        /// Id of the workflow.
        workflow_id: String,
        /// Why.
        reason: String,
    }
}

/// `workflow:start`; the caller has read the template that the argument names. A second event follows where the first gate waits at once.
///
/// # Errors
/// Unknown or closed request, unknown chain, a chain of another request, a limit.
pub fn start_workflow(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &WorkflowStart,
    template: &WorkflowTemplate,
) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
    if args.template != template.name {
        return Err(WorkflowFault::invalid(
            "template",
            format!("`{}`", template.name),
            &args.template,
        ));
    }
    let mut stages = template.stages.clone();
    if let Some(commands) = &args.commands {
        let commands = text::check_text_list("commands", Some(commands))?;
        let verifications = stages
            .iter_mut()
            .filter(|stage| stage.gate.kind == GateKind::VerificationPass);
        let mut replaced = 0;
        for stage in verifications {
            stage.gate.commands.clone_from(&commands);
            replaced += 1;
        }
        if commands.is_empty() {
            return Err(WorkflowFault::Missing { field: "commands" });
        }
        if replaced == 0 {
            return Err(WorkflowFault::invalid(
                "commands",
                "nothing, since the template has no verification",
                &commands.join(" "),
            ));
        }
    }
    let data = WorkflowStarted {
        workflow: next_dated(state, context, "WF")?,
        template: template.name.clone(),
        stages,
        request: args.request_id.clone(),
        chain: args.chain_id.clone(),
        stage: 0,
    };
    let opened = gate_opening_event(&data.workflow, &data.stages, data.stage);
    let mut events = vec![accept_event(state, context, None, data)?];
    events.extend(opened.map(|opened| event_at(state, context, 1, None, opened)));
    Ok(events)
}

/// `workflow:advance`: the gate's evidence where it has any, the step, and the gate that waits then; events to be written together.
///
/// # Errors
/// Unknown, ended or paused workflow, unanswered blocking feedback, a gate that is not satisfied.
pub fn advance_workflow(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &WorkflowAdvance,
) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
    let workflow = state.open_workflow(&args.workflow_id)?;
    workflow.running()?;
    let id = &workflow.id;
    let (from, gate) = (workflow.stage, &workflow.stages[workflow.stage].gate);
    if let Some(stage) = args.stage.filter(|stage| *stage != from) {
        let name = &workflow.stages[stage.min(workflow.stages.len() - 1)].name;
        return Err(WorkflowFault::first(
            format!("another has left the stage `{name}` of `{id}` meanwhile"),
            "see where it is with `workflow:status`",
        ));
    }
    let results = args.results.clone().unwrap_or_default();
    if gate.kind != GateKind::VerificationPass
        && let Some(first) = results.first()
    {
        return Err(WorkflowFault::invalid(
            "results",
            "nothing, since the gate runs no commands",
            &first.command,
        ));
    }
    let mut events = Vec::new();
    if gate.needs_event() && workflow.gates[from].satisfied.is_none() {
        match gate.kind {
            GateKind::ChainComplete => state.chains_complete(workflow)?,
            GateKind::VerificationPass => workflow.verified(&results)?,
            _ => return Err(workflow.unsatisfied()),
        }
        let data = GateSatisfied {
            workflow: id.clone(),
            stage: from,
            option: None,
            results,
        };
        events.push(accept_event(state, context, None, data)?);
    }
    let offset = events.len() as u64;
    let data = match from + 1 < workflow.stages.len() {
        true => WorkflowAdvanced {
            workflow: id.clone(),
            from,
            to: from + 1,
        }
        .into(),
        false => WorkflowCompleted {
            workflow: id.clone(),
            imported: false,
        }
        .into(),
    };
    events.push(event_at(state, context, offset, None, data));
    let opened = gate_opening_event(id, &workflow.stages, from + 1);
    events.extend(opened.map(|opened| event_at(state, context, offset + 1, None, opened)));
    Ok(events)
}

/// `workflow:pause`
///
/// # Errors
/// Unknown, ended or paused workflow, no reason.
pub fn pause_workflow(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &WorkflowPause,
) -> Result<WorkflowEvent, WorkflowFault> {
    let reason = text::require_reason(&args.reason)?;
    accept_event(
        state,
        context,
        reason,
        WorkflowPaused {
            workflow: args.workflow_id.clone(),
        },
    )
}

/// `workflow:resume`
///
/// # Errors
/// Unknown or ended workflow, one that is not paused or waits for an answer only.
pub fn resume_workflow(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &WorkflowResume,
) -> Result<WorkflowEvent, WorkflowFault> {
    let reason = text::optional_reason(args.reason.as_deref())?;
    accept_event(
        state,
        context,
        reason,
        WorkflowResumed {
            workflow: args.workflow_id.clone(),
        },
    )
}

/// `workflow:discard`; also of a paused one.
///
/// # Errors
/// Unknown or ended workflow, no reason.
pub fn discard_workflow(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &WorkflowDiscard,
) -> Result<WorkflowEvent, WorkflowFault> {
    let reason = text::require_reason(&args.reason)?;
    accept_event(
        state,
        context,
        reason,
        WorkflowDiscarded {
            workflow: args.workflow_id.clone(),
        },
    )
}
