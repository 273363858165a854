//! Tasks and lists of tasks, as they are stored.

use std::collections::BTreeMap;

use crate::argument;
use crate::prelude::*;

/// Maximum tasks of one list, deleted ones included.
pub(super) const TASKS_MAX: usize = 1000;

/// Status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TodoStatus {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Done.
    Completed,
    /// Removed from the list.
    Deleted,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct TodoTask {
    /// Id in the list: `T1`, `T2`, ...
    pub id: String,
    /// Summary in a few words.
    pub subject: String,
    /// Full description.
    pub description: String,
    /// Present-tense wording shown while the task is in progress, such as `Reading the files`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Current status.
    pub status: TodoStatus,
    /// Time of completion, in seconds since 1970-01-01 UTC.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub completed_at: Option<f64>,
    /// Whether this is the current task; a list has at most one.
    pub current: bool,
}

/// The tasks of one list, in the order they were added.
#[derive(Debug, Default, Encode, Decode)]
#[value(deny_unknown_fields)]
pub(super) struct TodoList {
    pub(super) tasks: Vec<TodoTask>,
    /// Ids of tasks by the idempotency key of the call that added them.
    #[value(default, skip_encoding_if = "BTreeMap::is_empty")]
    pub(super) made: BTreeMap<String, String>,
}

/// The key of a list in the state.
pub(super) fn task_list_key(list: &str) -> Result<String> {
    argument::check_name(list, "/list").map(|list| format!("todo/{list}"))
}

/// The list of a call that names none.
pub(super) fn default_list() -> String {
    "default".to_owned()
}

/// The declaration that the tools of this family share; those that write override it.
pub(super) const SPEC: Spec = Spec {
    category: Category::Workflow,
    tags: &["todo", "task"],
    capabilities: &[Capability::State, Capability::Clock],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    effects: &[Effect::SystemState],
    resources: &[resource_template(
        ResourceKind::Name,
        "/list",
        Access::Write,
    )],
    ..Spec::pure()
};
