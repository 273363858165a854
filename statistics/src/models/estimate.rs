//! [`CoefficientEstimate`] and [`WaldTest`]: what every model says of its coefficients.

use super::least_squares::{cholesky_lower, cholesky_solve, is_positive};
use crate::distribution::{
    chi_squared_sf, fisher_f_sf, normal_isf, normal_sf, student_isf, student_sf,
};

/// An estimate and its uncertainty.
#[derive(Debug, Clone, PartialEq)]
pub struct CoefficientEstimate {
    /// The column of the design matrix.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The estimate over its standard error.
    pub statistic: f64,
    /// Degrees of freedom of Student's t; infinite for the normal distribution.
    pub df: f64,
    /// Two-sided p value of the hypothesis that the estimate is 0.
    pub p: f64,
    /// Confidence interval.
    pub interval: [f64; 2],
}

impl CoefficientEstimate {
    /// The estimate with its test and interval; `df` is infinite for the normal distribution.
    pub fn new(name: &str, estimate: f64, standard_error: f64, df: f64, confidence: f64) -> Self {
        let statistic = estimate / standard_error;
        let half = critical_value(df, confidence) * standard_error;
        Self {
            name: name.to_owned(),
            estimate,
            standard_error,
            statistic,
            df,
            p: two_sided_p(statistic, df),
            interval: [estimate - half, estimate + half],
        }
    }
}

/// Two-sided p of a t value, or of a z value for infinite `df`; NaN without degrees of freedom.
pub fn two_sided_p(statistic: f64, df: f64) -> f64 {
    match df {
        _ if statistic.is_nan() || !is_positive(df) => f64::NAN,
        f64::INFINITY => 2.0 * normal_sf(statistic.abs()),
        df => 2.0 * student_sf(statistic.abs(), df),
    }
}

/// Half the width of a confidence interval in standard errors.
pub fn critical_value(df: f64, confidence: f64) -> f64 {
    let tail = 0.5 * (1.0 - confidence);
    match df {
        _ if !is_positive(df) => f64::NAN,
        f64::INFINITY => normal_isf(tail),
        df => student_isf(tail, df),
    }
}

/// A joint test that some coefficients are 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaldTest {
    /// F, or chi-squared where `df2` is infinite.
    pub statistic: f64,
    /// Coefficients tested.
    pub df1: f64,
    /// Degrees of freedom of the denominator; infinite for chi-squared.
    pub df2: f64,
    /// p value.
    pub p: f64,
}

impl WaldTest {
    /// An F test.
    pub fn from_f(statistic: f64, df1: f64, df2: f64) -> Self {
        let is_defined = !statistic.is_nan() && df1 > 0.0 && df2 > 0.0;
        Self {
            statistic,
            df1,
            df2,
            p: match is_defined {
                true if statistic == f64::INFINITY => 0.0,
                true => fisher_f_sf(statistic, df1, df2),
                false => f64::NAN,
            },
        }
    }

    /// A chi-squared test.
    pub fn from_chi_squared(statistic: f64, df: f64) -> Self {
        Self {
            statistic,
            df1: df,
            df2: f64::INFINITY,
            p: match statistic.is_nan() || !is_positive(df) {
                true => f64::NAN,
                false => chi_squared_sf(statistic, df),
            },
        }
    }
}

/// `b' V^-1 b` of some coefficients; `None` where their covariance is singular.
pub(crate) fn wald_form(estimates: &[f64], covariance: &[f64], chosen: &[usize]) -> Option<f64> {
    let (whole, size) = (estimates.len(), chosen.len());
    let scale: Vec<f64> = chosen
        .iter()
        .map(|at| covariance[at * whole + at].sqrt().recip())
        .collect();
    let mut block = vec![0.0; size * size];
    for (row, one) in chosen.iter().enumerate() {
        for (column, two) in chosen.iter().enumerate() {
            block[row * size + column] = covariance[one * whole + two] * scale[row] * scale[column];
        }
    }
    let lower = cholesky_lower(&block, size)?;
    let scaled: Vec<f64> = chosen
        .iter()
        .zip(&scale)
        .map(|(at, scale)| estimates[*at] * scale)
        .collect();
    let mut solved = scaled.clone();
    cholesky_solve(&lower, size, &mut solved);
    Some(scaled.iter().zip(&solved).map(|(one, two)| one * two).sum())
}
