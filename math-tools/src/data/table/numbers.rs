//! Cells of a column as numbers.

use ::tables::TableColumn;

/// The numbers of a column, truth values as 1 and 0; `None` in a row where the cell is missing, and for a column of another type.
pub(crate) fn column_numbers(column: &TableColumn) -> Option<Vec<Option<f64>>> {
    if let TableColumn::Boolean(truths) = column {
        let number = |truth: Option<bool>| truth.map(|truth| if truth { 1.0 } else { 0.0 });
        return Some(truths.iter().map(number).collect());
    }
    column.numbers()
}
