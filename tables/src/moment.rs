//! Dates and times: ISO 8601 alone, since `03/04/2024` is the third of April or the fourth of March.

use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use crate::cell::MomentCell;

/// A day, as days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CalendarDate(pub i32);

const EPOCH: Date = jiff::civil::date(1970, 1, 1);
const MICROS: i64 = 1_000_000;

impl CalendarDate {
    fn of(date: Date) -> Self {
        let days = date.duration_since(EPOCH).as_hours() / 24;
        Self(days as i32)
    }

    /// The day of the calendar; `None` outside of the years -9999 to 9999.
    pub fn to_civil(self) -> Option<Date> {
        EPOCH
            .checked_add(SignedDuration::from_hours(24 * i64::from(self.0)))
            .ok()
    }
}

/// A date written `2024-05-17`, and in no other way.
pub fn parse_date(text: &str) -> Option<CalendarDate> {
    is_plain_date(text.as_bytes()).then_some(())?;
    text.parse().ok().map(CalendarDate::of)
}

fn is_plain_date(bytes: &[u8]) -> bool {
    let is_digit_or_dash = |(index, byte): (usize, &u8)| match index {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    bytes.len() == 10 && bytes.iter().enumerate().all(is_digit_or_dash)
}

/// As [`parse_date`] reads it.
pub fn format_date(date: CalendarDate) -> String {
    match date.to_civil() {
        Some(date) => date.to_string(),
        None => format!("day {} of 1970", date.0),
    }
}

/// A date with a time, and the zone that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedMoment {
    /// Microseconds since 1970-01-01T00:00:00.
    pub micros: i64,
    /// `UTC` of a `Z`, an offset such as `+02:00`; `None` where none is written.
    pub zone: Option<String>,
}

/// A time written `2024-05-17T10:30:00`, with up to six digits of a fraction, and `Z` or an offset such as `+02:00` after it or nothing.
pub fn parse_moment(text: &str) -> Option<ParsedMoment> {
    let bytes = text.as_bytes();
    let is_written =
        bytes.len() >= 19 && bytes[10] == b'T' && is_plain_date(&bytes[..10]) && text.is_ascii();
    if !is_written {
        return None;
    }
    let (local, zone) = match text.strip_suffix('Z') {
        Some(local) => (local, Some("UTC".to_owned())),
        None => match bytes.get(bytes.len() - 6) {
            Some(b'+' | b'-') if bytes.len() >= 25 => {
                let (local, offset) = text.split_at(text.len() - 6);
                (local, Some(offset.to_owned()))
            }
            _ => (text, None),
        },
    };
    let civil: DateTime = local.parse().ok()?;
    if civil.subsec_nanosecond() % 1000 != 0 {
        return None;
    }
    let seconds = civil.date().duration_since(EPOCH).as_secs()
        + i64::from(civil.hour()) * 3600
        + i64::from(civil.minute()) * 60
        + i64::from(civil.second());
    let micros = seconds * MICROS + i64::from(civil.subsec_nanosecond() / 1000);
    let offset = match zone.as_deref() {
        None | Some("UTC") => 0,
        Some(offset) => offset_seconds(offset)?,
    };
    let parsed = ParsedMoment {
        micros: micros - offset * MICROS,
        zone,
    };
    // What would be written otherwise stays as it is.
    let cell = MomentCell {
        micros: parsed.micros,
        zone: parsed.zone.as_deref(),
    };
    (format_moment(cell) == text).then_some(parsed)
}

/// Seconds of an offset written `+02:00`.
fn offset_seconds(offset: &str) -> Option<i64> {
    let bytes = offset.as_bytes();
    let is_written = bytes.len() == 6 && bytes[3] == b':';
    let number = |from: usize| {
        let digits = offset.get(from..from + 2)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<i64>().ok()).flatten()
    };
    if !is_written {
        return None;
    }
    let (hours, minutes) = (number(1)?, number(4)?);
    let size = hours * 3600 + minutes * 60;
    match bytes[0] {
        b'+' => Some(size),
        b'-' => Some(-size),
        _ => None,
    }
}

/// The zone of a name or an offset; `None` of what is neither.
pub fn find_zone(zone: &str) -> Option<TimeZone> {
    if let Some(seconds) = offset_seconds(zone) {
        let offset = Offset::from_seconds(i32::try_from(seconds).ok()?).ok()?;
        return Some(TimeZone::fixed(offset));
    }
    match zone {
        "UTC" | "Z" | "Etc/UTC" => Some(TimeZone::UTC),
        name => TimeZone::get(name).ok(),
    }
}

/// ISO 8601 in the zone of the cell: with `Z` for UTC, with the offset of that moment for others, with nothing without a zone.
pub fn format_moment(cell: MomentCell<'_>) -> String {
    let Ok(moment) = Timestamp::from_microsecond(cell.micros) else {
        return format!("{} microseconds after 1970", cell.micros);
    };
    let zone = cell.zone.map(|zone| (zone, find_zone(zone)));
    let zoned = match &zone {
        Some((_, Some(zone))) => moment.to_zoned(zone.clone()),
        None | Some((_, None)) => moment.to_zoned(TimeZone::UTC),
    };
    let civil = zoned.datetime();
    let mut text = civil.strftime("%Y-%m-%dT%H:%M:%S").to_string();
    let micros = civil.subsec_nanosecond() / 1000;
    if micros != 0 {
        let fraction = format!("{micros:06}");
        text.push('.');
        text.push_str(fraction.trim_end_matches('0'));
    }
    match zone {
        None => {}
        Some(("UTC" | "Z" | "Etc/UTC", _) | (_, None)) => text.push('Z'),
        Some(_) => {
            let seconds = zoned.offset().seconds();
            let sign = if seconds < 0 { '-' } else { '+' };
            let minutes = seconds.abs() / 60;
            text.push_str(&format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_one_way_alone() {
        assert_eq!(parse_date("1970-01-02"), Some(CalendarDate(1)));
        assert_eq!(parse_date("1969-12-31"), Some(CalendarDate(-1)));
        assert_eq!(
            parse_date("2024-02-29").map(format_date).as_deref(),
            Some("2024-02-29")
        );
        for text in [
            "2023-02-29",
            "03/04/2024",
            "3.4.2024",
            "2024-5-7",
            "20240507",
            "2024-05-17 ",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn moments_come_back_as_they_were_written() {
        for (text, zone) in [
            ("2024-05-17T10:30:00", None),
            ("2024-05-17T10:30:00.25Z", Some("UTC")),
            ("2024-05-17T10:30:00+02:00", Some("+02:00")),
            ("1900-01-01T00:00:00.000001-09:30", Some("-09:30")),
        ] {
            let parsed = parse_moment(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(parsed.zone.as_deref(), zone, "{text}");
            let cell = MomentCell {
                micros: parsed.micros,
                zone,
            };
            assert_eq!(format_moment(cell), text);
        }
        for text in [
            "2024-05-17 10:30:00",
            "2024-05-17T10:30",
            "2024-05-17T10:30:00.250Z",
            "2024-05-17T10:30:00.1234567",
            "2024-05-17T25:30:00",
            "2024-05-17T10:30:60Z",
            "2024-05-17T10:30:00+2:00",
        ] {
            assert_eq!(parse_moment(text), None, "{text}");
        }
    }

    #[test]
    fn a_named_zone_shows_the_offset_of_the_moment() {
        let summer = MomentCell {
            micros: 1_715_934_600_000_000,
            zone: Some("Europe/Berlin"),
        };
        assert_eq!(format_moment(summer), "2024-05-17T10:30:00+02:00");
    }
}
