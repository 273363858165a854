//! `task:unblock`: a blocked task can continue.

use tool_core::{JsonExample, Spec, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::EventData;
use crate::fault::WorkflowFault;
use crate::names::TaskStatus;
use crate::state::WorkflowState;
use crate::state::task_move::define_task_event;

args! {
    /// Unblock a task.
    TaskUnblock {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
        /// Its new status, `todo` or `backlog`; `todo` where absent.
        to: Option<TaskStatus>,
        /// What changed.
        reason: Option<String>,
    }
}

define_task_event! {
    /// A task can continue.
    TaskUnblocked = "task.unblocked" {}
}

impl Command for TaskUnblock {
    const ID: &'static str = "task:unblock";

    /// # Errors
    /// Unknown task, a status that forbids it, a reason that is too long.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let to = self.to.unwrap_or(TaskStatus::Todo);
        let from = state.task_before(&self.chain_id, &self.task_id, to)?.status;
        let reason = text::optional_reason(self.reason.as_deref())?;
        let data = TaskUnblocked {
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
            from,
            to,
        };
        Ok(EventDraft::new(data).because(reason))
    }
}

impl EventData for TaskUnblocked {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        state
            .check_task_move(self.step(), TaskUnblock::ID)
            .map(drop)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.move_task(origin, self.step(), |task| task.blocked = None);
    }
}

impl CommandTool for TaskUnblock {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Unblock a task");
    const STEP: ExampleStep = ExampleStep::new(6, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "it can continue": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"id": "001-read-numbers", "status": "todo", "events": [{"number": 7, "type": "task.unblocked", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "blocked", "to": "todo"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TaskUnblock;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TaskUnblock {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task blocked",
                "ann/impl",
                r#"$task,"reason":"it came""#,
                "task.unblocked",
            ),
            accepted(
                "task blocked",
                "ann/impl",
                r#"$task,"to":"backlog""#,
                "task.unblocked",
            ),
            refused(
                "task blocked",
                "ann/impl",
                r#"$task,"to":"done""#,
                "from blocked to done; allowed: todo, backlog",
            ),
            refused(
                "task backlog",
                "ann/impl",
                "$task",
                "from backlog to todo; allowed: todo, blocked",
            ),
        ];
    }
}
