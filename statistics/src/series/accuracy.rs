//! How far forecasts are from what came.

/// Errors of forecasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastAccuracy {
    /// Root of the mean square.
    pub rmse: f64,
    /// Mean of the sizes.
    pub mae: f64,
    /// Mean of the sizes as shares of the values; `None` where a value is not above 0.
    pub mape: Option<f64>,
    /// The mean size over that of the seasonal naive forecast within the training values; `None` where that has no errors.
    pub mase: Option<f64>,
}

/// Measures forecasts of values, given the training values of the forecast. `None` without values.
///
/// # References
/// R. J. Hyndman and A. B. Koehler, "Another look at measures of forecast accuracy", Int. J. Forecasting 22, 2006.
pub fn measure_forecast(
    values: &[f64],
    forecasts: &[f64],
    training: &[f64],
    period: usize,
) -> Option<ForecastAccuracy> {
    let count = values.len().min(forecasts.len());
    if count == 0 {
        return None;
    }
    let errors = values
        .iter()
        .zip(forecasts)
        .map(|(value, forecast)| value - forecast);
    let mean = |sum: f64| sum / count as f64;
    let mae = mean(errors.clone().map(f64::abs).sum());
    let is_positive = values.iter().all(|value| *value > 0.0);
    let shares = errors
        .clone()
        .zip(values)
        .map(|(error, value)| (error / value).abs());
    Some(ForecastAccuracy {
        rmse: mean(errors.map(|error| error * error).sum()).sqrt(),
        mae,
        mape: is_positive.then(|| mean(shares.sum())),
        mase: naive_scale(training, period).map(|scale| mae / scale),
    })
}

/// Mean size of the errors of the seasonal naive forecast one step ahead within a series.
fn naive_scale(training: &[f64], period: usize) -> Option<f64> {
    let pairs = training.iter().zip(training.iter().skip(period));
    let sizes = pairs.map(|(before, after)| (after - before).abs());
    let count = training.len().checked_sub(period)?;
    let scale = sizes.sum::<f64>() / count as f64;
    (scale > 0.0 && scale.is_finite()).then_some(scale)
}

/// The seasonal naive forecast: the last period again and again.
pub fn seasonal_naive(training: &[f64], period: usize, steps: usize) -> Vec<f64> {
    let period = period.clamp(1, training.len().max(1));
    let last = &training[training.len() - period.min(training.len())..];
    last.iter().copied().cycle().take(steps).collect()
}
