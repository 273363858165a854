//! `workflow:start`: stages with gates begin, over a request or a chain.

use std::collections::BTreeMap;

use tool_core::{Decode, Describe, Encode, JsonExample, Spec, Syntax, examples};

use super::command::{
    CHANGES, Command, CommandTool, DecisionResult, DraftResult, EventDraft, ExampleStep,
    decide_one_event,
};
use super::request_approval::gate_opening_draft;
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::EventPayload;
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::limits::STAGES_MAX;
use crate::names::GateKind;
use crate::state::check::{at_most, check_fresh_id};
use crate::state::{GateState, WorkflowInstance, WorkflowState};
use crate::template::{WorkflowStage, WorkflowTemplate};

/// Start a workflow from a template.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub struct WorkflowStart {
    /// Name of the template: `standard`, `hotfix`, `documentation`, `ideation`, or of a file `workflow/templates/NAME.yaml`.
    pub template: String,
    /// Id of the request it serves.
    pub request_id: Option<String>,
    /// Id of the one chain it serves; every chain of the request where absent.
    pub chain_id: Option<String>,
    /// Commands of its verification, instead of those of the template.
    pub commands: Option<Vec<String>>,
}

/// A start with the template that its arguments name, as the caller has read it.
#[derive(Debug, Clone, PartialEq, Decode)]
pub struct TemplateStart {
    /// The arguments.
    pub args: WorkflowStart,
    /// The template.
    pub template: WorkflowTemplate,
}

define_event! {
    /// A workflow was started. The event has the stages, so that a later change of the template changes no workflow.
    WorkflowStarted = "workflow.started" {
        /// Id of the workflow.
        workflow: String,
        /// Name of the template.
        template: String,
        /// Its stages.
        stages: Vec<WorkflowStage>;
        /// The request it serves.
        request: Option<String>,
        /// The chain it serves, where it is one only.
        chain: Option<String>,
        /// The first stage; others than 0 come from imports.
        stage: usize,
    }
}

impl Command for TemplateStart {
    const ID: &'static str = "workflow:start";

    /// # Errors
    /// Another template than the arguments name, commands for a template without a verification, a limit.
    fn draft_event(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DraftResult {
        let args = &self.args;
        if args.template != self.template.name {
            let expected = format!("`{}`", self.template.name);
            return Err(WorkflowFault::invalid("template", expected, &args.template));
        }
        let mut stages = self.template.stages.clone();
        if let Some(commands) = &args.commands {
            replace_commands(&mut stages, commands)?;
        }
        Ok(EventDraft::new(WorkflowStarted {
            workflow: state.next_dated_id(context, "WF")?,
            template: self.template.name.clone(),
            stages,
            request: args.request_id.clone(),
            chain: args.chain_id.clone(),
            stage: 0,
        }))
    }

    /// A second event follows where the first gate waits at once.
    ///
    /// # Errors
    /// Those of the draft; unknown or closed request, unknown chain, a chain of another request.
    fn decide(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DecisionResult {
        let started = decide_one_event(self, state, context)?;
        let EventPayload::WorkflowStarted(data) = &started.data else {
            return Ok(vec![started]);
        };
        let opened = gate_opening_draft(&data.workflow, &data.stages, data.stage);
        let opened = opened.map(|opened| opened.at(state, context, 1));
        Ok([started].into_iter().chain(opened).collect())
    }
}

/// Gives every verification other commands.
fn replace_commands(
    stages: &mut [WorkflowStage],
    commands: &[String],
) -> Result<(), WorkflowFault> {
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
        let expected = "nothing, since the template has no verification";
        return Err(WorkflowFault::invalid(
            "commands",
            expected,
            &commands.join(" "),
        ));
    }
    Ok(())
}

impl EventData for WorkflowStarted {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        check_fresh_id(
            "workflow",
            &self.workflow,
            state.workflows.contains_key(&self.workflow),
        )?;
        at_most("stages", self.stages.len(), STAGES_MAX)?;
        if self.stage >= self.stages.len() {
            return Err(WorkflowFault::invalid(
                "stage",
                format!("a number below {}", self.stages.len()),
                &self.stage.to_string(),
            ));
        }
        let empty = |stage: &WorkflowStage| {
            stage.gate.kind == GateKind::VerificationPass && stage.gate.commands.is_empty()
        };
        if self.stages.iter().any(empty) {
            return Err(WorkflowFault::Missing { field: "commands" });
        }
        if let Some(request) = &self.request {
            state.open_request(request)?;
        }
        let Some(chain) = &self.chain else {
            return Ok(());
        };
        let chain = state.chain(chain)?;
        state.open_request(&chain.request)?;
        match &self.request {
            Some(request) if *request != chain.request => Err(WorkflowFault::invalid(
                "chainId",
                format!("a chain of the request `{request}`"),
                &chain.id,
            )),
            _ => Ok(()),
        }
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.count_dated_id(&self.workflow);
        let mut gates = vec![GateState::default(); self.stages.len()];
        gates[self.stage].opened_by = Some(origin.actor.principal.clone());
        let workflow = WorkflowInstance {
            id: self.workflow.clone(),
            template: self.template.clone(),
            request: self.request.clone(),
            chain: self.chain.clone(),
            stages: self.stages.clone(),
            stage: self.stage,
            author: origin.actor.clone(),
            created: origin.time,
            updated: origin.time,
            paused: None,
            ended: None,
            gates,
            feedback: BTreeMap::new(),
            feedback_counter: 0,
        };
        state.workflows.insert(self.workflow.clone(), workflow);
    }
}

impl CommandTool for WorkflowStart {
    const SPEC: Spec = Spec {
        syntax: &[("/commands", Syntax::Shell)],
        ..CHANGES
    }
    .with_name(TemplateStart::ID, "Start a workflow");
    const STEP: ExampleStep = ExampleStep::new(14, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a workflow": r##"{"template": "ideation", "requestId": "CR-20251206-001"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 15, "type": "workflow.started", "reason": null, "data": {"workflow": "WF-20251206-001", "template": "ideation", "stages": [{"name": "exploration", "type": "ideation", "role": "ideation", "prompt": "Explore the idea: the problem, its value, its risks, and what would be feasible.\nWhen it is clear whether it is worth continuing, request the decision.\n", "gate": {"type": "human_approval", "prompt": "Continue to proposals, or discard this idea?", "agent_triggered": true, "options": [{"label": "Continue", "action": "advance"}, {"label": "Discard", "action": "discard"}]}}, {"name": "proposal", "type": "ideation", "role": "ideation", "prompt": "Write proposals for requests: goal, scope, and conditions of acceptance.\n", "gate": {"type": "human_approval", "prompt": "Approve these proposals?"}}, {"name": "creation", "type": "ideation", "role": "ideation", "prompt": "Create a request for each approved proposal.\n", "gate": {"type": "auto"}}], "request": "CR-20251206-001"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TemplateStart;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TemplateStart {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task todo",
                "pat",
                r#""template":"documentation",$request"#,
                "workflow.started",
            ),
            accepted(
                "task todo",
                "pat",
                r#""template":"standard",$request,"commands":["make test"]"#,
                "workflow.started gate.opened",
            ),
            refused(
                "task todo",
                "pat",
                r#""template":"documentation","commands":["x"]"#,
                "the template has no verification",
            ),
            refused(
                r#"task todo; pat chain:create $request,"title":"B""#,
                "pat",
                r#""template":"standard","requestId":"CR-20250101-009""#,
                "did you mean `CR-20250101-001`?",
            ),
        ];
    }
}
