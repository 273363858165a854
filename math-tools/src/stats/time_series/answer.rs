//! What `time_series` answers.

use crate::prelude::*;

/// A parameter of the model.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct SeriesParameter {
    /// `ar1`, `ma1`, `sar1`, `sma1`, `mean`, `drift`; or `alpha`, `beta`, `gamma`, `phi`, `level`, `slope` of exponential smoothing.
    pub name: String,
    /// The estimate; level, slope, mean and drift in units of the series, of logarithms in those.
    pub estimate: Real,
    /// Its standard error, by the curvature of the likelihood; null for exponential smoothing and at the edge of what is stationary.
    pub standard_error: Option<f64>,
    /// Estimate over error.
    pub z: Option<f64>,
    /// Two-sided p value of z.
    pub p: Option<f64>,
}

/// The likelihood and the errors one step ahead.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct SeriesFitMeasures {
    /// Logarithm of the likelihood, with all constants; of an ARIMA model that of the differenced series.
    pub log_likelihood: Real,
    /// Estimated parameters, the variance among them.
    pub parameters: usize,
    /// Values that the likelihood is of.
    pub n: usize,
    /// Akaike's criterion.
    pub aic: Real,
    /// Akaike's criterion for small samples, by which models of one family are compared.
    pub aicc: Real,
    /// Schwarz's criterion.
    pub bic: Real,
    /// Standard deviation of the errors: in units of the series, or where they are relative as a share.
    pub sigma: Real,
    /// Whether errors are shares of the forecasts, or differences of logarithms.
    pub relative_errors: bool,
    /// Root of the mean square of values less their forecasts one step ahead.
    pub rmse: Real,
    /// Mean size of the same.
    pub mae: Real,
    /// Mean size as a share of the values; null where a value is not above 0.
    pub mape: Option<Real>,
    /// Mean size over that of the seasonal naive forecast within the series; null where that has no errors.
    pub mase: Option<Real>,
}

/// A model that was compared by AICc.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct ModelCandidate {
    /// Its name.
    pub model: String,
    /// Estimated parameters, the variance among them.
    pub parameters: usize,
    /// Akaike's criterion for small samples.
    pub aicc: Real,
    /// Whether it is the chosen one.
    pub chosen: bool,
}

/// Errors of a model on values that it did not see.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct HeldOutRow {
    /// The model, fitted to the values before; the last is the seasonal naive forecast.
    pub model: String,
    /// Mean size of the errors.
    pub mae: Real,
    /// Root of the mean square.
    pub rmse: Real,
    /// Mean size as a share of the values; null where one is not above 0.
    pub mape: Option<Real>,
    /// Mean size over that of the seasonal naive forecast within the values before; null where that has no errors.
    pub mase: Option<Real>,
}

/// Strengths of the parts of the series, from 0 to 1.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct StrengthAnswer {
    /// Of the trend.
    pub trend: f64,
    /// Of the season; 0 without one.
    pub season: f64,
}

/// Correlations at a lag.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct CorrelationRow {
    /// The lag.
    pub lag: usize,
    /// Autocorrelation of the series.
    pub series: f64,
    /// Partial autocorrelation of the series.
    pub partial: f64,
    /// Autocorrelation of the residuals; null where they are rounding alone.
    pub residuals: Option<f64>,
}

/// A change point.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct ChangeRow {
    /// Place of the first value after the change, from 0.
    pub at: usize,
    /// Its time; null without dates.
    pub time: Option<String>,
    /// Level before the change.
    pub before: Real,
    /// Level after it.
    pub after: Real,
    /// Change of the level in a step before: in units of the series, of logarithms as a share; 0 where means change.
    pub growth_before: Real,
    /// The same after it.
    pub growth_after: Real,
    /// What the change gains; more than the penalty.
    pub gain: f64,
}

/// Change points of the series without its season.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct ChangesAnswer {
    /// What changes: `mean`, `line`, `variance`; `none` where none are looked for.
    pub kind: String,
    /// What a change has to gain.
    pub penalty: f64,
    /// The points, ascending; at most 100.
    pub points: Vec<ChangeRow>,
}

/// A value far from what the decomposition expects.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct AnomalyRow {
    /// Its place, from 0.
    pub at: usize,
    /// Its time; null without dates.
    pub time: Option<String>,
    /// The value.
    pub value: Real,
    /// Trend and season at it.
    pub expected: Real,
    /// Remainder less its median, in robust scales.
    pub score: f64,
}

/// The forecast of a step.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct ForecastRow {
    /// Steps after the last value, from 1.
    pub step: usize,
    /// The time; null without dates.
    pub time: Option<String>,
    /// The point forecast: the mean, of a model of logarithms the median.
    pub mean: Real,
    /// Lower end of the 80 % interval.
    pub low_80: Real,
    /// Upper end of the 80 % interval.
    pub high_80: Real,
    /// Lower end of the 95 % interval.
    pub low_95: Real,
    /// Upper end of the 95 % interval.
    pub high_95: Real,
}

/// The series and its parts, value by value.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct SeriesColumns {
    /// Place of the first row in the series; the columns have the last 2,000 values at most.
    pub from: usize,
    /// Times; empty without dates.
    pub time: Vec<String>,
    /// The values, those filled included.
    pub observed: Vec<Real>,
    /// Forecasts one step ahead by the model; null where differences use a value up.
    pub fitted: Vec<Option<Real>>,
    /// Trend in units of the series.
    pub trend: Vec<Real>,
    /// Season: added to the trend, or of logarithms a factor of it.
    pub season: Vec<Real>,
    /// Remainder: added to both, or of logarithms a factor.
    pub remainder: Vec<Real>,
}
