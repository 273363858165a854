//! The one reader of delimited text (RFC 4180): which character separates, whether there is a header, which cells are missing and
//! of which type a column is, by the same rules at every door. Start with [`read_csv`].

use std::collections::HashMap;
use std::sync::Arc;

use crate::brief;
use crate::error::ToolError;
use crate::npy::NpyFault;
use crate::value::Value;

/// Words that stand for a missing cell, beside the empty one, in a column of numbers, booleans or dates; among texts they are texts,
/// such as the country code of Namibia.
pub const MISSING: [&str; 4] = ["NA", "NaN", "null", "-"];

/// What is stated about a text; the rest is found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct CsvDialect {
    /// The character between cells.
    pub delimiter: Option<u8>,
    /// Whether the first row names the columns.
    pub has_header: Option<bool>,
    /// Whether `3,5` is a number.
    pub decimal_comma: Option<bool>,
    /// Words for missing cells of every column, in place of [`MISSING`].
    pub missing_words: Option<Vec<String>>,
}

impl CsvDialect {
    /// Whether nothing is stated.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

/// A character between cells: ASCII, and no quote, line end or NUL; `None` for any other text.
pub fn parse_delimiter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Some(*byte),
        _ => None,
    }
}

/// A table.
#[derive(Debug)]
pub struct CsvTable {
    /// Names of the columns; `column_1`, `column_2`, ... without a header.
    pub names: Vec<Arc<str>>,
    /// Types of the columns.
    pub types: Vec<TableColumnType>,
    /// Cells of the columns, of equal number.
    pub columns: Vec<Vec<Value>>,
    /// Whether the first row names the columns.
    pub has_header: bool,
    /// What was found and may surprise.
    pub notes: Vec<CsvNote>,
}

/// A sentence about a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvNote {
    /// The column that it is about, from 0; `None` for the whole table.
    pub column: Option<usize>,
    /// The sentence.
    pub text: String,
}

/// Type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableColumnType {
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
pub enum CsvReadError {
    /// A fault of the text.
    Fault(NpyFault),
    /// The call was stopped.
    Stopped(ToolError),
}

impl From<ToolError> for CsvReadError {
    fn from(stopped: ToolError) -> Self {
        Self::Stopped(stopped)
    }
}

fn csv_fault(message: impl Into<String>, hint: &'static str) -> CsvReadError {
    CsvReadError::Fault(NpyFault::new(message, hint))
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
pub fn read_csv(
    text: &str,
    dialect: &CsvDialect,
    check: &dyn Fn() -> Result<(), ToolError>,
) -> Result<CsvTable, CsvReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = dialect.delimiter.unwrap_or_else(|| delimiter_of(text));
    check_quotes(text, delimiter, check)?;
    let mut records = read_csv_records(text, delimiter, check)?;
    let Some(first) = records.first() else {
        return Err(csv_fault(
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
        .all(|cell| parse_csv_number(cell, decimal_comma).is_some());
    let has_header = dialect.has_header.unwrap_or(!only_numbers);
    if only_numbers && dialect.has_header.is_none() {
        let text = "the first row has only numbers, so that it is data and no header; if it names the columns, say `\"has_header\": true`";
        notes.push(CsvNote {
            column: None,
            text: text.to_owned(),
        });
    }
    let names = match has_header {
        true => names_of(&records.remove(0).1)?,
        false => (1..=width).map(column_name).collect(),
    };
    let cells = CsvCellReader {
        decimal_comma,
        stated: dialect.missing_words.as_deref(),
    };
    let (mut types, mut columns) = (Vec::with_capacity(width), Vec::with_capacity(width));
    let (mut words, mut used) = (Vec::with_capacity(width), MissingWordCounts::default());
    for column in 0..width {
        let kind = cells.kind(&records, column, check)?;
        let mut column_cells = Vec::with_capacity(records.len());
        let mut kept = MissingWordCounts::default();
        for (index, (_, record)) in records.iter().enumerate() {
            if index % LINES == 0 {
                check()?;
            }
            let cell = &record[column];
            let value = cells.typed(cell, kind);
            match kind {
                _ if cells.stated.is_some() => {}
                CsvCellKind::Text | CsvCellKind::Null => kept.count(cell),
                _ if value.is_null() => used.count(cell),
                _ => {}
            }
            column_cells.push(value);
        }
        words.push((kept, kind));
        types.push(kind.column_type());
        columns.push(column_cells);
    }
    for (column, (kept, kind)) in words.iter().enumerate() {
        let text = kept.note(&names[column], *kind, &used);
        let column = Some(column);
        notes.extend(text.map(|text| CsvNote { column, text }));
    }
    Ok(CsvTable {
        names,
        types,
        columns,
        has_header,
        notes,
    })
}

/// The name of a column without a header, counted from 1.
fn column_name(number: usize) -> Arc<str> {
    format!("column_{number}").into()
}

/// How often each word for a missing cell stands in columns.
#[derive(Default)]
struct MissingWordCounts([usize; MISSING.len()]);

impl MissingWordCounts {
    fn count(&mut self, cell: &str) {
        let word = MISSING.iter().position(|word| *word == cell.trim());
        if let Some(word) = word {
            self.0[word] += 1;
        }
    }

    /// What became of the words in a column of texts, or of nothing else, and how it would be otherwise, where those in columns of
    /// numbers stay missing. `-` is a usual text, and no surprise.
    fn note(&self, name: &str, kind: CsvCellKind, used: &Self) -> Option<String> {
        let is_kept = |word: &usize| self.0[*word] > 0 && MISSING[*word] != "-";
        let is_used = |word: &usize| used.0[*word] > 0;
        let kept: Vec<usize> = (0..MISSING.len()).filter(is_kept).collect();
        if kept.is_empty() {
            return None;
        }
        let name = brief::brief_name(name);
        let cells = |word: &usize| match (self.0[*word], MISSING[*word]) {
            (1, word) => format!("1 cell is `{word}`"),
            (count, word) => format!("{count} cells are `{word}`"),
        };
        let counts: Vec<String> = kept.iter().map(cells).collect();
        let counts = counts.join(", ");
        let listed = |is_listed: &dyn Fn(&usize) -> bool| {
            let words = (0..MISSING.len()).filter(is_listed);
            let words: Vec<String> = words.map(|word| format!("{:?}", MISSING[word])).collect();
            format!("`\"missing_words\": [{}]`", words.join(", "))
        };
        let others = listed(&is_used);
        if kind == CsvCellKind::Null {
            return Some(format!(
                "column `{name}` has no value: {counts}, read as missing; {others} keeps them as texts"
            ));
        }
        let all = listed(&|word| is_kept(word) || is_used(word));
        let silent = match kept.iter().any(is_used) {
            true => String::new(),
            false => format!(", {others} keeps them without this warning"),
        };
        Some(format!(
            "text column `{name}`: {counts}, kept as text; {all} reads them as missing{silent}"
        ))
    }
}

/// A row with the line that it starts on.
type Record = (u64, ::csv::StringRecord);

fn read_csv_records(
    text: &str,
    delimiter: u8,
    check: &dyn Fn() -> Result<(), ToolError>,
) -> Result<Vec<Record>, CsvReadError> {
    let mut reader = ::csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut records: Vec<Record> = Vec::new();
    let mut lines = CsvLineCounter::default();
    let mut width = None;
    for (index, record) in reader.records().enumerate() {
        if index % LINES == 0 {
            check()?;
        }
        let record = record.map_err(|err| csv_fault(err.to_string(), "pass UTF-8 text"))?;
        let line = lines.of(text, record.position());
        let (expected, found) = (*width.get_or_insert(record.len()), record.len());
        if found != expected {
            return Err(csv_fault(
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
struct CsvLineCounter {
    at: usize,
    breaks: u64,
}

impl CsvLineCounter {
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
            cells.all(|cell| cell.is_empty() || parse_csv_number(cell, true).is_some())
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
            Some((_, fraction)) if parse_csv_number(cell, true).is_some() => {
                found |= fraction.trim_end().len() != 3;
            }
            _ if cell.contains('.') && parse_csv_number(cell, false).is_some() => return false,
            _ => {}
        }
    }
    found
}

fn names_of(header: &::csv::StringRecord) -> Result<Vec<Arc<str>>, CsvReadError> {
    let mut seen = HashMap::new();
    let mut names = Vec::with_capacity(header.len());
    for (index, name) in header.iter().map(str::trim).enumerate() {
        let number = index + 1;
        let name: Arc<str> = match name {
            "" => column_name(number),
            name => name.into(),
        };
        if let Some(first) = seen.insert(Arc::clone(&name), number) {
            return Err(csv_fault(
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
) -> Result<(), CsvReadError> {
    enum CsvQuoteState {
        CellStart,
        Plain,
        Quoted { opened: u64 },
        Closed { opened: u64 },
    }
    const BYTES: usize = 1 << 20;
    let mut state = CsvQuoteState::CellStart;
    let mut line = 1;
    for (index, &byte) in text.as_bytes().iter().enumerate() {
        if index % BYTES == 0 {
            check()?;
        }
        state = match (state, byte) {
            (CsvQuoteState::CellStart, b'"') => CsvQuoteState::Quoted { opened: line },
            (CsvQuoteState::Quoted { opened }, b'"') => CsvQuoteState::Closed { opened },
            (CsvQuoteState::Quoted { opened }, _) => CsvQuoteState::Quoted { opened },
            // A second quote: the pair stood for one, inside the cell.
            (CsvQuoteState::Closed { opened }, b'"') => CsvQuoteState::Quoted { opened },
            (_, b'\n' | b'\r') => CsvQuoteState::CellStart,
            (_, byte) if byte == delimiter => CsvQuoteState::CellStart,
            (CsvQuoteState::Closed { .. }, _) => {
                return Err(csv_fault(
                    format!("line {line} has text after a closing quote"),
                    "a quote inside a quoted cell is written twice",
                ));
            }
            _ => CsvQuoteState::Plain,
        };
        line += u64::from(byte == b'\n');
    }
    match state {
        CsvQuoteState::Quoted { opened } => Err(csv_fault(
            format!("the quote opened on line {opened} is never closed"),
            "close it; a quote inside a quoted cell is written twice",
        )),
        _ => Ok(()),
    }
}

/// The kind of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CsvCellKind {
    /// Nothing but missing cells.
    Null,
    Number,
    Boolean,
    /// Texts that are all dates.
    Date,
    Text,
}

impl CsvCellKind {
    fn column_type(self) -> TableColumnType {
        match self {
            Self::Null => TableColumnType::Null,
            Self::Number => TableColumnType::Number,
            Self::Boolean => TableColumnType::Boolean,
            Self::Date | Self::Text => TableColumnType::Text,
        }
    }
}

/// How cells are read.
struct CsvCellReader<'a> {
    decimal_comma: bool,
    /// Stated words for missing cells.
    stated: Option<&'a [String]>,
}

impl CsvCellReader<'_> {
    /// Whether a cell is missing; among texts a word is a text, unless it is stated.
    fn is_missing(&self, cell: &str, kind: CsvCellKind) -> bool {
        let cell = cell.trim();
        if cell.is_empty() {
            return true;
        }
        match self.stated {
            Some(words) => words.iter().any(|word| word == cell),
            None => kind != CsvCellKind::Text && MISSING.contains(&cell),
        }
    }

    /// The narrowest kind that fits every cell of a column.
    fn kind(
        &self,
        records: &[Record],
        column: usize,
        check: &dyn Fn() -> Result<(), ToolError>,
    ) -> Result<CsvCellKind, CsvReadError> {
        let mut kind = CsvCellKind::Null;
        let mut dashes = false;
        for (index, (_, record)) in records.iter().enumerate() {
            if index % LINES == 0 {
                check()?;
            }
            let cell = &record[column];
            if self.is_missing(cell, CsvCellKind::Null) {
                dashes |= self.stated.is_none() && cell.trim() == "-";
                continue;
            }
            let here = match cell {
                "true" | "false" => CsvCellKind::Boolean,
                _ if parse_csv_number(cell, self.decimal_comma).is_some() => CsvCellKind::Number,
                _ if is_date(cell) => CsvCellKind::Date,
                _ => return Ok(CsvCellKind::Text),
            };
            if kind != CsvCellKind::Null && kind != here {
                return Ok(CsvCellKind::Text);
            }
            kind = here;
        }
        Ok(match kind {
            CsvCellKind::Null if dashes => CsvCellKind::Text,
            kind => kind,
        })
    }

    fn typed(&self, cell: &str, kind: CsvCellKind) -> Value {
        if self.is_missing(cell, kind) {
            return Value::Null;
        }
        match kind {
            CsvCellKind::Number => {
                parse_csv_number(cell, self.decimal_comma).unwrap_or_else(|| Value::from(cell))
            }
            CsvCellKind::Boolean => Value::Bool(cell == "true"),
            CsvCellKind::Date | CsvCellKind::Text | CsvCellKind::Null => Value::from(cell),
        }
    }
}

/// Whether a cell is a date with a year of four digits, such as `2024-05-17`, `17.5.2024` or `5/17/2024`, alone or before a time.
fn is_date(cell: &str) -> bool {
    let cell = cell.trim();
    let (date, time) = match cell.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (cell, None),
    };
    let is_time = |time: &str| {
        let is_part =
            |part: char| part.is_ascii_digit() || matches!(part, ':' | '.' | '+' | '-' | 'Z');
        time.contains(':') && time.chars().all(is_part)
    };
    let Some(separator) = date.chars().find(|one| !one.is_ascii_digit()) else {
        return false;
    };
    let parts: Vec<&str> = date.split(separator).collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let digits = parts
        .iter()
        .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let has_year = matches!(lengths[..], [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 4]);
    matches!(separator, '-' | '.' | '/') && digits && has_year && time.is_none_or(is_time)
}

/// Reads a number in the form of JSON, with blanks around it: no leading zeros, plus sign, bare point or separators; an integer
/// with all its digits, or a finite double.
fn parse_csv_number(cell: &str, decimal_comma: bool) -> Option<Value> {
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
pub fn line_of(text: &str, dialect: &CsvDialect, column: &str, cell: &str) -> Option<u64> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = dialect.delimiter.unwrap_or_else(|| delimiter_of(text));
    let records = read_csv_records(text, delimiter, &|| Ok(())).ok()?;
    let (_, header) = records.first()?;
    let named = header.iter().position(|name| name.trim() == column);
    let index = match named.filter(|_| dialect.has_header != Some(false)) {
        Some(index) => index,
        None => (1..=header.len()).position(|number| *column_name(number) == *column)?,
    };
    let mut rows = records.iter();
    let found = rows.find(|(_, record)| record.get(index) == Some(cell))?;
    Some(found.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_csv(text: &str, dialect: &CsvDialect) -> CsvTable {
        super::read_csv(text, dialect, &|| Ok(()))
            .unwrap_or_else(|halt| panic!("{text:?}: {halt:?}"))
    }

    fn first_column(text: &str, dialect: &CsvDialect) -> String {
        Value::array(read_csv(text, dialect).columns[0].clone()).to_string()
    }

    /// The words are missing where everything else is numbers, booleans or dates, and texts among texts.
    #[test]
    fn words_are_missing_beside_numbers_and_dates_and_kept_beside_texts() {
        let open = CsvDialect::default();
        for (text, expected) in [
            ("v\n1\nNA\n-\nNaN\nnull\n", "[1,null,null,null,null]"),
            ("v\ntrue\nNA\n", "[true,null]"),
            ("v\n2024-05-17\nNA\n", r#"["2024-05-17",null]"#),
            (
                "v\n2024-05-17T10:30:00Z\n-\n",
                r#"["2024-05-17T10:30:00Z",null]"#,
            ),
            ("v\n17.5.2024\nnull\n", r#"["17.5.2024",null]"#),
            ("v\n5/17/2024 10:30\nNaN\n", r#"["5/17/2024 10:30",null]"#),
            ("v\nDE\nNA\n\"\"\nnull\n", r#"["DE","NA",null,"null"]"#),
            ("v\n1.2.3\nNA\n", r#"["1.2.3","NA"]"#),
            ("v\n2024-05-17\nsoon\nNA\n", r#"["2024-05-17","soon","NA"]"#),
            ("v\nNA\nNA\n", "[null,null]"),
            ("v\n-\n-\n", r#"["-","-"]"#),
        ] {
            assert_eq!(first_column(text, &open), expected, "{text:?}");
        }
        let stated = |words: &[&str]| CsvDialect {
            missing_words: Some(words.iter().map(|&word| word.to_owned()).collect()),
            ..CsvDialect::default()
        };
        for (text, words, expected) in [
            (
                "v\nDE\nNA\nn/a\n",
                &["NA", "n/a"][..],
                r#"["DE",null,null]"#,
            ),
            ("v\n1\n?\n", &["?"], "[1,null]"),
            ("v\n1\nNA\n", &["?"], r#"["1","NA"]"#),
            ("v\nNA\nNA\n", &[], r#"["NA","NA"]"#),
        ] {
            assert_eq!(first_column(text, &stated(words)), expected, "{text:?}");
        }
    }

    #[test]
    fn a_note_names_column_word_and_count() {
        let notes = |text: &str, dialect: &CsvDialect| -> Vec<String> {
            let notes = read_csv(text, dialect).notes.into_iter();
            notes.map(|note| note.text).collect()
        };
        let open = CsvDialect::default();
        let found = notes("n,cc\n1,NA\n-,NA\n3,null\n4,DE\n5,-\n", &open);
        assert_eq!(
            found,
            [
                "text column `cc`: 2 cells are `NA`, 1 cell is `null`, kept as text; \
              `\"missing_words\": [\"NA\", \"null\", \"-\"]` reads them as missing, \
              `\"missing_words\": [\"-\"]` keeps them without this warning"
            ]
        );
        // What is missing among the numbers cannot be a text elsewhere where it is stated.
        let found = notes("n,cc\n1,NA\nNA,DE\n", &open);
        assert!(
            found[0].ends_with("`\"missing_words\": [\"NA\"]` reads them as missing"),
            "{found:?}"
        );
        let found = notes("n,cc\n1,NA\n2,NA\n", &open);
        assert!(
            found[0].contains("column `cc` has no value: 2 cells are `NA`"),
            "{found:?}"
        );
        let stated = CsvDialect {
            missing_words: Some(Vec::new()),
            ..CsvDialect::default()
        };
        assert!(notes("n,cc\n1,NA\n2,DE\n", &stated).is_empty());
        assert!(notes("n,cc\n1,DE\nNA,FR\n", &open).is_empty());
    }

    #[test]
    fn the_line_of_a_cell_is_found_with_and_without_a_header() {
        let open = CsvDialect::default();
        assert_eq!(line_of("a;b\n\n1;2\n3;x\n", &open, "b", "x"), Some(4));
        let bare = CsvDialect {
            has_header: Some(false),
            ..CsvDialect::default()
        };
        assert_eq!(line_of("1,2\n3,x\n", &bare, "column_2", "x"), Some(2));
        assert_eq!(line_of("1,2\n3,x\n", &open, "c", "x"), None);
    }
}
