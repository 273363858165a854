//! Changing the status of a task.

use super::tasks::{self, TodoList, TodoStatus, TodoTask};
use crate::prelude::*;
use crate::stored;

/// Change the status of a task. A task that is in progress is the current one; one that is completed or deleted is not.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Id of the task, such as `T1`.
    pub task_id: String,
    /// The new status.
    pub status: TodoStatus,
    /// Name of the list.
    #[value(default = "tasks::default_list")]
    pub list: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The changed task.
    pub task: TodoTask,
}

impl Tool for Args {
    const SPEC: Spec = tasks::SPEC.with_name("todo_update", "Change a task");
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let now_s = ctx.clock()?.unix_ms() as f64 / 1000.0;
        let key = tasks::task_list_key(&args.list)?;
        let task = stored::update_document(ctx, &key, &mut |list: &mut TodoList| {
            let index = find_task(list, &args)?;
            if args.status == TodoStatus::InProgress {
                list.tasks.iter_mut().for_each(|task| task.current = false);
            }
            let task = &mut list.tasks[index];
            if task.status != args.status {
                task.completed_at = (args.status == TodoStatus::Completed).then_some(now_s);
            }
            task.status = args.status;
            match args.status {
                TodoStatus::InProgress => task.current = true,
                TodoStatus::Completed | TodoStatus::Deleted => task.current = false,
                TodoStatus::Pending => {}
            }
            Ok(task.clone())
        })?;
        Ok(Output { task })
    }

    /// Run after `todo_create` added the task `T1`, with the clock at second 1,700,000,000.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "completing a task": r#"{"task_id": "T1", "status": "completed"}"# => r#"{
            "task": {
                "id": "T1", "subject": "Read the tables", "description": "All three, and check their units",
                "status": "completed", "completed_at": 1700000000.0, "current": false
            }
        }"#;
    };
}

fn find_task(list: &TodoList, args: &Args) -> Result<usize> {
    let present = |task: &TodoTask| task.status != TodoStatus::Deleted;
    let wanted = |task: &TodoTask| task.id == args.task_id && present(task);
    list.tasks.iter().position(wanted).ok_or_else(|| {
        let present = list.tasks.iter().filter(|task| present(task)).take(20);
        let ids: Vec<&str> = present.map(|task| task.id.as_str()).collect();
        let id: String = args.task_id.chars().take(40).collect();
        tool_error!(InvalidArgs at "/task_id", "no_task";
            "the list `{}` has no task `{id}`", args.list)
        .hint(match ids.as_slice() {
            [] => "the list is empty; `todo_create` adds a task".to_owned(),
            ids => format!("it has {}", ids.join(", ")),
        })
    })
}
