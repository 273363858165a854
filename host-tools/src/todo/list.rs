//! The list as it is kept: what a task is, and how a list is read and changed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::convert::{from_value, to_value};
use tool_core::{Ctx, ErrorCode, ToolError};

/// Most tasks of one list, deleted ones included.
pub(super) const TASKS_MAX: usize = 1000;

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
    /// Taken away.
    Deleted,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its id in the list: `T1`, `T2`, ...
    pub id: String,
    /// What is to be done, in a few words.
    pub subject: String,
    /// What is to be done, in full.
    pub description: String,
    /// What is being done while it is worked on, such as `Reading the files`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Where it stands.
    pub status: Status,
    /// When it was completed, in seconds since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<f64>,
    /// Whether it is the task at hand; at most one of a list is.
    pub current: bool,
}

/// The tasks of one list, in the order they were made.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tasks {
    pub(super) tasks: Vec<Task>,
    /// Which task a call made, by the key that all attempts of that call have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) made: BTreeMap<String, String>,
}

impl Tasks {
    pub(super) fn read(ctx: &Ctx, list: &str) -> Result<Self, ToolError> {
        match ctx.state()?.get(&key(list)?)? {
            None => Ok(Self::default()),
            Some(value) => from_value(&value).map_err(|problem| damaged(list, &problem.message)),
        }
    }

    /// Changes a list, and gives what `change` gives.
    pub(super) fn change(
        ctx: &Ctx,
        list: &str,
        change: &mut dyn FnMut(&mut Self) -> Result<Task, ToolError>,
    ) -> Result<Task, ToolError> {
        let mut changed = None;
        ctx.state()?.update(&key(list)?, &mut |before| {
            let mut tasks = match before {
                None => Self::default(),
                Some(value) => {
                    from_value(&value).map_err(|problem| damaged(list, &problem.message))?
                }
            };
            changed = Some(change(&mut tasks)?);
            to_value(&tasks)
        })?;
        changed.ok_or_else(|| ToolError::new(ErrorCode::Internal, "the list was not changed"))
    }

    /// Makes one task the one at hand, or none.
    pub(super) fn set_current(&mut self, id: Option<&str>) {
        for task in &mut self.tasks {
            task.current = Some(task.id.as_str()) == id;
        }
    }
}

fn damaged(list: &str, why: &str) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("the list `{list}` cannot be read: {why}"),
    )
    .reason("state_corrupt")
    .hint("use another `list`")
}

fn key(list: &str) -> Result<String, ToolError> {
    plain(list, "/list").map(|list| format!("todo/{list}"))
}

/// A name of letters, digits, `-`, `_` and `.`.
pub(crate) fn plain<'a>(name: &'a str, pointer: &str) -> Result<&'a str, ToolError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if (1..=64).contains(&name.len()) && name.bytes().all(fits) {
        return Ok(name);
    }
    Err(ToolError::invalid(
        pointer,
        format_args!(
            "expected 1 to 64 letters, digits, `-`, `_` or `.`, found `{}`",
            name.chars().take(80).collect::<String>().escape_debug()
        ),
    )
    .reason("name"))
}

/// A text of a limited length.
pub(crate) fn short(text: &str, characters_max: usize, pointer: &str) -> Result<String, ToolError> {
    let text = text.trim();
    let count = text.chars().count();
    if (1..=characters_max).contains(&count) {
        return Ok(text.to_owned());
    }
    Err(ToolError::invalid(
        pointer,
        format_args!("expected 1 to {characters_max} characters, found {count}"),
    )
    .reason("length"))
}
