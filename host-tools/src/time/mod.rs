//! The date and the time of day, in any time zone. The zone database is compiled in, so results are equal on every machine.

#[cfg(test)]
mod tests;

use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, Zoned};

use crate::prelude::*;

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<GetCurrentDate>(),
    tool_entry::<GetCurrentTime>(),
];

/// Get the current date in a time zone.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct GetCurrentDate {
    /// The time zone: a name of the IANA database such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
    #[value(default = "default_time_zone")]
    pub time_zone: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct CurrentDate {
    /// The date, such as `2026-11-22`.
    pub date: String,
    /// The day of the week in English, such as `Sunday`.
    pub weekday: String,
    /// The year.
    pub year: i16,
    /// The month, 1 to 12.
    pub month: i8,
    /// The day of the month, 1 to 31.
    pub day: i8,
    /// The day of the year, 1 to 366.
    pub day_of_year: i16,
    /// The week of the year by ISO 8601, such as `2026-W47`.
    pub week: String,
    /// The time zone.
    pub time_zone: String,
}

impl Tool for GetCurrentDate {
    const SPEC: Spec = SPEC.with_name("get_current_date", "Today's date");
    type Output = CurrentDate;

    fn run(args: GetCurrentDate, ctx: &Ctx) -> Result<CurrentDate> {
        let (now, _) = current_time(ctx, &args.time_zone)?;
        let date = now.date();
        let week = date.iso_week_date();
        Ok(CurrentDate {
            date: date.to_string(),
            weekday: now.strftime("%A").to_string(),
            year: date.year(),
            month: date.month(),
            day: date.day(),
            day_of_year: date.day_of_year(),
            week: format!("{:04}-W{:02}", week.year(), week.week()),
            time_zone: args.time_zone,
        })
    }

    /// With the clock at 2023-11-14T22:13:20Z.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the day in UTC": "{}" => r#"{
            "date": "2023-11-14", "weekday": "Tuesday", "year": 2023, "month": 11, "day": 14,
            "day_of_year": 318, "week": "2023-W46", "time_zone": "UTC"
        }"#;
        "a time zone further east, on the next day": r#"{"time_zone": "Asia/Tokyo"}"# => r#"{
            "date": "2023-11-15", "weekday": "Wednesday", "year": 2023, "month": 11, "day": 15,
            "day_of_year": 319, "week": "2023-W46", "time_zone": "Asia/Tokyo"
        }"#;
    };
}

/// Get the current time in a time zone, to the millisecond.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct GetCurrentTime {
    /// The time zone: a name of the IANA database such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
    #[value(default = "default_time_zone")]
    pub time_zone: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct CurrentTime {
    /// Date, time and offset by RFC 3339, such as `2026-11-22T16:30:00.000+01:00`.
    pub datetime: String,
    /// Local date.
    pub date: String,
    /// Local time, such as `16:30:00`.
    pub time: String,
    /// The time in UTC.
    pub utc: String,
    /// Seconds since 1970-01-01 UTC.
    pub timestamp: f64,
    /// Current offset from UTC in seconds; positive east of Greenwich.
    pub offset_s: i32,
    /// The time zone.
    pub time_zone: String,
}

impl Tool for GetCurrentTime {
    const SPEC: Spec = SPEC.with_name("get_current_time", "Time of day");
    type Output = CurrentTime;

    fn run(args: GetCurrentTime, ctx: &Ctx) -> Result<CurrentTime> {
        let (now, unix_ms) = current_time(ctx, &args.time_zone)?;
        Ok(CurrentTime {
            datetime: now.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string(),
            date: now.date().to_string(),
            time: now.strftime("%H:%M:%S").to_string(),
            utc: format!("{:.3}", now.timestamp()),
            timestamp: unix_ms as f64 / 1000.0,
            offset_s: now.offset().seconds(),
            time_zone: args.time_zone,
        })
    }

    /// With the clock at 2023-11-14T22:13:20Z.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an offset with half an hour": r#"{"time_zone": "Asia/Kolkata"}"# => r#"{
            "datetime": "2023-11-15T03:43:20.000+05:30", "date": "2023-11-15", "time": "03:43:20",
            "utc": "2023-11-14T22:13:20.000Z", "timestamp": 1700000000.0, "offset_s": 19800,
            "time_zone": "Asia/Kolkata"
        }"#;
    };
}

/// The declaration that the tools of this family share.
const SPEC: Spec = Spec {
    category: Category::System,
    tags: &["time", "date"],
    capabilities: &[Capability::Clock],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    ..Spec::pure()
};

/// The default zone.
fn default_time_zone() -> String {
    "UTC".to_owned()
}

/// The current time in a zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
///
/// # Errors
/// `invalid_args` at `/time_zone` for an unknown zone.
fn current_time(ctx: &Ctx, name: &str) -> Result<(Zoned, u64)> {
    let unix_ms = ctx.clock()?.unix_ms();
    let zone = parse_time_zone(name)?;
    let moment = i64::try_from(unix_ms).ok();
    let moment = moment.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let moment = moment.ok_or_else(|| {
        tool_error!(ToolError, "clock";
            "the clock is at {unix_ms} ms after 1970, outside the calendar";
            "set the clock of this machine")
    })?;
    Ok((moment.to_zoned(zone), unix_ms))
}

fn parse_time_zone(name: &str) -> Result<TimeZone> {
    if let Some(offset) = parse_offset(name) {
        return Ok(TimeZone::fixed(offset));
    }
    TimeZoneDatabase::bundled().get(name).map_err(|_| {
        tool_error!(InvalidArgs at "/time_zone", "time_zone";
            "unknown time zone `{}`", name.escape_debug())
        .hint(suggest_time_zone(name))
    })
}

fn suggest_time_zone(name: &str) -> String {
    const EXPECTED: &str = "name one such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`";
    let database = TimeZoneDatabase::bundled();
    let names = database.available().map(|known| known.to_string());
    let names: Vec<String> = names.collect();
    match tool_core::nearest::nearest_name(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`? {EXPECTED}"),
        None => EXPECTED.to_owned(),
    }
}

/// An offset such as `+05:30` or `-03:00`, at most 18 hours.
fn parse_offset(text: &str) -> Option<Offset> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let two = |text: &str| {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<i32>().ok()).flatten()
    };
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    let seconds = sign * (hours * 3600 + minutes * 60);
    (hours <= 18 && minutes < 60)
        .then(|| Offset::from_seconds(seconds).ok())
        .flatten()
}
