//! A copy of the file while it is in use.

use std::path::Path;

use tool_core::{Result, tool_error};

use super::error;
use super::state::StateStore;

impl StateStore {
    /// Writes the state as of now to a new file, whatever other processes do meanwhile: a snapshot, checked page by page.
    ///
    /// # Errors
    /// `tool_error` where the file exists or cannot be written, or the copy is not sound.
    pub fn snapshot(&self, to: &Path) -> Result<()> {
        self.flush()?;
        let path = to.to_str().ok_or_else(|| {
            tool_error!(ToolError, "io"; "`{}` is not UTF-8", to.display(); "choose another folder")
        })?;
        self.shared.read("copy the state", |connection| {
            connection.execute("VACUUM INTO ?", [path])?;
            Ok(())
        })?;
        let fail = |err: rusqlite::Error| error::of_sqlite("check the copy of the state", to, &err);
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let copy = rusqlite::Connection::open_with_flags(to, flags).map_err(fail)?;
        let found: String = copy
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(fail)?;
        match found.as_str() {
            "ok" => Ok(()),
            found => Err(
                tool_error!(ToolError, "state_corrupt"; "the copy of the state is not sound: {found}";
                "`mathchain doctor` shows the state file; use an earlier backup"),
            ),
        }
    }
}
