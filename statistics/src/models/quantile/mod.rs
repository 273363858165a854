//! Quantile regression: the exact minimum of the asymmetric absolute loss, with kernel, homogeneous or bootstrapped errors.

mod errors;
mod vertex;

#[cfg(test)]
mod tests;

use numerics::Watch;

use self::errors::quantile_covariance;
use self::vertex::VertexSearch;
use super::least_squares::{LeastSquaresFactors, chosen_columns};
use super::linear::root_weights;
use super::{CoefficientEstimate, ModelError};
use crate::design::ModelMatrix;

/// How errors of quantile coefficients are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantileErrors {
    /// Powell's sandwich with an Epanechnikov kernel and Hall and Sheather's bandwidth, as statsmodels and Stata.
    Kernel,
    /// One density of the errors for all rows.
    Homogeneous,
    /// The deviation over samples of rows drawn with replacement.
    Bootstrap {
        /// Samples.
        samples: usize,
        /// Seed.
        seed: u64,
    },
}

/// A quantile regression to fit.
#[derive(Debug, Clone, Copy)]
pub struct QuantileRequest<'a> {
    /// The columns.
    pub design: &'a ModelMatrix,
    /// The responses.
    pub y: &'a [f64],
    /// Weights of the losses of the rows.
    pub weights: Option<&'a [f64]>,
    /// The quantile, between 0 and 1.
    pub quantile: f64,
    /// How errors are estimated.
    pub errors: QuantileErrors,
    /// Probability of the intervals.
    pub confidence: f64,
}

/// A fitted quantile.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantileFit {
    /// The quantile.
    pub quantile: f64,
    /// The coefficients; the fit goes through as many rows.
    pub coefficients: Vec<CoefficientEstimate>,
    /// Columns that depend on others and are left out.
    pub aliased: Vec<String>,
    /// Sum of the losses.
    pub loss: f64,
    /// 1 - loss over that of a constant alone (R. Koenker and J. A. F. Machado, JASA 94, 1999); NaN without a constant.
    pub pseudo_r2: f64,
    /// Residuals.
    pub residuals: Vec<f64>,
    /// Rows that the fit goes through.
    pub basis: Vec<usize>,
    /// Whether no other coefficients have the same loss.
    pub is_unique: bool,
    /// Exchanges of rows.
    pub pivots: usize,
}

/// Fits one quantile.
///
/// # Method
/// Exchanges of rows that the fit goes through, along the steepest edge with a weighted median as line search (I. Barrodale and F. D. K. Roberts, SIAM
/// J. Numer. Anal. 10, 1973; R. Koenker and V. d'Orey, Applied Statistics 36, 1987), from the rows nearest to the shifted least squares fit. Ties are
/// broken by shifts of 1e-11 of the spread that depend on the row alone; the coefficients are those of the plain responses. About n (p + log n)
/// operations an exchange.
///
/// # Errors
/// [`ModelError`].
pub fn fit_quantile(
    request: QuantileRequest<'_>,
    watch: &dyn Watch,
) -> Result<QuantileFit, ModelError> {
    let n = request.y.len();
    root_weights(request.weights)?;
    let factors = LeastSquaresFactors::new(&request.design.matrix, watch)?;
    let rank = factors.rank();
    if rank == 0 {
        return Err(ModelError::NoColumns);
    }
    if n <= rank {
        return Err(ModelError::TooFewRows {
            parameters: rank,
            rows: n,
        });
    }
    let columns = chosen_columns(&request.design.matrix, &factors.kept);
    let ordinary = factors.solve(request.y, 1, watch)?;
    let search = VertexSearch::new(&columns, request.y, request.weights, request.quantile);
    let vertex = search.run(&ordinary.residuals, watch)?;
    let residuals = search.residuals(request.y, &vertex.coefficients);
    let loss = search.loss(&residuals);
    let has_constant = request.design.terms.iter().any(Option::is_none);
    let pseudo_r2 = match has_constant {
        true => 1.0 - loss / constant_loss(&search, request),
        false => f64::NAN,
    };
    let covariance = quantile_covariance(&request, &factors, &columns, &residuals, watch)?;
    let df = (n - rank) as f64;
    let coefficient = |(k, estimate): (usize, &f64)| {
        let name = &request.design.names[factors.kept[k]];
        let error = covariance[k * rank + k].sqrt();
        CoefficientEstimate::new(name, *estimate, error, df, request.confidence)
    };
    Ok(QuantileFit {
        quantile: request.quantile,
        coefficients: vertex
            .coefficients
            .iter()
            .enumerate()
            .map(coefficient)
            .collect(),
        aliased: factors
            .aliased
            .iter()
            .map(|column| request.design.names[*column].clone())
            .collect(),
        loss,
        pseudo_r2,
        residuals,
        basis: vertex.basis,
        is_unique: vertex.is_unique,
        pivots: vertex.pivots,
    })
}

/// The loss of the weighted quantile of the responses.
fn constant_loss(search: &VertexSearch<'_>, request: QuantileRequest<'_>) -> f64 {
    let weight = |row: usize| request.weights.map_or(1.0, |weights| weights[row]);
    let n = request.y.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|a, b| request.y[*a].total_cmp(&request.y[*b]));
    let target = request.quantile * (0..n).map(weight).sum::<f64>();
    let mut sum = 0.0;
    let at = order.iter().find(|row| {
        sum += weight(**row);
        sum >= target
    });
    let centre = at.or(order.last()).map_or(0.0, |row| request.y[*row]);
    let residuals: Vec<f64> = request.y.iter().map(|y| y - centre).collect();
    search.loss(&residuals)
}
