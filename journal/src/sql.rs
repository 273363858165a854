//! Short forms of queries on prepared statements, and the failure of work on the file.

use rusqlite::{Connection, OptionalExtension, Params, Row};
use tool_core::ToolError;

/// Why work on the file failed: an error of SQLite, which is worded where the action is known, or a refusal.
#[derive(Debug)]
pub(super) enum Failure {
    Sql(rusqlite::Error),
    Refused(ToolError),
}

impl From<rusqlite::Error> for Failure {
    fn from(err: rusqlite::Error) -> Self {
        Self::Sql(err)
    }
}

impl From<ToolError> for Failure {
    fn from(err: ToolError) -> Self {
        Self::Refused(err)
    }
}

/// The result of work on the file.
pub(super) type Done<T> = Result<T, Failure>;

/// Runs a statement; returns the number of changed rows.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params)
}

/// The first row of a query, if there is one.
pub(super) fn row<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    let mut query = connection.prepare_cached(sql)?;
    query.query_row(params, read).optional()
}

/// All rows of a query.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection
        .prepare_cached(sql)?
        .query_map(params, read)?
        .collect()
}

/// Calls a function with every row of a query.
pub(super) fn each<E: From<rusqlite::Error>>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    mut take: impl FnMut(&Row<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut query = connection.prepare_cached(sql)?;
    let mut rows = query.query(params)?;
    while let Some(row) = rows.next()? {
        take(row)?;
    }
    Ok(())
}

/// A limit of rows as SQLite takes it.
pub(super) fn limit(count_max: usize) -> i64 {
    i64::try_from(count_max).unwrap_or(i64::MAX)
}

/// A time in milliseconds as it is read from a column.
pub(super) fn ms_at(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}
