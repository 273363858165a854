//! [`Schedule`]: a plan that a server runs at times; and the calendar expressions of these times.

use tool_core::schema::{Schema, json};
use tool_core::{Decode, Describe, Encode, Value, names};

use super::UnitDuration;

names! {
    /// What is done about times at which no server ran.
    #[derive(Default)]
    MissedTimes {
        /// They are named.
        #[default]
        Name = "name",
        /// They are named, and the plan runs once for the newest of them.
        RunOnce = "run_once",
    }

    /// What is done at a time at which the run of an earlier one has not ended.
    #[derive(Default)]
    ScheduleOverlap {
        /// The time is passed over, and named.
        #[default]
        Skip = "skip",
        /// The plan runs beside it.
        Run = "run",
    }
}

/// A plan that `mathchain serve --http` runs at times (docs/schedules.md).
#[derive(Debug, Clone, PartialEq, Decode, Describe, Encode)]
pub struct Schedule {
    /// Name, of letters, digits, `_` and `-`
    pub name: String,
    /// File of the plan, relative to this file
    pub plan: String,
    /// Inputs of the plan
    #[value(default)]
    #[schema(schema_with = "inputs_schema")]
    pub inputs: Value,
    /// A time each such duration, counted from 1970-01-01 00:00 UTC, such as `1h`
    #[value(default)]
    pub every: Option<UnitDuration>,
    /// Calendar expression of five fields: minute, hour, day of the month, month, day of the week
    #[value(default)]
    pub cron: Option<String>,
    /// A time of each day, such as `02:30`, or of one day, such as `2026-12-24 18:00`
    #[value(default)]
    pub at: Option<String>,
    /// Time zone of `cron` and `at`, such as `Europe/Berlin`; UTC where absent
    #[value(default)]
    pub zone: Option<String>,
    /// What is done about times at which no server ran
    #[value(default)]
    pub missed: MissedTimes,
    /// What is done at a time at which the run of an earlier one has not ended
    #[value(default)]
    pub overlap: ScheduleOverlap,
    /// Role of the run, which the server must serve; the role of the server where absent
    #[value(default)]
    pub role: Option<String>,
    /// Text of the plan, or why it could not be read; the caller of the reader provides it.
    #[value(skip)]
    pub text: Option<Result<String, String>>,
}

fn inputs_schema() -> Schema {
    json!({"type": "object", "additionalProperties": {}})
}

/// Longest name of a schedule.
const NAME_MAX: usize = 48;

impl Schedule {
    /// Whether a text can name a schedule: it becomes the name of a file of systemd too.
    pub fn is_name(text: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        (1..=NAME_MAX).contains(&text.len()) && text.bytes().all(is_plain)
    }

    /// When it runs.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn timing(&self) -> Result<ScheduleTiming, (&'static str, String)> {
        let given = [self.every.is_some(), self.cron.is_some(), self.at.is_some()];
        if given.iter().filter(|is_given| **is_given).count() != 1 {
            return Err((
                "",
                "a schedule has one of `every`, `cron` and `at`".to_owned(),
            ));
        }
        if let Some(every) = self.every {
            if every.ms() == 0 {
                return Err((
                    "every",
                    "expected a duration such as `1h`, found nothing".to_owned(),
                ));
            }
            if self.zone.is_some() {
                let message =
                    "`every` counts from 1970 in UTC and has no `zone`; `cron` and `at` have one";
                return Err(("zone", message.to_owned()));
            }
            return Ok(ScheduleTiming::Every(every));
        }
        match (&self.cron, &self.at) {
            (Some(text), _) => CalendarFields::parse(text)
                .map(ScheduleTiming::Calendar)
                .map_err(|why| ("cron", why)),
            (None, at) => {
                let text = at.as_deref().unwrap_or_default();
                ScheduleTiming::of_clock(text).ok_or_else(|| {
                    let message = format!(
                        "expected a time such as `02:30` or `2026-12-24 18:00`, found `{text}`"
                    );
                    ("at", message)
                })
            }
        }
    }

    /// The time in words, as it is written.
    pub fn timing_text(&self) -> String {
        let zone = self.zone.as_deref().unwrap_or("UTC");
        match (&self.every, &self.cron, &self.at) {
            (Some(every), ..) => format!("every {every}"),
            (_, Some(cron), _) => format!("cron `{cron}` {zone}"),
            (_, _, at) => format!("at {} {zone}", at.as_deref().unwrap_or_default()),
        }
    }
}

/// When a schedule runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleTiming {
    /// At every whole multiple of a duration since 1970-01-01 00:00 UTC.
    Every(UnitDuration),
    /// Whenever the calendar of its zone matches.
    Calendar(CalendarFields),
    /// Once.
    Once {
        /// Year, month, day.
        date: (i16, i8, i8),
        /// Hour and minute.
        time: (i8, i8),
    },
}

impl ScheduleTiming {
    /// Reads `HH:MM` or `YYYY-MM-DD HH:MM`.
    fn of_clock(text: &str) -> Option<Self> {
        let (date, time) = match text.split_once([' ', 'T']) {
            Some((date, time)) => (Some(date), time),
            None => (None, text),
        };
        let two = |text: &str, below: i8| {
            let is_two = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_two.then(|| text.parse::<i8>().ok()).flatten()?;
            (number < below).then_some(number)
        };
        let (hour, minute) = time.split_once(':')?;
        let (hour, minute) = (two(hour, 24)?, two(minute, 60)?);
        let Some(date) = date else {
            return CalendarFields::parse(&format!("{minute} {hour} * * *"))
                .ok()
                .map(Self::Calendar);
        };
        let mut parts = date.split('-');
        let year = parts.next().filter(|year| year.len() == 4)?;
        let (month, day) = (two(parts.next()?, 13)?, two(parts.next()?, 32)?);
        let is_day = parts.next().is_none() && month > 0 && day > 0;
        is_day.then_some(Self::Once {
            date: (year.parse().ok()?, month, day),
            time: (hour, minute),
        })
    }
}

/// A calendar expression of five fields, each as the set of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarFields {
    /// Minutes, 0 to 59.
    pub minutes: u64,
    /// Hours, 0 to 23.
    pub hours: u64,
    /// Days of the month, 1 to 31.
    pub days: u64,
    /// Months, 1 to 12.
    pub months: u64,
    /// Days of the week, 0 (Sunday) to 6.
    pub weekdays: u64,
    /// Whether the field of hours begins with `*`, so that each hour of the day counts, also one that occurs twice.
    pub any_hour: bool,
    /// Whether the field of days of the month begins with `*`.
    pub any_day: bool,
    /// Whether the field of days of the week begins with `*`.
    pub any_weekday: bool,
}

/// A field: its name, its range, and names for its values.
struct CalendarField {
    name: &'static str,
    least: u32,
    most: u32,
    names: &'static [&'static str],
}

const FIELDS: [CalendarField; 5] = [
    CalendarField {
        name: "minute",
        least: 0,
        most: 59,
        names: &[],
    },
    CalendarField {
        name: "hour",
        least: 0,
        most: 23,
        names: &[],
    },
    CalendarField {
        name: "day of the month",
        least: 1,
        most: 31,
        names: &[],
    },
    CalendarField {
        name: "month",
        least: 1,
        most: 12,
        names: &[
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ],
    },
    // 7 is Sunday too.
    CalendarField {
        name: "day of the week",
        least: 0,
        most: 7,
        names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
    },
];

/// Longest expression.
const TEXT_MAX: usize = 200;

impl CalendarFields {
    /// Reads an expression: each field is `*`, a number, a name, a range `a-b`, one of these with a step `/n`, or several with commas.
    ///
    /// # Errors
    /// The field that is wrong, and why; also for a day that no month has, which never comes.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if words.len() != FIELDS.len() || text.len() > TEXT_MAX {
            return Err(format!(
                "expected five fields (minute, hour, day of the month, month, day of the week), such as `30 2 * * mon-fri`, found {}",
                words.len()
            ));
        }
        let mut sets = [0_u64; 5];
        for ((set, field), word) in sets.iter_mut().zip(&FIELDS).zip(&words) {
            *set = field.read(word)?;
        }
        let [minutes, hours, days, months, weekdays] = sets;
        let is_any = |at: usize| words.get(at).is_some_and(|word| word.starts_with('*'));
        let fields = Self {
            minutes,
            hours,
            days,
            months,
            weekdays: (weekdays | weekdays >> 7) & 0x7f,
            any_hour: is_any(1),
            any_day: is_any(2),
            any_weekday: is_any(4),
        };
        match fields.ever_comes() {
            true => Ok(fields),
            false => Err(format!(
                "no month of `{text}` has such a day: it never comes"
            )),
        }
    }

    /// Whether a day matches: where both the day of the month and that of the week are restricted, either suffices.
    pub fn is_day(&self, month: i8, day: i8, weekday: i8) -> bool {
        let of_month = has(self.days, day);
        let of_week = has(self.weekdays, weekday);
        let matches = match self.any_day || self.any_weekday {
            true => of_month && of_week,
            false => of_month || of_week,
        };
        matches && has(self.months, month)
    }

    fn ever_comes(&self) -> bool {
        const DAYS: [i8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let has_day = |most: i8| (1..=most).any(|day| has(self.days, day));
        let mut months = (1_i8..)
            .zip(DAYS)
            .filter(|(month, _)| has(self.months, *month));
        !self.any_day && !self.any_weekday || months.any(|(_, most)| has_day(most))
    }
}

/// Whether a set has a number.
fn has(set: u64, number: i8) -> bool {
    u32::try_from(number).is_ok_and(|number| number < 64 && set >> number & 1 == 1)
}

impl CalendarField {
    fn read(&self, word: &str) -> Result<u64, String> {
        let mut set = 0;
        for part in word.split(',') {
            set |= self.part(part).ok_or_else(|| {
                let Self { name, least, most, .. } = self;
                format!("the {name} is `*`, numbers from {least} to {most}, ranges `a-b`, steps `*/n`, with commas between them; found `{word}`")
            })?;
        }
        Ok(set)
    }

    fn part(&self, part: &str) -> Option<u64> {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(number(step).filter(|step| *step > 0)?)),
            None => (part, None),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (self.least, self.most),
            Some((first, last)) => (self.value(first)?, self.value(last)?),
            // A step needs a range to go through.
            None if step.is_some() => return None,
            None => (self.value(range)?, self.value(range)?),
        };
        // `*` of the week is each day once.
        let last = if range == "*" && self.most == 7 {
            6
        } else {
            last
        };
        let step = usize::try_from(step.unwrap_or(1)).ok()?;
        (first <= last).then(|| {
            (first..=last)
                .step_by(step)
                .fold(0, |set, one| set | 1 << one)
        })
    }

    fn value(&self, text: &str) -> Option<u32> {
        let named = self
            .names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(text));
        let value = match named {
            Some(place) => u32::try_from(place).ok()?.checked_add(self.least)?,
            None => number(text)?,
        };
        (self.least..=self.most).contains(&value).then_some(value)
    }
}

fn number(text: &str) -> Option<u32> {
    let is_number = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(set: u64) -> Vec<u32> {
        (0..64).filter(|number| set >> number & 1 == 1).collect()
    }

    #[test]
    fn fields_are_sets_of_numbers() {
        let read = CalendarFields::parse("*/20 1-3,22 1,15 jan-mar/2 Mon-Fri").unwrap();
        assert_eq!(numbers(read.minutes), [0, 20, 40]);
        assert_eq!(numbers(read.hours), [1, 2, 3, 22]);
        assert_eq!(numbers(read.days), [1, 15]);
        assert_eq!(numbers(read.months), [1, 3]);
        assert_eq!(numbers(read.weekdays), [1, 2, 3, 4, 5]);
        let sunday = CalendarFields::parse("0 0 * * 7").unwrap();
        assert_eq!(numbers(sunday.weekdays), [0]);
        let weekend = CalendarFields::parse("0 0 * * 6-7").unwrap();
        assert_eq!(numbers(weekend.weekdays), [0, 6]);
        let daily = CalendarFields::parse("0 0 * * *").unwrap();
        assert_eq!(numbers(daily.weekdays), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn days_of_month_and_week_are_joined_as_cron_joins_them() {
        let either = CalendarFields::parse("0 0 13 * fri").unwrap();
        assert!(either.is_day(1, 13, 2) && either.is_day(1, 2, 5) && !either.is_day(1, 2, 2));
        let both = CalendarFields::parse("0 0 */2 * fri").unwrap();
        assert!(both.is_day(1, 13, 5) && !both.is_day(1, 13, 2) && !both.is_day(1, 2, 5));
    }

    #[test]
    fn other_texts_are_refused_with_their_field() {
        for (text, part) in [
            ("", "five fields"),
            ("* * * *", "five fields"),
            ("@daily", "five fields"),
            ("60 * * * *", "minute"),
            ("-1 * * * *", "minute"),
            ("5/2 * * * *", "minute"),
            ("*/0 * * * *", "minute"),
            ("1,,2 * * * *", "minute"),
            ("* 24 * * *", "hour"),
            ("* 5-2 * * *", "hour"),
            ("* * 0 * *", "day of the month"),
            ("* * L * *", "day of the month"),
            ("* * * 13 *", "month"),
            ("* * * * 8", "day of the week"),
            ("* * * * mond", "day of the week"),
            ("0 0 30 2 *", "never"),
            ("0 0 31 4,6 *", "never"),
        ] {
            let why = CalendarFields::parse(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
        assert!(CalendarFields::parse("0 0 29 2 *").is_ok());
        assert!(
            CalendarFields::parse("0 0 30 2 mon").is_ok(),
            "Mondays come"
        );
    }

    #[test]
    fn a_time_of_the_clock_is_daily_or_once() {
        let daily = ScheduleTiming::of_clock("02:30");
        let same = CalendarFields::parse("30 2 * * *").map(ScheduleTiming::Calendar);
        assert_eq!(daily, same.ok());
        let once = ScheduleTiming::Once {
            date: (2026, 12, 24),
            time: (18, 0),
        };
        assert_eq!(
            ScheduleTiming::of_clock("2026-12-24 18:00"),
            Some(once.clone())
        );
        assert_eq!(ScheduleTiming::of_clock("2026-12-24T18:00"), Some(once));
        for text in [
            "",
            "2:30",
            "24:00",
            "02:60",
            "02:30:00",
            "2026-12-24",
            "26-12-24 18:00",
            "2026-13-01 00:00",
            "2026-00-01 00:00",
        ] {
            assert_eq!(ScheduleTiming::of_clock(text), None, "{text}");
        }
    }
}
