//! [`TableAnswer`]: a table as a result.

use ::tables::DataTable;
use table_values::{record_values, table_value};
use tool_core::tool_error;

use crate::prelude::*;

/// Rows that an answer shows as records by default.
pub(crate) const ROWS_SHOWN: i64 = 20;
/// Most cells of a table that an answer has for further steps.
const CELLS_MAX: usize = 50_000_000;
/// Bytes of a cell in a record.
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
    /// The answer, with so many rows as records.
    ///
    /// # Errors
    /// A table of more than [`CELLS_MAX`] cells: a part of it would give the next step another answer.
    pub(crate) fn new(table: &DataTable, rows: usize, ctx: &Ctx) -> Result<Self, ToolError> {
        let width = table.columns().len();
        let (count, shown) = (table.rows(), rows.min(table.rows()));
        let cells = count.saturating_mul(width);
        if cells > CELLS_MAX {
            return Err(tool_error!(LimitExceeded, "limit";
                "the result has {count} rows of {width} columns, {cells} cells: at most {CELLS_MAX} go to a next step";
                "name fewer `columns`, or use `head`, `filter` or `table_group`"));
        }
        ctx.reserve(table.memory_bytes() + (shown * width) as u64 * CELL_BYTES)?;
        Ok(Self {
            columns: table.names().iter().map(|name| name.to_string()).collect(),
            types: column_types(table),
            rows: record_values(&table.head(shown)),
            count,
            table: table_value(table.clone()),
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
