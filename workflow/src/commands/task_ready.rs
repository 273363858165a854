//! `task:ready`: a task can be started, or is given back by who started it.

use tool_core::{JsonExample, Spec, examples};

use super::TaskUnblock;
use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::EventData;
use crate::fault::WorkflowFault;
use crate::names::TaskStatus;
use crate::state::WorkflowState;
use crate::state::task_move::define_task_event;

args! {
    /// Make a task ready: from `backlog`, or back from `in-progress`.
    TaskReady {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
    }
}

define_task_event! {
    /// A task became ready, or went back to the ready ones.
    TaskReadied = "task.readied" {}
}

impl Command for TaskReady {
    const ID: &'static str = "task:ready";

    /// # Errors
    /// Unknown task, a status that forbids it.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let task = state.task_before(&self.chain_id, &self.task_id, TaskStatus::Todo)?;
        // `task:unblock` leads there from `blocked`, and keeps its reason.
        if task.status == TaskStatus::Blocked {
            return Err(task.stuck(TaskStatus::Todo));
        }
        Ok(EventDraft::new(TaskReadied {
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
            from: task.status,
            to: TaskStatus::Todo,
        }))
    }
}

impl EventData for TaskReadied {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        // The command refuses it from `blocked`; a log may have it all the same, and is read as ever.
        let by = match (self.from, self.to) {
            (TaskStatus::Blocked, TaskStatus::Todo) => TaskUnblock::ID,
            _ => TaskReady::ID,
        };
        state.check_task_move(self.step(), by).map(drop)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.move_task(origin, self.step(), |_| {});
    }
}

impl CommandTool for TaskReady {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Make a task ready");
    const STEP: ExampleStep = ExampleStep::new(4, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "back to the others": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"id": "001-read-numbers", "status": "todo", "events": [{"number": 5, "type": "task.readied", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "in-progress", "to": "todo"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TaskReady;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TaskReady {
        const CASES: &'static [CommandCase] = &[
            accepted("task backlog", "ann/impl", "$task", "task.readied"),
            accepted("task in-progress", "ann/impl", "$task", "task.readied"),
            refused(
                "task blocked",
                "ann/impl",
                "$task",
                "allowed: todo, backlog (unblock it with `task:unblock`)",
            ),
            refused(
                "task done",
                "ann/impl",
                "$task",
                "from done to todo; allowed: none",
            ),
            refused(
                r#"workflow standard backlog; pat workflow:pause $workflow,"reason":"holidays""#,
                "ann/impl",
                "$task",
                "is paused: holidays",
            ),
        ];
    }
}
