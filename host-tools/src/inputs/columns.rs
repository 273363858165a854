//! Tables of files by what is selected of them.

use tables::read::CsvShape;
use tables::{FileForm, ReadLimits, ReadOptions, TableError, TableRead};
use tool_core::selection::DataSelection;

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
