//! Repositories of git, read and changed by the program `git` in the sandbox.
//!
//! Nothing of a repository runs: no hook, filter, driver, monitor or helper that its configuration names ([`settings`]). Read
//! [`repository`] first: which repositories are opened, and how git is started.

use crate::prelude::*;

mod branch;
mod changes;
mod commit;
mod diff;
mod failure;
mod in_the_way;
mod log;
mod message;
mod names;
mod paths;
mod place;
mod porcelain;
mod push;
mod remote;
mod repository;
mod settings;
mod status;
mod user;

#[cfg(test)]
mod tests;

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<status::Args>(),
    tool_entry::<diff::Args>(),
    tool_entry::<log::Args>(),
    tool_entry::<commit::Args>(),
    tool_entry::<branch::Args>(),
    tool_entry::<push::Args>(),
];

/// The declaration of a tool that reads the repository at `repo_path`.
const READING: Spec = Spec {
    category: Category::Code,
    permissions: &[Permission::Filesystem],
    capabilities: &[Capability::FilesRead, Capability::Spawn],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    resources: &[resource_template(
        ResourceKind::Path,
        "/repo_path",
        Access::Read,
    )],
    preconditions: &["workspace=ready"],
    syntax: &[("/repo_path", Syntax::Tree)],
    ..Spec::pure()
};

/// The declaration of a tool that changes the repository at `repo_path`.
const WRITING: Spec = Spec {
    effects: &[Effect::ModifiesFiles],
    resources: &[resource_template(
        ResourceKind::Path,
        "/repo_path",
        Access::Write,
    )],
    idempotent: false,
    ..READING
};
