//! Forecasts with intervals: by formula where there is one, by simulated paths where a season multiplies.

use numerics::Watch;
use numerics::special::normal_quantile;
use rand::RngExt;
use random_streams::stream_rng;

use super::filter::SmoothingStepper;
use super::{ErrorForm, SmoothingFit, SmoothingSeason};
use crate::series::{FORECAST_LEVELS, SeriesError, StepForecast, normal_forecast};

/// Random paths, for the models without a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathDraws {
    /// Number of paths.
    pub paths: usize,
    /// The seed.
    pub seed: u64,
}

/// Forecasts of `steps` steps. Intervals are normal, of the variance that the model has (classes 1 and 2 of Hyndman and others, section 6.3); where a
/// season multiplies they are quantiles of simulated paths. They know nothing of the errors of the parameters.
///
/// # Errors
/// [`SeriesError`] where the caller says no.
pub fn forecast_smoothing(
    fit: &SmoothingFit,
    steps: usize,
    draws: PathDraws,
    watch: &dyn Watch,
) -> Result<Vec<StepForecast>, SeriesError> {
    let means = point_forecasts(fit, steps);
    if fit.model.season == SmoothingSeason::Multiplicative {
        return simulate_paths(fit, &means, draws, watch);
    }
    let deviations = match fit.model.error {
        ErrorForm::Additive => additive_deviations(fit, steps),
        ErrorForm::Multiplicative => relative_deviations(fit, &means, watch)?,
    };
    let pairs = means.iter().zip(deviations);
    Ok(pairs
        .map(|(mean, deviation)| normal_forecast(*mean, deviation))
        .collect())
}

/// The path without errors.
fn point_forecasts(fit: &SmoothingFit, steps: usize) -> Vec<f64> {
    let mut stepper = stepper_of(fit);
    (0..steps)
        .map(|_| {
            let forecast = stepper.forecast();
            stepper.take(forecast);
            forecast
        })
        .collect()
}

fn stepper_of(fit: &SmoothingFit) -> SmoothingStepper<'_> {
    SmoothingStepper {
        model: fit.model,
        parameters: &fit.parameters,
        state: fit.end.clone(),
        at: 0,
    }
}

/// What an error of 1 adds to the forecast `j` steps later, for j from 1.
fn error_weights(fit: &SmoothingFit, steps: usize) -> Vec<f64> {
    let parameters = &fit.parameters;
    let mut damped = 0.0;
    let mut power = 1.0;
    (1..steps.max(1))
        .map(|j| {
            power *= parameters.damping;
            damped += power;
            let season = match fit.model.is_seasonal() && j.is_multiple_of(fit.model.period) {
                true => parameters.gamma,
                false => 0.0,
            };
            parameters.alpha + parameters.beta * damped + season
        })
        .collect()
}

fn additive_deviations(fit: &SmoothingFit, steps: usize) -> Vec<f64> {
    let weights = error_weights(fit, steps);
    let mut sum = 1.0;
    let mut deviations = Vec::with_capacity(steps);
    for step in 0..steps {
        deviations.push((fit.variance * sum).sqrt());
        if let Some(weight) = weights.get(step) {
            sum += weight * weight;
        }
    }
    deviations
}

/// Of models that are linear but for errors that are shares of the forecasts.
fn relative_deviations(
    fit: &SmoothingFit,
    means: &[f64],
    watch: &dyn Watch,
) -> Result<Vec<f64>, SeriesError> {
    watch.afford(2.0 * (means.len() as f64).powi(2))?;
    let weights = error_weights(fit, means.len());
    let squares: Vec<f64> = weights.iter().map(|weight| weight * weight).collect();
    let mut theta: Vec<f64> = Vec::with_capacity(means.len());
    for (step, mean) in means.iter().enumerate() {
        let past = theta.iter().rev().zip(&squares);
        let sum: f64 = past.map(|(theta, square)| theta * square).sum();
        debug_assert_eq!(theta.len(), step);
        theta.push(mean * mean + fit.variance * sum);
    }
    let deviation = |(theta, mean): (&f64, &f64)| {
        let variance = (1.0 + fit.variance) * theta - mean * mean;
        variance.max(0.0).sqrt()
    };
    Ok(theta.iter().zip(means).map(deviation).collect())
}

/// Quantiles of paths whose errors are normal; an error that would make a value negative makes it nearly 0.
fn simulate_paths(
    fit: &SmoothingFit,
    means: &[f64],
    draws: PathDraws,
    watch: &dyn Watch,
) -> Result<Vec<StepForecast>, SeriesError> {
    let steps = means.len();
    let paths = draws.paths.max(1);
    watch.afford(60.0 * (paths * steps) as f64)?;
    watch.reserve_doubles(paths * steps)?;
    let deviation = fit.variance.sqrt();
    let mut values = vec![0.0; paths * steps];
    for path in 0..paths {
        if path % 256 == 0 {
            watch.check()?;
        }
        let mut random = stream_rng(draws.seed, path as u64);
        let mut stepper = stepper_of(fit);
        for step in 0..steps {
            let uniform = (random.random::<u64>() >> 11) as f64 + 0.5;
            let error = deviation * normal_quantile(uniform * 0.5_f64.powi(53));
            let forecast = stepper.forecast();
            let value = match fit.model.error {
                ErrorForm::Additive => forecast + error,
                ErrorForm::Multiplicative => forecast * (1.0 + error.max(-0.999)),
            };
            values[step * paths + path] = value;
            stepper.take(value);
        }
    }
    let rows = values.chunks_mut(paths).zip(means);
    let forecasts = rows.map(|(row, mean)| {
        row.sort_by(f64::total_cmp);
        let [inner, outer] = FORECAST_LEVELS.map(|level| {
            let tail = 0.5 * (1.0 - level);
            [sorted_quantile(row, tail), sorted_quantile(row, 1.0 - tail)]
        });
        StepForecast {
            mean: *mean,
            inner,
            outer,
        }
    });
    Ok(forecasts.collect())
}

/// The quantile of R's type 7.
fn sorted_quantile(sorted: &[f64], probability: f64) -> f64 {
    let place = probability * (sorted.len() - 1) as f64;
    let low = place.floor() as usize;
    let high = (low + 1).min(sorted.len() - 1);
    let share = place - low as f64;
    sorted[low] * (1.0 - share) + sorted[high] * share
}
