//! [`WorkflowLog`]: the log of workflows in the state, and the files in the workspace that show it.

use std::path::Path;
use std::sync::Arc;

use journal::StateStore;
use journal::failpoints::fail_at;
use registry::WorkspaceId;
use tool_core::capability::{Decide, EventLog, Memo, Show, WorkspaceFiles, WriteMode};
use tool_core::{Result, ToolError, tool_error};

/// Largest file that shows an item, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// The log of the workflows of one workspace.
pub struct WorkflowLog {
    state: Arc<StateStore>,
    files: Option<Arc<dyn WorkspaceFiles>>,
    workspace: Option<WorkspaceId>,
    /// The path of the workspace that the state was copied from.
    copy_of: Option<String>,
    memo: Memo,
}

/// Why nothing is done with a state that was copied.
pub fn copied_state_error(original: &str) -> ToolError {
    tool_error!(PreconditionFailed, "workspace_copied"; "this state is a copy, or a restored backup, of that of `{original}`";
        "`mathchain workspace adopt` makes it the state of this folder")
}

impl WorkflowLog {
    pub fn new(
        state: Arc<StateStore>,
        files: Option<Arc<dyn WorkspaceFiles>>,
        workspace: Option<WorkspaceId>,
        copy_of: Option<String>,
    ) -> Self {
        Self {
            state,
            files,
            workspace,
            copy_of,
            memo: Memo::default(),
        }
    }

    fn files(&self) -> Result<&dyn WorkspaceFiles> {
        self.files.as_deref().ok_or_else(|| {
            tool_error!(PreconditionFailed, "workspace"; "no workspace is open, so no files show the workflows";
                "set `[workspace] roots` in the configuration")
        })
    }
}

impl EventLog for WorkflowLog {
    fn after(&self, number: u64) -> Result<Vec<String>> {
        self.state
            .workflow_events(self.workspace.as_ref(), number, usize::MAX)
    }

    fn check_origin(&self) -> Result<()> {
        match &self.copy_of {
            None => Ok(()),
            Some(original) => Err(copied_state_error(original)),
        }
    }

    fn checkout(&self) -> Result<String> {
        let is_one_of_several = || {
            let root = self.workspace.as_ref().map(|of| Path::new(&*of.root));
            root.is_some_and(|root| has_items(root) || is_shared_checkout(root))
        };
        self.state
            .workflow_checkout(self.workspace.as_ref(), is_one_of_several)
    }

    fn append(&self, known: u64, decide: &mut Decide<'_>) -> Result<()> {
        self.state
            .append_workflow(self.workspace.as_ref(), known, decide)
    }

    fn show(&self, known: u64, show: &mut Show<'_>) -> Result<()> {
        self.state
            .show_workflow(self.workspace.as_ref(), known, show)
    }

    fn shown(&self) -> Result<u64> {
        self.state.workflow_shown(self.workspace.as_ref())
    }

    fn read(&self, path: &str) -> Result<Option<String>> {
        match self.files()?.read(path, FILE_BYTES_MAX) {
            Ok(content) if content.truncated => Err(tool_error!(LimitExceeded, "file_bytes";
                "`{path}` has more than {FILE_BYTES_MAX} bytes")),
            Ok(content) => match String::from_utf8(content.bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(tool_error!(InvalidRequest, "encoding"; "`{path}` is not UTF-8")),
            },
            Err(err) if err.reason_str() == Some("not_found") => Ok(None),
            Err(err) => Err(err),
        }
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        let files = self.files()?;
        if let Some((folder, _)) = path.rsplit_once('/') {
            files.make_folder(folder)?;
        }
        files.write(path, text.as_bytes(), WriteMode::Overwrite)?;
        fail_at("workflow.between_files");
        Ok(())
    }

    fn memo(&self) -> &Memo {
        &self.memo
    }
}

/// Whether a folder has files of items, which another checkout made where there is no log of them.
pub fn has_items(root: &Path) -> bool {
    let folders = ["requests", "chains", "tasks", "feedback"];
    folders.iter().any(|name| {
        let entries = root.join(workflow::item::FOLDER).join(name).read_dir();
        entries.is_ok_and(|mut entries| entries.next().is_some())
    })
}

/// Whether a folder is a checkout of a repository that others may have too: a linked worktree, or one with a remote.
fn is_shared_checkout(root: &Path) -> bool {
    /// Longest configuration of a repository that is looked at, in bytes.
    const BYTES_MAX: u64 = 1 << 20;
    let git = root.join(".git");
    if git.is_file() {
        return true;
    }
    let mut text = String::new();
    let read = std::fs::File::open(git.join("config")).and_then(|file| {
        std::io::Read::read_to_string(&mut std::io::Read::take(file, BYTES_MAX), &mut text)
    });
    read.is_ok()
        && text
            .lines()
            .any(|line| line.trim_start().starts_with("[remote "))
}
