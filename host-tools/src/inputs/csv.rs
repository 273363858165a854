//! Numeric tables as comma-separated text (RFC 4180).

use tool_core::value::SAFE_INTEGER;
use tool_core::{Numbers, Value};

use super::Fault;

/// A first row with a cell that is not a number is a header. Without a header, every cell must be a number and the result is a list
/// of rows, or a flat list for a single column. With a header, the result is an object of columns: numbers if every
/// cell that is not empty is a number in JSON syntax (an empty one is `null`), otherwise texts, so that `007` is preserved.
pub(super) fn parse(text: &str) -> Result<Value, Fault> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut records = reader.records();
    let Some(first) = records.next() else {
        return Err(Fault::new(
            "the file is empty",
            "expected rows of numbers, or a header and rows",
        ));
    };
    let first = first.map_err(words)?;
    let header = first.iter().any(|cell| number(cell).is_none());
    if header {
        columns(&first, records)
    } else {
        grid(&first, records)
    }
}

type Records<'r> = csv::StringRecordsIter<'r, &'r [u8]>;

fn grid(first: &csv::StringRecord, records: Records<'_>) -> Result<Value, Fault> {
    let columns = first.len();
    let mut cells = Cells::default();
    let mut rows = 0;
    let first = std::iter::once(Ok(first.clone()));
    for record in first.chain(records) {
        let record = record.map_err(words)?;
        rows += 1;
        for (column, cell) in record.iter().enumerate() {
            let Some(cell_number) = number(cell) else {
                return Err(Fault::new(
                    format!(
                        "expected a number in row {rows}, column {}, found {cell:?}",
                        column + 1
                    ),
                    "the first row has only numbers and is not a header: add a header line for columns of text",
                ));
            };
            cells.push(cell_number);
        }
    }
    let shape = if columns == 1 {
        vec![rows]
    } else {
        vec![rows, columns]
    };
    Ok(Numbers::new(shape, cells.numbers, !cells.not_integral).map_or(Value::Null, Value::Numbers))
}

fn columns(header: &csv::StringRecord, records: Records<'_>) -> Result<Value, Fault> {
    let mut names: Vec<&str> = Vec::new();
    for (index, name) in header.iter().map(str::trim).enumerate() {
        if name.is_empty() {
            return Err(Fault::new(
                format!("column {} has no name", index + 1),
                "name every column in the header line, or use numbers only without a header",
            ));
        }
        if names.contains(&name) {
            return Err(Fault::new(
                format!("two columns are named `{name}`"),
                "use different column names",
            ));
        }
        names.push(name);
    }
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for record in records {
        for (cells, cell) in columns.iter_mut().zip(&record.map_err(words)?) {
            cells.push(cell.to_owned());
        }
    }
    Ok(Value::object(
        names.into_iter().zip(columns.into_iter().map(column)),
    ))
}

fn column(texts: Vec<String>) -> Value {
    let numbers: Option<Vec<Value>> = texts
        .iter()
        .map(|text| match number(text) {
            Some((value, true)) => Some(Value::Int(value as i64)),
            Some((value, false)) => Some(Value::Float(value)),
            None => text.trim().is_empty().then_some(Value::Null),
        })
        .collect();
    match numbers {
        Some(numbers) if numbers.iter().any(|number| !number.is_null()) => Value::array(numbers),
        _ => Value::array(texts.into_iter().map(Value::from).collect()),
    }
}

#[derive(Default)]
struct Cells {
    numbers: Vec<f64>,
    not_integral: bool,
}

impl Cells {
    fn push(&mut self, (value, integral): (f64, bool)) {
        self.numbers.push(value);
        self.not_integral |= !integral;
    }
}

/// A finite number in JSON syntax, with surrounding blanks, and whether it is an integer; an integer that a double cannot represent
/// exactly is a text.
fn number(cell: &str) -> Option<(f64, bool)> {
    let cell = cell.trim_matches([' ', '\t']);
    let unsigned = cell.strip_prefix('-').unwrap_or(cell).as_bytes();
    let digits = unsigned
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if digits == 0 || (digits > 1 && unsigned[0] == b'0') {
        return None;
    }
    if digits == unsigned.len() {
        let value: i64 = cell.parse().ok()?;
        let exact = value.unsigned_abs() <= SAFE_INTEGER as u64;
        // Minus zero is a double, not an integer.
        let negative_zero = value == 0 && cell.starts_with('-');
        return exact.then_some((
            if negative_zero { -0.0 } else { value as f64 },
            !negative_zero,
        ));
    }
    let rest = &unsigned[digits..];
    let fraction = match rest.split_first() {
        Some((b'.', after)) => {
            1 + after
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()
        }
        _ => 0,
    };
    let exponent = &rest[fraction..];
    let exponent_digits = match exponent {
        [b'e' | b'E', b'+' | b'-', digits @ ..] | [b'e' | b'E', digits @ ..] => Some(digits),
        [] => None,
        _ => return None,
    };
    if fraction == 1
        || exponent_digits
            .is_some_and(|digits| digits.is_empty() || !digits.iter().all(u8::is_ascii_digit))
    {
        return None;
    }
    let value: f64 = cell.parse().ok()?;
    value.is_finite().then_some((value, false))
}

fn words(err: csv::Error) -> Fault {
    let message = match err.kind() {
        csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => format!(
            "line {} has {len} cells, the first {expected_len}",
            pos.as_ref().map_or(0, csv::Position::line)
        ),
        _ => err.to_string(),
    };
    Fault::new(
        message,
        "every row needs as many cells as the first, separated by commas",
    )
}
