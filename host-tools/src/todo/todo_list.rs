//! Listing tasks.

use super::tasks::{self, TodoList, TodoStatus, TodoTask};
use crate::prelude::*;
use crate::stored;

/// List the tasks of a to-do list in the order they were added, without deleted ones.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name of the list.
    #[value(default = "tasks::default_list")]
    pub list: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The tasks.
    pub tasks: Vec<TodoTask>,
    /// Number of tasks that are not completed.
    pub open: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "todo_list",
        title: "List tasks",
        effects: &[],
        capabilities: &[Capability::State],
        resources: &[resource_template(ResourceKind::Name, "/list", Access::Read)],
        ..tasks::SPEC
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let TodoList { mut tasks, .. } =
            stored::read_document(ctx, &tasks::task_list_key(&args.list)?)?;
        tasks.retain(|task| task.status != TodoStatus::Deleted);
        let done = |task: &&TodoTask| task.status == TodoStatus::Completed;
        Ok(Output {
            open: tasks.len() - tasks.iter().filter(done).count(),
            tasks,
        })
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "an empty list": r#"{"list": "empty"}"# => r#"{"tasks": [], "open": 0}"#;
    };
}
