//! The workspace on Linux: reading here, resolution in `resolve`, writing in `write`, listing in `list`.

mod error;
mod list;
mod resolve;
mod write;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rustix::fs::{FileType, OFlags, Stat, fstat};
use tool_core::capability::{FileContent, FileInfo, FileKind, Files, WriteMode};
use tool_core::{StopFlag, ToolError};

use self::resolve::{Root, tidy};
use super::PROTECTED;

/// The files beneath one folder.
#[derive(Debug)]
pub struct Workspace {
    root: Root,
    protected: Vec<Vec<String>>,
}

impl Workspace {
    /// Opens a folder as the root; [`PROTECTED`] is never written to.
    ///
    /// # Errors
    /// `precondition_failed` when it is no folder or the kernel cannot resolve beneath it.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, ToolError> {
        Self::with_protected(root, PROTECTED)
    }

    /// Opens a folder with a list of its own of what is never written to, relative to the root; see [`PROTECTED`] for what
    /// an entry covers. `.git` is always covered.
    ///
    /// # Errors
    /// As [`Workspace::open`].
    pub fn with_protected(root: impl AsRef<Path>, protected: &[&str]) -> Result<Self, ToolError> {
        Ok(Self {
            root: Root::open(root.as_ref())?,
            protected: protected
                .iter()
                .map(|path| tidy(path).map(str::to_ascii_lowercase).collect())
                .collect(),
        })
    }
}

impl Files for Workspace {
    fn read(&self, path: &str, bytes_max: u64) -> Result<FileContent, ToolError> {
        let relative = self.root.relative(path)?;
        // Without O_NONBLOCK the opening of a pipe would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = self.root.open_following(&relative, flags, path)?;
        let stat = fstat(&fd).map_err(|err| error::io("read", path, err))?;
        if kind_of(stat.st_mode) != FileKind::File {
            return Err(error::not_regular(path, kind_of(stat.st_mode)));
        }
        let info = info(shown(&relative), &stat);
        let mut file = File::from(fd);
        let mut bytes = Vec::with_capacity(info.size.min(bytes_max).min(16 << 20) as usize);
        // The file may grow while it is read, and files such as those of /proc have size 0: the limit holds on the bytes.
        let mut part = (&mut file).take(bytes_max);
        part.read_to_end(&mut bytes)
            .map_err(|err| error::of_std("read", path, &err))?;
        let truncated = bytes.len() as u64 == bytes_max
            && file
                .read(&mut [0])
                .map_err(|err| error::of_std("read", path, &err))?
                > 0;
        Ok(FileContent {
            info,
            bytes,
            truncated,
        })
    }

    fn write(&self, path: &str, content: &[u8], mode: WriteMode) -> Result<FileInfo, ToolError> {
        write::write(self, path, content, mode)
    }

    fn list(
        &self,
        path: &str,
        recursive: bool,
        entries_max: usize,
        stop: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError> {
        list::list(&self.root, path, recursive, entries_max, stop)
    }

    fn make_folder(&self, path: &str) -> Result<(), ToolError> {
        write::make_folder(self, path)
    }

    fn identity(&self, path: &str) -> Result<String, ToolError> {
        let place = self.root.locate(&self.root.relative(path)?, path)?;
        Ok(match place.stat {
            Some(stat) if stat.st_nlink > 1 && kind_of(stat.st_mode) == FileKind::File => {
                format!("{}//{}:{}", place.path, stat.st_dev, stat.st_ino)
            }
            _ => place.path,
        })
    }
}

fn kind_of(mode: u32) -> FileKind {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

/// The facts of a file; only regular files have a size that means something.
fn info(path: String, stat: &Stat) -> FileInfo {
    let kind = kind_of(stat.st_mode);
    FileInfo {
        path,
        kind,
        size: if kind == FileKind::File {
            stat.st_size as u64
        } else {
            0
        },
        modified_s: stat.st_mtime as f64 + stat.st_mtime_nsec as f64 * 1e-9,
    }
}

/// A relative path as results show it: no `.`, no doubled slashes; the root is `.`.
fn shown(relative: &str) -> String {
    let parts: Vec<&str> = tidy(relative).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}
