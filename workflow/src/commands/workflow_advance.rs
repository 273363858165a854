//! `workflow:advance`: a workflow leaves a stage whose gate is open, for the next one or its end.

use tool_core::{Capability, Decode, Describe, Encode, JsonExample, Spec, examples};

use super::GateSatisfied;
use super::command::{
    CHANGES, Command, CommandTool, DecisionResult, DraftResult, EventDraft, ExampleStep, args,
};
use super::request_approval::gate_opening_draft;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::GateKind;
use crate::state::check::wrong_stage;
use crate::state::{WorkflowInstance, WorkflowOutcome, WorkflowState};
use crate::template::CommandResult;

/// Go to the next stage; the gate of the current one must be satisfied.
///
/// At a gate of the type `verification_pass` the commands of the stage run first, in order, as calls of `run_shell` by the same caller: each is
/// decided, approved and recorded as one. They read the workspace, and write to a folder of their own.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub struct WorkflowAdvanceArgs {
    /// Id of the workflow.
    pub workflow_id: String,
}

args! {
    /// Go to the next stage; the gate of the current one must be satisfied.
    WorkflowAdvance {
        /// Id of the workflow.
        workflow_id: String,
        /// What the commands of a `verification_pass` gate returned, in their order.
        results: Option<Vec<CommandResult>>,
        /// The stage that is left, from 0; the current one where absent.
        stage: Option<usize>,
    }
}

define_event! {
    /// A workflow went to its next stage.
    WorkflowAdvanced = "workflow.advanced" {
        /// The workflow.
        workflow: String,
        /// The stage before, from 0.
        from: usize,
        /// The stage now.
        to: usize,
    }
}

define_event! {
    /// A workflow left its last stage.
    WorkflowCompleted = "workflow.completed" {
        /// The workflow.
        workflow: String;
        /// Whether it was completed in an earlier system, whose gates are not checked again.
        imported: bool,
    }
}

impl Command for WorkflowAdvance {
    const ID: &'static str = "workflow:advance";

    /// # Errors
    /// Unknown or ended workflow.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let workflow = state.open_workflow(&self.workflow_id)?;
        let (id, from) = (workflow.id.clone(), workflow.stage);
        Ok(if from + 1 < workflow.stages.len() {
            EventDraft::new(WorkflowAdvanced {
                workflow: id,
                from,
                to: from + 1,
            })
        } else {
            EventDraft::new(WorkflowCompleted {
                workflow: id,
                imported: false,
            })
        })
    }

    /// The gate's evidence where it has any, the step, and the gate that waits then; events to be written together.
    ///
    /// # Errors
    /// Unknown, ended or paused workflow, unanswered blocking feedback, a gate that is not satisfied.
    fn decide(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DecisionResult {
        let workflow = state.open_workflow(&self.workflow_id)?;
        workflow.running()?;
        self.check_stage(workflow)?;
        let mut events = Vec::new();
        if let Some(evidence) = self.gate_evidence(state, workflow)? {
            events.push(evidence.accept(state, context)?);
        }
        // The step follows the evidence, which the state does not have yet: it is checked when both are written.
        let offset = events.len() as u64;
        events.push(self.draft_event(state, context)?.at(state, context, offset));
        let opened = gate_opening_draft(&workflow.id, &workflow.stages, workflow.stage + 1);
        events.extend(opened.map(|opened| opened.at(state, context, offset + 1)));
        Ok(events)
    }
}

impl WorkflowAdvance {
    /// Whether the workflow is where the caller saw it, and results are given only where commands run.
    fn check_stage(&self, workflow: &WorkflowInstance) -> Result<(), WorkflowFault> {
        if let Some(stage) = self.stage.filter(|stage| *stage != workflow.stage) {
            let name = &workflow.stages[stage.min(workflow.stages.len() - 1)].name;
            return Err(WorkflowFault::first(
                format!(
                    "another has left the stage `{name}` of `{}` meanwhile",
                    workflow.id
                ),
                "see where it is with `workflow:status`",
            ));
        }
        let kind = workflow.stages[workflow.stage].gate.kind;
        match self.results.as_ref().and_then(|results| results.first()) {
            Some(first) if kind != GateKind::VerificationPass => Err(WorkflowFault::invalid(
                "results",
                "nothing, since the gate runs no commands",
                &first.command,
            )),
            _ => Ok(()),
        }
    }

    /// That the condition of the gate is met, where an event has to say so and none does.
    fn gate_evidence(
        &self,
        state: &WorkflowState,
        workflow: &WorkflowInstance,
    ) -> Result<Option<EventDraft>, WorkflowFault> {
        let stage = workflow.stage;
        let gate = &workflow.stages[stage].gate;
        if !gate.needs_event() || workflow.gates[stage].satisfied.is_some() {
            return Ok(None);
        }
        let results = self.results.clone().unwrap_or_default();
        match gate.kind {
            GateKind::ChainComplete => state.chains_complete(workflow)?,
            GateKind::VerificationPass => workflow.verified(&results)?,
            _ => return Err(workflow.unsatisfied()),
        }
        Ok(Some(EventDraft::new(GateSatisfied {
            workflow: workflow.id.clone(),
            stage,
            option: None,
            results,
        })))
    }
}

impl EventData for WorkflowAdvanced {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let workflow = state.workflow_to_leave(&self.workflow, self.from)?;
        if self.to == self.from + 1 && self.to < workflow.stages.len() {
            Ok(())
        } else {
            Err(wrong_stage(workflow, self.to))
        }
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_workflow(origin, &self.workflow, |workflow| {
            workflow.stage = self.to;
            workflow.gates[self.to].opened_by = Some(origin.actor.principal.clone());
        });
    }
}

impl EventData for WorkflowCompleted {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let last = state.workflow(&self.workflow)?.stages.len() - 1;
        if self.imported {
            return state.open_workflow(&self.workflow).map(drop);
        }
        state.workflow_to_leave(&self.workflow, last).map(drop)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_workflow(origin, &self.workflow, |workflow| {
            workflow.stage = workflow.stages.len() - 1;
            workflow.ended = Some(WorkflowOutcome::Completed);
        });
    }
}

impl CommandTool for WorkflowAdvanceArgs {
    const SPEC: Spec = Spec {
        calls_tools: true,
        capabilities: &[Capability::Events, Capability::Calls],
        ..CHANGES
    }
    .with_name(WorkflowAdvance::ID, "Go to the next stage");
    const STEP: ExampleStep = ExampleStep::new(23, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the next stage": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 24, "type": "workflow.advanced", "reason": null, "data": {"workflow": "WF-20251206-001", "from": 0, "to": 1}}, {"number": 25, "type": "gate.opened", "reason": null, "data": {"workflow": "WF-20251206-001", "stage": 1}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::WorkflowAdvance;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for WorkflowAdvance {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "workflow documentation done",
                "pat",
                "$workflow",
                "workflow.advanced",
            ),
            accepted(
                "workflow documentation done; pat workflow:advance $workflow",
                "pat",
                "$workflow",
                "gate.satisfied workflow.advanced gate.opened",
            ),
            accepted(
                "workflow documentation done; pat workflow:advance $workflow; pat workflow:advance $workflow; quinn gate:satisfy $workflow",
                "pat",
                "$workflow",
                "workflow.completed",
            ),
            refused(
                "workflow documentation todo; pat workflow:advance $workflow",
                "pat",
                "$workflow",
                "needs every chain done; not done: `CHAIN-001-parser` (todo)",
            ),
            refused(
                "workflow standard done",
                "pat",
                "$workflow",
                "needs the approval of a person",
            ),
            refused(
                "workflow documentation done",
                "pat",
                r#"$workflow,"stage":1"#,
                "another has left the stage",
            ),
            refused(
                "workflow documentation done",
                "pat",
                r#"$workflow,"results":[{"command":"x","exitCode":0}]"#,
                "nothing, since the gate runs no commands",
            ),
        ];
    }
}
