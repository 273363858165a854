//! Robust regression: M estimates by Huber's and Tukey's functions, and MM estimates.

mod start;

#[cfg(test)]
mod tests;

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;

use self::start::robust_start;
use super::least_squares::{LeastSquaresFactors, chosen_columns, is_positive};
use super::{CoefficientEstimate, ModelError};
use crate::design::ModelMatrix;

/// Iterations before the fit is given up.
const ITERATIONS_MAX: usize = 2000;
/// Change of the coefficients, relative to the scale, at which the fit is done.
const CHANGE: f64 = 1e-12;
/// The median of the magnitude of a standard normal value.
const NORMAL_MEDIAN: f64 = 0.674_489_750_196_081_7;

/// How residuals lose their weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobustMethod {
    /// Huber's function with c = 1.345: large residuals pull with the same force.
    Huber,
    /// Tukey's bisquare with c = 4.685: residuals beyond 4.685 scales do not pull. From the least squares fit.
    Tukey,
    /// Tukey's bisquare from a fit that half of the rows cannot move, with its scale (V. J. Yohai, Ann. Stat. 15, 1987).
    Mm,
}

impl RobustMethod {
    /// The weight of a residual in scales.
    fn weight(self, u: f64) -> f64 {
        match self {
            Self::Huber => (HUBER / u.abs()).min(1.0),
            Self::Tukey | Self::Mm => bisquare_weight(u, BISQUARE),
        }
    }

    /// The derivative of the force of a residual in scales.
    fn force_slope(self, u: f64) -> f64 {
        match self {
            Self::Huber => f64::from(u8::from(u.abs() <= HUBER)),
            Self::Tukey | Self::Mm => {
                let square = (u / BISQUARE).powi(2);
                match square < 1.0 {
                    true => (1.0 - square) * (1.0 - 5.0 * square),
                    false => 0.0,
                }
            }
        }
    }
}

/// 95 % as precise as least squares for normal errors.
const HUBER: f64 = 1.345;
/// Likewise.
const BISQUARE: f64 = 4.685;

/// `(1 - (u / c)^2)^2` within c.
fn bisquare_weight(u: f64, c: f64) -> f64 {
    let square = (u / c).powi(2);
    if square < 1.0 {
        (1.0 - square).powi(2)
    } else {
        0.0
    }
}

/// A robust regression to fit.
#[derive(Debug, Clone, Copy)]
pub struct RobustRequest<'a> {
    /// The columns.
    pub design: &'a ModelMatrix,
    /// The responses.
    pub y: &'a [f64],
    /// The method.
    pub method: RobustMethod,
    /// Probability of the intervals.
    pub confidence: f64,
    /// Seed of the samples of an MM estimate.
    pub seed: u64,
}

/// A robust fit.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustFit {
    /// The coefficients, with z tests.
    pub coefficients: Vec<CoefficientEstimate>,
    /// Columns that depend on others and are left out.
    pub aliased: Vec<String>,
    /// The scale of the residuals.
    pub scale: f64,
    /// The weight of each row, from 0 to 1.
    pub weights: Vec<f64>,
    /// Residuals.
    pub residuals: Vec<f64>,
    /// Fitted responses.
    pub fitted: Vec<f64>,
    /// Iterations.
    pub iterations: usize,
}

/// Fits a robust regression.
///
/// # Method
/// Weighted least squares repeated with the weights of the residuals; the scale is the median magnitude of the residuals over 0.6745 each time, for an MM
/// estimate that of its start. Errors are Huber's first form, as in statsmodels' RLM (P. J. Huber, "Robust Statistics", 1981, section 7.6).
///
/// # Errors
/// [`ModelError`].
pub fn fit_robust(request: RobustRequest<'_>, watch: &dyn Watch) -> Result<RobustFit, ModelError> {
    let n = request.y.len();
    let factors = LeastSquaresFactors::new(&request.design.matrix, watch)?;
    let rank = factors.rank();
    if rank == 0 {
        return Err(ModelError::NoColumns);
    }
    if n <= rank + 1 {
        return Err(ModelError::TooFewRows {
            parameters: rank + 1,
            rows: n,
        });
    }
    let columns = chosen_columns(&request.design.matrix, &factors.kept);
    let ordinary = factors.solve(request.y, 1, watch)?;
    let mut residuals = ordinary.residuals;
    let mut fixed_scale = None;
    if request.method == RobustMethod::Mm {
        let start = robust_start(&columns, request.y, request.seed, watch)?;
        residuals = plain_residuals(&columns, request.y, &start.coefficients);
        fixed_scale = Some(start.scale);
    }
    let size = numerics::dense::max_abs(request.y);
    let mut scale = fixed_scale.unwrap_or_else(|| median_scale(&residuals));
    for iteration in 1..=ITERATIONS_MAX {
        watch.check()?;
        if !is_positive(scale - 1e-14 * size) {
            let words = "more than half of the rows are fitted exactly, so that the residuals have no robust scale";
            return Err(ModelError::Unsuitable(words.to_owned()));
        }
        let weights: Vec<f64> = residuals
            .iter()
            .map(|r| request.method.weight(r / scale))
            .collect();
        let next = weighted_solution(&columns, request.y, &weights, watch)?;
        let next_residuals = plain_residuals(&columns, request.y, &next);
        let moved = residuals.iter().zip(&next_residuals);
        let moved = moved
            .map(|(one, two)| (one - two).abs())
            .fold(0.0, f64::max);
        residuals = next_residuals;
        let before = scale;
        scale = fixed_scale.unwrap_or_else(|| median_scale(&residuals));
        let rounding = 1e-14 * size;
        if moved <= CHANGE * scale + rounding && (scale - before).abs() <= CHANGE * scale + rounding
        {
            return Ok(finish(
                &request, &factors, next, residuals, scale, iteration,
            ));
        }
    }
    Err(ModelError::NoConvergence {
        method: "reweighted least squares",
        iterations: ITERATIONS_MAX,
    })
}

fn finish(
    request: &RobustRequest<'_>,
    factors: &LeastSquaresFactors,
    b: Vec<f64>,
    residuals: Vec<f64>,
    scale: f64,
    iterations: usize,
) -> RobustFit {
    let (n, rank) = (residuals.len() as f64, factors.rank());
    let in_scales: Vec<f64> = residuals.iter().map(|r| r / scale).collect();
    let weights: Vec<f64> = in_scales
        .iter()
        .map(|u| request.method.weight(*u))
        .collect();
    let forces = in_scales
        .iter()
        .zip(&weights)
        .map(|(u, weight)| (u * weight).powi(2));
    let forces = forces.sum::<f64>();
    let slopes: Vec<f64> = in_scales
        .iter()
        .map(|u| request.method.force_slope(*u))
        .collect();
    let mean = slopes.iter().sum::<f64>() / n;
    let spread = slopes
        .iter()
        .map(|slope| (slope - mean).powi(2))
        .sum::<f64>()
        / n;
    let k = 1.0 + rank as f64 / n * spread / (mean * mean);
    let variance = k * k * forces / (n - rank as f64) * scale * scale / (mean * mean);
    let inverse = factors.inverse_gram();
    let coefficient = |(at, estimate): (usize, &f64)| {
        let name = &request.design.names[factors.kept[at]];
        let error = (variance * inverse[at * rank + at]).sqrt();
        CoefficientEstimate::new(name, *estimate, error, f64::INFINITY, request.confidence)
    };
    RobustFit {
        coefficients: b.iter().enumerate().map(coefficient).collect(),
        aliased: factors
            .aliased
            .iter()
            .map(|column| request.design.names[*column].clone())
            .collect(),
        scale,
        weights,
        fitted: request
            .y
            .iter()
            .zip(&residuals)
            .map(|(y, r)| y - r)
            .collect(),
        residuals,
        iterations,
    }
}

/// The median magnitude over that of a normal value.
fn median_scale(residuals: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let half = sizes.len() / 2;
    let median = match sizes.len() % 2 {
        1 => sizes[half],
        _ => 0.5 * (sizes[half - 1] + sizes[half]),
    };
    median / NORMAL_MEDIAN
}

fn plain_residuals(columns: &DesignMatrix, y: &[f64], b: &[f64]) -> Vec<f64> {
    let mut out = y.to_vec();
    for (column, b) in b.iter().enumerate() {
        numerics::dense::add_multiple(&mut out, -b, columns.column(column));
    }
    out
}

/// The coefficients by weighted least squares; 0 for columns that the rows with weight do not determine.
fn weighted_solution(
    columns: &DesignMatrix,
    y: &[f64],
    weights: &[f64],
    watch: &dyn Watch,
) -> Result<Vec<f64>, ModelError> {
    let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
    let mut weighted = DesignMatrix {
        low: None,
        ..columns.clone()
    };
    for column in weighted.high.chunks_exact_mut(columns.rows) {
        column
            .iter_mut()
            .zip(&roots)
            .for_each(|(entry, root)| *entry *= root);
    }
    let response: Vec<f64> = y.iter().zip(&roots).map(|(y, root)| y * root).collect();
    let factors = LeastSquaresFactors::new(&weighted, watch)?;
    if factors.rank() < columns.columns {
        let words = "the rows that keep their weight do not determine every coefficient";
        return Err(ModelError::Unsuitable(words.to_owned()));
    }
    Ok(factors.solve(&response, 1, watch)?.coefficients)
}
