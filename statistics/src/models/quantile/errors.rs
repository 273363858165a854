//! Errors of quantile coefficients.

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;
use numerics::special::{normal_density, normal_quantile};
use rand::RngExt;
use random_streams::stream_rng;

use super::vertex::VertexSearch;
use super::{QuantileErrors, QuantileRequest};
use crate::models::ModelError;
use crate::models::least_squares::{LeastSquaresFactors, chosen_columns};

/// The covariance of the coefficients.
///
/// # References
/// J. L. Powell, "Estimation of monotonic regression models under quantile restrictions", 1991; P. Hall and S. J. Sheather, JRSS B 50, 1988, for the
/// bandwidth.
pub(super) fn quantile_covariance(
    request: &QuantileRequest<'_>,
    factors: &LeastSquaresFactors,
    columns: &DesignMatrix,
    residuals: &[f64],
    watch: &dyn Watch,
) -> Result<Vec<f64>, ModelError> {
    let (rank, q) = (factors.rank(), request.quantile);
    if let QuantileErrors::Bootstrap { samples, seed } = request.errors {
        return bootstrap_covariance(request, columns, samples, seed, watch);
    }
    let density = residual_density(request.y, residuals, q);
    if request.errors == QuantileErrors::Homogeneous {
        let inverse = factors.inverse_gram();
        let factor = q * (1.0 - q) / (density * density);
        return Ok(inverse.iter().map(|value| value * factor).collect());
    }
    let rows = factors.thin_q(watch)?;
    let mut middle = vec![0.0; rank * rank];
    for (row, residual) in rows.chunks_exact(rank).zip(residuals) {
        let side = if *residual > 0.0 { q } else { 1.0 - q };
        let weight = (side / density).powi(2);
        for (one, out) in row.iter().zip(middle.chunks_exact_mut(rank)) {
            numerics::dense::add_multiple(out, one * weight, row);
        }
    }
    Ok(factors.sandwich(&middle))
}

/// The density of the residuals at 0 by an Epanechnikov kernel; NaN where they have no spread.
fn residual_density(y: &[f64], residuals: &[f64], q: f64) -> f64 {
    let n = residuals.len() as f64;
    let mut sorted = residuals.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let quartile = |p: f64| {
        let at = (n - 1.0) * p;
        let low = at.floor() as usize;
        let high = (low + 1).min(sorted.len() - 1);
        sorted[low] + (at - at.floor()) * (sorted[high] - sorted[low])
    };
    let range = quartile(0.75) - quartile(0.25);
    let mean = y.iter().sum::<f64>() / n;
    let deviation = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt();
    let width = deviation.min(range / 1.34) * bandwidth(n, q);
    let kernel = |residual: &f64| {
        let u = residual / width;
        if u.abs() <= 1.0 {
            0.75 * (1.0 - u * u)
        } else {
            0.0
        }
    };
    residuals.iter().map(kernel).sum::<f64>() / (n * width)
}

/// Hall and Sheather's bandwidth, between normal quantiles; halved until it stays within 0 and 1.
fn bandwidth(n: f64, q: f64) -> f64 {
    let z = normal_quantile(q);
    let ratio = 1.5 * normal_density(z).powi(2) / (2.0 * z * z + 1.0);
    let mut h = n.powf(-1.0 / 3.0) * normal_quantile(0.975).powf(2.0 / 3.0) * ratio.powf(1.0 / 3.0);
    while q + h >= 1.0 || q - h <= 0.0 {
        h *= 0.5;
    }
    normal_quantile(q + h) - normal_quantile(q - h)
}

/// The covariance over samples of rows; a sample whose columns depend on each other is drawn again.
fn bootstrap_covariance(
    request: &QuantileRequest<'_>,
    columns: &DesignMatrix,
    samples: usize,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<f64>, ModelError> {
    const DRAWS_MAX: u64 = 20;
    let (n, size) = (columns.rows, columns.columns);
    let mut found: Vec<Vec<f64>> = Vec::with_capacity(samples);
    for sample in 0..samples as u64 {
        watch.check()?;
        let mut fit = None;
        for draw in 0..DRAWS_MAX {
            let mut rng = stream_rng(seed, sample * DRAWS_MAX + draw);
            let rows: Vec<usize> = (0..n).map(|_| rng.random_range(0..n)).collect();
            fit = fit_rows(request, columns, &rows, watch)?;
            if fit.is_some() {
                break;
            }
        }
        found.push(fit.ok_or_else(|| {
            ModelError::Unsuitable("samples of the rows leave coefficients undetermined, so that errors cannot be bootstrapped".to_owned())
        })?);
    }
    let count = found.len() as f64;
    let mean: Vec<f64> = (0..size)
        .map(|k| found.iter().map(|b| b[k]).sum::<f64>() / count)
        .collect();
    let mut covariance = vec![0.0; size * size];
    for b in &found {
        for row in 0..size {
            for column in 0..size {
                covariance[row * size + column] +=
                    (b[row] - mean[row]) * (b[column] - mean[column]) / (count - 1.0);
            }
        }
    }
    Ok(covariance)
}

fn fit_rows(
    request: &QuantileRequest<'_>,
    columns: &DesignMatrix,
    rows: &[usize],
    watch: &dyn Watch,
) -> Result<Option<Vec<f64>>, ModelError> {
    let n = rows.len();
    let mut part = DesignMatrix {
        low: None,
        ..chosen_columns(columns, &[])
    };
    part.columns = columns.columns;
    for column in 0..columns.columns {
        let entries = columns.column(column);
        part.high.extend(rows.iter().map(|row| entries[*row]));
    }
    part.rows = n;
    let y: Vec<f64> = rows.iter().map(|row| request.y[*row]).collect();
    let weights: Option<Vec<f64>> = request
        .weights
        .map(|weights| rows.iter().map(|row| weights[*row]).collect());
    let factors = LeastSquaresFactors::new(&part, watch)?;
    if factors.rank() < part.columns {
        return Ok(None);
    }
    let ordinary = factors.solve(&y, 0, watch)?;
    let search = VertexSearch::new(&part, &y, weights.as_deref(), request.quantile);
    Ok(Some(search.run(&ordinary.residuals, watch)?.coefficients))
}
