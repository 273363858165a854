//! [`TableCell`]: the value of a row in a column.

use std::fmt;

use crate::moment::{self, CalendarDate};

/// The value of a row in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TableCell<'a> {
    /// No value.
    Missing,
    /// A number; infinite ones are possible, NaN is missing.
    Double(f64),
    /// An integer, with all its digits.
    Integer(i64),
    /// An exact decimal.
    Decimal(DecimalNumber),
    /// A text.
    Text(&'a str),
    /// A truth value.
    Boolean(bool),
    /// A day.
    Date(CalendarDate),
    /// A date with a time of day.
    Moment(MomentCell<'a>),
}

/// `units / 10^scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecimalNumber {
    /// The digits, with the sign.
    pub units: i128,
    /// Digits after the point; not negative.
    pub scale: i8,
}

/// A date with a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MomentCell<'a> {
    /// Microseconds since 1970-01-01T00:00:00, in UTC where there is a zone.
    pub micros: i64,
    /// The zone in which it is shown: a name of the zone database or an offset; `None` for the time on a wall.
    pub zone: Option<&'a str>,
}

impl TableCell<'_> {
    /// Whether there is no value.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// The number nearest to a number; `None` of what is none.
    pub fn as_double(&self) -> Option<f64> {
        match self {
            Self::Double(value) => Some(*value),
            Self::Integer(value) => Some(*value as f64),
            Self::Decimal(value) => Some(value.to_double()),
            _ => None,
        }
    }
}

impl DecimalNumber {
    /// The nearest double.
    pub fn to_double(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }
}

impl fmt::Display for DecimalNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = usize::from(self.scale.unsigned_abs());
        if scale == 0 {
            return write!(f, "{}", self.units);
        }
        let digits = format!("{:0>width$}", self.units.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if self.units < 0 { "-" } else { "" };
        write!(f, "{sign}{whole}.{fraction}")
    }
}

/// As files of text have it: shortest digits that read back, dates by ISO 8601, nothing for a missing cell.
impl fmt::Display for TableCell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => Ok(()),
            Self::Double(value) if value.is_infinite() => f.write_str(if *value > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            }),
            Self::Double(value) => write!(f, "{}", format_double(*value)),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Decimal(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Date(date) => f.write_str(&moment::format_date(*date)),
            Self::Moment(moment) => f.write_str(&moment::format_moment(*moment)),
        }
    }
}

/// The shortest digits that read back, with a point or an exponent.
pub(crate) fn format_double(value: f64) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_with_all_their_digits() {
        for (units, scale, expected) in [
            (12_345, 2, "123.45"),
            (-5, 3, "-0.005"),
            (7, 0, "7"),
            (0, 2, "0.00"),
        ] {
            let number = DecimalNumber { units, scale };
            assert_eq!(number.to_string(), expected);
        }
        assert_eq!(DecimalNumber { units: 1, scale: 1 }.to_double(), 0.1);
    }
}
