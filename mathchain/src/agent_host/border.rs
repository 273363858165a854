//! What an agent leaves in the workspace that only people write: configuration, repositories, plugins, programs of the configuration.
//!
//! What is there is mounted read-only before an agent starts. A name that does not exist yet cannot be, so that the workspace is looked
//! through when the agent has ended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agents::MovedFile;
use host_sandbox::workspace::protected_below;

/// Where such files are, and where they are put.
#[derive(Debug, Clone)]
pub(super) struct WorkspaceBorder {
    /// Paths that no tool writes, beside those that are known by their names.
    pub(super) protected: Vec<PathBuf>,
    /// Folder for what agents left: it is below the state.
    pub(super) aside: PathBuf,
}

impl WorkspaceBorder {
    /// What of the workspace is protected now.
    pub(super) fn protected_files(&self, workspace: &Path) -> BTreeSet<PathBuf> {
        protected_below(workspace, &self.protected)
    }

    /// Moves what was not there `before` out of the workspace.
    pub(super) fn set_aside(&self, workspace: &Path, before: &BTreeSet<PathBuf>) -> Vec<MovedFile> {
        let found = self.protected_files(workspace);
        let left = found.difference(before);
        left.enumerate()
            .map(|(index, path)| MovedFile {
                place: self.put_aside(path, index),
                path: path.clone(),
            })
            .collect()
    }

    fn put_aside(&self, path: &Path, index: usize) -> Option<PathBuf> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let own = format!("{}-{index}-{name}", std::process::id());
        let mut number = 0;
        let place = loop {
            let place = self.aside.join(format!("{own}.{number}"));
            if place.symlink_metadata().is_err() {
                break place;
            }
            number += 1;
        };
        let moved =
            std::fs::create_dir_all(&self.aside).and_then(|()| std::fs::rename(path, &place));
        if moved.is_ok() {
            return Some(place);
        }
        // The state lies on another file system: under this name nothing reads it.
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".set-aside-{}", std::process::id()));
        let beside = PathBuf::from(beside);
        std::fs::rename(path, &beside).is_ok().then_some(beside)
    }
}
