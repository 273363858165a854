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
    entry::<todo_create::Args>(),
    entry::<todo_update::Args>(),
    entry::<todo_list::Args>(),
];
