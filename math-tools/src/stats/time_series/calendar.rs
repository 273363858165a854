//! Times of a series: equal steps of months, days, moments or numbers, and the times after the last.

use ::tables::{CalendarDate, MomentCell, TableCell, TableColumn, format_date, format_moment};

use crate::prelude::*;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// The times of the values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TimeAxis {
    /// None: places count from 0.
    None,
    /// Dates so many months apart.
    Months {
        /// Months since year 0 of the first.
        first: i64,
        /// The day of the month; the last day of shorter months.
        day: i64,
        /// Months.
        step: i64,
    },
    /// Dates so many days apart.
    Days {
        /// Days since 1970-01-01.
        first: i64,
        /// Days.
        step: i64,
    },
    /// Moments so many microseconds apart.
    Moments {
        /// Microseconds since 1970.
        first: i64,
        /// Microseconds.
        step: i64,
        /// The zone in which they are shown.
        zone: Option<String>,
    },
    /// Numbers such as years.
    Numbers {
        /// The first.
        first: i64,
        /// The distance.
        step: i64,
    },
}

/// A time as a whole number of its unit, with the cell that belongs to it.
type TimedCell = (i64, Option<f64>);

impl TimeAxis {
    /// The axis of a column of times, and the cells in their order with a missing one for each time that is left out.
    pub(crate) fn of_column(
        name: &str,
        column: &TableColumn,
        cells: Vec<Option<f64>>,
        most: usize,
        ctx: &Ctx,
    ) -> Result<(Self, Vec<Option<f64>>), ToolError> {
        let mut timed = Vec::with_capacity(cells.len());
        let mut zone = None;
        let mut kind = None;
        for (row, (cell, value)) in column.cells().zip(cells).enumerate() {
            if row % 65_536 == 0 {
                ctx.check()?;
            }
            let (time, of_kind) = match cell {
                TableCell::Date(CalendarDate(days)) => (i64::from(days), TimeKind::Date),
                TableCell::Moment(MomentCell { micros, zone: of }) => {
                    zone = of.map(str::to_owned);
                    (micros, TimeKind::Moment)
                }
                TableCell::Integer(number) => (number, TimeKind::Number),
                TableCell::Missing => {
                    refuse!(invalid "/time", "time"; "row {row} of `{name}` has no time (rows count from 0)";
                        "leave the row out, or name another column of times");
                }
                _ => {
                    let found = column.column_type();
                    refuse!(invalid "/time", "time"; "expected dates, moments or whole numbers in `{name}`, found {found}";
                        "write dates as 2024-05-17; without a column of times leave `time` out");
                }
            };
            kind = Some(of_kind);
            timed.push((time, value));
        }
        let is_sorted = timed.windows(2).all(|pair| pair[0].0 <= pair[1].0);
        if !is_sorted {
            ctx.warn(format!("the rows are put in the order of `{name}`"));
            timed.sort_by_key(|(time, _)| *time);
        }
        match kind {
            Some(kind) if timed.len() > 1 => spread_cells(name, kind, zone, &timed, most),
            _ => Ok((
                Self::None,
                timed.into_iter().map(|(_, value)| value).collect(),
            )),
        }
    }

    /// The axis without the first values.
    pub(crate) fn starting_at(self, left_out: usize) -> Self {
        let by = |first: i64, step: i64| {
            first.saturating_add(step.saturating_mul(left_out.try_into().unwrap_or(i64::MAX)))
        };
        match self {
            Self::None => Self::None,
            Self::Months { first, day, step } => Self::Months {
                first: by(first, step),
                day,
                step,
            },
            Self::Days { first, step } => Self::Days {
                first: by(first, step),
                step,
            },
            Self::Moments { first, step, zone } => Self::Moments {
                first: by(first, step),
                step,
                zone,
            },
            Self::Numbers { first, step } => Self::Numbers {
                first: by(first, step),
                step,
            },
        }
    }

    /// The time of a place, as the table would write it.
    pub(crate) fn label(&self, place: usize) -> Option<String> {
        match self.clone().starting_at(place) {
            Self::None => None,
            Self::Months { first, day, .. } => {
                let (year, month) = (first.div_euclid(12), first.rem_euclid(12) + 1);
                let day = day.min(days_of_month(year, month));
                Some(format!("{year:04}-{month:02}-{day:02}"))
            }
            Self::Days { first, .. } => {
                let days = i32::try_from(first).unwrap_or(i32::MAX);
                Some(format_date(CalendarDate(days)))
            }
            Self::Moments { first, zone, .. } => Some(format_moment(MomentCell {
                micros: first,
                zone: zone.as_deref(),
            })),
            Self::Numbers { first, .. } => Some(first.to_string()),
        }
    }

    /// The period that times so far apart usually have, where there is one.
    pub(crate) fn usual_period(&self) -> Option<usize> {
        const HOUR: i64 = DAY / 24;
        let whole = |of: i64, step: i64| {
            let is_whole = step > 0 && of % step == 0;
            is_whole.then(|| usize::try_from(of / step).ok()).flatten()
        };
        match self {
            Self::None | Self::Numbers { .. } => None,
            Self::Months { step, .. } if *step >= 12 => Some(1),
            Self::Months { step, .. } => whole(12, *step),
            Self::Days { step: 7, .. } => Some(52),
            Self::Days { step, .. } => whole(7, *step),
            Self::Moments { step, .. } if *step >= DAY => whole(7 * DAY, *step),
            Self::Moments { step, .. } if *step >= HOUR / 4 => whole(DAY, *step),
            Self::Moments { step, .. } => whole(HOUR, *step),
        }
    }

    /// The step in words: `1 month`.
    pub(crate) fn step_words(&self) -> String {
        let words = |count: i64, unit: &str| match count {
            1 => format!("1 {unit}"),
            count => format!("{count} {unit}s"),
        };
        match self {
            Self::None => "1 place".to_owned(),
            Self::Months { step, .. } if step % 12 == 0 => words(step / 12, "year"),
            Self::Months { step, .. } => words(*step, "month"),
            Self::Days { step, .. } => words(*step, "day"),
            Self::Numbers { step, .. } => words(*step, "unit"),
            Self::Moments { step, .. } => {
                let units = [
                    (DAY, "day"),
                    (DAY / 24, "hour"),
                    (60_000_000, "minute"),
                    (1_000_000, "second"),
                    (1, "microsecond"),
                ];
                let unit = units.iter().find(|(size, _)| step % size == 0);
                unit.map_or_else(String::new, |(size, unit)| words(step / size, unit))
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum TimeKind {
    Date,
    Moment,
    Number,
}

/// The axis of ascending times, and the cells with missing ones between.
fn spread_cells(
    name: &str,
    kind: TimeKind,
    zone: Option<String>,
    timed: &[TimedCell],
    most: usize,
) -> Result<(TimeAxis, Vec<Option<f64>>), ToolError> {
    let months = match kind {
        TimeKind::Date => month_places(timed),
        _ => None,
    };
    let places: Vec<i64> = match &months {
        Some((months, _)) => months.clone(),
        None => timed.iter().map(|(time, _)| *time).collect(),
    };
    let steps = places
        .windows(2)
        .map(|pair| pair[1].saturating_sub(pair[0]));
    if steps.clone().any(|step| step == 0) {
        refuse!(invalid "/data", "time"; "two rows have the same time in `{name}`";
            "a series has one value at a time: group the rows with `table_group`, or choose those of one series");
    }
    let step = steps.clone().min().unwrap_or(1);
    if let Some(row) = steps.clone().position(|other| other % step != 0) {
        refuse!(invalid "/data", "time"; "the times of `{name}` are not equally far apart: rows {row} and {} are no multiple of the least step apart", row + 1;
            "pass values at equal distances, or leave `time` out and name the series alone");
    }
    let (first, last) = (places[0], places[places.len() - 1]);
    let count = usize::try_from(last.saturating_sub(first) / step).unwrap_or(usize::MAX);
    if count >= most || count > timed.len().saturating_mul(20) {
        refuse!(invalid "/data", "time"; "between the first and the last of the {} times there are {count} steps", timed.len();
            "most of the values would be missing: pass a table with a value at each time");
    }
    let mut cells = vec![None; count + 1];
    for (place, (_, value)) in places.iter().zip(timed) {
        let at = usize::try_from((place - first) / step).unwrap_or(0);
        cells[at] = *value;
    }
    let axis = match (kind, months) {
        (TimeKind::Date, Some((_, day))) => TimeAxis::Months { first, day, step },
        (TimeKind::Date, None) => TimeAxis::Days { first, step },
        (TimeKind::Moment, _) => TimeAxis::Moments { first, step, zone },
        (TimeKind::Number, _) => TimeAxis::Numbers { first, step },
    };
    Ok((axis, cells))
}

/// The months of dates that have the same day, or are the last days of their months, with that day; `None` of others.
fn month_places(timed: &[TimedCell]) -> Option<(Vec<i64>, i64)> {
    let mut months = Vec::with_capacity(timed.len());
    let (mut is_same, mut is_last) = (true, true);
    let mut known = None;
    for (days, _) in timed {
        let date = CalendarDate(i32::try_from(*days).ok()?).to_civil()?;
        let (year, month, day) = (
            i64::from(date.year()),
            i64::from(date.month()),
            i64::from(date.day()),
        );
        is_same &= *known.get_or_insert(day) == day;
        is_last &= day == days_of_month(year, month);
        months.push(12 * year + month - 1);
    }
    let is_ascending = months.windows(2).all(|pair| pair[0] < pair[1]);
    let day = if is_last { 31 } else { known? };
    (is_ascending && (is_same || is_last)).then_some((months, day))
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
