//! `task:create`: a piece of work in a chain.

use std::collections::BTreeSet;

use tool_core::{JsonExample, Spec, Syntax, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::event::parts::Brief;
use crate::fault::WorkflowFault;
use crate::ids;
use crate::limits::TASKS_MAX;
use crate::names::{TaskKind, TaskStatus};
use crate::state::check::{already_approved_fault, at_most, check_fresh_id};
use crate::state::{ChainTask, WorkflowState};

args! {
    /// Add a task to a chain.
    TaskCreate {
        /// Id of the chain, such as `CHAIN-001-parser`.
        chain_id: String,
        /// Title of the task: one line, at most 200 bytes.
        title: String,
        /// Kind of the task; `impl` where absent.
        r#type: Option<TaskKind>,
        /// Whether it can be started at once (`todo`); `false` where absent (`backlog`).
        ready: Option<bool>,
        /// What is to be reached, as Markdown.
        objective: Option<String>,
        /// Files that will be touched.
        expected_files: Option<Vec<String>>,
        /// Patterns of files that may be changed.
        file_scope: Option<Vec<String>>,
        /// Conditions of acceptance.
        acceptance: Option<Vec<String>>,
        /// Constraints.
        constraints: Option<Vec<String>>,
        /// Notes, as Markdown.
        notes: Option<String>,
        /// Id of a task of the chain that this one repeats.
        rework_of: Option<String>,
    }
}

define_event! {
    /// A task was added to a chain.
    TaskCreated = "task.created" {
        /// Its chain.
        chain: String,
        /// Its id, unique in the chain.
        task: String,
        /// Its title.
        title: String;
        /// Its kind.
        kind: TaskKind,
        /// Its first status; others than `backlog` and `todo` come from imports.
        status: TaskStatus,
        /// What has to be done.
        brief: Brief,
        /// The task that this one repeats.
        rework_of: Option<String>,
        /// How often it was sent back before an import.
        rework_count: u32,
    }
}

impl Command for TaskCreate {
    const ID: &'static str = "task:create";

    /// # Errors
    /// Unknown chain or task that it repeats, no title, a pattern that cannot be read, a limit.
    fn draft_event(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DraftResult {
        let chain = state.chain(&self.chain_id)?;
        let title = text::check_title("title", &self.title)?;
        let file_scope = text::check_text_list("fileScope", self.file_scope.as_deref())?;
        text::check_patterns("fileScope", &file_scope)?;
        if let Some(task) = &self.rework_of {
            chain.task(task)?;
        }
        let number = chain.task_counter.saturating_add(1);
        let status = if self.ready == Some(true) {
            TaskStatus::Todo
        } else {
            TaskStatus::Backlog
        };
        let data = TaskCreated {
            chain: chain.id.clone(),
            task: ids::task_id(number, context.checkout, &ids::title_slug(&title)),
            title,
            kind: self.r#type.unwrap_or_default(),
            status,
            brief: self.brief(file_scope)?,
            rework_of: self.rework_of.clone(),
            rework_count: 0,
        };
        Ok(EventDraft::new(data))
    }
}

impl TaskCreate {
    /// What has to be done, with patterns that were checked.
    fn brief(&self, file_scope: Vec<String>) -> Result<Brief, WorkflowFault> {
        Ok(Brief {
            objective: text::check_body("objective", self.objective.as_deref())?,
            expected_files: text::check_text_list("expectedFiles", self.expected_files.as_deref())?,
            file_scope,
            acceptance: text::check_text_list("acceptance", self.acceptance.as_deref())?,
            constraints: text::check_text_list("constraints", self.constraints.as_deref())?,
            notes: text::check_body("notes", self.notes.as_deref())?,
        })
    }
}

impl EventData for TaskCreated {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let chain = state.chain(&self.chain)?;
        state.open_request(&chain.request)?;
        if chain.is_approved() {
            return Err(already_approved_fault("chain", &chain.id));
        }
        at_most("tasks in one chain", chain.tasks.len() + 1, TASKS_MAX)?;
        check_fresh_id("task", &self.task, chain.task(&self.task).is_ok())
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_chain(origin, &self.chain, |chain| {
            let number = ids::task_number(&self.task).unwrap_or(0);
            chain.task_counter = chain.task_counter.max(number);
            chain.tasks.push(ChainTask {
                id: self.task.clone(),
                title: self.title.clone(),
                kind: self.kind,
                status: self.status,
                brief: self.brief.clone(),
                rework_of: self.rework_of.clone(),
                rework_count: self.rework_count,
                author: origin.actor.clone(),
                created: origin.time,
                updated: origin.time,
                submitter: None,
                submitters: BTreeSet::new(),
                summary: None,
                reviews: Vec::new(),
                blocked: None,
            });
        });
    }
}

impl CommandTool for TaskCreate {
    const SPEC: Spec = Spec {
        syntax: &[("/fileScope", Syntax::Pattern)],
        ..CHANGES
    }
    .with_name(Self::ID, "Add a task to a chain");
    const STEP: ExampleStep = ExampleStep::new(2, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a task that is ready": r##"{"chainId": "CHAIN-001-parser", "title": "Read numbers", "objective": "Read what is a number.", "ready": true}"## => r##"{"id": "001-read-numbers", "status": "todo", "events": [{"number": 3, "type": "task.created", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "title": "Read numbers", "status": "todo", "brief": {"objective": "Read what is a number."}}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::TaskCreate;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for TaskCreate {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task todo",
                "pat",
                r#"$chain,"title":"Write numbers""#,
                "task.created",
            ),
            accepted(
                "task todo",
                "pat",
                r#"$chain,"title":"Write numbers","ready":true,"reworkOf":"001-read-numbers""#,
                "task.created",
            ),
            refused(
                "task todo",
                "pat",
                r#"$chain,"title":"Write numbers","reworkOf":"009-x""#,
                "no task has the id `009-x`",
            ),
            refused(
                "task done; rob/review chain:approve $chain",
                "pat",
                r#"$chain,"title":"Write numbers""#,
                "request changes with `chain:request_changes` first",
            ),
        ];
    }
}
