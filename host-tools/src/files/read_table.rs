//! Reading a table of a file.

use std::collections::HashSet;

use tables::read::{CsvShape, TextDecoding};
use tables::{
    DataTable, FileForm, ReadLimits, ReadOptions, TableError, TablePart, TableRead, read_table,
};
use tool_core::csv::parse_delimiter;
use tool_core::file_pattern::{is_file_pattern, matching_files, pattern_folder};

use crate::inputs::columns::table_file_error;
use crate::prelude::*;

/// Most bytes of a file, packed or not.
const BYTES_MAX: i64 = 1 << 30;

/// Reads a table from a file of the workspace: `.csv`, `.tsv`, `.json`, `.jsonl`, `.parquet`, `.arrow`, `.feather`, `.xlsx`, `.db` (SQLite), each also
/// with `.gz` or `.zst`. Encoding, delimiter, header and decimal comma of texts are found where they are not given, and the answer says what was found.
/// Codes such as `007`, dates other than ISO 8601 and `yes` stay texts. Several files are one table by a pattern: `data/*.csv`, in the order of their
/// names, with the same columns in each. Tools that take tables read the same files by `{"$file": path}`. What it answers is the content of files: a
/// call needs what `read_file` needs for each of them.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the file, relative to the workspace root; `*` and `?` stand for characters of a name and `**` for folders, where no file has that
    /// very name.
    pub path: String,
    /// The columns to read, in this order; all of them when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Delimited text: the character between cells.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Delimited text: whether the first line names the columns; by default it does unless all of its cells are numbers.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub has_header: Option<bool>,
    /// Delimited text: whether `3,5` is a number.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub decimal_comma: Option<bool>,
    /// Delimited text: words for missing cells, in place of `NA`, `NaN`, `null` and `-`, which are texts in columns of texts.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub missing_words: Option<Vec<String>>,
    /// Delimited text: whether numbers with a fraction are exact decimals, of up to 38 digits.
    #[value(default)]
    pub exact_decimals: bool,
    /// Encoding of a text.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub encoding: Option<TableEncoding>,
    /// The sheet of a workbook, by default the first; or the table of a database, by default the only one.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub member: Option<String>,
    /// Name of a new first column with the path of each row's file.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub source_column: Option<String>,
    /// Rows to show as records.
    #[value(default = "BoundedInteger::<0, 1_000_000>::of::<20>")]
    pub rows: BoundedInteger<0, 1_000_000>,
}

/// Encoding of a text with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
pub(crate) enum TableEncoding {
    /// UTF-8.
    #[value(rename = "utf-8")]
    Utf8,
    /// UTF-16, with the low byte first where no mark says otherwise.
    #[value(rename = "utf-16")]
    Utf16,
    /// Latin-1, with the characters of Windows in its gaps.
    #[value(rename = "latin-1")]
    Latin1,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Path relative to the workspace root; the pattern of several files.
    pub path: String,
    /// The format, and what was found of the form: delimiter, header, encoding, sheet.
    pub found: Vec<String>,
    /// Names of the columns, in order.
    pub columns: Vec<String>,
    /// Type of each column: `number`, `integer`, `decimal`, `text`, `boolean`, `date`, `time` with its zone, or `missing` where no cell has a value.
    pub types: Vec<String>,
    /// The first rows, each a record; as many as `rows` asked for.
    pub rows: Value,
    /// Number of rows of the whole table.
    pub count: usize,
    /// All rows as an object of columns, for further steps.
    pub table: Value,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        reads: &["/path"],
        keyed_by: Some(&["/path"]),
        ..super::READING
            .with_name("read_table", "Read a table from a file")
            .tags(&["table", "file"])
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        args.check_columns()?;
        let read = args.read(ctx)?;
        read.notes.into_iter().for_each(|note| ctx.warn(note));
        let table = read.table;
        let hint = "choose `columns`, or give the file to a tool by `{\"$file\": ..}`";
        let result = table_values::table_result(table.clone(), args.rows.size(), hint, ctx)?;
        let columns = table.columns().iter();
        Ok(Output {
            path: read.path,
            found: read.found,
            columns: table.names().iter().map(|name| name.to_string()).collect(),
            types: columns
                .map(|column| column.column_type().to_string())
                .collect(),
            rows: result.rows,
            count: table.rows(),
            table: result.table,
        })
    }

    /// The folder of several files: what changes in it changes them.
    fn resources(args: &Args) -> Result<Vec<ResourceKey>> {
        Ok(vec![ResourceKey::read_path(pattern_folder(&args.path))])
    }

    /// Run in a workspace that has `data/sales.csv`, three lines of text.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "decimal commas and a missing cell": r#"{"path": "data/sales.csv"}"# => r#"{
            "path": "data/sales.csv", "found": ["csv", "delimiter `;`, a header, decimal commas"],
            "columns": ["day", "city", "price"], "types": ["date", "text", "number"],
            "rows": [{"day": "2024-05-17", "city": "Rome", "price": 3.5}, {"day": "2024-05-18", "city": null, "price": 1.25}],
            "count": 2,
            "table": {"day": ["2024-05-17", "2024-05-18"], "city": ["Rome", null], "price": [3.5, 1.25]}
        }"#;
    };
}

/// A table of a file, or of several.
struct FileTable {
    path: String,
    table: DataTable,
    found: Vec<String>,
    notes: Vec<String>,
}

impl Args {
    fn check_columns(&self) -> Result<()> {
        let mut seen = HashSet::new();
        for (index, name) in self.columns.iter().flatten().enumerate() {
            if !seen.insert(name) {
                return Err(
                    tool_error!(InvalidArgs at format!("/columns/{index}"), "selection";
                    "column `{name}` is named twice"; "name each column once"),
                );
            }
        }
        Ok(())
    }

    fn read(&self, ctx: &Ctx) -> Result<FileTable> {
        let files = ctx.files()?;
        if !is_file_pattern(&self.path) || files.stat(&self.path).is_ok() {
            let mut bytes_max = BYTES_MAX as u64;
            return self.read_file(&self.path, &mut bytes_max, ctx);
        }
        let paths = matching_files(files, &self.path, ctx.stop()).at("/path")?;
        if paths.is_empty() {
            return Err(tool_error!(ToolError at "/path", "not_found";
                "no file matches `{}`", self.path;
                "`*` and `?` stand for characters within one name, `**` for folders; `glob` lists files"));
        }
        self.read_several(&paths, ctx)
    }

    /// The tables of several files one below the other.
    fn read_several(&self, paths: &[String], ctx: &Ctx) -> Result<FileTable> {
        let mut bytes_max = BYTES_MAX as u64;
        let (mut tables, mut notes, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let read = self.read_file(path, &mut bytes_max, ctx)?;
            if found.is_empty() {
                found = read.found;
            }
            notes.extend(read.notes.iter().map(|note| format!("`{path}`: {note}")));
            tables.push(TablePart {
                name: read.path,
                table: read.table,
            });
        }
        const NOTES_MAX: usize = 20;
        notes.truncate(NOTES_MAX);
        // Each of the tables has the column of its source already.
        let stacked = DataTable::stack(&tables, None);
        let stacked = stacked.map_err(|err| table_file_error(&self.path, &err).at("/path"))?;
        notes.extend(stacked.notes);
        found.push(format!("{} files", paths.len()));
        Ok(FileTable {
            path: self.path.clone(),
            table: stacked.table,
            found,
            notes,
        })
    }

    /// The table of one file; all files of a call have so many bytes at most.
    fn read_file(&self, path: &str, bytes_max: &mut u64, ctx: &Ctx) -> Result<FileTable> {
        let Some(form) = FileForm::of_name(path) else {
            return Err(tool_error!(InvalidArgs at "/path", "format";
                "the ending of `{path}` states no format of tables";
                "use a file that ends in `.csv`, `.tsv`, `.json`, `.jsonl`, `.parquet`, `.arrow`, `.feather`, `.xlsx` or `.db`, also with `.gz` or `.zst`"));
        };
        let options = self.options()?;
        let content = ctx.files()?.read(path, *bytes_max).at("/path")?;
        if content.truncated {
            return Err(tool_error!(LimitExceeded at "/path", "file_size";
                "`{path}` has {} bytes; the limit is {BYTES_MAX} for all files of a call", content.info.size;
                "split the file, or write it as Parquet, which is smaller"));
        }
        let bytes = content.bytes.len() as u64;
        *bytes_max = bytes_max.saturating_sub(bytes);
        ctx.reserve(bytes)?;
        let budget = ctx.budget().memory_bytes;
        let limits = ReadLimits {
            bytes_max: (BYTES_MAX as u64).min(budget),
            memory_max: budget,
        };
        let stop = || ctx.stop().is_set();
        let read = read_table(&content.bytes, form, &options, limits, &stop);
        let read = read.map_err(|err| match ctx.check() {
            Err(stopped) => stopped,
            Ok(()) => table_file_error(path, &err).at(fault_place(&err)),
        })?;
        ctx.reserve(read.table.memory_bytes())?;
        let TableRead {
            table,
            found: shape,
            notes,
        } = read;
        let mut found = vec![form.format.word().to_owned()];
        found.extend(shape);
        Ok(FileTable {
            table: self.with_source(table, &content.info.path)?,
            path: content.info.path,
            found,
            notes,
        })
    }

    /// The table with the path of its file as first column, where that is wanted.
    fn with_source(&self, table: DataTable, path: &str) -> Result<DataTable> {
        let Some(source) = &self.source_column else {
            return Ok(table);
        };
        let named = TablePart {
            name: path.to_owned(),
            table,
        };
        match DataTable::stack(&[named], Some(source)) {
            Ok(stacked) => Ok(stacked.table),
            Err(err) => Err(table_file_error(path, &err).at("/source_column")),
        }
    }

    fn options(&self) -> Result<ReadOptions> {
        let delimiter = match &self.delimiter {
            None => None,
            Some(text) => Some(parse_delimiter(text).ok_or_else(|| {
                tool_error!(InvalidArgs at "/delimiter";
                    "expected one ASCII character other than a quote or a line end, found {text:?}";
                    "such as \",\", \";\" or \"\\t\"")
            })?),
        };
        Ok(ReadOptions {
            csv: CsvShape {
                delimiter,
                has_header: self.has_header,
                decimal_comma: self.decimal_comma,
                missing_words: self.missing_words.clone(),
                exact_decimals: self.exact_decimals,
            },
            encoding: self.encoding.map(|encoding| match encoding {
                TableEncoding::Utf8 => TextDecoding::Utf8,
                TableEncoding::Utf16 => TextDecoding::Utf16Le,
                TableEncoding::Latin1 => TextDecoding::Latin1,
            }),
            sheet: self.member.clone(),
            table: self.member.clone(),
            columns: self.columns.clone(),
        })
    }
}

/// The argument that a fault of a file is about.
fn fault_place(err: &TableError) -> &'static str {
    match err {
        TableError::UnknownColumn { .. } => "/columns",
        TableError::UnknownMember { .. } => "/member",
        _ => "/path",
    }
}
