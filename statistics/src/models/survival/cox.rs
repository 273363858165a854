//! Cox regression.

use numerics::Watch;

use super::concordance::{Concordance, measure_concordance};
use crate::design::ModelMatrix;
use crate::models::least_squares::{
    LeastSquaresFactors, cholesky_lower, cholesky_solve, inverse_definite,
};
use crate::models::{CoefficientEstimate, ModelError, WaldTest};

/// Newton steps.
const STEPS_MAX: usize = 100;
/// A relative change of the log likelihood at which the fit is done; the step after it is taken too.
const CHANGE: f64 = 1e-12;

/// How events at one time are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoxTies {
    /// Efron's approximation, near the exact likelihood.
    Efron,
    /// Breslow's.
    Breslow,
}

/// A Cox regression to fit.
#[derive(Debug, Clone, Copy)]
pub struct CoxRequest<'a> {
    /// The columns; a constant is left out, since the baseline has it.
    pub design: &'a ModelMatrix,
    /// Times.
    pub times: &'a [f64],
    /// Whether each ended in the event.
    pub is_event: &'a [bool],
    /// Strata with a baseline of their own.
    pub strata: Option<&'a [u32]>,
    /// What is known of the linear predictor.
    pub offset: Option<&'a [f64]>,
    /// Ties.
    pub ties: CoxTies,
    /// Probability of the intervals.
    pub confidence: f64,
}

/// A fitted Cox regression.
#[derive(Debug, Clone)]
pub struct CoxFit {
    /// The coefficients: logarithms of hazard ratios, with z tests.
    pub coefficients: Vec<CoefficientEstimate>,
    /// Their columns.
    pub kept: Vec<usize>,
    /// Columns that depend on others and are left out.
    pub aliased: Vec<String>,
    /// Covariance of the coefficients.
    pub covariance: Vec<f64>,
    /// Partial log likelihood.
    pub log_likelihood: f64,
    /// That without terms.
    pub null_log_likelihood: f64,
    /// Likelihood ratio test of all terms.
    pub likelihood_ratio: WaldTest,
    /// Wald's test of all terms.
    pub wald: Option<WaldTest>,
    /// Score test of all terms (log-rank for one category).
    pub score: Option<WaldTest>,
    /// Concordance of the linear predictors with the times.
    pub concordance: Concordance,
    /// Events.
    pub events: usize,
    /// Newton steps.
    pub iterations: usize,
    /// Linear predictors around their mean.
    pub predictors: Vec<f64>,
}

/// The rows in order: by stratum, latest first.
pub(super) struct RiskOrder {
    /// Columns of the rows, row by row, less their means.
    pub x: Vec<f64>,
    pub size: usize,
    /// Ties: rows of one time in one stratum, latest first, with whether a new stratum begins.
    pub ties: Vec<TiedRows>,
}

/// Rows of one time.
pub(super) struct TiedRows {
    pub begins_stratum: bool,
    pub time: f64,
    pub events: Vec<usize>,
    pub censored: Vec<usize>,
}

/// The log likelihood with its slopes.
pub(super) struct CoxDerivatives {
    pub value: f64,
    pub gradient: Vec<f64>,
    /// Negative second derivatives.
    pub information: Vec<f64>,
}

/// The weighted sums of those at risk.
#[derive(Clone)]
pub(super) struct RiskSums {
    pub zero: f64,
    pub one: Vec<f64>,
    pub two: Vec<f64>,
}

impl RiskSums {
    pub(super) fn new(size: usize) -> Self {
        Self {
            zero: 0.0,
            one: vec![0.0; size],
            two: vec![0.0; size * size],
        }
    }

    pub(super) fn add(&mut self, x: &[f64], weight: f64) {
        self.zero += weight;
        for (k, value) in x.iter().enumerate() {
            self.one[k] += weight * value;
            let row = &mut self.two[k * x.len()..(k + 1) * x.len()];
            row.iter_mut()
                .zip(x)
                .for_each(|(out, other)| *out += weight * value * other);
        }
    }
}

impl RiskOrder {
    fn new(request: &CoxRequest<'_>, columns: &[usize]) -> Self {
        let (n, size) = (request.times.len(), columns.len());
        let mut x = vec![0.0; n * size];
        for (k, column) in columns.iter().enumerate() {
            let entries = request.design.matrix.column(*column);
            let mean = entries.iter().sum::<f64>() / n as f64;
            entries
                .iter()
                .enumerate()
                .for_each(|(row, value)| x[row * size + k] = value - mean);
        }
        let stratum = |row: usize| request.strata.map_or(0, |strata| strata[row]);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| {
            let by_time = request.times[*b].total_cmp(&request.times[*a]);
            stratum(*a).cmp(&stratum(*b)).then(by_time).then(a.cmp(b))
        });
        let mut ties: Vec<TiedRows> = Vec::new();
        let mut before: Option<usize> = None;
        for row in order {
            let is_new_stratum = before.is_none_or(|before| stratum(before) != stratum(row));
            let is_new_time =
                before.is_none_or(|before| request.times[before] != request.times[row]);
            if is_new_stratum || is_new_time {
                ties.push(TiedRows {
                    begins_stratum: is_new_stratum,
                    time: request.times[row],
                    events: Vec::new(),
                    censored: Vec::new(),
                });
            }
            if let Some(tie) = ties.last_mut() {
                match request.is_event[row] {
                    true => tie.events.push(row),
                    false => tie.censored.push(row),
                }
            }
            before = Some(row);
        }
        Self { x, size, ties }
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.x[row * self.size..(row + 1) * self.size]
    }

    /// The log likelihood at linear predictors.
    pub(super) fn derivatives(
        &self,
        eta: &[f64],
        ties: CoxTies,
        watch: &dyn Watch,
    ) -> Result<CoxDerivatives, ModelError> {
        let size = self.size;
        let mut out = CoxDerivatives {
            value: 0.0,
            gradient: vec![0.0; size],
            information: vec![0.0; size * size],
        };
        let mut sums = RiskSums::new(size);
        for (index, tie) in self.ties.iter().enumerate() {
            if index % 256 == 0 {
                watch.check()?;
            }
            if tie.begins_stratum {
                sums = RiskSums::new(size);
            }
            let mut tied = RiskSums::new(size);
            for row in &tie.events {
                tied.add(self.row(*row), eta[*row].exp());
                out.value += eta[*row];
                out.gradient
                    .iter_mut()
                    .zip(self.row(*row))
                    .for_each(|(out, x)| *out += x);
            }
            for row in tie.events.iter().chain(&tie.censored) {
                sums.add(self.row(*row), eta[*row].exp());
            }
            let count = tie.events.len();
            for event in 0..count {
                let share = match ties {
                    CoxTies::Efron => event as f64 / count as f64,
                    CoxTies::Breslow => 0.0,
                };
                let zero = sums.zero - share * tied.zero;
                out.value -= zero.ln();
                let mean: Vec<f64> = sums
                    .one
                    .iter()
                    .zip(&tied.one)
                    .map(|(all, tied)| (all - share * tied) / zero)
                    .collect();
                for (k, mean_k) in mean.iter().enumerate() {
                    out.gradient[k] -= mean_k;
                    for (j, mean_j) in mean.iter().enumerate() {
                        let at = k * size + j;
                        out.information[at] +=
                            (sums.two[at] - share * tied.two[at]) / zero - mean_k * mean_j;
                    }
                }
            }
        }
        Ok(out)
    }
}

/// Fits a Cox regression.
///
/// # Method
/// Newton's method on the partial likelihood with halved steps, columns around their means (D. R. Cox, JRSS B 34, 1972; B. Efron, JASA 72, 1977). A
/// coefficient that grows without end is refused as a separation. n p^2 operations a step.
///
/// # Errors
/// [`ModelError`].
pub fn fit_cox(request: CoxRequest<'_>, watch: &dyn Watch) -> Result<CoxFit, ModelError> {
    let events = request.is_event.iter().filter(|event| **event).count();
    if events == 0 {
        let words = "no row ended in the event, so that there is no hazard to compare";
        return Err(ModelError::Unsuitable(words.to_owned()));
    }
    // Around their means, columns that depend on each other and the constant are told by QR.
    let factors = LeastSquaresFactors::new(&request.design.matrix, watch)?;
    let kept: Vec<usize> = factors
        .kept
        .iter()
        .copied()
        .filter(|column| request.design.terms[*column].is_some())
        .collect();
    if kept.is_empty() {
        return Err(ModelError::NoColumns);
    }
    let order = RiskOrder::new(&request, &kept);
    let size = kept.len();
    let newton = CoxNewton {
        request: &request,
        order: &order,
        kept: &kept,
    };
    let CoxMaximum {
        b,
        current,
        null,
        iterations,
    } = newton.maximise(watch)?;
    let score = score_form(&null, size).map(|form| WaldTest::from_chi_squared(form, size as f64));
    let null = null.value;
    let covariance = inverse_definite(&current.information, size);
    let covariance = covariance.ok_or_else(|| separation(&request, &kept, &b))?;
    let eta = newton.predictors(&b);
    let coefficient = |(k, estimate): (usize, &f64)| {
        let name = &request.design.names[kept[k]];
        let error = covariance[k * size + k].sqrt();
        CoefficientEstimate::new(name, *estimate, error, f64::INFINITY, request.confidence)
    };
    let all: Vec<usize> = (0..size).collect();
    let wald = crate::models::estimate::wald_form(&b, &covariance, &all);
    Ok(CoxFit {
        coefficients: b.iter().enumerate().map(coefficient).collect(),
        aliased: factors
            .aliased
            .iter()
            .map(|column| request.design.names[*column].clone())
            .collect(),
        likelihood_ratio: WaldTest::from_chi_squared(2.0 * (current.value - null), size as f64),
        wald: wald.map(|form| WaldTest::from_chi_squared(form, size as f64)),
        score,
        log_likelihood: current.value,
        null_log_likelihood: null,
        concordance: measure_concordance(request.times, request.is_event, &eta, request.strata),
        events,
        iterations,
        predictors: eta,
        kept,
        covariance,
    })
}

/// The maximum of a partial likelihood.
struct CoxMaximum {
    b: Vec<f64>,
    /// The likelihood there.
    current: CoxDerivatives,
    /// The likelihood without terms.
    null: CoxDerivatives,
    iterations: usize,
}

/// A step that was taken.
struct CoxStep {
    trial: Vec<f64>,
    found: CoxDerivatives,
    length: f64,
}

/// Newton's method on the partial likelihood.
struct CoxNewton<'a> {
    request: &'a CoxRequest<'a>,
    order: &'a RiskOrder,
    kept: &'a [usize],
}

impl CoxNewton<'_> {
    fn predictors(&self, b: &[f64]) -> Vec<f64> {
        let fixed = |row: usize| {
            self.order
                .row(row)
                .iter()
                .zip(b)
                .map(|(x, b)| x * b)
                .sum::<f64>()
        };
        let offset = |row: usize| self.request.offset.map_or(0.0, |offset| offset[row]);
        (0..self.request.times.len())
            .map(|row| offset(row) + fixed(row))
            .collect()
    }

    fn derivatives(&self, b: &[f64], watch: &dyn Watch) -> Result<CoxDerivatives, ModelError> {
        self.order
            .derivatives(&self.predictors(b), self.request.ties, watch)
    }

    fn maximise(&self, watch: &dyn Watch) -> Result<CoxMaximum, ModelError> {
        let size = self.kept.len();
        let mut b = vec![0.0; size];
        let null = self.derivatives(&b, watch)?;
        let mut current = self.derivatives(&b, watch)?;
        let mut is_last = false;
        for iterations in 1..=STEPS_MAX {
            let lower = cholesky_lower(&current.information, size);
            let lower = lower.ok_or_else(|| separation(self.request, self.kept, &b))?;
            let mut step = current.gradient.clone();
            cholesky_solve(&lower, size, &mut step);
            let CoxStep {
                trial,
                found,
                length,
            } = self.halved_step(&b, &step, current.value, iterations, watch)?;
            let change = (found.value - current.value).abs() / (found.value.abs() + 0.1);
            b = trial;
            current = found;
            let moved = length * largest_predictor(self.order, &step);
            // A likelihood that grows without end gains less and less by steps that stay long.
            if numerics::dense::max_abs(&self.predictors(&b)) > 10.0 && moved > 0.1 && change < 1e-4
            {
                return Err(separation(self.request, self.kept, &step));
            }
            if is_last {
                return Ok(CoxMaximum {
                    b,
                    current,
                    null,
                    iterations,
                });
            }
            is_last = change <= CHANGE;
        }
        Err(ModelError::NoConvergence {
            method: "Newton's method",
            iterations: STEPS_MAX,
        })
    }

    /// The longest of the halved steps that does not lower the likelihood.
    fn halved_step(
        &self,
        b: &[f64],
        step: &[f64],
        value: f64,
        iterations: usize,
        watch: &dyn Watch,
    ) -> Result<CoxStep, ModelError> {
        let mut length = 1.0;
        while length >= 1e-10 {
            let trial: Vec<f64> = b
                .iter()
                .zip(step)
                .map(|(b, step)| b + length * step)
                .collect();
            let found = self.derivatives(&trial, watch)?;
            if found.value.is_finite() && found.value >= value - 1e-10 * value.abs() {
                return Ok(CoxStep {
                    trial,
                    found,
                    length,
                });
            }
            length *= 0.5;
        }
        Err(ModelError::NoConvergence {
            method: "Newton's method",
            iterations,
        })
    }
}

/// The largest linear predictor of a row for some coefficients.
fn largest_predictor(order: &RiskOrder, b: &[f64]) -> f64 {
    let rows = order.x.chunks_exact(order.size);
    let sums = rows.map(|row| row.iter().zip(b).map(|(x, b)| x * b).sum::<f64>().abs());
    sums.fold(0.0, f64::max)
}

fn score_form(at: &CoxDerivatives, size: usize) -> Option<f64> {
    let lower = cholesky_lower(&at.information, size)?;
    let mut solved = at.gradient.clone();
    cholesky_solve(&lower, size, &mut solved);
    Some(
        at.gradient
            .iter()
            .zip(&solved)
            .map(|(one, two)| one * two)
            .sum(),
    )
}

/// The error of a likelihood that grows without end along a direction.
fn separation(request: &CoxRequest<'_>, kept: &[usize], direction: &[f64]) -> ModelError {
    let spread = |(k, factor): (usize, &f64)| {
        let entries = request.design.matrix.column(kept[k]);
        let low = entries.iter().copied().fold(f64::INFINITY, f64::min);
        let high = entries.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (high - low) * factor.abs()
    };
    let spreads: Vec<f64> = direction.iter().enumerate().map(spread).collect();
    let widest = spreads.iter().copied().fold(0.0, f64::max);
    let names: Vec<String> = kept
        .iter()
        .zip(&spreads)
        .filter(|(_, spread)| **spread > 0.05 * widest)
        .map(|(column, _)| format!("`{}`", request.design.names[*column]))
        .collect();
    ModelError::Separation {
        by: match names.is_empty() {
            true => String::new(),
            false => format!(" by {}", names.join(", ")),
        },
    }
}

/// The order of the rows at risk of a fit, for checks.
pub(super) fn risk_order(request: &CoxRequest<'_>, fit: &CoxFit) -> RiskOrder {
    RiskOrder::new(request, &fit.kept)
}
