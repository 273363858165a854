//! The workspace on systems without `openat2`: opening one is refused.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use tool_core::capability::{FileContent, FileInfo, WorkspaceFiles, WriteMode};
use tool_core::{ResourceId, Result, StopFlag, tool_error};

/// Access to the files beneath one folder; this type has no values on this system.
#[derive(Debug)]
pub struct Workspace(Infallible);

impl Workspace {
    /// Refuses: this system cannot confine a path to a folder.
    ///
    /// # Errors
    /// Always `precondition_failed`.
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        Self::with_protected(root, super::PROTECTED)
    }

    /// As [`Workspace::open`].
    ///
    /// # Errors
    /// As [`Workspace::open`].
    pub fn with_protected(root: impl AsRef<Path>, _: &[&str]) -> Result<Self> {
        Err(tool_error!(PreconditionFailed, "openat2";
            "cannot open the workspace `{}`: this system lacks `openat2`", root.as_ref().display();
            "file tools need Linux 5.6 or newer; pure tools work everywhere"))
    }

    /// As [`Workspace::open`].
    #[must_use]
    pub fn close(self, _: &[&str]) -> Self {
        self
    }
}

macro_rules! unreachable_methods {
    ($(fn $name:ident($($type:ty),*) -> $output:ty;)+) => {$(
        fn $name(&self, $(_: $type),*) -> Result<$output> {
            match self.0 {}
        }
    )+};
}

impl WorkspaceFiles for Workspace {
    unreachable_methods! {
        fn read(&str, u64) -> FileContent;
        fn write(&str, &[u8], WriteMode) -> FileInfo;
        fn list(&str, bool, usize, &StopFlag) -> (Vec<FileInfo>, bool);
        fn make_folder(&str) -> ();
        fn identity(&str) -> ResourceId;
    }
}

/// Refuses, as [`Workspace::open`] does.
///
/// # Errors
/// As [`Workspace::open`].
pub fn open_workspace(
    folders: &[super::WorkspaceRoot],
    _: &[PathBuf],
    _: &[PathBuf],
) -> Result<std::sync::Arc<dyn WorkspaceFiles>> {
    let root = folders.first().map_or(Path::new("."), |root| &root.path);
    Ok(std::sync::Arc::new(Workspace::open(root)?))
}

/// Empty: nothing is written on this system.
pub fn find_leftovers(_: &Path, _: usize) -> (Vec<PathBuf>, bool) {
    (Vec::new(), true)
}
