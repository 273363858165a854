//! Short forms of queries on prepared statements, and the failure of work on the file.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use tool_core::ToolError;

/// A BLAKE3 hash.
pub(crate) type Hash = [u8; 32];

/// Why work on the file failed: an error of SQLite, which is worded where the action is known, or a refusal.
#[derive(Debug)]
pub(crate) enum SqlError {
    Sql(rusqlite::Error),
    Refused(ToolError),
}

impl From<rusqlite::Error> for SqlError {
    fn from(err: rusqlite::Error) -> Self {
        Self::Sql(err)
    }
}

impl From<ToolError> for SqlError {
    fn from(err: ToolError) -> Self {
        Self::Refused(err)
    }
}

/// The result of work on the file.
pub(crate) type Done<T> = Result<T, SqlError>;

/// A value of a column. Reading does not fail: a damaged text, number or hash must reach the check that it fails.
pub(crate) trait SqlColumn: Sized {
    fn of(value: ValueRef<'_>) -> Self;
}

fn value_bytes(value: ValueRef<'_>) -> &[u8] {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        _ => &[],
    }
}

impl SqlColumn for String {
    fn of(value: ValueRef<'_>) -> Self {
        Self::from_utf8_lossy(value_bytes(value)).into_owned()
    }
}

impl SqlColumn for Vec<u8> {
    fn of(value: ValueRef<'_>) -> Self {
        value_bytes(value).to_vec()
    }
}

/// One of another length becomes zeros, which no content has.
impl SqlColumn for Hash {
    fn of(value: ValueRef<'_>) -> Self {
        value_bytes(value).try_into().unwrap_or_default()
    }
}

impl SqlColumn for f64 {
    fn of(value: ValueRef<'_>) -> Self {
        value.as_f64().unwrap_or(i64::of(value) as f64)
    }
}

impl SqlColumn for i64 {
    fn of(value: ValueRef<'_>) -> Self {
        value.as_i64().unwrap_or(0)
    }
}

impl SqlColumn for u64 {
    fn of(value: ValueRef<'_>) -> Self {
        i64::of(value).unsigned_abs()
    }
}

impl SqlColumn for u32 {
    fn of(value: ValueRef<'_>) -> Self {
        u64::of(value).try_into().unwrap_or(0)
    }
}

impl SqlColumn for bool {
    fn of(value: ValueRef<'_>) -> Self {
        i64::of(value) != 0
    }
}

impl<T: SqlColumn> SqlColumn for Option<T> {
    fn of(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => None,
            value => Some(T::of(value)),
        }
    }
}

/// The columns of a row: one, a tuple of some, or a struct of `row_structs!`.
pub(crate) trait SqlColumns: Sized {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self>;
}

impl<T: SqlColumn> SqlColumns for T {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        column_value(row, 0)
    }
}

macro_rules! tuples {
    ($(($($type:ident $place:literal),+))+) => {
        $(impl<$($type: SqlColumn),+> SqlColumns for ($($type,)+) {
            fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
                Ok(($(column_value::<$type>(row, $place)?,)+))
            }
        })+
    };
}
tuples! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) }

/// The value of one column.
pub(crate) fn column_value<T: SqlColumn>(row: &Row<'_>, place: usize) -> rusqlite::Result<T> {
    row.get_ref(place).map(T::of)
}

/// Defines structs that are read from rows: a column for each field, with its name.
macro_rules! row_structs {
    ($($(#[$meta:meta])* $vis:vis $name:ident { $($(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty),+ $(,)? })+) => {$(
        $(#[$meta])*
        $vis struct $name { $($(#[$doc])* $field_vis $field: $type),+ }

        impl $name {
            /// The query for it: its columns, and the rest that follows them.
            pub(crate) fn sql(rest: &str) -> String {
                format!("SELECT {} {rest}", stringify!($($field),+))
            }
        }

        impl $crate::sql::SqlColumns for $name {
            fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                let mut places = 0..;
                Ok(Self { $($field: $crate::sql::column_value(row, places.next().unwrap_or(0))?),+ })
            }
        }
    )+};
}
pub(crate) use row_structs;

/// Runs a statement; returns the number of changed rows.
pub(crate) fn execute_statement(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params)
}

/// Whether a query finds any row.
pub(crate) fn row_exists(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<bool> {
    connection.prepare_cached(sql)?.exists(params)
}

/// The first row of a query, if there is one.
pub(crate) fn first_row<T: SqlColumns>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Option<T>> {
    let mut query = connection.prepare_cached(sql)?;
    query.query_row(params, T::read).optional()
}

/// All rows of a query.
pub(crate) fn all_rows<T: SqlColumns>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Vec<T>> {
    let mut query = connection.prepare_cached(sql)?;
    query.query_map(params, T::read)?.collect()
}

/// Calls a function with every row of a query.
pub(crate) fn visit_rows<T: SqlColumns, E: From<rusqlite::Error>>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut query = connection.prepare_cached(sql)?;
    let mut rows = query.query(params)?;
    while let Some(row) = rows.next()? {
        take(T::read(row)?)?;
    }
    Ok(())
}

/// A limit of rows as SQLite takes it.
pub(crate) fn row_limit(count_max: usize) -> i64 {
    i64::try_from(count_max).unwrap_or(i64::MAX)
}
