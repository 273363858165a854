//! The one reader of delimited text (RFC 4180): which character separates, whether there is a header, which cells are missing and
//! of which type a column is, by the same rules at every door. Start with [`read`].

use std::collections::HashMap;
use std::sync::Arc;

use crate::brief;
use crate::error::ToolError;
use crate::npy::Fault;
use crate::value::Value;

/// Words that stand for a missing cell, beside the empty one; `-` only in a column of numbers or booleans.
pub const MISSING: [&str; 4] = ["NA", "NaN", "null", "-"];

/// What is stated about a text; the rest is found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dialect<'a> {
    /// The character between cells.
    pub delimiter: Option<u8>,
    /// Whether the first row names the columns.
    pub header: Option<bool>,
    /// Whether `3,5` is a number.
    pub decimal_comma: Option<bool>,
    /// Words for missing cells, in place of [`MISSING`].
    pub missing: Option<&'a [String]>,
}

/// A table.
#[derive(Debug)]
pub struct Csv {
    /// Names of the columns; `column_1`, `column_2`, ... without a header.
    pub names: Vec<Arc<str>>,
    /// Types of the columns.
    pub types: Vec<ColumnType>,
    /// Cells of the columns, of equal number.
    pub columns: Vec<Vec<Value>>,
    /// Whether the first row names the columns.
    pub has_header: bool,
    /// What was found and may surprise.
    pub notes: Vec<String>,
}

/// Type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Numbers.
    Number,
    /// `true` and `false`.
    Boolean,
    /// Texts, exactly as written.
    Text,
    /// Nothing but missing cells.
    Null,
}

/// Why there is no table.
#[derive(Debug)]
pub enum Halt {
    /// A fault of the text.
    Fault(Fault),
    /// The call was stopped.
    Stopped(ToolError),
}

impl From<ToolError> for Halt {
    fn from(stopped: ToolError) -> Self {
        Self::Stopped(stopped)
    }
}

fn fault(message: impl Into<String>, hint: &'static str) -> Halt {
    Halt::Fault(Fault::new(message, hint))
}

/// Lines between two looks at the stop flag.
const LINES: usize = 256;

/// Reads a table; `check` is asked now and then whether to go on. O(bytes) time.
///
/// A first row of nothing but numbers is data, any other a header, unless the dialect says so. A column is numbers or booleans
/// where all of its cells that are not missing are, otherwise texts as written, so that `007`, `+49` and `1 000` keep their form.
///
/// # Errors
/// Rows of unequal length, quotes that are not closed, two columns of one name, with the line; what `check` returns.
pub fn read(
    text: &str,
    dialect: &Dialect<'_>,
    check: &dyn Fn() -> Result<(), ToolError>,
) -> Result<Csv, Halt> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = dialect.delimiter.unwrap_or_else(|| delimiter_of(text));
    check_quotes(text, delimiter, check)?;
    let mut records = records(text, delimiter, check)?;
    let Some(first) = records.first() else {
        return Err(fault(
            "there is no line",
            "expected rows of numbers, or a header and rows",
        ));
    };
    let width = first.1.len();
    let decimal_comma = dialect
        .decimal_comma
        .unwrap_or_else(|| delimiter == b';' && has_decimal_comma(&records));
    let mut notes = Vec::new();
    let only_numbers = first
        .1
        .iter()
        .all(|cell| number(cell, decimal_comma).is_some());
    let has_header = dialect.header.unwrap_or(!only_numbers);
    if only_numbers && dialect.header.is_none() {
        notes.push(
            "the first row has only numbers, so that it is data and no header; if it names the columns, say so"
                .to_owned(),
        );
    }
    let names = match has_header {
        true => names_of(&records.remove(0).1)?,
        false => (1..=width)
            .map(|number| format!("column_{number}").into())
            .collect(),
    };
    let cells = Cells {
        decimal_comma,
        missing: dialect.missing,
    };
    let (mut types, mut columns) = (Vec::with_capacity(width), Vec::with_capacity(width));
    for (column, name) in names.iter().enumerate() {
        let kind = cells.column_type(&records, column, check)?;
        let mut column_cells = Vec::with_capacity(records.len());
        let mut words = 0;
        for (index, (_, record)) in records.iter().enumerate() {
            if index % LINES == 0 {
                check()?;
            }
            let cell = &record[column];
            let value = cells.typed(cell, kind);
            words += usize::from(kind == ColumnType::Text && value.is_null() && !cell.is_empty());
            column_cells.push(value);
        }
        if words > 0 {
            let name = brief::name(name);
            notes.push(format!(
                "{words} cells of the text column `{name}` are words for a missing value (such as NA) and are null"
            ));
        }
        types.push(kind);
        columns.push(column_cells);
    }
    Ok(Csv {
        names,
        types,
        columns,
        has_header,
        notes,
    })
}

/// A row with the line that it starts on.
type Record = (u64, ::csv::StringRecord);

fn records(
    text: &str,
    delimiter: u8,
    check: &dyn Fn() -> Result<(), ToolError>,
) -> Result<Vec<Record>, Halt> {
    let mut reader = ::csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut records: Vec<Record> = Vec::new();
    let mut lines = Lines::default();
    let mut width = None;
    for (index, record) in reader.records().enumerate() {
        if index % LINES == 0 {
            check()?;
        }
        let record = record.map_err(|err| fault(err.to_string(), "pass UTF-8 text"))?;
        let line = lines.of(text, record.position());
        let (expected, found) = (*width.get_or_insert(record.len()), record.len());
        if found != expected {
            return Err(fault(
                format!("line {line} has {found} cells, expected {expected} as in the first"),
                "check the delimiter and the quotes; a cell that contains the delimiter must be quoted",
            ));
        }
        records.push((line, record));
    }
    Ok(records)
}

/// Counts lines up to the records, which come in order; the reader's own count stops before the blank lines it skips.
#[derive(Default)]
struct Lines {
    at: usize,
    breaks: u64,
}

impl Lines {
    fn of(&mut self, text: &str, position: Option<&::csv::Position>) -> u64 {
        let bytes = text.as_bytes();
        let start = position.map_or(0, |position| position.byte() as usize);
        let start = start.clamp(self.at, bytes.len());
        let blank = bytes[start..].iter();
        let blank = blank.take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let start = start + blank.count();
        let before = bytes[self.at..start].iter();
        self.breaks += before.filter(|&&byte| byte == b'\n').count() as u64;
        self.at = start;
        1 + self.breaks
    }
}

/// The separator of a text, from its first rows: the one that occurs equally often in each, comma first; else the one of the
/// first row.
fn delimiter_of(text: &str) -> u8 {
    const ROWS: usize = 32;
    const BYTES: usize = 1 << 16;
    const KNOWN: [u8; 4] = *b",;\t|";
    let mut rows: Vec<[usize; KNOWN.len()]> = Vec::new();
    let (mut counts, mut quoted, mut blank) = ([0; KNOWN.len()], false, true);
    let bytes = text.as_bytes();
    let taken = &bytes[..bytes.len().min(BYTES)];
    let whole = taken.len() == bytes.len();
    for &byte in taken {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => {
                if !blank {
                    rows.push(std::mem::take(&mut counts));
                    blank = true;
                }
                if rows.len() == ROWS {
                    break;
                }
                continue;
            }
            _ if !quoted => {
                if let Some(index) = KNOWN.iter().position(|&known| known == byte) {
                    counts[index] += 1;
                }
            }
            _ => {}
        }
        blank = false;
    }
    if !blank && (whole || rows.is_empty()) {
        rows.push(counts);
    }
    let Some(first) = rows.first() else {
        return b',';
    };
    let there = |index: &usize| first[*index] > 0;
    let equal = |index: &usize| rows.iter().all(|row| row[*index] == first[*index]);
    let mut found: Vec<usize> = (0..KNOWN.len()).filter(there).collect();
    if found.iter().any(equal) {
        found.retain(equal);
    }
    // `1,5;2,5`: each cell a number with a comma in it.
    let semicolons = KNOWN.iter().position(|&known| known == b';');
    if let [0, second, ..] = found[..]
        && Some(second) == semicolons
        && text.lines().take(ROWS).all(|line| {
            let mut cells = line.split(';');
            cells.all(|cell| cell.is_empty() || number(cell, true).is_some())
        })
    {
        return b';';
    }
    found.first().map_or(b',', |&index| KNOWN[index])
}

/// Whether cells are numbers with a decimal comma: one of them cannot be read otherwise (`1,234` may be 1234), and none has a point.
fn has_decimal_comma(records: &[Record]) -> bool {
    let mut found = false;
    for cell in records.iter().flat_map(|(_, record)| record) {
        match cell.split_once(',') {
            Some((_, fraction)) if number(cell, true).is_some() => {
                found |= fraction.trim_end().len() != 3;
            }
            _ if cell.contains('.') && number(cell, false).is_some() => return false,
            _ => {}
        }
    }
    found
}

fn names_of(header: &::csv::StringRecord) -> Result<Vec<Arc<str>>, Halt> {
    let mut seen = HashMap::new();
    let mut names = Vec::with_capacity(header.len());
    for (index, name) in header.iter().map(str::trim).enumerate() {
        let number = index + 1;
        let name: Arc<str> = match name {
            "" => format!("column_{number}").into(),
            name => name.into(),
        };
        if let Some(first) = seen.insert(Arc::clone(&name), number) {
            return Err(fault(
                format!("columns {first} and {number} are both named `{name}`"),
                "rename one of them, or state that there is no header if the first line is data",
            ));
        }
        names.push(name);
    }
    Ok(names)
}

/// Finds quotes that a lenient reader would swallow: one that is never closed, and text after a closing one.
fn check_quotes(
    text: &str,
    delimiter: u8,
    check: &dyn Fn() -> Result<(), ToolError>,
) -> Result<(), Halt> {
    enum State {
        CellStart,
        Plain,
        Quoted { opened: u64 },
        Closed { opened: u64 },
    }
    const BYTES: usize = 1 << 20;
    let mut state = State::CellStart;
    let mut line = 1;
    for (index, &byte) in text.as_bytes().iter().enumerate() {
        if index % BYTES == 0 {
            check()?;
        }
        state = match (state, byte) {
            (State::CellStart, b'"') => State::Quoted { opened: line },
            (State::Quoted { opened }, b'"') => State::Closed { opened },
            (State::Quoted { opened }, _) => State::Quoted { opened },
            // A second quote: the pair stood for one, inside the cell.
            (State::Closed { opened }, b'"') => State::Quoted { opened },
            (_, b'\n' | b'\r') => State::CellStart,
            (_, byte) if byte == delimiter => State::CellStart,
            (State::Closed { .. }, _) => {
                return Err(fault(
                    format!("line {line} has text after a closing quote"),
                    "a quote inside a quoted cell is written twice",
                ));
            }
            _ => State::Plain,
        };
        line += u64::from(byte == b'\n');
    }
    match state {
        State::Quoted { opened } => Err(fault(
            format!("the quote opened on line {opened} is never closed"),
            "close it; a quote inside a quoted cell is written twice",
        )),
        _ => Ok(()),
    }
}

/// How cells are read.
struct Cells<'a> {
    decimal_comma: bool,
    missing: Option<&'a [String]>,
}

impl Cells<'_> {
    /// Whether a cell is missing; `-` is a text among texts.
    fn is_missing(&self, cell: &str, kind: ColumnType) -> bool {
        let cell = cell.trim();
        if cell.is_empty() {
            return true;
        }
        match self.missing {
            Some(words) => words.iter().any(|word| word == cell),
            None => MISSING.contains(&cell) && !(cell == "-" && kind == ColumnType::Text),
        }
    }

    /// The narrowest type that fits every cell of a column.
    fn column_type(
        &self,
        records: &[Record],
        column: usize,
        check: &dyn Fn() -> Result<(), ToolError>,
    ) -> Result<ColumnType, Halt> {
        let mut kind = ColumnType::Null;
        let mut dashes = false;
        for (index, (_, record)) in records.iter().enumerate() {
            if index % LINES == 0 {
                check()?;
            }
            let cell = &record[column];
            if self.is_missing(cell, ColumnType::Null) {
                dashes |= self.missing.is_none() && cell.trim() == "-";
                continue;
            }
            let here = match cell {
                "true" | "false" => ColumnType::Boolean,
                _ if number(cell, self.decimal_comma).is_some() => ColumnType::Number,
                _ => return Ok(ColumnType::Text),
            };
            if kind != ColumnType::Null && kind != here {
                return Ok(ColumnType::Text);
            }
            kind = here;
        }
        Ok(match kind {
            ColumnType::Null if dashes => ColumnType::Text,
            kind => kind,
        })
    }

    fn typed(&self, cell: &str, kind: ColumnType) -> Value {
        if self.is_missing(cell, kind) {
            return Value::Null;
        }
        match kind {
            ColumnType::Number => {
                number(cell, self.decimal_comma).unwrap_or_else(|| Value::from(cell))
            }
            ColumnType::Boolean => Value::Bool(cell == "true"),
            ColumnType::Text | ColumnType::Null => Value::from(cell),
        }
    }
}

/// Reads a number in the form of JSON, with blanks around it: no leading zeros, plus sign, bare point or separators; an integer
/// with all its digits, or a finite double.
fn number(cell: &str, decimal_comma: bool) -> Option<Value> {
    /// The text after its digits, of which there must be one.
    fn after_digits(text: &str) -> Option<&str> {
        let rest = text.trim_start_matches(|byte: char| byte.is_ascii_digit());
        (rest.len() < text.len()).then_some(rest)
    }
    let cell = cell.trim_matches([' ', '\t']);
    let unsigned = cell.strip_prefix('-').unwrap_or(cell);
    let mut rest = after_digits(unsigned)?;
    if unsigned.starts_with('0') && unsigned.len() - rest.len() > 1 {
        return None;
    }
    let integer = rest.is_empty();
    let comma = decimal_comma && rest.starts_with(',');
    let point = if comma { ',' } else { '.' };
    if let Some(fraction) = rest.strip_prefix(point) {
        rest = after_digits(fraction)?;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        rest = after_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))?;
    }
    if !rest.is_empty() {
        return None;
    }
    if integer && cell != "-0" {
        return cell.parse().ok().map(Value::Int);
    }
    let value: f64 = match comma {
        true => cell.replacen(',', ".", 1).parse().ok()?,
        false => cell.parse().ok()?,
    };
    value.is_finite().then_some(Value::Float(value))
}

/// The line of the first row whose cell in a column is this text.
pub fn line_of(text: &str, delimiter: Option<u8>, column: &str, cell: &str) -> Option<u64> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = delimiter.unwrap_or_else(|| delimiter_of(text));
    let records = records(text, delimiter, &|| Ok(())).ok()?;
    let ((_, header), rows) = records.split_first()?;
    let index = header.iter().position(|name| name.trim() == column)?;
    let mut rows = rows.iter();
    let found = rows.find(|(_, record)| record.get(index) == Some(cell))?;
    Some(found.0)
}
