//! `workflow:discard`: a workflow is given up; also a paused one.

use tool_core::{JsonExample, Spec, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::state::check::needs_reason;
use crate::state::{WorkflowOutcome, WorkflowState};

args! {
    /// Give a workflow up.
    WorkflowDiscard {
        /// Id of the workflow.
        workflow_id: String,
        /// Why.
        reason: String,
    }
}

define_event! {
    /// A workflow was given up; the reason of the event says why.
    WorkflowDiscarded = "workflow.discarded" {
        /// The workflow.
        workflow: String,
    }
}

impl Command for WorkflowDiscard {
    const ID: &'static str = "workflow:discard";

    /// # Errors
    /// No reason.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let reason = text::require_reason(&self.reason)?;
        let data = WorkflowDiscarded {
            workflow: self.workflow_id.clone(),
        };
        Ok(EventDraft::new(data).because(reason))
    }
}

impl EventData for WorkflowDiscarded {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        state.open_workflow(&self.workflow)?;
        needs_reason(origin.reason)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_workflow(origin, &self.workflow, |workflow| {
            let reason = origin.reason.unwrap_or_default().to_owned();
            workflow.ended = Some(WorkflowOutcome::Discarded(reason));
        });
    }
}

impl CommandTool for WorkflowDiscard {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Give a workflow up");
    const STEP: ExampleStep = ExampleStep::new(25, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "it is given up": r##"{"workflowId": "WF-20251206-001", "reason": "Not needed."}"## => r##"{"id": "WF-20251206-001", "status": "discarded", "events": [{"number": 26, "type": "workflow.discarded", "reason": "Not needed.", "data": {"workflow": "WF-20251206-001"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::WorkflowDiscard;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for WorkflowDiscard {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "workflow standard todo",
                "pat",
                r#"$workflow,"reason":"not needed""#,
                "workflow.discarded",
            ),
            accepted(
                r#"workflow standard todo; pat workflow:pause $workflow,"reason":"holidays""#,
                "pat",
                r#"$workflow,"reason":"not needed""#,
                "workflow.discarded",
            ),
            refused(
                "workflow standard todo",
                "pat",
                r#"$workflow,"reason":" ""#,
                "missing `reason`",
            ),
            refused(
                r#"workflow standard todo; pat workflow:discard $workflow,"reason":"r""#,
                "pat",
                r#"$workflow,"reason":"r""#,
                "is discarded",
            ),
        ];
    }
}
