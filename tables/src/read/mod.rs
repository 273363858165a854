//! Tables from files: which format, which columns, and what was found that may surprise.

mod arrow_columns;
mod arrow_stream;
mod compressed;
mod csv;
mod csv_number;
mod encoding;
mod excel;
mod ipc;
mod json;
mod loose;
mod parquet;
mod sqlite;

use std::sync::Arc;

pub use arrow_columns::column_of_arrays;
pub use arrow_stream::read_arrow_stream;
pub use compressed::{Compression, decompress_bytes};
pub use csv::{CsvShape, CsvTableRead, MISSING_WORDS, read_csv};
pub use encoding::{TextDecoding, decode_text};
pub use loose::{LooseCell, LooseColumn, TypedColumn, infer_dates};

use crate::column::TableColumn;
use crate::error::{StopCheck, TableError};
use crate::table::DataTable;

/// A format of files with tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Text with commas, or what is found, between the cells.
    Csv,
    /// Text with tabs between the cells.
    Tsv,
    /// A JSON object on each line.
    JsonLines,
    /// A list of JSON objects, or an object of lists.
    Json,
    /// Parquet.
    Parquet,
    /// Arrow's files and streams, also called Feather.
    Arrow,
    /// A sheet of an Excel workbook.
    Excel,
    /// A table of an SQLite database.
    Sqlite,
}

impl TableFormat {
    /// The name of a format.
    pub fn word(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::JsonLines => "jsonl",
            Self::Json => "json",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Excel => "xlsx",
            Self::Sqlite => "sqlite",
        }
    }

    /// The format of an ending.
    fn of_ending(ending: &str) -> Option<Self> {
        Some(match ending {
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "jsonl" | "ndjson" => Self::JsonLines,
            "json" => Self::Json,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "feather" | "ipc" | "arrows" => Self::Arrow,
            "xlsx" | "xlsm" => Self::Excel,
            "sqlite" | "sqlite3" | "db" => Self::Sqlite,
            _ => return None,
        })
    }
}

/// What the name of a file says about its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileForm {
    /// The format.
    pub format: TableFormat,
    /// How the whole file is compressed.
    pub compression: Option<Compression>,
}

impl FileForm {
    /// The form of a file name, as `sales.csv.gz`; `None` for an ending that states no format of tables.
    pub fn of_name(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let (name, compression) = match Compression::split(&name) {
            Some((name, compression)) => (name, Some(compression)),
            None => (name.as_str(), None),
        };
        let (_, ending) = name.rsplit_once('.')?;
        let format = TableFormat::of_ending(ending)?;
        Some(Self {
            format,
            compression,
        })
    }
}

/// What is stated about a file; the rest is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// How delimited text is written.
    pub csv: CsvShape,
    /// How a text is encoded.
    pub encoding: Option<TextDecoding>,
    /// The sheet of a workbook; the first where it is not given.
    pub sheet: Option<String>,
    /// The table of a database; the only one where it is not given.
    pub table: Option<String>,
    /// The columns to read, in this order; all where it is not given.
    pub columns: Option<Vec<String>>,
}

/// Most that is read of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of a text after it is decompressed.
    pub bytes_max: u64,
    /// Bytes of columns in memory.
    pub memory_max: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            bytes_max: 256 << 20,
            memory_max: 1 << 30,
        }
    }
}

impl ReadLimits {
    /// Those of files of so many bytes.
    pub fn of_bytes(bytes_max: u64) -> Self {
        /// Columns take more bytes than the compressed file.
        const GROWTH: u64 = 4;
        Self {
            bytes_max,
            memory_max: bytes_max.saturating_mul(GROWTH),
        }
    }

    pub(crate) fn check_memory(self, bytes: u64) -> Result<(), TableError> {
        match bytes > self.memory_max {
            true => Err(TableError::Limit {
                what: "bytes of a table in memory",
                found: format!("at least {bytes}"),
                most: self.memory_max,
            }),
            false => Ok(()),
        }
    }

    /// Refuses a number of cells whose columns would not fit, before they are made.
    pub(crate) fn check_cells(self, rows: usize, columns: usize) -> Result<(), TableError> {
        /// The least that a cell takes, of the columns that take most: a bit is not counted.
        const CELL_BYTES: u64 = 4;
        let cells = (rows as u64).saturating_mul(columns as u64);
        self.check_memory(cells.saturating_mul(CELL_BYTES))
    }
}

/// A table of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRead {
    /// The table.
    pub table: DataTable,
    /// What was found of the form of the file: delimiter, header, encoding, sheet.
    pub found: Vec<String>,
    /// What was found and may surprise.
    pub notes: Vec<String>,
}

impl TableRead {
    fn plain(table: DataTable) -> Self {
        Self {
            table,
            found: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Reads a table from the bytes of a file.
///
/// # Errors
/// Bytes that are not in the format, with the place; columns that are not there; limits; a stop.
pub fn read_table(
    bytes: &[u8],
    form: FileForm,
    options: &ReadOptions,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<TableRead, TableError> {
    let unpacked;
    let bytes = match form.compression {
        None => bytes,
        Some(compression) => {
            unpacked = decompress_bytes(bytes, compression, limits.bytes_max, stop)?;
            &unpacked
        }
    };
    let columns = options.columns.as_deref();
    let mut read = match form.format {
        TableFormat::Csv | TableFormat::Tsv => {
            let text = decode_text(bytes, options.encoding)?;
            let mut shape = options.csv.clone();
            if form.format == TableFormat::Tsv {
                shape.delimiter.get_or_insert(b'\t');
            }
            let read = read_csv(&text.text, &shape, limits, stop)?;
            let mut found = vec![read.describe_shape()];
            found.extend(text.describe());
            TableRead {
                table: read.table,
                found,
                notes: read.notes,
            }
        }
        TableFormat::JsonLines | TableFormat::Json => {
            let text = decode_text(bytes, options.encoding)?;
            let is_lines = form.format == TableFormat::JsonLines;
            let mut read = json::read_json(&text.text, is_lines, limits, stop)?;
            read.found.extend(text.describe());
            read
        }
        TableFormat::Parquet => TableRead::plain(catch_fault(form.format, || {
            parquet::read_parquet(bytes, columns, limits, stop)
        })?),
        TableFormat::Arrow => TableRead::plain(catch_fault(form.format, || {
            ipc::read_ipc(bytes, columns, limits, stop)
        })?),
        TableFormat::Excel => catch_fault(form.format, || {
            excel::read_excel(bytes, options.sheet.as_deref(), limits, stop)
        })?,
        TableFormat::Sqlite => sqlite::read_sqlite(bytes, options.table.as_deref(), limits, stop)?,
    };
    if let Some(columns) = columns {
        read.table = read.table.choose(columns)?;
    }
    limits.check_memory(read.table.memory_bytes())?;
    Ok(read)
}

/// Runs a reader of another library: some of them panic at damaged files (`arrow-ipc` 60.1 where a buffer lies outside of its message), which
/// are errors of the file and not of the program.
fn catch_fault<T>(
    format: TableFormat,
    read: impl FnOnce() -> Result<T, TableError>,
) -> Result<T, TableError> {
    // Nothing that is read before a panic is used after it.
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    caught.unwrap_or_else(|_| {
        Err(TableError::format(
            format_args!("no readable {} file: it is damaged", format.word()),
            "write the file again",
        ))
    })
}

/// A table of typed columns and the sentences about them.
fn table_of_typed(columns: Vec<(Arc<str>, TypedColumn)>) -> Result<TableRead, TableError> {
    let mut notes = Vec::new();
    let mut pairs: Vec<(Arc<str>, TableColumn)> = Vec::with_capacity(columns.len());
    for (name, typed) in columns {
        notes.extend(typed.note.map(|note| format!("column `{name}`: {note}")));
        pairs.push((name, typed.column));
    }
    Ok(TableRead {
        table: DataTable::new(pairs)?,
        found: Vec::new(),
        notes,
    })
}
