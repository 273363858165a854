//! Files named by the user, and the errors of reading and writing them.

use std::fmt::Display;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{Error, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use tool_core::{ToolError, tool_error};

/// The error for a file that cannot be read; `name` is a path or a description.
pub fn cannot_read(name: impl Display, err: &dyn Display) -> ToolError {
    tool_error!(InvalidRequest, "io"; "cannot read {name}: {err}")
}

/// The error for a file that cannot be written.
pub fn cannot_write(path: &Path, err: &Error) -> ToolError {
    tool_error!(ToolError, "io"; "cannot write `{}`: {err}", path.display())
}

/// Writes a new file durably; an existing one is an error.
pub fn write_new(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = std::fs::File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Who may read a file that is replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FileReaders {
    /// This user alone.
    Owner,
    /// Those of the file that was there; of a new file, as the process creates files.
    AsBefore,
}

/// Replaces a file whole or not at all: a draft beside it is synced, then renamed. A link is replaced, never followed: its target may be any file.
pub fn replace_file(path: &Path, content: &[u8], readers: FileReaders) -> Result<(), Error> {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_file_name(format!(".{name}.{}-{number}", std::process::id()));
    // What a process of this number left behind when it was killed.
    let _ = std::fs::remove_file(&draft);
    let written = write_draft(&draft, path, content, readers);
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}

fn write_draft(
    draft: &Path,
    path: &Path,
    content: &[u8],
    readers: FileReaders,
) -> Result<(), Error> {
    let before = std::fs::symlink_metadata(path).ok();
    let before = before.filter(|found| found.is_file() && readers == FileReaders::AsBefore);
    let before: Option<Permissions> = before.map(|found| found.permissions());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if readers == FileReaders::Owner || before.is_some() {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(draft)?;
    file.write_all(content)?;
    if let Some(before) = before {
        file.set_permissions(before)?;
    }
    file.sync_all()?;
    std::fs::rename(draft, path)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
