//! Tables one below the other.

use std::sync::Arc;

use crate::cell::TableCell;
use crate::column::{ColumnType, TableColumn};
use crate::error::TableError;
use crate::table::{DataTable, ROWS_MAX};

/// A table, and the name of where it is from, such as a file.
#[derive(Debug, Clone, PartialEq)]
pub struct TablePart {
    /// Where it is from.
    pub name: String,
    /// The table.
    pub table: DataTable,
}

/// Tables stacked, and what surprises about their types.
#[derive(Debug, Clone, PartialEq)]
pub struct StackedTable {
    /// The table.
    pub table: DataTable,
    /// Sentences about columns of several types.
    pub notes: Vec<String>,
}

impl DataTable {
    /// The rows of tables one below the other. All have the same columns, in any order; the order is that of the first. A column has the type that
    /// all tables give it, numbers where these are integers in one and numbers in another, and texts otherwise. With `source`, the first column
    /// has the name of the table of each row.
    ///
    /// # Errors
    /// No table, a table with other columns than the first, a name of `source` that a column has, and too many rows.
    pub fn stack(tables: &[TablePart], source: Option<&str>) -> Result<StackedTable, TableError> {
        let Some(first) = tables.first() else {
            return Err(TableError::operation("there is no table", "name a file"));
        };
        tables
            .iter()
            .skip(1)
            .try_for_each(|one| check_columns(first, one))?;
        let rows: usize = tables.iter().map(|one| one.table.rows()).sum();
        if rows > ROWS_MAX {
            return Err(TableError::limit("rows of a table", rows, ROWS_MAX));
        }
        let mut notes = Vec::new();
        let mut stacked: Vec<(Arc<str>, TableColumn)> = Vec::new();
        if let Some(source) = source {
            let names = tables.iter();
            let names = names.flat_map(|one| (0..one.table.rows()).map(|_| Some(&*one.name)));
            stacked.push((source.into(), TableColumn::texts(names)));
        }
        for name in first.table.names() {
            let columns = tables.iter().map(|one| one.table.column(name).cloned());
            let columns: Vec<TableColumn> = columns.collect::<Result<_, _>>()?;
            let column = stack_columns(&columns);
            notes.extend(mixture_note(name, &columns, &column));
            stacked.push((Arc::clone(name), column));
        }
        Ok(StackedTable {
            table: Self::new(stacked)?,
            notes,
        })
    }
}

/// Refuses a table whose columns are not those of the first one.
fn check_columns(first: &TablePart, other: &TablePart) -> Result<(), TableError> {
    const HINT: &str = "tables that become one have the same columns, in any order; name the common ones as `columns`";
    let missing = |wanted: &TablePart, found: &TablePart| -> Result<(), TableError> {
        let known: std::collections::HashSet<&str> =
            found.table.names().iter().map(|name| &**name).collect();
        match wanted
            .table
            .names()
            .iter()
            .find(|name| !known.contains(&***name))
        {
            None => Ok(()),
            Some(name) => Err(TableError::operation(
                format_args!(
                    "`{}` has a column `{name}`, and `{}` has none",
                    wanted.name, found.name
                ),
                HINT,
            )),
        }
    };
    missing(first, other)?;
    missing(other, first)
}

/// What is said of a column that has become texts, though it was of other types.
fn mixture_note(name: &str, columns: &[TableColumn], stacked: &TableColumn) -> Option<String> {
    let types = columns.iter().map(TableColumn::column_type);
    let other = types
        .clone()
        .find(|one| !matches!(one, ColumnType::Text | ColumnType::Missing))?;
    matches!(stacked, TableColumn::Text(_)).then(|| {
        format!("column `{name}`: {other} in one table and another type in others, read as texts")
    })
}

/// The cells of columns one after the other: of one type as they are, of several types of numbers as doubles where these hold all integers, else as
/// texts.
pub(crate) fn stack_columns(columns: &[TableColumn]) -> TableColumn {
    /// Largest magnitude up to which every integer is a double.
    const SAFE: u64 = 1 << 53;
    if let Some(joined) = TableColumn::concat_all(columns) {
        return joined;
    }
    let cells = || columns.iter().flat_map(TableColumn::cells);
    let is_number = |column: &TableColumn| {
        column.column_type().is_number() || matches!(column, TableColumn::Missing(_))
    };
    let is_safe = |cell: TableCell<'_>| match cell {
        TableCell::Integer(value) => value.unsigned_abs() <= SAFE,
        _ => true,
    };
    if columns.iter().all(is_number) && cells().all(is_safe) {
        return TableColumn::doubles(cells().map(|cell| cell.as_double()));
    }
    let texts: Vec<Option<String>> = cells()
        .map(|cell| (!cell.is_missing()).then(|| cell.to_string()))
        .collect();
    TableColumn::texts(texts.iter().map(Option::as_deref))
}
