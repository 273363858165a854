//! Estimates by maximum likelihood, and the choice among models by AICc.

use numerics::{Interruption, Watch};

use super::filter::{SmoothingState, run_filter};
use super::start::guess_start;
use super::{ESTIMATED_SEASON_MAX, ErrorForm, SmoothingModel, SmoothingSeason, SmoothingTrend};
use crate::series::descent::{QuasiNewtonResult, minimise_quasi_newton};
use crate::series::{LikelihoodEvidence, SeriesError};

/// Bounds of the damping, as in R.
const DAMPING: [f64; 2] = [0.8, 0.98];

/// How near the smoothing parameters come to 0 and 1.
const EDGE: f64 = 1e-4;

/// The parameters of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothingParameters {
    /// Of the level, between 0 and 1.
    pub alpha: f64,
    /// Of the slope, between 0 and alpha; 0 without trend.
    pub beta: f64,
    /// Of the season, between 0 and 1 less alpha; 0 without season.
    pub gamma: f64,
    /// Of the trend, from 0.8 to 0.98; 1 where it is not damped.
    pub damping: f64,
}

/// A fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct SmoothingFit {
    /// The model.
    pub model: SmoothingModel,
    /// Its parameters.
    pub parameters: SmoothingParameters,
    /// The state before the first value.
    pub start: SmoothingState,
    /// The state after the last value.
    pub end: SmoothingState,
    /// Forecasts one step ahead of each value.
    pub fitted: Vec<f64>,
    /// Errors: values less forecasts, as shares of the forecasts where errors are multiplicative.
    pub errors: Vec<f64>,
    /// Mean square of the errors.
    pub variance: f64,
    /// The likelihood.
    pub evidence: LikelihoodEvidence,
}

/// What the variables of the search mean.
struct SmoothingSearch<'a> {
    y: &'a [f64],
    model: SmoothingModel,
    guess: SmoothingState,
    /// Size of the values, the unit of level and slope.
    unit: f64,
    /// The least mean square of errors that is not rounding.
    floor: f64,
}

fn logistic(u: f64) -> f64 {
    1.0 / (1.0 + (-u).exp())
}

fn logit(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

impl SmoothingSearch<'_> {
    fn moves_season(&self) -> bool {
        self.model.is_seasonal() && self.model.period <= ESTIMATED_SEASON_MAX
    }

    /// The variables of smoothing parameters, given as shares of their ranges, with the guessed start.
    fn variables(&self, alpha: f64, beta: f64, gamma: f64) -> Vec<f64> {
        let mut x = vec![logit(alpha)];
        if self.model.has_trend() {
            x.push(logit(beta));
        }
        if self.model.is_seasonal() {
            x.push(logit(gamma));
        }
        if self.model.trend == SmoothingTrend::Damped {
            x.push(logit(0.9));
        }
        x.push(self.guess.level / self.unit);
        if self.model.has_trend() {
            x.push(self.guess.slope / self.unit);
        }
        if self.moves_season() {
            let unit = self.season_unit();
            let free = &self.guess.season[1..];
            x.extend(free.iter().map(|season| season / unit));
        }
        x
    }

    fn season_unit(&self) -> f64 {
        match self.model.season {
            SmoothingSeason::Additive => self.unit,
            _ => 1.0,
        }
    }

    fn read(&self, x: &[f64]) -> (SmoothingParameters, SmoothingState) {
        let mut rest = x.iter().copied();
        let mut next = || rest.next().unwrap_or(0.0);
        let mut share = || EDGE + (1.0 - 2.0 * EDGE) * logistic(next());
        let alpha = share();
        let beta = match self.model.has_trend() {
            true => alpha * share(),
            false => 0.0,
        };
        let gamma = match self.model.is_seasonal() {
            true => (1.0 - alpha) * share(),
            false => 0.0,
        };
        let damping = match self.model.trend {
            SmoothingTrend::Damped => DAMPING[0] + (DAMPING[1] - DAMPING[0]) * logistic(next()),
            _ => 1.0,
        };
        let level = next() * self.unit;
        let slope = match self.model.has_trend() {
            true => next() * self.unit,
            false => 0.0,
        };
        let mut season = self.guess.season.clone();
        if self.moves_season() {
            let unit = self.season_unit();
            season[1..].iter_mut().for_each(|s| *s = next() * unit);
            // The first is what the others leave.
            let sum: f64 = season[1..].iter().sum();
            season[0] = match self.model.season {
                SmoothingSeason::Multiplicative => self.model.period as f64 - sum,
                _ => -sum,
            };
        }
        let parameters = SmoothingParameters {
            alpha,
            beta,
            gamma,
            damping,
        };
        let state = SmoothingState {
            level,
            slope,
            season,
        };
        (parameters, state)
    }

    /// Minus twice the logarithm of the likelihood for each value, without constants.
    fn cost(&self, x: &[f64]) -> f64 {
        let (parameters, start) = self.read(x);
        if self.model.needs_positive()
            && (start.level <= 0.0 || self.has_negative_factor(&start.season))
        {
            return f64::INFINITY;
        }
        let Some(pass) = run_filter(self.y, self.model, &parameters, start, |_, _| ()) else {
            return f64::INFINITY;
        };
        let n = self.y.len() as f64;
        (pass.squares / n).max(self.floor).ln() + 2.0 * pass.log_sum / n
    }

    fn has_negative_factor(&self, season: &[f64]) -> bool {
        self.model.season == SmoothingSeason::Multiplicative
            && season.iter().any(|factor| *factor <= 0.0)
    }

    /// Variables to search from: for each of two paces of the season those of the least cost on a coarse grid.
    fn coarse_starts(&self) -> Vec<Vec<f64>> {
        let only = |is_used: bool, values: &'static [f64]| match is_used {
            true => values,
            false => &values[..1],
        };
        let mut starts = Vec::new();
        for &gamma in only(self.model.is_seasonal(), &[0.005, 0.4]) {
            let mut best = (f64::INFINITY, self.variables(0.5, 0.1, gamma));
            for &alpha in &[0.05, 0.25, 0.5, 0.9] {
                for &beta in only(self.model.has_trend(), &[0.02, 0.3]) {
                    let x = self.variables(alpha, beta, gamma);
                    let cost = self.cost(&x);
                    if cost < best.0 {
                        best = (cost, x);
                    }
                }
            }
            starts.push(best.1);
        }
        starts
    }

    /// The variables of the largest likelihood: searches from each start, each begun again where it ended while that gains.
    fn optimum(&self, watch: &dyn Watch) -> Result<Vec<f64>, Interruption> {
        let mut best = QuasiNewtonResult {
            x: Vec::new(),
            value: f64::INFINITY,
        };
        for start in self.coarse_starts() {
            let mut found = minimise_quasi_newton(&mut |x| self.cost(x), &start, watch)?;
            for _ in 0..3 {
                let next = minimise_quasi_newton(&mut |x| self.cost(x), &found.x, watch)?;
                let gain = found.value - next.value;
                found = next;
                if gain.is_nan() || gain < 1e-6 {
                    break;
                }
            }
            if best.x.is_empty() || found.value < best.value {
                best = found;
            }
        }
        Ok(best.x)
    }
}

/// Fits a model by maximum likelihood, start and smoothing together, smoothing within the usual region. Costs some hundred passes over the series, more
/// with a season.
///
/// # Errors
/// [`SeriesError`] for too few values, values not above 0 under a multiplicative form, and where the caller says no.
pub fn fit_smoothing(
    y: &[f64],
    model: SmoothingModel,
    watch: &dyn Watch,
) -> Result<SmoothingFit, SeriesError> {
    let needed = (model.parameter_count() + 2).max(2 * model.period + 1);
    if y.len() < needed {
        return Err(SeriesError::TooShort {
            what: "this model of exponential smoothing",
            needed,
            found: y.len(),
        });
    }
    let least = y.iter().copied().fold(f64::INFINITY, f64::min);
    if model.needs_positive() && least <= 0.0 {
        return Err(SeriesError::NotPositive {
            what: "a multiplicative form",
            value: least,
        });
    }
    watch.reserve_doubles(4 * y.len())?;
    let unit = y.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let unit = if unit > 0.0 { unit } else { 1.0 };
    let relative = match model.error {
        ErrorForm::Additive => unit,
        ErrorForm::Multiplicative => 1.0,
    };
    let search = SmoothingSearch {
        y,
        model,
        guess: guess_start(y, model),
        unit,
        floor: (1e-13 * relative).powi(2),
    };
    let (parameters, start) = search.read(&search.optimum(watch)?);
    let (mut fitted, mut errors) = (Vec::with_capacity(y.len()), Vec::with_capacity(y.len()));
    let pass = run_filter(y, model, &parameters, start.clone(), |forecast, error| {
        fitted.push(forecast);
        errors.push(error);
    });
    let pass = pass.ok_or(SeriesError::NoModel {
        what: "model of exponential smoothing",
    })?;
    let n = y.len() as f64;
    let variance = (pass.squares / n).max(search.floor);
    let log_likelihood =
        -0.5 * n * ((2.0 * std::f64::consts::PI * variance).ln() + 1.0) - pass.log_sum;
    Ok(SmoothingFit {
        model,
        parameters,
        start,
        end: pass.end,
        fitted,
        errors,
        variance,
        evidence: LikelihoodEvidence::new(log_likelihood, model.parameter_count(), y.len()),
    })
}

/// Fits all models of a period, the least AICc first; those that the series is too short for are left out.
///
/// # Errors
/// [`SeriesError`] where no model fits, and where the caller says no.
pub fn choose_smoothing(
    y: &[f64],
    period: usize,
    watch: &dyn Watch,
) -> Result<Vec<SmoothingFit>, SeriesError> {
    let is_positive = y.iter().all(|value| *value > 0.0);
    let mut fits = Vec::new();
    for model in SmoothingModel::candidates(period, is_positive) {
        match fit_smoothing(y, model, watch) {
            Ok(fit) if fit.evidence.aicc.is_finite() => fits.push(fit),
            Err(SeriesError::Interrupted(interruption)) => return Err(interruption.into()),
            Ok(_) | Err(_) => {}
        }
    }
    if fits.is_empty() {
        return Err(SeriesError::NoModel {
            what: "model of exponential smoothing",
        });
    }
    fits.sort_by(|a, b| a.evidence.aicc.total_cmp(&b.evidence.aicc));
    Ok(fits)
}
