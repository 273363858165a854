//! Numbers rounded to the digits that a reader asked for.

use std::sync::atomic::{AtomicU8, Ordering};

use tool_core::number::non_finite_spelling;

/// Significant digits of numbers in text where none are asked for.
pub(crate) const DIGITS: u8 = 6;

static SHOWN: AtomicU8 = AtomicU8::new(DIGITS);

/// Sets the significant digits of numbers in text.
pub(crate) fn set_digits(digits: u8) {
    SHOWN.store(digits, Ordering::Relaxed);
}

/// A number with the digits that were asked for; whole numbers below 10^15 in full.
pub(super) fn format_rounded(value: f64) -> String {
    to_digits(value, usize::from(SHOWN.load(Ordering::Relaxed)))
}

/// Numbers of this magnitude and above are in scientific notation, unless more digits are asked for.
const SCIENTIFIC_FROM: i32 = 9;
/// The smallest power of ten in decimal notation.
const DECIMAL_LEAST: i32 = -5;

fn to_digits(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return non_finite_spelling(value);
    }
    if value == value.trunc() && value.abs() < 1e15 {
        return format!("{}", value + 0.0);
    }
    let scientific = format!("{value:.0$e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    let digits = i32::try_from(digits).unwrap_or(i32::MAX);
    if (DECIMAL_LEAST..SCIENTIFIC_FROM.max(digits)).contains(&power) {
        let decimals = usize::try_from(digits - 1 - power).unwrap_or(0);
        return trim_trailing_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    format!("{}e{exponent}", trim_trailing_zeros(mantissa))
}

/// A decimal number without zeros at its end.
fn trim_trailing_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_digits() {
        for (value, digits, text) in [
            (0.0, 6, "0"),
            (-0.0, 6, "0"),
            (42.0, 3, "42"),
            (123_456_789.0, 6, "123456789"),
            (1e15, 6, "1e15"),
            (0.1 + 0.2, 6, "0.3"),
            (-0.092_217_000_000_000_01, 6, "-0.092217"),
            (0.540_302_305_868_139_8, 3, "0.54"),
            (1.959_963_984_540_054, 10, "1.959963985"),
            (0.1, 17, "0.10000000000000001"),
            (123_456.789, 6, "123457"),
            (12_345_678.9, 6, "12345679"),
            (1.234_567_891_23e9, 6, "1.23457e9"),
            (1.234_567_891_23e9, 12, "1234567891.23"),
            (1.45e-17, 6, "1.45e-17"),
            (0.000_012_345_678, 6, "0.0000123457"),
            (9.999_999_9, 6, "10"),
            (f64::NAN, 6, "NaN"),
            (f64::NEG_INFINITY, 6, "-Infinity"),
            (f64::MIN_POSITIVE, 3, "2.23e-308"),
        ] {
            assert_eq!(to_digits(value, digits), text, "{value:e} to {digits}");
        }
    }
}
