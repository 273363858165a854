//! The workspace of a session: the tools that open and close it, and the restriction to the open folder.
//!
//! [`OpenFolder`] restricts paths within a workspace and is not a security border: the workspace itself resolves every path beneath
//! its root.

mod folder;
mod workspace_close;
mod workspace_open;

#[cfg(test)]
mod tests;

use tool_core::capability::OpenWorkspace;

use crate::prelude::*;

pub use folder::{FolderSpawner, OpenFolder};

/// The declaration of both tools. They change only the state of the session, so they have no effect; no other call runs
/// at the same time.
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

/// The resource of the folder argument.
const FOLDER: &[ResourceTemplate] = &[resource(ResourceKind::Path, "/path", Access::Read)];
const FOLDER_SYNTAX: &[(&str, Syntax)] = &[("/path", Syntax::Path)];

/// The workspace of the session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Output {
    /// Id of this opening of the workspace in the session.
    pub id: String,
    /// The folder, relative to the configured workspace root.
    pub path: String,
    /// Status of the workspace.
    pub status: Status,
}

/// Status of a workspace.
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
    entry::<workspace_open::Args>(),
    entry::<workspace_close::Args>(),
];
