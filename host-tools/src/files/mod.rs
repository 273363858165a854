//! Files in the workspace: reading, writing, changing, finding, searching.

pub mod apply_patch;
mod create_directory;
mod delete_file;
mod disk_usage;
mod edit_file;
mod encoding;
pub(crate) mod evidence;
pub(crate) mod glob;
mod grep;
mod ignore_line;
mod list_directory;
mod patch;
mod pattern;
mod read_file;
mod read_table;
pub(crate) mod scan;
mod stat;
mod text;
pub(crate) mod walk;
mod write_file;
mod write_table;

#[cfg(test)]
mod tests;

use crate::prelude::*;

pub(crate) use encoding::TextEncoding;

/// The declaration of a tool that reads the file at `path`.
pub(crate) const READING: Spec = Spec {
    category: Category::System,
    permissions: &[Permission::Filesystem],
    capabilities: &[Capability::FilesRead],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    resources: &[resource_template(ResourceKind::Path, "/path", Access::Read)],
    syntax: &[("/path", Syntax::Path)],
    ..Spec::pure()
};

/// The declaration of a tool that changes the file at `path`.
pub(crate) const WRITING: Spec = Spec {
    effects: &[Effect::ModifiesFiles],
    capabilities: &[Capability::FilesWrite],
    resources: &[resource_template(
        ResourceKind::Path,
        "/path",
        Access::Write,
    )],
    ..READING
};

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<read_file::Args>(),
    tool_entry::<write_file::Args>(),
    tool_entry::<edit_file::Args>(),
    tool_entry::<apply_patch::Args>(),
    tool_entry::<delete_file::Args>(),
    tool_entry::<create_directory::Args>(),
    tool_entry::<list_directory::Args>(),
    tool_entry::<glob::Args>(),
    tool_entry::<grep::Args>(),
    tool_entry::<stat::Stat>(),
    tool_entry::<stat::Exists>(),
    tool_entry::<disk_usage::Args>(),
    tool_entry::<read_table::Args>(),
    tool_entry::<write_table::Args>(),
];
