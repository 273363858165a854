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

use tool_core::{
    Access, Caller, Capability, Category, Determinism, Entry, ResourceKind, ResourceTemplate, Spec,
    entry,
};

pub use facts::Fact;

/// What a tool declares that reads the facts of `user_id`.
const READING: Spec = Spec {
    category: Category::Workflow,
    tags: &["user", "memory"],
    capabilities: &[Capability::State],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    resources: &[ResourceTemplate {
        kind: ResourceKind::Name,
        pointer: "/user_id",
        access: Access::Read,
    }],
    ..Spec::pure()
};

/// The user of a call that names none.
fn default_user() -> String {
    "default".to_owned()
}

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
    entry::<user_profile::UserProfile>(),
    entry::<user_search::UserSearch>(),
    entry::<user_context::UserContext>(),
    entry::<user_conclude::UserConclude>(),
];
