//! Seasonal ARIMA models: exact maximum likelihood, the choice of orders, forecasts.
//!
//! The series is differenced first, and the likelihood is that of the differences: for whole series it is R's `arima`, whose diffuse start has the same
//! limit. A moving average has the sign `1 + theta B`, as in R and statsmodels.
//!
//! # References
//! G. Gardner, A. C. Harvey and G. D. A. Phillips, "Algorithm AS 154", Applied Statistics 29, 1980 (the state space and its start); R. H. Jones, Technometrics
//! 22, 1980, and J. F. Monahan, Biometrika 71, 1984 (stationary coefficients by partial autocorrelations); R. J. Hyndman and Y. Khandakar, J. Stat.
//! Software 27(3), 2008 (the choice of orders).

mod choice;
mod coefficients;
mod filter;
mod fit;
mod forecast;

use std::fmt;

pub use self::choice::{ArimaChoice, choose_arima, choose_differences};
pub use self::fit::{ArimaCoefficient, ArimaFit, fit_arima};
pub use self::forecast::forecast_arima;

/// Largest number of terms of a kind.
pub const ARIMA_TERMS_MAX: usize = 12;

/// Largest period of a model with seasonal terms.
pub const ARIMA_PERIOD_MAX: usize = 60;

/// The orders of a model `(p,d,q)(P,D,Q)[period]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArimaOrder {
    /// Autoregressive terms.
    pub p: usize,
    /// Differences.
    pub d: usize,
    /// Moving average terms.
    pub q: usize,
    /// Seasonal autoregressive terms.
    pub seasonal_p: usize,
    /// Seasonal differences.
    pub seasonal_d: usize,
    /// Seasonal moving average terms.
    pub seasonal_q: usize,
    /// Values in a period; 1 without season.
    pub period: usize,
    /// Whether there is a constant: the mean of a series without differences, the drift of one with one difference.
    pub has_constant: bool,
}

impl ArimaOrder {
    /// Differences of both kinds.
    pub fn differences(self) -> usize {
        self.d + self.seasonal_d
    }

    /// Values that differences use up.
    pub fn lost_values(self) -> usize {
        self.d + self.seasonal_d * self.period
    }

    /// Coefficients of terms, without the constant.
    pub fn terms(self) -> usize {
        self.p + self.q + self.seasonal_p + self.seasonal_q
    }

    /// Longest lag of the autoregressive part.
    fn longest_lag(self) -> usize {
        self.p + self.seasonal_p * self.period
    }

    /// What the constant is multiplied by in the differences.
    fn constant_column(self) -> f64 {
        match self.seasonal_d {
            0 => 1.0,
            _ => self.period as f64,
        }
    }
}

/// `ARIMA(0,1,1)(0,1,1)[12]`, `ARIMA(1,0,0) with mean`, `ARIMA(1,1,0) with drift`.
impl fmt::Display for ArimaOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ARIMA({},{},{})", self.p, self.d, self.q)?;
        if self.period > 1 && self.seasonal_p + self.seasonal_d + self.seasonal_q > 0 {
            let (p, d, q) = (self.seasonal_p, self.seasonal_d, self.seasonal_q);
            write!(f, "({p},{d},{q})[{}]", self.period)?;
        }
        match (self.has_constant, self.differences()) {
            (false, _) => Ok(()),
            (true, 0) => f.write_str(" with mean"),
            (true, _) => f.write_str(" with drift"),
        }
    }
}

/// The differences of a series.
fn difference_series(y: &[f64], order: ArimaOrder) -> Vec<f64> {
    let at_lag = |values: Vec<f64>, lag: usize| -> Vec<f64> {
        let pairs = values.iter().zip(values.iter().skip(lag));
        pairs.map(|(before, after)| after - before).collect()
    };
    let mut values = y.to_vec();
    for _ in 0..order.seasonal_d {
        values = at_lag(values, order.period);
    }
    for _ in 0..order.d {
        values = at_lag(values, 1);
    }
    values
}
