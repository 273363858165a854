//! Ticks of an axis of dates: steps of the calendar, the first label with its context.

use super::extended::choose_extended;
use super::{LabelsFit, ScaleTick};
use crate::dates::{DAY, MONTHS, calendar_of, days_from_calendar, format_clock, seconds_of_day};

/// A step of the calendar.
#[derive(Debug, Clone, Copy, PartialEq)]
enum CalendarStep {
    Seconds(i64),
    Days(i64),
    Months(i64),
}

const LADDER: [CalendarStep; 21] = [
    CalendarStep::Seconds(1),
    CalendarStep::Seconds(5),
    CalendarStep::Seconds(15),
    CalendarStep::Seconds(30),
    CalendarStep::Seconds(60),
    CalendarStep::Seconds(300),
    CalendarStep::Seconds(900),
    CalendarStep::Seconds(1800),
    CalendarStep::Seconds(3600),
    CalendarStep::Seconds(10_800),
    CalendarStep::Seconds(21_600),
    CalendarStep::Seconds(43_200),
    CalendarStep::Days(1),
    CalendarStep::Days(2),
    CalendarStep::Days(7),
    CalendarStep::Days(14),
    CalendarStep::Months(1),
    CalendarStep::Months(2),
    CalendarStep::Months(3),
    CalendarStep::Months(6),
    CalendarStep::Months(12),
];

/// Most ticks that a step is tried with.
const TICKS_MAX: f64 = 60.0;

/// Ticks between two times in seconds.
pub(crate) fn date_ticks(low: f64, high: f64, most: usize, fits: LabelsFit<'_>) -> Vec<ScaleTick> {
    let most = most.max(2);
    let span = high - low;
    for step in LADDER {
        let length = match step {
            CalendarStep::Seconds(seconds) => seconds as f64,
            CalendarStep::Days(days) => days as f64 * DAY,
            CalendarStep::Months(months) => months as f64 * 30.4 * DAY,
        };
        if span / length > TICKS_MAX {
            continue;
        }
        let ticks = step_ticks(low, high, step);
        if ticks.len() >= 2 && ticks.len() <= most && fits(&ticks) {
            return ticks;
        }
    }
    let years = |seconds: f64| calendar_of(seconds).year as f64;
    if span > 3.0 * 365.0 * DAY {
        for count in (2..=most).rev() {
            let chosen = choose_extended(years(low), years(high) + 1.0, count);
            let whole = chosen
                .iter()
                .map(|decimal| decimal.value())
                .filter(|year| *year == libm::floor(*year));
            let ticks: Vec<ScaleTick> = whole
                .map(|year| ScaleTick {
                    value: seconds_of_day(year as i64, 1, 1),
                    label: format!("{year}"),
                })
                .filter(|tick| (low..=high).contains(&tick.value))
                .collect();
            if ticks.len() >= 2 && fits(&ticks) {
                return ticks;
            }
        }
    }
    sparse_ticks(low, high, fits)
}

/// One label at least: a tick of the finest step that has one or two within the range.
fn sparse_ticks(low: f64, high: f64, fits: LabelsFit<'_>) -> Vec<ScaleTick> {
    for step in LADDER.iter().rev() {
        let CalendarStep::Seconds(_) = step else {
            let ticks = step_ticks(low, high, *step);
            if !ticks.is_empty() && ticks.len() <= 400 {
                let middle = ticks[ticks.len() / 2].clone();
                let alone = vec![ScaleTick {
                    label: full_label(middle.value),
                    ..middle
                }];
                return if fits(&alone) {
                    alone
                } else {
                    vec![ticks[ticks.len() / 2].clone()]
                };
            }
            continue;
        };
    }
    let middle = low / 2.0 + high / 2.0;
    let value = libm::floor(middle).clamp(low, high);
    vec![ScaleTick {
        value,
        label: full_label(value),
    }]
}

fn full_label(seconds: f64) -> String {
    crate::dates::format_date(libm::floor(seconds))
}

fn step_ticks(low: f64, high: f64, step: CalendarStep) -> Vec<ScaleTick> {
    let times: Vec<f64> = match step {
        CalendarStep::Seconds(seconds) => {
            let seconds = seconds as f64;
            let (first, last) = (
                libm::ceil(low / seconds) as i64,
                libm::floor(high / seconds) as i64,
            );
            (first..=last.min(first + 500))
                .map(|index| index as f64 * seconds)
                .collect()
        }
        CalendarStep::Days(days) => {
            // Weeks begin on Monday: 1970-01-05 was one.
            let shift = if days >= 7 { 4 } else { 0 };
            let first = (libm::ceil(low / DAY) as i64 - shift).div_euclid(days);
            let last = (libm::floor(high / DAY) as i64 - shift).div_euclid(days);
            (first..=last.min(first + 500))
                .map(|index| (index * days + shift) as f64 * DAY)
                .collect()
        }
        CalendarStep::Months(months) => {
            let month_of = |seconds: f64| {
                let day = calendar_of(seconds);
                day.year * 12 + day.month - 1
            };
            let (first, last) = (
                month_of(low).div_euclid(months),
                month_of(high).div_euclid(months) + 1,
            );
            (first..=last.min(first + 1500))
                .map(|index| days_from_calendar(0, index * months + 1, 1) as f64 * DAY)
                .collect()
        }
    };
    let times: Vec<f64> = times
        .into_iter()
        .filter(|time| (low..=high).contains(time))
        .collect();
    let mut labels = Vec::with_capacity(times.len());
    for (index, &time) in times.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| times[before]);
        labels.push(ScaleTick {
            value: time,
            label: step_label(time, before, step),
        });
    }
    labels
}

/// The label of a tick: what changed since the tick before it.
fn step_label(time: f64, before: Option<f64>, step: CalendarStep) -> String {
    let day = calendar_of(time);
    let month = MONTHS[(day.month - 1) as usize];
    let last = before.map(calendar_of);
    match step {
        CalendarStep::Months(months) if months >= 12 => format!("{}", day.year),
        CalendarStep::Months(_) => match last {
            Some(last) if last.year == day.year => month.to_owned(),
            Some(_) => format!("{}", day.year),
            None => format!("{month} {}", day.year),
        },
        CalendarStep::Days(_) => match last {
            Some(last) if (last.year, last.month) == (day.year, day.month) => {
                format!("{}", day.day)
            }
            Some(last) if last.year == day.year => format!("{} {month}", day.day),
            _ => format!("{} {month} {}", day.day, day.year),
        },
        CalendarStep::Seconds(_) => {
            let clock = format_clock((time - libm::floor(time / DAY) * DAY) as i64);
            match last {
                Some(last) if last == day => clock,
                _ => format!("{} {month} {clock}", day.day),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dates::parse_date;

    fn labels(low: &str, high: &str, most: usize) -> Vec<String> {
        let ticks = date_ticks(
            parse_date(low).unwrap(),
            parse_date(high).unwrap(),
            most,
            &|_| true,
        );
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn steps_are_of_the_calendar() {
        assert_eq!(
            labels("2023-11-15", "2024-04-02", 6),
            ["Dec 2023", "2024", "Feb", "Mar", "Apr"]
        );
        assert_eq!(
            labels("2024-02-27", "2024-03-02", 6),
            ["27 Feb 2024", "28", "29", "1 Mar", "2"]
        );
        assert_eq!(
            labels("2024-01-01 22:00", "2024-01-02 03:00", 7),
            [
                "1 Jan 22:00",
                "23:00",
                "2 Jan 00:00",
                "01:00",
                "02:00",
                "03:00"
            ]
        );
        assert_eq!(
            labels("1990-05-01", "2024-05-01", 5),
            ["1990", "2000", "2010", "2020"]
                .into_iter()
                .skip(1)
                .collect::<Vec<_>>()
        );
        assert!(!labels("2024-01-01 10:00:00.2", "2024-01-01 10:00:00.9", 5).is_empty());
        assert!(!labels("2024-01-03", "2024-01-29", 2).is_empty());
    }
}
