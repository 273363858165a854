//! [`AggregateFunction`]: one value from the cells of a group.

use crate::cell::TableCell;
use crate::column::{ColumnType, NO_ROW, TableColumn};
use crate::error::{StopCheck, TableError, check_row};
use crate::exact_sum::{DoubleMoments, ExactMoments, ExactSum};
use crate::keys::{GroupMembers, MISSING_CODE, codes_of_column};
use crate::order::order_codes;

/// One value from the cells of a group that are not missing; missing where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AggregateFunction {
    /// Number of cells.
    Count,
    /// The sum, correctly rounded; exact of integers and decimals.
    Sum,
    /// The mean, correctly rounded.
    Mean,
    /// The smallest cell.
    Min,
    /// The largest cell.
    Max,
    /// The variance with `n - 1`, correctly rounded.
    Variance,
    /// The standard deviation with `n - 1`, correctly rounded.
    Deviation,
    /// The median.
    Median,
    /// The quantile at 0..=1, linear between neighbours (type 7 of R).
    Quantile(f64),
    /// The first cell.
    First,
    /// The last cell.
    Last,
    /// Number of cells that differ.
    DistinctCount,
}

impl AggregateFunction {
    /// The function of a word; a quantile is at one half.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "count" => Self::Count,
            "sum" => Self::Sum,
            "mean" => Self::Mean,
            "min" => Self::Min,
            "max" => Self::Max,
            "var" => Self::Variance,
            "std" => Self::Deviation,
            "median" => Self::Median,
            "quantile" => Self::Quantile(0.5),
            "first" => Self::First,
            "last" => Self::Last,
            "n_distinct" => Self::DistinctCount,
            _ => return None,
        })
    }

    /// Whether it is of numbers alone.
    pub fn needs_numbers(self) -> bool {
        matches!(
            self,
            Self::Sum
                | Self::Mean
                | Self::Variance
                | Self::Deviation
                | Self::Median
                | Self::Quantile(_)
        )
    }

    /// The value of each group.
    pub(crate) fn of_groups(
        self,
        name: &str,
        column: &TableColumn,
        members: &GroupMembers,
        stop: StopCheck<'_>,
    ) -> Result<TableColumn, TableError> {
        let present = |rows: &[u32]| -> usize {
            let is_there = |row: &&u32| !column.is_missing(**row as usize);
            rows.iter().filter(is_there).count()
        };
        let fold = GroupFold {
            name,
            column,
            members,
            stop,
        };
        match self {
            Self::Count => Ok(TableColumn::integers(
                members.iter().map(|rows| Some(present(rows) as i64)),
            )),
            Self::Sum => fold.sums(),
            Self::Mean => fold.moments(ExactMoments::mean),
            Self::Variance => fold.moments(ExactMoments::variance),
            Self::Deviation => fold.moments(ExactMoments::deviation),
            Self::Median => fold.quantiles(0.5),
            Self::Quantile(at) => fold.quantiles(at),
            Self::Min => fold.extremes(|one, two| one < two),
            Self::Max => fold.extremes(|one, two| one > two),
            Self::First => Ok(fold.chosen(|rows| rows.iter().find(|row| fold.has(**row)).copied())),
            Self::Last => {
                Ok(fold.chosen(|rows| rows.iter().rev().find(|row| fold.has(**row)).copied()))
            }
            Self::DistinctCount => fold.distinct_counts(),
        }
    }
}

/// A column by groups.
struct GroupFold<'a> {
    name: &'a str,
    column: &'a TableColumn,
    members: &'a GroupMembers,
    stop: StopCheck<'a>,
}

impl GroupFold<'_> {
    fn has(&self, row: u32) -> bool {
        !self.column.is_missing(row as usize)
    }

    fn no_number(&self) -> TableError {
        TableError::ColumnType {
            column: self.name.to_owned(),
            expected: "numbers",
            found: self.column.column_type().to_string(),
        }
    }

    /// Integers, or decimals as integers of their last digit; `None` of what is neither.
    fn integers(&self) -> Option<impl Fn(u32) -> Option<i128> + '_> {
        let is_whole = matches!(
            self.column.column_type(),
            ColumnType::Integer | ColumnType::Decimal(_) | ColumnType::Boolean
        );
        is_whole.then_some(|row: u32| match self.column.cell(row as usize) {
            TableCell::Integer(value) => Some(i128::from(value)),
            TableCell::Decimal(value) => Some(value.units),
            TableCell::Boolean(value) => Some(i128::from(value)),
            _ => None,
        })
    }

    fn sums(&self) -> Result<TableColumn, TableError> {
        match self.column {
            TableColumn::Missing(_) => Ok(TableColumn::Missing(self.members.len())),
            TableColumn::Double(_) => {
                let mut sums = Vec::with_capacity(self.members.len());
                for (group, rows) in self.members.iter().enumerate() {
                    check_row(group, self.stop)?;
                    let mut sum = ExactSum::default();
                    let cells = rows.iter().map(|row| self.column.cell(*row as usize));
                    let mut is_empty = true;
                    for term in cells.filter_map(|cell| cell.as_double()) {
                        sum.add(term);
                        is_empty = false;
                    }
                    sums.push((!is_empty).then(|| sum.value()));
                }
                Ok(TableColumn::doubles(sums))
            }
            _ => self.integer_sums(),
        }
    }

    /// Sums of integers and decimals, without rounding: decimals where 64 bits are too few.
    fn integer_sums(&self) -> Result<TableColumn, TableError> {
        let integer = self.integers().ok_or_else(|| self.no_number())?;
        let mut sums: Vec<Option<i128>> = Vec::with_capacity(self.members.len());
        for (group, rows) in self.members.iter().enumerate() {
            check_row(group, self.stop)?;
            let mut sum = None;
            for term in rows.iter().filter_map(|row| integer(*row)) {
                let next = sum.unwrap_or(0_i128).checked_add(term);
                sum = Some(next.ok_or_else(|| {
                    let name = self.name;
                    let message = format!("the sum of `{name}` has more than 38 digits");
                    TableError::operation(message, "convert the column to numbers first")
                })?);
            }
            sums.push(sum);
        }
        if let ColumnType::Decimal(scale) = self.column.column_type() {
            return TableColumn::decimals(sums, scale);
        }
        let small = |sum: &Option<i128>| sum.map(i64::try_from).transpose().ok();
        match sums.iter().map(small).collect::<Option<Vec<_>>>() {
            Some(sums) => Ok(TableColumn::integers(sums)),
            None => TableColumn::decimals(sums, 0),
        }
    }

    fn moments(
        &self,
        value: impl Fn(&ExactMoments) -> Option<f64>,
    ) -> Result<TableColumn, TableError> {
        if let TableColumn::Missing(_) = self.column {
            return Ok(TableColumn::Missing(self.members.len()));
        }
        let integer = self.integers();
        if integer.is_none() && !self.column.column_type().is_number() {
            return Err(self.no_number());
        }
        let scale = match self.column.column_type() {
            ColumnType::Decimal(scale) => u32::from(scale.unsigned_abs()),
            _ => 0,
        };
        let mut values = Vec::with_capacity(self.members.len());
        for (group, rows) in self.members.iter().enumerate() {
            check_row(group, self.stop)?;
            let moments = match &integer {
                Some(integer) => {
                    let terms = rows.iter().filter_map(|row| integer(*row));
                    Some(ExactMoments::of_integers(terms, scale))
                }
                None => {
                    let mut moments = DoubleMoments::default();
                    let cells = rows.iter().map(|row| self.column.cell(*row as usize));
                    cells
                        .filter_map(|cell| cell.as_double())
                        .for_each(|term| moments.add(term));
                    moments.finish()
                }
            };
            values.push(moments.as_ref().and_then(&value));
        }
        Ok(TableColumn::doubles(values))
    }

    fn quantiles(&self, at: f64) -> Result<TableColumn, TableError> {
        let numbers = self.column.numbers().ok_or_else(|| self.no_number())?;
        let mut values = Vec::with_capacity(self.members.len());
        for (group, rows) in self.members.iter().enumerate() {
            check_row(group, self.stop)?;
            let cells = rows.iter().filter_map(|row| numbers[*row as usize]);
            let mut sorted: Vec<f64> = cells.collect();
            sorted.sort_by(f64::total_cmp);
            values.push(quantile_of_sorted(&sorted, at));
        }
        Ok(TableColumn::doubles(values))
    }

    fn chosen(&self, choose: impl Fn(&[u32]) -> Option<u32>) -> TableColumn {
        let rows = self.members.iter().map(choose);
        let rows: Vec<u32> = rows.map(|row| row.unwrap_or(NO_ROW)).collect();
        self.column.take(&rows)
    }

    fn extremes<F>(&self, is_better: F) -> Result<TableColumn, TableError>
    where
        F: Fn(crate::order::OrderCode, crate::order::OrderCode) -> bool,
    {
        if (self.stop)() {
            return Err(TableError::Stopped);
        }
        let codes = order_codes(self.column);
        Ok(self.chosen(|rows| {
            let there = rows.iter().copied();
            let mut there = there.filter(|row| !codes[*row as usize].is_missing());
            let first = there.next()?;
            Some(there.fold(first, |best, row| {
                match is_better(codes[row as usize], codes[best as usize]) {
                    true => row,
                    false => best,
                }
            }))
        }))
    }

    fn distinct_counts(&self) -> Result<TableColumn, TableError> {
        let codes = codes_of_column(self.column, self.stop)?;
        let mut seen: Vec<u32> = Vec::new();
        let counts = self.members.iter().map(|rows| {
            seen.clear();
            seen.extend(rows.iter().map(|row| codes[*row as usize]));
            seen.retain(|code| *code != MISSING_CODE);
            seen.sort_unstable();
            seen.dedup();
            Some(seen.len() as i64)
        });
        Ok(TableColumn::integers(counts))
    }
}

/// The quantile at 0..=1 of numbers in ascending order, linear between neighbours; `None` of nothing.
pub fn quantile_of_sorted(sorted: &[f64], at: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = at.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    let share = place - below as f64;
    Some(match share == 0.0 || low == high {
        true => low,
        false if (high - low).is_finite() => low + (high - low) * share,
        // The difference overflows.
        false => low * (1.0 - share) + high * share,
    })
}
