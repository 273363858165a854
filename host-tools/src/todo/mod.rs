//! A list of what is to be done in a piece of work. The tools of requests and chains of tasks (`task:create` ...) are others.

mod list;
#[cfg(test)]
mod tests;
pub mod todo_create;
pub mod todo_list;
pub mod todo_update;

use tool_core::{Entry, entry};

pub use list::{Status, Task};
pub(crate) use list::{plain, short};

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
    entry::<todo_create::TodoCreate>(),
    entry::<todo_update::TodoUpdate>(),
    entry::<todo_list::TodoList>(),
];
