//! Tables as values: typed columns that stay as they are between a file, a tool and the next step, and are an object of columns to
//! everybody who looks at them as a value.

use std::sync::Arc;

use tables::read::{LooseCell, LooseColumn, TypedColumn};
use tables::{DataTable, PlainCell, PlainColumn, TableColumn, parse_date, parse_moment};
use tool_core::value::{Numbers, TableSource};
use tool_core::{Ctx, Object, ToolError, Value, tool_error};

mod input;

#[cfg(test)]
mod tests;

pub use input::TableInput;

/// A typed table behind an object of columns.
#[derive(Debug)]
struct TypedTable(DataTable);

impl TableSource for TypedTable {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn names(&self) -> &[Arc<str>] {
        self.0.names()
    }

    fn column(&self, index: usize) -> Value {
        column_value(&self.0.columns()[index])
    }

    fn memory_bytes(&self) -> u64 {
        self.0.memory_bytes()
    }

    fn json_bytes_max(&self) -> u64 {
        let columns = self.0.columns().iter();
        columns.map(column_json_bytes_max).sum()
    }
}

/// At least the size of a column as JSON, in bytes.
fn column_json_bytes_max(column: &TableColumn) -> u64 {
    /// Longest text of a cell other than text: a decimal of 38 digits, or a time with its zone.
    const CELL_BYTES: u64 = 80;
    /// A character may need six: `\u0000`.
    const ESCAPED: u64 = 6;
    match column {
        TableColumn::Text(texts) => {
            let cells = texts.iter();
            let sizes = cells.map(|text| 5 + ESCAPED * text.map_or(0, str::len) as u64);
            sizes.sum()
        }
        _ => CELL_BYTES * column.len() as u64,
    }
}

/// A table as an object of columns. Dates and times are texts by ISO 8601 there, and missing cells are `null`.
pub fn table_value(table: DataTable) -> Value {
    match table.rows() {
        // An empty column has no type to keep.
        0 => Value::object(
            table
                .iter()
                .map(|(name, column)| (Arc::clone(name), column_value(column))),
        ),
        _ => Object::of_table(Arc::new(TypedTable(table))).into(),
    }
}

/// The typed table behind an object of columns, where there is one.
pub fn typed_table(value: &Value) -> Option<&DataTable> {
    let TypedTable(table) = value.as_object()?.table_as::<TypedTable>()?;
    Some(table)
}

/// The cells of a column: numbers as one block where all are there, else a list.
pub fn column_value(column: &TableColumn) -> Value {
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

/// Most cells of a table that a result hands on.
const CELLS_MAX: usize = 50_000_000;
/// Bytes of a cell in a record.
const RECORD_CELL_BYTES: u64 = 64;

/// A table as a tool answers it.
#[derive(Debug)]
pub struct TableResult {
    /// The first rows, each a record.
    pub rows: Value,
    /// The whole table, for further steps.
    pub table: Value,
}

/// A table as a result, with so many of its rows as records; `hint` says how the tool gives a smaller one.
///
/// # Errors
/// `limit_exceeded` for more than 50,000,000 cells, since a part would give the next step another answer; memory beyond the limit of the call.
pub fn table_result(
    table: DataTable,
    shown: usize,
    hint: &str,
    ctx: &Ctx,
) -> Result<TableResult, ToolError> {
    let (rows, width) = (table.rows(), table.columns().len());
    let cells = rows.saturating_mul(width);
    if cells > CELLS_MAX {
        return Err(tool_error!(LimitExceeded, "limit";
            "the table has {rows} rows of {width} columns, {cells} cells: a result hands on at most {CELLS_MAX}")
        .hint(hint));
    }
    let shown = shown.min(rows);
    ctx.reserve(table.memory_bytes() + (shown * width) as u64 * RECORD_CELL_BYTES)?;
    Ok(TableResult {
        rows: record_values(&table.head(shown)),
        table: table_value(table),
    })
}

/// The rows of a table as a list of records.
fn record_values(table: &DataTable) -> Value {
    let columns: Vec<Vec<Value>> = table
        .columns()
        .iter()
        .map(|column| column_value(column).items().unwrap_or_default())
        .collect();
    let record = |row: usize| {
        let cells = table.names().iter().zip(&columns);
        let members = cells.map(|(name, cells)| (Arc::clone(name), cells[row].clone()));
        Value::from(members.collect::<Object>())
    };
    Value::array((0..table.rows()).map(record).collect())
}

/// The typed columns of an object of columns, by their names. A typed table behind it is taken as it is, and gives the same columns as
/// its cells would.
fn typed_columns(object: &Object) -> Vec<(Arc<str>, TypedColumn)> {
    match object.table_as::<TypedTable>() {
        Some(TypedTable(table)) => table
            .iter()
            .map(|(name, column)| (Arc::clone(name), settled_column(column)))
            .collect(),
        None => object
            .iter()
            .map(|(name, cells)| (Arc::from(name), typed_column(cells)))
            .collect(),
    }
}

/// The column of a list of cells; without cells for anything else.
fn typed_column(cells: &Value) -> TypedColumn {
    match cells {
        Value::Numbers(numbers) if numbers.rank() == 1 => TypedColumn {
            column: number_column(numbers),
            note: None,
        },
        Value::Array(cells) => {
            let mut column = LooseColumn::default();
            cells.iter().for_each(|cell| column.push(loose_cell(cell)));
            column.finish()
        }
        _ => TypedColumn {
            column: TableColumn::Missing(0),
            note: None,
        },
    }
}

/// The column that the cells of a column give once they are values: the same bytes, whether a step runs or its recorded result is read.
fn settled_column(column: &TableColumn) -> TypedColumn {
    let is_settled = column.missing_count() < column.len()
        && match column {
            TableColumn::Integer(_) | TableColumn::Boolean(_) => true,
            TableColumn::Double(numbers) => numbers.iter().flatten().all(f64::is_finite),
            TableColumn::Text(texts) => {
                let first = texts.iter().flatten().next();
                first.is_some_and(|text| parse_date(text).is_none() && parse_moment(text).is_none())
            }
            _ => false,
        };
    match is_settled {
        true => TypedColumn {
            column: column.clone(),
            note: None,
        },
        false => typed_column(&column_value(column)),
    }
}

/// Integers where all numbers are, as the packed block says.
fn number_column(numbers: &Numbers) -> TableColumn {
    let cells = numbers.as_slice().iter();
    match numbers.integral() {
        true => TableColumn::integers(cells.map(|number| Some(*number as i64))),
        false => TableColumn::doubles(cells.map(|number| Some(*number))),
    }
}

/// A cell as it was given.
fn loose_cell(cell: &Value) -> LooseCell {
    match cell {
        Value::Bool(value) => LooseCell::Boolean(*value),
        Value::Int(value) => LooseCell::Integer(*value),
        Value::Float(value) => LooseCell::Double(*value),
        Value::String(text) => LooseCell::Text(Arc::clone(text)),
        _ => LooseCell::Missing,
    }
}
