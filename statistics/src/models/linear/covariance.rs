//! Covariances of the coefficients: classical, robust to unequal variances, and clustered.

use numerics::{Interruption, Watch};

use crate::models::ModelError;
use crate::models::least_squares::LeastSquaresFactors;

/// How the errors of coefficients are estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ErrorEstimate<'a> {
    /// One variance for all rows.
    Classical,
    /// White's estimate.
    Hc0,
    /// HC0 times n / (n - p).
    Hc1,
    /// Squared residuals over 1 - leverage.
    Hc2,
    /// Squared residuals over (1 - leverage)^2, near the jackknife.
    Hc3,
    /// Rows of a cluster may depend on each other; the cluster of each row.
    Cluster(&'a [u32]),
}

impl ErrorEstimate<'_> {
    /// The name for readers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Hc0 => "HC0",
            Self::Hc1 => "HC1",
            Self::Hc2 => "HC2",
            Self::Hc3 => "HC3",
            Self::Cluster(_) => "cluster",
        }
    }

    /// Number of clusters.
    pub fn clusters(self) -> Option<usize> {
        match self {
            Self::Cluster(codes) => {
                let mut codes = codes.to_vec();
                codes.sort_unstable();
                codes.dedup();
                Some(codes.len())
            }
            _ => None,
        }
    }
}

/// What is left to a row with full leverage, at most.
pub(crate) const LEVERAGE_REST: f64 = 1e-10;

/// The covariance of the kept coefficients for residuals `e` of rows with leverages, and n - p degrees of freedom.
///
/// # References
/// J. G. MacKinnon and H. White, J. Econometrics 29, 1985 (HC0 to HC3); A. C. Cameron and D. L. Miller, J. Human Resources 50, 2015 (clusters, with
/// the factor G / (G - 1) (n - 1) / (n - p)).
pub(crate) fn robust_covariance(
    factors: &LeastSquaresFactors,
    q: &[f64],
    residuals: &[f64],
    leverages: &[f64],
    errors: ErrorEstimate<'_>,
    watch: &dyn Watch,
) -> Result<Vec<f64>, ModelError> {
    let (n, size) = (residuals.len(), factors.rank());
    let freedom = (n - size) as f64;
    if let ErrorEstimate::Cluster(codes) = errors {
        return cluster_covariance(factors, q, residuals, codes, watch);
    }
    let mut squares = Vec::with_capacity(n);
    for (row, (residual, leverage)) in residuals.iter().zip(leverages).enumerate() {
        let rest = 1.0 - leverage;
        let divides = matches!(errors, ErrorEstimate::Hc2 | ErrorEstimate::Hc3);
        if divides && rest < LEVERAGE_REST {
            return Err(ModelError::FullLeverage { row });
        }
        squares.push(match errors {
            ErrorEstimate::Hc1 => residual * residual * n as f64 / freedom,
            ErrorEstimate::Hc2 => residual * residual / rest,
            ErrorEstimate::Hc3 => (residual / rest).powi(2),
            _ => residual * residual,
        });
    }
    let middle = middle_matrix(q, size, &squares, watch)?;
    Ok(factors.sandwich(&middle))
}

/// `Q' D Q`.
fn middle_matrix(
    q: &[f64],
    size: usize,
    weights: &[f64],
    watch: &dyn Watch,
) -> Result<Vec<f64>, Interruption> {
    let mut middle = vec![0.0; size * size];
    for (index, (row, weight)) in q.chunks_exact(size.max(1)).zip(weights).enumerate() {
        if index % 1024 == 0 {
            watch.check()?;
        }
        add_outer(&mut middle, row, *weight);
    }
    Ok(middle)
}

fn add_outer(matrix: &mut [f64], vector: &[f64], weight: f64) {
    for (one, out) in vector
        .iter()
        .zip(matrix.chunks_exact_mut(vector.len().max(1)))
    {
        let factor = one * weight;
        out.iter_mut()
            .zip(vector)
            .for_each(|(out, two)| *out += factor * two);
    }
}

fn cluster_covariance(
    factors: &LeastSquaresFactors,
    q: &[f64],
    residuals: &[f64],
    codes: &[u32],
    watch: &dyn Watch,
) -> Result<Vec<f64>, ModelError> {
    let (n, size) = (residuals.len(), factors.rank());
    let groups = codes.iter().max().map_or(0, |most| *most as usize + 1);
    watch.reserve_doubles(groups.saturating_mul(size))?;
    let mut scores = vec![0.0; groups * size];
    let mut is_used = vec![false; groups];
    for ((row, residual), code) in q.chunks_exact(size.max(1)).zip(residuals).zip(codes) {
        let group = *code as usize;
        is_used[group] = true;
        let score = &mut scores[group * size..(group + 1) * size];
        score
            .iter_mut()
            .zip(row)
            .for_each(|(score, q)| *score += q * residual);
    }
    let found = is_used.iter().filter(|used| **used).count();
    if found < 2 {
        return Err(ModelError::Clusters { found });
    }
    let mut middle = vec![0.0; size * size];
    for score in scores.chunks_exact(size.max(1)) {
        add_outer(&mut middle, score, 1.0);
    }
    let factor = found as f64 / (found - 1) as f64 * (n - 1) as f64 / (n - size) as f64;
    middle.iter_mut().for_each(|value| *value *= factor);
    Ok(factors.sandwich(&middle))
}
