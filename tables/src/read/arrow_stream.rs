//! Tables that another library of the same process has, by Arrow's C stream interface.
#![expect(
    unsafe_code,
    reason = "a stream of another library is a pointer whose owner vouches for it"
)]

use std::ffi::c_void;
use std::ptr::NonNull;

use arrow_array::RecordBatchReader as _;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};

use super::ReadLimits;
use super::parquet::BatchColumns;
use crate::error::{StopCheck, TableError};
use crate::table::{DataTable, check_column_count};

fn stream_fault(err: impl std::fmt::Display) -> TableError {
    TableError::format(
        format_args!("no readable stream of Arrow: {err}"),
        "pass the columns as a dictionary",
    )
}

/// Reads a table from an `ArrowArrayStream`, whose cells are copied: nothing of the table refers to the memory of the other library. The stream
/// is taken: its owner finds it released.
///
/// # Safety
/// The pointer is that of an initialised `ArrowArrayStream` by the specification of Arrow's C stream interface, which nobody else uses meanwhile.
///
/// # Errors
/// A stream that is no table, has columns of types that tables do not have, or fails; limits; a stop.
pub unsafe fn read_arrow_stream(
    stream: NonNull<c_void>,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<DataTable, TableError> {
    let stream = stream.cast::<FFI_ArrowArrayStream>();
    // SAFETY: as the caller vouches; the reader moves the structure out and leaves a released one.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr()) };
    let reader = reader.map_err(stream_fault)?;
    let schema = reader.schema();
    check_column_count(schema.fields().len())?;
    let (mut columns, mut rows) = (BatchColumns::new(&schema), 0);
    for batch in reader {
        if stop() {
            return Err(TableError::Stopped);
        }
        let batch = batch.map_err(stream_fault)?;
        rows += batch.num_rows();
        columns.push(batch, limits)?;
    }
    columns.finish(rows)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{RecordBatch, RecordBatchIterator};

    use super::*;
    use crate::TableColumn;
    use crate::tests::{go_on, integers, table, texts};

    fn stream_of(batches: Vec<RecordBatch>) -> FFI_ArrowArrayStream {
        let schema = batches[0].schema();
        let batches = batches.into_iter().map(Ok);
        FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, schema)))
    }

    #[test]
    fn a_stream_becomes_a_table_once() {
        let part = table(vec![
            ("n", integers(&[1, i64::MAX])),
            ("city", texts("Rome _")),
            ("x", TableColumn::doubles([Some(f64::NAN), Some(0.5)])),
        ]);
        let batch = crate::record_batch(&part).unwrap();
        let mut stream = stream_of(vec![batch.clone(), batch]);
        let pointer = NonNull::from(&mut stream).cast();
        // SAFETY: the structure lives here and nobody else has it.
        let read = || unsafe { read_arrow_stream(pointer, ReadLimits::default(), &go_on) };
        let twice: Vec<(Arc<str>, TableColumn)> = part
            .iter()
            .map(|(name, column)| (Arc::clone(name), column.concat(column).unwrap()))
            .collect();
        assert_eq!(read().unwrap(), DataTable::new(twice).unwrap());
        // It has been taken.
        assert!(read().is_err());
    }

    #[test]
    fn streams_of_other_things_and_too_much_are_errors() {
        let list =
            arrow_array::ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>([
                Some(vec![Some(1)]),
            ]);
        let list: arrow_array::ArrayRef = Arc::new(list);
        let nested = RecordBatch::try_from_iter([("l", list)]).unwrap();
        let big = crate::record_batch(&table(vec![("n", integers(&[7; 1000]))])).unwrap();
        let small = ReadLimits {
            memory_max: 1000,
            ..ReadLimits::default()
        };
        for (batch, limits, words) in [
            (nested, ReadLimits::default(), "column `l`"),
            (big, small, "bytes of a table in memory"),
        ] {
            let mut stream = stream_of(vec![batch]);
            let pointer = NonNull::from(&mut stream).cast();
            // SAFETY: as above.
            let read = unsafe { read_arrow_stream(pointer, limits, &go_on) };
            let message = read.expect_err(words).to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
