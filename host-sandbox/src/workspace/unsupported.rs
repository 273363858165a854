//! Systems without `openat2`: a workspace cannot be opened.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use tool_core::capability::{FileContent, FileInfo, Files, WriteMode};
use tool_core::{ErrorCode, ResourceId, StopFlag, ToolError};

/// The files beneath one folder; on this system there is no value of this type.
#[derive(Debug)]
pub struct Workspace(Infallible);

impl Workspace {
    /// Refuses: this system cannot hold a path beneath a folder.
    ///
    /// # Errors
    /// Always `precondition_failed`.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, ToolError> {
        Self::with_protected(root, super::PROTECTED)
    }

    /// As [`Workspace::open`].
    ///
    /// # Errors
    /// As [`Workspace::open`].
    pub fn with_protected(root: impl AsRef<Path>, _: &[&str]) -> Result<Self, ToolError> {
        Err(ToolError::new(
            ErrorCode::PreconditionFailed,
            format_args!(
                "the workspace `{}` cannot be opened: this system has no `openat2`",
                root.as_ref().display()
            ),
        )
        .reason("openat2")
        .hint("file tools need Linux 5.6 or newer; pure tools work everywhere"))
    }

    /// As [`Workspace::open`].
    #[must_use]
    pub fn close(self, _: &[&str]) -> Self {
        self
    }
}

impl Files for Workspace {
    fn read(&self, _: &str, _: u64) -> Result<FileContent, ToolError> {
        match self.0 {}
    }

    fn write(&self, _: &str, _: &[u8], _: WriteMode) -> Result<FileInfo, ToolError> {
        match self.0 {}
    }

    fn list(
        &self,
        _: &str,
        _: bool,
        _: usize,
        _: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError> {
        match self.0 {}
    }

    fn make_folder(&self, _: &str) -> Result<(), ToolError> {
        match self.0 {}
    }

    fn identity(&self, _: &str) -> Result<ResourceId, ToolError> {
        match self.0 {}
    }
}

/// Nothing is left where nothing was written.
pub fn leftovers(_: &Path, _: usize) -> (Vec<PathBuf>, bool) {
    (Vec::new(), true)
}
