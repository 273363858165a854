//! A new task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::convert::{from_value, to_value};
use tool_core::{
    Access, Caller, Capability, Category, Ctx, Determinism, Effect, ErrorCode, Example, Probe,
    ResourceKind, ResourceTemplate, Spec, Tool, ToolError, Value,
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
        let new = new_task(&args)?;
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
            let task = numbered(&new, list.tasks.len() + 1);
            if let Some(key) = ctx.idempotency_key() {
                list.made.insert(key.to_owned(), task.id.clone());
            }
            list.tasks.push(task.clone());
            Ok(task)
        })?;
        Ok(Output { task })
    }

    fn before(_: &Args, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        let key = ctx.idempotency_key().map(str::to_owned);
        key.map(|key| to_value(&Before { key })).transpose()
    }

    fn probe(args: &Args, before: &Value, ctx: &Ctx) -> Result<Probe, ToolError> {
        let Ok(Before { key }) = from_value(before) else {
            return Ok(Probe::Unknown);
        };
        let list = Tasks::read(ctx, &args.list)?;
        let Some(id) = list.made.get(&key) else {
            return Ok(Probe::NotHappened);
        };
        // The task may have been worked on since; the call gave it as it was made.
        let Some(place) = list.tasks.iter().position(|task| task.id == *id) else {
            return Ok(Probe::Unknown);
        };
        let task = numbered(&new_task(args)?, place + 1);
        Ok(Probe::Happened(to_value(&Output { task })?))
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

/// What tells a task that this call made from others.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Before {
    /// The key that all attempts of the call have.
    key: String,
}

/// The task that the arguments ask for, without a number.
fn new_task(args: &Args) -> Result<Task, ToolError> {
    let active_form = args.active_form.as_deref();
    Ok(Task {
        id: String::new(),
        subject: short(&args.subject, 120, "/subject")?,
        description: short(&args.description, 400, "/description")?,
        active_form: active_form
            .map(|text| short(text, 120, "/active_form"))
            .transpose()?,
        status: Status::Pending,
        completed_at: None,
        current: false,
    })
}

/// The task as the one of this number; the first of a list is the one at hand.
fn numbered(task: &Task, number: usize) -> Task {
    Task {
        id: format!("T{number}"),
        current: number == 1,
        ..task.clone()
    }
}
