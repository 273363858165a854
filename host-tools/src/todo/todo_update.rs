//! Where a task stands now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{
    Access, Caller, Capability, Category, Ctx, Determinism, Effect, Example, ResourceKind,
    ResourceTemplate, Spec, Tool, ToolError,
};

use super::list::{Status, Task, Tasks};

/// Changes where a task stands.
pub struct TodoUpdate;

/// Say where a task of the list stands. One that is in progress is the one at hand; one that is completed or deleted is not.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id of the task, such as `T1`.
    pub task_id: String,
    /// Where it stands now.
    pub status: Status,
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
    /// The task as it is now.
    pub task: Task,
}

impl Tool for TodoUpdate {
    const SPEC: Spec = Spec {
        id: "todo_update",
        title: "Change a task",
        category: Category::Workflow,
        tags: &["todo", "task"],
        effects: &[Effect::SystemState],
        capabilities: &[Capability::State, Capability::Clock],
        idempotent: true,
        determinism: Determinism::External,
        callers: &[Caller::Direct, Caller::Chain],
        resources: &[ResourceTemplate {
            kind: ResourceKind::Name,
            pointer: "/list",
            access: Access::Write,
        }],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let now_s = ctx.clock()?.unix_ms() as f64 / 1000.0;
        let task = Tasks::change(ctx, &args.list, &mut |list| {
            let index = find(list, &args)?;
            let task = &mut list.tasks[index];
            if task.status != args.status {
                task.completed_at = (args.status == Status::Completed).then_some(now_s);
            }
            task.status = args.status;
            let was_current = task.current;
            match args.status {
                Status::InProgress => list.set_current(Some(&args.task_id)),
                Status::Completed | Status::Deleted if was_current => list.set_current(None),
                _ => {}
            }
            Ok(list.tasks[index].clone())
        })?;
        Ok(Output { task })
    }

    /// Run after `todo_create` made the task `T1`, when the clock stands at second 1,700,000,000.
    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "a task is done",
            args: Args {
                task_id: "T1".to_owned(),
                status: Status::Completed,
                list: default_list(),
            },
            output: Output {
                task: Task {
                    id: "T1".to_owned(),
                    subject: "Read the tables".to_owned(),
                    description: "All three, and check their units".to_owned(),
                    active_form: None,
                    status: Status::Completed,
                    completed_at: Some(1_700_000_000.0),
                    current: false,
                },
            },
        }]
    }
}

fn find(list: &Tasks, args: &Args) -> Result<usize, ToolError> {
    let there = |task: &Task| task.id == args.task_id && task.status != Status::Deleted;
    list.tasks.iter().position(there).ok_or_else(|| {
        let ids: Vec<&str> = list
            .tasks
            .iter()
            .filter(|task| task.status != Status::Deleted)
            .map(|task| task.id.as_str())
            .take(20)
            .collect();
        ToolError::invalid(
            "/task_id",
            format_args!(
                "the list `{}` has no task `{}`",
                args.list,
                args.task_id.chars().take(40).collect::<String>()
            ),
        )
        .reason("no_task")
        .hint(if ids.is_empty() {
            "it has none; `todo_create` adds one".to_owned()
        } else {
            format!("it has {}", ids.join(", "))
        })
    })
}
