//! Files in the workspace: reading, writing, changing, finding, searching.

pub mod apply_patch;
pub mod create_directory;
pub mod delete_file;
pub mod disk_usage;
pub mod edit_file;
mod encoding;
pub(crate) mod evidence;
pub mod exists;
pub mod glob;
pub mod grep;
pub mod list_directory;
mod patch;
mod pattern;
pub mod read_file;
pub(crate) mod scan;
pub mod stat;
mod text;
pub(crate) mod walk;
pub mod write_file;

#[cfg(test)]
mod tests;

use tool_core::{
    Access, Caller, Capability, Category, Determinism, Effect, Entry, Permission, ResourceKind,
    ResourceTemplate, Spec, Syntax, entry,
};

pub use encoding::Encoding;

/// What a tool declares that reads the file at `path`.
pub(crate) const READING: Spec = Spec {
    category: Category::System,
    permissions: &[Permission::Filesystem],
    capabilities: &[Capability::FilesRead],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    resources: &[ResourceTemplate {
        kind: ResourceKind::Path,
        pointer: "/path",
        access: Access::Read,
    }],
    syntax: &[("/path", Syntax::Path)],
    ..Spec::pure()
};

/// What a tool declares that changes the file at `path`.
const WRITING: Spec = Spec {
    effects: &[Effect::ModifiesFiles],
    capabilities: &[Capability::FilesWrite],
    resources: &[ResourceTemplate {
        kind: ResourceKind::Path,
        pointer: "/path",
        access: Access::Write,
    }],
    ..READING
};

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
    entry::<read_file::ReadFile>(),
    entry::<write_file::WriteFile>(),
    entry::<edit_file::EditFile>(),
    entry::<apply_patch::ApplyPatch>(),
    entry::<delete_file::DeleteFile>(),
    entry::<create_directory::CreateDirectory>(),
    entry::<list_directory::ListDirectory>(),
    entry::<glob::Glob>(),
    entry::<grep::Grep>(),
    entry::<stat::Stat>(),
    entry::<exists::Exists>(),
    entry::<disk_usage::DiskUsage>(),
];
