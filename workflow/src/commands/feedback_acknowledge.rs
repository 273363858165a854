//! Feedback was read. No tool gives this command.

use super::command::{Command, DraftResult, EventDraft, args};
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::FeedbackStatus;
use crate::state::WorkflowState;

args! {
    /// Note that feedback was read.
    FeedbackAcknowledge {
        /// Id of the workflow.
        workflow_id: String,
        /// Id of the feedback, such as `FB-001`.
        feedback_id: String,
    }
}

define_event! {
    /// Feedback was read.
    FeedbackAcknowledged = "feedback.acknowledged" {
        /// Its workflow.
        workflow: String,
        /// The feedback.
        feedback: String,
    }
}

impl Command for FeedbackAcknowledge {
    const ID: &'static str = "feedback:acknowledge";

    /// # Errors
    /// None.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let data = FeedbackAcknowledged {
            workflow: self.workflow_id.clone(),
            feedback: self.feedback_id.clone(),
        };
        Ok(EventDraft::new(data))
    }
}

impl EventData for FeedbackAcknowledged {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let workflow = state.open_workflow(&self.workflow)?;
        let feedback = workflow.feedback(&self.feedback)?;
        let next = "answer it with `feedback:respond`";
        feedback.check_move(FeedbackAcknowledge::ID, FeedbackStatus::Acknowledged, next)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_feedback(origin, &self.workflow, &self.feedback, |feedback| {
            feedback.status = FeedbackStatus::Acknowledged;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::FeedbackAcknowledge;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for FeedbackAcknowledge {
        const CASES: &'static [CommandCase] = &[
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?""#,
                "pat",
                "$feedback",
                "feedback.acknowledged",
            ),
            refused(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?"; pat feedback:acknowledge $feedback"#,
                "pat",
                "$feedback",
                "from acknowledged to acknowledged; allowed: resolved, dismissed",
            ),
            refused(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?"; pat feedback:respond $feedback,"content":"x""#,
                "pat",
                "$feedback",
                "from resolved to acknowledged; allowed: none",
            ),
        ];
    }
}
