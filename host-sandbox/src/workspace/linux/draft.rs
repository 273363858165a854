//! Drafts of folders: built beside the target under a unique name, synced, then renamed.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{
    AtFlags, FileType, Mode, RawDir, ResolveFlags, fsync, mkdirat, openat, openat2, renameat,
    statat, syncfs, unlinkat,
};
use rustix::io::Errno;
use tool_core::capability::{DraftFolder, FileKind};
use tool_core::{Reason, Result, ToolError, tool_error};

use super::guard::ProtectedPaths;
use super::leftovers::fresh_name;
use super::resolve::{PARTS_MAX, leads_to, normal_path_parts};
use super::stat::kind_of;
use super::write::{CreatedFolders, make_below};
use super::zones::AccessZones;
use super::{CREATE, Workspace, error};
use crate::below::FOLDER;

const INSIDE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS);

/// The draft and its target.
pub(super) struct FolderDraft {
    above: OwnedFd,
    /// The temporary name; empty after the rename.
    draft: String,
    name: String,
    path: String,
    fd: OwnedFd,
    /// The folder used last, so that the files of one folder look it up once.
    last: Option<(String, OwnedFd)>,
    /// Parent folders that were created.
    made: CreatedFolders,
    guard: Arc<ProtectedPaths>,
    /// The target, relative to the root.
    relative: String,
}

impl FolderDraft {
    pub(super) fn begin(workspace: &Workspace, path: &str) -> Result<Self> {
        let relative = workspace.writable(path)?;
        let parts: Vec<&str> = normal_path_parts(&relative).collect();
        let Some((name, folders)) = parts.split_last() else {
            return Err(error::not_empty(path)); // the root itself
        };
        let name = (*name).to_owned();
        if parts.contains(&"..") {
            return Err(error::folder_above(path));
        }
        let fail = |err| error::io_error("make", path, err);
        let root = workspace.root.open_top(path)?;
        let mut made = CreatedFolders::default();
        let zones = &workspace.zones;
        let above = make_below(zones, root, &folders.join("/"), path, &mut made)?;
        zones.allow(&above, path)?;
        check_free(zones, &above, &name, path)?;
        let draft = fresh_name(&workspace.temporary);
        mkdirat(&above, draft.as_str(), Mode::from_raw_mode(0o777)).map_err(fail)?;
        let fd = openat(&above, draft.as_str(), FOLDER, Mode::empty());
        let fd = fd.map_err(|err| {
            let _ = unlinkat(&above, draft.as_str(), AtFlags::REMOVEDIR);
            fail(err)
        })?;
        Ok(Self {
            above,
            draft,
            name: name.clone(),
            path: path.to_owned(),
            fd,
            last: None,
            made,
            guard: Arc::clone(&workspace.guard),
            relative,
        })
    }

    fn fail(&self, name: &str, err: Errno) -> ToolError {
        match err {
            Errno::EXIST => folder_exists_error(name),
            err => error::io_error("write", name, err),
        }
    }

    /// Opens the folder of a path, creating it if it is missing.
    fn folder(&mut self, path: &str) -> Result<&OwnedFd> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let opened = openat2(&self.fd, path, FOLDER, Mode::empty(), INSIDE);
            let fd = match opened {
                Ok(fd) => fd,
                Err(Errno::NOENT) => self.make(path)?,
                Err(err) => return Err(self.fail(path, err)),
            };
            self.last = Some((path.to_owned(), fd));
        }
        match &self.last {
            Some((_, fd)) => Ok(fd),
            None => Ok(&self.fd),
        }
    }

    /// Checks the contract of the trait, and the protected names.
    fn checked(&self, path: &str) -> Result<()> {
        let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\0');
        if !path.split('/').all(plain) || path.split('/').count() > PARTS_MAX {
            return Err(error::malformed_path(
                path,
                "a part of it is empty, `.` or `..`",
            ));
        }
        let whole = leads_to(&format!("{}/{path}", self.relative));
        self.guard.allow(
            &whole.ok_or_else(|| error::outside_workspace_error(path))?,
            path,
        )
    }

    fn make(&self, path: &str) -> Result<OwnedFd> {
        let mut here =
            openat(&self.fd, ".", FOLDER, Mode::empty()).map_err(|err| self.fail(path, err))?;
        for part in path.split('/') {
            match mkdirat(&here, part, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(err) => return Err(self.fail(path, err)),
            }
            here = openat(&here, part, FOLDER, Mode::empty()).map_err(|err| match err {
                Errno::NOTDIR | Errno::LOOP => folder_exists_error(path),
                err => self.fail(path, err),
            })?;
        }
        Ok(here)
    }
}

impl DraftFolder for FolderDraft {
    fn make_folder(&mut self, path: &str) -> Result<()> {
        self.checked(path)?;
        self.folder(path).map(|_| ())
    }

    fn make_file(&mut self, path: &str, executable: bool) -> Result<Box<dyn Write + Send>> {
        self.checked(path)?;
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        let folder = match folder {
            "." => self.fd.as_fd(),
            folder => self.folder(folder)?.as_fd(),
        };
        let mode = Mode::from_raw_mode(if executable { 0o777 } else { 0o666 });
        let opened = openat(folder, name, CREATE, mode);
        opened
            .map(|fd| Box::new(File::from(fd)) as Box<dyn Write + Send>)
            .map_err(|err| self.fail(path, err))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let fail = |err| error::io_error("write", &self.path, err);
        syncfs(&self.fd).map_err(fail)?;
        // A plain rename replaces only an empty folder.
        let (above, draft) = (&self.above, self.draft.as_str());
        renameat(above, draft, above, self.name.as_str()).map_err(|err| match err {
            Errno::NOTEMPTY | Errno::EXIST => error::not_empty(&self.path),
            Errno::NOTDIR => folder_exists_error(&self.path),
            err => fail(err),
        })?;
        let synced = fsync(&self.above).map_err(fail);
        self.draft.clear();
        self.made.0.clear();
        synced
    }
}

impl Drop for FolderDraft {
    fn drop(&mut self) {
        if !self.draft.is_empty() {
            remove_tree(&self.above, &self.draft, 0);
        }
    }
}

/// Refuses an existing target before anything is written.
fn check_free(zones: &AccessZones, above: &OwnedFd, name: &str, path: &str) -> Result<()> {
    match statat(above, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(()),
        Err(err) => Err(error::io_error("look at", path, err)),
        Ok(stat) => match kind_of(stat.st_mode) {
            FileKind::Link => Err(error::link_refused(path)),
            FileKind::Directory => {
                zones.spare(&stat, path)?;
                let fd = openat(above, name, FOLDER, Mode::empty())
                    .map_err(|err| error::io_error("list", path, err))?;
                match folder_entry_names(&fd).is_empty() {
                    true => Ok(()),
                    false => Err(error::not_empty(path)),
                }
            }
            _ => Err(folder_exists_error(path)),
        },
    }
}

fn folder_exists_error(path: &str) -> ToolError {
    tool_error!(Conflict, Reason::Exists; "`{path}` already exists";
        "name a folder that does not exist yet, or an empty one")
}

/// Deletes a tree without following links; entries that cannot be deleted remain.
pub(super) fn remove_tree(above: &OwnedFd, name: &str, depth: usize) {
    if depth <= PARTS_MAX
        && let Ok(fd) = openat(above, name, FOLDER, Mode::empty())
    {
        for (entry, is_folder) in folder_entry_names(&fd) {
            if is_folder {
                remove_tree(&fd, &entry, depth + 1);
            } else {
                let _ = unlinkat(&fd, entry.as_str(), AtFlags::empty());
            }
        }
    }
    let _ = unlinkat(above, name, AtFlags::REMOVEDIR);
}

/// The entries of an open folder and whether each is a folder; names that are not UTF-8, and not of this program, are empty.
pub(super) fn folder_entry_names(fd: &OwnedFd) -> Vec<(String, bool)> {
    let mut buffer = Vec::with_capacity(32 << 10);
    let mut directory = RawDir::new(fd, buffer.spare_capacity_mut());
    let mut found = Vec::new();
    while let Some(Ok(entry)) = directory.next() {
        match entry.file_name().to_str() {
            Ok("." | "..") => {}
            Ok(name) => {
                let name = name.to_owned();
                let kind = entry.file_type();
                let is_folder = kind == FileType::Directory
                    || kind == FileType::Unknown
                        && statat(fd, name.as_str(), AtFlags::SYMLINK_NOFOLLOW)
                            .is_ok_and(|stat| kind_of(stat.st_mode) == FileKind::Directory);
                found.push((name, is_folder));
            }
            Err(_) => found.push((String::new(), false)),
        }
    }
    found
}
