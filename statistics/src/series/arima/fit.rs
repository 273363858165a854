//! Estimates by exact maximum likelihood, their errors, and the evidence.

use numerics::Watch;

use super::coefficients::ArmaTerms;
use super::filter::{ArmaModel, FilterEnd};
use super::{ARIMA_PERIOD_MAX, ARIMA_TERMS_MAX, ArimaOrder, difference_series};
use crate::distribution::normal_sf;
use crate::models::least_squares::{cholesky_lower, cholesky_solve};
use crate::series::descent::minimise_quasi_newton;
use crate::series::{LikelihoodEvidence, SeriesError};

/// A coefficient with its error.
#[derive(Debug, Clone, PartialEq)]
pub struct ArimaCoefficient {
    /// `ar1`, `ma1`, `sar1`, `sma1`, `mean` or `drift`.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error by the curvature of the likelihood; `None` at the edge of what is stationary.
    pub standard_error: Option<f64>,
}

impl ArimaCoefficient {
    /// Estimate over error, and the two-sided p value of it by the normal distribution.
    pub fn z_and_p(&self) -> Option<[f64; 2]> {
        let z = self.estimate / self.standard_error?;
        z.is_finite().then(|| [z, 2.0 * normal_sf(z.abs())])
    }
}

/// A fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct ArimaFit {
    /// Its orders.
    pub order: ArimaOrder,
    /// Its coefficients.
    pub coefficients: Vec<ArimaCoefficient>,
    /// Variance of the errors: the mean square of the standardised innovations.
    pub variance: f64,
    /// The likelihood of the differenced series.
    pub evidence: LikelihoodEvidence,
    /// Standardised innovations of the differenced series, in units of the series.
    pub residuals: Vec<f64>,
    /// Forecasts one step ahead of each value after the first ones that differences use up.
    pub fitted: Vec<f64>,
    pub(super) model: ArmaModel,
    pub(super) end: FilterEnd,
    pub(super) constant: f64,
}

/// The differences of a series, about a first guess of their constant.
pub(super) struct ArimaProblem {
    pub order: ArimaOrder,
    pub differences: Vec<f64>,
    /// The guess that was taken off, as a coefficient of the constant.
    pub centre: f64,
    pub column: Option<f64>,
    /// The least sum of squares that is not rounding.
    pub floor: f64,
}

impl ArimaProblem {
    pub(super) fn new(y: &[f64], order: ArimaOrder) -> Result<Self, SeriesError> {
        check_order(order)?;
        let needed = order.lost_values() + order.longest_lag().max(order.terms()) + 3;
        if y.len() < needed {
            return Err(SeriesError::TooShort {
                what: "an ARIMA model of this order",
                needed,
                found: y.len(),
            });
        }
        let mut differences = difference_series(y, order);
        let column = order.has_constant.then(|| order.constant_column());
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        let centre = column.map_or(0.0, |column| mean / column);
        if column.is_some() {
            differences.iter_mut().for_each(|value| *value -= mean);
        }
        let unit = y.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        Ok(Self {
            order,
            floor: (1e-13 * unit).powi(2) * differences.len() as f64 + f64::MIN_POSITIVE,
            differences,
            centre,
            column,
        })
    }

    pub(super) fn model(&self, terms: &ArmaTerms) -> ArmaModel {
        ArmaModel {
            ar: terms.expanded_ar(self.order.period),
            ma: terms.expanded_ma(self.order.period),
        }
    }

    fn n(&self) -> f64 {
        self.differences.len() as f64
    }

    /// Minus the logarithm of the likelihood for each value, without constants; the constant takes its best value where none is given.
    fn exact_cost(&self, terms: &ArmaTerms, constant: Option<f64>) -> f64 {
        let filtered = self
            .model(terms)
            .filter(&self.differences, self.column, |_, _| ());
        let Some((sums, _)) = filtered else {
            return f64::INFINITY;
        };
        let squares = sums.squares(constant.unwrap_or_else(|| sums.constant()));
        0.5 * ((squares.max(self.floor) / self.n()).ln() + sums.log_sum / self.n())
    }

    /// The cost of the squares given the first values.
    fn conditional_cost(&self, terms: &ArmaTerms, room: &mut [Vec<f64>; 2]) -> f64 {
        let model = self.model(terms);
        let (sums, count) = model.conditional_sums(&self.differences, self.column, room);
        let squares = sums.squares(sums.constant()).max(self.floor);
        match squares.is_finite() && count > 0 {
            true => 0.5 * (squares / count as f64).ln(),
            false => f64::INFINITY,
        }
    }

    /// The variables with the least conditional squares, and their cost.
    pub(super) fn conditional_start(
        &self,
        watch: &dyn Watch,
    ) -> Result<(Vec<f64>, f64), SeriesError> {
        let mut room = [Vec::new(), Vec::new()];
        let start = vec![0.0; self.order.terms()];
        let mut cost =
            |u: &[f64]| self.conditional_cost(&ArmaTerms::of_variables(u, self.order), &mut room);
        let found = minimise_quasi_newton(&mut cost, &start, watch)?;
        Ok((found.x, found.value))
    }

    /// The evidence of a model whose conditional cost is known, as if it were the exact one.
    pub(super) fn conditional_evidence(&self, cost: f64) -> LikelihoodEvidence {
        self.evidence(cost)
    }

    fn evidence(&self, cost: f64) -> LikelihoodEvidence {
        let constants = 0.5 * ((2.0 * std::f64::consts::PI).ln() + 1.0);
        let parameters = self.order.terms() + usize::from(self.column.is_some()) + 1;
        LikelihoodEvidence::new(
            -self.n() * (cost + constants),
            parameters,
            self.differences.len(),
        )
    }

    /// The variables with the largest exact likelihood, from the conditional ones or from zeros, whichever are better.
    fn exact_optimum(&self, watch: &dyn Watch) -> Result<(Vec<f64>, f64), SeriesError> {
        let (mut start, _) = self.conditional_start(watch)?;
        // A variable at the edge hardly moves again.
        start.iter_mut().for_each(|u| *u = u.clamp(-2.5, 2.5));
        let mut cost = |u: &[f64]| self.exact_cost(&ArmaTerms::of_variables(u, self.order), None);
        let zeros = vec![0.0; start.len()];
        if cost(&zeros) < cost(&start) {
            start = zeros;
        }
        let found = minimise_quasi_newton(&mut cost, &start, watch)?;
        match found.value.is_finite() {
            true => Ok((found.x, found.value)),
            false => Err(SeriesError::NoModel {
                what: "ARIMA model of this order",
            }),
        }
    }

    /// Standard errors of the terms and of the constant.
    fn standard_errors(&self, terms: &ArmaTerms, constant: f64, scale: f64) -> Vec<Option<f64>> {
        let mut place = terms.to_list();
        let mut steps = vec![1e-3; place.len()];
        if self.column.is_some() {
            place.push(constant);
            steps.push(1e-1 * scale);
        }
        let cost = |place: &[f64]| {
            let terms = ArmaTerms::of_list(place, self.order);
            let constant = self.column.map(|_| place[place.len() - 1]);
            self.n() * self.exact_cost(&terms, constant)
        };
        let size = place.len();
        let hessian = scaled_hessian(&cost, &place, &steps);
        let Some(lower) = cholesky_lower(&hessian, size) else {
            return vec![None; size];
        };
        (0..size)
            .map(|k| {
                let mut column = vec![0.0; size];
                column[k] = 1.0;
                cholesky_solve(&lower, size, &mut column);
                let error = column[k].sqrt() * steps[k];
                (error.is_finite() && error > 0.0).then_some(error)
            })
            .collect()
    }
}

/// Second derivatives by central differences, in units of the steps.
fn scaled_hessian(cost: &dyn Fn(&[f64]) -> f64, place: &[f64], steps: &[f64]) -> Vec<f64> {
    let size = place.len();
    let at = |i: usize, si: f64, k: usize, sk: f64| {
        let mut moved = place.to_vec();
        moved[i] += si * steps[i];
        moved[k] += sk * steps[k];
        cost(&moved)
    };
    let mut hessian = vec![0.0; size * size];
    let centre = cost(place);
    for i in 0..size {
        let around = at(i, 1.0, i, 0.0) + at(i, -1.0, i, 0.0);
        hessian[i * size + i] = around - 2.0 * centre;
        for k in 0..i {
            let same = at(i, 1.0, k, 1.0) + at(i, -1.0, k, -1.0);
            let crossed = at(i, 1.0, k, -1.0) + at(i, -1.0, k, 1.0);
            let value = 0.25 * (same - crossed);
            hessian[i * size + k] = value;
            hessian[k * size + i] = value;
        }
    }
    hessian
}

fn check_order(order: ArimaOrder) -> Result<(), SeriesError> {
    let range = |what, least, most, found| {
        (found < least || found > most).then_some(SeriesError::Range {
            what,
            least,
            most,
            found,
        })
    };
    let has_season = order.seasonal_p + order.seasonal_d + order.seasonal_q > 0;
    let least_period = if has_season { 2 } else { 1 };
    let most_period = if has_season {
        ARIMA_PERIOD_MAX
    } else {
        usize::MAX
    };
    let terms = [order.p, order.q, order.seasonal_p, order.seasonal_q];
    let faults = [
        range(
            "terms of a kind",
            0,
            ARIMA_TERMS_MAX,
            terms.into_iter().max().unwrap_or(0),
        ),
        range("differences", 0, 2, order.d),
        range("seasonal differences", 0, 1, order.seasonal_d),
        range(
            "a period of seasonal terms",
            least_period,
            most_period,
            order.period,
        ),
        range(
            "differences beside a constant",
            0,
            1,
            match order.has_constant {
                true => order.differences(),
                false => 0,
            },
        ),
    ];
    match faults.into_iter().flatten().next() {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

/// Fits a model by exact maximum likelihood, from the estimates by conditional least squares.
///
/// # Errors
/// [`SeriesError`] for orders beyond [`ARIMA_TERMS_MAX`], two differences and one seasonal one, too few values, and where the caller says no.
pub fn fit_arima(y: &[f64], order: ArimaOrder, watch: &dyn Watch) -> Result<ArimaFit, SeriesError> {
    let problem = ArimaProblem::new(y, order)?;
    watch.reserve_doubles(8 * y.len())?;
    let (u, cost) = problem.exact_optimum(watch)?;
    let terms = ArmaTerms::of_variables(&u, order);
    let model = problem.model(&terms);
    let mut both = Vec::with_capacity(problem.differences.len());
    let filtered = model.filter(&problem.differences, problem.column, |pair, variance| {
        both.push((pair, variance));
    });
    let (sums, end) = filtered.ok_or(SeriesError::NoModel {
        what: "ARIMA model of this order",
    })?;
    let constant = sums.constant();
    let n = problem.n();
    let variance = sums.squares(constant).max(problem.floor) / n;
    let lost = order.lost_values();
    let innovation = |pair: &[f64; 2]| pair[0] - constant * pair[1];
    let fitted = both.iter().zip(&y[lost..]);
    let fitted = fitted.map(|((pair, _), y)| y - innovation(pair)).collect();
    let residuals = both.iter();
    let residuals = residuals
        .map(|(pair, f)| innovation(pair) / f.sqrt())
        .collect();
    let scale = match sums.cc > 0.0 {
        true => (variance / sums.cc).sqrt(),
        false => 0.0,
    };
    let errors = problem.standard_errors(&terms, constant, scale);
    let constant = constant + problem.centre;
    Ok(ArimaFit {
        order,
        coefficients: named_coefficients(&terms, order, constant, &errors),
        variance,
        evidence: problem.evidence(cost),
        residuals,
        fitted,
        model,
        end: centred_end(end, constant - problem.centre),
        constant,
    })
}

/// The end of the filter of the series about its constant.
fn centred_end(end: FilterEnd, constant: f64) -> FilterEnd {
    let mut states = end.states.into_iter();
    let mut state = states.next().unwrap_or_default();
    if let Some(of_column) = states.next() {
        let pairs = state.iter_mut().zip(of_column);
        pairs.for_each(|(state, column)| *state -= constant * column);
    }
    FilterEnd {
        states: vec![state],
        covariance: end.covariance,
    }
}

fn named_coefficients(
    terms: &ArmaTerms,
    order: ArimaOrder,
    constant: f64,
    errors: &[Option<f64>],
) -> Vec<ArimaCoefficient> {
    let kinds = [
        ("ar", &terms.ar),
        ("ma", &terms.ma),
        ("sar", &terms.seasonal_ar),
        ("sma", &terms.seasonal_ma),
    ];
    let named = kinds.into_iter().flat_map(|(kind, values)| {
        let values = values.iter().enumerate();
        values.map(move |(at, value)| (format!("{kind}{}", at + 1), *value))
    });
    let name = match order.differences() {
        0 => "mean",
        _ => "drift",
    };
    let constant = order.has_constant.then(|| (name.to_owned(), constant));
    let coefficient = |((name, estimate), error): ((String, f64), &Option<f64>)| ArimaCoefficient {
        name,
        estimate,
        standard_error: *error,
    };
    named.chain(constant).zip(errors).map(coefficient).collect()
}
