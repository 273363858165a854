//! A folder that is there, compared with what unpacking an archive into it would make.

use std::io::{self, Read, Write};

use tool_core::capability::{Draft, FileKind, FileReader, Files, Links};
use tool_core::{Ctx, ErrorCode, ToolError};

use super::limits::MEMBERS_MAX;

/// Takes what would be written, and fails where the folder holds anything else.
pub(super) struct Held<'f> {
    files: &'f dyn Files,
    folder: &'f str,
    /// Sizes of the files that were compared. Each holds at least what would be written, so all hold just that where this is the
    /// sum of what would be.
    bytes: u64,
}

impl<'f> Held<'f> {
    pub(super) fn new(files: &'f dyn Files, folder: &'f str) -> Self {
        Self {
            files,
            folder,
            bytes: 0,
        }
    }

    /// Whether what was compared is all there is: so many files, and so many bytes in them.
    pub(super) fn is_all(&self, count: u64, bytes: u64, ctx: &Ctx) -> Result<bool, ToolError> {
        let most = usize::try_from(MEMBERS_MAX).unwrap_or(usize::MAX);
        let (found, more) = self.files.list(self.folder, true, 2 * most, ctx.stop())?;
        let others = found.iter().filter(|one| one.kind != FileKind::Directory);
        Ok(!more && others.count() as u64 == count && self.bytes == bytes)
    }

    fn path(&self, path: &str) -> String {
        format!("{}/{path}", self.folder.trim_end_matches('/'))
    }
}

impl Draft for Held<'_> {
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
    ToolError::new(
        ErrorCode::Conflict,
        format_args!("`{path}` is not what the archive holds"),
    )
}

/// A file that is read as far as something else would be written to it.
struct Comparing(Box<dyn FileReader>);

impl Write for Comparing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = vec![0; bytes.len()];
        self.0.read_exact(&mut held)?;
        match held == bytes {
            true => Ok(bytes.len()),
            false => Err(io::Error::other("it holds something else")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
