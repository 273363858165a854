//! Dates and times: sums, differences, business days, weeks, zones.

use std::collections::BTreeSet;

use jiff::civil::{Date, DateTime, Weekday};
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Span, ToSpan, Unit, Zoned};

use crate::prelude::*;

/// Most business days that are counted one by one.
const BUSINESS_DAYS_MAX: i64 = 1_000_000;

/// Calculates with dates and times of ISO 8601: adds a duration or business days, tells the difference of two moments, and shows weekday, ISO week and
/// another zone. The zones are compiled in, so that every machine gives the same answer, and the clock is never read. Days across a change of summer
/// time keep the time of day; a month after 31 January is the last day of February.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The date or time: `2024-05-17`, `2024-05-17T10:30`, `2024-05-17T10:30:00Z`, `...+02:00` or `...[Europe/Berlin]`.
    pub start: String,
    /// A duration to add, by ISO 8601 or in words: `P1M2D`, `-PT90M`, `3 weeks 2 days`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub add: Option<String>,
    /// Business days to add, without weekends and holidays; negative ones go back.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub add_business_days: Option<BoundedInteger<{ -BUSINESS_DAYS_MAX }, BUSINESS_DAYS_MAX>>,
    /// Another date or time, to which the difference is told.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub end: Option<String>,
    /// The zone in which the result is shown, and in which times without a zone are: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Days that are no business days beside Saturday and Sunday: `["2024-12-25"]`.
    #[value(default)]
    pub holidays: Vec<String>,
}

/// A date or time, and a difference.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The date or time after what was added, in the form of `start`.
    pub result: String,
    /// Its day of the week in English.
    pub weekday: String,
    /// Its week by ISO 8601: `2024-W20`.
    pub week: String,
    /// Its day of the year, from 1.
    pub day_of_year: i64,
    /// Whether it is a business day.
    pub business_day: bool,
    /// Seconds since 1970-01-01 UTC; absent for a time without a zone.
    #[value(skip_encoding_if = "Option::is_none")]
    pub timestamp: Option<f64>,
    /// From the result to `end`, where `end` is given.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "end": { "not": null } }))]
    pub difference: Option<MomentDifference>,
}

/// The time between two moments; negative where the second is before the first.
#[derive(Debug, Encode, Describe)]
pub(crate) struct MomentDifference {
    /// Years, months, days and times by ISO 8601.
    pub duration: String,
    /// Days, with a fraction.
    pub days: f64,
    /// Seconds.
    pub seconds: f64,
    /// Business days from the first date on, without the last.
    pub business_days: i64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("datetime_calc", "Calculate with dates")
        .category(Category::Data)
        .tags(&["time"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a month after the last of January, and the days to Easter":
            r#"{"start": "2024-01-31", "add": "P1M", "end": "2024-03-31"}"#
            => r#"{"result": "2024-02-29", "weekday": "Thursday", "week": "2024-W09", "day_of_year": 60, "business_day": true,
                "difference": {"duration": "P1M2D", "days": 31.0, "seconds": 2678400.0, "business_days": 22}}"#;
        "the same moment elsewhere":
            r#"{"start": "2024-05-17T10:30:00Z", "zone": "Asia/Tokyo"}"#
            => r#"{"result": "2024-05-17T19:30:00+09:00[Asia/Tokyo]", "weekday": "Friday", "week": "2024-W20", "day_of_year": 138,
                "business_day": true, "timestamp": 1715941800.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let zone = match &args.zone {
            Some(name) => Some(find_zone(name)?),
            None => None,
        };
        let holidays = parse_holidays(&args.holidays)?;
        let mut moment = MomentForm::parse(&args.start, zone.as_ref(), "/start", ctx)?;
        if let Some(text) = &args.add {
            let span: Span = text.parse().map_err(|_| {
                let message =
                    format!("expected a duration by ISO 8601 or in words, found {text:?}");
                let error = ToolError::invalid("/add", message).reason("datetime");
                error.hint("such as `P1M2D`, `PT90M` or `3 days 2 hours`; years are up to 19,998")
            })?;
            moment = moment.plus(span, "/add")?;
        }
        if let Some(days) = args.add_business_days {
            moment = moment.plus_business_days(days.get(), &holidays, ctx)?;
        }
        let difference = match &args.end {
            None => None,
            Some(text) => {
                let end = MomentForm::parse(text, zone.as_ref(), "/end", ctx)?;
                Some(moment.until(&end, &holidays, ctx)?)
            }
        };
        let date = moment.date();
        let week = date.iso_week_date();
        Ok(Output {
            result: moment.to_text(),
            weekday: date.strftime("%A").to_string(),
            week: format!("{:04}-W{:02}", week.year(), week.week()),
            day_of_year: i64::from(date.day_of_year()),
            business_day: is_business_day(date, &holidays),
            timestamp: moment.timestamp(),
            difference,
        })
    }
}

fn find_zone(name: &str) -> Result<TimeZone, ToolError> {
    ::tables::find_zone(name).ok_or_else(|| {
        let error = ToolError::invalid("/zone", format_args!("no time zone is named `{name}`"));
        error.hint("such as `Europe/Berlin`, `UTC` or `+05:30`")
    })
}

fn parse_holidays(texts: &[String]) -> Result<BTreeSet<Date>, ToolError> {
    let parsed = texts.iter().enumerate().map(|(index, text)| {
        text.parse::<Date>().map_err(|_| {
            let message = format!("expected a date of ISO 8601, found {text:?}");
            let error = ToolError::invalid(format!("/holidays/{index}"), message);
            error.reason("datetime").hint("such as `2024-12-25`")
        })
    });
    parsed.collect()
}

fn is_business_day(date: Date, holidays: &BTreeSet<Date>) -> bool {
    let is_weekend = matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday);
    !is_weekend && !holidays.contains(&date)
}

/// Why a text is no date or time.
fn no_moment_words(text: &str) -> String {
    let mut parts = text.get(..10).unwrap_or_default().splitn(3, '-');
    let mut number = || parts.next()?.parse::<i16>().ok();
    if let (Some(year), Some(month), Some(day)) = (number(), number(), number()) {
        let part = |number: i16| i8::try_from(number).unwrap_or(0);
        if Date::new(year, part(month), part(day)).is_err() {
            return format!("the calendar has no day {year:04}-{month:02}-{day:02}");
        }
    }
    format!("expected a date or time of ISO 8601, found {text:?}")
}

/// Whether the time of a moment has a second 60.
fn has_leap_second(text: &str) -> bool {
    let Some((_, time)) = text.split_once(['T', 't', ' ']) else {
        return false;
    };
    let time = time.split(['+', '-', 'Z', 'z', '[', '.', ',']).next();
    let digits = time.unwrap_or_default().replace(':', "");
    digits.get(4..6) == Some("60")
}

/// Says what became of a time on the wall that a zone does not have, or has twice.
fn warn_of_clock_change(wall: DateTime, taken: &Zoned, ctx: &Ctx) {
    let zone = taken.time_zone();
    let name = zone.iana_name().unwrap_or("this zone");
    match zone.to_ambiguous_timestamp(wall).offset() {
        AmbiguousOffset::Unambiguous { .. } => {}
        AmbiguousOffset::Gap { .. } => ctx.warn(format!(
            "{wall} does not exist in {name}, where the clocks go forward: taken as {}",
            taken.datetime()
        )),
        AmbiguousOffset::Fold { .. } => ctx.warn(format!(
            "{wall} happens twice in {name}, where the clocks go back: the first is taken, {taken}"
        )),
    }
}

/// A date or a time in the form in which it was written.
#[derive(Debug, Clone)]
enum MomentForm {
    Day(Date),
    /// Without a zone.
    Wall(DateTime),
    Zoned(Box<Zoned>),
}

impl MomentForm {
    fn parse(
        text: &str,
        zone: Option<&TimeZone>,
        pointer: &str,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let fault = || {
            let error = ToolError::invalid(pointer, no_moment_words(text)).reason("datetime");
            error.hint("such as `2024-05-17`, `2024-05-17T10:30:00Z` or `2024-05-17T10:30:00+02:00[Europe/Berlin]`")
        };
        let pieces = Pieces::parse(text).map_err(|_| fault())?;
        if has_leap_second(text) {
            ctx.warn(format!(
                "`{text}`: a second 60 is taken as 59, since leap seconds are not counted"
            ));
        }
        let has_zone = pieces.offset().is_some() || pieces.time_zone_annotation().is_some();
        if has_zone {
            let zoned: Zoned = match pieces.time_zone_annotation() {
                Some(_) => {
                    let zoned: Zoned = text.parse().map_err(|_| fault())?;
                    if let (None, Some(time)) = (pieces.offset(), pieces.time()) {
                        let wall = pieces.date().to_datetime(time);
                        warn_of_clock_change(wall, &zoned, ctx);
                    }
                    zoned
                }
                None => {
                    let moment: jiff::Timestamp = text.parse().map_err(|_| fault())?;
                    let own = match pieces.offset() {
                        Some(PiecesOffset::Zulu) | None => TimeZone::UTC,
                        Some(offset) => TimeZone::fixed(offset.to_numeric_offset()),
                    };
                    moment.to_zoned(own)
                }
            };
            let zoned = match zone {
                Some(zone) => zoned.with_time_zone(zone.clone()),
                None => zoned,
            };
            return Ok(Self::Zoned(Box::new(zoned)));
        }
        match (pieces.time(), zone) {
            (None, _) => Ok(Self::Day(pieces.date())),
            (Some(time), None) => Ok(Self::Wall(pieces.date().to_datetime(time))),
            (Some(time), Some(zone)) => {
                let wall = pieces.date().to_datetime(time);
                let zoned = wall.to_zoned(zone.clone()).map_err(|_| fault())?;
                warn_of_clock_change(wall, &zoned, ctx);
                Ok(Self::Zoned(Box::new(zoned)))
            }
        }
    }

    fn date(&self) -> Date {
        match self {
            Self::Day(date) => *date,
            Self::Wall(moment) => moment.date(),
            Self::Zoned(moment) => moment.date(),
        }
    }

    fn to_text(&self) -> String {
        match self {
            Self::Day(date) => date.to_string(),
            Self::Wall(moment) => moment.to_string(),
            // A zone that is an offset alone is not named again.
            Self::Zoned(moment) => match moment.time_zone().iana_name() {
                Some("UTC") => moment.timestamp().to_string(),
                Some(_) => moment.to_string(),
                None => moment
                    .timestamp()
                    .display_with_offset(moment.offset())
                    .to_string(),
            },
        }
    }

    fn timestamp(&self) -> Option<f64> {
        match self {
            Self::Zoned(moment) => Some(moment.timestamp().as_nanosecond() as f64 / 1e9),
            _ => None,
        }
    }

    fn plus(&self, span: Span, pointer: &str) -> Result<Self, ToolError> {
        let fault = |_: jiff::Error| {
            ToolError::invalid(pointer, "the result lies outside of the calendar")
                .reason("datetime")
                .hint("years are those from -9999 to 9999")
        };
        let has_time = span.get_hours() != 0
            || span.get_minutes() != 0
            || span.get_seconds() != 0
            || span.get_milliseconds() != 0
            || span.get_microseconds() != 0
            || span.get_nanoseconds() != 0;
        Ok(match self {
            // Hours make a time of a date.
            Self::Day(date) if has_time => Self::Wall(
                date.to_datetime(jiff::civil::Time::midnight())
                    .checked_add(span)
                    .map_err(fault)?,
            ),
            Self::Day(date) => Self::Day(date.checked_add(span).map_err(fault)?),
            Self::Wall(moment) => Self::Wall(moment.checked_add(span).map_err(fault)?),
            Self::Zoned(moment) => Self::Zoned(Box::new(moment.checked_add(span).map_err(fault)?)),
        })
    }

    fn plus_business_days(
        &self,
        days: i64,
        holidays: &BTreeSet<Date>,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        const POINTER: &str = "/add_business_days";
        let mut moment = self.clone();
        let mut left = days.abs();
        while left > 0 {
            ctx.check()?;
            moment = moment.plus(days.signum().days(), POINTER)?;
            left -= i64::from(is_business_day(moment.date(), holidays));
        }
        Ok(moment)
    }

    /// The moment on the clock of another zone or none, for differences between forms.
    fn wall(&self) -> DateTime {
        match self {
            Self::Day(date) => date.to_datetime(jiff::civil::Time::midnight()),
            Self::Wall(moment) => *moment,
            Self::Zoned(moment) => moment.datetime(),
        }
    }

    fn until(
        &self,
        end: &Self,
        holidays: &BTreeSet<Date>,
        ctx: &Ctx,
    ) -> Result<MomentDifference, ToolError> {
        const DAY: f64 = 86_400.0;
        let fault = |_: jiff::Error| {
            ToolError::invalid("/end", "the difference is longer than the calendar")
                .reason("datetime")
                .hint("years are those from -9999 to 9999")
        };
        let (span, seconds) = match (self, end) {
            (Self::Zoned(one), Self::Zoned(two)) => {
                let two = two.with_time_zone(one.time_zone().clone());
                let span = one.until((Unit::Year, &two)).map_err(fault)?;
                (
                    span,
                    two.timestamp()
                        .duration_since(one.timestamp())
                        .as_secs_f64(),
                )
            }
            (Self::Zoned(_), _) | (_, Self::Zoned(_)) => {
                refuse!(invalid "/end"; "one of the two has a zone and the other has none"; "give `zone`, in which the other one is then");
            }
            _ => {
                let (one, two) = (self.wall(), end.wall());
                let span = one.until((Unit::Year, two)).map_err(fault)?;
                (span, two.duration_since(one).as_secs_f64())
            }
        };
        Ok(MomentDifference {
            duration: span.to_string(),
            days: seconds / DAY,
            seconds,
            business_days: count_business_days(self.date(), end.date(), holidays, ctx)?,
        })
    }
}

/// Business days from a date on to another, without the last; negative backwards.
fn count_business_days(
    from: Date,
    to: Date,
    holidays: &BTreeSet<Date>,
    ctx: &Ctx,
) -> Result<i64, ToolError> {
    if to < from {
        return Ok(-count_business_days(to, from, holidays, ctx)?);
    }
    ctx.check()?;
    let days = to.duration_since(from).as_hours() / 24;
    let (weeks, rest) = (days / 7, days % 7);
    let weekday = |offset: i64| (i64::from(from.weekday().to_monday_zero_offset()) + offset) % 7;
    let of_rest = (0..rest).filter(|offset| weekday(*offset) < 5).count() as i64;
    let lost = holidays
        .range(from..to)
        .filter(|date| !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday));
    Ok(weeks * 5 + of_rest - lost.count() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_core::{json, tool_entry};

    fn run(args: &str) -> Result<Value, ToolError> {
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        tool_entry::<Args>()
            .tool()
            .decode(&args)?
            .run(&Ctx::default())
    }

    fn result(args: &str) -> String {
        let found = run(args).unwrap_or_else(|err| panic!("{args}: {err:?}"));
        found.text("result").unwrap().to_owned()
    }

    #[test]
    fn sums_keep_the_form_and_the_time_of_day() {
        for (args, expected) in [
            (r#"{"start": "2024-05-17"}"#, "2024-05-17"),
            (
                r#"{"start": "2024-05-17", "add": "PT36H"}"#,
                "2024-05-18T12:00:00",
            ),
            (
                r#"{"start": "2024-05-17T10:30", "add": "1 day 2 hours"}"#,
                "2024-05-18T12:30:00",
            ),
            (
                r#"{"start": "2024-05-17T10:30:00+02:00", "add": "-PT1H"}"#,
                "2024-05-17T09:30:00+02:00",
            ),
            (
                r#"{"start": "2024-03-30T12:00:00+01:00[Europe/Berlin]", "add": "P1D"}"#,
                "2024-03-31T12:00:00+02:00[Europe/Berlin]",
            ),
            (
                r#"{"start": "2024-03-30T12:00:00+01:00[Europe/Berlin]", "add": "PT24H"}"#,
                "2024-03-31T13:00:00+02:00[Europe/Berlin]",
            ),
            (
                r#"{"start": "2024-05-17T10:30", "zone": "UTC"}"#,
                "2024-05-17T10:30:00Z",
            ),
            (
                r#"{"start": "2024-05-17", "add_business_days": 1}"#,
                "2024-05-20",
            ),
            (
                r#"{"start": "2024-05-17", "add_business_days": 1, "holidays": ["2024-05-20"]}"#,
                "2024-05-21",
            ),
            (
                r#"{"start": "2024-05-19", "add_business_days": -1}"#,
                "2024-05-17",
            ),
        ] {
            assert_eq!(result(args), expected, "{args}");
        }
    }

    #[test]
    fn differences_count_days_of_several_kinds() {
        let found = run(r#"{"start": "2024-12-20", "end": "2025-01-03", "holidays": ["2024-12-25", "2025-01-01", "2024-12-28"]}"#).unwrap();
        let difference = found.get("difference").unwrap().to_string();
        assert_eq!(
            difference,
            r#"{"duration":"P14D","days":14.0,"seconds":1209600.0,"business_days":8}"#
        );
        let back = run(r#"{"start": "2025-01-03", "end": "2024-12-20"}"#).unwrap();
        let back = back.get("difference").unwrap().to_string();
        assert!(back.contains(r#""business_days":-10"#), "{back}");
        let summer = run(r#"{"start": "2024-03-30T12:00:00+01:00[Europe/Berlin]", "end": "2024-03-31T12:00:00+02:00[Europe/Berlin]"}"#).unwrap();
        let summer = summer.get("difference").unwrap().to_string();
        assert!(
            summer.contains(r#""duration":"P1D""#) && summer.contains(r#""seconds":82800.0"#),
            "{summer}"
        );
        for (args, path) in [
            (r#"{"start": "17.5.2024"}"#, "/start"),
            (r#"{"start": "2024-02-30"}"#, "/start"),
            (r#"{"start": "2024-05-17", "add": "soon"}"#, "/add"),
            (r#"{"start": "9999-12-31", "add": "P1D"}"#, "/add"),
            (r#"{"start": "2024-05-17", "zone": "Mars"}"#, "/zone"),
            (
                r#"{"start": "2024-05-17", "end": "2024-05-17T10:00:00Z"}"#,
                "/end",
            ),
            (
                r#"{"start": "2024-05-17", "holidays": ["x"]}"#,
                "/holidays/0",
            ),
        ] {
            assert_eq!(run(args).unwrap_err().path(), Some(path), "{args}");
        }
    }

    /// Faults are told in the words of this tool, and what is taken otherwise than it was written is said.
    #[test]
    fn odd_times_are_told() {
        let err = run(r#"{"start": "2024-02-30"}"#).unwrap_err();
        assert_eq!(err.message(), "the calendar has no day 2024-02-30");
        let err = run(r#"{"start": "2024-05-17", "add": "soon"}"#).unwrap_err();
        assert!(err.message().ends_with("found \"soon\""), "{err:?}");
        for (args, warning, result) in [
            (
                r#"{"start": "2024-03-31T02:30", "zone": "Europe/Berlin"}"#,
                Some(
                    "2024-03-31T02:30:00 does not exist in Europe/Berlin, where the clocks go forward: taken as 2024-03-31T03:30:00",
                ),
                "2024-03-31T03:30:00+02:00[Europe/Berlin]",
            ),
            (
                r#"{"start": "2024-10-27T02:30[Europe/Berlin]"}"#,
                Some("happens twice in Europe/Berlin"),
                "2024-10-27T02:30:00+02:00[Europe/Berlin]",
            ),
            (
                r#"{"start": "2016-12-31T23:59:60Z"}"#,
                Some("a second 60 is taken as 59"),
                "2016-12-31T23:59:59Z",
            ),
            (r#"{"start": "2024-05-17T10:60:00"}"#, None, ""),
            (
                r#"{"start": "2024-10-27T02:30+01:00[Europe/Berlin]"}"#,
                None,
                "2024-10-27T02:30:00+01:00[Europe/Berlin]",
            ),
        ] {
            let ctx = Ctx::default();
            let parsed = json::parse_json(args, json::JsonLimits::default()).unwrap();
            let tool = tool_entry::<Args>().tool();
            let found = tool.decode(&parsed).unwrap().run(&ctx);
            let text = found.map_or_else(
                |_| String::new(),
                |found| found.text("result").unwrap().to_owned(),
            );
            assert_eq!(text, result, "{args}");
            let warnings = ctx.take_warnings();
            assert_eq!(
                warnings.len(),
                usize::from(warning.is_some()),
                "{warnings:?}"
            );
            let is_told = |words: &&str| warnings.iter().any(|text| text.contains(*words));
            assert!(warning.is_none_or(|words| is_told(&words)), "{warnings:?}");
        }
    }
}
