//! Delimited text (RFC 4180), by the rules of `tool_core::csv`, straight into columns.
//!
//! A first row of nothing but numbers is data, any other a header. A column is numbers, booleans, dates or times where all of its cells that
//! are not missing are, otherwise texts as written, so that `007`, `+49` and `17.5.2024` keep their form. `math-tools` compares this reader
//! with the other one on odd texts.

use std::collections::HashSet;
use std::sync::Arc;

use super::ReadLimits;
use super::csv_number::{CsvNumber, doubles_of, parse_decimal, parse_number};
use super::loose::infer_dates;
use crate::cell::DecimalNumber;
use crate::column::{TableColumn, TextColumn};
use crate::error::{StopCheck, TableError, check_row};
use crate::shared::map_parts;
use crate::table::{DataTable, check_column_count};

/// Words that stand for a missing cell, beside the empty one, in a column of numbers, booleans or dates; among texts they are texts.
pub const MISSING_WORDS: [&str; 4] = ["NA", "NaN", "null", "-"];

/// What is stated about a delimited text; the rest is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CsvShape {
    /// The character between cells: ASCII, and no quote, line end or NUL.
    pub delimiter: Option<u8>,
    /// Whether the first row names the columns.
    pub has_header: Option<bool>,
    /// Whether `3,5` is a number.
    pub decimal_comma: Option<bool>,
    /// Words for missing cells of every column, in place of [`MISSING_WORDS`].
    pub missing_words: Option<Vec<String>>,
    /// Whether numbers with a fraction are exact decimals, where a column has up to 38 digits and no exponents.
    pub exact_decimals: bool,
}

/// A table of a delimited text.
#[derive(Debug, Clone, PartialEq)]
pub struct CsvTableRead {
    /// The table.
    pub table: DataTable,
    /// The character between cells.
    pub delimiter: u8,
    /// Whether the first row names the columns.
    pub has_header: bool,
    /// Whether `3,5` is a number.
    pub has_decimal_comma: bool,
    /// What was found and may surprise.
    pub notes: Vec<String>,
}

impl CsvTableRead {
    /// The form that the text has.
    pub(super) fn describe_shape(&self) -> String {
        let delimiter = match self.delimiter {
            b'\t' => "tab".to_owned(),
            byte => format!("`{}`", char::from(byte)),
        };
        let header = if self.has_header {
            "a header"
        } else {
            "no header"
        };
        let comma = match self.has_decimal_comma {
            true => ", decimal commas",
            false => "",
        };
        format!("delimiter {delimiter}, {header}{comma}")
    }
}

/// Reads a table. O(bytes) time, and about twice the bytes in memory.
///
/// # Errors
/// Rows of unequal length, quotes that are not closed, two columns of one name, with the line; limits; a stop.
pub fn read_csv(
    text: &str,
    shape: &CsvShape,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<CsvTableRead, TableError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = shape.delimiter.unwrap_or_else(|| find_delimiter(text));
    let cells = CsvCells::split(text, delimiter, stop)?;
    if cells.rows() == 0 {
        return Err(TableError::format(
            "there is no line",
            "expected rows of numbers, or a header and rows",
        ));
    }
    limits.check_cells(cells.rows(), cells.width)?;
    let has_decimal_comma = shape
        .decimal_comma
        .unwrap_or_else(|| delimiter == b';' && cells.have_decimal_comma());
    let is_number = |cell: &str| parse_number(cell, has_decimal_comma).is_some();
    let only_numbers = (0..cells.width).all(|column| is_number(cells.cell(0, column)));
    let has_header = shape.has_header.unwrap_or(!only_numbers);
    let mut notes = Vec::new();
    if only_numbers && shape.has_header.is_none() {
        notes.push("the first row has only numbers, so that it is data and no header; if it names the columns, say `\"has_header\": true`".to_owned());
    }
    let names = match has_header {
        true => read_names(&cells)?,
        false => (1..=cells.width).map(column_name).collect(),
    };
    let reader = CsvColumnReader {
        cells: &cells,
        first: usize::from(has_header),
        has_decimal_comma,
        stated: shape.missing_words.as_deref(),
        exact_decimals: shape.exact_decimals,
        stop,
    };
    let places: Vec<usize> = (0..cells.width).collect();
    let read = map_parts(&places, cells.ends.len(), |column| reader.column(*column))?;
    let mut columns = Vec::with_capacity(cells.width);
    for (name, read) in names.into_iter().zip(read) {
        let note = read.note;
        notes.extend(note.map(|note| format!("column `{name}`: {note}")));
        columns.push((name, read.column));
    }
    Ok(CsvTableRead {
        table: DataTable::new(columns)?,
        delimiter,
        has_header,
        has_decimal_comma,
        notes,
    })
}

/// The name of a column without a header, counted from 1.
fn column_name(number: usize) -> Arc<str> {
    format!("column_{number}").into()
}

fn read_names(cells: &CsvCells) -> Result<Vec<Arc<str>>, TableError> {
    let mut seen = HashSet::new();
    let mut names = Vec::with_capacity(cells.width);
    for column in 0..cells.width {
        let name: Arc<str> = match cells.cell(0, column).trim() {
            "" => column_name(column + 1),
            name => name.into(),
        };
        if !seen.insert(Arc::clone(&name)) {
            let first = names.iter().position(|known| *known == name);
            let (first, number) = (first.unwrap_or(0) + 1, column + 1);
            return Err(TableError::format(
                format_args!("columns {first} and {number} are both named `{name}`"),
                "rename one of them, or state that there is no header if the first line is data",
            ));
        }
        names.push(name);
    }
    Ok(names)
}

/// The cells of a text, one after the other.
struct CsvCells {
    text: String,
    /// The end of each cell in the text.
    ends: Vec<usize>,
    /// Cells of a row; 0 without a row.
    width: usize,
}

/// Where a splitter stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SplitState {
    LineStart,
    CellStart,
    Plain,
    Quoted,
    /// After a quote in a quoted cell.
    Closed,
}

impl CsvCells {
    fn rows(&self) -> usize {
        self.ends.len().checked_div(self.width).unwrap_or(0)
    }

    fn cell(&self, row: usize, column: usize) -> &str {
        let index = row * self.width + column;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[index]]
    }

    fn split(text: &str, delimiter: u8, stop: StopCheck<'_>) -> Result<Self, TableError> {
        const BYTES: usize = 1 << 20;
        let bytes = text.as_bytes();
        let ends_plain = |byte: u8| matches!(byte, b'\n' | b'\r') || byte == delimiter;
        let mut splitter = CsvSplitter {
            kept: Vec::with_capacity(text.len()),
            ends: Vec::new(),
            width: 0,
            row_start: 0,
            line: 1,
            row_line: 1,
            quote_line: 1,
            state: SplitState::LineStart,
        };
        let (mut at, mut next_check) = (0, 0);
        while let Some(&byte) = bytes.get(at) {
            if at >= next_check {
                if stop() {
                    return Err(TableError::Stopped);
                }
                next_check += BYTES;
            }
            splitter.byte(byte, delimiter)?;
            at += 1;
            if splitter.state == SplitState::Plain {
                let rest = &bytes[at..];
                let run = rest.iter().position(|byte| ends_plain(*byte));
                let run = &rest[..run.unwrap_or(rest.len())];
                splitter.kept.extend_from_slice(run);
                at += run.len();
            }
        }
        match splitter.state {
            SplitState::Quoted => {
                return Err(TableError::format(
                    format_args!(
                        "the quote opened on line {} is never closed",
                        splitter.quote_line
                    ),
                    "close it; a quote inside a quoted cell is written twice",
                ));
            }
            SplitState::LineStart => {}
            _ => splitter.end_row()?,
        }
        let text = String::from_utf8(splitter.kept).map_err(|err| {
            TableError::format(err, "a delimiter is one ASCII character") // cells are cut at ASCII characters alone
        })?;
        Ok(Self {
            text,
            ends: splitter.ends,
            width: splitter.width,
        })
    }

    /// Whether cells are numbers with a decimal comma: one of them cannot be read otherwise (`1,234` may be 1234), and none has a point.
    fn have_decimal_comma(&self) -> bool {
        let mut found = false;
        let cells =
            (0..self.rows()).flat_map(|row| (0..self.width).map(move |column| (row, column)));
        for (row, column) in cells {
            let cell = self.cell(row, column);
            match cell.split_once(',') {
                Some((_, fraction)) if parse_number(cell, true).is_some() => {
                    found |= fraction.trim_end().len() != 3;
                }
                _ if cell.contains('.') && parse_number(cell, false).is_some() => return false,
                _ => {}
            }
        }
        found
    }
}

/// Cuts a text into cells, byte by byte.
struct CsvSplitter {
    kept: Vec<u8>,
    ends: Vec<usize>,
    width: usize,
    /// Cells before this row.
    row_start: usize,
    line: u64,
    row_line: u64,
    quote_line: u64,
    state: SplitState,
}

impl CsvSplitter {
    fn byte(&mut self, byte: u8, delimiter: u8) -> Result<(), TableError> {
        let is_line_end = matches!(byte, b'\n' | b'\r');
        if self.state == SplitState::LineStart && !is_line_end {
            self.row_line = self.line;
            self.state = SplitState::CellStart;
        }
        match (self.state, byte) {
            // Blank lines, and the second half of a line end.
            (SplitState::LineStart, _) => {}
            (SplitState::Quoted, b'"') => self.state = SplitState::Closed,
            (SplitState::Quoted, _) => self.kept.push(byte),
            // A second quote: the pair stands for one, inside the cell.
            (SplitState::Closed, b'"') => {
                self.kept.push(byte);
                self.state = SplitState::Quoted;
            }
            (SplitState::CellStart, b'"') => {
                self.quote_line = self.line;
                self.state = SplitState::Quoted;
            }
            (_, b'\n' | b'\r') => {
                self.end_row()?;
                self.state = SplitState::LineStart;
            }
            (_, byte) if byte == delimiter => {
                self.ends.push(self.kept.len());
                self.state = SplitState::CellStart;
                self.check_width()?;
            }
            (SplitState::Closed, _) => {
                return Err(TableError::format(
                    format_args!("line {} has text after a closing quote", self.line),
                    "a quote inside a quoted cell is written twice",
                ));
            }
            _ => {
                self.kept.push(byte);
                self.state = SplitState::Plain;
            }
        }
        self.line += u64::from(byte == b'\n');
        Ok(())
    }

    /// Of the first row alone: the others are as wide.
    fn check_width(&self) -> Result<(), TableError> {
        match self.row_start {
            0 => check_column_count(self.ends.len() + 1),
            _ => Ok(()),
        }
    }

    fn end_row(&mut self) -> Result<(), TableError> {
        self.ends.push(self.kept.len());
        let found = self.ends.len() - self.row_start;
        if self.row_start == 0 {
            self.width = found;
        }
        if found != self.width {
            let (line, expected) = (self.row_line, self.width);
            return Err(TableError::format(
                format_args!("line {line} has {found} cells, expected {expected} as in the first"),
                "check the delimiter and the quotes; a cell that contains the delimiter must be quoted",
            ));
        }
        self.row_start = self.ends.len();
        Ok(())
    }
}

/// The separator of a text, from its first rows: the one that occurs equally often in each, comma first; else the one of the first row.
fn find_delimiter(text: &str) -> u8 {
    const ROWS: usize = 32;
    const BYTES: usize = 1 << 16;
    const KNOWN: [u8; 4] = *b",;\t|";
    const SEMICOLON: usize = 1;
    let mut rows: Vec<[usize; KNOWN.len()]> = Vec::new();
    let (mut counts, mut is_quoted, mut is_blank) = ([0; KNOWN.len()], false, true);
    let bytes = text.as_bytes();
    let taken = &bytes[..bytes.len().min(BYTES)];
    for &byte in taken {
        is_quoted ^= byte == b'"';
        if matches!(byte, b'\n' | b'\r') && !is_quoted {
            if !is_blank {
                rows.push(std::mem::take(&mut counts));
                is_blank = true;
            }
            if rows.len() == ROWS {
                break;
            }
            continue;
        }
        if let (Some(known), false) = (KNOWN.iter().position(|known| *known == byte), is_quoted) {
            counts[known] += 1;
        }
        is_blank = false;
    }
    if !is_blank && (taken.len() == bytes.len() || rows.is_empty()) {
        rows.push(counts);
    }
    let Some(first) = rows.first() else {
        return KNOWN[0];
    };
    let is_equal = |known: &usize| rows.iter().all(|row| row[*known] == first[*known]);
    let mut found: Vec<usize> = (0..KNOWN.len()).filter(|known| first[*known] > 0).collect();
    if found.iter().any(is_equal) {
        found.retain(is_equal);
    }
    // `1,5;2,5`: each cell a number with a comma in it.
    let is_number = |cell: &str| cell.is_empty() || parse_number(cell, true).is_some();
    let has_commas_inside = || {
        let mut lines = text.lines().take(ROWS);
        lines.all(|line| line.split(';').all(is_number))
    };
    match found[..] {
        [0, SEMICOLON, ..] if has_commas_inside() => KNOWN[SEMICOLON],
        [first, ..] => KNOWN[first],
        [] => KNOWN[0],
    }
}

/// The kind of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CsvCellType {
    Missing,
    Number,
    Boolean,
    /// Texts that are all dates.
    Date,
    Text,
}

/// A column, and a sentence about it.
struct ReadColumn {
    column: TableColumn,
    note: Option<String>,
}

struct CsvColumnReader<'a> {
    cells: &'a CsvCells,
    /// First row of data.
    first: usize,
    has_decimal_comma: bool,
    stated: Option<&'a [String]>,
    exact_decimals: bool,
    stop: StopCheck<'a>,
}

impl CsvColumnReader<'_> {
    fn texts(&self, column: usize) -> impl Iterator<Item = &str> {
        (self.first..self.cells.rows()).map(move |row| self.cells.cell(row, column))
    }

    /// Whether a cell is missing; among texts a word is a text, unless it is stated.
    fn is_missing(&self, cell: &str, kind: CsvCellType) -> bool {
        if self.stated.is_none() && begins_unlike_missing(cell) {
            return false;
        }
        let cell = cell.trim();
        if cell.is_empty() {
            return true;
        }
        match self.stated {
            Some(words) => words.iter().any(|word| word == cell),
            None => kind != CsvCellType::Text && MISSING_WORDS.contains(&cell),
        }
    }

    fn column(&self, column: usize) -> Result<ReadColumn, TableError> {
        let (kind, numbers) = self.kind(column)?;
        let present = |cell: &'_ str| !self.is_missing(cell, kind);
        let read = match kind {
            CsvCellType::Missing => TableColumn::Missing(self.cells.rows() - self.first),
            CsvCellType::Number => return self.numbers(column, numbers),
            CsvCellType::Boolean => TableColumn::booleans(
                self.texts(column)
                    .map(|cell| present(cell).then(|| cell == "true")),
            ),
            CsvCellType::Date | CsvCellType::Text => {
                let texts = self.texts(column).map(|cell| present(cell).then_some(cell));
                let texts: TextColumn = texts.collect();
                match kind {
                    CsvCellType::Date => infer_dates(texts),
                    _ => TableColumn::Text(texts),
                }
            }
        };
        let note = self.note_words(column, kind);
        Ok(ReadColumn { column: read, note })
    }

    /// Numbers: integers where all are, exact decimals where these are wanted, doubles where these hold the integers among them, else texts.
    fn numbers(
        &self,
        column: usize,
        numbers: Vec<Option<CsvNumber>>,
    ) -> Result<ReadColumn, TableError> {
        const SAFE: u64 = 1 << 53;
        let mut all_integers = true;
        let mut all_safe = true;
        for number in numbers.iter().flatten() {
            match number {
                CsvNumber::Integer(value) => all_safe &= value.unsigned_abs() <= SAFE,
                CsvNumber::Double(_) => all_integers = false,
            }
        }
        let read = |column: TableColumn| Ok(ReadColumn { column, note: None });
        if !all_integers && self.exact_decimals {
            if let Some(decimals) = self.decimals(column) {
                return read(decimals);
            }
            if all_safe {
                return Ok(ReadColumn {
                    column: doubles_of(numbers.into_iter()),
                    note: Some("numbers with exponents or more than 38 digits: read as doubles, not as exact decimals".to_owned()),
                });
            }
        }
        if all_integers {
            return read(TableColumn::integers(numbers.into_iter().map(
                |number| match number {
                    Some(CsvNumber::Integer(value)) => Some(value),
                    _ => None,
                },
            )));
        }
        if all_safe {
            return read(doubles_of(numbers.into_iter()));
        }
        let texts = self.texts(column).zip(&numbers);
        let texts = texts.map(|(cell, number)| number.map(|_| cell));
        Ok(ReadColumn {
            column: TableColumn::texts(texts),
            note: Some("integers beyond 2^53 beside numbers with a fraction, which no double holds: read as texts".to_owned()),
        })
    }

    /// The cells as exact decimals of one scale; `None` where one has an exponent or too many digits.
    fn decimals(&self, column: usize) -> Option<TableColumn> {
        let decimals = self.texts(column).map(|cell| {
            let is_missing = self.is_missing(cell, CsvCellType::Number);
            (!is_missing).then(|| parse_decimal(cell, self.has_decimal_comma))
        });
        // A number that is no decimal ends it.
        let decimals: Vec<Option<DecimalNumber>> = decimals
            .map(|cell| match cell {
                None => Some(None),
                Some(decimal) => decimal.map(Some),
            })
            .collect::<Option<_>>()?;
        let scale = decimals.iter().flatten().map(|one| one.scale).max()?;
        let units: Vec<Option<i128>> = decimals
            .iter()
            .map(|cell| match cell {
                None => Some(None),
                Some(one) => {
                    let shift =
                        10_i128.checked_pow(u32::from((scale - one.scale).unsigned_abs()))?;
                    one.units.checked_mul(shift).map(Some)
                }
            })
            .collect::<Option<_>>()?;
        TableColumn::decimals(units, scale).ok()
    }

    /// The narrowest kind that fits every cell of a column, and the numbers where it is that of numbers.
    fn kind(&self, column: usize) -> Result<(CsvCellType, Vec<Option<CsvNumber>>), TableError> {
        let mut kind = CsvCellType::Missing;
        let mut has_dashes = false;
        let mut numbers = Vec::new();
        for (row, cell) in self.texts(column).enumerate() {
            check_row(row, self.stop)?;
            if self.is_missing(cell, CsvCellType::Missing) {
                has_dashes |= self.stated.is_none() && cell.trim() == "-";
                numbers.push(None);
                continue;
            }
            let number = parse_number(cell, self.has_decimal_comma);
            let here = match cell {
                "true" | "false" => CsvCellType::Boolean,
                _ if number.is_some() => CsvCellType::Number,
                _ if is_date(cell) => CsvCellType::Date,
                _ => CsvCellType::Text,
            };
            if here == CsvCellType::Text || (kind != CsvCellType::Missing && kind != here) {
                return Ok((CsvCellType::Text, Vec::new()));
            }
            kind = here;
            numbers.push(number);
        }
        let kind = match kind {
            CsvCellType::Missing if has_dashes => CsvCellType::Text,
            kind => kind,
        };
        Ok((kind, numbers))
    }

    /// What became of words for missing cells among texts. `-` is a usual text, and no surprise.
    fn note_words(&self, column: usize, kind: CsvCellType) -> Option<String> {
        let is_kept = matches!(kind, CsvCellType::Text | CsvCellType::Missing);
        if self.stated.is_some() || !is_kept {
            return None;
        }
        let mut counts = [0_usize; MISSING_WORDS.len()];
        for cell in self.texts(column) {
            if begins_unlike_missing(cell) {
                continue;
            }
            let word = MISSING_WORDS.iter().position(|word| *word == cell.trim());
            if let Some(word) = word {
                counts[word] += 1;
            }
        }
        let words = MISSING_WORDS.iter().zip(counts);
        let words: Vec<String> = words
            .filter(|(word, count)| *count > 0 && **word != "-")
            .map(|(word, count)| format!("`{word}` in {count}"))
            .collect();
        let became = match kind {
            CsvCellType::Text => "kept as text",
            _ => "read as missing",
        };
        (!words.is_empty()).then(|| format!("{} cells, {became}", words.join(", ")))
    }
}

/// Whether a cell begins with a letter or digit that no word of [`MISSING_WORDS`] begins with, so that it is none of them.
fn begins_unlike_missing(cell: &str) -> bool {
    let first = cell.as_bytes().first();
    first.is_some_and(|first| {
        let begins = |word: &&str| word.as_bytes().first() == Some(first);
        first.is_ascii_alphanumeric() && !MISSING_WORDS.iter().any(begins)
    })
}

/// Whether a cell is a date with a year of four digits, such as `2024-05-17`, `17.5.2024` or `5/17/2024`, alone or before a time: words for
/// missing cells are missing among them, though only dates of ISO 8601 are read as dates.
fn is_date(cell: &str) -> bool {
    let cell = cell.trim();
    let (date, time) = match cell.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (cell, None),
    };
    let is_part = |part: char| part.is_ascii_digit() || matches!(part, ':' | '.' | '+' | '-' | 'Z');
    let is_time = |time: &str| time.contains(':') && time.chars().all(is_part);
    let Some(separator) = date.chars().find(|one| !one.is_ascii_digit()) else {
        return false;
    };
    let mut lengths = Vec::with_capacity(3);
    for part in date.split(separator) {
        if lengths.len() == 3 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        lengths.push(part.len());
    }
    let has_year = matches!(lengths[..], [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 4]);
    matches!(separator, '-' | '.' | '/') && has_year && time.is_none_or(is_time)
}
