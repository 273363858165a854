//! Parsing of CSV and inference of column types.

use std::collections::HashMap;
use std::sync::Arc;

use tool_core::value::SAFE_INTEGER;
use tool_core::{Ctx, Object, ToolError, Value};

use super::{ColumnType, Delimiter};

/// Lines between two looks at the stop flag.
const LINES: usize = 256;
/// Bytes a cell of a record keeps alive beyond its text: the value and its key's pointer, the text's counters.
const CELL_BYTES: u64 = 96;

/// A table read from text.
pub(super) struct Records {
    pub(super) names: Vec<Arc<str>>,
    pub(super) types: Vec<ColumnType>,
    pub(super) rows: Vec<Value>,
}

/// An error in a CSV text, with the next step.
fn fault(message: impl std::fmt::Display, hint: &str) -> ToolError {
    let error = ToolError::invalid("/csv_content", message);
    error.reason("csv").hint(hint)
}

/// Reads a text into records; the type of a column is decided from all its cells.
///
/// O(bytes) time; the records take about a hundred bytes a cell.
pub(super) fn read(
    text: &str,
    delimiter: Delimiter,
    has_header: bool,
    ctx: &Ctx,
) -> Result<Records, ToolError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    check_quotes(text, delimiter.byte(), ctx)?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.byte())
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    // The cells, still as text: twice the bytes and an end for each cell.
    ctx.reserve((text.len() as u64).saturating_mul(6))?;
    let mut records: Vec<csv::StringRecord> = Vec::new();
    let mut width = None;
    for (index, record) in reader.records().enumerate() {
        if index % LINES == 0 {
            ctx.check()?;
        }
        let record = record.map_err(|err| fault(err, "pass UTF-8 text"))?;
        let expected = *width.get_or_insert(record.len());
        if record.len() != expected {
            let (line, found) = (line_of(text, record.position()), record.len());
            return Err(fault(
                format_args!("line {line} has {found} cells, expected {expected}"),
                "check the delimiter and the quotes; a cell that contains the delimiter must be quoted",
            ));
        }
        records.push(record);
    }
    let empty = || fault("`csv_content` has no line", "pass at least one line");
    let width = width.ok_or_else(empty)?;
    let names: Vec<Arc<str>> = if has_header {
        records.remove(0).iter().map(Arc::from).collect()
    } else {
        (1..=width)
            .map(|number| format!("column_{number}").into())
            .collect()
    };
    check_names(&names)?;
    ctx.reserve(
        (records.len() as u64 + 1)
            .saturating_mul(width as u64)
            .saturating_mul(CELL_BYTES),
    )?;
    let mut types = Vec::with_capacity(width);
    for column in 0..width {
        types.push(column_type(&records, column, ctx)?);
    }
    let mut rows = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        if index % LINES == 0 {
            ctx.check()?;
        }
        let mut object = Object::new();
        for ((name, kind), cell) in names.iter().zip(&types).zip(record) {
            object.push_unique(Arc::clone(name), typed(cell, *kind));
        }
        rows.push(Value::Object(Arc::new(object)));
    }
    Ok(Records { names, types, rows })
}

/// The line a record starts on; the reader's own count stops before the blank lines it skips.
fn line_of(text: &str, position: Option<&csv::Position>) -> u64 {
    let start = position
        .map_or(0, |position| position.byte() as usize)
        .min(text.len());
    let blank = text.as_bytes()[start..]
        .iter()
        .take_while(|byte| matches!(byte, b'\n' | b'\r'))
        .count();
    let before = &text.as_bytes()[..start + blank];
    1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64
}

fn check_names(names: &[Arc<str>]) -> Result<(), ToolError> {
    let mut seen = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(&**name, index + 1) {
            let second = index + 1;
            return Err(fault(
                format_args!("columns {first} and {second} are both named `{name}`"),
                "rename one of them, or set `has_header` to false if the first line is data",
            ));
        }
    }
    Ok(())
}

/// Finds quotes that a lenient reader would swallow: one that is never closed, and text after a closing one.
fn check_quotes(text: &str, delimiter: u8, ctx: &Ctx) -> Result<(), ToolError> {
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
            ctx.check()?;
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
                let message = format_args!("line {line} has text after a closing quote");
                return Err(fault(
                    message,
                    "a quote inside a quoted cell is written twice",
                ));
            }
            _ => State::Plain,
        };
        line += u64::from(byte == b'\n');
    }
    match state {
        State::Quoted { opened } => Err(fault(
            format_args!("the quote opened on line {opened} is never closed"),
            "close it; a quote inside a quoted cell is written twice",
        )),
        _ => Ok(()),
    }
}

/// The narrowest type that fits every cell of a column.
fn column_type(
    records: &[csv::StringRecord],
    column: usize,
    ctx: &Ctx,
) -> Result<ColumnType, ToolError> {
    let mut kind = ColumnType::Null;
    for (index, record) in records.iter().enumerate() {
        if index % LINES == 0 {
            ctx.check()?;
        }
        let cell = &record[column];
        if cell.is_empty() {
            continue;
        }
        let here = match cell {
            "true" | "false" => ColumnType::Boolean,
            _ if number(cell).is_some() => ColumnType::Number,
            _ => return Ok(ColumnType::Text),
        };
        if kind != ColumnType::Null && kind != here {
            return Ok(ColumnType::Text);
        }
        kind = here;
    }
    Ok(kind)
}

fn typed(cell: &str, kind: ColumnType) -> Value {
    if cell.is_empty() {
        return Value::Null;
    }
    match kind {
        ColumnType::Number => number(cell).unwrap_or_else(|| Value::from(cell)),
        ColumnType::Boolean => Value::Bool(cell == "true"),
        ColumnType::Text | ColumnType::Null => Value::from(cell),
    }
}

/// Reads a JSON number: no leading zeros, plus sign, bare point or separators; integers up to 2^53, finite doubles.
fn number(cell: &str) -> Option<Value> {
    /// The text after its digits, of which there must be one.
    fn after_digits(text: &str) -> Option<&str> {
        let rest = text.trim_start_matches(|byte: char| byte.is_ascii_digit());
        (rest.len() < text.len()).then_some(rest)
    }
    let unsigned = cell.strip_prefix('-').unwrap_or(cell);
    let mut rest = after_digits(unsigned)?;
    if unsigned.starts_with('0') && unsigned.len() - rest.len() > 1 {
        return None;
    }
    let integer = rest.is_empty();
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = after_digits(fraction)?;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        rest = after_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))?;
    }
    if !rest.is_empty() {
        return None;
    }
    if integer && cell != "-0" {
        let value: i64 = cell.parse().ok()?;
        return (value.unsigned_abs() <= SAFE_INTEGER as u64).then_some(Value::Int(value));
    }
    let value: f64 = cell.parse().ok()?;
    value.is_finite().then_some(Value::Float(value))
}
