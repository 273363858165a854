//! Arrays of Arrow as columns: of every type that a table has, others are refused by name.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};

use crate::column::{NO_ROW, TableColumn, TextColumnBuilder};
use crate::error::TableError;
use crate::moment::CalendarDate;

const DAY_MILLIS: i64 = 86_400_000;

/// A column of arrays of one type that follow each other.
///
/// # Errors
/// A type that tables do not have, such as lists, structures, bytes and durations; a time outside of the years that microseconds of 64 bits
/// reach.
pub fn column_of_arrays(
    name: &str,
    kind: &DataType,
    parts: &[ArrayRef],
) -> Result<TableColumn, TableError> {
    let chunks = ArrayChunks { name, parts };
    Ok(match kind {
        DataType::Null => TableColumn::Missing(parts.iter().map(|part| part.len()).sum()),
        DataType::Boolean => {
            let cells = parts.iter().flat_map(|part| part.as_boolean().iter());
            TableColumn::booleans(cells.collect::<Vec<_>>())
        }
        DataType::Float64 => TableColumn::doubles(chunks.cells::<Float64Type, _>(Some)),
        DataType::Float32 => {
            TableColumn::doubles(chunks.cells::<Float32Type, _>(|value| Some(f64::from(value))))
        }
        DataType::Float16 => {
            TableColumn::doubles(chunks.cells::<Float16Type, _>(|value| Some(value.to_f64())))
        }
        DataType::Int64 => TableColumn::integers(chunks.cells::<Int64Type, _>(Some)),
        DataType::Int32 => chunks.integers::<Int32Type>(),
        DataType::Int16 => chunks.integers::<Int16Type>(),
        DataType::Int8 => chunks.integers::<Int8Type>(),
        DataType::UInt32 => chunks.integers::<UInt32Type>(),
        DataType::UInt16 => chunks.integers::<UInt16Type>(),
        DataType::UInt8 => chunks.integers::<UInt8Type>(),
        DataType::UInt64 => chunks.unsigned()?,
        DataType::Decimal128(_, scale) if *scale >= 0 => {
            TableColumn::decimals(chunks.cells::<Decimal128Type, _>(Some), *scale)?
        }
        DataType::Date32 => {
            TableColumn::dates(chunks.cells::<Date32Type, _>(|days| Some(CalendarDate(days))))
        }
        DataType::Date64 => TableColumn::dates(chunks.cells::<Date64Type, _>(|millis| {
            i32::try_from(millis.div_euclid(DAY_MILLIS))
                .ok()
                .map(CalendarDate)
        })),
        DataType::Timestamp(unit, zone) => chunks.moments(*unit, zone.clone())?,
        DataType::Time32(_) | DataType::Time64(_) => chunks.times_of_day(kind),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => chunks.texts(kind),
        DataType::Dictionary(_, values) => chunks.dictionary(values)?,
        other => return Err(chunks.unsupported(other)),
    })
}

/// The parts of a column.
struct ArrayChunks<'a> {
    name: &'a str,
    parts: &'a [ArrayRef],
}

impl ArrayChunks<'_> {
    fn unsupported(&self, kind: &DataType) -> TableError {
        TableError::UnsupportedType {
            column: self.name.to_owned(),
            found: kind.to_string(),
        }
    }

    fn cells<T: ArrowPrimitiveType, C>(
        &self,
        cell: impl Fn(T::Native) -> Option<C>,
    ) -> Vec<Option<C>> {
        let parts = self.parts.iter();
        let cells = parts.flat_map(|part| part.as_primitive::<T>().iter());
        cells.map(|value| value.and_then(&cell)).collect()
    }

    fn integers<T: ArrowPrimitiveType>(&self) -> TableColumn
    where
        i64: From<T::Native>,
    {
        TableColumn::integers(self.cells::<T, _>(|value| Some(i64::from(value))))
    }

    /// Integers, or decimals where 63 bits are too few.
    fn unsigned(&self) -> Result<TableColumn, TableError> {
        let values = self.cells::<UInt64Type, _>(Some);
        let small = |value: &Option<u64>| value.map(i64::try_from).transpose().ok();
        match values.iter().map(small).collect::<Option<Vec<_>>>() {
            Some(values) => Ok(TableColumn::integers(values)),
            None => {
                let values = values.into_iter().map(|value| value.map(i128::from));
                TableColumn::decimals(values.collect(), 0)
            }
        }
    }

    fn moments(&self, unit: TimeUnit, zone: Option<Arc<str>>) -> Result<TableColumn, TableError> {
        const SECOND: i64 = 1_000_000;
        const MILLISECOND: i64 = 1000;
        const NANOS: i64 = 1000;
        let scaled = |values: Vec<Option<i64>>, factor: i64| {
            let micros = values.into_iter().map(|value| match value {
                None => Some(None),
                Some(value) => value.checked_mul(factor).map(Some),
            });
            micros.collect::<Option<Vec<Option<i64>>>>().ok_or_else(|| {
                let message = format!("column `{}` has a time too far away", self.name);
                TableError::format(message, "times reach 290,000 years before and after 1970")
            })
        };
        let micros = match unit {
            TimeUnit::Second => scaled(self.cells::<TimestampSecondType, _>(Some), SECOND)?,
            TimeUnit::Millisecond => {
                scaled(self.cells::<TimestampMillisecondType, _>(Some), MILLISECOND)?
            }
            TimeUnit::Microsecond => self.cells::<TimestampMicrosecondType, _>(Some),
            TimeUnit::Nanosecond => {
                self.cells::<TimestampNanosecondType, _>(|nanos| Some(nanos.div_euclid(NANOS)))
            }
        };
        Ok(TableColumn::moments(micros, zone))
    }

    /// Times without a date, as texts.
    fn times_of_day(&self, kind: &DataType) -> TableColumn {
        const SECOND: i64 = 1_000_000;
        let micros: Vec<Option<i64>> = match kind {
            DataType::Time32(TimeUnit::Second) => {
                self.cells::<Time32SecondType, _>(|value| Some(i64::from(value) * SECOND))
            }
            DataType::Time32(_) => {
                self.cells::<Time32MillisecondType, _>(|value| Some(i64::from(value) * 1000))
            }
            DataType::Time64(TimeUnit::Nanosecond) => {
                self.cells::<Time64NanosecondType, _>(|value| Some(value.div_euclid(1000)))
            }
            _ => self.cells::<Time64MicrosecondType, _>(Some),
        };
        let texts: Vec<Option<String>> = micros
            .into_iter()
            .map(|micros| micros.map(format_time_of_day))
            .collect();
        TableColumn::texts(texts.iter().map(Option::as_deref))
    }

    fn texts(&self, kind: &DataType) -> TableColumn {
        let mut builder = TextColumnBuilder::default();
        for part in self.parts {
            match kind {
                DataType::Utf8 => part
                    .as_string::<i32>()
                    .iter()
                    .for_each(|text| builder.push(text)),
                DataType::LargeUtf8 => {
                    part.as_string::<i64>()
                        .iter()
                        .for_each(|text| builder.push(text));
                }
                _ => part
                    .as_string_view()
                    .iter()
                    .for_each(|text| builder.push(text)),
            }
        }
        TableColumn::Text(builder.finish())
    }

    /// The values that the keys of each part name.
    fn dictionary(&self, values: &DataType) -> Result<TableColumn, TableError> {
        let mut taken: Vec<TableColumn> = Vec::with_capacity(self.parts.len());
        for part in self.parts {
            let dictionary = part.as_any_dictionary();
            let entries = Arc::clone(dictionary.values());
            let entries = column_of_arrays(self.name, values, &[entries])?;
            let keys = dictionary.keys();
            let keys: Vec<u32> = if entries.is_empty() {
                vec![NO_ROW; part.len()]
            } else {
                let found = dictionary.normalized_keys();
                let places = found.into_iter().enumerate();
                places
                    .map(|(row, key)| match keys.is_valid(row) {
                        true => key as u32,
                        false => NO_ROW,
                    })
                    .collect()
            };
            taken.push(entries.take(&keys));
        }
        if taken.is_empty() {
            return column_of_arrays(self.name, values, &[]);
        }
        TableColumn::concat_all(&taken).ok_or_else(|| {
            self.unsupported(&DataType::Dictionary(
                Box::new(DataType::Int32),
                Box::new(values.clone()),
            ))
        })
    }
}

/// `10:30:00`, with a fraction where there is one.
fn format_time_of_day(micros: i64) -> String {
    const SECOND: i64 = 1_000_000;
    let (seconds, rest) = (micros.div_euclid(SECOND), micros.rem_euclid(SECOND));
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let text = format!("{hours:02}:{minutes:02}:{:02}", seconds % 60);
    match rest {
        0 => text,
        rest => format!("{text}.{}", format!("{rest:06}").trim_end_matches('0')),
    }
}
