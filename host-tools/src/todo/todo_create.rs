//! A new task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{
    Access, Caller, Capability, Category, Ctx, Determinism, Effect, ErrorCode, Example,
    ResourceKind, ResourceTemplate, Spec, Tool, ToolError,
};

use super::list::{Status, TASKS_MAX, Task, Tasks, short};

/// Adds a task to a list.
pub struct TodoCreate;

/// Add a task to the list of what is to be done. The first task of a list is the one at hand.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What is to be done, in a few words: 1 to 120 characters.
    pub subject: String,
    /// What is to be done, in full: 1 to 400 characters.
    pub description: String,
    /// What is being done while it is worked on, such as `Reading the files`: at most 120 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Name of the list: letters, digits, `-`, `_`, `.`.
    #[serde(default = "default_list")]
    pub list: String,
}

fn default_list() -> String {
    "default".to_owned()
}

/// The result: the task.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The task.
    pub task: Task,
}

impl Tool for TodoCreate {
    const SPEC: Spec = Spec {
        id: "todo_create",
        title: "Add a task",
        category: Category::Workflow,
        tags: &["todo", "task"],
        effects: &[Effect::SystemState],
        capabilities: &[Capability::State],
        idempotent: false,
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
        let subject = short(&args.subject, 120, "/subject")?;
        let description = short(&args.description, 400, "/description")?;
        let active_form = args
            .active_form
            .as_deref()
            .map(|text| short(text, 120, "/active_form"))
            .transpose()?;
        let task = Tasks::change(ctx, &args.list, &mut |list| {
            if list.tasks.len() == TASKS_MAX {
                return Err(ToolError::new(
                    ErrorCode::LimitExceeded,
                    format_args!("the list `{}` has {TASKS_MAX} tasks", args.list),
                )
                .reason("tasks")
                .at("/list")
                .hint("begin another `list`"));
            }
            let task = Task {
                id: format!("T{}", list.tasks.len() + 1),
                subject: subject.clone(),
                description: description.clone(),
                active_form: active_form.clone(),
                status: Status::Pending,
                completed_at: None,
                current: list.tasks.is_empty(),
            };
            list.tasks.push(task.clone());
            Ok(task)
        })?;
        Ok(Output { task })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "the first task",
            args: Args {
                subject: "Read the tables".to_owned(),
                description: "All three, and check their units".to_owned(),
                active_form: None,
                list: default_list(),
            },
            output: Output {
                task: Task {
                    id: "T1".to_owned(),
                    subject: "Read the tables".to_owned(),
                    description: "All three, and check their units".to_owned(),
                    active_form: None,
                    status: Status::Pending,
                    completed_at: None,
                    current: true,
                },
            },
        }]
    }
}
