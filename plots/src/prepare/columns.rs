//! The values of a channel for each row.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::statistics::quantile_of;
use crate::data::{ColumnCells, DataTable, MISSING, one_line};
use crate::dates::{DAY, MONTHS, calendar_of, parse_date, seconds_of_day};
use crate::decimal::readable_number;
use crate::error::PlotError;
use crate::limits::{AXIS_LEVELS_MAX, VALUE_MAX};
use crate::specification::{
    AggregateKind, BinRule, CategoryOrder, ChannelDefinition, ChannelSource, FieldKind, TimeUnit,
};
use crate::ticks::extended::choose_extended;

/// The values of a channel: numbers, seconds, or positions among categories; NaN is missing.
#[derive(Debug, Clone)]
pub(crate) struct ChannelColumn {
    pub(crate) kind: FieldKind,
    pub(crate) values: Arc<[f64]>,
    /// The categories, in their order.
    pub(crate) levels: Arc<[String]>,
    pub(crate) title: String,
    /// Width of the interval that begins at each value.
    pub(crate) width: Option<f64>,
}

impl ChannelColumn {
    pub(crate) fn is_category(&self) -> bool {
        self.kind == FieldKind::Category
    }

    /// The same column for some rows.
    pub(crate) fn of_rows(&self, rows: &[u32]) -> Self {
        let values = rows.iter().map(|&row| self.values[row as usize]).collect();
        Self {
            values,
            ..self.clone()
        }
    }

    pub(crate) fn finite(&self) -> impl Iterator<Item = f64> + '_ {
        self.values
            .iter()
            .copied()
            .filter(|value| value.is_finite())
    }

    /// Smallest and largest value; `None` without any.
    pub(crate) fn extent(&self) -> Option<[f64; 2]> {
        extent_of(&self.values)
    }

    /// One value in words.
    pub(crate) fn words(&self, value: f64) -> String {
        match self.kind {
            FieldKind::Category => self.levels.get(value as usize).cloned().unwrap_or_default(),
            FieldKind::Time => crate::dates::format_date(value),
            FieldKind::Quantity => readable_number(value, 5),
        }
    }
}

/// Smallest and largest finite value.
pub(crate) fn extent_of(values: &[f64]) -> Option<[f64; 2]> {
    let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
    for &value in values {
        // Comparisons with NaN are false.
        if value < ends[0] && value > f64::NEG_INFINITY {
            ends[0] = value;
        }
        if value > ends[1] && value < f64::INFINITY {
            ends[1] = value;
        }
    }
    (ends[0] <= ends[1]).then_some(ends)
}

/// The name of a channel in words: its title, or its field and what is done with it.
pub(crate) fn channel_title(channel: &ChannelDefinition) -> String {
    if let Some(title) = &channel.title {
        return title.clone();
    }
    let field = match &channel.source {
        ChannelSource::Field(name) => one_line(name),
        ChannelSource::Rows => return "count".to_owned(),
        ChannelSource::Number(_) | ChannelSource::Text(_) => return String::new(),
    };
    match channel.aggregate {
        Some(AggregateKind::Count) => "count".to_owned(),
        Some(aggregate @ AggregateKind::Distinct) => format!("{} {field}", aggregate.words()),
        Some(aggregate) => format!("{} of {field}", aggregate.words()),
        None => field,
    }
}

/// The values of a channel for the rows of a table, before any aggregation.
pub(crate) fn resolve_channel(
    table: &DataTable,
    channel: &ChannelDefinition,
    place: &str,
) -> Result<ChannelColumn, PlotError> {
    let rows = table.rows().max(1);
    let title = channel_title(channel);
    let constant = |kind, value: f64, levels: Vec<String>| ChannelColumn {
        kind,
        values: vec![value; rows].into(),
        levels: levels.into(),
        title: title.clone(),
        width: None,
    };
    let name = match &channel.source {
        ChannelSource::Field(name) => name,
        ChannelSource::Rows => return Ok(constant(FieldKind::Quantity, 1.0, Vec::new())),
        ChannelSource::Number(number) => {
            return Ok(constant(
                channel.kind.unwrap_or(FieldKind::Quantity),
                *number,
                Vec::new(),
            ));
        }
        ChannelSource::Text(text) => {
            return Ok(constant(FieldKind::Category, 0.0, vec![text.clone()]));
        }
    };
    let cells = &table.column(name, place)?.cells;
    let counts_rows = matches!(
        channel.aggregate,
        Some(AggregateKind::Count | AggregateKind::Distinct)
    );
    let mut column = match cells {
        ColumnCells::Numbers(numbers) => {
            check_size(numbers, name, place)?;
            let kind = channel.kind.unwrap_or(FieldKind::Quantity);
            let values = if kind == FieldKind::Time {
                times_of_numbers(numbers)
            } else {
                Arc::clone(numbers)
            };
            ChannelColumn {
                kind,
                values,
                levels: Arc::default(),
                title,
                width: None,
            }
        }
        ColumnCells::Times(times) => ChannelColumn {
            kind: if channel.kind == Some(FieldKind::Category) {
                FieldKind::Category
            } else {
                FieldKind::Time
            },
            values: Arc::clone(times),
            levels: Arc::default(),
            title,
            width: None,
        },
        ColumnCells::Texts { levels, codes } => {
            let wants_numbers = channel.bin.is_some()
                || !counts_rows
                    && (channel.kind == Some(FieldKind::Quantity) || channel.aggregate.is_some());
            if wants_numbers || channel.kind == Some(FieldKind::Time) {
                let read = |level: &String| match channel.kind {
                    Some(FieldKind::Time) => parse_date(level).or_else(|| year_of(level)),
                    _ => level.trim().parse().ok(),
                };
                let numbers: Vec<f64> = levels
                    .iter()
                    .map(|level| read(level).unwrap_or(f64::NAN))
                    .collect();
                if let Some(sample) = levels
                    .iter()
                    .zip(&numbers)
                    .find(|(_, number)| number.is_nan())
                {
                    return Err(PlotError::NotNumeric {
                        place: place.to_owned(),
                        name: one_line(name),
                        sample: sample.0.clone(),
                    });
                }
                let values: Vec<f64> = codes
                    .iter()
                    .map(|&code| numbers.get(code as usize).copied().unwrap_or(f64::NAN))
                    .collect();
                let kind = channel
                    .kind
                    .filter(|kind| *kind != FieldKind::Category)
                    .unwrap_or(FieldKind::Quantity);
                ChannelColumn {
                    kind,
                    values: values.into(),
                    levels: Arc::default(),
                    title,
                    width: None,
                }
            } else {
                let values = codes
                    .iter()
                    .map(|&code| {
                        if code == MISSING {
                            f64::NAN
                        } else {
                            f64::from(code)
                        }
                    })
                    .collect();
                ChannelColumn {
                    kind: FieldKind::Category,
                    values,
                    levels: Arc::clone(levels),
                    title,
                    width: None,
                }
            }
        }
    };
    if let Some(unit) = channel.time_unit {
        column = by_time_unit(column, unit, cells, place, name)?;
    }
    if let Some(rule) = channel.bin {
        column = by_interval(column, rule);
    }
    if column.is_category() && column.levels.is_empty() {
        column = categories_of_numbers(column, cells, place)?;
    }
    if column.is_category() && !counts_rows {
        check_levels(&column, place)?;
        if !matches!(
            channel.time_unit,
            Some(TimeUnit::MonthName | TimeUnit::WeekdayName)
        ) {
            column = in_order(column, &channel.order, &channel.scale.levels);
        }
    }
    Ok(column)
}

/// Four digits are a year.
fn year_of(text: &str) -> Option<f64> {
    let year: i64 = text.trim().parse().ok()?;
    (1000..=9999)
        .contains(&year)
        .then(|| seconds_of_day(year, 1, 1))
}

/// Numbers as times: years where all are of four digits, else seconds or milliseconds since 1970.
fn times_of_numbers(numbers: &[f64]) -> Arc<[f64]> {
    let finite = || numbers.iter().filter(|number| number.is_finite());
    if finite().all(|number| (1000.0..=3000.0).contains(number) && *number == libm::floor(*number))
    {
        return numbers
            .iter()
            .map(|&year| {
                if year.is_finite() {
                    seconds_of_day(year as i64, 1, 1)
                } else {
                    f64::NAN
                }
            })
            .collect();
    }
    let unit = if finite().any(|number| number.abs() > 1e11) {
        1000.0
    } else {
        1.0
    };
    numbers.iter().map(|number| number / unit).collect()
}

fn check_size(numbers: &[f64], name: &str, place: &str) -> Result<(), PlotError> {
    match numbers
        .iter()
        .find(|number| number.is_finite() && number.abs() > VALUE_MAX)
    {
        Some(number) => Err(PlotError::form(
            place,
            format!(
                "values of a size up to {VALUE_MAX:e} in `{}`",
                one_line(name)
            ),
            format!("{number:e}"),
        )),
        None => Ok(()),
    }
}

fn check_levels(column: &ChannelColumn, place: &str) -> Result<(), PlotError> {
    if column.levels.len() > AXIS_LEVELS_MAX {
        return Err(PlotError::TooMany {
            place: place.to_owned(),
            what: "categories".to_owned(),
            found: column.levels.len(),
            most: AXIS_LEVELS_MAX,
        });
    }
    Ok(())
}

/// Numbers or dates as categories, in ascending order.
fn categories_of_numbers(
    column: ChannelColumn,
    cells: &ColumnCells,
    place: &str,
) -> Result<ChannelColumn, PlotError> {
    let key = |value: f64| {
        (value + 0.0).to_bits() as i64 ^ (((value + 0.0).to_bits() as i64 >> 63) as u64 >> 1) as i64
    };
    let mut index: BTreeMap<i64, f64> = BTreeMap::new();
    for value in column.finite() {
        index.insert(key(value), value);
        if index.len() > AXIS_LEVELS_MAX {
            break;
        }
    }
    let is_time = matches!(cells, ColumnCells::Times(_));
    let levels: Vec<String> = index
        .values()
        .map(|&value| match is_time {
            true => crate::dates::format_date(value),
            // Years and identifiers have no commas.
            false if value == libm::floor(value) && value.abs() < 1e15 => {
                format!("{}", value as i64).replace('-', "−")
            }
            false => readable_number(value, 12),
        })
        .collect();
    let column = ChannelColumn {
        levels: levels.into(),
        ..column
    };
    check_levels(&column, place)?;
    let positions: BTreeMap<i64, f64> = index
        .keys()
        .enumerate()
        .map(|(position, key)| (*key, position as f64))
        .collect();
    let values = column
        .values
        .iter()
        .map(|&value| {
            positions
                .get(&key(value))
                .copied()
                .filter(|_| value.is_finite())
                .unwrap_or(f64::NAN)
        })
        .collect();
    Ok(ChannelColumn { values, ..column })
}

/// Texts compared with the numbers in them by their size.
pub(crate) fn compare_naturally(a: &str, b: &str) -> std::cmp::Ordering {
    let number = |text: &str| text.trim().replace('−', "-").parse::<f64>().ok();
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        return a.total_cmp(&b);
    }
    let (mut left, mut right) = (a.chars().peekable(), b.chars().peekable());
    loop {
        match (left.peek().copied(), right.peek().copied()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let digits = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
                    let mut text = String::new();
                    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                        if !(text.is_empty() && digit == '0') {
                            text.push(digit);
                        }
                    }
                    text
                };
                let (x, y) = (digits(&mut left), digits(&mut right));
                let order = x.len().cmp(&y.len()).then_with(|| x.cmp(&y));
                if order.is_ne() {
                    return order;
                }
            }
            (Some(x), Some(y)) if x == y => {
                left.next();
                right.next();
            }
            (x, y) => return x.cmp(&y).then_with(|| a.cmp(b)),
        }
    }
}

/// The categories in their order.
fn in_order(
    column: ChannelColumn,
    order: &CategoryOrder,
    scale_levels: &[String],
) -> ChannelColumn {
    let mut positions: Vec<usize> = (0..column.levels.len()).collect();
    let levels = Arc::clone(&column.levels);
    let given: &[String] = match order {
        CategoryOrder::Given(names) => names,
        _ => scale_levels,
    };
    match order {
        CategoryOrder::AsInData => {}
        CategoryOrder::Descending => {
            positions.sort_by(|&a, &b| compare_naturally(&levels[b], &levels[a]))
        }
        CategoryOrder::Given(_) => {}
        CategoryOrder::Ascending | CategoryOrder::ByValue { .. } => {
            positions.sort_by(|&a, &b| compare_naturally(&levels[a], &levels[b]))
        }
    }
    if !given.is_empty() {
        let rank = |position: &usize| {
            given
                .iter()
                .position(|name| *name == levels[*position])
                .unwrap_or(usize::MAX)
        };
        positions.sort_by_key(rank);
    }
    reordered(column, &positions)
}

/// The categories by new positions: `positions[new] = old`.
pub(crate) fn reordered(column: ChannelColumn, positions: &[usize]) -> ChannelColumn {
    let mut new_of = vec![0.0; positions.len()];
    for (new, &old) in positions.iter().enumerate() {
        new_of[old] = new as f64;
    }
    let levels = positions
        .iter()
        .map(|&old| column.levels[old].clone())
        .collect();
    let values = column
        .values
        .iter()
        .map(|&value| {
            if value.is_finite() {
                new_of[value as usize]
            } else {
                f64::NAN
            }
        })
        .collect();
    ChannelColumn {
        levels,
        values,
        ..column
    }
}

fn by_time_unit(
    column: ChannelColumn,
    unit: TimeUnit,
    cells: &ColumnCells,
    place: &str,
    name: &str,
) -> Result<ChannelColumn, PlotError> {
    let column = match (column.kind, cells) {
        (FieldKind::Time, _) => column,
        (_, ColumnCells::Times(times)) => ChannelColumn {
            values: Arc::clone(times),
            ..column
        },
        (_, ColumnCells::Numbers(numbers)) => ChannelColumn {
            values: times_of_numbers(numbers),
            ..column
        },
        (_, ColumnCells::Texts { levels, .. }) => {
            let sample = levels.first().cloned().unwrap_or_default();
            return Err(PlotError::NotNumeric {
                place: place.to_owned(),
                name: one_line(name),
                sample,
            });
        }
    };
    const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let shorten = |seconds: f64| {
        if !seconds.is_finite() {
            return f64::NAN;
        }
        let day = calendar_of(seconds);
        match unit {
            TimeUnit::Year => seconds_of_day(day.year, 1, 1),
            TimeUnit::Quarter => seconds_of_day(day.year, (day.month - 1) / 3 * 3 + 1, 1),
            TimeUnit::Month => seconds_of_day(day.year, day.month, 1),
            TimeUnit::Day => libm::floor(seconds / DAY) * DAY,
            TimeUnit::Hour => libm::floor(seconds / 3600.0) * 3600.0,
            TimeUnit::MonthName => (day.month - 1) as f64,
            TimeUnit::WeekdayName => (libm::floor(seconds / DAY) as i64 + 3).rem_euclid(7) as f64,
        }
    };
    let names: &[&str] = match unit {
        TimeUnit::MonthName => &MONTHS,
        TimeUnit::WeekdayName => &WEEKDAYS,
        _ => &[],
    };
    let kind = if names.is_empty() {
        column.kind
    } else {
        FieldKind::Category
    };
    let levels: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let values = column
        .values
        .iter()
        .map(|&seconds| shorten(seconds))
        .collect();
    Ok(ChannelColumn {
        kind,
        values,
        levels: levels.into(),
        ..column
    })
}

/// The interval of each value.
fn by_interval(column: ChannelColumn, rule: BinRule) -> ChannelColumn {
    let Some([low, high]) = column.extent() else {
        return column;
    };
    let step = match rule.step {
        Some(step) if (high - low) / step < 1e5 => step,
        _ => interval_width(&column, rule.most, low, high),
    };
    let values = column
        .values
        .iter()
        .map(|value| libm::floor(value / step + 1e-9) * step);
    // The largest value of a whole number of intervals belongs to the last one.
    let last = libm::floor(high / step + 1e-9) * step;
    let closes = last > low && last >= high - 1e-9 * step;
    let values = values
        .map(|start| {
            if closes && start >= last {
                last - step
            } else {
                start
            }
        })
        .collect();
    ChannelColumn {
        values,
        width: Some(step),
        ..column
    }
}

/// A round width of intervals: by the distance of the quartiles (Freedman and Diaconis 1981), at least as Sturges has it, at most `most`.
fn interval_width(column: &ChannelColumn, most: Option<usize>, low: f64, high: f64) -> f64 {
    let span = high - low;
    if span <= 0.0 {
        return if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
    }
    let wanted = match most {
        Some(most) => most as f64,
        None => {
            // Of large columns every so many-th value tells the quartiles well enough.
            let stride = column.values.len().div_ceil(20_000).max(1);
            let mut sample: Vec<f64> = column
                .values
                .iter()
                .step_by(stride)
                .copied()
                .filter(|value| value.is_finite())
                .collect();
            sample.sort_by(f64::total_cmp);
            let count = column.values.len() as f64;
            let middle = quantile_of(&sample, 0.75) - quantile_of(&sample, 0.25);
            let wide = 2.0 * middle / libm::cbrt(count);
            let sturges = libm::log2(count) + 1.0;
            if wide > 0.0 {
                (span / wide).clamp(sturges, 60.0)
            } else {
                sturges
            }
        }
    };
    let ticks = choose_extended(low, high, (wanted as usize + 1).clamp(2, 60));
    let step = match ticks[..] {
        [first, second, ..] => second.value() - first.value(),
        _ => span / wanted.max(1.0),
    };
    match most {
        Some(most) if libm::ceil(high / step) - libm::floor(low / step) > most as f64 => {
            let wider = choose_extended(low, high, (most / 2 + 1).max(2));
            match wider[..] {
                [first, second, ..] => (second.value() - first.value()).max(step),
                _ => span,
            }
        }
        _ => step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_ordered_as_readers_do() {
        let mut names = vec!["item 10", "item 2", "b", "A", "10", "9", "item 02b"];
        names.sort_by(|a, b| compare_naturally(a, b));
        assert_eq!(
            names,
            ["9", "10", "A", "b", "item 2", "item 02b", "item 10"]
        );
    }
}
