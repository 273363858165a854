//! Dates and times as seconds since 1970-01-01 UTC.

/// Seconds of a day.
pub(crate) const DAY: f64 = 86_400.0;

/// A day of the calendar: year, month 1..=12, day 1..=31.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CalendarDay {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
}

/// Days since 1970-01-01 of a day of the proleptic Gregorian calendar; months beyond 1..=12 carry into the years.
///
/// # References
/// H. Hinnant, "chrono-compatible low-level date algorithms", 2013.
pub(crate) fn days_from_calendar(year: i64, month: i64, day: i64) -> i64 {
    let carried = month - 1;
    let (year, month) = (year + carried.div_euclid(12), carried.rem_euclid(12) + 1);
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + days - 719_468
}

/// The day of the calendar, so many days after 1970-01-01.
pub(crate) fn calendar_from_days(days: i64) -> CalendarDay {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted - era * 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    CalendarDay { year, month, day }
}

/// The day of the calendar of a time in seconds.
pub(crate) fn calendar_of(seconds: f64) -> CalendarDay {
    calendar_from_days(libm::floor(seconds / DAY) as i64)
}

/// Seconds of the start of a day.
pub(crate) fn seconds_of_day(year: i64, month: i64, day: i64) -> f64 {
    days_from_calendar(year, month, day) as f64 * DAY
}

fn read_digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && lengths.contains(&text.len()))
        .then(|| text.parse().ok())
        .flatten()
}

/// Reads `YYYY-MM`, `YYYY-MM-DD` (or with `/`), and after `T` or a space `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`, with `Z` or `+HH:MM`.
///
/// A time without a zone counts as UTC. `None` for every other text.
#[must_use]
pub fn parse_date(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() < 7 || !text.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mark = if date.contains('/') { '/' } else { '-' };
    let mut parts = date.split(mark);
    let year = read_digits(parts.next()?, 4..=4)?;
    let month = read_digits(parts.next()?, 1..=2).filter(|month| (1..=12).contains(month))?;
    let day = match parts.next() {
        Some(day) => read_digits(day, 1..=2)?,
        None => 1,
    };
    let days = days_from_calendar(year, month, day);
    let is_day = calendar_from_days(days) == CalendarDay { year, month, day };
    if parts.next().is_some() || !is_day {
        return None;
    }
    let start = days as f64 * DAY;
    match time {
        Some(time) => parse_time(time).map(|seconds| start + seconds),
        None => Some(start),
    }
}

fn parse_time(text: &str) -> Option<f64> {
    let (clock, offset) = match text.strip_suffix('Z') {
        Some(clock) => (clock, 0.0),
        None => match text.rfind(['+', '-']) {
            Some(at) => {
                let sign = if text[at..].starts_with('-') {
                    1.0
                } else {
                    -1.0
                };
                let (hours, minutes) = match text[at + 1..].split_once(':') {
                    Some((hours, minutes)) => {
                        (read_digits(hours, 2..=2)?, read_digits(minutes, 2..=2)?)
                    }
                    None => (read_digits(&text[at + 1..], 2..=2)?, 0),
                };
                (&text[..at], sign * (hours * 3600 + minutes * 60) as f64)
            }
            None => (text, 0.0),
        },
    };
    let mut parts = clock.trim_end().split(':');
    let hours = read_digits(parts.next()?, 1..=2).filter(|hours| *hours < 24)?;
    let minutes = read_digits(parts.next()?, 2..=2).filter(|minutes| *minutes < 60)?;
    let seconds = match parts.next() {
        Some(seconds) => {
            let whole = seconds.split('.').next()?;
            read_digits(whole, 2..=2)?;
            seconds
                .parse::<f64>()
                .ok()
                .filter(|seconds| *seconds < 61.0)?
        }
        None => 0.0,
    };
    if parts.next().is_some() {
        return None;
    }
    Some((hours * 3600 + minutes * 60) as f64 + seconds + offset)
}

/// Names of the months, three letters.
pub(crate) const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// `2024-03-05`, and the time where it is not midnight.
pub(crate) fn format_date(seconds: f64) -> String {
    let day = calendar_of(seconds);
    let date = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
    let rest = (seconds - libm::floor(seconds / DAY) * DAY) as i64;
    match rest {
        0 => date,
        rest => format!("{date} {}", format_clock(rest)),
    }
}

/// `12:30`, with seconds where they are not zero.
pub(crate) fn format_clock(of_day: i64) -> String {
    let (hours, minutes, seconds) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    match seconds {
        0 => format!("{hours:02}:{minutes:02}"),
        _ => format!("{hours:02}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_written_back() {
        assert_eq!(parse_date("1970-01-01"), Some(0.0));
        assert_eq!(parse_date("2000-03-01"), Some(951_868_800.0));
        assert_eq!(parse_date("2024-02-29T12:30:00Z"), Some(1_709_209_800.0));
        assert_eq!(parse_date("2024-02-29 12:30+01:00"), Some(1_709_206_200.0));
        assert_eq!(parse_date("2024/2/29"), parse_date("2024-02-29"));
        for text in [
            "2023-02-29",
            "12345678",
            "2024-13-01",
            "1.2.2024",
            "2024-1-1x",
            "2024-01-01T25:00",
            "",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
        for days in [-800_000, -1, 0, 59, 60, 11_016, 20_000, 3_000_000] {
            let day = calendar_from_days(days);
            assert_eq!(days_from_calendar(day.year, day.month, day.day), days);
        }
        assert_eq!(format_date(1_709_209_800.0), "2024-02-29 12:30");
        assert_eq!(
            calendar_from_days(days_from_calendar(2023, 14, 1)),
            CalendarDay {
                year: 2024,
                month: 2,
                day: 1
            }
        );
    }
}
