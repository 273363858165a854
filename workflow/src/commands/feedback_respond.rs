//! `feedback:respond`: the answer to feedback; who blocked a workflow by it is a person, or another answers.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DECIDED, DraftResult, EventDraft, ExampleStep, args,
};
use super::ownership::not_own_block;
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::limits::TEXT_BYTES_MAX;
use crate::names::FeedbackStatus;
use crate::state::{FeedbackResponse, WorkflowState};

args! {
    /// Answer feedback.
    FeedbackRespond {
        /// Id of the workflow.
        workflow_id: String,
        /// Id of the feedback.
        feedback_id: String,
        /// The answer.
        content: String,
        /// Label of the option chosen; only where the feedback has options.
        selected_option: Option<String>,
    }
}

define_event! {
    /// Feedback was answered.
    FeedbackAnswered = "feedback.answered" {
        /// Its workflow.
        workflow: String,
        /// The feedback.
        feedback: String,
        /// The answer.
        content: String;
        /// The label of the option chosen.
        selected_option: Option<String>,
    }
}

impl Command for FeedbackRespond {
    const ID: &'static str = "feedback:respond";

    /// # Errors
    /// Unknown feedback, an option that it does not have, no text, a limit.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let feedback = state
            .workflow(&self.workflow_id)?
            .feedback(&self.feedback_id)?;
        if let Some(label) = &self.selected_option
            && !feedback
                .context
                .options
                .iter()
                .any(|option| option.label == *label)
        {
            let labels: Vec<String> = feedback
                .context
                .options
                .iter()
                .map(|option| format!("`{}`", option.label))
                .collect();
            let expected = if labels.is_empty() {
                "nothing, since the feedback has no options".to_owned()
            } else {
                format!("one of {}", labels.join(", "))
            };
            return Err(WorkflowFault::invalid("selectedOption", expected, label));
        }
        let data = FeedbackAnswered {
            workflow: self.workflow_id.clone(),
            feedback: self.feedback_id.clone(),
            content: text::require_text("content", &self.content, TEXT_BYTES_MAX)?,
            selected_option: self.selected_option.clone(),
        };
        Ok(EventDraft::new(data))
    }

    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        let workflow = state.workflow(&self.workflow_id)?;
        not_own_block(context, workflow.feedback(&self.feedback_id)?, "answer")
    }
}

impl EventData for FeedbackAnswered {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let workflow = state.open_workflow(&self.workflow)?;
        let feedback = workflow.feedback(&self.feedback)?;
        let next = "create new feedback with `feedback:create`";
        feedback.check_move(FeedbackRespond::ID, FeedbackStatus::Resolved, next)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_feedback(origin, &self.workflow, &self.feedback, |feedback| {
            feedback.status = FeedbackStatus::Resolved;
            feedback.response = Some(FeedbackResponse {
                content: self.content.clone(),
                selected_option: self.selected_option.clone(),
                by: origin.actor.principal.clone(),
                at: origin.time,
            });
        });
    }
}

impl CommandTool for FeedbackRespond {
    const SPEC: Spec = Spec {
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Answer feedback");
    const STEP: ExampleStep = ExampleStep::new(16, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an answer": r##"{"workflowId": "WF-20251206-001", "feedbackId": "FB-001", "content": "Base 10."}"## => r##"{"id": "FB-001", "status": "resolved", "events": [{"number": 17, "type": "feedback.answered", "reason": null, "data": {"workflow": "WF-20251206-001", "feedback": "FB-001", "content": "Base 10."}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::FeedbackRespond;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for FeedbackRespond {
        const CASES: &'static [CommandCase] = &[
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?""#,
                "pat",
                r#"$feedback,"content":"Ten.""#,
                "feedback.answered",
            ),
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?"; pat feedback:acknowledge $feedback"#,
                "pat",
                r#"$feedback,"content":"Ten.""#,
                "feedback.answered",
            ),
            accepted(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?","blocking":true"#,
                "pat",
                r#"$feedback,"content":"Ten.""#,
                "feedback.answered",
            ),
            refused(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?","blocking":true"#,
                "ann/impl",
                r#"$feedback,"content":"Ten.""#,
                "`ann` may not answer the feedback `FB-001`",
            ),
            refused(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?""#,
                "pat",
                r#"$feedback,"content":"x","selectedOption":"ten""#,
                "nothing, since the feedback has no options",
            ),
            refused(
                r#"workflow standard todo; ann/impl feedback:create $workflow,"question":"Which?"; pat feedback:dismiss $feedback,"reason":"r""#,
                "pat",
                r#"$feedback,"content":"x""#,
                "from dismissed to resolved; allowed: none",
            ),
        ];
    }
}
