//! Series in time: correlations, decomposition, exponential smoothing, ARIMA, change points, anomalies.
//!
//! A series is a slice of finite numbers at equal distances in time, oldest first. Values of about 1 in size are computed best: callers with 1e300
//! divide by a power of two before and multiply after. Every function returns the same bits for the same arguments; draws have a seed.

mod accuracy;
mod anomalies;
pub mod arima;
mod changes;
mod correlation;
mod decompose;
mod descent;
mod error;
mod loess;
mod period;
mod repair;
pub mod smoothing;
#[cfg(test)]
mod tests;

pub use self::accuracy::{ForecastAccuracy, measure_forecast, seasonal_naive};
pub use self::anomalies::{AnomalySearch, SeriesAnomaly, find_anomalies};
pub use self::changes::{ChangeKind, ChangePoint, ChangeSearch, find_changes};
pub use self::correlation::{SeriesCorrelations, correlate_series};
pub use self::decompose::{
    SeriesDecomposition, SeriesStrength, StlOptions, StlWindow, decompose_series, smooth_trend,
};
pub use self::error::SeriesError;
pub use self::period::{PeriodSearch, find_period, prefers_logarithms};
pub use self::repair::{RepairedSeries, interpolate_missing};

/// The forecast of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepForecast {
    /// The point forecast.
    pub mean: f64,
    /// The interval of the narrower level.
    pub inner: [f64; 2],
    /// The interval of the wider level.
    pub outer: [f64; 2],
}

/// The levels of the intervals of forecasts.
pub const FORECAST_LEVELS: [f64; 2] = [0.8, 0.95];

/// Normal intervals about a mean.
fn normal_forecast(mean: f64, deviation: f64) -> StepForecast {
    let [inner, outer] = FORECAST_LEVELS.map(|level| {
        let half = crate::distribution::normal_isf(0.5 * (1.0 - level)) * deviation;
        [mean - half, mean + half]
    });
    StepForecast { mean, inner, outer }
}

/// Evidence of a likelihood: the criteria by which models of one series are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LikelihoodEvidence {
    /// Logarithm of the likelihood, with all constants.
    pub log_likelihood: f64,
    /// Estimated parameters, the variance among them.
    pub parameters: usize,
    /// Values that the likelihood is of.
    pub n: usize,
    /// Akaike's criterion.
    pub aic: f64,
    /// Akaike's criterion for small samples; infinite where there are too few values.
    pub aicc: f64,
    /// Schwarz's criterion.
    pub bic: f64,
}

impl LikelihoodEvidence {
    pub(crate) fn new(log_likelihood: f64, parameters: usize, n: usize) -> Self {
        let (k, count) = (parameters as f64, n as f64);
        let aic = 2.0 * k - 2.0 * log_likelihood;
        let left = count - k - 1.0;
        Self {
            log_likelihood,
            parameters,
            n,
            aic,
            aicc: match left > 0.0 {
                true => aic + 2.0 * k * (k + 1.0) / left,
                false => f64::INFINITY,
            },
            bic: k * count.ln() - 2.0 * log_likelihood,
        }
    }
}
