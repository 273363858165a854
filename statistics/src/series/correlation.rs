//! Autocorrelations and partial autocorrelations.

use super::SeriesError;
use crate::distribution::normal_isf;

/// Correlations of a series with itself, at lags from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesCorrelations {
    /// Autocorrelations at lags 1, 2, ...
    pub autocorrelations: Vec<f64>,
    /// Partial autocorrelations at the same lags.
    pub partial: Vec<f64>,
    /// What the correlations of white noise stay within, up to the sign, 95 times of 100.
    pub bound: f64,
}

/// Autocorrelations with the divisor `n` at each lag, and partial ones from them by the recursion of Durbin and Levinson, as R's `acf` and `pacf`.
/// Costs `n lags + lags^2`.
///
/// # References
/// G. E. P. Box, G. M. Jenkins, G. C. Reinsel and G. M. Ljung, "Time Series Analysis", 5th ed., sections 2.1 and 3.2.5.
///
/// # Errors
/// [`SeriesError`] for fewer than 2 values, a constant series, and lags that are not from 1 to the length less 1.
pub fn correlate_series(y: &[f64], lags: usize) -> Result<SeriesCorrelations, SeriesError> {
    if y.len() < 2 {
        return Err(SeriesError::TooShort {
            what: "an autocorrelation",
            needed: 2,
            found: y.len(),
        });
    }
    if lags == 0 || lags >= y.len() {
        return Err(SeriesError::Range {
            what: "lags",
            least: 1,
            most: y.len() - 1,
            found: lags,
        });
    }
    let autocorrelations = autocorrelations(y, lags).ok_or(SeriesError::Constant)?;
    Ok(SeriesCorrelations {
        partial: partial_correlations(&autocorrelations),
        autocorrelations,
        bound: normal_isf(0.025) / (y.len() as f64).sqrt(),
    })
}

/// Autocorrelations at lags from 1; `None` of a constant series.
pub(super) fn autocorrelations(y: &[f64], lags: usize) -> Option<Vec<f64>> {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let deviations: Vec<f64> = y.iter().map(|value| value - mean).collect();
    let power: f64 = deviations.iter().map(|d| d * d).sum();
    let is_constant = y.iter().all(|value| *value == y[0]);
    if is_constant || power <= 0.0 {
        return None;
    }
    let at = |lag: usize| {
        let pairs = deviations.iter().zip(&deviations[lag..]);
        pairs.map(|(a, b)| a * b).sum::<f64>() / power
    };
    Some((1..=lags).map(at).collect())
}

/// The recursion of Durbin and Levinson; lags after one that the others determine exactly have 0.
fn partial_correlations(r: &[f64]) -> Vec<f64> {
    let mut partial = Vec::with_capacity(r.len());
    let mut coefficients: Vec<f64> = Vec::with_capacity(r.len());
    let mut left = 1.0;
    for lag in 0..r.len() {
        let explained: f64 = coefficients
            .iter()
            .zip(r[..lag].iter().rev())
            .map(|(c, r)| c * r)
            .sum();
        let next = match left > f64::EPSILON {
            true => ((r[lag] - explained) / left).clamp(-1.0, 1.0),
            false => 0.0,
        };
        let reversed: Vec<f64> = coefficients.iter().rev().copied().collect();
        for (c, back) in coefficients.iter_mut().zip(reversed) {
            *c -= next * back;
        }
        coefficients.push(next);
        partial.push(next);
        left *= 1.0 - next * next;
    }
    partial
}
