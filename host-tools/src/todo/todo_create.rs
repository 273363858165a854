//! Adding a task.

use super::tasks::{self, TASKS_MAX, TodoList, TodoStatus, TodoTask};
use crate::prelude::*;
use crate::{argument, stored};

/// Add a task to a to-do list. The first task of a list is the current one.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Summary in a few words: 1 to 120 characters.
    pub subject: String,
    /// Full description: 1 to 400 characters.
    pub description: String,
    /// Present-tense wording shown while the task is in progress, such as `Reading the files`: at most 120 characters.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Name of the list: letters, digits, `-`, `_`, `.`.
    #[value(default = "tasks::default_list")]
    pub list: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The new task.
    pub task: TodoTask,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "todo_create",
        title: "Add a task",
        capabilities: &[Capability::State],
        idempotent: false,
        ..tasks::SPEC
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let new = new_task(&args)?;
        let task = stored::update_document(
            ctx,
            &tasks::task_list_key(&args.list)?,
            &mut |list: &mut TodoList| {
                if list.tasks.len() == TASKS_MAX {
                    return Err(tool_error!(LimitExceeded at "/list", "tasks";
                    "the list `{}` has {TASKS_MAX} tasks", args.list; "start another `list`"));
                }
                let task = number_task(&new, list.tasks.len() + 1);
                if let Some(key) = ctx.idempotency_key() {
                    list.made.insert(key.to_owned(), task.id.clone());
                }
                list.tasks.push(task.clone());
                Ok(task)
            },
        )?;
        Ok(Output { task })
    }

    /// The idempotency key, which all attempts of the call share.
    fn before(_: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let key = ctx.idempotency_key();
        Ok(key.map(|key| Value::object([("key", key)])))
    }

    fn probe(args: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        let Some(key) = before.get("key").and_then(Value::as_str) else {
            return Ok(CallProbe::Unknown);
        };
        let list: TodoList = stored::read_document(ctx, &tasks::task_list_key(&args.list)?)?;
        let Some(id) = list.made.get(key) else {
            return Ok(CallProbe::NotHappened);
        };
        // The task may have changed since; the call returned it as it was added.
        let Some(place) = list.tasks.iter().position(|task| task.id == *id) else {
            return Ok(CallProbe::Unknown);
        };
        let task = number_task(&new_task(args)?, place + 1);
        Ok(CallProbe::Happened(to_value(&Output { task })?))
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "the first task":
            r#"{"subject": "Read the tables", "description": "All three, and check their units"}"#
            => r#"{
                "task": {
                    "id": "T1", "subject": "Read the tables", "description": "All three, and check their units",
                    "status": "pending", "current": true
                }
            }"#;
    };
}

/// The requested task, without a number.
fn new_task(args: &Args) -> Result<TodoTask> {
    let active_form = args.active_form.as_deref();
    let active_form = active_form.map(|text| argument::trim_text(text, 120, "/active_form"));
    Ok(TodoTask {
        id: String::new(),
        subject: argument::trim_text(&args.subject, 120, "/subject")?,
        description: argument::trim_text(&args.description, 400, "/description")?,
        active_form: active_form.transpose()?,
        status: TodoStatus::Pending,
        completed_at: None,
        current: false,
    })
}

/// The task with its number; the first of a list is the current one.
fn number_task(task: &TodoTask, number: usize) -> TodoTask {
    TodoTask {
        id: format!("T{number}"),
        current: number == 1,
        ..task.clone()
    }
}
