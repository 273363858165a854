//! The tasks of a list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{
    Access, Caller, Capability, Category, Ctx, Determinism, Example, ResourceKind,
    ResourceTemplate, Spec, Tool, ToolError,
};

use super::list::{Status, Task, Tasks};

/// Shows a list of tasks.
pub struct TodoList;

/// Show the tasks of the list in the order they were added, without deleted ones.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Name of the list.
    #[serde(default = "default_list")]
    pub list: String,
}

fn default_list() -> String {
    "default".to_owned()
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Number of tasks that are not completed.
    pub open: usize,
}

impl Tool for TodoList {
    const SPEC: Spec = Spec {
        id: "todo_list",
        title: "List tasks",
        category: Category::Workflow,
        tags: &["todo", "task"],
        capabilities: &[Capability::State],
        determinism: Determinism::External,
        callers: &[Caller::Direct, Caller::Chain],
        resources: &[ResourceTemplate {
            kind: ResourceKind::Name,
            pointer: "/list",
            access: Access::Read,
        }],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut tasks = Tasks::read(ctx, &args.list)?.tasks;
        tasks.retain(|task| task.status != Status::Deleted);
        let done = |task: &&Task| task.status == Status::Completed;
        Ok(Output {
            open: tasks.len() - tasks.iter().filter(done).count(),
            tasks,
        })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "a list nobody added to",
            args: Args {
                list: "empty".to_owned(),
            },
            output: Output {
                tasks: Vec::new(),
                open: 0,
            },
        }]
    }
}
