//! Parquet. Columns of columns are refused by name, and so is more than the limits, before it is decoded where the file states it.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader as _};
use arrow_schema::Schema;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::Repetition;

use super::{ReadLimits, column_of_arrays};
use crate::column::TableColumn;
use crate::error::{StopCheck, TableError};
use crate::table::{DataTable, ROWS_MAX, check_column_count};

const HINT: &str = "write the file again";
/// Rows that are decoded at once.
const BATCH_ROWS: usize = 1 << 16;

pub(super) fn format_fault(err: impl std::fmt::Display) -> TableError {
    TableError::format(format_args!("no readable Parquet: {err}"), HINT)
}

/// Reads a table.
///
/// # Errors
/// A file that is not Parquet or damaged, nested columns among those asked for, limits; a stop.
pub(super) fn read_parquet(
    bytes: &[u8],
    columns: Option<&[String]>,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<DataTable, TableError> {
    let bytes = Bytes::copy_from_slice(bytes);
    // A schema of Arrow in the file could contradict that of Parquet; zones and dictionaries are in both.
    let options = ArrowReaderOptions::new();
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options)
        .map_err(format_fault)?;
    let metadata = builder.metadata().file_metadata();
    let rows = usize::try_from(metadata.num_rows()).map_err(format_fault)?;
    if rows > ROWS_MAX {
        return Err(TableError::limit("rows of a table", rows, ROWS_MAX));
    }
    let root = builder.parquet_schema().root_schema();
    let fields = root.get_fields();
    check_column_count(fields.len())?;
    let is_wanted = |name: &str| columns.is_none_or(|names| names.iter().any(|one| one == name));
    let mut places = Vec::new();
    for (place, field) in fields
        .iter()
        .enumerate()
        .filter(|(_, field)| is_wanted(field.name()))
    {
        let info = field.get_basic_info();
        let is_repeated = info.has_repetition() && info.repetition() == Repetition::REPEATED;
        if field.is_group() || is_repeated {
            return Err(TableError::UnsupportedType {
                column: field.name().to_owned(),
                found: if is_repeated { "repeated" } else { "nested" }.to_owned(),
            });
        }
        places.push(place);
    }
    limits.check_cells(rows, places.len())?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), places);
    let reader = builder
        .with_projection(mask)
        .with_batch_size(BATCH_ROWS)
        .build()
        .map_err(format_fault)?;
    let schema = reader.schema();
    let mut batches = BatchColumns::new(&schema);
    for batch in reader {
        if stop() {
            return Err(TableError::Stopped);
        }
        batches.push(batch.map_err(format_fault)?, limits)?;
    }
    batches.finish(rows)
}

/// Batches of columns that follow each other.
pub(super) struct BatchColumns {
    schema: Arc<Schema>,
    parts: Vec<Vec<ArrayRef>>,
    bytes: u64,
}

impl BatchColumns {
    pub(super) fn new(schema: &Arc<Schema>) -> Self {
        Self {
            schema: Arc::clone(schema),
            parts: vec![Vec::new(); schema.fields().len()],
            bytes: 0,
        }
    }

    pub(super) fn push(
        &mut self,
        batch: RecordBatch,
        limits: ReadLimits,
    ) -> Result<(), TableError> {
        self.bytes += batch.get_array_memory_size() as u64;
        limits.check_memory(self.bytes)?;
        let columns = batch.columns().iter();
        for (parts, column) in self.parts.iter_mut().zip(columns) {
            parts.push(Arc::clone(column));
        }
        Ok(())
    }

    /// The table; of no column, with so many rows.
    pub(super) fn finish(self, rows: usize) -> Result<DataTable, TableError> {
        let fields = self.schema.fields().iter();
        let mut columns: Vec<(Arc<str>, TableColumn)> = Vec::new();
        for (field, parts) in fields.zip(&self.parts) {
            let name = field.name().as_str();
            let column = column_of_arrays(name, field.data_type(), parts)?;
            columns.push((name.into(), column));
        }
        let table = DataTable::new(columns)?;
        match table.columns().is_empty() || table.rows() == rows {
            true => Ok(table),
            false => Err(format_fault(format_args!(
                "it has {} rows and states {rows}",
                table.rows()
            ))),
        }
    }
}
