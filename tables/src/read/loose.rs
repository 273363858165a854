//! [`LooseColumn`]: cells whose type is known one by one, as in JSON, workbooks and SQLite, and the one type of their column.

use std::sync::Arc;

use crate::cell::TableCell;
use crate::column::{ColumnType, TableColumn, TextColumn};
use crate::moment::{CalendarDate, parse_date, parse_moment};

/// A cell with its own type.
#[derive(Debug, Clone, PartialEq)]
pub enum LooseCell {
    /// No value.
    Missing,
    /// An integer.
    Integer(i64),
    /// A number; NaN is missing.
    Double(f64),
    /// A truth value.
    Boolean(bool),
    /// A text.
    Text(Arc<str>),
    /// A day.
    Date(CalendarDate),
    /// Microseconds since 1970 on the clock on a wall.
    Moment(i64),
}

/// Largest magnitude up to which every integer is a double.
const SAFE_INTEGER: u64 = 1 << 53;

/// A column of one type, and what may surprise about it.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedColumn {
    /// The column.
    pub column: TableColumn,
    /// A sentence about it.
    pub note: Option<String>,
}

/// Cells that come one by one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LooseColumn {
    cells: Vec<LooseCell>,
}

impl LooseCell {
    fn kind(&self) -> Option<ColumnType> {
        Some(match self {
            Self::Missing => return None,
            Self::Integer(_) => ColumnType::Integer,
            Self::Double(value) if value.is_nan() => return None,
            Self::Double(_) => ColumnType::Double,
            Self::Boolean(_) => ColumnType::Boolean,
            Self::Text(_) => ColumnType::Text,
            Self::Date(_) => ColumnType::Date,
            Self::Moment(_) => ColumnType::Moment(None),
        })
    }

    /// The cell as text, as a file of text would have it.
    fn to_text(&self) -> Option<Arc<str>> {
        let cell = match self {
            Self::Text(text) => return Some(Arc::clone(text)),
            Self::Missing => return None,
            Self::Integer(value) => TableCell::Integer(*value),
            Self::Double(value) if value.is_nan() => return None,
            Self::Double(value) => TableCell::Double(*value),
            Self::Boolean(value) => TableCell::Boolean(*value),
            Self::Date(date) => TableCell::Date(*date),
            Self::Moment(micros) => TableCell::Moment(crate::cell::MomentCell {
                micros: *micros,
                zone: None,
            }),
        };
        Some(cell.to_string().into())
    }
}

impl LooseColumn {
    /// A column of so many missing cells.
    pub fn of_missing(length: usize) -> Self {
        Self {
            cells: vec![LooseCell::Missing; length],
        }
    }

    /// Adds a cell.
    pub fn push(&mut self, cell: LooseCell) {
        self.cells.push(cell);
    }

    /// Adds missing cells up to a length.
    pub fn fill_to(&mut self, length: usize) {
        if self.cells.len() < length {
            self.cells.resize(length, LooseCell::Missing);
        }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The column: integers beside other numbers become numbers where doubles hold them exactly; texts that are all dates or times as ISO 8601
    /// writes them become these; cells of several types become texts, with a note that names the first that differs.
    pub fn finish(self) -> TypedColumn {
        let plain = |column: TableColumn| TypedColumn { column, note: None };
        let mut kinds: Vec<(ColumnType, usize)> = Vec::new();
        for (row, cell) in self.cells.iter().enumerate() {
            if let Some(kind) = cell.kind()
                && !kinds.iter().any(|(known, _)| *known == kind)
            {
                kinds.push((kind, row));
            }
        }
        let is_number = |kind: &ColumnType| kind.is_number();
        let cells = self.cells.iter();
        match kinds.as_slice() {
            [] => plain(TableColumn::Missing(self.cells.len())),
            [(ColumnType::Integer, _)] => {
                plain(TableColumn::integers(cells.map(|cell| match cell {
                    LooseCell::Integer(value) => Some(*value),
                    _ => None,
                })))
            }
            [(ColumnType::Boolean, _)] => {
                plain(TableColumn::booleans(cells.map(|cell| match cell {
                    LooseCell::Boolean(value) => Some(*value),
                    _ => None,
                })))
            }
            [(ColumnType::Date, _)] => plain(TableColumn::dates(cells.map(|cell| match cell {
                LooseCell::Date(date) => Some(*date),
                _ => None,
            }))),
            [(ColumnType::Moment(_), _)] => plain(TableColumn::moments(
                cells.map(|cell| match cell {
                    LooseCell::Moment(micros) => Some(*micros),
                    _ => None,
                }),
                None,
            )),
            [(ColumnType::Text, _)] => {
                let texts = cells.map(|cell| match cell {
                    LooseCell::Text(text) => Some(&**text),
                    _ => None,
                });
                plain(infer_dates(texts.collect()))
            }
            kinds if kinds.iter().all(|(kind, _)| is_number(kind)) && self.is_safe() => {
                plain(TableColumn::doubles(cells.map(|cell| match cell {
                    LooseCell::Integer(value) => Some(*value as f64),
                    LooseCell::Double(value) => Some(*value),
                    _ => None,
                })))
            }
            kinds => self.mixed(kinds),
        }
    }

    /// Whether a double holds every integer.
    fn is_safe(&self) -> bool {
        let is_safe = |cell: &LooseCell| match cell {
            LooseCell::Integer(value) => value.unsigned_abs() <= SAFE_INTEGER,
            _ => true,
        };
        self.cells.iter().all(is_safe)
    }

    fn mixed(&self, kinds: &[(ColumnType, usize)]) -> TypedColumn {
        const SHOWN_MAX: usize = 40;
        let texts: Vec<Option<Arc<str>>> = self.cells.iter().map(LooseCell::to_text).collect();
        let note = match kinds {
            [(first, _), (second, row), ..] => {
                let value: String = texts[*row]
                    .iter()
                    .flat_map(|text| text.chars())
                    .take(SHOWN_MAX)
                    .collect();
                let number = row + 1;
                match first.is_number() && second.is_number() {
                    true => "integers beyond 2^53 beside numbers with a fraction, which no double holds: read as texts".to_owned(),
                    false => format!(
                        "cells of the types {first} and {second} (row {number} has {value:?}), read as texts"
                    ),
                }
            }
            _ => String::new(),
        };
        TypedColumn {
            column: TableColumn::texts(texts.iter().map(Option::as_deref)),
            note: Some(note),
        }
    }
}

/// Texts that are all dates, or all times of one zone, as ISO 8601 writes them, as these; others as they are.
pub fn infer_dates(texts: TextColumn) -> TableColumn {
    let entries = texts.entries();
    // Entries without a cell, such as those of rows that were left out, count too: that is rare, and only keeps texts.
    let first = entries.iter().flatten().next();
    let zone = match first {
        None => return TableColumn::Text(texts),
        Some(first) if parse_date(first).is_some() => {
            let dates: Option<Vec<CalendarDate>> =
                entries.iter().map(|entry| parse_date(entry?)).collect();
            return match dates {
                None => TableColumn::Text(texts),
                Some(dates) => {
                    let rows = 0..texts.keys().len();
                    let date = |row: usize| texts.key(row).map(|key| dates[key]);
                    TableColumn::dates(rows.map(date))
                }
            };
        }
        Some(first) => match parse_moment(first) {
            None => return TableColumn::Text(texts),
            Some(first) => first.zone,
        },
    };
    let micros = entries.iter().map(|entry| {
        let parsed = parse_moment(entry?)?;
        (parsed.zone == zone).then_some(parsed.micros)
    });
    match micros.collect::<Option<Vec<i64>>>() {
        None => TableColumn::Text(texts),
        Some(micros) => {
            let rows = 0..texts.keys().len();
            let cells = rows.map(|row| texts.key(row).map(|key| micros[key]));
            TableColumn::moments(cells, zone.map(Arc::from))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(cells: &[LooseCell]) -> TypedColumn {
        LooseColumn {
            cells: cells.to_vec(),
        }
        .finish()
    }

    #[test]
    fn a_column_has_one_type() {
        use LooseCell::{Boolean, Double, Integer, Missing, Text};
        let text = |text: &str| Text(text.into());
        for (cells, expected) in [
            (vec![Missing, Double(f64::NAN)], ColumnType::Missing),
            (vec![Integer(1), Missing], ColumnType::Integer),
            (vec![Integer(1), Double(0.5)], ColumnType::Double),
            (vec![Boolean(true)], ColumnType::Boolean),
            (vec![text("2024-05-17"), Missing], ColumnType::Date),
            (vec![text("2024-05-17"), text("")], ColumnType::Text),
            (
                vec![text("2024-05-17T10:00:00Z")],
                ColumnType::Moment(Some("UTC".into())),
            ),
            (
                vec![text("2024-05-17T10:00:00Z"), text("2024-05-17T10:00:00")],
                ColumnType::Text,
            ),
        ] {
            let found = typed(&cells);
            assert_eq!(found.column.column_type(), expected, "{cells:?}");
            assert_eq!(found.note, None);
        }
        let mixed = typed(&[Integer(7), text("x"), Missing, Boolean(true)]);
        assert_eq!(
            mixed.column,
            TableColumn::texts([Some("7"), Some("x"), None, Some("true")])
        );
        assert!(mixed.note.unwrap().contains("row 2 has \"x\""));
        let large = typed(&[Integer(i64::MAX), Double(0.5)]);
        assert_eq!(large.column.cell(0).to_string(), "9223372036854775807");
        assert!(large.note.unwrap().contains("2^53"));
    }
}
