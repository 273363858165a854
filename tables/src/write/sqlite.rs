//! A table as an SQLite database, whose table is named `data`.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::cell::TableCell;
use crate::column::ColumnType;
use crate::error::{StopCheck, TableError, check_row};
use crate::table::DataTable;

/// Most columns of a table of SQLite.
const SQLITE_COLUMNS_MAX: usize = 2000;

fn of_sqlite(err: rusqlite::Error) -> TableError {
    TableError::format(
        err,
        "names of columns may not differ in case alone; write .parquet instead",
    )
}

pub(super) fn write_sqlite(table: &DataTable, stop: StopCheck<'_>) -> Result<Vec<u8>, TableError> {
    let count = table.columns().len();
    if count == 0 || count > SQLITE_COLUMNS_MAX {
        return Err(TableError::limit(
            "columns of a table of SQLite, at least 1",
            count,
            SQLITE_COLUMNS_MAX,
        ));
    }
    let mut connection = Connection::open_in_memory().map_err(of_sqlite)?;
    let definitions: Vec<String> = table
        .iter()
        .map(|(name, column)| {
            let kind = match column.column_type() {
                ColumnType::Double => "REAL",
                ColumnType::Integer => "INTEGER",
                ColumnType::Boolean => "BOOLEAN",
                _ => "TEXT",
            };
            format!("\"{}\" {kind}", name.replace('"', "\"\""))
        })
        .collect();
    let transaction = connection.transaction().map_err(of_sqlite)?;
    let create = format!("CREATE TABLE data ({})", definitions.join(", "));
    transaction.execute(&create, []).map_err(of_sqlite)?;
    let marks = vec!["?"; count].join(", ");
    let mut insert = transaction
        .prepare(&format!("INSERT INTO data VALUES ({marks})"))
        .map_err(of_sqlite)?;
    for row in 0..table.rows() {
        check_row(row, stop)?;
        let cells = table.columns().iter().map(|column| match column.cell(row) {
            TableCell::Missing => Value::Null,
            TableCell::Double(value) => Value::Real(value),
            TableCell::Integer(value) => Value::Integer(value),
            TableCell::Boolean(value) => Value::Integer(i64::from(value)),
            cell => Value::Text(cell.to_string()),
        });
        insert.execute(params_from_iter(cells)).map_err(of_sqlite)?;
    }
    drop(insert);
    transaction.commit().map_err(of_sqlite)?;
    let bytes = connection.serialize(rusqlite::MAIN_DB).map_err(of_sqlite)?;
    Ok(bytes.to_vec())
}
