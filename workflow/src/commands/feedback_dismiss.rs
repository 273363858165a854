//! `feedback:dismiss`: feedback gets no answer; who blocked a workflow by it is a person, or another dismisses it.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DECIDED, DecisionResult, DraftResult, EventDraft, ExampleStep,
    args, decide_one_event,
};
use super::ownership::not_own_block;
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::FeedbackStatus;
use crate::state::WorkflowState;
use crate::state::check::needs_reason;

args! {
    /// Dismiss feedback without an answer.
    FeedbackDismiss {
        /// Id of the workflow.
        workflow_id: String,
        /// Id of the feedback.
        feedback_id: String,
        /// Why there is no answer.
        reason: String,
    }
}

define_event! {
    /// Feedback will not be answered.
    FeedbackDismissed = "feedback.dismissed" {
        /// Its workflow.
        workflow: String,
        /// The feedback.
        feedback: String,
    }
}

impl Command for FeedbackDismiss {
    const ID: &'static str = "feedback:dismiss";

    /// # Errors
    /// No reason.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let data = FeedbackDismissed {
            workflow: self.workflow_id.clone(),
            feedback: self.feedback_id.clone(),
        };
        Ok(EventDraft::new(data).because(text::require_reason(&self.reason)?))
    }

    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        let workflow = state.workflow(&self.workflow_id)?;
        not_own_block(context, workflow.feedback(&self.feedback_id)?, "dismiss")
    }

    /// No event for feedback that is dismissed already.
    ///
    /// # Errors
    /// Unknown feedback, one that has an answer, no reason, a blocking question of one's own.
    fn decide(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DecisionResult {
        let workflow = state.workflow(&self.workflow_id)?;
        if workflow.feedback(&self.feedback_id)?.status == FeedbackStatus::Dismissed {
            return Ok(Vec::new());
        }
        decide_one_event(self, state, context).map(|event| vec![event])
    }
}

impl EventData for FeedbackDismissed {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        let workflow = state.open_workflow(&self.workflow)?;
        let feedback = workflow.feedback(&self.feedback)?;
        let next = "create new feedback with `feedback:create`";
        feedback.check_move(FeedbackDismiss::ID, FeedbackStatus::Dismissed, next)?;
        needs_reason(origin.reason)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_feedback(origin, &self.workflow, &self.feedback, |feedback| {
            feedback.status = FeedbackStatus::Dismissed;
            feedback.dismissed = origin.reason.map(str::to_owned);
        });
    }
}

impl CommandTool for FeedbackDismiss {
    const SPEC: Spec = Spec {
        idempotent: true,
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Dismiss feedback");
    const STEP: ExampleStep = ExampleStep::new(18, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "no answer": r##"{"workflowId": "WF-20251206-001", "feedbackId": "FB-002", "reason": "See the request."}"## => r##"{"id": "FB-002", "status": "dismissed", "events": [{"number": 19, "type": "feedback.dismissed", "reason": "See the request.", "data": {"workflow": "WF-20251206-001", "feedback": "FB-002"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::FeedbackDismiss;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for FeedbackDismiss {
        const CASES: &'static [CommandCase] = &[
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?""#,
                "pat",
                r#"$feedback,"reason":"known""#,
                "feedback.dismissed",
            ),
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?"; pat feedback:acknowledge $feedback"#,
                "pat",
                r#"$feedback,"reason":"known""#,
                "feedback.dismissed",
            ),
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?","blocking":true"#,
                "pat",
                r#"$feedback,"reason":"known""#,
                "feedback.dismissed",
            ),
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?"; pat feedback:dismiss $feedback,"reason":"known""#,
                "pat",
                r#"$feedback,"reason":"again""#,
                "",
            ),
            refused(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?","blocking":true"#,
                "ann/impl",
                r#"$feedback,"reason":"r""#,
                "`ann` may not dismiss",
            ),
            refused(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?"; pat feedback:respond $feedback,"content":"x""#,
                "pat",
                r#"$feedback,"reason":"r""#,
                "from resolved to dismissed",
            ),
        ];
    }
}
