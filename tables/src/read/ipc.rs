//! Arrow's own files and streams (Feather of the second version).

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::{Block, Message, RecordBatch as BatchHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Schema};

use super::ReadLimits;
use super::parquet::BatchColumns;
use crate::error::{StopCheck, TableError};
use crate::table::{DataTable, check_column_count};

const MAGIC: &[u8] = b"ARROW1";
/// The first version of Feather, which is another format.
const FIRST_FEATHER: &[u8] = b"FEA1";
/// Bytes at the end of a file: the length of the footer, and the magic.
const TRAILER: usize = 10;

fn format_fault(err: impl std::fmt::Display) -> TableError {
    let hint = "write the file again";
    TableError::format(format_args!("no readable Arrow file: {err}"), hint)
}

/// Reads a table.
///
/// # Errors
/// Bytes that are neither an Arrow file nor a stream, nested columns among those asked for, limits; a stop.
pub(super) fn read_ipc(
    bytes: &[u8],
    columns: Option<&[String]>,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<DataTable, TableError> {
    if bytes.starts_with(FIRST_FEATHER) {
        return Err(TableError::format(
            "it is Feather of the first version",
            "write it as Feather 2 (Arrow)",
        ));
    }
    let cursor = Cursor::new(bytes);
    if bytes.starts_with(MAGIC) {
        check_file_blocks(bytes, limits)?;
        let schema = FileReader::try_new(cursor.clone(), None)
            .map_err(format_fault)?
            .schema();
        let places = chosen_places(&schema, columns)?;
        let reader = FileReader::try_new(cursor, Some(places)).map_err(format_fault)?;
        return read_batches(&reader.schema(), reader, limits, stop);
    }
    check_stream_messages(bytes, limits)?;
    let schema = StreamReader::try_new(cursor.clone(), None)
        .map_err(format_fault)?
        .schema();
    let places = chosen_places(&schema, columns)?;
    let reader = StreamReader::try_new(cursor, Some(places)).map_err(format_fault)?;
    read_batches(&reader.schema(), reader, limits, stop)
}

fn read_batches(
    schema: &std::sync::Arc<Schema>,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<DataTable, TableError> {
    let mut columns = BatchColumns::new(schema);
    let mut rows = 0;
    for batch in batches {
        if stop() {
            return Err(TableError::Stopped);
        }
        let batch = batch.map_err(format_fault)?;
        rows += batch.num_rows();
        columns.push(batch, limits)?;
    }
    columns.finish(rows)
}

/// The places of the columns that are wanted; nested ones are refused.
fn chosen_places(schema: &Schema, columns: Option<&[String]>) -> Result<Vec<usize>, TableError> {
    check_column_count(schema.fields().len())?;
    let mut places = Vec::new();
    for (place, field) in schema.fields().iter().enumerate() {
        let is_wanted = columns.is_none_or(|names| names.iter().any(|name| name == field.name()));
        if is_wanted && field.data_type().is_nested() && !is_dictionary(field.data_type()) {
            return Err(TableError::UnsupportedType {
                column: field.name().clone(),
                found: field.data_type().to_string(),
            });
        }
        if is_wanted {
            places.push(place);
        }
    }
    Ok(places)
}

fn is_dictionary(kind: &DataType) -> bool {
    matches!(kind, DataType::Dictionary(_, values) if !values.is_nested())
}

/// Checks what the compressed buffers of a file claim to become, since the reader reserves it before it looks.
fn check_file_blocks(bytes: &[u8], limits: ReadLimits) -> Result<(), TableError> {
    let cut_short = || format_fault("it is cut short");
    let end = bytes.len().checked_sub(TRAILER).ok_or_else(cut_short)?;
    let length = i32::from_le_bytes([bytes[end], bytes[end + 1], bytes[end + 2], bytes[end + 3]]);
    let length = usize::try_from(length).map_err(|_| cut_short())?;
    let start = end.checked_sub(length).ok_or_else(cut_short)?;
    let footer = root_as_footer(&bytes[start..end]).map_err(format_fault)?;
    let mut claimed = 0;
    let blocks = footer.dictionaries().into_iter().flatten();
    for block in blocks.chain(footer.recordBatches().into_iter().flatten()) {
        claimed += block_claim(bytes, block).ok_or_else(cut_short)?;
        limits.check_memory(claimed)?;
    }
    Ok(())
}

/// The bytes that a block claims to become; `None` where it is not in the file.
fn block_claim(bytes: &[u8], block: &Block) -> Option<u64> {
    let start = usize::try_from(block.offset()).ok()?;
    let length = usize::try_from(block.metaDataLength()).ok()?;
    let body_length = usize::try_from(block.bodyLength()).ok()?;
    let head = bytes.get(start..start.checked_add(length)?)?;
    let body_start = start.checked_add(length)?;
    let body = bytes.get(body_start..body_start.checked_add(body_length)?)?;
    let skipped = if head.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = root_as_message(head.get(skipped..)?).ok()?;
    message_claim(&message, body)
}

/// As [`check_file_blocks`], of the messages of a stream.
fn check_stream_messages(bytes: &[u8], limits: ReadLimits) -> Result<(), TableError> {
    let cut_short = || format_fault("it is cut short");
    let mut rest = bytes;
    let mut claimed = 0;
    while rest.len() >= 4 {
        if rest.starts_with(&[0xff; 4]) {
            rest = &rest[4..];
        }
        let length = rest.first_chunk::<4>().ok_or_else(cut_short)?;
        let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| cut_short())?;
        rest = &rest[4..];
        if length == 0 {
            break;
        }
        let head = rest.get(..length).ok_or_else(cut_short)?;
        let message = root_as_message(head).map_err(format_fault)?;
        let body_length = usize::try_from(message.bodyLength()).map_err(|_| cut_short())?;
        let after = rest.get(length..).ok_or_else(cut_short)?;
        let body = after.get(..body_length).ok_or_else(cut_short)?;
        claimed += message_claim(&message, body).ok_or_else(cut_short)?;
        limits.check_memory(claimed)?;
        rest = &after[body_length..];
    }
    Ok(())
}

/// The bytes that the buffers of a message claim to become.
fn message_claim(message: &Message<'_>, body: &[u8]) -> Option<u64> {
    let of_dictionary = message.header_as_dictionary_batch();
    let batch: Option<BatchHeader<'_>> = message
        .header_as_record_batch()
        .or_else(|| of_dictionary.and_then(|dictionary| dictionary.data()));
    let Some(batch) = batch else {
        return Some(0);
    };
    if batch.compression().is_none() {
        return Some(body.len() as u64);
    }
    let mut claimed = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).ok()?;
        let length = usize::try_from(buffer.length()).ok()?;
        if length == 0 {
            continue;
        }
        let prefix = body
            .get(start..start.checked_add(length)?)?
            .first_chunk::<8>()?;
        // -1 stands for a buffer that is not compressed.
        let size = match i64::from_le_bytes(*prefix) {
            -1 => length as u64,
            size => u64::try_from(size).ok()?,
        };
        claimed = claimed.checked_add(size)?;
    }
    Some(claimed)
}
