//! A to-do list for a piece of work.

mod tasks;
#[cfg(test)]
mod tests;
mod todo_create;
mod todo_list;
mod todo_update;

use crate::prelude::*;

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<todo_create::Args>(),
    tool_entry::<todo_update::Args>(),
    tool_entry::<todo_list::Args>(),
];
