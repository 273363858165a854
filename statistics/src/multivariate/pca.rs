//! [`fit_pca`]: principal components of columns.

use numerics::Watch;
use numerics::dense::decomposition::singular_value_decomposition;
use numerics::dense::{
    SingularVectors, columns_of, dot, exponent_of, max_abs, qr_factors, scale_by_exponent,
};

use super::points::CentredColumn;
use super::{ColumnScaling, MultivariateError};

/// Principal components of columns, those of a variance above rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct PrincipalComponents {
    /// Number of rows.
    pub rows: usize,
    /// Mean of each column.
    pub means: Vec<f64>,
    /// Standard deviation of each column (n - 1).
    pub deviations: Vec<f64>,
    /// Variance of each component, descending; in units of the columns squared, or without for standardised ones.
    pub variances: Vec<f64>,
    /// Share of each component in the variance of all columns.
    pub shares: Vec<f64>,
    /// The direction of each component: a coefficient for each column, of length 1. The first one of the largest magnitude is positive.
    pub directions: Vec<Vec<f64>>,
    /// Correlation of each component with each column; 0 for a constant column.
    pub correlations: Vec<Vec<f64>>,
    /// Standard deviations of the columns in the unit of the computation.
    pub unit_deviations: Vec<f64>,
    /// Variances in that unit.
    pub unit_variances: Vec<f64>,
    /// Largest over smallest standard deviation of these components.
    pub condition: f64,
    /// Sum of the variances of all components less that of the columns, over the latter.
    pub variance_error: f64,
    /// Components whose variance is that of the one before but for rounding, so that both may be turned in their plane.
    pub tied: Vec<usize>,
    centred: Vec<f64>,
    exponent: i32,
}

/// Finds the components of columns of finite numbers.
///
/// # Method
/// Singular values of the centred columns, divided by their deviations on request: by QR and the values of R where there are more rows than columns, so that no
/// product of columns loses digits. A component counts where its singular value is above rounding: `eps max(n, p)` times the largest, and `2 eps sqrt(n)` times
/// the largest mean that was subtracted. Costs `2 n p^2` operations.
///
/// # Errors
/// Fewer than two rows, columns that do not vary, a variance beyond the doubles, memory or the deadline.
///
/// # References
/// I. T. Jolliffe, "Principal Component Analysis", 2nd ed., 2002, sections 2.1, 3.5.
pub fn fit_pca(
    columns: &[Vec<f64>],
    scaling: ColumnScaling,
    watch: &dyn Watch,
) -> Result<PrincipalComponents, MultivariateError> {
    let n = columns.first().ok_or(MultivariateError::NoColumns)?.len();
    if let Some(other) = columns.iter().find(|column| column.len() != n) {
        let other = other.len();
        return Err(MultivariateError::Ragged { first: n, other });
    }
    if n < 2 {
        return Err(MultivariateError::TooFewRows {
            needed: 2,
            found: n,
        });
    }
    let p = columns.len();
    watch.reserve_doubles(n.saturating_mul(p).saturating_mul(4))?;
    watch.afford(2.0 * n as f64 * p as f64 * n.min(p) as f64)?;
    let unit = UnitColumns::new(columns, scaling);
    if unit.deviations.iter().all(|deviation| *deviation == 0.0) {
        return Err(MultivariateError::Constant);
    }
    let svd = match n > p {
        true => singular_value_decomposition(
            &triangle_of(&unit.centred, n, p),
            p,
            p,
            SingularVectors::Thin,
        )?,
        false => singular_value_decomposition(&unit.centred, n, p, SingularVectors::Thin)?,
    };
    watch.check()?;
    let largest = svd.values[0];
    let rounding =
        f64::EPSILON * (n.max(p) as f64 * largest + 2.0 * (n as f64).sqrt() * unit.largest_mean);
    let rank = svd.values.iter().filter(|value| **value > rounding).count();
    if rank == 0 {
        return Err(MultivariateError::Constant);
    }
    let (vectors, width) = svd.v.unwrap_or_default();
    let freedom = (n - 1) as f64;
    let unit_variances: Vec<f64> = svd.values.iter().map(|s| s * s / freedom).collect();
    let total: f64 = unit.deviations.iter().map(|d| d * d).sum();
    let directions: Vec<Vec<f64>> = (0..rank)
        .map(|component| direction_of(&vectors, width, component))
        .collect();
    let correlate = |(direction, variance): (&Vec<f64>, &f64)| -> Vec<f64> {
        let pairs = direction.iter().zip(&unit.deviations);
        let correlation = |(coefficient, deviation): (&f64, &f64)| match *deviation > 0.0 {
            true => (coefficient * variance.sqrt() / deviation).clamp(-1.0, 1.0),
            false => 0.0,
        };
        pairs.map(correlation).collect()
    };
    /// Variances whose directions rounding alone determines.
    const TIED: f64 = 1e-10;
    let is_tied = |place: &usize| {
        let (before, value) = (unit_variances[place - 1], unit_variances[*place]);
        before - value <= TIED * before
    };
    let variances: Vec<f64> = unit_variances[..rank]
        .iter()
        .map(|variance| scale_by_exponent(*variance, 2 * unit.exponent))
        .collect();
    let deviations = unit.plain_deviations;
    if variances
        .iter()
        .chain(&deviations)
        .any(|value| !value.is_finite())
    {
        return Err(MultivariateError::Overflow);
    }
    Ok(PrincipalComponents {
        rows: n,
        means: unit.means,
        deviations,
        variances,
        shares: unit_variances[..rank]
            .iter()
            .map(|v| (v / total).min(1.0))
            .collect(),
        correlations: directions
            .iter()
            .zip(&unit_variances)
            .map(correlate)
            .collect(),
        directions,
        condition: largest / svd.values[rank - 1],
        variance_error: (unit_variances.iter().sum::<f64>() - total).abs() / total,
        tied: (1..rank).filter(is_tied).collect(),
        unit_deviations: unit.deviations,
        unit_variances: unit_variances[..rank].to_vec(),
        centred: unit.centred,
        exponent: unit.exponent,
    })
}

impl PrincipalComponents {
    /// The first components of each row, one row after another; in units of the columns, or without for standardised ones.
    ///
    /// # Errors
    /// A number beyond the doubles, memory, or the caller stopped it.
    pub fn scores(
        &self,
        components: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<f64>, MultivariateError> {
        let directions = &self.directions[..components.min(self.directions.len())];
        watch.reserve_doubles(self.rows.saturating_mul(directions.len()))?;
        let mut scores = Vec::with_capacity(self.rows * directions.len());
        for (row, cells) in self.centred.chunks_exact(self.means.len()).enumerate() {
            if row % 1024 == 0 {
                watch.check()?;
            }
            scores.extend(
                directions
                    .iter()
                    .map(|direction| scale_by_exponent(dot(cells, direction), self.exponent)),
            );
        }
        match scores.iter().all(|score| score.is_finite()) {
            true => Ok(scores),
            false => Err(MultivariateError::Overflow),
        }
    }

    /// Number of components with a variance above the mean of all columns that vary (H. F. Kaiser, 1960: above 1 for standardised columns).
    pub fn kaiser_count(&self) -> usize {
        let varying = self.unit_deviations.iter().filter(|d| **d > 0.0);
        let total: f64 = varying.clone().map(|d| d * d).sum();
        let mean = total / varying.count() as f64;
        // Columns without correlation have equal variances, of which none is above their mean but by rounding.
        let above = |variance: &&f64| **variance > mean * (1.0 + 1e-12);
        self.unit_variances.iter().take_while(above).count()
    }

    /// Number of components that together have at least a share of the variance.
    pub fn count_of_share(&self, share: f64) -> usize {
        let mut sum = 0.0;
        let reaches = |part: &f64| {
            sum += part;
            sum >= share * (1.0 - 1e-12)
        };
        let found = self.shares.iter().position(reaches);
        found.map_or(self.shares.len(), |place| place + 1)
    }
}

/// Centred columns in the unit of the computation, row by row.
struct UnitColumns {
    centred: Vec<f64>,
    deviations: Vec<f64>,
    means: Vec<f64>,
    plain_deviations: Vec<f64>,
    /// The largest magnitude of a mean, in the unit.
    largest_mean: f64,
    exponent: i32,
}

impl UnitColumns {
    fn new(columns: &[Vec<f64>], scaling: ColumnScaling) -> Self {
        let (n, p) = (columns[0].len(), columns.len());
        let most = columns.iter().map(|column| max_abs(column));
        let exponent = match scaling {
            ColumnScaling::Plain => exponent_of(most.fold(0.0, f64::max)),
            ColumnScaling::Standard => 0,
        };
        let mut unit = Self {
            centred: vec![0.0; n * p],
            deviations: Vec::with_capacity(p),
            means: Vec::with_capacity(p),
            plain_deviations: Vec::with_capacity(p),
            largest_mean: 0.0,
            exponent,
        };
        for (place, column) in columns.iter().enumerate() {
            let column = match scaling {
                ColumnScaling::Plain => CentredColumn::new(column, exponent),
                ColumnScaling::Standard => CentredColumn::of_own_unit(column),
            };
            let own = column.exponent;
            unit.means.push(scale_by_exponent(column.mean, own));
            unit.plain_deviations
                .push(scale_by_exponent(column.deviation, own));
            let deviation = column.deviation;
            let mean = column.mean.abs();
            let (values, mean) = match scaling {
                ColumnScaling::Plain => {
                    unit.deviations.push(deviation);
                    (column.values, mean)
                }
                ColumnScaling::Standard => {
                    unit.deviations.push(f64::from(u8::from(deviation > 0.0)));
                    let mean = if deviation > 0.0 {
                        mean / deviation
                    } else {
                        0.0
                    };
                    (column.standardised(), mean)
                }
            };
            unit.largest_mean = unit.largest_mean.max(mean);
            let cells = unit.centred.iter_mut().skip(place).step_by(p);
            cells.zip(values).for_each(|(cell, value)| *cell = value);
        }
        unit
    }
}

/// The triangle R of the QR factors of more rows than columns, row by row.
fn triangle_of(rows: &[f64], n: usize, p: usize) -> Vec<f64> {
    let (packed, _) = qr_factors(columns_of(rows, n, p));
    let mut triangle = vec![0.0; p * p];
    for column in 0..p {
        for (row, value) in packed.col_as_slice(column)[..=column].iter().enumerate() {
            triangle[row * p + column] = *value;
        }
    }
    triangle
}

/// A column of V, its first entry of the largest magnitude positive; entries that differ by rounding alone count as equal.
fn direction_of(vectors: &[f64], width: usize, component: usize) -> Vec<f64> {
    const SAME: f64 = 1e-9;
    let mut direction: Vec<f64> = vectors
        .iter()
        .skip(component)
        .step_by(width)
        .copied()
        .collect();
    let most = max_abs(&direction);
    let first = direction
        .iter()
        .find(|value| value.abs() >= most * (1.0 - SAME));
    if first.is_some_and(|value| *value < 0.0) {
        direction.iter_mut().for_each(|value| *value = -*value);
    }
    // Rounding leaves -0 and traces where a column has no part.
    let trace = most * f64::EPSILON;
    let entries = direction.iter_mut().filter(|value| value.abs() <= trace);
    entries.for_each(|value| *value = 0.0);
    direction
}
