//! What a call of `time_series` says.

use super::data::SeriesInput;
use crate::prelude::*;

/// Analyses a series in time and forecasts it: decomposition STL with the strengths of trend and season, autocorrelations, change points, anomalies, and a model,
/// exponential smoothing or seasonal ARIMA, chosen by AICc within its family and by the errors on held-out values between families, with parameters, tests of
/// the residuals and forecasts with 80 and 95 % intervals.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The series, oldest value first: a list of numbers, a table (a list of records or an object of columns), or `{"$file": path}`.
    pub data: Input<SeriesInput>,
    /// Column of the series; may be left out where one column has numbers.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y: Option<String>,
    /// Column of times, which are equally far apart: dates, moments or whole numbers such as years; the first column of dates when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub time: Option<String>,
    /// Steps to forecast, 0 for none; two periods when absent, 10 without a period.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub forecast: Option<BoundedInteger<0, 10_000>>,
    /// Values in a period, 1 for a series without season; absent: 12 for months, 4 for quarters, 7 for days, 24 for hours and so on, without dates the period
    /// that stands out in the series.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub period: Option<BoundedInteger<1, 100_000>>,
    /// The family of models.
    #[value(default)]
    pub model: SeriesModelChoice,
    /// Orders p, d, q of an ARIMA model; chosen by AICc when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub order: Option<Vec<BoundedInteger<0, 12>>>,
    /// Seasonal orders P, D, Q beside `order`; none when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seasonal_order: Option<Vec<BoundedInteger<0, 12>>>,
    /// Whether a model of an `order` has a mean or drift; absent: a mean where nothing is differenced, as in R.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub constant: Option<bool>,
    /// Whether logarithms are analysed.
    #[value(default)]
    pub transform: SeriesTransform,
    /// What becomes of missing values between others; those at the ends are left out.
    #[value(default)]
    pub missing: MissingChoice,
    /// Values at the end on which models are compared and measured before the last fit; 0 for none, absent: as many as are forecast, at most a fifth.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub hold_out: Option<BoundedInteger<0, 10_000>>,
    /// What changes at change points.
    #[value(default)]
    pub changes: ChangesChoice,
    /// How many robust scales from its median a remainder is an anomaly.
    #[value(default = "default_anomaly_limit")]
    pub anomaly_limit: Positive,
    /// Whether the answer has the series and its parts value by value, which a picture needs; the last 2,000 at most.
    #[value(default = "crate::prelude::default_true")]
    pub columns: bool,
    /// Seed of simulated intervals; that of the call when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

fn default_anomaly_limit() -> Positive {
    Positive::literal(3.5)
}

/// A family of models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SeriesModelChoice {
    /// The one with the smaller mean error on the held-out values; ARIMA where an `order` is given.
    #[default]
    Auto,
    /// Exponential smoothing in state space: error, trend and season each additive, multiplicative or absent.
    #[value(alias = "exponential_smoothing")]
    Ets,
    /// Seasonal ARIMA.
    Arima,
}

/// Whether logarithms are analysed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SeriesTransform {
    /// Logarithms where the spread of a series above 0 grows with its level; exponential smoothing takes the values then, since its forms multiply too.
    #[default]
    Auto,
    /// The values.
    None,
    /// The logarithms, for every model.
    Log,
}

/// What becomes of missing values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum MissingChoice {
    /// The call is refused.
    #[default]
    Refuse,
    /// They are filled by the mean of the values a period before and after, or by a line between the neighbours, and counted.
    Interpolate,
}

/// What changes at change points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ChangesChoice {
    /// Means or lines, whichever describe the series at less cost.
    #[default]
    Auto,
    /// The mean.
    Mean,
    /// The line in time.
    Line,
    /// Mean and variance.
    Variance,
    /// Nothing: no change points are looked for.
    None,
}
