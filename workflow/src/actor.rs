//! Who acts, when, and what was granted: data that the caller hands in.

use std::collections::BTreeSet;
use std::fmt;

use jiff::tz::TimeZone;
use tool_core::{Decode, Describe, Encode};

use crate::names::ActorKind;

/// Who caused an event.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct EventActor {
    /// Name of the principal; two actors with the same name are the same principal.
    pub principal: String,
    /// Its kind.
    pub kind: ActorKind,
    /// Its role.
    pub role: String,
}

impl EventActor {
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
pub struct GateGrants(BTreeSet<String>);

impl GateGrants {
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
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode, Describe,
)]
#[value(transparent)]
pub struct EventTime(pub i64);

impl EventTime {
    /// Reads `2025-12-06T00:06:57.639Z`, an offset instead of `Z`, or a date alone (its midnight in UTC).
    pub fn parse(text: &str) -> Option<Self> {
        let text = match text.len() {
            10 => format!("{text}T00:00:00Z"),
            _ => text.to_owned(),
        };
        let moment: jiff::Timestamp = text.parse().ok()?;
        Some(Self(moment.as_millisecond()))
    }

    /// The moment; the first or the last one of the calendar beyond it.
    fn moment(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(match self.0 < 0 {
            true => jiff::Timestamp::MIN,
            false => jiff::Timestamp::MAX,
        })
    }

    /// The date in UTC.
    pub fn date(self) -> CalendarDate {
        CalendarDate(TimeZone::UTC.to_datetime(self.moment()).date())
    }
}

/// Writes `2025-12-06T00:06:57.639Z`.
impl fmt::Display for EventTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.moment())
    }
}

/// A day of the calendar, for ids such as `CR-20251206-001`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CalendarDate(jiff::civil::Date);

impl CalendarDate {
    /// Reads `2025-12-06` or `20251206`, of the years 1 to 9999.
    pub fn parse(text: &str) -> Option<Self> {
        let is_date = matches!(text.len(), 8 | 10);
        let date: jiff::civil::Date = is_date.then(|| text.parse().ok()).flatten()?;
        (date.year() > 0).then_some(Self(date))
    }
}

/// Writes `20251206`.
impl fmt::Display for CalendarDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y%m%d"))
    }
}

/// What a decision is given beside state and arguments.
#[derive(Debug, Clone, Copy)]
pub struct DecisionContext<'a> {
    /// The time of the events; only the expiry of locks is decided by it.
    pub now: EventTime,
    /// The date of new ids.
    pub today: CalendarDate,
    /// Who acts.
    pub actor: &'a EventActor,
    /// Principals that may satisfy human gates.
    pub grants: &'a GateGrants,
    /// What new ids have in them, so that two checkouts never give the same; empty in the first one.
    pub checkout: &'a str,
}

/// What an event says beside its data.
#[derive(Debug, Clone, Copy)]
pub struct EventOrigin<'a> {
    /// When it happened.
    pub time: EventTime,
    /// Who caused it.
    pub actor: &'a EventActor,
    /// The reason given.
    pub reason: Option<&'a str>,
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
            assert_eq!(EventTime::parse(text), Some(EventTime(ms)), "{text}");
            assert_eq!(
                EventTime::parse(&EventTime(ms).to_string()),
                Some(EventTime(ms))
            );
        }
        for text in [
            "",
            "2025-13-01",
            "2025-02-29",
            "2025-12-06T24:00:00Z",
            "2025-12-06T00:00:00",
            "20x5-01-01",
            "2025-12-06T00:00:00.Z",
            "é025-12-06",
        ] {
            assert_eq!(EventTime::parse(text), None, "{text}");
        }
    }

    #[test]
    fn dates_exist() {
        assert_eq!(
            CalendarDate::parse("20240229").unwrap().to_string(),
            "20240229"
        );
        assert_eq!(
            CalendarDate::parse("2024-02-29"),
            CalendarDate::parse("20240229")
        );
        assert!(
            CalendarDate::parse("20230229").is_none() && CalendarDate::parse("2024229").is_none()
        );
        assert!(
            CalendarDate::parse("00000101").is_none()
                && CalendarDate::parse("2024-2-29 ").is_none()
        );
        assert_eq!(EventTime(i64::MAX).date().to_string(), "99991230");
    }
}
