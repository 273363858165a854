//! Arguments of the tools of tables that name columns, and what they computed.

use std::collections::HashSet;
use std::sync::Arc;

use ::tables::{DataTable, SortKey, TableColumn, TableError};

use super::table_fault;
use crate::prelude::*;

/// Refuses names that no column has, and names that are given twice, each at its place in the argument.
pub(crate) fn check_names(
    names: &[String],
    pointer: &str,
    table: &DataTable,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    let mut seen = HashSet::new();
    for (index, name) in names.iter().enumerate() {
        let place = format!("{pointer}/{index}");
        let known = table.position(name);
        known.map_err(|err| table_fault(err, &place, table, ctx))?;
        if !seen.insert(name) {
            refuse!(invalid place, "table"; "column `{name}` is named twice"; "name each column once");
        }
    }
    Ok(())
}

/// Refuses keys of an order that no column has, each at its place in the argument.
pub(crate) fn check_sort_keys(
    keys: &[SortKey],
    pointer: &str,
    table: &DataTable,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    for (index, key) in keys.iter().enumerate() {
        let known = table.position(&key.column);
        known.map_err(|err| table_fault(err, &format!("{pointer}/{index}"), table, ctx))?;
    }
    Ok(())
}

/// Refuses a new column whose name another one has.
pub(crate) fn check_new_name(name: &str, is_taken: bool, pointer: &str) -> Result<(), ToolError> {
    match is_taken {
        true => {
            refuse!(invalid pointer, "table"; "a column is named `{name}` already"; "give the new one another name, such as `other = mean(price)`")
        }
        false => Ok(()),
    }
}

/// As [`without_overflow`], of all columns of a table after the first ones.
pub(crate) fn table_without_overflow(
    table: &DataTable,
    first: usize,
    source: Option<&TableColumn>,
    ctx: &Ctx,
) -> Result<DataTable, TableError> {
    let columns = table.iter().enumerate().map(|(index, (name, column))| {
        let column = match index < first {
            true => column.clone(),
            false => without_overflow(column.clone(), source, name, ctx),
        };
        (Arc::clone(name), column)
    });
    DataTable::new(columns.collect())
}

/// A computed column; a number beyond the largest double, computed from finite ones, is missing, with a warning.
pub(crate) fn without_overflow(
    computed: TableColumn,
    source: Option<&TableColumn>,
    what: &str,
    ctx: &Ctx,
) -> TableColumn {
    let TableColumn::Double(cells) = &computed else {
        return computed;
    };
    let is_infinite = |cell: Option<f64>| cell.is_some_and(f64::is_infinite);
    let count = cells.iter().filter(|cell| is_infinite(*cell)).count();
    let has_infinite = |column: &TableColumn| match column {
        TableColumn::Double(cells) => cells.iter().any(is_infinite),
        _ => false,
    };
    if count == 0 || source.is_some_and(has_infinite) {
        return computed;
    }
    ctx.warn(format!(
        "`{what}` is beyond the largest double in {count} rows, where it is missing: compute with smaller units"
    ));
    TableColumn::doubles(
        cells
            .iter()
            .map(|cell| cell.filter(|number| number.is_finite())),
    )
}

/// The error of an operation on columns, at the argument that each kind of fault belongs to.
pub(crate) struct FaultPlaces<'a> {
    /// Names that are there twice in the result.
    pub names: &'a str,
    /// Types that do not fit.
    pub types: &'a str,
    /// Everything else, as limits are.
    pub other: &'a str,
}

impl FaultPlaces<'_> {
    pub(crate) fn fault(&self, err: TableError, table: &DataTable, ctx: &Ctx) -> ToolError {
        let pointer = match &err {
            TableError::DuplicateColumn(_) => self.names,
            TableError::ColumnType { .. } => self.types,
            _ => self.other,
        };
        table_fault(err, pointer, table, ctx)
    }
}
