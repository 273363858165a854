//! The tables of a query: typed columns where a file or a step has them, else lists of cells; and which of their columns a query may read.

use std::borrow::Cow;
use std::collections::HashSet;

use ::tables::{ColumnType, TableCell, TableColumn};
use rusqlite::types::ValueRef;
use table_values::{column_value, typed_table};
use tool_core::LoadInput;
use tool_core::input::InputKind;
use tool_core::schema::Schema;

use super::lint::{SqlToken, tokenise_query};
use crate::prelude::*;

/// A table of a query.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SqlTable {
    /// Typed columns behind an object of columns.
    Typed(Value),
    /// Cells of any type.
    Plain(Table),
}

impl LoadInput for SqlTable {
    const KIND: InputKind = Table::KIND;
    const NAMED: bool = Table::NAMED;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        match typed_table(value) {
            Some(_) => Ok(Self::Typed(value.clone())),
            None => Table::from_value(value).map(Self::Plain),
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Typed(value) => value.clone(),
            Self::Plain(table) => table.to_value(),
        }
    }

    fn schema() -> Schema {
        Table::schema()
    }
}

/// A column of a table, and its name.
pub(super) struct NamedColumn<'a> {
    pub(super) name: &'a str,
    source: ColumnSource<'a>,
}

enum ColumnSource<'a> {
    Typed(&'a TableColumn),
    Cells(&'a [Value]),
}

/// The cells of a column, as SQLite takes them.
pub(super) enum SqlColumn<'a> {
    /// Numbers, texts or truth values.
    Typed(&'a TableColumn),
    /// Cells of any type.
    Cells(Cow<'a, [Value]>),
}

impl SqlTable {
    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Typed(value) => typed_table(value).map_or(0, |table| table.rows()),
            Self::Plain(table) => table.rows(),
        }
    }

    /// The columns, in their order.
    pub(super) fn columns(&self) -> Vec<NamedColumn<'_>> {
        match self {
            Self::Typed(value) => {
                let columns = typed_table(value)
                    .into_iter()
                    .flat_map(|table| table.iter());
                columns
                    .map(|(name, column)| NamedColumn {
                        name,
                        source: ColumnSource::Typed(column),
                    })
                    .collect()
            }
            Self::Plain(table) => {
                let columns = table.names().zip(table.columns());
                columns
                    .map(|(name, cells)| NamedColumn {
                        name,
                        source: ColumnSource::Cells(cells),
                    })
                    .collect()
            }
        }
    }
}

impl<'a> NamedColumn<'a> {
    /// Whether a cell may be a text.
    pub(super) fn may_have_texts(&self) -> bool {
        match self.source {
            ColumnSource::Typed(column) => !is_direct(column) || is_text(column),
            ColumnSource::Cells(_) => true,
        }
    }

    /// The cells.
    pub(super) fn cells(&self) -> SqlColumn<'a> {
        match self.source {
            ColumnSource::Typed(column) if is_direct(column) => SqlColumn::Typed(column),
            ColumnSource::Typed(column) => SqlColumn::Cells(plain_cells(column).into()),
            ColumnSource::Cells(cells) => SqlColumn::Cells(cells.into()),
        }
    }

    /// The cells as values.
    pub(super) fn values(&self) -> Cow<'a, [Value]> {
        match self.source {
            ColumnSource::Typed(column) => plain_cells(column).into(),
            ColumnSource::Cells(cells) => cells.into(),
        }
    }

    /// Bytes that the cells take.
    pub(super) fn memory_bytes(&self) -> u64 {
        match self.source {
            ColumnSource::Typed(column) => column.memory_bytes(),
            ColumnSource::Cells(cells) => cells.iter().map(Value::memory_bytes).sum(),
        }
    }
}

fn is_text(column: &TableColumn) -> bool {
    column.column_type() == ColumnType::Text
}

/// Whether the cells of a column go to SQLite as they are.
fn is_direct(column: &TableColumn) -> bool {
    let is_finite = |cell: TableCell<'_>| cell.as_double().is_none_or(f64::is_finite);
    match column {
        TableColumn::Double(_) => column.cells().all(is_finite),
        TableColumn::Integer(_) | TableColumn::Text(_) | TableColumn::Boolean(_) => true,
        _ => false,
    }
}

fn plain_cells(column: &TableColumn) -> Vec<Value> {
    column_value(column).items().unwrap_or_default()
}

impl SqlColumn<'_> {
    /// The SQL type, from all cells; mixed columns have none.
    pub(super) fn sql_type(&self) -> &'static str {
        match self {
            Self::Typed(column) if column.missing_count() == column.len() => "",
            Self::Typed(TableColumn::Double(_)) => "REAL",
            Self::Typed(TableColumn::Integer(_)) => "INTEGER",
            Self::Typed(TableColumn::Boolean(_)) => "BOOLEAN",
            Self::Typed(_) => "TEXT",
            Self::Cells(cells) => type_of_cells(cells),
        }
    }

    /// The cell of a row.
    pub(super) fn cell(&self, row: usize) -> ValueRef<'_> {
        match self {
            Self::Typed(column) => match column.cell(row) {
                TableCell::Double(value) => ValueRef::Real(value),
                TableCell::Integer(value) => ValueRef::Integer(value),
                TableCell::Boolean(value) => ValueRef::Integer(i64::from(value)),
                TableCell::Text(text) => ValueRef::Text(text.as_bytes()),
                _ => ValueRef::Null,
            },
            Self::Cells(cells) => value_ref(&cells[row]),
        }
    }
}

/// A value as SQLite takes it.
pub(super) fn value_ref(value: &Value) -> ValueRef<'_> {
    match value {
        Value::Bool(value) => ValueRef::Integer(i64::from(*value)),
        Value::Int(value) => ValueRef::Integer(*value),
        Value::Float(value) => ValueRef::Real(*value),
        Value::String(text) => ValueRef::Text(text.as_bytes()),
        _ => ValueRef::Null,
    }
}

fn type_of_cells(cells: &[Value]) -> &'static str {
    let mut found = None;
    let is_exact = |cell: &Value| cell.as_f64().is_some() || !matches!(cell, Value::Int(_));
    for cell in cells {
        let here = match cell {
            Value::Null => continue,
            Value::Bool(_) => "BOOLEAN",
            Value::Int(_) => "INTEGER",
            Value::Float(_) => "REAL",
            _ => "TEXT",
        };
        found = match (found, here) {
            (None, here) => Some(here),
            (Some(before), here) if before == here => Some(here),
            (Some("INTEGER" | "REAL"), "INTEGER" | "REAL") if cells.iter().all(is_exact) => {
                Some("REAL")
            }
            _ => return "",
        };
    }
    found.unwrap_or("")
}

/// The columns that a query may read: those whose names stand in it. The others need not be loaded.
pub(super) struct ReadColumns {
    /// In lower case; `None` where the query may read every column.
    names: Option<HashSet<String>>,
}

impl ReadColumns {
    /// Those of a query. `*` reads every column, unless it counts or multiplies, and so do joins by all common names and `x in t`.
    pub(super) fn of(query: &str) -> Self {
        let tokens = tokenise_query(query);
        let before = |index: usize| index.checked_sub(1).map(|before| &tokens[before]);
        let is_star = |index: usize| match (before(index), tokens.get(index + 1)) {
            (Some(SqlToken::Sign(b'(')), Some(SqlToken::Sign(b')'))) => false,
            (Some(SqlToken::Sign(sign)), _) => *sign != b')',
            (Some(word @ SqlToken::Name(_)), _) => {
                ["select", "distinct", "all"].iter().any(|one| word.is(one))
            }
            _ => false,
        };
        let reads_all = tokens.iter().enumerate().any(|(index, token)| match token {
            SqlToken::Sign(b'*') => is_star(index),
            SqlToken::Name(_) if token.is("natural") => true,
            SqlToken::Name(_) if token.is("in") => {
                !matches!(tokens.get(index + 1), Some(SqlToken::Sign(b'(')))
            }
            _ => false,
        });
        let names = tokens.into_iter().filter_map(|token| match token {
            SqlToken::Name(name) | SqlToken::Text(name) => Some(name.to_lowercase()),
            SqlToken::Sign(_) => None,
        });
        Self {
            names: (!reads_all).then(|| names.collect()),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        let names = self.names.as_ref();
        names.is_none_or(|names| names.contains(&name.to_lowercase()))
    }
}
