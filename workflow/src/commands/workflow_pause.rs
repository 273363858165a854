//! `workflow:pause`: no stage and no task of a workflow moves.

use tool_core::{JsonExample, Spec, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::state::WorkflowState;
use crate::state::check::needs_reason;

args! {
    /// Pause a workflow: no stage and no task of it moves until it is resumed.
    WorkflowPause {
        /// Id of the workflow.
        workflow_id: String,
        /// Why.
        reason: String,
    }
}

define_event! {
    /// A workflow was paused.
    WorkflowPaused = "workflow.paused" {
        /// The workflow.
        workflow: String,
    }
}

impl Command for WorkflowPause {
    const ID: &'static str = "workflow:pause";

    /// # Errors
    /// No reason.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let reason = text::require_reason(&self.reason)?;
        let data = WorkflowPaused {
            workflow: self.workflow_id.clone(),
        };
        Ok(EventDraft::new(data).because(reason))
    }
}

impl EventData for WorkflowPaused {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        let workflow = state.open_workflow(&self.workflow)?;
        needs_reason(origin.reason)?;
        match &workflow.paused {
            None => Ok(()),
            Some(reason) => Err(WorkflowFault::Paused {
                workflow: workflow.id.clone(),
                reason: reason.clone(),
            }),
        }
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_workflow(origin, &self.workflow, |workflow| {
            workflow.paused = origin.reason.map(str::to_owned);
        });
    }
}

impl CommandTool for WorkflowPause {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Pause a workflow");
    const STEP: ExampleStep = ExampleStep::new(19, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a pause": r##"{"workflowId": "WF-20251206-001", "reason": "holiday"}"## => r##"{"id": "WF-20251206-001", "status": "paused", "events": [{"number": 20, "type": "workflow.paused", "reason": "holiday", "data": {"workflow": "WF-20251206-001"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::WorkflowPause;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for WorkflowPause {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "workflow standard todo",
                "pat",
                r#"$workflow,"reason":"holidays""#,
                "workflow.paused",
            ),
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?","blocking":true"#,
                "pat",
                r#"$workflow,"reason":"holidays""#,
                "workflow.paused",
            ),
            refused(
                r#"workflow standard todo; pat workflow:pause $workflow,"reason":"holidays""#,
                "pat",
                r#"$workflow,"reason":"r""#,
                "is paused: holidays",
            ),
            refused(
                "workflow standard todo",
                "pat",
                r#"$workflow,"reason":"""#,
                "missing `reason`",
            ),
        ];
    }
}
