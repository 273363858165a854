//! [`TableColumn`]: the cells of a column as shared blocks in Arrow's layout.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_array::types::{Decimal128Type, Int32Type};
use arrow_array::{
    Array, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array,
    LargeStringArray, PrimitiveArray, TimestampMicrosecondArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::DECIMAL128_MAX_PRECISION;

use crate::cell::{DecimalNumber, MomentCell, TableCell};
use crate::error::TableError;
use crate::moment::CalendarDate;

/// A row that there is not: its cells are missing.
pub const NO_ROW: u32 = u32::MAX;

/// The cells of a column. Cloning is a pointer copy.
#[derive(Debug, Clone)]
pub enum TableColumn {
    /// Numbers; none is NaN.
    Double(Float64Array),
    /// Integers.
    Integer(Int64Array),
    /// Exact decimals of one scale, which is not negative.
    Decimal(Decimal128Array),
    /// Texts.
    Text(TextColumn),
    /// Truth values.
    Boolean(BooleanArray),
    /// Days.
    Date(Date32Array),
    /// Dates with a time of day, of one zone.
    Moment(TimestampMicrosecondArray),
    /// So many missing cells, and no type.
    Missing(usize),
}

/// Texts as numbers of a dictionary whose entries differ.
#[derive(Debug, Clone)]
pub struct TextColumn {
    keys: Int32Array,
    entries: Arc<LargeStringArray>,
}

/// Type of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnType {
    /// Doubles.
    Double,
    /// Integers of 64 bits.
    Integer,
    /// Decimals with so many digits after the point.
    Decimal(i8),
    /// Texts.
    Text,
    /// Truth values.
    Boolean,
    /// Days.
    Date,
    /// Dates with a time of day, in a zone or in none.
    Moment(Option<Arc<str>>),
    /// Nothing but missing cells.
    Missing,
}

impl ColumnType {
    /// The word for the type, without scale and zone.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Double => "number",
            Self::Integer => "integer",
            Self::Decimal(_) => "decimal",
            Self::Text => "text",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Moment(_) => "time",
            Self::Missing => "missing",
        }
    }

    /// Whether its cells are numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Double | Self::Integer | Self::Decimal(_))
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decimal(scale) => write!(f, "decimal ({scale} after the point)"),
            Self::Moment(Some(zone)) => write!(f, "time in {zone}"),
            other => f.write_str(other.word()),
        }
    }
}

/// Makes a dictionary of texts.
#[derive(Debug, Default)]
pub struct TextColumnBuilder {
    keys: Vec<Option<i32>>,
    numbers: HashMap<Arc<str>, i32, foldhash::fast::FixedState>,
    entries: Vec<Arc<str>>,
}

impl TextColumnBuilder {
    /// Adds a cell.
    pub fn push(&mut self, text: Option<&str>) {
        let key = text.map(|text| match self.numbers.get(text) {
            Some(number) => *number,
            None => {
                let (number, text) = (self.entries.len() as i32, Arc::<str>::from(text));
                self.entries.push(Arc::clone(&text));
                self.numbers.insert(text, number);
                number
            }
        });
        self.keys.push(key);
    }

    /// The column.
    pub fn finish(self) -> TextColumn {
        TextColumn {
            keys: self.keys.into(),
            entries: Arc::new(LargeStringArray::from_iter_values(self.entries.iter())),
        }
    }
}

impl<'a> FromIterator<Option<&'a str>> for TextColumn {
    fn from_iter<T: IntoIterator<Item = Option<&'a str>>>(texts: T) -> Self {
        let mut builder = TextColumnBuilder::default();
        texts.into_iter().for_each(|text| builder.push(text));
        builder.finish()
    }
}

impl TextColumn {
    /// The number of each cell in the dictionary.
    pub fn keys(&self) -> &Int32Array {
        &self.keys
    }

    /// The dictionary; some entries may have no cell.
    pub fn entries(&self) -> &Arc<LargeStringArray> {
        &self.entries
    }

    /// The text of a row.
    pub fn text(&self, row: usize) -> Option<&str> {
        let key = self.key(row)?;
        Some(self.entries.value(key))
    }

    /// The number in the dictionary of the text of a row.
    pub fn key(&self, row: usize) -> Option<usize> {
        self.keys
            .is_valid(row)
            .then(|| self.keys.value(row) as usize)
    }

    /// The texts of all rows.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.keys.len()).map(|row| self.text(row))
    }
}

impl TableColumn {
    /// Numbers; NaN is missing.
    pub fn doubles(cells: impl IntoIterator<Item = Option<f64>>) -> Self {
        let is_number = |cell: Option<f64>| cell.filter(|number| !number.is_nan());
        Self::Double(cells.into_iter().map(is_number).collect())
    }

    /// Integers.
    pub fn integers(cells: impl IntoIterator<Item = Option<i64>>) -> Self {
        Self::Integer(cells.into_iter().collect())
    }

    /// Texts.
    pub fn texts<'a>(cells: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        Self::Text(cells.into_iter().collect())
    }

    /// Truth values.
    pub fn booleans(cells: impl IntoIterator<Item = Option<bool>>) -> Self {
        Self::Boolean(cells.into_iter().collect())
    }

    /// Decimals of one scale.
    ///
    /// # Errors
    /// A number of more than 38 digits, and a scale outside of 0..=38.
    pub fn decimals(cells: Vec<Option<i128>>, scale: i8) -> Result<Self, TableError> {
        let array: Decimal128Array = cells.into();
        let array = array
            .with_precision_and_scale(DECIMAL128_MAX_PRECISION, scale)
            .and_then(|array| {
                array.validate_decimal_precision(DECIMAL128_MAX_PRECISION)?;
                Ok(array)
            });
        let array = array.map_err(|err| {
            TableError::operation(err, "numbers of up to 38 digits are exact decimals")
        })?;
        Ok(Self::Decimal(array))
    }

    /// Days.
    pub fn dates(cells: impl IntoIterator<Item = Option<CalendarDate>>) -> Self {
        let days = cells.into_iter().map(|cell| cell.map(|date| date.0));
        Self::Date(days.collect())
    }

    /// Microseconds since 1970 in a zone.
    pub fn moments(cells: impl IntoIterator<Item = Option<i64>>, zone: Option<Arc<str>>) -> Self {
        let array: TimestampMicrosecondArray = cells.into_iter().collect();
        Self::Moment(array.with_timezone_opt(zone))
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        match self {
            Self::Double(array) => array.len(),
            Self::Integer(array) => array.len(),
            Self::Decimal(array) => array.len(),
            Self::Text(column) => column.keys.len(),
            Self::Boolean(array) => array.len(),
            Self::Date(array) => array.len(),
            Self::Moment(array) => array.len(),
            Self::Missing(length) => *length,
        }
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn nulls(&self) -> Option<&NullBuffer> {
        match self {
            Self::Double(array) => array.nulls(),
            Self::Integer(array) => array.nulls(),
            Self::Decimal(array) => array.nulls(),
            Self::Text(column) => column.keys.nulls(),
            Self::Boolean(array) => array.nulls(),
            Self::Date(array) => array.nulls(),
            Self::Moment(array) => array.nulls(),
            Self::Missing(_) => None,
        }
    }

    /// Whether a cell is missing.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Missing(_) => true,
            _ => self.nulls().is_some_and(|nulls| nulls.is_null(row)),
        }
    }

    /// Number of missing cells.
    pub fn missing_count(&self) -> usize {
        match self {
            Self::Missing(length) => *length,
            _ => self.nulls().map_or(0, NullBuffer::null_count),
        }
    }

    /// Its type.
    pub fn column_type(&self) -> ColumnType {
        match self {
            Self::Double(_) => ColumnType::Double,
            Self::Integer(_) => ColumnType::Integer,
            Self::Decimal(array) => ColumnType::Decimal(array.scale()),
            Self::Text(_) => ColumnType::Text,
            Self::Boolean(_) => ColumnType::Boolean,
            Self::Date(_) => ColumnType::Date,
            Self::Moment(array) => ColumnType::Moment(array.timezone().map(Arc::from)),
            Self::Missing(_) => ColumnType::Missing,
        }
    }

    /// The cell of a row.
    pub fn cell(&self, row: usize) -> TableCell<'_> {
        if self.is_missing(row) {
            return TableCell::Missing;
        }
        match self {
            Self::Double(array) => TableCell::Double(array.value(row)),
            Self::Integer(array) => TableCell::Integer(array.value(row)),
            Self::Decimal(array) => TableCell::Decimal(DecimalNumber {
                units: array.value(row),
                scale: array.scale(),
            }),
            Self::Text(column) => column.text(row).map_or(TableCell::Missing, TableCell::Text),
            Self::Boolean(array) => TableCell::Boolean(array.value(row)),
            Self::Date(array) => TableCell::Date(CalendarDate(array.value(row))),
            Self::Moment(array) => TableCell::Moment(MomentCell {
                micros: array.value(row),
                zone: array.timezone(),
            }),
            Self::Missing(_) => TableCell::Missing,
        }
    }

    /// All cells.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = TableCell<'_>> {
        (0..self.len()).map(|row| self.cell(row))
    }

    /// The cells as doubles; `None` where one is missing, and for a column that has no numbers.
    pub fn numbers(&self) -> Option<Vec<Option<f64>>> {
        let is_number = self.column_type().is_number() || matches!(self, Self::Missing(_));
        is_number.then(|| self.cells().map(|cell| cell.as_double()).collect())
    }

    /// The cells of these rows, in this order; missing ones for [`NO_ROW`].
    ///
    /// # Panics
    /// For a row that the column has not.
    pub fn take(&self, rows: &[u32]) -> Self {
        match self {
            Self::Double(array) => Self::Double(take_cells(array, rows)),
            Self::Integer(array) => Self::Integer(take_cells(array, rows)),
            Self::Decimal(array) => {
                let taken: PrimitiveArray<Decimal128Type> = take_cells(array, rows);
                Self::Decimal(taken.with_data_type(array.data_type().clone()))
            }
            Self::Text(column) => Self::Text(TextColumn {
                keys: take_cells::<Int32Type>(&column.keys, rows),
                entries: Arc::clone(&column.entries),
            }),
            Self::Boolean(array) => {
                let is_there = |row: &u32| *row != NO_ROW && array.is_valid(*row as usize);
                let cell = |row: &u32| is_there(row).then(|| array.value(*row as usize));
                Self::Boolean(rows.iter().map(cell).collect())
            }
            Self::Date(array) => Self::Date(take_cells(array, rows)),
            Self::Moment(array) => {
                let taken = take_cells(array, rows);
                Self::Moment(taken.with_timezone_opt(array.timezone()))
            }
            Self::Missing(_) => Self::Missing(rows.len()),
        }
    }

    /// The cells of rows that follow each other, without a copy.
    pub fn slice(&self, from: usize, length: usize) -> Self {
        match self {
            Self::Double(array) => Self::Double(array.slice(from, length)),
            Self::Integer(array) => Self::Integer(array.slice(from, length)),
            Self::Decimal(array) => Self::Decimal(array.slice(from, length)),
            Self::Text(column) => Self::Text(TextColumn {
                keys: column.keys.slice(from, length),
                entries: Arc::clone(&column.entries),
            }),
            Self::Boolean(array) => Self::Boolean(array.slice(from, length)),
            Self::Date(array) => Self::Date(array.slice(from, length)),
            Self::Moment(array) => Self::Moment(array.slice(from, length)),
            Self::Missing(_) => Self::Missing(length),
        }
    }

    /// The same cells in one column after another; the types must be the same, or one of them have nothing but missing cells.
    pub fn concat(&self, after: &Self) -> Option<Self> {
        Self::concat_all(&[self.clone(), after.clone()])
    }

    /// The cells of several columns, one after the other; `None` where the types differ, but for columns of missing cells alone.
    pub fn concat_all(columns: &[Self]) -> Option<Self> {
        let length = columns.iter().map(Self::len).sum();
        let typed = columns
            .iter()
            .find(|column| !matches!(column, Self::Missing(_)));
        let Some(first) = typed else {
            return Some(Self::Missing(length));
        };
        let wanted = first.column_type();
        let fits =
            |column: &Self| matches!(column, Self::Missing(_)) || column.column_type() == wanted;
        if !columns.iter().all(fits) {
            return None;
        }
        let cells = || columns.iter().flat_map(Self::cells);
        Some(match first {
            Self::Double(_) => Self::Double(
                cells()
                    .map(|cell| match cell {
                        TableCell::Double(value) => Some(value),
                        _ => None,
                    })
                    .collect(),
            ),
            Self::Integer(_) => Self::integers(cells().map(|cell| match cell {
                TableCell::Integer(value) => Some(value),
                _ => None,
            })),
            Self::Decimal(array) => {
                let units = cells().map(|cell| match cell {
                    TableCell::Decimal(value) => Some(value.units),
                    _ => None,
                });
                return Self::decimals(units.collect(), array.scale()).ok();
            }
            Self::Text(_) => Self::texts(cells().map(|cell| match cell {
                TableCell::Text(text) => Some(text),
                _ => None,
            })),
            Self::Boolean(_) => Self::booleans(cells().map(|cell| match cell {
                TableCell::Boolean(value) => Some(value),
                _ => None,
            })),
            Self::Date(_) => Self::dates(cells().map(|cell| match cell {
                TableCell::Date(date) => Some(date),
                _ => None,
            })),
            Self::Moment(array) => Self::moments(
                cells().map(|cell| match cell {
                    TableCell::Moment(moment) => Some(moment.micros),
                    _ => None,
                }),
                array.timezone().map(Arc::from),
            ),
            Self::Missing(_) => Self::Missing(length),
        })
    }

    /// Bytes that the cells take.
    pub fn memory_bytes(&self) -> u64 {
        let bytes = match self {
            Self::Double(array) => array.get_array_memory_size(),
            Self::Integer(array) => array.get_array_memory_size(),
            Self::Decimal(array) => array.get_array_memory_size(),
            Self::Text(column) => {
                column.keys.get_array_memory_size() + column.entries.get_array_memory_size()
            }
            Self::Boolean(array) => array.get_array_memory_size(),
            Self::Date(array) => array.get_array_memory_size(),
            Self::Moment(array) => array.get_array_memory_size(),
            Self::Missing(_) => 0,
        };
        bytes as u64
    }
}

/// Columns are equal where their types and cells are.
impl PartialEq for TableColumn {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.column_type() == other.column_type()
            && self.cells().zip(other.cells()).all(|(one, two)| one == two)
    }
}

fn take_cells<T: arrow_array::ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    rows: &[u32],
) -> PrimitiveArray<T> {
    if array.null_count() == 0 && !rows.contains(&NO_ROW) {
        let values = array.values();
        let cells = rows.iter().map(|row| values[*row as usize]);
        return PrimitiveArray::from_iter_values(cells);
    }
    let is_there = |row: &u32| *row != NO_ROW && array.is_valid(*row as usize);
    let cells = rows
        .iter()
        .map(|row| is_there(row).then(|| array.value(*row as usize)));
    cells.collect()
}

/// A cell as documents have it.
#[derive(Debug, Clone, PartialEq)]
pub enum PlainCell {
    /// No value.
    Null,
    /// An integer, with all its digits.
    Integer(i64),
    /// A number; infinite ones are possible.
    Double(f64),
    /// A truth value.
    Boolean(bool),
    /// A text: also of dates and times, and of decimals with more digits than a double has.
    Text(Arc<str>),
}

/// The cells of a column as documents have them.
#[derive(Debug, Clone, PartialEq)]
pub enum PlainColumn {
    /// Finite numbers, none missing; whether all are integers up to 2^53.
    Numbers(Vec<f64>, bool),
    /// Other cells.
    Cells(Vec<PlainCell>),
}

impl TableColumn {
    /// The cells as documents have them.
    pub fn to_plain(&self) -> PlainColumn {
        const SAFE: u64 = 1 << 53;
        let is_whole = self.missing_count() == 0 && !self.is_empty();
        match self {
            Self::Double(array)
                if is_whole && array.values().iter().all(|value| value.is_finite()) =>
            {
                PlainColumn::Numbers(array.values().to_vec(), false)
            }
            Self::Integer(array)
                if is_whole
                    && array
                        .values()
                        .iter()
                        .all(|value| value.unsigned_abs() <= SAFE) =>
            {
                let numbers = array.values().iter().map(|value| *value as f64);
                PlainColumn::Numbers(numbers.collect(), true)
            }
            Self::Text(texts) => {
                let entries: Vec<Arc<str>> = texts
                    .entries()
                    .iter()
                    .map(|entry| entry.unwrap_or_default().into())
                    .collect();
                let cell = |row: usize| match texts.key(row) {
                    None => PlainCell::Null,
                    Some(key) => PlainCell::Text(Arc::clone(&entries[key])),
                };
                PlainColumn::Cells((0..self.len()).map(cell).collect())
            }
            _ => PlainColumn::Cells(self.cells().map(plain_cell).collect()),
        }
    }
}

fn plain_cell(cell: TableCell<'_>) -> PlainCell {
    /// Digits of a decimal that every double tells apart.
    const DIGITS: u32 = 15;
    match cell {
        TableCell::Missing => PlainCell::Null,
        TableCell::Integer(value) => PlainCell::Integer(value),
        TableCell::Double(value) => PlainCell::Double(value),
        TableCell::Boolean(value) => PlainCell::Boolean(value),
        TableCell::Decimal(value) if value.units.unsigned_abs() < 10_u128.pow(DIGITS) => {
            PlainCell::Double(value.to_double())
        }
        other => PlainCell::Text(other.to_string().into()),
    }
}
