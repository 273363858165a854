//! Due times of the schedules of a configuration, in their time zones.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use registry::model::{CalendarFields, Schedule, ScheduleTiming};
use tool_core::{Result, tool_error};

/// When a schedule is due.
#[derive(Debug, Clone)]
pub struct DueTimes {
    timing: ScheduleTiming,
    zone: TimeZone,
    digest: String,
}

/// Most due times that are looked at together.
const COUNTED_MAX: usize = 10_000;

/// Days in which a calendar that ever matches does so: February 29 comes within eight years.
const DAYS_MAX: i32 = 366 * 8 + 3;

impl DueTimes {
    /// The due times of a schedule.
    ///
    /// # Errors
    /// `invalid_request` for an unknown zone, or times that are none.
    pub fn of(schedule: &Schedule) -> Result<Self> {
        let name = &schedule.name;
        let timing = schedule.timing().map_err(
            |(key, why)| tool_error!(InvalidRequest, "schedule"; "schedule `{name}`, `{key}`: {why}"),
        )?;
        let zone = match schedule.zone.as_deref() {
            None => TimeZone::UTC,
            Some(zone) => TimeZone::get(zone).map_err(|_| {
                tool_error!(InvalidRequest, "schedule"; "schedule `{name}`: no time zone is named `{zone}`";
                    "zones have names such as `Europe/Berlin` and `UTC`")
            })?,
        };
        let digest = registry::digest::of_texts([&*schedule.timing_text()]);
        let due = Self {
            timing,
            zone,
            digest,
        };
        if let ScheduleTiming::Once { .. } = due.timing
            && due.next(0).is_none()
        {
            return Err(tool_error!(InvalidRequest, "schedule";
                "schedule `{name}`: `at` names no day of the calendar after 1970"));
        }
        Ok(due)
    }

    /// Digest of what the times are: what was missed under other times is of no interest.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The first due time after a moment, both in milliseconds since 1970-01-01 UTC; `None` where none comes.
    pub fn next(&self, after_ms: u64) -> Option<u64> {
        let after = Timestamp::from_millisecond(i64::try_from(after_ms).ok()?).ok()?;
        let next = match &self.timing {
            ScheduleTiming::Every(every) => {
                let (whole, every) = (after_ms / every.ms(), every.ms());
                return whole.checked_add(1)?.checked_mul(every);
            }
            ScheduleTiming::Once { date, time } => {
                let date = Date::new(date.0, date.1, date.2).ok()?;
                let time = Time::new(time.0, time.1, 0, 0).ok()?;
                let due = self.moment(date.to_datetime(time))?;
                (due > after).then_some(due)?
            }
            ScheduleTiming::Calendar(fields) => self.next_of(fields, after)?,
        };
        u64::try_from(next.as_millisecond()).ok()
    }

    /// The newest due times after a moment up to another, oldest first, at most as many; and how many earlier ones there are, at least.
    pub fn between(&self, after_ms: u64, until_ms: u64, count_max: usize) -> (Vec<u64>, usize) {
        let mut found = self.first_between(after_ms, until_ms);
        let mut more = 0;
        if found.len() == COUNTED_MAX {
            // Of so many, the last are found from a moment near the end: no calendar is due more often than each minute.
            let step = match &self.timing {
                ScheduleTiming::Every(every) => every.ms(),
                _ => 60_000,
            };
            let near = until_ms.saturating_sub(step.saturating_mul(COUNTED_MAX as u64 - 1));
            let newest = self.first_between(near.max(after_ms), until_ms);
            let first = newest.first().copied().unwrap_or(until_ms);
            more = found.iter().filter(|due| **due < first).count();
            found = newest;
        }
        let older = found.len().saturating_sub(count_max);
        (found.split_off(older), more + older)
    }

    fn first_between(&self, after_ms: u64, until_ms: u64) -> Vec<u64> {
        let next = |at: &u64| self.next(*at).filter(|due| *due <= until_ms);
        let due = std::iter::successors(next(&after_ms), next);
        due.take(COUNTED_MAX).collect()
    }

    fn next_of(&self, fields: &CalendarFields, after: Timestamp) -> Option<Timestamp> {
        let local = after.to_zoned(self.zone.clone()).date();
        // A time of yesterday may have been moved over a gap.
        let mut date = local.yesterday().ok()?;
        let mut best: Option<Timestamp> = None;
        for day in 0..DAYS_MAX {
            let weekday = date.weekday().to_sunday_zero_offset();
            if fields.is_day(date.month(), date.day(), weekday) {
                let due = self.times_of(fields, date).into_iter();
                let first = due.filter(|due| *due > after).min();
                best = best.into_iter().chain(first).min();
            }
            if best.is_some() && day >= 2 {
                return best;
            }
            date = date.tomorrow().ok()?;
        }
        best
    }

    /// The moments of a day.
    fn times_of(&self, fields: &CalendarFields, date: Date) -> BTreeSet<Timestamp> {
        let within = |set: u64, below: i8| (0..below).filter(move |one| set >> one & 1 == 1);
        let times = within(fields.hours, 24).flat_map(|hour| {
            within(fields.minutes, 60).filter_map(move |minute| Time::new(hour, minute, 0, 0).ok())
        });
        let times = times.map(|time| date.to_datetime(time));
        match fields.any_hour {
            false => times.filter_map(|time| self.moment(time)).collect(),
            true => times.flat_map(|time| self.moments(time)).collect(),
        }
    }

    /// A time of the clock: the first of two, and where the clock passes over it, as much later as it is put forward.
    fn moment(&self, time: DateTime) -> Option<Timestamp> {
        self.zone.to_ambiguous_timestamp(time).compatible().ok()
    }

    /// Every moment at which the clock shows a time.
    fn moments(&self, time: DateTime) -> Vec<Timestamp> {
        let ambiguous = self.zone.to_ambiguous_timestamp(time);
        match ambiguous.offset() {
            AmbiguousOffset::Gap { .. } => Vec::new(),
            AmbiguousOffset::Unambiguous { .. } => ambiguous.compatible().into_iter().collect(),
            AmbiguousOffset::Fold { .. } => {
                let both = [ambiguous.earlier(), ambiguous.later()];
                both.into_iter().flatten().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> u64 {
        let moment: Timestamp = text.parse().unwrap();
        u64::try_from(moment.as_millisecond()).unwrap()
    }

    fn due(key: &str, value: &str, zone: Option<&str>) -> DueTimes {
        let mut schedule = Schedule {
            name: "s".to_owned(),
            plan: "p.yaml".to_owned(),
            inputs: Default::default(),
            every: None,
            cron: None,
            at: None,
            zone: zone.map(str::to_owned),
            missed: Default::default(),
            overlap: Default::default(),
            role: None,
            text: None,
        };
        match key {
            "every" => schedule.every = registry::model::UnitDuration::parse(value),
            "cron" => schedule.cron = Some(value.to_owned()),
            _ => schedule.at = Some(value.to_owned()),
        }
        DueTimes::of(&schedule).unwrap()
    }

    #[track_caller]
    fn follows(due: &DueTimes, after: &str, expected: &[&str]) {
        let mut at = ms(after);
        for moment in expected {
            let next = due.next(at).expect("a next time");
            let shown = Timestamp::from_millisecond(next as i64).unwrap();
            assert_eq!(shown, moment.parse().unwrap(), "after {after}");
            at = next;
        }
    }

    #[test]
    fn every_counts_from_1970() {
        let hourly = due("every", "1h", None);
        follows(
            &hourly,
            "2026-11-30T10:59:59.999Z",
            &["2026-11-30T11:00:00Z", "2026-11-30T12:00:00Z"],
        );
        follows(
            &due("every", "90s", None),
            "1970-01-01T00:00:00Z",
            &["1970-01-01T00:01:30Z"],
        );
        assert_eq!(due("every", "1h", None).next(u64::MAX), None);
    }

    #[test]
    fn a_time_that_the_clock_passes_over_comes_later_and_one_that_repeats_once() {
        let daily = due("at", "02:30", Some("Europe/Berlin"));
        follows(
            &daily,
            "2026-03-28T00:00:00Z",
            &[
                "2026-03-28T01:30:00Z",
                "2026-03-29T01:30:00Z",
                "2026-03-30T00:30:00Z",
            ],
        );
        follows(
            &daily,
            "2026-10-24T12:00:00Z",
            &["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
        );
    }

    #[test]
    fn where_each_hour_counts_both_of_a_repeated_one_do_and_none_of_a_gap() {
        let hourly = due("cron", "30 * * * *", Some("Europe/Berlin"));
        follows(
            &hourly,
            "2026-10-24T23:45:00Z",
            &[
                "2026-10-25T00:30:00Z",
                "2026-10-25T01:30:00Z",
                "2026-10-25T02:30:00Z",
            ],
        );
        follows(
            &hourly,
            "2026-03-29T00:00:00Z",
            &[
                "2026-03-29T00:30:00Z",
                "2026-03-29T01:30:00Z",
                "2026-03-29T02:30:00Z",
            ],
        );
    }

    #[test]
    fn a_midnight_that_the_clock_passes_over_comes_on_the_same_day() {
        let daily = due("at", "00:15", Some("America/Santiago"));
        follows(
            &daily,
            "2026-09-05T12:00:00Z",
            &["2026-09-06T04:15:00Z", "2026-09-07T03:15:00Z"],
        );
    }

    #[test]
    fn calendars_reach_over_years_and_weeks() {
        follows(
            &due("cron", "0 0 29 2 *", None),
            "2026-11-30T00:00:00Z",
            &["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"],
        );
        // 2100 has no February 29.
        follows(
            &due("cron", "0 0 29 2 *", None),
            "2097-01-01T00:00:00Z",
            &["2104-02-29T00:00:00Z"],
        );
        follows(
            &due("cron", "0 9 1 * mon", None),
            "2026-11-30T09:00:00Z",
            &["2026-12-01T09:00:00Z", "2026-12-07T09:00:00Z"],
        );
        follows(
            &due("cron", "*/15 9-10 * * mon-fri", None),
            "2026-11-27T10:30:00Z",
            &[
                "2026-11-27T10:45:00Z",
                "2026-11-30T09:00:00Z",
                "2026-11-30T09:15:00Z",
            ],
        );
    }

    #[test]
    fn once_is_once() {
        let once = due("at", "2026-12-24 18:00", Some("Europe/Berlin"));
        assert_eq!(
            once.next(ms("2026-12-01T00:00:00Z")),
            Some(ms("2026-12-24T17:00:00Z"))
        );
        assert_eq!(once.next(ms("2026-12-24T17:00:00Z")), None);
    }

    #[test]
    fn of_many_times_the_newest_are_named_and_the_others_counted() {
        let minutely = due("every", "1min", None);
        let (named, more) = minutely.between(0, 3_600_000, 10);
        assert_eq!((named.len(), more), (10, 50));
        assert_eq!(named.last(), Some(&3_600_000));
        let year_ms = 366 * 86_400_000;
        let (named, more) = minutely.between(0, year_ms, 10);
        assert_eq!((named.last(), named.len()), (Some(&year_ms), 10));
        assert!(more >= 10_000);
        let daily = due("at", "00:00", None);
        let (named, more) = daily.between(0, year_ms, 400);
        assert_eq!(
            (named.len(), named.first(), more),
            (366, Some(&86_400_000), 0)
        );
        let (named, more) = minutely.between(3_600_000, 3_659_999, 10);
        assert_eq!((named.len(), more), (0, 0));
    }

    /// Against a walk through every minute.
    #[test]
    fn a_calendar_agrees_with_a_walk_through_all_minutes() {
        let zone = TimeZone::get("America/New_York").unwrap();
        for text in ["*/7 * * * *", "5,50 * 1,8 * sun", "30 */3 * 3,11 *"] {
            let times = due("cron", text, Some("America/New_York"));
            let fields = CalendarFields::parse(text).unwrap();
            let mut at = ms("2026-10-30T00:00:00Z");
            let end = ms("2026-11-09T00:00:00Z");
            let mut walked = Vec::new();
            let mut minute = at + 60_000;
            while minute <= end {
                let local = Timestamp::from_millisecond(minute as i64)
                    .unwrap()
                    .to_zoned(zone.clone());
                let weekday = local.weekday().to_sunday_zero_offset();
                if fields.is_day(local.month(), local.day(), weekday)
                    && fields.hours >> local.hour() & 1 == 1
                    && fields.minutes >> local.minute() & 1 == 1
                {
                    walked.push(minute);
                }
                minute += 60_000;
            }
            let mut found = Vec::new();
            while let Some(due) = times.next(at).filter(|due| *due <= end) {
                found.push(due);
                at = due;
            }
            assert_eq!(found, walked, "{text}");
        }
    }
}
