//! [`DataTable`]: named columns of equal length.

use std::collections::HashSet;
use std::sync::Arc;

use crate::column::TableColumn;
use crate::error::TableError;

/// Most rows of a table.
pub const ROWS_MAX: usize = 200_000_000;
/// Most columns of a table.
pub const COLUMNS_MAX: usize = 10_000;

/// Named columns of equal length. Cloning is a pointer copy for each column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataTable {
    names: Vec<Arc<str>>,
    columns: Vec<TableColumn>,
    rows: usize,
}

impl DataTable {
    /// A table of columns, in this order.
    ///
    /// # Errors
    /// Columns of unequal length or one name, and more rows or columns than [`ROWS_MAX`] and [`COLUMNS_MAX`].
    pub fn new(columns: Vec<(Arc<str>, TableColumn)>) -> Result<Self, TableError> {
        check_column_count(columns.len())?;
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        if rows > ROWS_MAX {
            return Err(TableError::limit("rows of a table", rows, ROWS_MAX));
        }
        let mut seen = HashSet::with_capacity(columns.len());
        for (name, column) in &columns {
            if column.len() != rows {
                return Err(TableError::UnequalLength {
                    column: name.to_string(),
                    found: column.len(),
                    expected: rows,
                });
            }
            if !seen.insert(Arc::clone(name)) {
                return Err(TableError::DuplicateColumn(name.to_string()));
            }
        }
        let (names, columns) = columns.into_iter().unzip();
        Ok(Self {
            names,
            columns,
            rows,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The names of the columns, in their order.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The columns, in the order of the names.
    pub fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    /// Names and columns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &TableColumn)> {
        self.names.iter().zip(&self.columns)
    }

    /// The place of a column.
    ///
    /// # Errors
    /// A name that no column has.
    pub fn position(&self, name: &str) -> Result<usize, TableError> {
        let found = self.names.iter().position(|known| **known == *name);
        found.ok_or_else(|| TableError::UnknownColumn {
            name: name.to_owned(),
            known: list_names(&self.names),
        })
    }

    /// A column.
    ///
    /// # Errors
    /// A name that no column has.
    pub fn column(&self, name: &str) -> Result<&TableColumn, TableError> {
        Ok(&self.columns[self.position(name)?])
    }

    /// The columns of these names, in this order.
    ///
    /// # Errors
    /// A name that no column has, and one that is given twice.
    pub fn choose<T: AsRef<str>>(&self, names: &[T]) -> Result<Self, TableError> {
        let chosen = names.iter().map(|name| {
            let position = self.position(name.as_ref())?;
            let name = Arc::clone(&self.names[position]);
            Ok((name, self.columns[position].clone()))
        });
        let chosen = Self::new(chosen.collect::<Result<_, TableError>>()?)?;
        Ok(Self {
            rows: self.rows,
            ..chosen
        })
    }

    /// The table with a column more, or with another one of the same name in its place.
    ///
    /// # Errors
    /// A column of another length.
    pub fn with_column(&self, name: &str, column: TableColumn) -> Result<Self, TableError> {
        let mut pairs: Vec<(Arc<str>, TableColumn)> = self
            .iter()
            .map(|(name, column)| (Arc::clone(name), column.clone()))
            .collect();
        match self.names.iter().position(|known| **known == *name) {
            Some(position) => pairs[position].1 = column,
            None => pairs.push((name.into(), column)),
        }
        Self::new(pairs)
    }

    /// The rows of these numbers, in this order; missing cells for [`crate::NO_ROW`].
    pub fn take(&self, rows: &[u32]) -> Self {
        Self {
            names: self.names.clone(),
            columns: self
                .columns
                .iter()
                .map(|column| column.take(rows))
                .collect(),
            rows: rows.len(),
        }
    }

    /// The first rows.
    #[must_use]
    pub fn head(&self, rows: usize) -> Self {
        let rows = rows.min(self.rows);
        Self {
            names: self.names.clone(),
            columns: self
                .columns
                .iter()
                .map(|column| column.slice(0, rows))
                .collect(),
            rows,
        }
    }

    /// Bytes that the cells take.
    pub fn memory_bytes(&self) -> u64 {
        self.columns.iter().map(TableColumn::memory_bytes).sum()
    }
}

/// Refuses more columns than a table may have.
///
/// # Errors
/// More than [`COLUMNS_MAX`].
pub fn check_column_count(columns: usize) -> Result<(), TableError> {
    match columns > COLUMNS_MAX {
        true => Err(TableError::limit(
            "columns of a table",
            columns,
            COLUMNS_MAX,
        )),
        false => Ok(()),
    }
}

/// Names for a message.
fn list_names(names: &[Arc<str>]) -> String {
    const SHOWN_MAX: usize = 20;
    if names.is_empty() {
        return "the table has no columns".to_owned();
    }
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN_MAX)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len().saturating_sub(SHOWN_MAX) {
        0 => format!("the columns are {}", shown.join(", ")),
        more => format!("the columns are {} and {more} more", shown.join(", ")),
    }
}
