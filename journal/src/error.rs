//! Errors of SQLite as errors of tools.

use std::path::Path;

use rusqlite::ErrorCode as Sqlite;
use tool_core::{ErrorCode, Reason, ToolError, tool_error};

/// Converts an error of SQLite, naming the action that failed.
pub(super) fn of_sqlite(action: &str, file: &Path, err: &rusqlite::Error) -> ToolError {
    let shown = file.display();
    let code = err.sqlite_error_code();
    match code {
        Some(Sqlite::NotADatabase | Sqlite::DatabaseCorrupt) => tool_error!(ToolError, "cannot {action}: the state file `{shown}` is damaged: {err}")
        .reason("state_corrupt")
        .hint(format!(
            "retain the file and start a new one: move `{shown}` (and `{shown}-wal`, `{shown}-shm` beside it) to another name and run again"
        )),
        Some(Sqlite::ReadOnly | Sqlite::CannotOpen | Sqlite::PermissionDenied) => {
            file_unwritable(file, err)
        }
        Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked | Sqlite::FileLockingProtocolFailed) => {
            file_busy(action, file)
        }
        Some(Sqlite::DiskFull) => tool_error!(ToolError, "cannot {action}: no space left for `{shown}`")
        .reason("state_full")
        .hint("free space on the disk and call again"),
        _ => tool_error!(ToolError, "state_io"; "cannot {action} in `{shown}`: {err}"),
    }
}

/// The error for a file that another process uses.
pub(super) fn file_busy(action: &str, file: &Path) -> ToolError {
    tool_error!(
        Conflict,
        "cannot {action}: `{}` is locked by another process",
        file.display()
    )
    .reason("state_busy")
    .hint("call again when the other process has finished")
}

/// The error for a file that cannot be read.
pub(super) fn file_unreadable(file: &Path, why: impl std::fmt::Display) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("the state `{}` cannot be read: {why}", file.display()),
    )
    .reason("state_unreadable")
    .hint("set a state folder that you may read: `[workspace] state`, or XDG_STATE_HOME")
}

/// The error for a folder or file that cannot be created or written.
pub(super) fn file_unwritable(file: &Path, why: impl std::fmt::Display) -> ToolError {
    tool_error!(ToolError, "the state `{}` cannot be written: {why}", file.display())
    .reason(Reason::StateUnwritable)
    .hint("set `[workspace] state` to a folder you can write; without a state, calls with effects are refused")
}
