//! Columns computed from the rows around each row.

use std::collections::VecDeque;

use crate::cell::TableCell;
use crate::column::{ColumnType, NO_ROW, TableColumn};
use crate::error::{StopCheck, TableError, check_row};
use crate::exact_sum::{DoubleMoments, ExactMoments, ExactSum};
use crate::keys::{GroupMembers, RowGroups};
use crate::order::{OrderCode, SortKey, order_codes, order_rows};
use crate::table::DataTable;

/// What is computed from the rows around a row, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowFunction {
    /// The cell so many rows before; after it where negative.
    Shift(i64),
    /// The difference to the cell so many rows before: of dates in days, of times in seconds.
    Difference(i64),
    /// The sum of the cells up to this one; a missing cell stays missing and adds nothing.
    CumulativeSum,
    /// The place in the order of the cells, from 1; ties take the lowest, a missing cell has none.
    Rank,
    /// The mean of so many cells, this one the last of them; missing where one of them is.
    RollingMean(usize),
    /// Their sum.
    RollingSum(usize),
    /// The smallest of them.
    RollingMin(usize),
    /// The largest of them.
    RollingMax(usize),
    /// Their standard deviation with `n - 1`.
    RollingDeviation(usize),
}

/// In which rows and in which order a window moves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WindowFrame {
    /// Columns whose cells divide the rows into parts of their own.
    pub partition: Vec<String>,
    /// The order of the rows; as they stand where it is empty.
    pub order: Vec<SortKey>,
}

impl DataTable {
    /// A column computed over windows; its rows are those of the table, in the order of the table.
    ///
    /// # Errors
    /// Columns that are not there, a type that the function does not take; a stop.
    pub fn window(
        &self,
        name: &str,
        function: WindowFunction,
        frame: &WindowFrame,
        stop: StopCheck<'_>,
    ) -> Result<TableColumn, TableError> {
        let column = self.column(name)?;
        let rows = order_rows(self, &frame.order, stop)?;
        let partition: Vec<&TableColumn> = frame
            .partition
            .iter()
            .map(|name| self.column(name))
            .collect::<Result<_, _>>()?;
        let groups = RowGroups::new(&partition, self.rows(), stop)?;
        let in_order: Vec<u32> = rows
            .iter()
            .map(|row| groups.groups[*row as usize])
            .collect();
        // Members count within the order: they are translated back to rows.
        let members = GroupMembers::new(&in_order, groups.first_rows.len());
        let parts: Vec<Vec<u32>> = members
            .iter()
            .map(|places| places.iter().map(|place| rows[*place as usize]).collect())
            .collect();
        let window = WindowColumn {
            name,
            column,
            parts: &parts,
            stop,
        };
        match function {
            WindowFunction::Shift(by) => Ok(column.take(&window.shifted(by))),
            WindowFunction::Difference(by) => window.differences(by),
            WindowFunction::CumulativeSum => window.cumulative(),
            WindowFunction::Rank => window.ranks(),
            WindowFunction::RollingSum(length) => window.rolling(length, RollingSum::default()),
            WindowFunction::RollingMean(length) => {
                window.rolling(length, RollingMoments::new(ExactMoments::mean))
            }
            WindowFunction::RollingDeviation(length) => {
                window.rolling(length, RollingMoments::new(ExactMoments::deviation))
            }
            WindowFunction::RollingMin(length) => window.rolling_extreme(length, false),
            WindowFunction::RollingMax(length) => window.rolling_extreme(length, true),
        }
    }
}

struct WindowColumn<'a> {
    name: &'a str,
    column: &'a TableColumn,
    /// The rows of each part, in their order.
    parts: &'a [Vec<u32>],
    stop: StopCheck<'a>,
}

/// A statistic of numbers that come and go.
trait RollingStatistic {
    fn enter(&mut self, value: f64);
    fn leave(&mut self, value: f64);
    fn value(&self) -> Option<f64>;
    fn clear(&mut self);
}

#[derive(Default)]
struct RollingSum(ExactSum);

impl RollingStatistic for RollingSum {
    fn enter(&mut self, value: f64) {
        self.0.add(value);
    }

    fn leave(&mut self, value: f64) {
        self.0.add(-value);
    }

    fn value(&self) -> Option<f64> {
        Some(self.0.value())
    }

    fn clear(&mut self) {
        self.0 = ExactSum::default();
    }
}

struct RollingMoments<F> {
    moments: DoubleMoments,
    read: F,
}

impl<F: Fn(&ExactMoments) -> Option<f64>> RollingMoments<F> {
    fn new(read: F) -> Self {
        let moments = DoubleMoments::default();
        Self { moments, read }
    }
}

impl<F: Fn(&ExactMoments) -> Option<f64>> RollingStatistic for RollingMoments<F> {
    fn enter(&mut self, value: f64) {
        self.moments.add(value);
    }

    fn leave(&mut self, value: f64) {
        self.moments.remove(value);
    }

    fn value(&self) -> Option<f64> {
        (self.read)(&self.moments.finish()?)
    }

    fn clear(&mut self) {
        self.moments = DoubleMoments::default();
    }
}

impl WindowColumn<'_> {
    fn rows(&self) -> usize {
        self.column.len()
    }

    fn wrong_type(&self, expected: &'static str) -> TableError {
        TableError::ColumnType {
            column: self.name.to_owned(),
            expected,
            found: self.column.column_type().to_string(),
        }
    }

    fn numbers(&self) -> Result<Vec<Option<f64>>, TableError> {
        let numbers = self.column.numbers();
        numbers.ok_or_else(|| self.wrong_type("numbers"))
    }

    /// The row so many rows before each row of the table.
    fn shifted(&self, by: i64) -> Vec<u32> {
        let mut shifted = vec![NO_ROW; self.rows()];
        for part in self.parts {
            for (place, row) in part.iter().enumerate() {
                let from = (place as i64).checked_sub(by);
                let from = from.and_then(|from| usize::try_from(from).ok());
                if let Some(before) = from.and_then(|from| part.get(from)) {
                    shifted[*row as usize] = *before;
                }
            }
        }
        shifted
    }

    fn differences(&self, by: i64) -> Result<TableColumn, TableError> {
        const MICROS: f64 = 1e6;
        let before = self.shifted(by);
        let pairs = (0..self.rows()).map(|row| {
            let other = before[row];
            let other = match other {
                NO_ROW => TableCell::Missing,
                other => self.column.cell(other as usize),
            };
            (self.column.cell(row), other)
        });
        Ok(match self.column.column_type() {
            ColumnType::Integer => {
                let exact = pairs.clone().map(|pair| match pair {
                    (TableCell::Integer(now), TableCell::Integer(then)) => {
                        now.checked_sub(then).map(Some)
                    }
                    _ => Some(None),
                });
                match exact.collect::<Option<Vec<Option<i64>>>>() {
                    Some(differences) => TableColumn::integers(differences),
                    None => TableColumn::doubles(
                        pairs.map(|(now, then)| Some(now.as_double()? - then.as_double()?)),
                    ),
                }
            }
            ColumnType::Date => TableColumn::integers(pairs.map(|pair| match pair {
                (TableCell::Date(now), TableCell::Date(then)) => {
                    Some(i64::from(now.0) - i64::from(then.0))
                }
                _ => None,
            })),
            ColumnType::Moment(_) => TableColumn::doubles(pairs.map(|pair| match pair {
                (TableCell::Moment(now), TableCell::Moment(then)) => {
                    Some((i128::from(now.micros) - i128::from(then.micros)) as f64 / MICROS)
                }
                _ => None,
            })),
            ColumnType::Double | ColumnType::Decimal(_) | ColumnType::Missing => {
                TableColumn::doubles(
                    pairs.map(|(now, then)| Some(now.as_double()? - then.as_double()?)),
                )
            }
            ColumnType::Text | ColumnType::Boolean => {
                return Err(self.wrong_type("numbers, dates or times"));
            }
        })
    }

    fn cumulative(&self) -> Result<TableColumn, TableError> {
        if let TableColumn::Integer(_) = self.column
            && let Some(sums) = self.cumulative_integers()
        {
            return Ok(sums);
        }
        let numbers = self.numbers()?;
        let mut sums = vec![None; self.rows()];
        for part in self.parts {
            let mut sum = ExactSum::default();
            for (place, row) in part.iter().enumerate() {
                check_row(place, self.stop)?;
                if let Some(number) = numbers[*row as usize] {
                    sum.add(number);
                    sums[*row as usize] = Some(sum.value());
                }
            }
        }
        Ok(TableColumn::doubles(sums))
    }

    /// Sums of integers; `None` where one has more than 64 bits.
    fn cumulative_integers(&self) -> Option<TableColumn> {
        let mut sums = vec![None; self.rows()];
        for part in self.parts {
            let mut sum = 0_i64;
            for row in part {
                if let TableCell::Integer(number) = self.column.cell(*row as usize) {
                    sum = sum.checked_add(number)?;
                    sums[*row as usize] = Some(sum);
                }
            }
        }
        Some(TableColumn::integers(sums))
    }

    fn ranks(&self) -> Result<TableColumn, TableError> {
        let codes = order_codes(self.column);
        let mut ranks = vec![None; self.rows()];
        for part in self.parts {
            if (self.stop)() {
                return Err(TableError::Stopped);
            }
            let code = |row: &u32| codes[*row as usize];
            let mut sorted: Vec<u32> = part.clone();
            sorted.retain(|row| !code(row).is_missing());
            sorted.sort_by_key(code);
            let mut rank = 1;
            let mut before: Option<OrderCode> = None;
            for (place, row) in sorted.iter().enumerate() {
                if before != Some(code(row)) {
                    rank = place as i64 + 1;
                    before = Some(code(row));
                }
                ranks[*row as usize] = Some(rank);
            }
        }
        Ok(TableColumn::integers(ranks))
    }

    fn rolling(
        &self,
        length: usize,
        mut statistic: impl RollingStatistic,
    ) -> Result<TableColumn, TableError> {
        let numbers = self.numbers()?;
        let mut values = vec![None; self.rows()];
        for part in self.parts {
            statistic.clear();
            let mut there = 0;
            for (place, row) in part.iter().enumerate() {
                check_row(place, self.stop)?;
                if let Some(number) = numbers[*row as usize] {
                    statistic.enter(number);
                    there += 1;
                }
                let left = place.checked_sub(length).map(|left| part[left]);
                if let Some(number) = left.and_then(|row| numbers[row as usize]) {
                    statistic.leave(number);
                    there -= 1;
                }
                if there == length {
                    values[*row as usize] = statistic.value();
                }
            }
        }
        Ok(TableColumn::doubles(values))
    }

    /// Extremes by a queue of candidates, each better than those after it.
    fn rolling_extreme(&self, length: usize, is_max: bool) -> Result<TableColumn, TableError> {
        let codes = order_codes(self.column);
        let mut chosen = vec![NO_ROW; self.rows()];
        for part in self.parts {
            let mut candidates: VecDeque<usize> = VecDeque::new();
            let mut there = 0;
            let code = |place: usize| codes[part[place] as usize];
            for place in 0..part.len() {
                check_row(place, self.stop)?;
                if !code(place).is_missing() {
                    there += 1;
                    let is_beaten = |last: &usize| match is_max {
                        true => code(*last) <= code(place),
                        false => code(*last) >= code(place),
                    };
                    while candidates.back().is_some_and(is_beaten) {
                        candidates.pop_back();
                    }
                    candidates.push_back(place);
                }
                if let Some(left) = place.checked_sub(length) {
                    there -= usize::from(!code(left).is_missing());
                    if candidates.front() == Some(&left) {
                        candidates.pop_front();
                    }
                }
                if let (true, Some(best)) = (there == length, candidates.front()) {
                    chosen[part[place] as usize] = part[*best];
                }
            }
        }
        Ok(self.column.take(&chosen))
    }
}
