//! JSON: a list of objects, an object of lists, or an object on each line; cells are numbers, texts, booleans or null.
//!
//! Numbers keep their digits: an integer beyond 64 bits stays text, since no number here holds it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::loose::{LooseCell, LooseColumn};
use super::{ReadLimits, TableRead, table_of_typed};
use crate::error::{StopCheck, TableError, check_row};
use crate::table::check_column_count;

const HINT: &str = "write a list of objects, an object of lists of equal length, or an object on each line, with numbers, texts, booleans or null in them";

/// Reads a table.
///
/// # Errors
/// The first place that is not JSON or no cell, with its line; limits; a stop.
pub(super) fn read_json(
    text: &str,
    is_lines: bool,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<TableRead, TableError> {
    let mut scanner = JsonScanner::new(text);
    let mut columns = ColumnCollector::new(limits, stop);
    match (is_lines, scanner.peek()) {
        (true, _) => {
            while scanner.peek().is_some() {
                columns.record(&mut scanner)?;
            }
        }
        (false, Some(b'[')) => scanner.list(|scanner| columns.record(scanner))?,
        (false, Some(b'{')) => columns.columns(&mut scanner)?,
        _ => return Err(scanner.fault("expected a list or an object")),
    }
    if scanner.peek().is_some() {
        return Err(scanner.fault("expected the end"));
    }
    let typed = columns.finish();
    table_of_typed(typed)
}

/// Columns that records fill.
struct ColumnCollector<'a> {
    names: Vec<Arc<str>>,
    columns: Vec<LooseColumn>,
    places: HashMap<Arc<str>, usize>,
    rows: usize,
    limits: ReadLimits,
    stop: StopCheck<'a>,
}

impl<'a> ColumnCollector<'a> {
    fn new(limits: ReadLimits, stop: StopCheck<'a>) -> Self {
        Self {
            names: Vec::new(),
            columns: Vec::new(),
            places: HashMap::new(),
            rows: 0,
            limits,
            stop,
        }
    }

    fn place(&mut self, name: &str) -> Result<usize, TableError> {
        if let Some(place) = self.places.get(name) {
            return Ok(*place);
        }
        let (place, name) = (self.names.len(), Arc::<str>::from(name));
        check_column_count(place + 1)?;
        self.limits.check_cells(self.rows, place + 1)?;
        self.names.push(Arc::clone(&name));
        self.places.insert(name, place);
        self.columns.push(LooseColumn::of_missing(self.rows));
        Ok(place)
    }

    /// An object as a row; members that others lack are missing.
    fn record(&mut self, scanner: &mut JsonScanner<'_>) -> Result<(), TableError> {
        check_row(self.rows, self.stop)?;
        let row = self.rows;
        scanner.object(|scanner, name| {
            let place = self.place(&name)?;
            if self.columns[place].len() > row {
                let message = format!("the key `{name}` is there twice");
                return Err(scanner.fault(&message));
            }
            self.columns[place].fill_to(row);
            let cell = scanner.cell(&name)?;
            self.columns[place].push(cell);
            Ok(())
        })?;
        self.rows += 1;
        self.limits.check_cells(self.rows, self.columns.len())
    }

    /// An object of lists.
    fn columns(&mut self, scanner: &mut JsonScanner<'_>) -> Result<(), TableError> {
        let mut longest = None;
        scanner.object(|scanner, name| {
            if self.places.contains_key(&*name) {
                let message = format!("the key `{name}` is there twice");
                return Err(scanner.fault(&message));
            }
            let place = self.place(&name)?;
            let mut count = 0;
            scanner.list(|scanner| {
                check_row(count, self.stop)?;
                let cell = scanner.cell(&name)?;
                self.columns[place].push(cell);
                count += 1;
                Ok(())
            })?;
            match *longest.get_or_insert(count) {
                expected if expected != count => Err(TableError::UnequalLength {
                    column: name.to_string(),
                    found: count,
                    expected,
                }),
                _ => self.limits.check_cells(count, self.columns.len()),
            }
        })?;
        self.rows = longest.unwrap_or(0);
        Ok(())
    }

    fn finish(mut self) -> Vec<(Arc<str>, super::TypedColumn)> {
        let rows = self.rows;
        self.columns
            .iter_mut()
            .for_each(|column| column.fill_to(rows));
        let columns = self.columns.into_iter().map(LooseColumn::finish);
        self.names.into_iter().zip(columns).collect()
    }
}

/// Reads JSON from left to right.
struct JsonScanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> JsonScanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// An error at this place.
    fn fault(&self, message: &str) -> TableError {
        let before = &self.text.as_bytes()[..self.at.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n');
        let column = self.at - start.map_or(0, |start| start + 1) + 1;
        TableError::format(
            format_args!("line {line}, column {column}: {message}"),
            HINT,
        )
    }

    fn expect(&mut self, byte: u8) -> Result<(), TableError> {
        if self.peek() != Some(byte) {
            return Err(self.fault(&format!("expected `{}`", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    /// The items between two brackets.
    fn items(
        &mut self,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        self.expect(open)?;
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                _ => {
                    let message = format!("expected `,` or `{}`", char::from(close));
                    return Err(self.fault(&message));
                }
            }
        }
    }

    fn list(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        self.items(b'[', b']', item)
    }

    fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        self.items(b'{', b'}', |scanner| {
            let name = scanner.string()?;
            scanner.expect(b':')?;
            member(scanner, name)
        })
    }

    /// A cell of a column.
    fn cell(&mut self, name: &str) -> Result<LooseCell, TableError> {
        match self.peek() {
            Some(b'"') => Ok(LooseCell::Text(self.string()?.into())),
            Some(b'[' | b'{') => {
                let message = format!(
                    "column `{name}`: expected a number, text, boolean or null, found a list or an object"
                );
                Err(self.fault(&message))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let words = [
                    ("true", LooseCell::Boolean(true)),
                    ("false", LooseCell::Boolean(false)),
                    ("null", LooseCell::Missing),
                ];
                for (word, cell) in words {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(cell);
                    }
                }
                Err(self.fault("expected a value"))
            }
        }
    }

    fn number(&mut self) -> Result<LooseCell, TableError> {
        let rest = &self.text[self.at..];
        let is_part = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
        let length = rest.bytes().take_while(|byte| is_part(byte)).count();
        let text = &rest[..length];
        let is_whole = !text.contains(['.', 'e', 'E']);
        let digits = text.strip_prefix('-').unwrap_or(text);
        let has_zero = matches!(digits.as_bytes(), [b'0', b'0'..=b'9', ..]);
        let has_end = !digits.ends_with(['.', 'e', 'E', '+', '-']);
        let has_fraction = !digits.contains(".e") && !digits.contains(".E");
        let is_json = digits.starts_with(|first: char| first.is_ascii_digit())
            && !has_zero
            && has_end
            && has_fraction;
        let value = text.parse::<f64>().ok().filter(|_| is_json);
        let Some(value) = value else {
            return Err(self.fault("expected a number"));
        };
        let cell = match (is_whole, text.parse()) {
            (true, _) if text == "-0" => LooseCell::Double(-0.0),
            (true, Ok(integer)) => LooseCell::Integer(integer),
            (true, Err(_)) => LooseCell::Text(text.into()),
            (false, _) if value.is_finite() => LooseCell::Double(value),
            (false, _) => return Err(self.fault("the number is beyond the largest double")),
        };
        self.at += length;
        Ok(cell)
    }

    /// A string, with its escapes undone.
    fn string(&mut self) -> Result<Cow<'a, str>, TableError> {
        self.expect(b'"')?;
        let bytes = self.text.as_bytes();
        let start = self.at;
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        let plain = bytes[start..].iter().take_while(|byte| !is_special(byte));
        self.at += plain.count();
        if bytes.get(self.at) == Some(&b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(&self.text[start..self.at - 1]));
        }
        let mut text = self.text[start..self.at].to_owned();
        loop {
            match bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => {
                    self.at += 1;
                    let letter = self.escape()?;
                    text.push(letter);
                }
                Some(0..=0x1f) | None => return Err(self.fault("the string is not closed")),
                Some(_) => {
                    let from = self.at;
                    let plain = bytes[from..].iter().take_while(|byte| !is_special(byte));
                    self.at += plain.count();
                    text.push_str(&self.text[from..self.at]);
                }
            }
        }
    }

    /// The character of an escape, after its backslash.
    fn escape(&mut self) -> Result<char, TableError> {
        let letter = self.text.as_bytes().get(self.at).copied();
        self.at += 1;
        Ok(match letter {
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit()?;
                let units = match first {
                    0xd800..=0xdbff if self.text[self.at..].starts_with("\\u") => {
                        self.at += 2;
                        vec![first, self.unit()?]
                    }
                    _ => vec![first],
                };
                let mut decoded = char::decode_utf16(units);
                match (decoded.next(), decoded.next()) {
                    (Some(Ok(letter)), None) => letter,
                    _ => return Err(self.fault("half of a pair of surrogates")),
                }
            }
            _ => return Err(self.fault("unknown escape")),
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u16, TableError> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.fault("expected four hexadecimal digits"))?;
        self.at += 4;
        Ok(unit)
    }
}
