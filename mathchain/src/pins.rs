//! What this user has agreed to by `mathchain plugins pin`: the digests of tables and lists of MCP servers.
//!
//! Table and list are files of a project, which may come from anywhere; this record is the user's own, and no tool writes there.

use std::path::PathBuf;

use registry::model::{McpServer, Pin};
use registry::plugins::server_digest;
use tool_core::{Result, tool_error};

use crate::{environment, io, owned};

/// Most digests that are kept, the newest last.
const KEPT_MAX: usize = 1000;

fn file() -> Option<PathBuf> {
    Some(environment::user_state_folder()?.join("mcp-servers"))
}

fn known() -> Vec<String> {
    let text = file().and_then(|file| owned::read(&file).ok().flatten());
    let text = text.unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Whether this user agreed to a server as it is written now.
pub(crate) fn are_agreed_to(server: &McpServer, pin: &Pin) -> bool {
    known().contains(&server_digest(server, pin))
}

/// Records that this user agrees.
///
/// # Errors
/// No state folder of the user, or one that cannot be written.
pub(crate) fn agree_to(server: &McpServer, pin: &Pin) -> Result<()> {
    let file = file().ok_or_else(|| {
        tool_error!(PreconditionFailed, "environment"; "this user has no state folder"; "set HOME to an absolute path")
    })?;
    let digest = server_digest(server, pin);
    let mut kept = known();
    kept.retain(|known| *known != digest);
    kept.push(digest);
    let kept = kept.split_off(kept.len().saturating_sub(KEPT_MAX));
    let failed = |err| io::cannot_write(&file, &err);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let text = format!("{}\n", kept.join("\n"));
    io::replace(&file, text.as_bytes(), io::Readers::Owner).map_err(failed)
}
