//! The workspace on Linux: reading here, resolution in `resolve`, writing in `write`, several changes at once in `change`, new
//! folders in `draft`, listings in `list`, protected paths in `guard`, temporary files in `leftovers`, several roots in `roots` and
//! `zones`.

mod change;
mod draft;
mod error;
mod guard;
mod leftovers;
mod list;
mod resolve;
mod roots;
mod stat;
mod write;
mod zones;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{OFlags, fstat, fstatvfs};
use rustix::io::Errno;
use tool_core::capability::{
    DiskSpace, DraftFolder, FileCall, FileChange, FileContent, FileInfo, FileKind, FileReader,
    LinkMode, WorkspaceFiles, WriteMode,
};
use tool_core::{Inode, ResourceId, Result, StopFlag};

use self::guard::ProtectedPaths;
use self::resolve::{WorkspaceRootFd, folded_parts, normal_path_parts};
use self::stat::{file_info, kind_of};
use self::zones::AccessZones;
use super::PROTECTED;

pub use self::leftovers::find_leftovers;
pub use self::roots::open_workspace;

/// The files beneath one folder.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: WorkspaceRootFd,
    guard: Arc<ProtectedPaths>,
    zones: AccessZones,
    /// Prefix of temporary file names: of the call, else of the process.
    temporary: Arc<str>,
}

impl Workspace {
    /// Opens a folder as the root; [`PROTECTED`] is never written to.
    ///
    /// # Errors
    /// `precondition_failed` if it is not a folder or the kernel cannot resolve beneath it.
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        Self::with_protected(root, PROTECTED)
    }

    /// Opens a folder with its own list of protected paths, relative to the root; [`PROTECTED`] documents the coverage of an entry.
    /// [`EVERYWHERE`](super::EVERYWHERE) and the files beside a configuration are always covered.
    ///
    /// # Errors
    /// As [`Workspace::open`].
    pub fn with_protected(root: impl AsRef<Path>, protected: &[&str]) -> Result<Self> {
        Ok(Self::of_root(
            WorkspaceRootFd::open(root.as_ref())?,
            protected,
        ))
    }

    /// As [`Workspace::with_protected`], of an open root.
    fn of_root(root: WorkspaceRootFd, protected: &[&str]) -> Self {
        Self {
            root,
            guard: Arc::new(ProtectedPaths::new(protected)),
            zones: AccessZones::default(),
            temporary: leftovers::of_process().into(),
        }
    }

    /// Closes further folders for reading and writing, relative to the root and without links.
    #[must_use]
    pub fn close(mut self, folders: &[&str]) -> Self {
        let folders = folders.iter().map(|path| folded_parts(path));
        let folders: Vec<Vec<String>> = folders.filter(|path| !path.is_empty()).collect();
        Arc::make_mut(&mut self.guard).add(folders.iter().cloned());
        self.root.close(folders);
        self
    }
}

impl WorkspaceFiles for Workspace {
    fn read(&self, path: &str, bytes_max: u64) -> Result<FileContent> {
        let (info, mut file) = self.open_file(path, LinkMode::Follow)?;
        let mut bytes = Vec::with_capacity(info.size.min(bytes_max).min(16 << 20) as usize);
        // The file may grow meanwhile, and files in /proc have size 0, so the limit applies to the bytes read.
        let mut part = (&mut file).take(bytes_max);
        let fail = |err| error::of_std("read", path, &err);
        part.read_to_end(&mut bytes).map_err(fail)?;
        let truncated = bytes.len() as u64 == bytes_max && file.read(&mut [0]).map_err(fail)? > 0;
        Ok(FileContent {
            info,
            bytes,
            truncated,
        })
    }

    fn write(&self, path: &str, content: &[u8], mode: WriteMode) -> Result<FileInfo> {
        write::write_workspace_file(self, path, content, mode)
    }

    fn list(
        &self,
        path: &str,
        recursive: bool,
        entries_max: usize,
        stop: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool)> {
        list::list_tree(&self.root, path, recursive, entries_max, stop)
    }

    fn make_folder(&self, path: &str) -> Result<()> {
        write::make_folder(self, path)
    }

    fn open(&self, path: &str, links: LinkMode) -> Result<(FileInfo, Box<dyn FileReader>)> {
        let (info, file) = self.open_file(path, links)?;
        Ok((info, Box::new(file)))
    }

    fn entries(&self, path: &str, links: LinkMode, stop: &StopFlag) -> Result<Vec<FileInfo>> {
        list::list_folder(&self.root, path, links, stop)
    }

    fn stat(&self, path: &str) -> Result<FileInfo> {
        let (relative, fd) = self.look_at(path)?;
        let stat = fstat(&fd).map_err(|err| error::io_error("look at", path, err))?;
        Ok(file_info(display_path(&relative), &stat))
    }

    fn space(&self, path: &str) -> Result<DiskSpace> {
        let (_, fd) = self.look_at(path)?;
        let found = fstatvfs(&fd).map_err(|err| error::io_error("look at", path, err))?;
        Ok(DiskSpace {
            total: found.f_blocks.saturating_mul(found.f_frsize),
            free: found.f_bavail.saturating_mul(found.f_frsize),
        })
    }

    fn remove(&self, path: &str, kind: FileKind) -> Result<FileInfo> {
        write::remove_entry(self, path, kind)
    }

    fn change(&self, changes: &[FileChange]) -> Result<Vec<FileInfo>> {
        let changes = changes.iter();
        let changes: Vec<_> = changes
            .map(|change| (self, change.path(), change))
            .collect();
        change::apply_changes(&changes)
    }

    fn draft(&self, path: &str) -> Result<Box<dyn DraftFolder>> {
        Ok(Box::new(draft::FolderDraft::begin(self, path)?))
    }

    fn for_call(&self, call: &FileCall) -> Option<Arc<dyn WorkspaceFiles>> {
        Some(Arc::new(self.bound(call)))
    }

    fn leftovers(&self, folder: &str) -> Result<Vec<Box<dyn FileReader>>> {
        leftovers::open_leftovers(self, folder)
    }

    fn clear_leftovers(&self, folder: &str) -> Result<()> {
        leftovers::delete_leftovers(self, folder)
    }

    fn may_write(&self, path: &str) -> Result<()> {
        let relative = self.writable(path)?;
        let mut folder = relative.trim_end_matches('/');
        // The nearest folder that is there; what is missing will be in it.
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            let flags = OFlags::PATH | OFlags::DIRECTORY;
            match self.root.open_plain(display_path(folder), flags) {
                Err(Errno::NOENT) => {}
                Err(_) => return Ok(()), // the write says why
                Ok(folder) => return self.zones.allow(&folder, path),
            }
        }
        self.zones.allow(self.root.open_top(path)?, path)
    }

    fn identity(&self, path: &str) -> Result<ResourceId> {
        let place = self.root.locate(&self.root.relative(path)?, path)?;
        let linked = place
            .stat
            .filter(|stat| stat.st_nlink > 1 && kind_of(stat.st_mode) == FileKind::File);
        Ok(ResourceId {
            path: place.path,
            inode: linked.map(|stat| Inode {
                device: stat.st_dev,
                number: stat.st_ino,
            }),
        })
    }
}

impl Workspace {
    /// The files for one call.
    fn bound(&self, call: &FileCall) -> Self {
        Self {
            root: self.root.for_call(call),
            temporary: leftovers::of_call(&call.key).into(),
            ..self.clone()
        }
    }

    fn look_at(&self, path: &str) -> Result<(String, OwnedFd)> {
        let relative = self.root.relative(path)?;
        let fd = self.root.open_following(&relative, OFlags::PATH, path)?;
        Ok((relative, fd))
    }

    /// Opens a regular file; its kind is checked on the open file.
    fn open_file(&self, path: &str, links: LinkMode) -> Result<(FileInfo, File)> {
        let relative = self.root.relative(path)?;
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fail = |err| error::io_error("read", path, err);
        let fd = match links {
            LinkMode::Follow => self.root.open_following(&relative, flags, path)?,
            LinkMode::Refuse => {
                self.root.allow_read(&relative, path)?;
                self.root.open_plain(&relative, flags).map_err(fail)?
            }
        };
        let stat = fstat(&fd).map_err(fail)?;
        if kind_of(stat.st_mode) != FileKind::File {
            return Err(error::not_regular(path, kind_of(stat.st_mode)));
        }
        Ok((file_info(display_path(&relative), &stat), File::from(fd)))
    }
}

/// Flags for reading a file and never a link; without `NONBLOCK`, opening a pipe would wait for a writer.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Flags for creating a file.
const CREATE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A relative path for results: no `.`, no double slashes; the root is `.`.
fn display_path(relative: &str) -> String {
    match normal_path_parts(relative).collect::<Vec<_>>().as_slice() {
        [] => ".".to_owned(),
        parts => parts.join("/"),
    }
}
