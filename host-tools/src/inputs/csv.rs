//! Numeric tables as comma-separated text (RFC 4180).

use tool_core::npy::Fault;

use crate::prelude::*;

/// A first row with a cell that is not a number is a header. Without a header, every cell must be a number and the result is a list
/// of rows, or a flat list for a single column. With a header, the result is an object of columns: numbers if every
/// cell that is not empty is a number in JSON syntax (an empty one is `null`), otherwise texts, so that `007` is preserved.
pub(super) fn parse(text: &str) -> Result<Value, Fault> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut records = reader.records();
    let Some(first) = records.next() else {
        let hint = "expected rows of numbers, or a header and rows";
        return Err(Fault::new("the file is empty", hint));
    };
    let first = first.map_err(words)?;
    match first.iter().any(|cell| number(cell).is_none()) {
        true => columns(&first, records),
        false => grid(&first, records),
    }
}

type Records<'r> = csv::StringRecordsIter<'r, &'r [u8]>;

fn grid(first: &csv::StringRecord, records: Records<'_>) -> Result<Value, Fault> {
    let columns = first.len();
    let (mut numbers, mut integral) = (Vec::new(), true);
    let mut rows = 0;
    let first = std::iter::once(Ok(first.clone()));
    for record in first.chain(records) {
        let record = record.map_err(words)?;
        rows += 1;
        for (column, cell) in record.iter().enumerate() {
            let Some((value, whole)) = number(cell) else {
                let column = column + 1;
                let hint = "the first row has only numbers and is not a header: add a header line for columns of text";
                let message =
                    format!("expected a number in row {rows}, column {column}, found {cell:?}");
                return Err(Fault::new(message, hint));
            };
            numbers.push(value);
            integral &= whole;
        }
    }
    let shape = if columns == 1 {
        vec![rows]
    } else {
        vec![rows, columns]
    };
    Ok(Numbers::new(shape, numbers, integral).map_or(Value::Null, Value::Numbers))
}

fn columns(header: &csv::StringRecord, records: Records<'_>) -> Result<Value, Fault> {
    let mut names: Vec<&str> = Vec::new();
    for (index, name) in header.iter().map(str::trim).enumerate() {
        if name.is_empty() {
            let hint = "name every column in the header line, or use numbers only without a header";
            return Err(Fault::new(
                format!("column {} has no name", index + 1),
                hint,
            ));
        }
        if names.contains(&name) {
            let message = format!("two columns are named `{name}`");
            return Err(Fault::new(message, "use different column names"));
        }
        names.push(name);
    }
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for record in records {
        for (cells, cell) in columns.iter_mut().zip(&record.map_err(words)?) {
            cells.push(cell.to_owned());
        }
    }
    let columns = columns.into_iter().map(column);
    Ok(Value::object(names.into_iter().zip(columns)))
}

fn column(texts: Vec<String>) -> Value {
    let read = |text: &String| match number(text) {
        Some((value, true)) => Some(Value::Int(value as i64)),
        Some((value, false)) => Some(Value::Float(value)),
        None => text.trim().is_empty().then_some(Value::Null),
    };
    match texts.iter().map(read).collect::<Option<Vec<Value>>>() {
        Some(numbers) if numbers.iter().any(|number| !number.is_null()) => Value::array(numbers),
        _ => Value::array(texts.into_iter().map(Value::from).collect()),
    }
}

/// A finite number in JSON syntax, with surrounding blanks, and whether it is an integer; an integer that a double cannot represent
/// exactly is a text.
fn number(cell: &str) -> Option<(f64, bool)> {
    let value = json::parse(cell.trim_matches([' ', '\t']), json::Limits::default());
    match value.ok()? {
        Value::Int(value) if value.unsigned_abs() <= SAFE_INTEGER as u64 => {
            Some((value as f64, true))
        }
        Value::Float(value) if value == 0.0 || cell.contains(['.', 'e', 'E']) => {
            Some((value, false))
        }
        _ => None,
    }
}

fn words(err: csv::Error) -> Fault {
    let message = match err.kind() {
        csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line} has {len} cells, the first {expected_len}")
        }
        _ => err.to_string(),
    };
    let hint = "every row needs as many cells as the first, separated by commas";
    Fault::new(message, hint)
}
