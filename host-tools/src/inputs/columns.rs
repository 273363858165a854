//! Columns of tables as values, and values as columns.

use std::sync::Arc;

use tables::read::{CsvShape, LooseCell, LooseColumn};
use tables::{
    DataTable, FileForm, PlainCell, PlainColumn, ReadLimits, ReadOptions, TableColumn, TableError,
    TableRead,
};
use tool_core::selection::DataSelection;
use tool_core::{Object, Table};

use crate::prelude::*;

/// The error of a file of tables.
pub(crate) fn table_file_error(path: &str, err: &TableError) -> ToolError {
    let code = match err {
        TableError::Limit { .. } => ErrorCode::LimitExceeded,
        TableError::Stopped => ErrorCode::Cancelled,
        _ => ErrorCode::InvalidArgs,
    };
    let reason = match err {
        TableError::Limit { .. } => "file_size",
        TableError::UnknownColumn { .. } | TableError::UnknownMember { .. } => "selection",
        _ => "format",
    };
    ToolError::new(code, format_args!("`{path}`: {err}"))
        .reason(reason)
        .hint(err.hint())
}

/// The table of a file by what is selected beside `$file`; of Parquet and Arrow only the columns that are needed are decoded.
pub(super) fn read_selected(
    path: &str,
    form: FileForm,
    selection: &DataSelection,
    bytes: &[u8],
    bytes_max: u64,
) -> Result<TableRead> {
    let limits = ReadLimits::of_bytes(bytes_max);
    let go_on = || false;
    let plain = ReadOptions {
        sheet: selection.member.clone(),
        table: selection.member.clone(),
        csv: CsvShape {
            delimiter: selection.dialect.delimiter,
            has_header: selection.dialect.has_header,
            decimal_comma: selection.dialect.decimal_comma,
            missing_words: selection.dialect.missing_words.clone(),
            exact_decimals: false,
        },
        ..ReadOptions::default()
    };
    let chosen = selection
        .column
        .iter()
        .chain(selection.columns.iter().flatten());
    let mut needed: Vec<String> = chosen.cloned().collect();
    for (name, _) in &selection.rows {
        if selection.selects_columns() && !needed.contains(name) {
            needed.push(name.clone());
        }
    }
    let options = ReadOptions {
        columns: (!needed.is_empty()).then_some(needed),
        ..plain.clone()
    };
    let read = match tables::read_table(bytes, form, &options, limits, &go_on) {
        // The selection is applied to all columns then, and names the nearest.
        Err(TableError::UnknownColumn { .. }) => {
            tables::read_table(bytes, form, &plain, limits, &go_on)
        }
        read => read,
    };
    read.map_err(|err| table_file_error(path, &err))
}

/// A table as an object of columns.
pub(crate) fn table_value(table: &DataTable) -> Value {
    let mut columns = Object::new();
    for (name, column) in table.iter() {
        columns.push_unique(Arc::clone(name), column_value(column));
    }
    columns.into()
}

/// The cells of a column.
pub(crate) fn column_value(column: &TableColumn) -> Value {
    match column.to_plain() {
        PlainColumn::Numbers(numbers, is_integral) => {
            Value::Numbers(Numbers::vector(numbers, is_integral))
        }
        PlainColumn::Cells(cells) => Value::array(cells.into_iter().map(cell_value).collect()),
    }
}

fn cell_value(cell: PlainCell) -> Value {
    match cell {
        PlainCell::Null => Value::Null,
        PlainCell::Integer(value) => Value::Int(value),
        PlainCell::Double(value) => Value::from(value),
        PlainCell::Boolean(value) => Value::Bool(value),
        PlainCell::Text(text) => Value::String(text),
    }
}

/// A table that an argument gave, in typed columns; sentences say what surprises about their types.
///
/// # Errors
/// Two columns of one name, and limits.
pub(crate) fn typed_table(table: &Table, notes: &mut Vec<String>) -> Result<DataTable, TableError> {
    let mut columns: Vec<(Arc<str>, TableColumn)> = Vec::new();
    for (name, cells) in table.names().zip(table.columns()) {
        let mut column = LooseColumn::default();
        for cell in cells {
            column.push(match cell {
                Value::Bool(value) => LooseCell::Boolean(*value),
                Value::Int(value) => LooseCell::Integer(*value),
                Value::Float(value) => LooseCell::Double(*value),
                Value::String(text) => LooseCell::Text(Arc::clone(text)),
                _ => LooseCell::Missing,
            });
        }
        let typed = column.finish();
        notes.extend(typed.note.map(|note| format!("column `{name}`: {note}")));
        columns.push((name.into(), typed.column));
    }
    DataTable::new(columns)
}
