//! Delimited text as numbers or named columns.

use tool_core::csv::{self, CsvNote, CsvReadError, CsvTable};
use tool_core::input::InputKind;
use tool_core::npy::NpyFault;
use tool_core::selection::DataSelection;

use crate::prelude::*;

/// An object of columns, which are `column_1`, `column_2`, ... without a header. Where no table is wanted, there is no header and
/// nothing is chosen by name, every cell is a number or missing, and the result is a list of rows, or a flat list for a single column; a
/// text that is said to have no header may also have texts, and is an object of columns then. Beside it stands what was found and may
/// surprise.
pub(super) fn parse_table(
    text: &str,
    selection: &DataSelection,
    kind: InputKind,
) -> Result<(Value, Vec<CsvNote>), NpyFault> {
    let dialect = &selection.dialect;
    let mut table = csv::read_csv(text, dialect, &|| Ok(())).map_err(|halt| match halt {
        CsvReadError::Fault(fault) => fault,
        CsvReadError::Stopped(stopped) => NpyFault::new(stopped.message(), "try again"),
    })?;
    let is_taken = |column: usize| {
        let name = &*table.names[column];
        let (one, several) = (&selection.column, &selection.columns);
        one.as_deref().is_none_or(|one| one == name)
            && several
                .as_ref()
                .is_none_or(|names| names.iter().any(|one| one == name))
    };
    let notes = std::mem::take(&mut table.notes);
    let notes = notes
        .into_iter()
        .filter(|note| note.column.is_none_or(is_taken))
        .collect();
    let has_texts = |table: &CsvTable| table.columns.iter().flatten().any(is_other);
    let is_grid = kind != InputKind::Table
        && !table.has_header
        && selection.is_whole_table()
        && (dialect.has_header.is_none() || !has_texts(&table));
    if is_grid {
        return Ok((table_to_grid(table)?, notes));
    }
    let columns = table.columns.into_iter().map(Value::array);
    let columns = Value::object(table.names.into_iter().zip(columns));
    Ok((columns, notes))
}

/// Whether a cell is neither a number nor missing.
fn is_other(cell: &Value) -> bool {
    !cell.is_null() && cell.as_f64().is_none()
}

fn table_to_grid(table: CsvTable) -> Result<Value, NpyFault> {
    for (column, cells) in table.columns.iter().enumerate() {
        if let Some(row) = cells.iter().position(is_other) {
            let hint = "the first row has only numbers and is not a header: say `\"has_header\": true` beside `$file` if it names the columns, `false` for columns of text";
            let first = cells
                .iter()
                .position(|cell| cell.as_str().is_some_and(|text| !is_number(text)));
            let row = first.unwrap_or(row);
            let found = match &cells[row] {
                Value::String(text) => format!("{text:?}"),
                other => other.kind(),
            };
            let (row, column) = (row + 1, column + 1);
            let message = format!("expected a number in row {row}, column {column}, found {found}");
            return Err(NpyFault::new(message, hint));
        }
    }
    let rows = table.columns.first().map_or(0, Vec::len);
    if let [only] = &table.columns[..] {
        return Ok(Value::array(only.clone()));
    }
    let complete = table.columns.iter().flatten().all(|cell| !cell.is_null());
    if complete {
        let cells = (0..rows).flat_map(|row| table.columns.iter().map(move |cells| &cells[row]));
        let (mut numbers, mut integral) = (Vec::new(), true);
        for cell in cells {
            numbers.push(cell.as_f64().unwrap_or(f64::NAN));
            integral &= matches!(cell, Value::Int(_));
        }
        let shape = vec![rows, table.columns.len()];
        return Ok(Numbers::new(shape, numbers, integral).map_or(Value::Null, Value::Numbers));
    }
    let row = |row: usize| {
        let cells = table.columns.iter();
        Value::array(cells.map(|cells| cells[row].clone()).collect())
    };
    Ok(Value::array((0..rows).map(row).collect()))
}

/// Whether a text of a column of texts is a number by itself.
fn is_number(text: &str) -> bool {
    let number = json::parse_json(text.trim(), json::JsonLimits::default());
    number.is_ok_and(|number| number.as_f64().is_some())
}
