//! Attacks on the workspace and the promises of reading, writing and listing.

mod changes;
mod closed;
mod escapes;
mod identity;
mod listing;
mod roots;
mod writing;

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tool_core::capability::{WorkspaceFiles, WriteMode};
use tool_core::{StopFlag, ToolError};

use super::Workspace;

/// A workspace `ws` and, beside it, a folder `ws-evil` and a file `secret` that must never be reached.
struct Place {
    top: TempDir,
    workspace: Workspace,
}

impl Place {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        for folder in ["ws", "ws/d", "ws/d/e", "ws-evil"] {
            fs::create_dir(top.path().join(folder)).unwrap();
        }
        for file in ["secret", "ws-evil/secret", "ws-evil/only_outside"] {
            put(&top.path().join(file), b"SECRET");
        }
        put(&top.path().join("ws/d/f.txt"), b"inside");
        let workspace = Workspace::open(top.path().join("ws")).unwrap();
        Self { top, workspace }
    }

    fn real(&self, path: &str) -> PathBuf {
        self.top.path().join("ws").join(path)
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.real(name)).unwrap();
    }

    fn read(&self, path: &str) -> Result<String, ToolError> {
        let content = self.workspace.read(path, 1 << 20)?;
        Ok(String::from_utf8(content.bytes).unwrap())
    }

    fn write(&self, path: &str, content: &str, mode: WriteMode) -> Result<u64, ToolError> {
        self.workspace
            .write(path, content.as_bytes(), mode)
            .map(|info| info.size)
    }

    fn list(&self, path: &str, recursive: bool) -> Result<Vec<String>, ToolError> {
        let stop = StopFlag::new();
        let (entries, _) = self.workspace.list(path, recursive, 1000, &stop)?;
        Ok(entries.into_iter().map(|entry| entry.path).collect())
    }

    fn content(&self, path: &str) -> String {
        content(&self.real(path))
    }

    /// What lies outside is as it was, and nothing came to it.
    fn assert_outside_untouched(&self) {
        assert_eq!(content(&self.top.path().join("secret")), "SECRET");
        assert_eq!(content(&self.top.path().join("ws-evil/secret")), "SECRET");
        assert_eq!(
            fs::read_dir(self.top.path().join("ws-evil"))
                .unwrap()
                .count(),
            2
        );
        assert_eq!(fs::read_dir(self.top.path()).unwrap().count(), 3);
    }
}

fn put(path: &Path, content: &[u8]) {
    fs::File::create(path).unwrap().write_all(content).unwrap();
}

fn content(path: &Path) -> String {
    std::io::read_to_string(fs::File::open(path).unwrap()).unwrap()
}

#[track_caller]
fn assert_reason<T: std::fmt::Debug>(result: Result<T, ToolError>, reason: &str) {
    let err = result.unwrap_err();
    assert_eq!(err.reason_str(), Some(reason), "{err:?}");
    assert!(
        err.hint_str().is_some() || reason == "path" || reason == "not_a_folder",
        "{err:?}"
    );
}
