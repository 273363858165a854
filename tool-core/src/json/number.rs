//! Reads one JSON number at the start of a byte slice, correctly rounded.

use super::decimal;
use crate::value::{SAFE_INTEGER, Value};

/// Why the text is not a number that can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberFault {
    Grammar,
    LeadingZero,
    Overflow,
    /// An integer that neither 64 bits nor a double hold exactly.
    InexactInteger,
}

/// A number, whether it was spelled as an integer, and how many bytes it took.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParsedNumber {
    pub value: f64,
    pub integral: bool,
    pub length: usize,
    /// An integer beyond 2^53 with all its digits.
    pub long: Option<i64>,
}

impl ParsedNumber {
    pub(super) fn to_value(self) -> Value {
        if let Some(long) = self.long {
            Value::Int(long)
        } else if self.integral {
            Value::Int(self.value as i64)
        } else {
            Value::Float(self.value)
        }
    }
}

/// Digits that a `u64` holds without loss, whatever they are.
const DIGITS_MAX: usize = 19;
/// Digits that a double holds without loss, whatever they are.
const EXACT_DIGITS: usize = 15;

/// Reads the longest number at the start of `text`: digits are gathered in an integer on the way over them, which
/// [`decimal::round_decimal`] turns into the nearest double; what does not fit there is left to the general parser.
#[inline(always)]
pub(super) fn read_json_number(text: &[u8]) -> Result<ParsedNumber, NumberFault> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut significand = 0;
    let mut end = gather_digits(text, start, &mut significand);
    let digits = end - start;
    if digits == 0 {
        return Err(NumberFault::Grammar);
    }
    let zero_first = text[start] == b'0';
    if digits > 1 && zero_first {
        return Err(NumberFault::LeadingZero);
    }
    let mut kept = digits - usize::from(zero_first);
    match text.get(end) {
        Some(b'.') => {
            let point = end + 1;
            end = gather_many(text, point, &mut significand);
            if end == point {
                return Err(NumberFault::Grammar);
            }
            kept += end - point;
            let has_exponent = matches!(text.get(end), Some(b'e' | b'E'));
            let scale = end - point;
            match decimal::round_decimal(significand, scale) {
                Some(magnitude) if kept <= DIGITS_MAX && !has_exponent => Ok(ParsedNumber {
                    value: apply_sign(magnitude, negative),
                    integral: false,
                    length: end,
                    long: None,
                }),
                _ => read_float(text),
            }
        }
        Some(b'e' | b'E') => read_float(text),
        _ if digits <= EXACT_DIGITS => {
            let value = apply_sign(significand as f64, negative);
            // Minus zero has no integer spelling.
            Ok(ParsedNumber {
                value,
                integral: !(negative && significand == 0),
                length: end,
                long: None,
            })
        }
        _ => read_long_integer(&text[..end], negative),
    }
}

/// The magnitude with its sign, without a branch: half of the data is negative, in no order that a processor could learn.
#[inline(always)]
fn apply_sign(magnitude: f64, negative: bool) -> f64 {
    f64::from_bits(magnitude.to_bits() | u64::from(negative) << 63)
}

/// Goes over the digits from `position` one by one, adds them to the significand (which wraps after [`DIGITS_MAX`]) and gives
/// their end.
#[inline(always)]
fn gather_digits(text: &[u8], mut position: usize, significand: &mut u64) -> usize {
    while let Some(digit) = text.get(position).filter(|byte| byte.is_ascii_digit()) {
        *significand = significand
            .wrapping_mul(10)
            .wrapping_add(u64::from(digit - b'0'));
        position += 1;
    }
    position
}

/// As [`gather_digits`], eight digits at a time, the last few as well: a loop over single digits costs a mispredicted branch per
/// number, and the loads here do not wait for one another.
#[inline(always)]
fn gather_many(text: &[u8], position: usize, significand: &mut u64) -> usize {
    let front = text
        .get(position..)
        .and_then(|rest| rest.split_first_chunk::<24>());
    let Some((front, _)) = front else {
        return gather_digits(text, position, significand);
    };
    let (eights, _) = front.as_chunks::<8>();
    let mut taken = 0;
    for eight in eights {
        let eight = u64::from_le_bytes(*eight);
        let count = digits_in_front(eight);
        if count < 8 {
            // The first digits move to the top; the empty bytes below them count as leading zeros.
            let top = (eight << (56 - 8 * count)) << 8;
            *significand = significand
                .wrapping_mul(POWERS[count])
                .wrapping_add(value_of(top));
            return position + taken + count;
        }
        *significand = significand
            .wrapping_mul(100_000_000)
            .wrapping_add(value_of(eight));
        taken += 8;
    }
    gather_digits(text, position + taken, significand)
}

const POWERS: [u64; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];

/// How many of eight bytes are digits before the first that is none.
#[inline(always)]
fn digits_in_front(eight: u64) -> usize {
    // 0 to 9 for digits; anything else reaches the top bit, itself or by adding. A carry only leaves a byte that is no digit.
    let values = eight ^ 0x3030_3030_3030_3030;
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    (others.trailing_zeros() / 8) as usize
}

/// The number that eight digits stand for, the first in the lowest byte: pairs, then fours, then all.
#[inline(always)]
fn value_of(eight: u64) -> u64 {
    let digits = eight & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = digits.wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(1 + (100 << 16)) >> 16 & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(1 + (10_000 << 32)) >> 32
}

#[cold]
fn read_float(text: &[u8]) -> Result<ParsedNumber, NumberFault> {
    let (value, length) =
        fast_float2::parse_partial::<f64, _>(text).map_err(|_| NumberFault::Grammar)?;
    // The exponent without digits is left over by the float parser and is no number of ours.
    if matches!(text.get(length), Some(b'e' | b'E' | b'.')) {
        return Err(NumberFault::Grammar);
    }
    if !value.is_finite() {
        return Err(NumberFault::Overflow);
    }
    Ok(ParsedNumber {
        value,
        integral: false,
        length,
        long: None,
    })
}

#[cold]
fn read_long_integer(text: &[u8], negative: bool) -> Result<ParsedNumber, NumberFault> {
    let value = fast_float2::parse::<f64, _>(text).map_err(|_| NumberFault::Grammar)?;
    if !value.is_finite() {
        return Err(NumberFault::Overflow);
    }
    let long = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .filter(|long: &i64| long.unsigned_abs() > SAFE_INTEGER as u64);
    let digits = &text[usize::from(negative)..];
    if long.is_none() && format!("{:.0}", value.abs()).as_bytes() != digits {
        return Err(NumberFault::InexactInteger);
    }
    Ok(ParsedNumber {
        value,
        integral: long.is_some() || value.abs() <= SAFE_INTEGER as f64,
        length: text.len(),
        long,
    })
}
