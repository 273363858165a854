//! `gate:satisfy`: a person decides at a gate, or a principal with a grant.

use tool_core::{JsonExample, Spec, examples};

use super::WorkflowDiscarded;
use super::command::{
    CHANGES, Command, CommandTool, DECIDED, DraftResult, EventDraft, ExampleStep, args,
};
use super::ownership::{OwnDecision, not_own};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::{GateAction, GateKind};
use crate::state::{GateSatisfaction, WorkflowState};
use crate::template::CommandResult;

args! {
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

define_event! {
    /// The condition of a gate is met.
    GateSatisfied = "gate.satisfied" {
        /// The workflow.
        workflow: String,
        /// The stage, from 0.
        stage: usize;
        /// The label of the option chosen.
        option: Option<String>,
        /// What the commands of the gate returned.
        results: Vec<CommandResult>,
    }
}

impl Command for GateSatisfy {
    const ID: &'static str = "gate:satisfy";

    /// # Errors
    /// Unknown or ended workflow, a gate that is not a person's to satisfy or waits for none, an unknown option.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let workflow = state.open_workflow(&self.workflow_id)?;
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
        let reason = text::optional_reason(self.reason.as_deref())?;
        let action = gate.choose(self.option.as_deref())?;
        let satisfied = GateSatisfied {
            workflow: workflow.id.clone(),
            stage,
            option: self.option.clone(),
            results: Vec::new(),
        };
        if !workflow.awaits(stage) && workflow.gates[stage].satisfied.is_none() {
            return Err(workflow.unsatisfied());
        }
        Ok(match action {
            GateAction::Advance => EventDraft::new(satisfied),
            GateAction::Discard => {
                workflow.running()?;
                let workflow = workflow.id.clone();
                EventDraft::new(WorkflowDiscarded { workflow })
            }
        }
        .because(reason))
    }

    /// A principal with a grant that is no person never satisfies a gate that it opened itself, by advancing to it or by asking; a
    /// person may satisfy one that their own advance opened, not one for which they asked.
    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        let workflow = state.open_workflow(&self.workflow_id)?;
        let (actor, gate) = (context.actor, &workflow.gates[workflow.stage]);
        let stage = &workflow.stages[workflow.stage];
        if !actor.is_person() && !context.grants.has(&actor.principal) {
            return Err(WorkflowFault::NotPerson {
                workflow: workflow.id.clone(),
                stage: stage.name.clone(),
                principal: actor.principal.clone(),
            });
        }
        let requested = gate.announced && stage.gate.agent_triggered;
        if actor.is_person() && !requested {
            return Ok(());
        }
        let decision = OwnDecision {
            action: "satisfy",
            what: "gate of",
            id: &workflow.id,
        };
        not_own(context, &gate.opened_by, &decision)
    }
}

impl EventData for GateSatisfied {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let workflow = state.at_stage(&self.workflow, self.stage)?;
        let gate = &workflow.stages[self.stage].gate;
        if workflow.gates[self.stage].satisfied.is_some() || !gate.needs_event() {
            return Err(WorkflowFault::first(
                format!(
                    "the gate of stage `{}` of `{}` is satisfied already",
                    workflow.stages[self.stage].name, workflow.id
                ),
                "advance with `workflow:advance`",
            ));
        }
        match gate.kind {
            GateKind::HumanApproval if !workflow.awaits(self.stage) => Err(workflow.unsatisfied()),
            GateKind::HumanApproval => match gate.choose(self.option.as_deref())? {
                GateAction::Advance => Ok(()),
                GateAction::Discard => Err(WorkflowFault::invalid(
                    "option",
                    "an option that advances",
                    self.option.as_deref().unwrap_or_default(),
                )),
            },
            GateKind::ChainComplete => state.chains_complete(workflow),
            GateKind::VerificationPass => workflow.verified(&self.results),
            GateKind::Auto | GateKind::PostCommit | GateKind::SessionHandoff => Ok(()),
        }
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_workflow(origin, &self.workflow, |workflow| {
            workflow.gates[self.stage].satisfied = Some(GateSatisfaction {
                by: origin.actor.principal.clone(),
                kind: origin.actor.kind,
                at: origin.time,
                option: self.option.clone(),
                results: self.results.clone(),
            });
        });
    }
}

impl CommandTool for GateSatisfy {
    const SPEC: Spec = Spec {
        human_gate: true,
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Satisfy a human gate");
    const STEP: ExampleStep = ExampleStep::new(22, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a person answers": r##"{"workflowId": "WF-20251206-001", "option": "Continue"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 23, "type": "gate.satisfied", "reason": null, "data": {"workflow": "WF-20251206-001", "stage": 0, "option": "Continue"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::GateSatisfy;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for GateSatisfy {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "workflow standard todo",
                "pat",
                "$workflow",
                "gate.satisfied",
            ),
            accepted(
                "workflow ideation todo; ida/ideation request_approval $workflow",
                "pat",
                r#"$workflow,"option":"Discard","reason":"too dear""#,
                "workflow.discarded",
            ),
            refused(
                "workflow ideation todo; ida/ideation request_approval $workflow",
                "pat",
                r#"$workflow,"option":"Discard""#,
                "missing `reason`",
            ),
            refused(
                "workflow ideation todo; pat request_approval $workflow",
                "pat",
                r#"$workflow,"option":"Continue""#,
                "`pat` may not satisfy the gate of",
            ),
            refused(
                "workflow ideation todo",
                "pat",
                r#"$workflow,"option":"Continue""#,
                "ask with `request_approval`",
            ),
            refused(
                "workflow standard todo",
                "bot-ci/control",
                "$workflow",
                "it is not a person and has no grant",
            ),
            refused(
                "workflow documentation todo",
                "pat",
                "$workflow",
                "which no person satisfies",
            ),
        ];
    }
}
