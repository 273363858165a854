//! Walks over trees by name without following links, and the flags for opening a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Flags for opening a folder but not a link.
pub(crate) const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Maximum entries of a walk.
const ENTRIES_MAX: usize = 2_000_000;

/// The continuation of a walk after an entry.
pub(crate) enum WalkStep {
    /// Enter the entry, if it is a folder.
    Into,
    /// Continue with the next entry.
    Beside,
    /// Stop the walk.
    Stop,
}

/// Visits every entry below a folder with its path, its name and whether it is a folder; returns whether it saw all of them. Folders
/// that cannot be listed are skipped.
pub(crate) fn visit_tree(
    top: &Path,
    visit: &mut dyn FnMut(&Path, &OsStr, bool) -> WalkStep,
) -> bool {
    let mut folders: Vec<PathBuf> = vec![top.to_owned()];
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > ENTRIES_MAX {
                return false;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let (path, name) = (entry.path(), entry.file_name());
            match visit(&path, &name, is_folder) {
                WalkStep::Into if is_folder => folders.push(path),
                WalkStep::Into | WalkStep::Beside => {}
                WalkStep::Stop => return false,
            }
        }
    }
    true
}
