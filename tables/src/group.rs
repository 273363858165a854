//! Groups of rows, and one value for each from their cells.

use std::sync::Arc;

use crate::aggregate::AggregateFunction;
use crate::column::TableColumn;
use crate::error::{StopCheck, TableError};
use crate::keys::RowGroups;
use crate::order::{SortKey, order_rows};
use crate::shared::map_parts;
use crate::table::DataTable;

/// A column of a table of groups.
#[derive(Debug, Clone, PartialEq)]
pub struct AggregateColumn {
    /// Its name.
    pub name: String,
    /// What is computed.
    pub function: AggregateFunction,
    /// The column that it is computed from; `None` for the number of rows.
    pub column: Option<String>,
}

impl DataTable {
    /// One row for each group of rows that are equal in some columns, sorted by these; a missing cell is a value of its own, and last.
    /// Without columns all rows are one group.
    ///
    /// # Errors
    /// A column that the table has not or whose type the function does not take, two columns of one name; a stop.
    pub fn group<T: AsRef<str>>(
        &self,
        by: &[T],
        aggregates: &[AggregateColumn],
        stop: StopCheck<'_>,
    ) -> Result<Self, TableError> {
        let keys = self.choose(by)?;
        let columns: Vec<&TableColumn> = keys.columns().iter().collect();
        let groups = RowGroups::new(&columns, self.rows(), stop)?;
        let members = match by.is_empty() {
            // One group, also of no row.
            true => RowGroups {
                first_rows: vec![0],
                ..groups
            }
            .members(),
            false => groups.members(),
        };
        let mut found: Vec<(Arc<str>, TableColumn)> = Vec::new();
        if !by.is_empty() {
            let firsts = keys.take(&groups.first_rows);
            let firsts = firsts.iter();
            found.extend(firsts.map(|(name, column)| (Arc::clone(name), column.clone())));
        }
        let cells = self.rows().saturating_mul(aggregates.len());
        let columns = map_parts(aggregates, cells, |aggregate| match &aggregate.column {
            Some(name) => {
                let column = self.column(name)?;
                aggregate.function.of_groups(name, column, &members, stop)
            }
            None => {
                let counts = members.iter().map(|rows| Some(rows.len() as i64));
                Ok(TableColumn::integers(counts))
            }
        })?;
        let names = aggregates.iter().map(|aggregate| aggregate.name.as_str());
        found.extend(names.map(Arc::from).zip(columns));
        let grouped = Self::new(found)?;
        let sort: Vec<SortKey> = by
            .iter()
            .map(|name| SortKey {
                column: name.as_ref().to_owned(),
                is_descending: false,
            })
            .collect();
        match sort.is_empty() {
            true => Ok(grouped),
            false => Ok(grouped.take(&order_rows(&grouped, &sort, stop)?)),
        }
    }
}
