//! Numbers of delimited text.

use crate::cell::DecimalNumber;
use crate::column::TableColumn;

/// A number of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CsvNumber {
    Integer(i64),
    Double(f64),
}

/// Reads a number in the form of JSON, with blanks around it: no leading zeros, plus sign, bare point or separators; an integer with all
/// its digits, or a finite double.
pub(super) fn parse_number(cell: &str, has_decimal_comma: bool) -> Option<CsvNumber> {
    fn digits(bytes: &[u8]) -> usize {
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    }
    let cell = cell.trim_matches([' ', '\t']);
    let bytes = cell.as_bytes();
    let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits(unsigned);
    if whole == 0 || (whole > 1 && unsigned[0] == b'0') {
        return None;
    }
    let mut rest = &unsigned[whole..];
    if rest.is_empty() && cell != "-0" {
        return cell.parse().ok().map(CsvNumber::Integer);
    }
    let point = if has_decimal_comma && rest.first() == Some(&b',') {
        b','
    } else {
        b'.'
    };
    if let [first, fraction @ ..] = rest
        && *first == point
    {
        let count = digits(fraction);
        if count == 0 {
            return None;
        }
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', after @ ..] => after,
            exponent => exponent,
        };
        let count = digits(exponent);
        if count == 0 {
            return None;
        }
        rest = &exponent[count..];
    }
    if !rest.is_empty() {
        return None;
    }
    let value: f64 = match point {
        b',' => cell.replacen(',', ".", 1).parse().ok()?,
        _ => cell.parse().ok()?,
    };
    value.is_finite().then_some(CsvNumber::Double(value))
}

/// A number of a cell as an exact decimal; `None` of one with an exponent or more than 38 digits.
pub(super) fn parse_decimal(cell: &str, has_decimal_comma: bool) -> Option<DecimalNumber> {
    const DIGITS_MAX: usize = 38;
    let cell = cell.trim_matches([' ', '\t']);
    let point = if has_decimal_comma && cell.contains(',') {
        ','
    } else {
        '.'
    };
    let (whole, fraction) = cell.split_once(point).unwrap_or((cell, ""));
    let digits = format!("{whole}{fraction}");
    if digits.len() > DIGITS_MAX + 1 {
        return None;
    }
    Some(DecimalNumber {
        units: digits.parse().ok()?,
        scale: i8::try_from(fraction.len()).ok()?,
    })
}

/// Numbers as doubles.
pub(super) fn doubles_of(numbers: impl Iterator<Item = Option<CsvNumber>>) -> TableColumn {
    TableColumn::doubles(numbers.map(|number| {
        Some(match number? {
            CsvNumber::Integer(value) => value as f64,
            CsvNumber::Double(value) => value,
        })
    }))
}
