//! `request_approval`: an agent asks for the decision at a gate that opens only on request.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DecisionResult, DraftResult, EventDraft, ExampleStep, args,
    decide_one_event,
};
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::GateKind;
use crate::state::WorkflowState;
use crate::template::WorkflowStage;

args! {
    /// Ask for the decision at the gate of the current stage, where it opens only on request.
    RequestApproval {
        /// Id of the workflow.
        workflow_id: String,
    }
}

define_event! {
    /// A gate began to wait for a person: its stage began, or an agent asked for the decision where it opens only then.
    GateOpened = "gate.opened" {
        /// The workflow.
        workflow: String,
        /// The stage, from 0.
        stage: usize,
    }
}

impl Command for RequestApproval {
    const ID: &'static str = "request_approval";

    /// # Errors
    /// Unknown workflow.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let workflow = state.workflow(&self.workflow_id)?;
        let data = GateOpened {
            workflow: workflow.id.clone(),
            stage: workflow.stage,
        };
        Ok(EventDraft::new(data))
    }

    /// # Errors
    /// Unknown, ended or paused workflow, a gate that needs no request or has one.
    fn decide(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DecisionResult {
        let event = decide_one_event(self, state, context)?;
        // A log of an earlier version has no event of a gate that waits since its stage began: the state accepts one, a caller may not ask.
        let workflow = state.workflow(&self.workflow_id)?;
        if workflow.stages[workflow.stage].gate.agent_triggered {
            Ok(vec![event])
        } else {
            Err(workflow.needs_no_request())
        }
    }
}

/// The event of a gate that waits for a person as soon as its stage begins, in the stage that a workflow enters.
pub(super) fn gate_opening_draft(
    workflow: &str,
    stages: &[WorkflowStage],
    stage: usize,
) -> Option<EventDraft> {
    let gate = &stages.get(stage)?.gate;
    let opens = gate.kind == GateKind::HumanApproval && !gate.agent_triggered;
    opens.then(|| {
        EventDraft::new(GateOpened {
            workflow: workflow.to_owned(),
            stage,
        })
    })
}

impl EventData for GateOpened {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let workflow = state.at_stage(&self.workflow, self.stage)?;
        let (stage, gate) = (&workflow.stages[self.stage], &workflow.gates[self.stage]);
        let is_human = stage.gate.kind == GateKind::HumanApproval;
        if is_human && !gate.announced && gate.satisfied.is_none() {
            Ok(())
        } else {
            Err(workflow.needs_no_request())
        }
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_workflow(origin, &self.workflow, |workflow| {
            let gate = &mut workflow.gates[self.stage];
            gate.announced = true;
            gate.opened_by = Some(origin.actor.principal.clone());
        });
    }
}

impl CommandTool for RequestApproval {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Ask for the decision at a gate");
    const STEP: ExampleStep = ExampleStep::new(21, "toolrunner");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the question to a person": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 22, "type": "gate.opened", "reason": null, "data": {"workflow": "WF-20251206-001", "stage": 0}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::RequestApproval;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for RequestApproval {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "workflow ideation backlog",
                "ida/ideation",
                "$workflow",
                "gate.opened",
            ),
            refused(
                "workflow ideation backlog; ida/ideation request_approval $workflow",
                "ida/ideation",
                "$workflow",
                "needs no request for approval",
            ),
            refused(
                "workflow standard backlog",
                "ida/ideation",
                "$workflow",
                "needs no request for approval",
            ),
        ];
    }
}
