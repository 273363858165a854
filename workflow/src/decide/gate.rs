//! The gates that a person opens.

use super::{accept_event, args, not_own, text};
use crate::actor::DecisionContext;
use crate::event::{EventPayload, GateOpened, GateSatisfied, WorkflowDiscarded, WorkflowEvent};
use crate::fault::WorkflowFault;
use crate::names::{GateAction, GateKind};
use crate::state::{WorkflowInstance, WorkflowState};
use crate::template::WorkflowStage;

args! {
    /// Ask for the decision at the gate of the current stage, where it opens only on request.
    RequestApproval {
        /// Id of the workflow.
        workflow_id: String,
    }

    /// Satisfy the gate of the current stage; for persons, and principals with a grant.
    GateSatisfy {
        /// Id of the workflow.
        workflow_id: String,
        /// Label of the option chosen; required where the gate has options.
        option: Option<String>,
        /// A remark; required for an option that discards the workflow.
        reason: Option<String>,
    }
}

/// `request_approval`
///
/// # Errors
/// Unknown, ended or paused workflow, a gate that needs no request or has one.
pub fn request_gate_approval(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &RequestApproval,
) -> Result<WorkflowEvent, WorkflowFault> {
    let workflow = state.workflow(&args.workflow_id)?;
    let data = GateOpened {
        workflow: workflow.id.clone(),
        stage: workflow.stage,
    };
    let event = accept_event(state, context, None, data)?;
    match workflow.stages[workflow.stage].gate.agent_triggered {
        true => Ok(event),
        false => Err(workflow.needs_no_request()),
    }
}

/// The event of a gate that waits for a person as soon as its stage begins, in the stage that a workflow enters.
pub(super) fn gate_opening_event(
    workflow: &str,
    stages: &[WorkflowStage],
    stage: usize,
) -> Option<EventPayload> {
    let gate = &stages.get(stage)?.gate;
    let opens = gate.kind == GateKind::HumanApproval && !gate.agent_triggered;
    opens.then(|| {
        GateOpened {
            workflow: workflow.to_owned(),
            stage,
        }
        .into()
    })
}

/// `gate:satisfy`: the gate is satisfied, or the workflow discarded, by the option chosen.
///
/// A principal with a grant that is no person never satisfies a gate that it opened itself, by advancing to it or by asking; a
/// person may satisfy one that their own advance opened, not one for which they asked.
///
/// # Errors
/// Unknown, ended or paused workflow, a gate that is not a person's to satisfy, a principal that may not, an unknown option.
pub fn satisfy_gate(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &GateSatisfy,
) -> Result<WorkflowEvent, WorkflowFault> {
    let workflow = state.open_workflow(&args.workflow_id)?;
    let (stage, gate) = (workflow.stage, &workflow.stages[workflow.stage].gate);
    if gate.kind != GateKind::HumanApproval {
        return Err(workflow.gate_fault(
            format!(
                "has a gate of type `{}`, which no person satisfies",
                gate.kind
            ),
            "advance with `workflow:advance`",
        ));
    }
    let reason = text::optional_reason(args.reason.as_deref())?;
    let action = gate.choose(args.option.as_deref())?;
    let satisfied = GateSatisfied {
        workflow: workflow.id.clone(),
        stage,
        option: args.option.clone(),
        results: Vec::new(),
    };
    if !workflow.awaits(stage) && workflow.gates[stage].satisfied.is_none() {
        return Err(workflow.unsatisfied());
    }
    let data: EventPayload = match action {
        GateAction::Advance => satisfied.into(),
        GateAction::Discard => {
            workflow.running()?;
            WorkflowDiscarded {
                workflow: workflow.id.clone(),
            }
            .into()
        }
    };
    let event = accept_event(state, context, reason, data)?;
    may_decide(context, workflow, stage)?;
    Ok(event)
}

fn may_decide(
    context: &DecisionContext<'_>,
    workflow: &WorkflowInstance,
    stage: usize,
) -> Result<(), WorkflowFault> {
    let (actor, gate) = (context.actor, &workflow.gates[stage]);
    if !actor.is_person() && !context.grants.has(&actor.principal) {
        return Err(WorkflowFault::NotPerson {
            workflow: workflow.id.clone(),
            stage: workflow.stages[stage].name.clone(),
            principal: actor.principal.clone(),
        });
    }
    let requested = gate.announced && workflow.stages[stage].gate.agent_triggered;
    match requested || !actor.is_person() {
        true => not_own(context, &gate.opened_by, "satisfy", "gate of", &workflow.id),
        false => Ok(()),
    }
}
