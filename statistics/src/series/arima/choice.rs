//! The choice of orders: differences by tests, terms by a search over neighbours with the least AICc.

use std::collections::HashSet;

use numerics::Watch;

use super::coefficients::ArmaTerms;
use super::fit::ArimaProblem;
use super::{ARIMA_PERIOD_MAX, ArimaFit, ArimaOrder, difference_series, fit_arima};
use crate::hypothesis::{SeriesTrend, test_kpss};
use crate::series::{LikelihoodEvidence, SeriesError, StlOptions, StlWindow, decompose_series};

/// Strength of the season above which the series is differenced by a period, as in R's `nsdiffs`.
const SEASONAL_STRENGTH: f64 = 0.64;

/// P value of KPSS below which the series is differenced.
const STATIONARITY_LEVEL: f64 = 0.05;

/// Models that a search may try.
const MODELS_MAX: usize = 94;

/// Values beyond which candidates are compared by conditional squares, as in R; the chosen one is fitted exactly.
const EXACT_VALUES_MAX: usize = 150;

/// Nearest that roots may be to the unit circle.
const ROOT_RADIUS: f64 = 1.01;

/// The chosen model and those it was chosen from.
#[derive(Debug, Clone, PartialEq)]
pub struct ArimaChoice {
    /// The model with the least AICc.
    pub fit: ArimaFit,
    /// Orders tried with their evidence, the least AICc first.
    pub candidates: Vec<(ArimaOrder, LikelihoodEvidence)>,
    /// Whether candidates were compared by conditional squares.
    pub is_approximate: bool,
}

/// Differences that make a series stationary: one of a period where the season is strong, then others while the KPSS test rejects at 5 %, two at most.
///
/// # Errors
/// [`SeriesError`] where the caller says no.
pub fn choose_differences(
    y: &[f64],
    period: usize,
    watch: &dyn Watch,
) -> Result<ArimaOrder, SeriesError> {
    let mut order = ArimaOrder {
        p: 0,
        d: 0,
        q: 0,
        seasonal_p: 0,
        seasonal_d: 0,
        seasonal_q: 0,
        period: period.max(1),
        has_constant: false,
    };
    if period > 1 && y.len() > 2 * period {
        let options = StlOptions {
            period,
            window: StlWindow::Periods(11),
            robust_rounds: 0,
        };
        let strength = decompose_series(y, options, watch)?.strength();
        order.seasonal_d = usize::from(strength.season > SEASONAL_STRENGTH);
    }
    while order.d < 2 {
        let differences = difference_series(y, order);
        let lags = (3.0 * (differences.len() as f64).sqrt() / 13.0) as usize;
        match test_kpss(&differences, SeriesTrend::Constant, Some(lags)) {
            Ok(result) if result.p < STATIONARITY_LEVEL => order.d += 1,
            Ok(_) | Err(_) => break,
        }
    }
    Ok(order)
}

/// A search among neighbours.
struct OrderSearch<'a> {
    y: &'a [f64],
    is_approximate: bool,
    known: HashSet<ArimaOrder>,
    candidates: Vec<(ArimaOrder, LikelihoodEvidence)>,
    /// The best candidate, with its fit where fits are exact.
    best: Option<(LikelihoodEvidence, ArimaOrder, Option<ArimaFit>)>,
    watch: &'a dyn Watch,
}

impl OrderSearch<'_> {
    /// Tries an order; whether it is better than all before.
    fn try_order(&mut self, order: ArimaOrder) -> Result<bool, SeriesError> {
        if self.known.len() >= MODELS_MAX || !self.known.insert(order) {
            return Ok(false);
        }
        let tried = match self.is_approximate {
            true => self.approximate_evidence(order),
            false => self.exact_evidence(order),
        };
        let (evidence, fit) = match tried {
            Ok(Some(found)) => found,
            Err(SeriesError::Interrupted(interruption)) => return Err(interruption.into()),
            Ok(None) | Err(_) => return Ok(false),
        };
        self.candidates.push((order, evidence));
        let is_better = self
            .best
            .as_ref()
            .is_none_or(|(best, ..)| evidence.aicc < best.aicc - 1e-9 * best.aicc.abs());
        if is_better {
            self.best = Some((evidence, order, fit));
        }
        Ok(is_better)
    }

    fn exact_evidence(
        &self,
        order: ArimaOrder,
    ) -> Result<Option<(LikelihoodEvidence, Option<ArimaFit>)>, SeriesError> {
        let fit = fit_arima(self.y, order, self.watch)?;
        let list: Vec<f64> = fit.coefficients.iter().map(|one| one.estimate).collect();
        let is_inside =
            ArmaTerms::of_list(&list, order).has_roots_beyond(ROOT_RADIUS, order.period);
        let is_allowed = is_inside && fit.evidence.aicc.is_finite();
        Ok(is_allowed.then_some((fit.evidence, Some(fit))))
    }

    fn approximate_evidence(
        &self,
        order: ArimaOrder,
    ) -> Result<Option<(LikelihoodEvidence, Option<ArimaFit>)>, SeriesError> {
        let problem = ArimaProblem::new(self.y, order)?;
        let (u, cost) = problem.conditional_start(self.watch)?;
        let terms = ArmaTerms::of_variables(&u, order);
        let evidence = problem.conditional_evidence(cost);
        let is_inside = terms.has_roots_beyond(ROOT_RADIUS, order.period);
        let is_allowed = is_inside && evidence.aicc.is_finite();
        Ok(is_allowed.then_some((evidence, None)))
    }
}

/// The seasonal ARIMA model with the least AICc that a search over neighbours of the best one meets, from four simple models; at most 5 terms of a kind and 2
/// seasonal ones. Models with roots within 1.01 are left out. A period beyond [`ARIMA_PERIOD_MAX`] counts as none.
///
/// # Errors
/// [`SeriesError`] where no model fits, and where the caller says no.
pub fn choose_arima(
    y: &[f64],
    period: usize,
    watch: &dyn Watch,
) -> Result<ArimaChoice, SeriesError> {
    let period = if period > ARIMA_PERIOD_MAX { 1 } else { period };
    let base = choose_differences(y, period, watch)?;
    let takes_constant = base.differences() <= 1;
    let is_seasonal = period > 1 && y.len() > 2 * period;
    let order = |p, q, seasonal_p, seasonal_q| ArimaOrder {
        p,
        q,
        seasonal_p: if is_seasonal { seasonal_p } else { 0 },
        seasonal_q: if is_seasonal { seasonal_q } else { 0 },
        has_constant: takes_constant,
        ..base
    };
    let mut search = OrderSearch {
        y,
        is_approximate: y.len() > EXACT_VALUES_MAX || period > 12,
        known: HashSet::new(),
        candidates: Vec::new(),
        best: None,
        watch,
    };
    let without = ArimaOrder {
        has_constant: false,
        ..order(0, 0, 0, 0)
    };
    for start in [
        order(2, 2, 1, 1),
        order(0, 0, 0, 0),
        order(1, 0, 1, 0),
        order(0, 1, 0, 1),
        without,
    ] {
        search.try_order(start)?;
    }
    let limits = OrderLimits::new(y.len(), period, is_seasonal);
    'search: while let Some((_, best, _)) = &search.best {
        for next in neighbouring_orders(*best, limits, takes_constant) {
            if search.try_order(next)? {
                continue 'search;
            }
        }
        break;
    }
    search
        .candidates
        .sort_by(|a, b| a.1.aicc.total_cmp(&b.1.aicc));
    let fit = match search.best {
        Some((_, _, Some(fit))) => Some(fit),
        _ => {
            let mut fits = search.candidates.iter();
            fits.find_map(|(order, _)| fit_arima(y, *order, watch).ok())
        }
    };
    watch.check()?;
    let fit = fit.ok_or(SeriesError::NoModel {
        what: "ARIMA model",
    })?;
    Ok(ArimaChoice {
        fit,
        candidates: search.candidates,
        is_approximate: search.is_approximate,
    })
}

#[derive(Clone, Copy)]
struct OrderLimits {
    terms: usize,
    seasonal: usize,
}

impl OrderLimits {
    fn new(n: usize, period: usize, is_seasonal: bool) -> Self {
        Self {
            terms: (n / 3).min(5),
            seasonal: match is_seasonal {
                true => (n / 3 / period).min(2),
                false => 0,
            },
        }
    }
}

/// The orders that differ by one from an order: seasonal ones first, then both kinds of terms, then the constant.
fn neighbouring_orders(
    best: ArimaOrder,
    limits: OrderLimits,
    takes_constant: bool,
) -> Vec<ArimaOrder> {
    const STEPS: [(i8, i8); 8] = [
        (-1, 0),
        (0, -1),
        (1, 0),
        (0, 1),
        (-1, -1),
        (-1, 1),
        (1, -1),
        (1, 1),
    ];
    let moved = |value: usize, step: i8, limit: usize| {
        let value = value.checked_add_signed(isize::from(step))?;
        (value <= limit).then_some(value)
    };
    let seasonal = STEPS.iter().filter_map(|(p, q)| {
        Some(ArimaOrder {
            seasonal_p: moved(best.seasonal_p, *p, limits.seasonal)?,
            seasonal_q: moved(best.seasonal_q, *q, limits.seasonal)?,
            ..best
        })
    });
    let plain = STEPS.iter().filter_map(|(p, q)| {
        Some(ArimaOrder {
            p: moved(best.p, *p, limits.terms)?,
            q: moved(best.q, *q, limits.terms)?,
            ..best
        })
    });
    let toggled = takes_constant.then_some(ArimaOrder {
        has_constant: !best.has_constant,
        ..best
    });
    seasonal.chain(plain).chain(toggled).collect()
}
