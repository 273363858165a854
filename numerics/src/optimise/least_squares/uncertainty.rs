//! Uncertainty of a fit: covariance, intervals, bands, and what tells fits apart.

use super::levenberg::LeastSquaresResult;
use super::qr::JacobianQr;
use crate::special::{student_two_sided, student_two_sided_inverse};

/// Least share of a column that a pivot must have for the parameter to be determined by the data.
const SHARE: f64 = 1e-13;

/// So many degrees of freedom that Student's distribution is the normal one, to 6 digits.
const NORMAL: f64 = 1e10;

/// What the uncertainty of a fit depends on.
#[derive(Debug, Clone)]
pub struct UncertaintyInputs<'a> {
    /// The derivatives of the model, a column for each parameter.
    pub plain: &'a [Vec<f64>],
    /// The same divided by the standard deviations.
    pub weighted: Vec<Vec<f64>>,
    /// Variance of a weighted residual.
    pub variance: f64,
    /// Degrees of freedom of that variance; `None` where it is known.
    pub freedom: Option<usize>,
}

/// The uncertainty of a fit; NaN where it is not determined.
#[derive(Debug, Clone)]
pub struct FitUncertainty {
    /// Of each parameter.
    pub standard_errors: Vec<f64>,
    /// Each estimate by its standard error.
    pub t_values: Vec<f64>,
    /// Two-sided p value of the hypothesis that the parameter is 0, by Student's distribution.
    pub p_values: Vec<f64>,
    /// Half the width of each confidence interval.
    pub half_widths: Vec<f64>,
    /// A row for each parameter.
    pub covariance: Vec<Vec<f64>>,
    /// A square root of the covariance, a row for each parameter; rows of parameters that are held are 0. Empty where there is none.
    pub root: Vec<Vec<f64>>,
    /// Half the width of an interval in units of the standard error.
    pub quantile: f64,
    /// Half the width of the confidence band of the mean at each row.
    pub bands: Vec<f64>,
    /// Whether the data determine all parameters that are free.
    pub is_determined: bool,
}

/// The uncertainty at the end of a fit: s^2 (J'J)^-1, linear theory; `confidence` is the probability of an interval, between 0 and 1.
pub fn report_uncertainty(
    found: &LeastSquaresResult,
    uncertain: &UncertaintyInputs<'_>,
    confidence: f64,
) -> FitUncertainty {
    let &UncertaintyInputs {
        plain: plain_jacobian,
        variance,
        ..
    } = uncertain;
    let freedom = uncertain.freedom.map_or(NORMAL, |freedom| freedom as f64);
    let count = found.point.len();
    let free: Vec<usize> = (0..count).filter(|&index| !found.held[index]).collect();
    // Columns of length 1, so that no unit of a parameter makes it look undetermined.
    let norms: Vec<f64> = (free.iter())
        .map(|&index| crate::dense::euclidean_norm(&uncertain.weighted[index]))
        .collect();
    let scaled = free.iter().zip(&norms).map(|(&index, norm)| {
        let column = &uncertain.weighted[index];
        column
            .iter()
            .map(|value| value / norm)
            .collect::<Vec<f64>>()
    });
    let inverse = match norms.iter().all(|norm| *norm > 0.0) {
        true => JacobianQr::new(scaled.collect(), &found.linear.residuals).inverse(SHARE),
        false => None,
    };
    let quantile = match freedom {
        0.0 => f64::NAN,
        // A probability too small to be told from 0.
        _ if 1.0 - confidence == 1.0 => 0.0,
        freedom => student_two_sided_inverse(1.0 - confidence, freedom),
    };
    let rows = found.linear.residuals.len();
    let mut covariance = vec![vec![f64::NAN; count]; count];
    let mut bands = vec![f64::NAN; rows];
    let mut root = Vec::new();
    if let Some(inverse) = &inverse {
        root = vec![vec![0.0; free.len()]; count];
        for (a, &row) in free.iter().enumerate() {
            let entries = inverse[a].iter();
            root[row] = entries
                .map(|entry| entry * variance.sqrt() / norms[a])
                .collect();
            for (b, &column) in free.iter().enumerate() {
                let product: f64 = inverse[a].iter().zip(&inverse[b]).map(|(x, y)| x * y).sum();
                covariance[row][column] = variance * product / (norms[a] * norms[b]);
            }
        }
        for (row, band) in bands.iter_mut().enumerate() {
            // |R^-T j|: the columns of the inverse times the row of the Jacobian.
            let squares = (0..free.len()).map(|k| {
                let parts = free.iter().enumerate();
                let sum: f64 = parts
                    .map(|(a, &index)| plain_jacobian[index][row] / norms[a] * inverse[a][k])
                    .sum();
                sum * sum
            });
            *band = quantile * (variance * squares.sum::<f64>()).sqrt();
        }
    }
    let standard_errors: Vec<f64> = (0..count)
        .map(|index| covariance[index][index].sqrt())
        .collect();
    let pairs = found.point.iter().zip(&standard_errors);
    let t_values: Vec<f64> = pairs.map(|(estimate, error)| estimate / error).collect();
    let p_value = |t: &f64| match freedom {
        0.0 => f64::NAN,
        _ if t.is_nan() => f64::NAN,
        _ if t.is_infinite() => 0.0,
        freedom => student_two_sided(*t, freedom),
    };
    FitUncertainty {
        p_values: t_values.iter().map(p_value).collect(),
        half_widths: standard_errors
            .iter()
            .map(|error| quantile * error)
            .collect(),
        t_values,
        standard_errors,
        covariance,
        root,
        quantile,
        bands,
        is_determined: inverse.is_some(),
    }
}
