//! Comparison of an existing folder with the content of an archive.

use std::io::{self, Read, Write};

use tool_core::capability::{Draft, FileKind, FileReader, Files, Links};

use super::limits::MEMBERS_MAX;
use crate::prelude::*;

/// Accepts the content of an archive as a draft, and fails where the folder differs.
pub(super) struct ExistingFolder<'f> {
    files: &'f dyn Files,
    folder: &'f str,
    /// Sizes of the compared files. Each has at least the content to write, so all are equal to it when the sizes add up to the
    /// total of the archive.
    bytes: u64,
}

impl<'f> ExistingFolder<'f> {
    pub(super) fn new(files: &'f dyn Files, folder: &'f str) -> Self {
        Self {
            files,
            folder,
            bytes: 0,
        }
    }

    /// Whether the folder has exactly so many files, with so many bytes.
    pub(super) fn is_complete(&self, count: u64, bytes: u64, ctx: &Ctx) -> Result<bool, ToolError> {
        let most = usize::try_from(MEMBERS_MAX).unwrap_or(usize::MAX);
        let (found, more) = self.files.list(self.folder, true, 2 * most, ctx.stop())?;
        let others = found.iter().filter(|one| one.kind != FileKind::Directory);
        Ok(!more && others.count() as u64 == count && self.bytes == bytes)
    }

    fn path(&self, path: &str) -> String {
        format!("{}/{path}", self.folder.trim_end_matches('/'))
    }
}

impl Draft for ExistingFolder<'_> {
    fn make_folder(&mut self, path: &str) -> Result<(), ToolError> {
        match self.files.stat(&self.path(path))?.kind {
            FileKind::Directory => Ok(()),
            _ => Err(differs(path)),
        }
    }

    fn make_file(&mut self, path: &str, _: bool) -> Result<Box<dyn Write + Send>, ToolError> {
        let (info, reader) = self.files.open(&self.path(path), Links::Refuse)?;
        self.bytes += info.size;
        Ok(Box::new(Comparing(reader)))
    }

    fn finish(self: Box<Self>) -> Result<(), ToolError> {
        Ok(())
    }
}

fn differs(path: &str) -> ToolError {
    tool_error!(Conflict, "`{path}` differs from the archive")
}

/// A file that is compared with the bytes written to it.
struct Comparing(Box<dyn FileReader>);

impl Write for Comparing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = vec![0; bytes.len()];
        self.0.read_exact(&mut held)?;
        match held == bytes {
            true => Ok(bytes.len()),
            false => Err(io::Error::other("its content differs")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
