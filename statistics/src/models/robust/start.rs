//! S estimates: the fit with the smallest robust scale, which half of the rows cannot move.

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;
use rand::RngExt;
use random_streams::stream_rng;

use super::{bisquare_weight, median_scale, plain_residuals, weighted_solution};
use crate::models::ModelError;
use crate::models::least_squares::{LeastSquaresFactors, is_positive};

/// Samples of rows to start from.
const SAMPLES: u64 = 500;
/// Candidates that are refined to the end.
const CANDIDATES: usize = 5;
/// The bisquare constant of half the rows, and the mean of its function for normal residuals.
const S_BISQUARE: f64 = 1.547_644_997_610_594;
const HALF: f64 = 0.5;

/// A fit and its scale.
#[derive(Debug, Clone)]
pub(super) struct RobustStart {
    pub coefficients: Vec<f64>,
    pub scale: f64,
}

/// The best of 500 fits through as many rows as coefficients, refined (M. Salibian-Barrera and V. J. Yohai, J. Comp. Graph. Stat. 15, 2006).
pub(super) fn robust_start(
    columns: &DesignMatrix,
    y: &[f64],
    seed: u64,
    watch: &dyn Watch,
) -> Result<RobustStart, ModelError> {
    let mut best: Vec<RobustStart> = Vec::new();
    for sample in 0..SAMPLES {
        watch.check()?;
        let Some(b) = sample_fit(columns, y, seed, sample, watch)? else {
            continue;
        };
        let mut candidate = RobustStart {
            scale: median_scale(&plain_residuals(columns, y, &b)),
            coefficients: b,
        };
        for _ in 0..2 {
            candidate = refine(columns, y, candidate, watch);
        }
        best.push(candidate);
        best.sort_by(|a, b| a.scale.total_cmp(&b.scale));
        best.truncate(CANDIDATES);
    }
    let mut result: Option<RobustStart> = None;
    for mut candidate in best {
        for _ in 0..200 {
            let before = candidate.scale;
            candidate = refine(columns, y, candidate, watch);
            if (candidate.scale - before).abs() <= 1e-13 * before {
                break;
            }
        }
        if result
            .as_ref()
            .is_none_or(|best| candidate.scale < best.scale)
        {
            result = Some(candidate);
        }
    }
    result.ok_or_else(|| {
        let words = "no sample of the rows determines every coefficient; `huber` needs none";
        ModelError::Unsuitable(words.to_owned())
    })
}

/// The fit through rows that are drawn; `None` where they do not determine it.
fn sample_fit(
    columns: &DesignMatrix,
    y: &[f64],
    seed: u64,
    sample: u64,
    watch: &dyn Watch,
) -> Result<Option<Vec<f64>>, ModelError> {
    const DRAWS_MAX: usize = 20;
    let (n, size) = (columns.rows, columns.columns);
    let mut rng = stream_rng(seed, sample);
    for _ in 0..DRAWS_MAX {
        let mut rows: Vec<usize> = Vec::with_capacity(size);
        while rows.len() < size {
            let row = rng.random_range(0..n);
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        let mut high = Vec::with_capacity(size * size);
        for column in 0..size {
            high.extend(rows.iter().map(|row| columns.column(column)[*row]));
        }
        let part = DesignMatrix {
            rows: size,
            columns: size,
            high,
            low: None,
        };
        let factors = LeastSquaresFactors::new(&part, watch)?;
        if factors.rank() == size {
            let y: Vec<f64> = rows.iter().map(|row| y[*row]).collect();
            return Ok(Some(factors.solve(&y, 0, watch)?.coefficients));
        }
    }
    Ok(None)
}

/// One step of the scale and one of the coefficients; the candidate itself where that determines nothing.
fn refine(
    columns: &DesignMatrix,
    y: &[f64],
    candidate: RobustStart,
    watch: &dyn Watch,
) -> RobustStart {
    let residuals = plain_residuals(columns, y, &candidate.coefficients);
    if !is_positive(candidate.scale) {
        return candidate;
    }
    let scale = m_scale(&residuals, candidate.scale, 1);
    let weights: Vec<f64> = residuals
        .iter()
        .map(|r| bisquare_weight(r / scale, S_BISQUARE))
        .collect();
    match weighted_solution(columns, y, &weights, watch) {
        Ok(coefficients) => {
            let residuals = plain_residuals(columns, y, &coefficients);
            RobustStart {
                scale: m_scale(&residuals, scale, 30),
                coefficients,
            }
        }
        Err(_) => RobustStart { scale, ..candidate },
    }
}

/// The scale at which the mean of Tukey's function is a half, by so many steps.
fn m_scale(residuals: &[f64], start: f64, steps: usize) -> f64 {
    let n = residuals.len() as f64;
    let mut scale = start;
    for _ in 0..steps {
        let rho = |r: &f64| {
            let square = (r / scale / S_BISQUARE).powi(2).min(1.0);
            1.0 - (1.0 - square).powi(3)
        };
        let mean = residuals.iter().map(rho).sum::<f64>() / n;
        let next = scale * (mean / HALF).sqrt();
        if (next - scale).abs() <= 1e-15 * scale || !is_positive(next) {
            return next;
        }
        scale = next;
    }
    scale
}
