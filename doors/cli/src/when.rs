//! Points in time as people give them: a date, a local date and time, or an age.

use registry::UnitDuration;

use super::prelude::*;
use mathchain::clock::SystemClock;
use tool_core::capability::Clock as _;

/// Reads a point in time as milliseconds since 1970-01-01 UTC: an age before now, or a date with or without a time of day, which is
/// local unless it names an offset.
///
/// # Errors
/// `invalid_args` with reason `time` for any other text.
pub(super) fn unix_ms(text: &str) -> Result<u64> {
    let now_ms = SystemClock::default().unix_ms();
    let age = UnitDuration::parse(text).map(|age| now_ms.saturating_sub(age.ms()));
    age.or_else(|| of_day(text, now_ms)).or_else(|| of_date(text)).ok_or_else(|| {
        tool_error!(InvalidArgs, "time"; "`{text}` is neither a date nor an age";
            "write a date `2026-11-23`, a local time `2026-11-23T16:40`, `today`, `yesterday`, or an age `90d`, `24h`, `30min`")
    })
}

/// The beginning of `today` or `yesterday`, in local time.
fn of_day(text: &str, now_ms: u64) -> Option<u64> {
    let back = match text {
        "today" => 0,
        "yesterday" => 1,
        _ => return None,
    };
    let now = jiff::Timestamp::from_millisecond(i64::try_from(now_ms).ok()?).ok()?;
    let today = now.to_zoned(environment::time_zone()).date();
    let day = today.checked_sub(jiff::Span::new().days(back)).ok()?;
    let start = day.to_zoned(environment::time_zone()).ok()?;
    u64::try_from(start.timestamp().as_millisecond()).ok()
}

fn of_date(text: &str) -> Option<u64> {
    let moment = match text.parse::<jiff::Timestamp>() {
        Ok(moment) => moment,
        Err(_) => {
            let local: jiff::civil::DateTime = text.parse().ok()?;
            local.to_zoned(environment::time_zone()).ok()?.timestamp()
        }
    };
    u64::try_from(moment.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_a_time_of_day_or_an_age() {
        assert_eq!(of_date("1970-01-02T00:00:00Z"), Some(86_400_000));
        assert_eq!(of_date("1970-01-02T02:00+02:00"), Some(86_400_000));
        for text in ["2026-11-23", "2026-11-23T16:40", "2026-11-23 16:40:05"] {
            let ms = unix_ms(text).unwrap();
            assert!(
                (1_795_300_000_000..1_795_600_000_000).contains(&ms),
                "{text}: {ms}"
            );
        }
        let (today, yesterday) = (unix_ms("today").unwrap(), unix_ms("yesterday").unwrap());
        let hours = (today - yesterday) / 3_600_000;
        assert!((23..=25).contains(&hours), "a day has {hours} hours");
        let now_ms = SystemClock::default().unix_ms();
        assert!(today <= now_ms && now_ms - today < 26 * 3_600_000);
        assert!(unix_ms("1h").unwrap() <= now_ms - 3_000_000);
        for text in ["", "soon", "2026-13-01", "1969-01-01", "3 days"] {
            assert_eq!(
                unix_ms(text).unwrap_err().reason_str(),
                Some("time"),
                "{text}"
            );
        }
    }
}
