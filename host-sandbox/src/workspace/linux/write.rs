//! Writes: a new file is synced beside the old one and renamed over it. Appends: one write under a lock.

use std::fs::File;
use std::io::Write;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{
    AtFlags, FlockOperation, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, flock,
    fstat, fsync, ftruncate, linkat, mkdirat, openat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use tool_core::capability::{FileInfo, FileKind, WriteMode};
use tool_core::{Access, Reason, Result, ToolError, tool_error};

use super::leftovers::TemporaryFile;
use super::resolve::normal_path_parts;
use super::stat::{file_info, kind_of};
use super::zones::AccessZones;
use super::{Workspace, display_path, error};
use crate::below::FOLDER;

/// Maximum wait of an append for the lock on the file.
const LOCK_WAIT_MS: u64 = 5_000;

/// The target of a write: the open folder and the name in it.
pub(super) struct WriteTarget<'a> {
    pub(super) folder: Arc<OwnedFd>,
    pub(super) name: String,
    pub(super) path: &'a str,
    pub(super) shown: String,
    pub(super) temporary: Arc<str>,
}

impl<'a> WriteTarget<'a> {
    /// Locates the target of a write without following links.
    pub(super) fn find(workspace: &Workspace, path: &'a str) -> Result<Self> {
        let relative = workspace.writable(path)?;
        let split = relative.trim_end_matches('/').rsplit_once('/');
        let (folder, name) = split.unwrap_or((".", &relative));
        if matches!(name, "." | ".." | "") || relative.ends_with('/') {
            return Err(error::malformed_path(path, "it does not name a file"));
        }
        let folder = if folder.is_empty() { "." } else { folder };
        let opened = (workspace.root).open_plain(folder, OFlags::RDONLY | OFlags::DIRECTORY);
        let opened = opened.map_err(|err| missing_folder(folder, path, err))?;
        workspace.zones.allow(&opened, path)?;
        Ok(Self {
            folder: Arc::new(opened),
            name: name.to_owned(),
            path,
            shown: display_path(&relative),
            temporary: Arc::clone(&workspace.temporary),
        })
    }
}

pub(super) fn write_workspace_file(
    workspace: &Workspace,
    path: &str,
    content: &[u8],
    mode: WriteMode,
) -> Result<FileInfo> {
    let target = WriteTarget::find(workspace, path)?;
    let there = target.there()?;
    match (mode, there) {
        (WriteMode::Create, Some(_)) => Err(target.exists()),
        (WriteMode::Append, there) => target.append(content, there.is_none()),
        (WriteMode::Create | WriteMode::Overwrite, there) => {
            target.replace(content, mode, there.as_ref())
        }
    }
}

pub(super) fn remove_entry(workspace: &Workspace, path: &str, kind: FileKind) -> Result<FileInfo> {
    let target = WriteTarget::find(workspace, path.trim_end_matches('/'))?;
    let (folder, name) = (&*target.folder, target.name.as_str());
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    let stat = stat.map_err(|err| target.fail_to("delete", err))?;
    let flags = match (kind_of(stat.st_mode), kind) {
        (FileKind::Link, _) => return Err(error::link_refused(path)),
        (FileKind::File, FileKind::File) => AtFlags::empty(),
        (FileKind::Directory, FileKind::Directory) => AtFlags::REMOVEDIR,
        (found, FileKind::Directory) if found != FileKind::Directory => {
            return Err(error::no_folder(path));
        }
        (found, _) => return Err(error::not_regular(path, found)),
    };
    workspace.zones.spare(&stat, path)?;
    unlinkat(folder, name, flags).map_err(|err| match err {
        Errno::NOTEMPTY | Errno::EXIST => error::not_empty(path),
        err => target.fail_to("delete", err),
    })?;
    target.sync_folder()?;
    Ok(file_info(target.shown.clone(), &stat))
}

pub(super) fn make_folder(workspace: &Workspace, path: &str) -> Result<()> {
    let relative = workspace.writable(path)?;
    if normal_path_parts(&relative).any(|part| part == "..") {
        return Err(error::folder_above(path));
    }
    let here = workspace.root.open_top(path)?;
    let mut made = CreatedFolders::default();
    let below = make_below(&workspace.zones, here, &relative, path, &mut made);
    made.0.clear(); // the folders remain, even if a later step fails
    below.map(|_| ())
}

/// New folders with their parents; deleted on drop while they are empty.
#[derive(Default)]
pub(super) struct CreatedFolders(pub(super) Vec<(OwnedFd, String)>);

impl Drop for CreatedFolders {
    fn drop(&mut self) {
        for (folder, name) in self.0.iter().rev() {
            let _ = unlinkat(folder, name.as_str(), AtFlags::REMOVEDIR);
        }
    }
}

/// Descends from the root and creates missing folders where they may be written.
pub(super) fn make_below(
    zones: &AccessZones,
    mut here: OwnedFd,
    relative: &str,
    path: &str,
    made: &mut CreatedFolders,
) -> Result<OwnedFd> {
    let fail = |err| error::io_error("make", path, err);
    let mut access = zones.entered(&here, Access::Write).map_err(fail)?;
    for part in normal_path_parts(relative) {
        let new = match access {
            Access::Write => mkdirat(&here, part, Mode::from_raw_mode(0o777)),
            Access::Read => Err(Errno::EXIST),
        };
        match new {
            Ok(()) => {
                let folder = here.try_clone().ok();
                made.0
                    .extend(folder.map(|folder| (folder, part.to_owned())));
                fsync(&here).map_err(fail)?;
            }
            Err(Errno::EXIST) => {}
            Err(err) => return Err(fail(err)),
        }
        here = openat(&here, part, FOLDER, Mode::empty()).map_err(|err| match err {
            // NOFOLLOW with DIRECTORY reports ENOTDIR for a link too.
            Errno::NOTDIR if is_link(&here, part) => error::link_refused(path),
            Errno::NOENT if access == Access::Read => error::read_only(path),
            err => fail(err),
        })?;
        access = zones.entered(&here, access).map_err(fail)?;
    }
    Ok(here)
}

fn is_link(folder: &OwnedFd, name: &str) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| kind_of(stat.st_mode) == FileKind::Link)
}

fn missing_folder(folder: &str, path: &str, err: Errno) -> ToolError {
    if err == Errno::NOENT {
        return tool_error!(ToolError, Reason::NotFound; "the folder `{folder}` does not exist";
            "create it with `create_directory`, or pass `parents: true` to `write_file`");
    }
    error::io_error("write", path, err)
}

impl WriteTarget<'_> {
    /// The existing file with the name; anything but a regular file is refused.
    pub(super) fn there(&self) -> Result<Option<Stat>> {
        match statat(&*self.folder, self.name.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => match kind_of(stat.st_mode) {
                FileKind::File => Ok(Some(stat)),
                FileKind::Link => Err(error::link_refused(self.path)),
                kind => Err(error::not_regular(self.path, kind)),
            },
            Err(Errno::NOENT) => Ok(None),
            Err(err) => Err(self.fail(err)),
        }
    }

    pub(super) fn exists(&self) -> ToolError {
        tool_error!(Conflict, Reason::Exists; "`{}` already exists", self.shown;
            "use the mode `overwrite` or `append`, or another name")
    }

    pub(super) fn fail(&self, err: Errno) -> ToolError {
        self.fail_to("write", err)
    }

    pub(super) fn taken_or_failed(&self, err: Errno) -> ToolError {
        match err {
            Errno::EXIST => self.exists(),
            err => self.fail(err),
        }
    }

    fn fail_to(&self, action: &str, err: Errno) -> ToolError {
        error::io_error(action, self.path, err)
    }

    /// Writes a new file beside the target and renames it to the target.
    fn replace(&self, content: &[u8], mode: WriteMode, before: Option<&Stat>) -> Result<FileInfo> {
        let mut new = self.new_file(before)?;
        let stat = self.fill(&mut new, content, before)?;
        let named = if mode == WriteMode::Create {
            new.name_if_free(&self.name)
        } else {
            new.name_over(&self.name)
        };
        named.map_err(|err| self.taken_or_failed(err))?;
        self.sync_folder()?;
        Ok(file_info(self.shown.clone(), &stat))
    }

    pub(super) fn new_file(&self, before: Option<&Stat>) -> Result<TemporaryFile> {
        // A replacement is private until it has the mode of the old file; a new file gets the default mode.
        let mode = Mode::from_raw_mode(if before.is_some() { 0o600 } else { 0o666 });
        TemporaryFile::make(Arc::clone(&self.folder), mode, &self.temporary)
            .map_err(|err| self.fail(err))
    }

    pub(super) fn fill(
        &self,
        new: &mut TemporaryFile,
        content: &[u8],
        before: Option<&Stat>,
    ) -> Result<Stat> {
        let file = new.file().map_err(|err| self.fail(err))?;
        file.write_all(content)
            .map_err(|err| error::of_std("write", self.path, &err))?;
        if let Some(before) = before {
            keep_owner_and_mode(file, before).map_err(|err| self.fail(err))?;
        }
        let synced = fsync(&*file).and_then(|()| fstat(&*file));
        synced.map_err(|err| self.fail(err))
    }

    pub(super) fn sync_folder(&self) -> Result<()> {
        fsync(&*self.folder).map_err(|err| self.fail(err))
    }

    /// Appends under a lock; an incomplete write is rolled back.
    fn append(&self, content: &[u8], new: bool) -> Result<FileInfo> {
        let flags = OFlags::WRONLY
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::NOCTTY
            | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let opened = openat(&*self.folder, self.name.as_str(), flags, mode);
        let fd = opened.map_err(|err| self.fail(err))?;
        self.lock(&fd)?;
        let before = fstat(&fd).map_err(|err| self.fail(err))?;
        if kind_of(before.st_mode) != FileKind::File {
            return Err(error::not_regular(self.path, kind_of(before.st_mode)));
        }
        if before.st_nlink > 1 {
            return Err(tool_error!(InvalidArgs, "link";
                "`{}` has several names (hard links), and an append would change all of them", self.shown;
                "use the mode `overwrite`, which changes this name only"));
        }
        let mut file = File::from(fd);
        let written = file
            .write_all(content)
            .map_err(|err| error::of_std("write", self.path, &err))
            .and_then(|()| fsync(&file).map_err(|err| self.fail(err)));
        if written.is_err() {
            // The original failure is more informative than a failed clean-up.
            let _ = ftruncate(&file, before.st_size as u64);
        }
        written?;
        if new {
            self.sync_folder()?;
        }
        let stat = fstat(&file).map_err(|err| self.fail(err))?;
        Ok(file_info(self.shown.clone(), &stat))
    }

    fn lock(&self, fd: &OwnedFd) -> Result<()> {
        const PAUSE_MS: u64 = 5;
        for _ in 0..LOCK_WAIT_MS / PAUSE_MS {
            match flock(fd, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK | Errno::INTR) => {
                    std::thread::sleep(Duration::from_millis(PAUSE_MS));
                }
                locked => return locked.map_err(|err| self.fail(err)),
            }
        }
        let shown = &self.shown;
        Err(tool_error!(Conflict, "locked";
            "`{shown}` remained locked for {LOCK_WAIT_MS} ms";
            "another program has locked it: call again later"))
    }
}

/// Renames without replacing; file systems without that operation use a hard link.
pub(super) fn name_if_free(folder: BorrowedFd<'_>, new: &str, name: &str) -> Result<(), Errno> {
    match renameat_with(folder, new, folder, name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            linkat(folder, new, folder, name, AtFlags::empty())?;
            unlinkat(folder, new, AtFlags::empty())
        }
        renamed => renamed,
    }
}

fn keep_owner_and_mode(file: &File, before: &Stat) -> Result<(), Errno> {
    let now = fstat(file)?;
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid) {
        let owner = Some(Uid::from_raw(before.st_uid));
        let group = Some(Gid::from_raw(before.st_gid));
        match fchown(file, owner, group) {
            // Only root may change owners; otherwise the file belongs to the caller.
            Ok(()) | Err(Errno::PERM) => {}
            Err(err) => return Err(err),
        }
    }
    // Without the setuid, setgid and sticky bits.
    fchmod(file, Mode::from_raw_mode(before.st_mode & 0o777))
}
