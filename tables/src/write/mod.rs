//! Tables as files: delimited text, JSON, Parquet, Arrow, SQLite.

mod binary;
mod sqlite;
mod text;

use std::io::Write as _;

pub use binary::record_batch;

use crate::error::{StopCheck, TableError};
use crate::read::{Compression, FileForm, TableFormat};
use crate::table::DataTable;

/// The bytes of a file with a table.
///
/// # Errors
/// A format that is not written, such as Excel; numbers that the format has not; a stop.
pub fn write_table(
    table: &DataTable,
    form: FileForm,
    stop: StopCheck<'_>,
) -> Result<Vec<u8>, TableError> {
    let bytes = match form.format {
        TableFormat::Csv => text::write_delimited(table, b',', stop)?,
        TableFormat::Tsv => text::write_delimited(table, b'\t', stop)?,
        TableFormat::JsonLines => text::write_json(table, true, stop)?,
        TableFormat::Json => text::write_json(table, false, stop)?,
        TableFormat::Parquet => binary::write_parquet(table)?,
        TableFormat::Arrow => binary::write_ipc(table)?,
        TableFormat::Sqlite => sqlite::write_sqlite(table, stop)?,
        TableFormat::Excel => {
            return Err(TableError::operation(
                "workbooks are read and not written",
                "write .csv, which Excel opens, or .parquet",
            ));
        }
    };
    match form.compression {
        None => Ok(bytes),
        Some(compression) => compress_bytes(&bytes, compression),
    }
}

fn compress_bytes(bytes: &[u8], compression: Compression) -> Result<Vec<u8>, TableError> {
    let failed = |err: std::io::Error| TableError::format(err, "write it without compression");
    match compression {
        Compression::Gzip => {
            // No name and no time: the same table gives the same bytes.
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bytes).map_err(failed)?;
            encoder.finish().map_err(failed)
        }
        Compression::Zstd => zstd::stream::encode_all(bytes, 0).map_err(failed),
    }
}
