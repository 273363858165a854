//! Iterated weighted least squares.

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;

use super::{GlmFamily, GlmLink};
use crate::design::ModelMatrix;
use crate::models::ModelError;
use crate::models::least_squares::LeastSquaresFactors;
use crate::models::linear::ErrorEstimate;

/// Iterations before the fit is given up.
const ITERATIONS_MAX: usize = 500;
/// Halvings of one step.
const HALVINGS_MAX: usize = 40;
/// Relative change of the deviance at which the fit may be done.
const DEVIANCE_CHANGE: f64 = 1e-12;
/// Change of the linear predictors, relative to the largest so far, at which it is: links that are not canonical converge by a factor a step, so that the
/// deviance stands still long before the coefficients do.
const PREDICTOR_CHANGE: f64 = 1e-11;
/// Steps with the same deviance after which rounding is all that moves.
const STILL_MAX: usize = 20;
/// From a linear predictor this far from 0 on, separation is searched for.
const PREDICTOR_LARGE: f64 = 12.0;

/// A generalised linear model to fit.
#[derive(Debug, Clone, Copy)]
pub struct GlmRequest<'a> {
    /// The columns.
    pub design: &'a ModelMatrix,
    /// The responses; shares of successes for binomial ones.
    pub y: &'a [f64],
    /// Trials of binomial responses; 1 each when `None`.
    pub trials: Option<&'a [f64]>,
    /// Weights, inversely proportional to the dispersions of the rows.
    pub weights: Option<&'a [f64]>,
    /// What is known of the linear predictor.
    pub offset: Option<&'a [f64]>,
    /// The distribution of the response.
    pub family: GlmFamily,
    /// The link.
    pub link: GlmLink,
    /// How errors are estimated.
    pub errors: ErrorEstimate<'a>,
    /// Probability of the intervals.
    pub confidence: f64,
}

impl GlmRequest<'_> {
    /// The trials of a row.
    pub(super) fn trials(&self, row: usize) -> f64 {
        self.trials.map_or(1.0, |trials| trials[row])
    }

    /// The weight of a row times its trials.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row]) * self.trials(row)
    }

    pub(super) fn offset(&self, row: usize) -> f64 {
        self.offset.map_or(0.0, |offset| offset[row])
    }

    pub(super) fn check(&self) -> Result<(), ModelError> {
        for (row, value) in self.y.iter().enumerate() {
            self.family.check_response(row, *value)?;
            let weight = self.weight(row);
            if !(weight > 0.0 && weight.is_finite()) {
                return Err(ModelError::Weight { row, value: weight });
            }
        }
        Ok(())
    }

    /// The deviance of linear predictors; `None` where one has no mean.
    pub(super) fn deviance(&self, eta: &[f64]) -> Option<f64> {
        let mut sum = 0.0;
        for (row, eta) in eta.iter().enumerate() {
            let mu = self.link.mean(*eta);
            if !self.link.takes(*eta) || !self.family.takes_mean(mu) {
                return None;
            }
            sum += self.weight(row) * self.family.unit_deviance(self.y[row], mu);
        }
        sum.is_finite().then_some(sum)
    }
}

/// The end of the iteration.
pub(super) struct IrlsResult {
    /// Factors of the weighted columns at the end.
    pub factors: LeastSquaresFactors,
    /// Coefficients of the kept columns.
    pub coefficients: Vec<f64>,
    /// Linear predictors with the offset.
    pub eta: Vec<f64>,
    /// Weights of the last step.
    pub weights: Vec<f64>,
    /// The deviance.
    pub deviance: f64,
    /// Steps taken.
    pub iterations: usize,
}

/// Maximises the likelihood.
///
/// # Method
/// Newton steps with the expected information by QR of the weighted columns, halved while the deviance grows or a mean is impossible (P. McCullagh and
/// J. A. Nelder, "Generalized Linear Models", 2nd ed., section 2.5; I. C. Marschner, R Journal 3(2), 2011). The steps of a likelihood without maximum
/// tend to a direction along which no response is contradicted, which proves the separation (M. Konis, thesis, Oxford 2007).
pub(super) fn run_irls(
    request: &GlmRequest<'_>,
    watch: &dyn Watch,
) -> Result<IrlsResult, ModelError> {
    request.check()?;
    let n = request.y.len();
    let mut eta = starting_predictors(request);
    let mut current: Option<(Vec<f64>, f64)> = None;
    let mut still = 0;
    let mut size = numerics::dense::max_abs(&eta).max(f64::MIN_POSITIVE);
    for iteration in 1..=ITERATIONS_MAX {
        let step = weighted_step(request, &eta, watch)?;
        let rank = step.factors.rank();
        if rank == 0 {
            return Err(ModelError::NoColumns);
        }
        if n < rank {
            return Err(ModelError::TooFewRows {
                parameters: rank,
                rows: n,
            });
        }
        let (coefficients, next, deviance) = match halve_step(request, &step, current.as_ref()) {
            Some(taken) => (taken.coefficients, taken.eta, taken.deviance),
            None => {
                return Err(ModelError::NoConvergence {
                    method: "iterated weighted least squares",
                    iterations: iteration,
                });
            }
        };
        let before = current
            .as_ref()
            .map_or(f64::INFINITY, |(_, deviance)| *deviance);
        let change = (before - deviance).abs() / (deviance.abs() + 0.1);
        if let Some((from, _)) = &current {
            let direction: Vec<f64> = coefficients
                .iter()
                .zip(from)
                .map(|(to, from)| to - from)
                .collect();
            check_separation(request, &step.factors, &next, &direction)?;
        }
        size = size.max(numerics::dense::max_abs(&next));
        let moved = largest_change(&eta, &next) / size;
        eta = next;
        still = if deviance == before { still + 1 } else { 0 };
        let is_done =
            change <= DEVIANCE_CHANGE && (moved <= PREDICTOR_CHANGE || still >= STILL_MAX);
        if is_done && iteration > 1 {
            return Ok(IrlsResult {
                factors: step.factors,
                coefficients,
                eta,
                weights: step.weights,
                deviance,
                iterations: iteration,
            });
        }
        current = Some((coefficients, deviance));
    }
    Err(ModelError::NoConvergence {
        method: "iterated weighted least squares",
        iterations: ITERATIONS_MAX,
    })
}

/// The largest change of an entry.
fn largest_change(from: &[f64], to: &[f64]) -> f64 {
    let changes = from.iter().zip(to).map(|(from, to)| (to - from).abs());
    changes.fold(0.0, f64::max)
}

fn starting_predictors(request: &GlmRequest<'_>) -> Vec<f64> {
    let n = request.y.len();
    let mean = request.y.iter().sum::<f64>() / n as f64;
    let start = |(row, y): (usize, &f64)| {
        let mu = request.family.starting_mean(*y, mean, request.trials(row));
        let eta = request.link.predictor(mu);
        match request.link.takes(eta) {
            true => eta,
            false => request.link.predictor(if mean > 0.0 { mean } else { 1.0 }),
        }
    };
    request.y.iter().enumerate().map(start).collect()
}

/// A weighted least squares step.
struct WeightedStep {
    factors: LeastSquaresFactors,
    coefficients: Vec<f64>,
    weights: Vec<f64>,
}

fn weighted_step(
    request: &GlmRequest<'_>,
    eta: &[f64],
    watch: &dyn Watch,
) -> Result<WeightedStep, ModelError> {
    let n = request.y.len();
    let (mut roots, mut working) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (row, eta) in eta.iter().enumerate() {
        let mu = request.link.mean(*eta);
        let slope = request.link.slope(*eta);
        let root = (request.weight(row) / request.family.variance(mu)).sqrt() * slope.abs();
        let response = eta - request.offset(row) + (request.y[row] - mu) / slope;
        if !root.is_finite() || !response.is_finite() {
            return Err(ModelError::Overflow);
        }
        working.push(root * response);
        roots.push(root);
    }
    let mut weighted = DesignMatrix {
        low: None,
        ..request.design.matrix.clone()
    };
    for column in weighted.high.chunks_exact_mut(n) {
        column
            .iter_mut()
            .zip(&roots)
            .for_each(|(entry, root)| *entry *= root);
    }
    let factors = LeastSquaresFactors::new(&weighted, watch)?;
    let coefficients = factors.coefficients(&working, 1, watch)?;
    Ok(WeightedStep {
        factors,
        coefficients,
        weights: roots.iter().map(|root| root * root).collect(),
    })
}

/// A step that was taken.
struct TakenStep {
    coefficients: Vec<f64>,
    eta: Vec<f64>,
    deviance: f64,
}

/// The longest of the halved steps that does not make the fit worse.
fn halve_step(
    request: &GlmRequest<'_>,
    step: &WeightedStep,
    current: Option<&(Vec<f64>, f64)>,
) -> Option<TakenStep> {
    let mut coefficients = step.coefficients.clone();
    for _ in 0..HALVINGS_MAX {
        let eta = predictors(request, &step.factors.kept, &coefficients);
        if let Some(deviance) = request.deviance(&eta) {
            let is_better =
                current.is_none_or(|(_, before)| deviance <= before + 1e-10 * (before.abs() + 0.1));
            if is_better {
                return Some(TakenStep {
                    coefficients,
                    eta,
                    deviance,
                });
            }
        }
        // The first step has nothing to go back to but the constant.
        let from = current.map(|(from, _)| from.as_slice()).unwrap_or_default();
        for (k, to) in coefficients.iter_mut().enumerate() {
            *to = 0.5 * (*to + from.get(k).copied().unwrap_or(0.0));
        }
    }
    None
}

/// `offset + X b`.
pub(super) fn predictors(
    request: &GlmRequest<'_>,
    kept: &[usize],
    coefficients: &[f64],
) -> Vec<f64> {
    let n = request.y.len();
    let mut eta: Vec<f64> = (0..n).map(|row| request.offset(row)).collect();
    for (column, factor) in kept.iter().zip(coefficients) {
        numerics::dense::add_multiple(&mut eta, *factor, request.design.matrix.column(*column));
    }
    eta
}

/// Ends the fit where the direction of the last step proves that the likelihood grows without end.
fn check_separation(
    request: &GlmRequest<'_>,
    factors: &LeastSquaresFactors,
    eta: &[f64],
    direction: &[f64],
) -> Result<(), ModelError> {
    const TOLERANCE: f64 = 1e-3;
    let is_binomial = request.family == GlmFamily::Binomial;
    let is_bounded = is_binomial || request.family.is_count();
    let has_limit = matches!(
        request.link,
        GlmLink::Logit | GlmLink::Probit | GlmLink::Cloglog | GlmLink::Log
    );
    let largest = eta.iter().fold(0.0_f64, |most, eta| most.max(eta.abs()));
    if !is_bounded || !has_limit || largest < limit_of(request.link) {
        return Ok(());
    }
    let n = request.y.len();
    let mut along = vec![0.0; n];
    for (column, factor) in factors.kept.iter().zip(direction) {
        numerics::dense::add_multiple(&mut along, *factor, request.design.matrix.column(*column));
    }
    let most = numerics::dense::max_abs(&along);
    // Steps of a fit that converges become small; those of one that does not keep a length.
    if most < 0.1 {
        return Ok(());
    }
    let contradicts = |row: usize| {
        let along = along[row] / most;
        match request.y[row] {
            0.0 => along > TOLERANCE,
            1.0 if is_binomial => along < -TOLERANCE,
            _ => along.abs() > TOLERANCE,
        }
    };
    if (0..n).any(contradicts) {
        return Ok(());
    }
    let spread = |(column, factor): (&usize, &f64)| {
        let entries = request.design.matrix.column(*column);
        let low = entries.iter().copied().fold(f64::INFINITY, f64::min);
        let high = entries.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (high - low) * factor.abs()
    };
    let spreads: Vec<f64> = factors.kept.iter().zip(direction).map(spread).collect();
    let widest = spreads.iter().copied().fold(0.0, f64::max);
    let names = factors.kept.iter().zip(&spreads);
    let names: Vec<String> = names
        .filter(|(_, spread)| **spread > 0.05 * widest)
        .map(|(column, _)| format!("`{}`", request.design.names[*column]))
        .collect();
    Err(ModelError::Separation {
        by: match names.is_empty() {
            true => String::new(),
            false => format!(" by {}", names.join(", ")),
        },
    })
}

fn limit_of(link: GlmLink) -> f64 {
    match link {
        GlmLink::Probit => PREDICTOR_LARGE / 2.5,
        _ => PREDICTOR_LARGE,
    }
}
