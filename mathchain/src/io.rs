//! Files named by the user, and the errors of reading and writing them.

use std::fmt::Display;
use std::io::{Error, Write as _};
use std::path::Path;

use tool_core::{ToolError, tool_error};

/// The error for a file that cannot be read; `name` is a path or a description.
pub(crate) fn cannot_read(name: impl Display, err: &dyn Display) -> ToolError {
    tool_error!(InvalidRequest, "io"; "cannot read {name}: {err}")
}

/// The error for a file that cannot be written.
pub(crate) fn cannot_write(path: &Path, err: &Error) -> ToolError {
    tool_error!(ToolError, "io"; "cannot write `{}`: {err}", path.display())
}

/// Writes a new file durably; an existing one is an error.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = std::fs::File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
