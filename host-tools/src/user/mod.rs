//! What is known of a user: facts that tools conclude, and later read again. A fact is data; one that reads like an instruction to a
//! model is refused.

mod facts;
mod injection;
#[cfg(test)]
mod tests;
pub mod user_conclude;
pub mod user_context;
pub mod user_profile;
pub mod user_search;

use tool_core::{Entry, entry};

pub use facts::Fact;

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
    entry::<user_profile::UserProfile>(),
    entry::<user_search::UserSearch>(),
    entry::<user_context::UserContext>(),
    entry::<user_conclude::UserConclude>(),
];
