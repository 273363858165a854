//! [`parallel_limits`]: variances of components that columns without correlation have by chance.

use numerics::Watch;
use numerics::dense::SingularVectors;
use numerics::dense::decomposition::singular_value_decomposition;
use numerics::quantile::QuantileDefinition;
use numerics::special::normal_quantile;
use rand::RngExt;
use random_streams::{StreamRng, derive_seed, stream_rng};

use super::{ColumnScaling, MultivariateError};
use crate::distribution::chi_squared_quantile;

/// Samples that are drawn.
const SAMPLES: u64 = 100;
/// Quantile over them.
const LEVEL: f64 = 0.95;

/// The 95 % quantiles of the variances of components, descending, over 100 samples of independent normal columns with these deviations.
///
/// # Method
/// Only the triangle R of each sample is drawn: normal numbers above the diagonal, roots of chi-squared ones on it (M. S. Bartlett, 1933), so that the cost, 100
/// singular decompositions, does not depend on the rows. Standardised samples have columns of length `sqrt(n - 1)`.
///
/// # Errors
/// The caller stopped it, or it would outlast the deadline.
///
/// # References
/// J. L. Horn, "A rationale and test for the number of factors in factor analysis", Psychometrika 30, 1965.
pub fn parallel_limits(
    rows: usize,
    deviations: &[f64],
    scaling: ColumnScaling,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<f64>, MultivariateError> {
    let columns = deviations.len();
    let height = columns.min(rows.saturating_sub(1));
    watch.afford(SAMPLES as f64 * 4.0 * (height * height) as f64 * columns as f64)?;
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); height];
    for sample in 0..SAMPLES {
        watch.check()?;
        let mut random = stream_rng(derive_seed(seed, "parallel", 0), sample);
        let mut triangle = draw_triangle(rows - 1, height, columns, &mut random);
        for (column, deviation) in deviations.iter().enumerate() {
            let cells = || (0..height).map(move |row| row * columns + column);
            let factor = match (scaling, *deviation > 0.0) {
                (_, false) => 0.0,
                (ColumnScaling::Plain, true) => *deviation,
                (ColumnScaling::Standard, true) => {
                    let squares: f64 = cells().map(|cell| triangle[cell].powi(2)).sum();
                    ((rows - 1) as f64 / squares).sqrt()
                }
            };
            cells().for_each(|cell| triangle[cell] *= factor);
        }
        let svd = singular_value_decomposition(&triangle, height, columns, SingularVectors::None)?;
        for (list, value) in samples.iter_mut().zip(svd.values) {
            list.push(value * value / (rows - 1) as f64);
        }
    }
    let quantile = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        QuantileDefinition::Linear.of(&values, LEVEL)
    };
    Ok(samples.into_iter().map(quantile).collect())
}

/// R of a sample of `freedom` rows of independent standard normal numbers, row by row.
fn draw_triangle(
    freedom: usize,
    height: usize,
    columns: usize,
    random: &mut StreamRng,
) -> Vec<f64> {
    // Neither 0 nor 1, whose quantiles are infinite.
    let mut uniform = || random.random::<f64>() + 0.125 * f64::EPSILON;
    let mut triangle = vec![0.0; height * columns];
    for row in 0..height {
        for column in row..columns {
            let share = uniform();
            triangle[row * columns + column] = match column == row {
                true => chi_squared_quantile(share, (freedom - row) as f64).sqrt(),
                false => normal_quantile(share),
            };
        }
    }
    triangle
}
