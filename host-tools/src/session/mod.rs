//! The workspace of a session: the tools that open and close it, and files and programs confined to the folder that is open.
//!
//! [`OpenFolder`] narrows a workspace by its paths; it is no second border. What lies outside the workspace stays unreachable
//! because the workspace itself resolves every path beneath its root.

mod folder;
mod workspace_close;
mod workspace_open;

#[cfg(test)]
mod tests;

use tool_core::capability::OpenWorkspace;

use crate::prelude::*;

pub use folder::{FolderSpawner, OpenFolder};

/// What both declare. They change a fact of the session and nothing outside it, so they have no effect; nothing else runs
/// while they do.
const CHANGING: Spec = Spec {
    category: Category::System,
    tags: &["workspace", "session"],
    permissions: &[Permission::Filesystem],
    capabilities: &[Capability::Workspaces],
    idempotent: false,
    determinism: Determinism::External,
    callers: &[Caller::Direct],
    exclusive: true,
    preconditions: &["session=open"],
    ..Spec::pure()
};

/// The argument that names the folder.
const FOLDER: &[ResourceTemplate] = &[resource(ResourceKind::Path, "/path", Access::Read)];
const FOLDER_SYNTAX: &[(&str, Syntax)] = &[("/path", Syntax::Path)];

/// The workspace of the session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Output {
    /// Names this opening of the workspace in the session.
    pub id: String,
    /// The folder, relative to the configured workspace root.
    pub path: String,
    /// How the workspace stands now.
    pub status: Status,
}

/// How the workspace stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// Open.
    Ready,
    /// Closed.
    Closed,
}

impl Output {
    fn new(workspace: OpenWorkspace, status: Status) -> Self {
        Self {
            id: workspace.id,
            path: workspace.path,
            status,
        }
    }
}

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<workspace_open::WorkspaceOpen>(),
    entry::<workspace_close::WorkspaceClose>(),
];
