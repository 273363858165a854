//! The first page of a table: types, missing cells, ranges, quantiles, frequent values, histograms, correlations.

use std::sync::Arc;

use crate::aggregate::{AggregateFunction, quantile_of_sorted};
use crate::cell::TableCell;
use crate::column::{ColumnType, TableColumn};
use crate::error::{StopCheck, TableError, check_row};
use crate::exact_sum::ExactCorrelation;
use crate::keys::{GroupMembers, MISSING_CODE, codes_of_column};
use crate::shared::map_parts;
use crate::table::DataTable;

/// The quantiles of a description.
pub const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
/// Bins of a histogram.
pub const BINS: usize = 12;
/// Frequent values of a column.
pub const TOP_VALUES: usize = 5;
/// Most columns of numbers whose correlations are computed: 190 pairs.
pub const CORRELATED_MAX: usize = 20;

/// What a column has in it.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDescription {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub column_type: ColumnType,
    /// Cells that are missing.
    pub missing: usize,
    /// Cells that differ, without the missing ones.
    pub distinct: usize,
    /// The smallest cell, as text.
    pub min: Option<String>,
    /// The largest cell, as text.
    pub max: Option<String>,
    /// Of numbers.
    pub numbers: Option<NumberDescription>,
    /// The values of most cells, the most frequent first, those of equal frequency in their order; empty where no value is there twice.
    pub top: Vec<ValueCount>,
}

/// What a column of numbers has in it.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberDescription {
    /// The mean, correctly rounded.
    pub mean: Option<f64>,
    /// The standard deviation, correctly rounded.
    pub deviation: Option<f64>,
    /// The quantiles at [`QUANTILES`].
    pub quantiles: Vec<f64>,
    /// Cells in [`BINS`] bins of equal width from the smallest to the largest finite number; empty of no number.
    pub histogram: Vec<usize>,
}

/// A value and how many cells have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueCount {
    /// The value, as text.
    pub value: String,
    /// How many cells have it.
    pub count: usize,
}

/// Pearson's coefficients of the columns of numbers, over the rows where both are there.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrelationTable {
    /// The columns.
    pub names: Vec<Arc<str>>,
    /// `values[i][j]` is that of columns `i` and `j`; `None` for a constant one.
    pub values: Vec<Vec<Option<f64>>>,
}

impl DataTable {
    /// Describes every column.
    ///
    /// # Errors
    /// A stop.
    pub fn describe(&self, stop: StopCheck<'_>) -> Result<Vec<ColumnDescription>, TableError> {
        let columns: Vec<(&Arc<str>, &TableColumn)> = self.iter().collect();
        let cells = self.rows().saturating_mul(columns.len());
        map_parts(&columns, cells, |(name, column)| {
            let column = *column;
            let all = GroupMembers::new(&vec![0; column.len()], 1);
            let single = |function: AggregateFunction| function.of_groups(name, column, &all, stop);
            let text = |function: AggregateFunction| -> Result<Option<String>, TableError> {
                let found = single(function)?;
                let cell = found.cell(0);
                Ok((!cell.is_missing()).then(|| cell.to_string()))
            };
            let counts = count_values(column, stop)?;
            let numbers = match column.column_type().is_number() {
                true => Some(NumberDescription {
                    mean: single(AggregateFunction::Mean)?.cell(0).as_double(),
                    deviation: single(AggregateFunction::Deviation)?.cell(0).as_double(),
                    ..describe_numbers(column, stop)?
                }),
                false => None,
            };
            Ok(ColumnDescription {
                name: Arc::clone(name),
                column_type: column.column_type(),
                missing: column.missing_count(),
                distinct: counts.distinct,
                min: text(AggregateFunction::Min)?,
                max: text(AggregateFunction::Max)?,
                numbers,
                top: counts.top,
            })
        })
    }

    /// The correlations of the first [`CORRELATED_MAX`] columns of numbers.
    ///
    /// # Errors
    /// A stop.
    pub fn correlations(&self, stop: StopCheck<'_>) -> Result<CorrelationTable, TableError> {
        let mut names = Vec::new();
        let mut columns = Vec::new();
        for (name, column) in self.iter() {
            if let (true, Some(numbers)) = (column.column_type().is_number(), column.numbers())
                && names.len() < CORRELATED_MAX
            {
                names.push(Arc::clone(name));
                columns.push(numbers);
            }
        }
        let count = names.len();
        let pairs = (0..count).flat_map(|one| (one..count).map(move |two| (one, two)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let cells = self.rows().saturating_mul(pairs.len());
        let found = map_parts(&pairs, cells, |(one, two)| {
            let mut correlation = ExactCorrelation::default();
            for (row, pair) in columns[*one].iter().zip(&columns[*two]).enumerate() {
                check_row(row, stop)?;
                if let (Some(x), Some(y)) = pair {
                    correlation.add(*x, *y);
                }
            }
            Ok(correlation.value())
        })?;
        let mut values = vec![vec![None; count]; count];
        for ((one, two), value) in pairs.into_iter().zip(found) {
            values[one][two] = value;
            values[two][one] = value;
        }
        Ok(CorrelationTable { names, values })
    }
}

struct ValueCounts {
    distinct: usize,
    top: Vec<ValueCount>,
}

/// The frequent values of a column.
fn count_values(column: &TableColumn, stop: StopCheck<'_>) -> Result<ValueCounts, TableError> {
    /// A value is frequent from so many cells on.
    const FREQUENT: usize = 2;
    #[derive(Clone, Copy)]
    struct CodeCount {
        count: usize,
        first: usize,
    }
    let codes = codes_of_column(column, stop)?;
    let most = codes.iter().copied().max().unwrap_or(0) as usize;
    let mut counts = vec![CodeCount { count: 0, first: 0 }; most + 1];
    for (row, code) in codes.iter().enumerate() {
        let entry = &mut counts[*code as usize];
        if entry.count == 0 {
            entry.first = row;
        }
        entry.count += 1;
    }
    let (_, present) = counts.split_at((MISSING_CODE as usize + 1).min(counts.len()));
    let mut frequent: Vec<CodeCount> = present.to_vec();
    let distinct = frequent.len();
    frequent.retain(|entry| entry.count >= FREQUENT);
    // The order of the values decides among equal counts, not that of the rows.
    let order = crate::order::order_codes(column);
    frequent.sort_by(|one, two| {
        let by_count = two.count.cmp(&one.count);
        by_count.then_with(|| order[one.first].cmp(&order[two.first]))
    });
    frequent.truncate(TOP_VALUES);
    let value = |entry: CodeCount| ValueCount {
        value: column.cell(entry.first).to_string(),
        count: entry.count,
    };
    Ok(ValueCounts {
        distinct,
        top: frequent.into_iter().map(value).collect(),
    })
}

/// Quantiles and histogram of a column of numbers.
fn describe_numbers(
    column: &TableColumn,
    stop: StopCheck<'_>,
) -> Result<NumberDescription, TableError> {
    let cells = column
        .cells()
        .filter_map(|cell: TableCell<'_>| cell.as_double());
    let mut sorted: Vec<f64> = cells.collect();
    if stop() {
        return Err(TableError::Stopped);
    }
    sorted.sort_by(f64::total_cmp);
    let quantiles = QUANTILES.iter();
    Ok(NumberDescription {
        mean: None,
        deviation: None,
        quantiles: quantiles
            .filter_map(|at| quantile_of_sorted(&sorted, *at))
            .collect(),
        histogram: histogram_of_sorted(&sorted),
    })
}

/// Cells in [`BINS`] bins of equal width; the last one has its upper end.
fn histogram_of_sorted(sorted: &[f64]) -> Vec<usize> {
    let from = sorted.partition_point(|value| *value == f64::NEG_INFINITY);
    let to = sorted.partition_point(|value| *value < f64::INFINITY);
    let finite = &sorted[from..to];
    let (Some(low), Some(high)) = (finite.first(), finite.last()) else {
        return Vec::new();
    };
    // Halved, so that the width is finite too.
    let width = high / 2.0 - low / 2.0;
    let mut bins = vec![0; BINS];
    for value in finite {
        let share = match width > 0.0 {
            true => (value / 2.0 - low / 2.0) / width,
            false => 0.0,
        };
        let bin = (share * BINS as f64) as usize;
        bins[bin.min(BINS - 1)] += 1;
    }
    bins
}
