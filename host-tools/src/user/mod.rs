//! Facts about users: tools conclude them and read them later. Facts are data; one that reads like an instruction to a model is
//! refused.

mod facts;
mod injection;
#[cfg(test)]
mod tests;
mod user_conclude;
mod user_context;
mod user_profile;
mod user_search;

use crate::prelude::*;

/// The declaration of a tool that reads the facts about `user_id`.
const READING: Spec = Spec {
    category: Category::Workflow,
    tags: &["user", "memory"],
    capabilities: &[Capability::State],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    resources: &[resource(ResourceKind::Name, "/user_id", Access::Read)],
    ..Spec::pure()
};

/// The user of a call that names none.
fn default_user() -> String {
    "default".to_owned()
}

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<user_profile::Args>(),
    entry::<user_search::Args>(),
    entry::<user_context::Args>(),
    entry::<user_conclude::Args>(),
];
