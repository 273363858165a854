//! `workflow:resume`: a paused workflow continues, once no question blocks it either.

use tool_core::{JsonExample, Spec, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::state::WorkflowState;

args! {
    /// Resume a paused workflow. One that waits for an answer is resumed by the answer.
    WorkflowResume {
        /// Id of the workflow.
        workflow_id: String,
        /// Why.
        reason: Option<String>,
    }
}

define_event! {
    /// A paused workflow was resumed.
    WorkflowResumed = "workflow.resumed" {
        /// The workflow.
        workflow: String,
    }
}

impl Command for WorkflowResume {
    const ID: &'static str = "workflow:resume";

    /// # Errors
    /// A reason that is too long.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let reason = text::optional_reason(self.reason.as_deref())?;
        let data = WorkflowResumed {
            workflow: self.workflow_id.clone(),
        };
        Ok(EventDraft::new(data).because(reason))
    }
}

impl EventData for WorkflowResumed {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let workflow = state.open_workflow(&self.workflow)?;
        if workflow.paused.is_some() {
            return Ok(());
        }
        Err(workflow.running().err().unwrap_or_else(|| {
            WorkflowFault::first(
                format!("the workflow `{}` is not paused", workflow.id),
                "advance it with `workflow:advance`",
            )
        }))
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_workflow(origin, &self.workflow, |workflow| workflow.paused = None);
    }
}

impl CommandTool for WorkflowResume {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Resume a workflow");
    const STEP: ExampleStep = ExampleStep::new(20, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "it continues": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 21, "type": "workflow.resumed", "reason": null, "data": {"workflow": "WF-20251206-001"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::WorkflowResume;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for WorkflowResume {
        const CASES: &'static [CommandCase] = &[
            accepted(
                r#"workflow standard todo; pat workflow:pause $workflow,"reason":"holidays""#,
                "pat",
                "$workflow",
                "workflow.resumed",
            ),
            accepted(
                r#"workflow standard todo; pat workflow:pause $workflow,"reason":"holidays"; ann/impl feedback:create $workflow,"question":"Which?","blocking":true"#,
                "pat",
                "$workflow",
                "workflow.resumed",
            ),
            refused(
                "workflow standard todo",
                "pat",
                "$workflow",
                "is not paused",
            ),
            refused(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?","blocking":true"#,
                "pat",
                "$workflow",
                "waits for an answer to `FB-001`",
            ),
        ];
    }
}
