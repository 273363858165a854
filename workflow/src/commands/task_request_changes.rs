//! `task:request_changes`: a submitted task is not good yet.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DECIDED, DraftResult, EventDraft, ExampleStep, args,
};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::EventData;
use crate::fault::WorkflowFault;
use crate::names::{TaskStatus, Verdict};
use crate::state::check::{needs_reason, room_for_review};
use crate::state::task_move::define_task_event;
use crate::state::{WorkReview, WorkflowState};

args! {
    /// Send a submitted task back.
    TaskRequestChanges {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
        /// What is wrong.
        reason: String,
        /// Single suggestions.
        suggestions: Option<Vec<String>>,
    }
}

define_task_event! {
    /// A task was sent back; the reason of the event says why.
    TaskChangesRequested = "task.changes_requested" {
        /// Single suggestions.
        suggestions: Vec<String>,
    }
}

impl Command for TaskRequestChanges {
    const ID: &'static str = "task:request_changes";

    /// # Errors
    /// Unknown task, a status that forbids it, no reason, a suggestion that is too long.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let from = state
            .task_before(&self.chain_id, &self.task_id, TaskStatus::InProgress)?
            .status;
        let data = TaskChangesRequested {
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
            from,
            to: TaskStatus::InProgress,
            suggestions: text::check_text_list("suggestions", self.suggestions.as_deref())?,
        };
        Ok(EventDraft::new(data).because(text::require_reason(&self.reason)?))
    }
}

impl EventData for TaskChangesRequested {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        let found = state.check_task_move(self.step(), TaskRequestChanges::ID)?;
        needs_reason(origin.reason)?;
        room_for_review(found.task.reviews.len())
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.move_task(origin, self.step(), |task| {
            task.rework_count += 1;
            let review = WorkReview::new(origin, Verdict::ChangesRequested, &self.suggestions);
            task.reviews.push(review);
        });
    }
}

impl CommandTool for TaskRequestChanges {
    const SPEC: Spec = Spec {
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Send a task back");
    const STEP: ExampleStep = ExampleStep::new(9, "review");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a review": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "reason": "1e400 is no error.", "suggestions": ["Check the range."]}"## => r##"{"id": "001-read-numbers", "status": "in-progress", "events": [{"number": 10, "type": "task.changes_requested", "reason": "1e400 is no error.", "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "in-review", "to": "in-progress", "suggestions": ["Check the range."]}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TaskRequestChanges;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TaskRequestChanges {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task in-review",
                "rob/review",
                r#"$task,"reason":"signs","suggestions":["plus"]"#,
                "task.changes_requested",
            ),
            refused(
                "task in-review",
                "rob/review",
                r#"$task,"reason":" ""#,
                "missing `reason`",
            ),
            refused(
                "task todo",
                "rob/review",
                r#"$task,"reason":"r""#,
                "from todo to in-progress; allowed: in-progress, blocked",
            ),
        ];
    }
}
