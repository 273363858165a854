//! The rules of tables, operation by operation and format by format.

mod files;
mod hostile;
mod verbs;

use std::sync::Arc;

use crate::{DataTable, TableColumn, TableError};

/// Never stops.
pub(super) fn go_on() -> bool {
    false
}

pub(super) fn table(columns: Vec<(&str, TableColumn)>) -> DataTable {
    let columns = columns.into_iter();
    let columns = columns.map(|(name, column)| (Arc::from(name), column));
    DataTable::new(columns.collect()).expect("a table")
}

pub(super) fn doubles(cells: &[f64]) -> TableColumn {
    TableColumn::doubles(cells.iter().map(|cell| Some(*cell)))
}

pub(super) fn integers(cells: &[i64]) -> TableColumn {
    TableColumn::integers(cells.iter().map(|cell| Some(*cell)))
}

/// Texts; `_` is missing.
pub(super) fn texts(cells: &str) -> TableColumn {
    TableColumn::texts(cells.split(' ').map(|cell| (cell != "_").then_some(cell)))
}

/// The rows of a table as text, `_` for a missing cell.
pub(super) fn shown(table: &DataTable) -> Vec<String> {
    let row = |row: usize| {
        let cells = table
            .columns()
            .iter()
            .map(|column| match column.is_missing(row) {
                true => "_".to_owned(),
                false => column.cell(row).to_string(),
            });
        cells.collect::<Vec<_>>().join(" ")
    };
    (0..table.rows()).map(row).collect()
}

#[test]
fn a_table_has_columns_of_one_length_and_different_names() {
    let new = |columns: Vec<(&str, TableColumn)>| {
        let columns = columns.into_iter();
        DataTable::new(
            columns
                .map(|(name, column)| (Arc::from(name), column))
                .collect(),
        )
    };
    let unequal = new(vec![("a", integers(&[1, 2])), ("b", integers(&[1]))]);
    assert!(matches!(
        unequal,
        Err(TableError::UnequalLength {
            found: 1,
            expected: 2,
            ..
        })
    ));
    let twice = new(vec![("a", integers(&[1])), ("a", integers(&[1]))]);
    assert_eq!(twice, Err(TableError::DuplicateColumn("a".to_owned())));
    let many = (0..=crate::COLUMNS_MAX).map(|index| (index.to_string().into(), integers(&[1])));
    assert!(matches!(
        DataTable::new(many.collect()),
        Err(TableError::Limit { .. })
    ));
    let found = table(vec![("a", integers(&[1])), ("b", texts("x"))]);
    let unknown = found.column("c").unwrap_err().to_string();
    assert_eq!(unknown, "no column is named `c`: the columns are `a`, `b`");
    assert_eq!(shown(&found.choose(&["b"]).unwrap()), ["x"]);
}
