//! `task:submit`, also `task:complete`: who works on a task thinks that it is done.

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
    /// Submit a task in progress for review.
    TaskSubmit {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
        /// What was done, as Markdown; kept with the task.
        summary: Option<String>,
    }
}

define_task_event! {
    /// A task was submitted for review.
    TaskSubmitted = "task.submitted" {
        /// What was done.
        summary: Option<String>,
    }
}

impl Command for TaskSubmit {
    const ID: &'static str = "task:submit";

    /// # Errors
    /// Unknown task, a status that forbids it, a summary that is too long.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let from = state
            .task_before(&self.chain_id, &self.task_id, TaskStatus::InReview)?
            .status;
        let summary = text::check_body("summary", self.summary.as_deref())?;
        Ok(EventDraft::new(TaskSubmitted {
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
            from,
            to: TaskStatus::InReview,
            summary: Some(summary).filter(|summary| !summary.trim().is_empty()),
        }))
    }
}

impl EventData for TaskSubmitted {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        state.check_task_move(self.step(), TaskSubmit::ID).map(drop)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.move_task(origin, self.step(), |task| {
            task.submitter = Some(origin.actor.principal.clone());
            task.submitters.insert(origin.actor.principal.clone());
            if self.summary.is_some() {
                task.summary.clone_from(&self.summary);
            }
        });
    }
}

impl CommandTool for TaskSubmit {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Submit a task");
    const STEP: ExampleStep = ExampleStep::new(8, "impl");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a submission": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "summary": "All digits are read."}"## => r##"{"id": "001-read-numbers", "status": "in-review", "events": [{"number": 9, "type": "task.submitted", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "in-progress", "to": "in-review", "summary": "All digits are read."}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TaskSubmit;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TaskSubmit {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task in-progress",
                "ann/impl",
                r#"$task,"summary":"All digits are read.""#,
                "task.submitted",
            ),
            refused(
                "task todo",
                "ann/impl",
                "$task",
                "from todo to in-review; allowed: in-progress, blocked",
            ),
        ];
    }
}
