//! What an agent leaves in the workspace that only people write: configuration, repositories, plugins, programs of the configuration.
//!
//! What is there is mounted read-only before an agent starts. A name that does not exist yet cannot be, so that the workspace is looked
//! through when the agent has ended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use host_sandbox::workspace::protected_below;

/// Where such files are, and where they are put.
#[derive(Debug, Clone)]
pub(in crate::cli) struct ExchangeBorder {
    /// Paths that no tool writes, beside those that are known by their names.
    pub protected: Vec<PathBuf>,
    /// Folder for what agents left: it is below the state.
    pub aside: PathBuf,
}

impl ExchangeBorder {
    /// What of the workspace is protected now.
    pub(super) fn found(&self, workspace: &Path) -> BTreeSet<PathBuf> {
        protected_below(workspace, &self.protected)
    }

    /// Moves what was not there `before` out of the workspace; gives the paths, each with the place where it is now.
    pub(super) fn set_aside(
        &self,
        workspace: &Path,
        before: &BTreeSet<PathBuf>,
    ) -> Vec<(PathBuf, PathBuf)> {
        let found = self.found(workspace);
        let left = found.difference(before);
        left.enumerate()
            .map(|(index, path)| (path.clone(), self.put_aside(path, index)))
            .collect()
    }

    fn put_aside(&self, path: &Path, index: usize) -> PathBuf {
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
            return place;
        }
        // The state lies on another file system: under this name nothing reads it.
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".set-aside-{}", std::process::id()));
        let beside = PathBuf::from(beside);
        match std::fs::rename(path, &beside) {
            Ok(()) => beside,
            Err(_) => path.to_owned(),
        }
    }
}

/// The failure of an agent that left these.
pub(super) fn moved_files_message(workspace: &Path, moved: &[(PathBuf, PathBuf)]) -> String {
    let named = moved.iter().map(|(path, place)| {
        let path = path.strip_prefix(workspace).unwrap_or(path).display();
        match place.exists() && place != &workspace.join(path.to_string()) {
            true => format!("`{path}` (now `{}`)", place.display()),
            false => format!("`{path}` (which could not be moved: remove it)"),
        }
    });
    let named: Vec<String> = named.collect();
    format!(
        "it wrote {}, which decides what tools may do and is written by people only",
        named.join(", ")
    )
}
