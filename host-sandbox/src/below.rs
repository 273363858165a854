//! [`below`]: every entry of a tree by its name, for what is looked for at every depth. No link is followed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Most entries looked at.
const ENTRIES_MAX: usize = 2_000_000;

/// Where a walk goes after an entry.
pub(crate) enum Next {
    /// Into it, where it is a folder.
    Into,
    /// On beside it.
    Beside,
    /// Nowhere.
    Stop,
}

/// Visits every entry below a folder with its path, its name and whether it is a folder; gives whether it saw them all. What cannot be
/// listed is passed by.
pub(crate) fn below(top: &Path, visit: &mut dyn FnMut(&Path, &OsStr, bool) -> Next) -> bool {
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
                Next::Into if is_folder => folders.push(path),
                Next::Into | Next::Beside => {}
                Next::Stop => return false,
            }
        }
    }
    true
}
