//! What the user has not agreed to starts no agent.

use registry::Config;
use tool_core::{Result, tool_error};

/// Refuses to start what tables say that this user has not agreed to.
///
/// # Errors
/// `precondition_failed` with the tables.
pub(crate) fn require_trusted(config: &Config, tables: &[String]) -> Result<()> {
    let mut missing = tables
        .iter()
        .filter(|table| config.untrusted.contains(table));
    match missing.next() {
        None => Ok(()),
        Some(table) => Err(tool_error!(PreconditionFailed, "untrusted";
            "`[{table}]` starts programs, and this user has not agreed to it as it is now";
            "`mathchain trust` shows it, and asks")),
    }
}
