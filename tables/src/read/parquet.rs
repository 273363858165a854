//! Parquet. Columns of columns are refused by name, and so is more than the limits, before it is decoded where the file states it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader as _};
use arrow_schema::Schema;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Repetition;

use super::{ReadLimits, column_of_arrays};
use crate::column::TableColumn;
use crate::error::{StopCheck, TableError};
use crate::shared::map_parts;
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
    let metadata = ArrowReaderMetadata::load(&bytes, options).map_err(format_fault)?;
    let stated = metadata.metadata().file_metadata();
    let rows = usize::try_from(stated.num_rows()).map_err(format_fault)?;
    if rows > ROWS_MAX {
        return Err(TableError::limit("rows of a table", rows, ROWS_MAX));
    }
    let root = metadata.parquet_schema().root_schema();
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
    let columns = ColumnReader {
        bytes: &bytes,
        metadata: &metadata,
        limits,
        taken: AtomicU64::new(0),
        stop,
    };
    let cells = rows.saturating_mul(places.len());
    let columns = map_parts(&places, cells, |place| columns.read(*place))?;
    table_of_columns(columns, rows)
}

/// Reads the columns of a file one by one.
struct ColumnReader<'a> {
    bytes: &'a Bytes,
    metadata: &'a ArrowReaderMetadata,
    limits: ReadLimits,
    /// Bytes of all columns so far.
    taken: AtomicU64,
    stop: StopCheck<'a>,
}

impl ColumnReader<'_> {
    fn read(&self, place: usize) -> Result<(Arc<str>, TableColumn), TableError> {
        let metadata = self.metadata.clone();
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.bytes.clone(), metadata);
        let mask = ProjectionMask::roots(builder.parquet_schema(), [place]);
        let reader = builder
            .with_projection(mask)
            .with_batch_size(BATCH_ROWS)
            .build()
            .map_err(format_fault)?;
        let schema = reader.schema();
        let mut parts: Vec<ArrayRef> = Vec::new();
        for batch in reader {
            if (self.stop)() {
                return Err(TableError::Stopped);
            }
            let batch = batch.map_err(format_fault)?;
            let bytes = batch.get_array_memory_size() as u64;
            let before = self.taken.fetch_add(bytes, Ordering::Relaxed);
            self.limits.check_memory(before + bytes)?;
            parts.extend(batch.columns().iter().map(Arc::clone));
        }
        let fields = schema.fields().iter();
        let field = fields
            .last()
            .ok_or_else(|| format_fault("a column is gone"))?;
        let name = field.name().as_str();
        let column = column_of_arrays(name, field.data_type(), &parts)?;
        Ok((name.into(), column))
    }
}

/// A table of columns that state so many rows.
fn table_of_columns(
    columns: Vec<(Arc<str>, TableColumn)>,
    rows: usize,
) -> Result<DataTable, TableError> {
    let table = DataTable::new(columns)?;
    match table.columns().is_empty() || table.rows() == rows {
        true => Ok(table),
        false => Err(format_fault(format_args!(
            "it has {} rows and states {rows}",
            table.rows()
        ))),
    }
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
        table_of_columns(columns, rows)
    }
}
