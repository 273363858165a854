//! Temporary files: without a name while the file system allows it, then under a name with the id of the call, by which
//! leftovers of killed calls are found.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, linkat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use tool_core::Result;
use tool_core::capability::{FileKind, FileReader};

use crate::below::{WalkStep, visit_tree};

use super::super::{TEMPORARY, is_temporary};
use super::draft::{folder_entry_names, remove_tree};
use super::resolve::leads_to;
use super::stat::kind_of;
use super::write::name_if_free;
use super::{CREATE, READ, Workspace, error};

/// Maximum attempts to find a free temporary name.
const NAMES_MAX: usize = 16;

/// Prefix of the temporary names of a call.
pub(super) fn of_call(key: &str) -> String {
    let digest = blake3::hash(key.as_bytes()).to_hex();
    format!("{TEMPORARY}{}-", &digest[..16])
}

/// The prefix without a call.
pub(super) fn of_process() -> String {
    format!("{TEMPORARY}{:x}-", std::process::id())
}

/// A unique name: prefix, counter and random number.
pub(super) fn fresh_name(beginning: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let chance = RandomState::new().build_hasher().finish();
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("{beginning}{count:x}-{chance:016x}.tmp")
}

/// Makes something under the first unique name that is free.
fn with_fresh_name<T>(
    beginning: &str,
    make: impl Fn(&str) -> Result<T, Errno>,
) -> Result<(T, String), Errno> {
    for _ in 0..NAMES_MAX {
        let name = fresh_name(beginning);
        match make(&name) {
            Err(Errno::EXIST) => {}
            made => return Ok((made?, name)),
        }
    }
    Err(Errno::EXIST)
}

/// A temporary file, deleted when dropped before it has its final name.
pub(super) struct TemporaryFile {
    folder: Arc<OwnedFd>,
    /// Open until closed explicitly.
    file: Option<File>,
    /// The temporary name, if any.
    name: Option<String>,
    beginning: String,
}

impl TemporaryFile {
    /// Creates a file in a folder, without a name if possible.
    pub(super) fn make(folder: Arc<OwnedFd>, mode: Mode, beginning: &str) -> Result<Self, Errno> {
        let nameless = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let made = |file: OwnedFd, name: Option<String>| Self {
            folder: Arc::clone(&folder),
            file: Some(File::from(file)),
            name,
            beginning: beginning.to_owned(),
        };
        // A file without a name gets one through its descriptor in /proc.
        if let Ok(file) = openat(&*folder, ".", nameless, mode)
            && statat(CWD, in_proc(&file), AtFlags::empty()).is_ok()
        {
            return Ok(made(file, None));
        }
        let (file, name) = with_fresh_name(beginning, |name| openat(&*folder, name, CREATE, mode))?;
        Ok(made(file, Some(name)))
    }

    /// Links it under a free name.
    pub(super) fn name_if_free(mut self, name: &str) -> Result<(), Errno> {
        match &self.name {
            Some(temporary) => name_if_free(self.folder.as_fd(), temporary, name)?,
            None => self.link(name)?,
        }
        self.name = None;
        Ok(())
    }

    /// Renames it over the file with this name.
    pub(super) fn name_over(mut self, name: &str) -> Result<(), Errno> {
        let temporary = self.named()?;
        renameat(&*self.folder, temporary.as_str(), &*self.folder, name)?;
        self.name = None;
        Ok(())
    }

    /// The temporary name, created if necessary.
    pub(super) fn named(&mut self) -> Result<String, Errno> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let ((), name) = with_fresh_name(&self.beginning, |name| self.link(name))?;
        self.name = Some(name.clone());
        Ok(name)
    }

    /// Releases the temporary name, which belongs to another file after an exchange.
    pub(super) fn leave(mut self) {
        self.name = None;
    }

    /// The open file.
    pub(super) fn file(&mut self) -> Result<&mut File, Errno> {
        self.file.as_mut().ok_or(Errno::BADF)
    }

    /// Closes it under a temporary name, since the number of open files is limited.
    pub(super) fn close(&mut self) -> Result<(), Errno> {
        self.named()?;
        self.file = None;
        Ok(())
    }

    fn link(&self, name: &str) -> Result<(), Errno> {
        let file = self.file.as_ref().ok_or(Errno::BADF)?;
        let to = &*self.folder;
        linkat(CWD, in_proc(file), to, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // The original failure is more informative than a failed clean-up.
            let _ = unlinkat(&*self.folder, name.as_str(), AtFlags::empty());
        }
    }
}

fn in_proc(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Opens the files that this call left in a folder.
pub(super) fn open_leftovers(
    workspace: &Workspace,
    folder: &str,
) -> Result<Vec<Box<dyn FileReader>>> {
    let mut found: Vec<Box<dyn FileReader>> = Vec::new();
    visit_leftovers(workspace, folder, |fd, name, is_folder| {
        if !is_folder && let Ok(file) = openat(fd, name, READ, Mode::empty()) {
            let regular = fstat(&file).is_ok_and(|stat| kind_of(stat.st_mode) == FileKind::File);
            found.extend(regular.then(|| Box::new(File::from(file)) as Box<dyn FileReader>));
        }
    })?;
    Ok(found)
}

/// Deletes the files that this call left in a folder.
pub(super) fn delete_leftovers(workspace: &Workspace, folder: &str) -> Result<()> {
    visit_leftovers(workspace, folder, |fd, name, is_folder| {
        if is_folder {
            remove_tree(fd, name, 0);
        } else {
            // Remaining files are reported by `doctor`.
            let _ = unlinkat(fd, name, AtFlags::empty());
        }
    })
}

fn visit_leftovers(
    workspace: &Workspace,
    folder: &str,
    mut visit: impl FnMut(&OwnedFd, &str, bool),
) -> Result<()> {
    let relative = workspace.root.relative(folder)?;
    let parts = leads_to(&relative).ok_or_else(|| error::outside_workspace_error(folder))?;
    workspace.guard.allow(&parts, folder)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let fd = match workspace.root.open_plain(&relative, flags) {
        Ok(fd) => fd,
        Err(Errno::NOENT) => return Ok(()),
        Err(err) => return Err(error::io_error("list", folder, err)),
    };
    for (name, is_folder) in folder_entry_names(&fd) {
        if name.starts_with(&*workspace.temporary) && is_temporary(&name) {
            visit(&fd, &name, is_folder);
        }
    }
    Ok(())
}

/// Leftovers of killed calls anywhere in a workspace, for the operator to delete: at most `most` paths, and whether these are all.
pub fn find_leftovers(root: &Path, most: usize) -> (Vec<PathBuf>, bool) {
    let mut found = Vec::new();
    let complete = visit_tree(root, &mut |path, name, _| {
        if is_temporary(&name.to_string_lossy()) {
            found.push(path.to_owned());
            return WalkStep::Beside;
        }
        if found.len() < most {
            WalkStep::Into
        } else {
            WalkStep::Stop
        }
    });
    found.sort();
    (found, complete)
}
