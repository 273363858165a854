//! Delimited text as numbers or named columns.

use tool_core::csv::{self, Csv, Dialect, Halt};
use tool_core::npy::Fault;

use crate::prelude::*;

/// With a header, an object of columns. Without one, every cell is a number or missing, and the result is a list of rows, or a
/// flat list for a single column.
pub(super) fn parse(text: &str, delimiter: Option<u8>) -> Result<Value, Fault> {
    let dialect = Dialect {
        delimiter,
        ..Dialect::default()
    };
    let table = csv::read(text, &dialect, &|| Ok(())).map_err(|halt| match halt {
        Halt::Fault(fault) => fault,
        Halt::Stopped(stopped) => Fault::new(stopped.message(), "try again"),
    })?;
    if !table.has_header {
        return grid(table);
    }
    let columns = table.columns.into_iter().map(Value::array);
    Ok(Value::object(table.names.into_iter().zip(columns)))
}

fn grid(table: Csv) -> Result<Value, Fault> {
    for (column, cells) in table.columns.iter().enumerate() {
        let other = |cell: &Value| !cell.is_null() && cell.as_f64().is_none();
        if let Some(row) = cells.iter().position(other) {
            let hint = "the first row has only numbers and is not a header: add a header line for columns of text";
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
            return Err(Fault::new(message, hint));
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
    let number = json::parse(text.trim(), json::Limits::default());
    number.is_ok_and(|number| number.as_f64().is_some())
}
