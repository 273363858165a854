//! Ages and durations as people write them: `90d`, `24h`, `30min`.

use std::fmt;

use tool_core::{Decode, Describe, Encode, EncodeError, Encoder, Value};

/// A duration, written as a whole number with its unit: `s`, `min`, `h`, `d` or `w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Decode, Describe)]
#[value(try_from = "String")]
#[schema(with = "String", extend("pattern" = "^[0-9]+(s|min|h|d|w)$"))]
pub struct UnitDuration {
    ms: u64,
}

/// The units with their milliseconds.
const UNITS: [(&str, u64); 5] = [
    ("s", 1000),
    ("min", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
    ("w", 7 * 86_400_000),
];

impl UnitDuration {
    /// A number of days.
    pub const fn days(days: u64) -> Self {
        Self {
            ms: days * 86_400_000,
        }
    }

    /// A number of seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self { ms: seconds * 1000 }
    }

    /// Milliseconds.
    pub fn ms(self) -> u64 {
        self.ms
    }

    /// Reads a number with its unit; `None` for any other text, and for more than fits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let (_, unit_ms) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let ms = number.parse::<u64>().ok()?.checked_mul(*unit_ms)?;
        Some(Self { ms })
    }
}

/// A whole number with the largest unit that leaves one.
impl fmt::Display for UnitDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut units = UNITS.iter().rev();
        let whole = units.find(|(_, unit_ms)| self.ms.is_multiple_of(*unit_ms) && self.ms > 0);
        let (unit, unit_ms) = whole.unwrap_or(&UNITS[0]);
        write!(f, "{}{unit}", self.ms / unit_ms)
    }
}

impl Encode for UnitDuration {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        self.to_string().encode(encoder)
    }
}

impl TryFrom<String> for UnitDuration {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| {
            format!("expected a duration such as `90d`, `24h` or `30min`, found `{text}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_as_it_is_read() {
        for text in [
            "0s", "90s", "30min", "24h", "90d", "2w", "1h", "61min", "8d",
        ] {
            let read = UnitDuration::parse(text).unwrap();
            assert_eq!(UnitDuration::parse(&read.to_string()), Some(read), "{text}");
        }
        let written = |text| UnitDuration::parse(text).unwrap().to_string();
        assert_eq!(written("3600s"), "1h");
        assert_eq!(written("24h"), "1d");
        assert_eq!(written("8d"), "8d");
    }

    #[test]
    fn an_age_is_a_whole_number_with_a_known_unit() {
        for (text, ms) in [
            ("90d", 90 * 86_400_000),
            ("24h", 86_400_000),
            ("30min", 1_800_000),
            ("0s", 0),
            ("2w", 14 * 86_400_000),
        ] {
            assert_eq!(
                UnitDuration::parse(text).map(UnitDuration::ms),
                Some(ms),
                "{text}"
            );
        }
        for text in [
            "",
            "90",
            "d",
            "ninety",
            "-1d",
            "1.5h",
            "1 d",
            "1m",
            "99999999999999999999s",
            "9999999999999999w",
        ] {
            assert_eq!(UnitDuration::parse(text), None, "{text}");
        }
        assert_eq!(
            UnitDuration::days(365),
            UnitDuration::parse("365d").unwrap()
        );
    }
}
