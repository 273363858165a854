//! Files in the making: without a name as long as the file system allows it, then under one that tells the call. What a killed call
//! left is found by that name again.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, fstat, linkat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use tool_core::ToolError;
use tool_core::capability::{FileKind, FileReader};

use crate::below::{Next, below};

use super::super::{TEMPORARY, is_temporary};
use super::draft::remove_tree;
use super::resolve::leads_to;
use super::write::name_if_free;
use super::{Workspace, error, kind_of};

/// How many names are tried for a file in the making.
const NAMES_MAX: usize = 16;

/// What names of files begin with that a call is making.
pub(super) fn of_call(key: &str) -> String {
    let digest = blake3::hash(key.as_bytes()).to_hex();
    format!("{TEMPORARY}{}-", &digest[..16])
}

/// The same where no call is known.
pub(super) fn of_process() -> String {
    format!("{TEMPORARY}{:x}-", std::process::id())
}

/// A name nobody has: call, counter and chance.
pub(super) fn fresh_name(beginning: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let chance = RandomState::new().build_hasher().finish();
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("{beginning}{count:x}-{chance:016x}.tmp")
}

/// A file in the making, gone when this is dropped before it has its name.
pub(super) struct New {
    folder: Arc<OwnedFd>,
    /// Open until it is closed by hand.
    file: Option<File>,
    /// The temporary name it has, where it has one.
    name: Option<String>,
    beginning: String,
}

impl New {
    /// Makes one in a folder; without a name where that is possible.
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
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..NAMES_MAX {
            let name = fresh_name(beginning);
            match openat(&*folder, name.as_str(), flags, mode) {
                Ok(file) => return Ok(made(file, Some(name))),
                Err(Errno::EXIST) => {}
                Err(err) => return Err(err),
            }
        }
        Err(Errno::EXIST)
    }

    /// Gives it a name that is free.
    pub(super) fn name_if_free(mut self, name: &str) -> Result<(), Errno> {
        match &self.name {
            Some(temporary) => name_if_free(self.folder.as_fd(), temporary, name)?,
            None => self.link(name)?,
        }
        self.name = None;
        Ok(())
    }

    /// Gives it a name in place of the file that has it.
    pub(super) fn name_over(mut self, name: &str) -> Result<(), Errno> {
        let temporary = self.named()?;
        renameat(&*self.folder, temporary.as_str(), &*self.folder, name)?;
        self.name = None;
        Ok(())
    }

    /// Its temporary name, which it gets now at the latest.
    pub(super) fn named(&mut self) -> Result<String, Errno> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        for _ in 0..NAMES_MAX {
            let name = fresh_name(&self.beginning);
            match self.link(&name) {
                Ok(()) => {
                    self.name = Some(name.clone());
                    return Ok(name);
                }
                Err(Errno::EXIST) => {}
                Err(err) => return Err(err),
            }
        }
        Err(Errno::EXIST)
    }

    /// Its temporary name belongs to another file now, as after an exchange: that is not removed with it.
    pub(super) fn leave(mut self) {
        self.name = None;
    }

    /// What is written to it.
    pub(super) fn file(&mut self) -> Result<&mut File, Errno> {
        self.file.as_mut().ok_or(Errno::BADF)
    }

    /// Closes it under a temporary name: of many files not all can stay open.
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

impl Drop for New {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // The reason of a failure says more than that of a failed clean-up.
            let _ = unlinkat(&*self.folder, name.as_str(), AtFlags::empty());
        }
    }
}

fn in_proc(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// The files that this call left in a folder, opened.
pub(super) fn open(
    workspace: &Workspace,
    folder: &str,
) -> Result<Vec<Box<dyn FileReader>>, ToolError> {
    let mut found: Vec<Box<dyn FileReader>> = Vec::new();
    each(workspace, folder, |fd, name, is_folder| {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        if !is_folder && let Ok(file) = openat(fd, name, flags, Mode::empty()) {
            let regular = fstat(&file).is_ok_and(|stat| kind_of(stat.st_mode) == FileKind::File);
            found.extend(regular.then(|| Box::new(File::from(file)) as Box<dyn FileReader>));
        }
    })?;
    Ok(found)
}

/// Removes what this call left in a folder.
pub(super) fn clear(workspace: &Workspace, folder: &str) -> Result<(), ToolError> {
    each(workspace, folder, |fd, name, is_folder| {
        if is_folder {
            remove_tree(fd, name, 0);
        } else {
            // What cannot be removed stays, and `doctor` finds it.
            let _ = unlinkat(fd, name, AtFlags::empty());
        }
    })
}

fn each(
    workspace: &Workspace,
    folder: &str,
    mut visit: impl FnMut(&OwnedFd, &str, bool),
) -> Result<(), ToolError> {
    let relative = workspace.root.relative(folder)?;
    let parts = leads_to(&relative).ok_or_else(|| error::outside(folder))?;
    workspace.guard.allow(&parts, folder)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let fd = match workspace.root.open_plain(&relative, flags) {
        Ok(fd) => fd,
        Err(Errno::NOENT) => return Ok(()),
        Err(err) => return Err(error::io("list", folder, err)),
    };
    let mut buffer = Vec::with_capacity(32 << 10);
    let mut directory = RawDir::new(&fd, buffer.spare_capacity_mut());
    let mut found = Vec::new();
    while let Some(Ok(entry)) = directory.next() {
        if let Ok(name) = entry.file_name().to_str()
            && name.starts_with(&*workspace.temporary)
            && is_temporary(name)
        {
            found.push((name.to_owned(), entry.file_type() == FileType::Directory));
        }
    }
    for (name, is_folder) in found {
        visit(&fd, &name, is_folder);
    }
    Ok(())
}

/// What killed calls left anywhere in a workspace, for a person to remove: at most `most` paths, and whether that is all.
pub fn leftovers(root: &Path, most: usize) -> (Vec<PathBuf>, bool) {
    let mut found = Vec::new();
    let complete = below(root, &mut |path, name, _| {
        if is_temporary(&name.to_string_lossy()) {
            found.push(path.to_owned());
            return Next::Beside;
        }
        if found.len() < most {
            Next::Into
        } else {
            Next::Stop
        }
    });
    found.sort();
    (found, complete)
}
