//! Files as arguments: the value of `{"$file": path}`.
//!
//! | extension | value |
//! | --- | --- |
//! | `.json` | the document, parsed strictly |
//! | `.csv`, `.tsv` | an object of columns, or a list of records where any value is wanted; where no table is wanted, numbers without a header are a list of rows, or a flat list for one column |
//! | `.jsonl`, `.ndjson` | a list of the documents of its lines |
//! | `.npy` | nested lists of numbers in its shape |
//! | `.npz` | the array that `member` names |
//! | `.parquet`, `.arrow`, `.feather`, `.xlsx`, `.db`, `.sqlite` | as a table with a header; `member` names a sheet or a table |
//! | each with `.gz` or `.zst` | as without |
//!
//! A pattern such as `data/*.csv` is the table of several files. Columns and rows of a table are selected by the dispatcher. For an argument of type text, any UTF-8 file is its content. Start with [`FileInputs`].

pub(crate) mod columns;
mod several;
mod table;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use tables::read::Compression;
use tables::{FileForm, TableError, TableFormat};
use tool_core::capability::ArrayLoader;
use tool_core::file_pattern::is_file_pattern;
use tool_core::input::InputKind;
use tool_core::{DataPlace, DataSource, brief, npy, selection};

use crate::prelude::*;
use several::FilePattern;

/// Reads the files of arguments through a workspace.
#[derive(Clone)]
pub struct FileInputs {
    files: Arc<dyn WorkspaceFiles>,
}

impl FileInputs {
    /// Reads from the files of a workspace.
    pub fn new(files: Arc<dyn WorkspaceFiles>) -> Self {
        Self { files }
    }
}

impl FileInputs {
    /// The content of a file, with sentences about what was found and may surprise.
    fn read(
        &self,
        source: &DataSource,
        kind: InputKind,
        bytes_max: u64,
        notes: &mut Vec<String>,
    ) -> Result<Value> {
        let path = match &source.place {
            DataPlace::File(path) => path,
            DataPlace::Artifact(handle) => {
                return Err(tool_error!(PreconditionFailed, "no_artifact_store";
                    "the artifact `{handle}` cannot be opened here: there is no artifact store")
                .hint("pass the data inline, or as a file with `{\"$file\": path}`"));
            }
        };
        if kind != InputKind::Text && is_file_pattern(path) && self.files.stat(path).is_err() {
            let files = FilePattern {
                files: &*self.files,
                pattern: path,
                selection: &source.selection,
            };
            let table = files.read(bytes_max, notes)?;
            return Ok(match kind {
                InputKind::Any => as_records(table),
                _ => table,
            });
        }
        let content = self.files.read(path, bytes_max)?;
        if content.truncated {
            let size = content.info.size.max(bytes_max);
            let error = tool_error!(LimitExceeded;
                "`{path}` has {size} bytes; the limit is {bytes_max}");
            return Err(error
                .reason("file_size")
                .hint("pass a smaller file, or raise `limits.max_input_bytes`"));
        }
        match kind {
            InputKind::Text => {
                let bytes = decompress_file(path, &content.bytes, bytes_max)?;
                utf8_text(path, &bytes).map(Value::from)
            }
            InputKind::Data | InputKind::Table | InputKind::Any => {
                parse_source(source, kind, &content.bytes, bytes_max, notes)
            }
        }
    }
}

impl ArrayLoader for FileInputs {
    fn open(&self, source: &DataSource, kind: InputKind, bytes_max: u64) -> Result<Value> {
        self.read(source, kind, bytes_max, &mut Vec::new())
    }

    fn open_noting(
        &self,
        _: &str,
        source: &DataSource,
        kind: InputKind,
        bytes_max: u64,
        notes: &mut Vec<String>,
    ) -> Result<Value> {
        self.read(source, kind, bytes_max, notes)
    }
}

fn parse_source(
    source: &DataSource,
    kind: InputKind,
    bytes: &[u8],
    bytes_max: u64,
    notes: &mut Vec<String>,
) -> Result<Value> {
    let path = source.name();
    let Some(format) = InputFormat::of_name(path) else {
        let message = "unknown data format: the extension is not supported";
        return Err(unfit_file_error(path, message, "format")
            .hint("use a file that ends in `.csv`, `.tsv`, `.json`, `.jsonl`, `.parquet`, `.arrow`, `.feather`, `.xlsx`, `.db`, `.npy` or `.npz`; each may end in `.gz` or `.zst` as well"));
    };
    let has_members = matches!(
        format,
        InputFormat::Npz | InputFormat::Columns(TableFormat::Excel | TableFormat::Sqlite)
    );
    if let (Some(member), false) = (&source.selection.member, has_members) {
        let message = format!("it has no member `{}`", brief::brief_name(member));
        return Err(unfit_file_error(path, &message, "format")
            .hint("only .npz files, workbooks and databases have members"));
    }
    let is_delimited = matches!(format, InputFormat::Csv | InputFormat::Tsv);
    if !is_delimited && !source.selection.dialect.is_open() {
        let message = "it is no delimited text";
        return Err(unfit_file_error(path, message, "format")
            .hint("`delimiter`, `has_header`, `decimal_comma` and `missing_words` are for .csv and .tsv files"));
    }
    let bytes = decompress_file(path, bytes, bytes_max)?;
    parse_content(source, format, kind, &bytes, bytes_max, notes)
}

/// The bytes of a file whose name says that it is compressed, and those of others as they are.
fn decompress_file<'a>(path: &str, bytes: &'a [u8], bytes_max: u64) -> Result<Cow<'a, [u8]>> {
    let Some((_, compression)) = Compression::split(&path.to_ascii_lowercase()) else {
        return Ok(Cow::Borrowed(bytes));
    };
    let unpacked = tables::read::decompress_bytes(bytes, compression, bytes_max, &|| false);
    let unpacked = unpacked.map_err(|err| match err {
        TableError::Limit { .. } => {
            let error = tool_error!(LimitExceeded;
                "`{path}` has more than {bytes_max} bytes when it is decompressed");
            error
                .reason("file_size")
                .hint("pass a smaller file, or raise `limits.max_input_bytes`")
        }
        err => unfit_file_error(path, &err.to_string(), "format").hint(err.hint()),
    });
    unpacked.map(Cow::Owned)
}

fn parse_content(
    source: &DataSource,
    format: InputFormat,
    kind: InputKind,
    bytes: &[u8],
    bytes_max: u64,
    notes: &mut Vec<String>,
) -> Result<Value> {
    let path = source.name();
    let fault =
        |fault: npy::NpyFault| unfit_file_error(path, &fault.message, "format").hint(fault.hint);
    match format {
        InputFormat::Json => parse_json_document(path, without_mark(bytes)),
        InputFormat::Lines => parse_json_lines(path, utf8_text(path, bytes)?),
        InputFormat::Csv | InputFormat::Tsv => {
            let mut selection = source.selection.as_ref().clone();
            if format == InputFormat::Tsv {
                selection.dialect.delimiter.get_or_insert(b'\t');
            }
            let (table, found) =
                table::parse_table(utf8_text(path, bytes)?, &selection, kind).map_err(fault)?;
            // Numbers without a header are a usual matrix.
            let found = found
                .iter()
                .filter(|note| kind != InputKind::Data || note.column.is_some());
            notes.extend(found.map(|note| format!("`{path}`: {}", note.text)));
            Ok(match kind {
                InputKind::Any => as_records(table),
                _ => table,
            })
        }
        InputFormat::Columns(format) => {
            let form = FileForm {
                format,
                compression: None,
            };
            let read = columns::read_selected(path, form, &source.selection, bytes, bytes_max)?;
            notes.extend(read.notes.iter().map(|note| format!("`{path}`: {note}")));
            let table = table_values::table_value(read.table);
            Ok(match kind {
                InputKind::Any => as_records(table),
                _ => table,
            })
        }
        InputFormat::Npy => npy::parse_npy(bytes).map_err(fault),
        InputFormat::Npz => npz_member_bytes(source, bytes, bytes_max)
            .and_then(|bytes| npy::parse_npy(&bytes))
            .map_err(fault),
    }
}

fn parse_json_document(path: &str, bytes: &[u8]) -> Result<Value> {
    let limits = json::JsonLimits {
        bytes_max: bytes.len(),
        ..json::JsonLimits::default()
    };
    json::parse_bytes(bytes, limits).map_err(|err| {
        let error = unfit_file_error(path, &err.to_string(), "json");
        match err.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })
}

/// One document on each line that is not blank.
fn parse_json_lines(path: &str, text: &str) -> Result<Value> {
    let mut items = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            let name = format!("{path}, line {}", index + 1);
            items.push(parse_json_document(&name, line.as_bytes())?);
        }
    }
    Ok(Value::array(items))
}

/// Data without a name, such as that of standard input; its format follows from its first bytes.
///
/// # Errors
/// As for a file.
pub fn parse_unnamed_data(
    name: &str,
    kind: InputKind,
    bytes: &[u8],
    bytes_max: u64,
) -> Result<Value> {
    if kind == InputKind::Text {
        return utf8_text(name, bytes).map(Value::from);
    }
    let start = without_mark(bytes).trim_ascii_start();
    let format = match start {
        [0x93, b'N', b'U', b'M', ..] => InputFormat::Npy,
        [b'P', b'K', 3, 4, ..] => InputFormat::Npz,
        [b'P', b'A', b'R', b'1', ..] => InputFormat::Columns(TableFormat::Parquet),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => InputFormat::Columns(TableFormat::Arrow),
        [b'[' | b'{', ..] => InputFormat::Json,
        _ => InputFormat::Csv,
    };
    let source = DataSource::file(name);
    parse_content(&source, format, kind, bytes, bytes_max, &mut Vec::new())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InputFormat {
    Json,
    /// JSON, one document on each line.
    Lines,
    Csv,
    Tsv,
    Npy,
    Npz,
    /// A table in a format of its own.
    Columns(TableFormat),
}

impl InputFormat {
    /// The format that the ending of a name states.
    fn of_name(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let plain = Compression::split(&name).map_or(name.as_str(), |(plain, _)| plain);
        let (_, ending) = plain.rsplit_once('.')?;
        match ending {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Lines),
            "tsv" => Some(Self::Tsv),
            "csv" => Some(Self::Csv),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            _ => match FileForm::of_name(plain)?.format {
                TableFormat::Csv
                | TableFormat::Tsv
                | TableFormat::Json
                | TableFormat::JsonLines => None,
                format => Some(Self::Columns(format)),
            },
        }
    }
}

/// Whether the ending of a name states a format of data.
pub fn is_data(path: &str) -> bool {
    InputFormat::of_name(path).is_some()
}

#[cfg(feature = "archives")]
fn npz_member_bytes(
    source: &DataSource,
    bytes: &[u8],
    bytes_max: u64,
) -> Result<Vec<u8>, npy::NpyFault> {
    let member = source.selection.member.as_deref();
    crate::archives::npz::read_npz_array(bytes.to_vec(), member, bytes_max)
}

#[cfg(not(feature = "archives"))]
fn npz_member_bytes(_: &DataSource, _: &[u8], _: u64) -> Result<Vec<u8>, npy::NpyFault> {
    let hint = "save its arrays with `numpy.save`, one in each file";
    Err(npy::NpyFault::new("this build reads no .npz files", hint))
}

/// The table of a file with a header, as a list of records; other values as they are.
fn as_records(value: Value) -> Value {
    let Some(columns) = value.as_object() else {
        return value;
    };
    let columns = columns.iter();
    let columns: Vec<_> = columns
        .map(|(name, cells)| (name, cells.items().unwrap_or_default()))
        .collect();
    selection::column_records(&columns)
}

fn unfit_file_error(path: &str, message: &str, reason: &'static str) -> ToolError {
    tool_error!(InvalidArgs, reason; "`{path}`: {message}")
}

fn utf8_text<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str> {
    let bytes = without_mark(bytes);
    std::str::from_utf8(bytes).map_err(|err| {
        let offset = err.valid_up_to();
        let byte = bytes[offset];
        let message = format!("expected UTF-8, found the byte {byte:#04x} at offset {offset}");
        unfit_file_error(path, &message, "encoding")
            .hint("convert the file to UTF-8, or read it with `read_file` and its encoding")
    })
}

/// Removes a UTF-8 byte-order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
