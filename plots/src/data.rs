//! The table that a plot draws: named columns of equal length.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::dates;
use crate::error::PlotError;
use crate::limits::{ROWS_MAX, TEXT_CHARACTERS_MAX};

/// The code of a missing text.
pub(crate) const MISSING: u32 = u32::MAX;

/// The cells of a column.
#[derive(Debug, Clone)]
pub enum ColumnCells {
    /// Numbers; NaN and infinities are missing.
    Numbers(Arc<[f64]>),
    /// Seconds since 1970-01-01 UTC; NaN is missing.
    Times(Arc<[f64]>),
    /// Texts: the different ones in the order of their first cell, and for each cell the position among them; `u32::MAX` is missing.
    Texts {
        /// The different texts.
        levels: Arc<[String]>,
        /// One position for each cell.
        codes: Arc<[u32]>,
    },
}

/// A named column.
#[derive(Debug, Clone)]
pub struct PlotColumn {
    /// Its name.
    pub name: String,
    /// Its cells.
    pub cells: ColumnCells,
}

impl PlotColumn {
    /// A column of numbers.
    #[must_use]
    pub fn of_numbers(name: &str, numbers: impl Into<Arc<[f64]>>) -> Self {
        Self {
            name: name.to_owned(),
            cells: ColumnCells::Numbers(numbers.into()),
        }
    }

    /// A column of texts, `None` where missing. Where every text is a date (see [`dates::parse_date`]) it is a column of times.
    #[must_use]
    pub fn of_texts<'a>(name: &str, texts: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut levels: Vec<String> = Vec::new();
        let mut index: HashMap<&'a str, u32> = HashMap::new();
        let mut codes = Vec::new();
        for text in texts {
            codes.push(match text {
                None => MISSING,
                Some(text) => *index.entry(text).or_insert_with(|| {
                    levels.push(one_line(text));
                    (levels.len() - 1) as u32
                }),
            });
        }
        let times: Option<Vec<f64>> = levels
            .iter()
            .map(|level| dates::parse_date(level))
            .collect();
        let cells = match times.filter(|times| !times.is_empty()) {
            Some(times) => ColumnCells::Times(
                codes
                    .iter()
                    .map(|&code| times.get(code as usize).copied().unwrap_or(f64::NAN))
                    .collect(),
            ),
            None => ColumnCells::Texts {
                levels: levels.into(),
                codes: codes.into(),
            },
        };
        Self {
            name: name.to_owned(),
            cells,
        }
    }

    /// Number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.cells {
            ColumnCells::Numbers(cells) | ColumnCells::Times(cells) => cells.len(),
            ColumnCells::Texts { codes, .. } => codes.len(),
        }
    }

    /// Whether there is no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A text for one line: control characters become spaces, and what is beyond the limit becomes `…`.
pub(crate) fn one_line(text: &str) -> String {
    let mut line: String = text
        .chars()
        .take(TEXT_CHARACTERS_MAX)
        .map(|one| if one.is_control() { ' ' } else { one })
        .collect();
    if text.chars().nth(TEXT_CHARACTERS_MAX).is_some() {
        line.pop();
        line.push('…');
    }
    line
}

/// Named columns of equal length.
#[derive(Debug, Clone, Default)]
pub struct DataTable {
    columns: Vec<PlotColumn>,
    rows: usize,
}

impl DataTable {
    /// A table of columns.
    ///
    /// # Errors
    /// [`PlotError::Form`] for columns of different length, [`PlotError::TooMany`] for too many rows.
    pub fn new(columns: Vec<PlotColumn>) -> Result<Self, PlotError> {
        let rows = columns.first().map_or(0, PlotColumn::len);
        if let Some(other) = columns.iter().find(|column| column.len() != rows) {
            let expected = format!("columns of {rows} cells");
            let found = format!("{} in `{}`", other.len(), other.name);
            return Err(PlotError::form("/data", expected, found));
        }
        if rows > ROWS_MAX {
            return Err(PlotError::TooMany {
                place: "/data".to_owned(),
                what: "rows".to_owned(),
                found: rows,
                most: ROWS_MAX,
            });
        }
        Ok(Self { columns, rows })
    }

    /// A table of JSON: a list of records, or an object of lists.
    ///
    /// # Errors
    /// [`PlotError::Form`] for anything else.
    pub fn from_json(json: &Json, place: &str) -> Result<Self, PlotError> {
        match json {
            Json::Array(records) => Self::from_records(records, place),
            Json::Object(columns) => {
                let columns = columns.iter().map(|(name, cells)| {
                    let cells = cells.as_array().ok_or_else(|| {
                        PlotError::form(
                            format!("{place}/{name}"),
                            "a list of cells",
                            kind_of(cells),
                        )
                    })?;
                    Ok(column_of_cells(name, &cells.iter().collect::<Vec<_>>()))
                });
                Self::new(columns.collect::<Result<_, PlotError>>()?)
            }
            other => Err(PlotError::form(
                place,
                "a list of records or an object of columns",
                kind_of(other),
            )),
        }
    }

    fn from_records(records: &[Json], place: &str) -> Result<Self, PlotError> {
        let mut names: Vec<&str> = Vec::new();
        let mut columns: HashMap<&str, Vec<&Json>> = HashMap::new();
        for (row, record) in records.iter().enumerate() {
            match record {
                Json::Object(members) => {
                    for (name, cell) in members {
                        let column = columns.entry(name).or_insert_with(|| {
                            names.push(name);
                            vec![&Json::Null; records.len()]
                        });
                        column[row] = cell;
                    }
                }
                // A list of plain values is the field `data`, as in Vega-Lite.
                other if !other.is_array() => {
                    let column = columns.entry("data").or_insert_with(|| {
                        names.push("data");
                        vec![&Json::Null; records.len()]
                    });
                    column[row] = other;
                }
                other => {
                    return Err(PlotError::form(
                        format!("{place}/{row}"),
                        "a record",
                        kind_of(other),
                    ));
                }
            }
        }
        let columns = names
            .iter()
            .map(|name| column_of_cells(name, &columns[name]));
        Self::new(columns.collect())
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[PlotColumn] {
        &self.columns
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The column of a name.
    pub(crate) fn column(&self, name: &str, place: &str) -> Result<&PlotColumn, PlotError> {
        let found = self.columns.iter().find(|column| column.name == name);
        found.ok_or_else(|| PlotError::UnknownField {
            place: place.to_owned(),
            name: one_line(name),
            known: self
                .columns
                .iter()
                .take(20)
                .map(|column| one_line(&column.name))
                .collect(),
        })
    }
}

/// The kind of a JSON value, in words.
pub(crate) fn kind_of(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(flag) => format!("{flag}"),
        Json::Number(number) => format!("{number}"),
        Json::String(text) => format!("`{}`", one_line(text)),
        Json::Array(items) => format!("a list of {}", items.len()),
        Json::Object(_) => "an object".to_owned(),
    }
}

/// A column of JSON cells: numbers where all are numbers or missing, else texts (and times where all are dates).
fn column_of_cells(name: &str, cells: &[&Json]) -> PlotColumn {
    let is_number = |cell: &&&Json| cell.is_number() || cell.is_null();
    if cells.iter().all(|cell| is_number(&cell)) && cells.iter().any(|cell| cell.is_number()) {
        let numbers = cells.iter().map(|cell| cell.as_f64().unwrap_or(f64::NAN));
        return PlotColumn::of_numbers(name, numbers.collect::<Vec<_>>());
    }
    let texts: Vec<Option<String>> = cells
        .iter()
        .map(|cell| match cell {
            Json::Null => None,
            Json::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        })
        .collect();
    PlotColumn::of_texts(name, texts.iter().map(Option::as_deref))
}
