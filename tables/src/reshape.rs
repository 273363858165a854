//! Long tables made wide, and wide ones long.

use std::sync::Arc;

use crate::aggregate::AggregateFunction;
use crate::column::{NO_ROW, TableColumn};
use crate::error::{StopCheck, TableError, check_row};
use crate::group::AggregateColumn;
use crate::keys::RowGroups;
use crate::order::{order_codes, sort_rows};
use crate::stack::stack_columns;
use crate::table::{DataTable, ROWS_MAX, check_column_count};

/// The name of a column made of missing cells.
const MISSING_NAME: &str = "missing";

/// Most cells of a table made wide.
pub const PIVOT_CELLS_MAX: usize = 20_000_000;

/// How a table is made wide.
#[derive(Debug, Clone, PartialEq)]
pub struct PivotPlan {
    /// Columns whose cells tell the rows apart.
    pub rows: Vec<String>,
    /// The column whose cells name the new columns.
    pub columns: String,
    /// The column whose cells fill them.
    pub values: String,
    /// What becomes of several cells for one place.
    pub function: AggregateFunction,
}

/// How a table is made long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeltPlan {
    /// Columns that each row keeps.
    pub keep: Vec<String>,
    /// The columns that become rows; all others where none is named.
    pub columns: Vec<String>,
    /// The new column with the name of the old one.
    pub name_to: String,
    /// The new column with the cell.
    pub value_to: String,
}

impl DataTable {
    /// A row for each group of rows, a column for each cell of another column, in the order of these cells.
    ///
    /// # Errors
    /// Columns that are not there, two cells that make one name, more columns than a table may have or cells than [`PIVOT_CELLS_MAX`]; a stop.
    pub fn pivot(&self, plan: &PivotPlan, stop: StopCheck<'_>) -> Result<Self, TableError> {
        const VALUE: &str = "value";
        let names = self.choose(&[plan.columns.as_str()])?;
        let headings = RowGroups::new(&[&names.columns()[0]], self.rows(), stop)?;
        check_column_count(headings.first_rows.len() + plan.rows.len())?;
        let mut order = headings.first_rows.clone();
        sort_rows(&mut order, &[order_codes(&names.columns()[0])]);
        // Rows and columns stand under names that no column of the table can have twice.
        let keys = self.choose(&plan.rows)?;
        let heading = plan.rows.len();
        let mut long: Vec<(Arc<str>, TableColumn)> = numbered(&keys);
        long.push((heading.to_string().into(), names.columns()[0].clone()));
        long.push((VALUE.into(), self.column(&plan.values)?.clone()));
        let by: Vec<String> = (0..=heading).map(|number| number.to_string()).collect();
        let aggregate = AggregateColumn {
            name: VALUE.to_owned(),
            function: plan.function,
            column: Some(VALUE.to_owned()),
        };
        let grouped = Self::new(long)?.group(&by, &[aggregate], stop)?;
        let row_columns: Vec<&TableColumn> = grouped.columns()[..heading].iter().collect();
        let rows = RowGroups::new(&row_columns, grouped.rows(), stop)?;
        let found = RowGroups::new(&[&grouped.columns()[heading]], grouped.rows(), stop)?;
        let cells = rows.first_rows.len().saturating_mul(found.first_rows.len());
        if cells > PIVOT_CELLS_MAX {
            return Err(TableError::limit(
                "cells of the wide table",
                cells,
                PIVOT_CELLS_MAX,
            ));
        }
        let mut places = vec![vec![NO_ROW; rows.first_rows.len()]; found.first_rows.len()];
        for (row, (group, column)) in rows.groups.iter().zip(&found.groups).enumerate() {
            check_row(row, stop)?;
            places[*column as usize][*group as usize] = row as u32;
        }
        let firsts = grouped.take(&rows.first_rows);
        let mut wide: Vec<(Arc<str>, TableColumn)> = Vec::new();
        for (name, column) in keys.names().iter().zip(firsts.columns()) {
            wide.push((Arc::clone(name), column.clone()));
        }
        let (heading, values) = (&grouped.columns()[heading], &grouped.columns()[heading + 1]);
        let mut made: Vec<(u32, Arc<str>, TableColumn)> = Vec::new();
        for (first, rows) in found.first_rows.iter().zip(&places) {
            if stop() {
                return Err(TableError::Stopped);
            }
            let cell = heading.cell(*first as usize);
            let name = match cell.is_missing() {
                true => MISSING_NAME.into(),
                false => cell.to_string().into(),
            };
            made.push((*first, name, values.take(rows)));
        }
        let codes = order_codes(heading);
        made.sort_by_key(|(first, ..)| codes[*first as usize]);
        wide.extend(made.into_iter().map(|(_, name, column)| (name, column)));
        Self::new(wide)
    }

    /// A row for each cell of some columns, with the name of its column: column after column, each in the order of the rows.
    ///
    /// # Errors
    /// Columns that are not there, no column to take apart, more rows than a table may have; a stop.
    pub fn melt(&self, plan: &MeltPlan, stop: StopCheck<'_>) -> Result<Self, TableError> {
        let kept = self.choose(&plan.keep)?;
        let taken = match plan.columns.is_empty() {
            false => self.choose(&plan.columns)?,
            true => {
                let is_other = |name: &&Arc<str>| !kept.names().contains(*name);
                let others: Vec<&Arc<str>> = self.names().iter().filter(is_other).collect();
                self.choose(&others)?
            }
        };
        let parts = taken.columns().len();
        if parts == 0 {
            return Err(TableError::operation(
                "no column is left to become rows",
                "keep fewer columns",
            ));
        }
        let rows = self.rows().saturating_mul(parts);
        if rows > ROWS_MAX {
            return Err(TableError::limit("rows of a table", rows, ROWS_MAX));
        }
        if stop() {
            return Err(TableError::Stopped);
        }
        let again: Vec<u32> = (0..parts).flat_map(|_| 0..self.rows() as u32).collect();
        let mut long: Vec<(Arc<str>, TableColumn)> = Vec::new();
        for (name, column) in kept.iter() {
            long.push((Arc::clone(name), column.take(&again)));
        }
        let names = taken.names().iter();
        let names = names.flat_map(|name| (0..self.rows()).map(move |_| Some(&**name)));
        long.push((plan.name_to.as_str().into(), TableColumn::texts(names)));
        long.push((
            plan.value_to.as_str().into(),
            stack_columns(taken.columns()),
        ));
        Self::new(long)
    }
}

/// Columns named by their numbers.
fn numbered(table: &DataTable) -> Vec<(Arc<str>, TableColumn)> {
    let columns = table.columns().iter().enumerate();
    columns
        .map(|(index, column)| (index.to_string().into(), column.clone()))
        .collect()
}
