//! Folders: the workspaces that share one state, by number. Lists of a shared state show the rows of one of them.
//!
//! The number of a row is not part of any hash: it decides what is listed, never what is permitted.

use registry::WorkspaceId;
use rusqlite::{Transaction, params};

use super::sql;

/// Selects the rows of a folder: its identity is the parameter `?1`, its root `?2`; both are null for every folder.
pub(super) const IS_IN: &str =
    "(?1 IS NULL OR folder IN (SELECT number FROM folders WHERE id = ?1 OR root = ?2))";

/// The root of the folder of a row.
pub(super) const ROOT: &str = "(SELECT root FROM folders WHERE number = folder) AS folder_root";

/// The two parameters of [`IS_IN`].
pub(super) fn folder_params(folder: Option<&WorkspaceId>) -> (Option<&str>, Option<&str>) {
    (
        folder.map(|folder| &*folder.id),
        folder.map(|folder| &*folder.root),
    )
}

/// The number of a folder, which is new in the file or has moved since; `None` without one.
pub(super) fn folder_number(
    transaction: &Transaction<'_>,
    folder: Option<&WorkspaceId>,
) -> rusqlite::Result<Option<i64>> {
    const SQL: &str = "INSERT INTO folders(id, root) VALUES (?1, ?2)
         ON CONFLICT(id) DO UPDATE SET root = excluded.root RETURNING number";
    let Some(WorkspaceId { id, root, .. }) = folder else {
        return Ok(None);
    };
    sql::first_row(transaction, SQL, params![id, root])
}
