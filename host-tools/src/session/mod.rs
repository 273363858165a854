//! The workspace of a session: the tools that open and close it, and the restriction to the open folder.
//!
//! [`OpenFolder`] restricts paths within a workspace and is not a security border: the workspace itself resolves every path beneath
//! its root.

mod folder;

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

/// The workspace of the session.
#[derive(Debug, Encode, Decode, Describe)]
pub(crate) struct Output {
    /// Id of this opening of the workspace in the session.
    pub id: String,
    /// The folder, relative to the configured workspace root.
    pub path: String,
    /// Status of the workspace.
    pub status: WorkspaceSessionStatus,
}

/// Status of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum WorkspaceSessionStatus {
    /// Open.
    Ready,
    /// Closed.
    Closed,
}

impl Output {
    fn new(workspace: OpenWorkspace, status: WorkspaceSessionStatus) -> Self {
        Self {
            id: workspace.id,
            path: workspace.path,
            status,
        }
    }
}

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<WorkspaceOpen>(),
    tool_entry::<WorkspaceClose>(),
];

/// Open the workspace of the session: file and program tools become available from the next turn on. Paths remain relative to the
/// workspace root; only the opened folder is accessible.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct WorkspaceOpen {
    /// The folder, relative to the workspace root; `.` is the whole workspace.
    #[value(default = "default_root")]
    pub path: String,
}

impl Tool for WorkspaceOpen {
    const SPEC: Spec = Spec {
        id: "workspace_open",
        title: "Open the workspace of the session",
        resources: &[resource_template(ResourceKind::Path, "/path", Access::Read)],
        syntax: &[("/path", Syntax::Path)],
        ..CHANGING
    };
    type Output = Output;

    fn run(args: WorkspaceOpen, ctx: &Ctx) -> Result<Output> {
        let opened = ctx.workspaces()?.open(&args.path).at("/path")?;
        Ok(Output::new(opened, WorkspaceSessionStatus::Ready))
    }

    /// In a new session whose workspace has the folder `src`.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the whole workspace": "{}" => r#"{"id": "w1", "path": ".", "status": "ready"}"#;
        "one folder": r#"{"path": "src"}"# => r#"{"id": "w1", "path": "src", "status": "ready"}"#;
    };
}

/// Close the workspace of the session. File and program tools are unavailable until it is opened again.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct WorkspaceClose {}

impl Tool for WorkspaceClose {
    const SPEC: Spec = CHANGING.with_name("workspace_close", "Close the workspace of the session");
    type Output = Output;

    fn run(_: WorkspaceClose, ctx: &Ctx) -> Result<Output> {
        Ok(Output::new(
            ctx.workspaces()?.close()?,
            WorkspaceSessionStatus::Closed,
        ))
    }

    /// In a session with its first workspace open.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "closing the open workspace": "{}" => r#"{"id": "w1", "path": ".", "status": "closed"}"#;
    };
}
