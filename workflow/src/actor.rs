//! Who acts, when, and what was granted: data that the caller hands in.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::ActorKind;

/// Who caused an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// Name of the principal; two actors with the same name are the same principal.
    pub principal: String,
    /// Its kind.
    pub kind: ActorKind,
    /// Its role.
    pub role: String,
}

impl Actor {
    /// An actor.
    pub fn new(principal: impl Into<String>, kind: ActorKind, role: impl Into<String>) -> Self {
        Self {
            principal: principal.into(),
            kind,
            role: role.into(),
        }
    }

    /// Whether it is a person.
    pub fn is_person(&self) -> bool {
        self.kind == ActorKind::Person
    }
}

/// Principals, beside persons, that may satisfy a human gate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants(BTreeSet<String>);

impl Grants {
    /// Grants for these principals.
    pub fn to<S: Into<String>>(principals: impl IntoIterator<Item = S>) -> Self {
        Self(principals.into_iter().map(Into::into).collect())
    }

    /// Whether a principal has the grant.
    pub fn has(&self, principal: &str) -> bool {
        self.0.contains(principal)
    }
}

/// A moment: milliseconds since 1970-01-01 UTC.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Time(pub i64);

impl Time {
    /// Reads `2025-12-06T00:06:57.639Z`, an offset instead of `Z`, or a date alone (its midnight in UTC).
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let date = Date::parse(date)?;
        let midnight = days(date) * 86_400_000;
        if rest.is_empty() {
            return Some(Self(midnight));
        }
        let (clock, rest) = rest.strip_prefix(['T', 't', ' '])?.split_at_checked(8)?;
        let mut parts = clock.split(':').map(|part| digits(part, 2));
        let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
        if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let (fraction, zone) = match rest.strip_prefix('.') {
            None => (0, rest),
            Some(rest) => {
                let length = rest.bytes().take_while(u8::is_ascii_digit).count();
                let (number, zone) = rest.split_at(length);
                let three: String = number.chars().chain("000".chars()).take(3).collect();
                (if length == 0 { None } else { digits(&three, 3) }?, zone)
            }
        };
        let offset = match zone {
            "Z" | "z" => 0,
            _ => {
                let (sign, zone) = zone.split_at_checked(1)?;
                let (hours, minutes) = zone.split_once(':')?;
                let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
                if hours > 23 || minutes > 59 {
                    return None;
                }
                let minutes = hours * 60 + minutes;
                match sign {
                    "+" => minutes,
                    "-" => -minutes,
                    _ => return None,
                }
            }
        };
        let seconds = hour * 3600 + (minute - offset) * 60 + second;
        Some(Self(midnight + seconds * 1000 + fraction))
    }

    /// The date in UTC.
    pub fn date(self) -> Date {
        civil(self.0.div_euclid(86_400_000))
    }
}

/// Writes `2025-12-06T00:06:57.639Z`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Date { year, month, day } = self.date();
        let ms = self.0.rem_euclid(86_400_000);
        let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        let ms = ms % 1000;
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"
        )
    }
}

/// A day of the calendar, for ids such as `CR-20251206-001`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: i64,
    month: i64,
    day: i64,
}

impl Date {
    /// A date that exists, of the years 1 to 9999.
    pub fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        let date = Self { year, month, day };
        let possible =
            (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        (possible && civil(days(date)) == date).then_some(date)
    }

    /// Reads `2025-12-06` or `20251206`.
    pub fn parse(text: &str) -> Option<Self> {
        let compact = match text.len() {
            10 => {
                let mut parts = text.split('-');
                let all = [parts.next()?, parts.next()?, parts.next()?];
                if all.map(str::len) != [4, 2, 2] {
                    return None;
                }
                all.concat()
            }
            _ => text.to_owned(),
        };
        if compact.len() != 8 || !compact.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Self::new(
            digits(&compact[..4], 4)?,
            digits(&compact[4..6], 2)?,
            digits(&compact[6..], 2)?,
        )
    }
}

/// Writes `20251206`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}{:02}{:02}", self.year, self.month, self.day)
    }
}

fn digits(text: &str, length: usize) -> Option<i64> {
    let only_digits = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    only_digits.then(|| text.parse().ok()).flatten()
}

/// Days since 1970-01-01 in the Gregorian calendar, by eras of 400 years that begin in March.
fn days(date: Date) -> i64 {
    let year = date.year - i64::from(date.month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((date.month + 9) % 12) + 2) / 5 + date.day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The inverse of [`days`].
fn civil(days: i64) -> Date {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    Date {
        year: year + era * 400 + i64::from(month <= 2),
        month,
        day,
    }
}

/// What a decision is given beside state and arguments.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The time of the events; only the expiry of locks is decided by it.
    pub now: Time,
    /// The date of new ids.
    pub today: Date,
    /// Who acts.
    pub actor: &'a Actor,
    /// Principals that may satisfy human gates.
    pub grants: &'a Grants,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, ms) in [
            ("1970-01-01", 0),
            ("2025-12-06T00:06:57.639Z", 1_764_979_617_639),
            ("2025-12-06T01:06:57.639+01:00", 1_764_979_617_639),
            ("2000-02-29T12:00:00Z", 951_825_600_000),
            ("1969-12-31T23:59:59.9Z", -100),
        ] {
            assert_eq!(Time::parse(text), Some(Time(ms)), "{text}");
            assert_eq!(Time::parse(&Time(ms).to_string()), Some(Time(ms)));
        }
        for text in [
            "",
            "2025-13-01",
            "2025-02-29",
            "2025-12-06T24:00:00Z",
            "2025-12-06T00:00:00",
            "20x5-01-01",
            "2025-12-06T00:00:00.Z",
            "2025-12-06T00:00:00+24:00",
            "é025-12-06",
        ] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }

    #[test]
    fn dates_exist() {
        assert_eq!(Date::parse("20240229").unwrap().to_string(), "20240229");
        assert_eq!(Date::parse("2024-02-29"), Date::parse("20240229"));
        assert!(Date::parse("20230229").is_none() && Date::parse("2024229").is_none());
        for day in -200_000..200_000 {
            assert_eq!(days(civil(day)), day);
        }
    }
}
