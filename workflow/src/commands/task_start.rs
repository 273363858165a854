//! `task:start`: somebody begins to work on a task.

use tool_core::{JsonExample, Spec, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::EventData;
use crate::fault::WorkflowFault;
use crate::names::{ChainStatus, TaskStatus};
use crate::state::WorkflowState;
use crate::state::task_move::define_task_event;

args! {
    /// Start a task that is ready.
    TaskStart {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
    }
}

define_task_event! {
    /// Work on a task began.
    TaskStarted = "task.started" {}
}

impl Command for TaskStart {
    const ID: &'static str = "task:start";

    /// # Errors
    /// Unknown task, a status that forbids it.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let from = state
            .task_before(&self.chain_id, &self.task_id, TaskStatus::InProgress)?
            .status;
        Ok(EventDraft::new(TaskStarted {
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
            from,
            to: TaskStatus::InProgress,
        }))
    }
}

impl EventData for TaskStarted {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let found = state.check_task_move(self.step(), TaskStart::ID)?;
        let before = found.chain.depends_on.as_ref();
        let Some(before) = before.and_then(|id| state.chains.get(id)) else {
            return Ok(());
        };
        match before.status() {
            ChainStatus::Done => Ok(()),
            status => Err(WorkflowFault::first(
                format!(
                    "the chain `{}` depends on `{}`, which is {status}",
                    found.chain.id, before.id
                ),
                format!("finish the tasks of `{}` first", before.id),
            )),
        }
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.move_task(origin, self.step(), |_| {});
    }
}

impl CommandTool for TaskStart {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Start a task");
    const STEP: ExampleStep = ExampleStep::new(3, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "start it": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"id": "001-read-numbers", "status": "in-progress", "events": [{"number": 4, "type": "task.started", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "todo", "to": "in-progress"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TaskStart;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TaskStart {
        const CASES: &'static [CommandCase] = &[
            accepted("task todo", "ann/impl", "$task", "task.started"),
            refused(
                "task backlog",
                "ann/impl",
                "$task",
                "from backlog to in-progress; allowed: todo, blocked",
            ),
            refused(
                "task in-review",
                "ann/impl",
                "$task",
                "from in-review to in-progress; allowed: done, in-progress, blocked",
            ),
            refused(
                r#"task todo; pat chain:create $request,"title":"B","dependsOn":"CHAIN-001-parser"; pat task:create "chainId":"CHAIN-002-b","title":"Go","ready":true"#,
                "ann/impl",
                r#""chainId":"CHAIN-002-b","taskId":"001-go""#,
                "depends on `CHAIN-001-parser`, which is todo",
            ),
        ];
    }
}
