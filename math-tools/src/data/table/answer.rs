//! [`TableAnswer`]: a table as a result.

use std::sync::Arc;

use ::tables::{DataTable, PlainCell, PlainColumn, TableColumn};
use tool_core::Object;

use crate::prelude::*;

/// Rows that an answer shows as records by default.
pub(crate) const ROWS_SHOWN: i64 = 20;
/// Most cells of an answer.
const CELLS_MAX: usize = 4_000_000;
/// Bytes of a cell in an answer: the value, and its share of a record.
const CELL_BYTES: u64 = 64;

/// A table: its first rows as records, and all of its columns.
#[derive(Debug, Encode, Describe)]
pub(crate) struct TableAnswer {
    /// Names of the columns, in order.
    pub columns: Vec<String>,
    /// Type of each column: `number`, `integer`, `decimal`, `text`, `boolean`, `date`, `time` with its zone, or `missing` where no cell has a value.
    pub types: Vec<String>,
    /// The first rows, each a record; as many as `rows` asked for.
    pub rows: Value,
    /// Number of rows of the whole table.
    pub count: usize,
    /// All rows as an object of columns, for further steps. Dates and times are texts by ISO 8601.
    pub table: Value,
}

impl TableAnswer {
    /// The answer, with so many rows as records; a warning says what is left out of it.
    pub(crate) fn new(table: &DataTable, rows: usize, ctx: &Ctx) -> Result<Self, ToolError> {
        let width = table.columns().len().max(1);
        let most = CELLS_MAX / width;
        let (count, shown) = (table.rows(), rows.min(table.rows()));
        if count > most {
            ctx.warn(format!(
                "`table` has the first {most} of {count} rows; `head`, `filter` or groups give fewer"
            ));
        }
        let cells = (count.min(most) + shown) as u64 * width as u64;
        ctx.reserve(cells.saturating_mul(CELL_BYTES))?;
        let head = table.head(shown);
        Ok(Self {
            columns: table.names().iter().map(|name| name.to_string()).collect(),
            types: column_types(table),
            rows: records(&head),
            count,
            table: plain_value(table, most),
        })
    }
}

/// The words for the types of columns.
pub(crate) fn column_types(table: &DataTable) -> Vec<String> {
    let columns = table.columns().iter();
    columns
        .map(|column| column.column_type().to_string())
        .collect()
}

/// The first rows of a table as an object of columns.
pub(crate) fn plain_value(table: &DataTable, rows: usize) -> Value {
    let rows = rows.min(table.rows());
    let mut columns = Object::new();
    for (name, column) in table.iter() {
        let column = match rows < table.rows() {
            true => column.slice(0, rows),
            false => column.clone(),
        };
        columns.push_unique(Arc::clone(name), column_value(&column));
    }
    columns.into()
}

fn column_value(column: &TableColumn) -> Value {
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

/// Rows as records.
fn records(table: &DataTable) -> Value {
    let columns: Vec<Vec<Value>> = table
        .columns()
        .iter()
        .map(|column| column_value(column).items().unwrap_or_default())
        .collect();
    let record = |row: usize| {
        let mut record = Object::new();
        for (name, cells) in table.names().iter().zip(&columns) {
            record.push_unique(Arc::clone(name), cells[row].clone());
        }
        Value::from(record)
    };
    Value::array((0..table.rows()).map(record).collect())
}
