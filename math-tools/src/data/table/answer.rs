//! [`TableAnswer`]: a table as a result.

use ::tables::DataTable;

use crate::prelude::*;

/// Rows that an answer shows as records by default.
pub(crate) const ROWS_SHOWN: i64 = 20;

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
    /// As [`table_values::table_result`].
    pub(crate) fn new(table: &DataTable, rows: usize, ctx: &Ctx) -> Result<Self, ToolError> {
        let hint = "name fewer `columns`, or use `head`, `filter` or `table_group`";
        let result = table_values::table_result(table.clone(), rows, hint, ctx)?;
        Ok(Self {
            columns: table.names().iter().map(|name| name.to_string()).collect(),
            types: column_types(table),
            rows: result.rows,
            count: table.rows(),
            table: result.table,
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
