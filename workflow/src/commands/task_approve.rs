//! `task:approve`: a task is done, as one says who never submitted it.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DECIDED, DraftResult, EventDraft, ExampleStep, args,
};
use super::ownership::{OwnDecision, not_own};
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::EventData;
use crate::fault::WorkflowFault;
use crate::names::{TaskStatus, Verdict};
use crate::state::task_move::define_task_event;
use crate::state::{WorkReview, WorkflowState};

args! {
    /// Approve a submitted task; never one that one ever submitted.
    TaskApprove {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
    }
}

define_task_event! {
    /// A task was approved.
    TaskApproved = "task.approved" {}
}

impl Command for TaskApprove {
    const ID: &'static str = "task:approve";

    /// # Errors
    /// Unknown task, a status that forbids it.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let from = state
            .task_before(&self.chain_id, &self.task_id, TaskStatus::Done)?
            .status;
        Ok(EventDraft::new(TaskApproved {
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
            from,
            to: TaskStatus::Done,
        }))
    }

    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        let task = state.task(&self.chain_id, &self.task_id)?;
        not_own(
            context,
            &task.submitters,
            &OwnDecision {
                action: "approve",
                what: "task",
                id: &task.id,
            },
        )
    }
}

impl EventData for TaskApproved {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        state
            .check_task_move(self.step(), TaskApprove::ID)
            .map(drop)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.move_task(origin, self.step(), |task| {
            let review = WorkReview::new(origin, Verdict::Approved, &[]);
            task.reviews.push(review);
        });
    }
}

impl CommandTool for TaskApprove {
    const SPEC: Spec = Spec {
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Approve a task");
    const STEP: ExampleStep = ExampleStep::new(11, "review");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an approval": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"id": "001-read-numbers", "status": "done", "events": [{"number": 12, "type": "task.approved", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "in-review", "to": "done"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TaskApprove;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TaskApprove {
        const CASES: &'static [CommandCase] = &[
            accepted("task in-review", "rob/review", "$task", "task.approved"),
            refused(
                "task in-review",
                "ann/review",
                "$task",
                "`ann` may not approve the task `001-read-numbers`: it is their own work",
            ),
            refused(
                r#"task in-review; rob/review task:request_changes $task,"reason":"r"; bob/impl task:submit $task"#,
                "ann/review",
                "$task",
                "it is their own work",
            ),
            refused(
                "task in-progress",
                "rob/review",
                "$task",
                "from in-progress to done; allowed: in-review, blocked, todo",
            ),
        ];
    }
}
