//! Facts about users: tools conclude them and read them later. Facts are data; one that reads like an instruction to a model is
//! refused.

mod facts;
mod injection;
mod recall;
#[cfg(test)]
mod tests;
mod user_conclude;

use crate::prelude::*;

/// The declaration of a tool that reads the facts about `user_id`.
const READING: Spec = Spec {
    category: Category::Workflow,
    tags: &["user", "memory"],
    capabilities: &[Capability::State],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    resources: &[resource_template(
        ResourceKind::Name,
        "/user_id",
        Access::Read,
    )],
    ..Spec::pure()
};

/// The user of a call that names none.
fn default_user() -> String {
    "default".to_owned()
}

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<recall::UserProfile>(),
    tool_entry::<recall::UserSearch>(),
    tool_entry::<recall::UserContext>(),
    tool_entry::<user_conclude::Args>(),
];
