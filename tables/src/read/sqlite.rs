//! A table of an SQLite database, which is opened from its bytes and for reading alone.

use std::sync::Arc;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::loose::{LooseCell, LooseColumn};
use super::{ReadLimits, TableRead, table_of_typed};
use crate::error::{StopCheck, TableError, check_row};
use crate::table::check_column_count;

const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where the header says how the file is written and read: 2 for a log beside the file, which bytes alone have not.
const VERSIONS: std::ops::Range<usize> = 18..20;
/// Longest text in a cell, in bytes.
const CELL_BYTES_MAX: i32 = 100_000_000;

fn format_fault(err: impl std::fmt::Display) -> TableError {
    let hint = "copy the database with `VACUUM INTO`, or export the table";
    TableError::format(format_args!("no readable SQLite database: {err}"), hint)
}

/// Reads a table: the only one where none is named. Views and virtual tables are not read, since they run what the file says.
///
/// # Errors
/// A file that is no database, a table that is not there, cells of bytes, limits; a stop.
pub(super) fn read_sqlite(
    bytes: &[u8],
    table: Option<&str>,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<TableRead, TableError> {
    if !bytes.starts_with(MAGIC) || bytes.len() < 100 {
        return Err(format_fault("it does not begin as one"));
    }
    if (bytes.len() as u64) < stated_size(bytes) {
        return Err(format_fault("it is cut short"));
    }
    let connection = open_bytes(bytes).map_err(format_fault)?;
    let names = table_names(&connection).map_err(format_fault)?;
    let listed = || match names.is_empty() {
        true => "it has no table".to_owned(),
        false => format!("its tables are {}", names.join(", ")),
    };
    let unknown = |message: String| TableError::UnknownMember {
        message,
        hint: "name one of its tables",
    };
    let name = match (table, names.as_slice()) {
        (Some(table), names) => {
            let found = names.iter().find(|name| *name == table);
            found.ok_or_else(|| unknown(format!("no table is named `{table}`: {}", listed())))?
        }
        (None, [only]) => only,
        (None, _) => {
            let count = names.len();
            return Err(unknown(format!(
                "expected one table, found {count}: {}",
                listed()
            )));
        }
    };
    let query = format!("SELECT * FROM \"{}\"", name.replace('"', "\"\""));
    let mut statement = connection.prepare(&query).map_err(format_fault)?;
    let columns: Vec<Arc<str>> = statement.column_names().map(Arc::from).collect();
    check_column_count(columns.len())?;
    let mut cells = vec![LooseColumn::default(); columns.len()];
    let mut rows = statement.query([]).map_err(format_fault)?;
    let mut count = 0;
    let mut text_bytes = 0;
    while let Some(row) = rows.next().map_err(format_fault)? {
        check_row(count, stop)?;
        count += 1;
        limits.check_cells(count, columns.len())?;
        for (index, column) in cells.iter_mut().enumerate() {
            let cell = row.get_ref(index).map_err(format_fault)?;
            let cell = match cell {
                ValueRef::Null => LooseCell::Missing,
                ValueRef::Integer(value) => LooseCell::Integer(value),
                ValueRef::Real(value) => LooseCell::Double(value),
                ValueRef::Text(text) => {
                    text_bytes += text.len() as u64;
                    let text = std::str::from_utf8(text).map_err(format_fault)?;
                    LooseCell::Text(text.into())
                }
                ValueRef::Blob(_) => {
                    return Err(TableError::UnsupportedType {
                        column: columns[index].to_string(),
                        found: "blob".to_owned(),
                    });
                }
            };
            column.push(cell);
        }
        limits.check_memory(text_bytes)?;
    }
    let typed = columns
        .into_iter()
        .zip(cells.into_iter().map(LooseColumn::finish));
    let mut read = table_of_typed(typed.collect())?;
    read.found.push(format!("table `{name}`"));
    Ok(read)
}

/// The size that the header states, in bytes: pages times their size, of which 1 stands for 65,536.
fn stated_size(bytes: &[u8]) -> u64 {
    let page = match u16::from_be_bytes([bytes[16], bytes[17]]) {
        1 => 1 << 16,
        size => u64::from(size),
    };
    let pages = u32::from_be_bytes([bytes[28], bytes[29], bytes[30], bytes[31]]);
    page * u64::from(pages)
}

fn open_bytes(bytes: &[u8]) -> rusqlite::Result<Connection> {
    let mut content = bytes.to_vec();
    content[VERSIONS].fill(1);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_MEMORY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_in_memory_with_flags(flags)?;
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, CELL_BYTES_MAX),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    for (config, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    ] {
        connection.set_db_config(config, value)?;
    }
    let size = content.len();
    connection.deserialize_read_exact(rusqlite::MAIN_DB, content.as_slice(), size, true)?;
    Ok(connection)
}

/// The tables, in order. Their definitions are read as text too, since the names of their columns come from there, and the library panics
/// where such a name is not UTF-8.
fn table_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         AND upper(substr(ltrim(sql), 1, 20)) NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )?;
    let names = statement.query_map([], |row| {
        let _definition: String = row.get(1)?;
        row.get(0)
    })?;
    names.collect()
}
