//! `task:block`: a task cannot continue.

use tool_core::{JsonExample, Spec, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::EventData;
use crate::fault::WorkflowFault;
use crate::names::TaskStatus;
use crate::state::WorkflowState;
use crate::state::check::needs_reason;
use crate::state::task_move::define_task_event;

args! {
    /// Mark a task as blocked.
    TaskBlock {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
        /// What blocks it.
        reason: String,
    }
}

define_task_event! {
    /// A task cannot continue; the reason of the event says why.
    TaskBlocked = "task.blocked" {}
}

impl Command for TaskBlock {
    const ID: &'static str = "task:block";

    /// # Errors
    /// Unknown task, a status that forbids it, no reason.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let from = state
            .task_before(&self.chain_id, &self.task_id, TaskStatus::Blocked)?
            .status;
        let data = TaskBlocked {
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
            from,
            to: TaskStatus::Blocked,
        };
        Ok(EventDraft::new(data).because(text::require_reason(&self.reason)?))
    }
}

impl EventData for TaskBlocked {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        state.check_task_move(self.step(), TaskBlock::ID)?;
        needs_reason(origin.reason)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.move_task(origin, self.step(), |task| {
            task.blocked = origin.reason.map(str::to_owned);
        });
    }
}

impl CommandTool for TaskBlock {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Mark a task as blocked");
    const STEP: ExampleStep = ExampleStep::new(5, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "it cannot continue": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "reason": "The grammar is missing."}"## => r##"{"id": "001-read-numbers", "status": "blocked", "events": [{"number": 6, "type": "task.blocked", "reason": "The grammar is missing.", "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "todo", "to": "blocked"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TaskBlock;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TaskBlock {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task backlog",
                "ann/impl",
                r#"$task,"reason":"no grammar""#,
                "task.blocked",
            ),
            accepted(
                "task todo",
                "ann/impl",
                r#"$task,"reason":"no grammar""#,
                "task.blocked",
            ),
            accepted(
                "task in-progress",
                "ann/impl",
                r#"$task,"reason":"no grammar""#,
                "task.blocked",
            ),
            accepted(
                "task in-review",
                "ann/impl",
                r#"$task,"reason":"no grammar""#,
                "task.blocked",
            ),
            refused(
                "task todo",
                "ann/impl",
                r#"$task,"reason":"""#,
                "missing `reason`",
            ),
            refused(
                "task done",
                "ann/impl",
                r#"$task,"reason":"r""#,
                "a task that is done stays so",
            ),
        ];
    }
}
