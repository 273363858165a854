//! Forecasts of a seasonal ARIMA model with their intervals.

use numerics::Watch;

use super::{ArimaFit, ArimaOrder};
use crate::series::{SeriesError, StepForecast, normal_forecast};

/// Forecasts of `steps` steps after the series `y` of the fit. Intervals are normal; their variance is exact for the model at its estimates, the errors of
/// the state at the end included, those of the estimates not. Costs `steps states^2`.
///
/// # Errors
/// [`SeriesError`] where the caller says no.
pub fn forecast_arima(
    fit: &ArimaFit,
    y: &[f64],
    steps: usize,
    watch: &dyn Watch,
) -> Result<Vec<StepForecast>, SeriesError> {
    let r = fit.model.states();
    watch.afford(4.0 * steps as f64 * (r * r + steps) as f64)?;
    watch.reserve_doubles((steps + 1).saturating_mul(r + 4))?;
    let past = difference_weights(fit.order);
    let means = point_forecasts(fit, y, &past, steps);
    let deviations = forecast_deviations(fit, &past, steps, watch)?;
    let pairs = means.iter().zip(deviations);
    Ok(pairs
        .map(|(mean, deviation)| normal_forecast(*mean, deviation))
        .collect())
}

/// Weights of past values, from lag 1, in a value whose difference is 0.
fn difference_weights(order: ArimaOrder) -> Vec<f64> {
    let mut polynomial = vec![1.0];
    let lags = std::iter::repeat_n(1, order.d);
    for lag in lags.chain(std::iter::repeat_n(order.period, order.seasonal_d)) {
        let mut product = polynomial.clone();
        product.resize(polynomial.len() + lag, 0.0);
        for (at, value) in polynomial.iter().enumerate() {
            product[at + lag] -= value;
        }
        polynomial = product;
    }
    polynomial[1..].iter().map(|value| -value).collect()
}

fn phi_at(fit: &ArimaFit, at: usize) -> f64 {
    fit.model.ar.get(at).copied().unwrap_or(0.0)
}

fn point_forecasts(fit: &ArimaFit, y: &[f64], past: &[f64], steps: usize) -> Vec<f64> {
    let mut state = fit.end.states[0].clone();
    let shift = match fit.order.has_constant {
        true => fit.constant * fit.order.constant_column(),
        false => 0.0,
    };
    let mut values: Vec<f64> = y[y.len() - past.len().min(y.len())..].to_vec();
    let known = values.len();
    for _ in 0..steps {
        let head = state[0];
        let before = past.iter().zip(values.iter().rev());
        let sum: f64 = before.map(|(weight, value)| weight * value).sum();
        values.push(head + shift + sum);
        for at in 0..state.len() {
            let next = state.get(at + 1).copied().unwrap_or(0.0);
            state[at] = phi_at(fit, at) * head + next;
        }
    }
    values.split_off(known)
}

fn forecast_deviations(
    fit: &ArimaFit,
    past: &[f64],
    steps: usize,
    watch: &dyn Watch,
) -> Result<Vec<f64>, SeriesError> {
    let r = fit.model.states();
    // What the state after the series, and what each later error, add to the difference and to the value of a step.
    let mut of_difference = vec![0.0; r];
    of_difference[0] = 1.0;
    let psi = fit.model.error_weights(steps);
    let mut of_value: Vec<Vec<f64>> = Vec::with_capacity(steps);
    let mut error_weights: Vec<f64> = Vec::with_capacity(steps);
    let mut later = 0.0;
    let mut deviations = Vec::with_capacity(steps);
    for step in 0..steps {
        if step % 64 == 0 {
            watch.check()?;
        }
        let mut weights = of_difference.clone();
        let mut error_weight = psi[step];
        for (lag, factor) in past.iter().enumerate() {
            if *factor == 0.0 || lag >= step {
                continue;
            }
            let earlier = &of_value[step - lag - 1];
            let pairs = weights.iter_mut().zip(earlier);
            pairs.for_each(|(weight, earlier)| *weight += factor * earlier);
            error_weight += factor * error_weights[step - lag - 1];
        }
        let state = quadratic_form(&fit.end.covariance, &weights);
        deviations.push((fit.variance * (state + later)).max(0.0).sqrt());
        later += error_weight * error_weight;
        error_weights.push(error_weight);
        of_value.push(weights);
        let head: f64 = of_difference
            .iter()
            .enumerate()
            .map(|(at, weight)| weight * phi_at(fit, at))
            .sum();
        of_difference.rotate_right(1);
        of_difference[0] = head;
    }
    Ok(deviations)
}

fn quadratic_form(matrix: &[f64], vector: &[f64]) -> f64 {
    let rows = matrix.chunks(vector.len()).zip(vector);
    let products = rows.map(|(row, weight)| {
        let product: f64 = row.iter().zip(vector).map(|(a, b)| a * b).sum();
        weight * product
    });
    products.sum()
}
