//! [`PointTable`]: rows of numbers in a unit in which squares neither overflow nor vanish.

use numerics::Watch;
use numerics::dense::{exponent_of, max_abs, scale_by_exponent};

use super::{DistanceMetric, MultivariateError};
use crate::summary::mean_of;

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnScaling {
    /// Their own.
    Plain,
    /// The standard deviation (n - 1) of each, around its mean. A constant column becomes zeros.
    Standard,
}

/// Rows of numbers, one after another, in units of a power of two.
#[derive(Debug, Clone, PartialEq)]
pub struct PointTable {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
    exponent: i32,
    constant: Vec<usize>,
}

impl PointTable {
    /// Of columns of finite numbers. Plain columns are divided by one power of two, which is exact, so that ties of distances remain ties.
    ///
    /// # Errors
    /// No columns, columns of different lengths, memory.
    pub fn new(
        columns: &[Vec<f64>],
        scaling: ColumnScaling,
        watch: &dyn Watch,
    ) -> Result<Self, MultivariateError> {
        let first = columns.first().ok_or(MultivariateError::NoColumns)?.len();
        if let Some(other) = columns.iter().find(|column| column.len() != first) {
            let other = other.len();
            return Err(MultivariateError::Ragged { first, other });
        }
        watch.reserve_doubles(first.saturating_mul(columns.len()).saturating_mul(2))?;
        let most = columns.iter().map(|column| max_abs(column));
        let exponent = match scaling {
            ColumnScaling::Plain => exponent_of(most.fold(0.0, f64::max)),
            ColumnScaling::Standard => 0,
        };
        let is_constant = |column: &Vec<f64>| column.windows(2).all(|pair| pair[0] == pair[1]);
        let places = columns.iter().enumerate();
        let constant = places
            .filter(|(_, column)| is_constant(column))
            .map(|(place, _)| place);
        let constant: Vec<usize> = constant.collect();
        let mut values = vec![0.0; first * columns.len()];
        for (place, column) in columns.iter().enumerate() {
            watch.check()?;
            let in_unit: Vec<f64> = match scaling {
                ColumnScaling::Plain => column
                    .iter()
                    .map(|value| scale_by_exponent(*value, -exponent))
                    .collect(),
                ColumnScaling::Standard => standard_scores(column),
            };
            let cells = values.iter_mut().skip(place).step_by(columns.len());
            cells.zip(in_unit).for_each(|(cell, value)| *cell = value);
        }
        Ok(Self {
            values,
            rows: first,
            columns: columns.len(),
            exponent,
            constant,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The columns with one value.
    pub fn constant(&self) -> &[usize] {
        &self.constant
    }

    /// A row, in the unit of the table.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// All rows, one after another.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The unit is `2^exponent` of that of the columns.
    pub fn exponent(&self) -> i32 {
        self.exponent
    }

    /// A distance in units of the columns.
    pub fn in_units(&self, distance: f64, metric: DistanceMetric) -> f64 {
        match metric {
            DistanceMetric::Cosine => distance,
            _ => scale_by_exponent(distance, self.exponent),
        }
    }

    /// A distance of units of the columns in that of the table.
    pub fn from_units(&self, distance: f64, metric: DistanceMetric) -> f64 {
        match metric {
            DistanceMetric::Cosine => distance,
            _ => scale_by_exponent(distance, -self.exponent),
        }
    }

    /// The rows with length 1, for distances by direction.
    ///
    /// # Errors
    /// [`MultivariateError::ZeroRow`].
    pub fn to_directions(&self) -> Result<Self, MultivariateError> {
        let mut directions = self.clone();
        for (row, cells) in directions.values.chunks_exact_mut(self.columns).enumerate() {
            let length = numerics::dense::euclidean_norm(cells);
            if length == 0.0 {
                return Err(MultivariateError::ZeroRow { row });
            }
            let exponent = exponent_of(length);
            let length = scale_by_exponent(length, -exponent);
            let cells = cells.iter_mut();
            cells.for_each(|cell| *cell = scale_by_exponent(*cell, -exponent) / length);
        }
        Ok(directions)
    }

    /// The rows in a form in which a metric compares them.
    ///
    /// # Errors
    /// As [`PointTable::to_directions`].
    pub fn for_metric(self, metric: DistanceMetric) -> Result<Self, MultivariateError> {
        match metric {
            DistanceMetric::Cosine => self.to_directions(),
            _ => Ok(self),
        }
    }

    /// Number of different rows, counted up to a limit.
    pub(super) fn distinct_rows(&self, limit: usize) -> usize {
        let mut order: Vec<usize> = (0..self.rows).collect();
        order.sort_unstable_by(|&a, &b| compare_rows(self.row(a), self.row(b)));
        let steps = order
            .windows(2)
            .filter(|pair| self.row(pair[0]) != self.row(pair[1]));
        match self.rows {
            0 => 0,
            _ => 1 + steps.take(limit.saturating_sub(1)).count(),
        }
    }
}

/// The order of rows by their first different number.
pub(super) fn compare_rows(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    let pairs = a.iter().zip(b);
    let mut orders = pairs.map(|(a, b)| (a + 0.0).total_cmp(&(b + 0.0)));
    orders
        .find(|order| order.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}

/// Mean, deviation and centred values of a column, in units of a power of two.
pub(super) struct CentredColumn {
    pub values: Vec<f64>,
    pub mean: f64,
    /// Divided by n - 1; 0 for a constant column.
    pub deviation: f64,
    pub exponent: i32,
}

impl CentredColumn {
    /// Divides by `2^exponent` first.
    pub(super) fn new(column: &[f64], exponent: i32) -> Self {
        let mut values: Vec<f64> = column
            .iter()
            .map(|value| scale_by_exponent(*value, -exponent))
            .collect();
        let mean = match values.windows(2).all(|pair| pair[0] == pair[1]) {
            true => values.first().copied().unwrap_or(0.0),
            false => mean_of(&values),
        };
        values.iter_mut().for_each(|value| *value -= mean);
        let deviation = match values.len() {
            0 | 1 => 0.0,
            n => numerics::dense::euclidean_norm(&values) / ((n - 1) as f64).sqrt(),
        };
        Self {
            values,
            mean,
            deviation,
            exponent,
        }
    }

    /// In the unit of its own largest number.
    pub(super) fn of_own_unit(column: &[f64]) -> Self {
        Self::new(column, exponent_of(max_abs(column)))
    }

    /// The column over its deviation; zeros for a constant one.
    pub(super) fn standardised(mut self) -> Vec<f64> {
        if self.deviation > 0.0 {
            let deviation = self.deviation;
            self.values.iter_mut().for_each(|value| *value /= deviation);
        }
        self.values
    }
}

fn standard_scores(column: &[f64]) -> Vec<f64> {
    CentredColumn::of_own_unit(column).standardised()
}

impl PointTable {
    /// The same rows in the unit `2^exponent`.
    pub(super) fn in_exponent(mut self, exponent: i32) -> Self {
        let by = self.exponent - exponent;
        let values = self.values.iter_mut();
        values.for_each(|value| *value = scale_by_exponent(*value, by));
        self.exponent = exponent;
        self
    }
}

impl PointTable {
    /// Some of the rows.
    pub(super) fn take(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|row| self.row(*row));
        Self {
            values: values.copied().collect(),
            rows: rows.len(),
            columns: self.columns,
            exponent: self.exponent,
            constant: self.constant.clone(),
        }
    }
}

/// The standard deviation of each column (n - 1), 0 for a constant one.
pub fn column_deviations(columns: &[Vec<f64>]) -> Vec<f64> {
    let deviation = |column: &Vec<f64>| {
        let column = CentredColumn::of_own_unit(column);
        scale_by_exponent(column.deviation, column.exponent)
    };
    columns.iter().map(deviation).collect()
}

/// Rows, and others in the same unit: standard deviations are those of the first.
///
/// # Errors
/// As [`PointTable::new`], for either.
pub fn tables_in_one_unit(
    columns: &[Vec<f64>],
    others: &[Vec<f64>],
    scaling: ColumnScaling,
    watch: &dyn Watch,
) -> Result<[PointTable; 2], MultivariateError> {
    let points = PointTable::new(columns, scaling, watch)?;
    if scaling == ColumnScaling::Standard {
        let in_deviations = |(column, other): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            let unit = CentredColumn::of_own_unit(column);
            let divisor = if unit.deviation > 0.0 {
                unit.deviation
            } else {
                1.0
            };
            let score =
                |value: &f64| (scale_by_exponent(*value, -unit.exponent) - unit.mean) / divisor;
            other.iter().map(score).collect()
        };
        let others: Vec<Vec<f64>> = columns.iter().zip(others).map(in_deviations).collect();
        if others.iter().flatten().any(|value| !value.is_finite()) {
            return Err(MultivariateError::Overflow);
        }
        let others = PointTable::new(&others, ColumnScaling::Plain, watch)?;
        let exponent = others.exponent.max(points.exponent);
        return Ok([points.in_exponent(exponent), others.in_exponent(exponent)]);
    }
    let others = PointTable::new(others, ColumnScaling::Plain, watch)?;
    let exponent = others.exponent.max(points.exponent);
    Ok([points.in_exponent(exponent), others.in_exponent(exponent)])
}
