//! [`Workflows`]: the log of workflows in the state, and the files in the workspace that show it.

use std::sync::Arc;

use journal::State;
use journal::failpoints::fail_at;
use registry::WorkspaceId;
use tool_core::capability::{Decide, EventLog, Files, Memo, Show, WriteMode};
use tool_core::{Result, tool_error};

/// Largest file that shows an item, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// The log of the workflows of one workspace.
pub(crate) struct Workflows {
    state: Arc<State>,
    files: Option<Arc<dyn Files>>,
    workspace: Option<WorkspaceId>,
    memo: Memo,
}

impl Workflows {
    pub(crate) fn new(
        state: Arc<State>,
        files: Option<Arc<dyn Files>>,
        workspace: Option<WorkspaceId>,
    ) -> Self {
        Self {
            state,
            files,
            workspace,
            memo: Memo::default(),
        }
    }

    fn files(&self) -> Result<&dyn Files> {
        self.files.as_deref().ok_or_else(|| {
            tool_error!(PreconditionFailed, "workspace"; "no workspace is open, so no files show the workflows";
                "set `[workspace] roots` in the configuration")
        })
    }
}

impl EventLog for Workflows {
    fn after(&self, number: u64) -> Result<Vec<String>> {
        self.state
            .workflow_events(self.workspace.as_ref(), number, usize::MAX)
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
