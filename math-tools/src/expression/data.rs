//! [`DataColumns`]: columns of a table as variables of expressions.

use std::sync::Arc;

use numerics::bytecode::Column;
use tool_core::{Table, ToolError, Value, path};

/// Columns of numbers with their names; they take consecutive slots.
#[derive(Debug, PartialEq)]
pub(crate) struct DataColumns {
    /// Slot of the first column.
    first: usize,
    rows: usize,
    names: Vec<String>,
    columns: Vec<DataColumn>,
}

/// A column as it was found.
#[derive(Debug, PartialEq)]
enum DataColumn {
    Numbers(Column),
    /// The first cell that is no finite number: its row, and what it is.
    Other(usize, String),
}

/// A column of a table as numbers.
///
/// # Errors
/// `invalid_args` at the first cell of `data` that is no finite number.
pub(crate) fn numeric_column(name: &str, cells: &[Value]) -> Result<Column, ToolError> {
    numbers_of("/data", name, cells)
}

/// As [`numeric_column`], of a table at a pointer.
///
/// # Errors
/// `invalid_args` at the first cell that is no finite number.
pub(crate) fn numbers_of(table: &str, name: &str, cells: &[Value]) -> Result<Column, ToolError> {
    match DataColumn::of(cells) {
        DataColumn::Numbers(column) => Ok(column),
        DataColumn::Other(row, kind) => Err(no_number(table, name, row, &kind)),
    }
}

/// The error of a cell that is no number.
fn no_number(table: &str, name: &str, row: usize, kind: &str) -> ToolError {
    let mut pointer = table.to_owned();
    path::push_key(&mut pointer, name);
    path::push_index(&mut pointer, row);
    let message = format!("expected a number, found {kind} in row {row} of column `{name}`");
    ToolError::invalid(pointer, message)
        .hint("leave rows without numbers out, with `sql_query` or `json_query`")
}

impl DataColumn {
    fn of(cells: &[Value]) -> Self {
        let mut numbers = Vec::with_capacity(cells.len());
        for (row, cell) in cells.iter().enumerate() {
            match cell.as_f64().filter(|value| value.is_finite()) {
                Some(number) => numbers.push(number),
                None => return Self::first_other(cells, row),
            }
        }
        Self::Numbers(numbers.into())
    }

    /// The cell at fault of a column without numbers from a row on: of texts, as a file gives them, the first that is no number.
    fn first_other(cells: &[Value], from: usize) -> Self {
        let is_number = |cell: &Value| {
            let number = cell
                .as_str()
                .and_then(|text| text.trim().parse::<f64>().ok());
            number.is_some_and(f64::is_finite)
        };
        let fault = (from..cells.len()).find(|&row| !is_number(&cells[row]));
        let row = fault.unwrap_or(from);
        Self::Other(row, cells[row].kind())
    }
}

impl DataColumns {
    /// The columns of a table, in the slots from `first` on.
    ///
    /// # Errors
    /// `invalid_args` for a table without rows.
    pub(super) fn new(table: &Table, first: usize) -> Result<Self, ToolError> {
        if table.rows() == 0 {
            refuse!(invalid "/data", "empty"; "expected at least one row, found none");
        }
        Ok(Self {
            first,
            rows: table.rows(),
            names: table.names().map(str::to_owned).collect(),
            columns: table
                .columns()
                .iter()
                .map(|cells| DataColumn::of(cells))
                .collect(),
        })
    }

    /// Slot of the first column.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The names, in the order of the columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether a slot is a column.
    pub(super) fn has(&self, slot: usize) -> bool {
        (self.first..self.first + self.len()).contains(&slot)
    }

    /// The slot of a name.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        let position = self.names.iter().position(|known| known == name);
        position.map(|position| self.first + position)
    }

    /// The numbers of each column; zeros for what is no column of numbers, which no expression uses.
    pub(super) fn columns(&self) -> Vec<Column> {
        let numbers = |cells: &DataColumn| match cells {
            DataColumn::Numbers(column) => Arc::clone(column),
            DataColumn::Other(..) => vec![0.0; self.rows].into(),
        };
        self.columns.iter().map(numbers).collect()
    }

    /// The numbers of the column of a slot.
    ///
    /// # Errors
    /// `invalid_args` at the first cell that is no number.
    pub(super) fn column(&self, slot: usize) -> Result<&Column, ToolError> {
        let index = slot - self.first;
        match &self.columns[index] {
            DataColumn::Numbers(column) => Ok(column),
            DataColumn::Other(row, kind) => Err(no_number("/data", &self.names[index], *row, kind)),
        }
    }
}
