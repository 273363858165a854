//! Reads one JSON number at the start of a byte slice, correctly rounded.

use crate::value::{SAFE_INTEGER, Value};

/// Why the text is not a number that can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Grammar,
    LeadingZero,
    Overflow,
    /// An integer that no double holds exactly.
    InexactInteger,
}

/// A number, whether it was spelled as an integer, and how many bytes it took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parsed {
    pub value: f64,
    pub integral: bool,
    pub length: usize,
}

impl Parsed {
    pub(super) fn to_value(self) -> Value {
        if self.integral {
            Value::Int(self.value as i64)
        } else {
            Value::Float(self.value)
        }
    }
}

/// Digits that an accumulated `u64` holds without loss as a double: 15.
const EXACT_DIGITS: usize = 15;

/// Reads the longest number at the start of `text`.
#[inline]
pub(super) fn read(text: &[u8]) -> Result<Parsed, Fault> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut end = start;
    let mut accumulated: u64 = 0;
    while let Some(digit) = text.get(end).filter(|byte| byte.is_ascii_digit()) {
        accumulated = accumulated
            .wrapping_mul(10)
            .wrapping_add(u64::from(digit - b'0'));
        end += 1;
    }
    let digits = end - start;
    if digits == 0 {
        return Err(Fault::Grammar);
    }
    if digits > 1 && text[start] == b'0' {
        return Err(Fault::LeadingZero);
    }
    match text.get(end) {
        Some(b'.') if !text.get(end + 1).is_some_and(u8::is_ascii_digit) => Err(Fault::Grammar),
        Some(b'.' | b'e' | b'E') => read_float(text),
        _ if digits <= EXACT_DIGITS => {
            let magnitude = accumulated as f64;
            let value = if negative { -magnitude } else { magnitude };
            // Minus zero has no integer spelling.
            Ok(Parsed {
                value,
                integral: !(negative && accumulated == 0),
                length: end,
            })
        }
        _ => read_long_integer(&text[..end], negative),
    }
}

fn read_float(text: &[u8]) -> Result<Parsed, Fault> {
    let (value, length) = fast_float2::parse_partial::<f64, _>(text).map_err(|_| Fault::Grammar)?;
    // The exponent without digits is left over by the float parser and is no number of ours.
    if matches!(text.get(length), Some(b'e' | b'E' | b'.')) {
        return Err(Fault::Grammar);
    }
    if !value.is_finite() {
        return Err(Fault::Overflow);
    }
    Ok(Parsed {
        value,
        integral: false,
        length,
    })
}

fn read_long_integer(text: &[u8], negative: bool) -> Result<Parsed, Fault> {
    let value = fast_float2::parse::<f64, _>(text).map_err(|_| Fault::Grammar)?;
    if !value.is_finite() {
        return Err(Fault::Overflow);
    }
    let digits = &text[usize::from(negative)..];
    if format!("{:.0}", value.abs()).as_bytes() != digits {
        return Err(Fault::InexactInteger);
    }
    Ok(Parsed {
        value,
        integral: value.abs() <= SAFE_INTEGER as f64,
        length: text.len(),
    })
}
