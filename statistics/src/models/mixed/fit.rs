//! [`fit_mixed`]: the fit.

use numerics::Watch;

use super::descent::minimise_smooth;
use super::products::CrossProducts;
use super::profile::ProfileState;
use super::satterthwaite::satterthwaite_freedom;
use super::scaled::ScaledTerms;
use crate::design::{ModelMatrix, RandomDesign};
use crate::models::least_squares::{LeastSquaresFactors, is_positive};
use crate::models::{CoefficientEstimate, ModelError};

/// A relative deviation below which a fit is singular, as in lme4.
const SINGULAR: f64 = 1e-4;

/// A linear mixed model to fit.
#[derive(Debug, Clone, Copy)]
pub struct MixedRequest<'a> {
    /// The fixed columns.
    pub design: &'a ModelMatrix,
    /// The responses.
    pub y: &'a [f64],
    /// What is known of the linear predictor.
    pub offset: Option<&'a [f64]>,
    /// The random terms.
    pub random: &'a [RandomDesign],
    /// Restricted likelihood instead of the full one.
    pub is_reml: bool,
    /// Probability of the intervals.
    pub confidence: f64,
}

/// The variation of a random coefficient.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceComponent {
    /// The grouping columns.
    pub group: String,
    /// The coefficient.
    pub name: String,
    /// Its variance between groups.
    pub variance: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// Correlations with the coefficients before it in the same term.
    pub correlations: Vec<f64>,
}

/// The coefficients of a group: how far they are from the fixed ones.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionalMode {
    /// The grouping columns.
    pub group: String,
    /// The level.
    pub level: String,
    /// Names of the coefficients.
    pub names: Vec<String>,
    /// Their conditional modes.
    pub values: Vec<f64>,
}

/// A mixed fit.
#[derive(Debug, Clone)]
pub struct MixedFit {
    /// The fixed coefficients.
    pub coefficients: Vec<CoefficientEstimate>,
    /// Their columns in the design matrix.
    pub kept: Vec<usize>,
    /// Columns that depend on others and are left out.
    pub aliased: Vec<String>,
    /// Covariance of the fixed coefficients.
    pub covariance: Vec<f64>,
    /// Variations of the random coefficients.
    pub components: Vec<VarianceComponent>,
    /// Standard deviation of the residuals.
    pub residual_std: f64,
    /// The criterion at its minimum: -2 log (restricted) likelihood.
    pub criterion: f64,
    /// Logarithm of the (restricted) likelihood.
    pub log_likelihood: f64,
    /// Number of parameters: fixed coefficients, covariances and the residual variance.
    pub parameters: usize,
    /// -2 log likelihood + 2 parameters.
    pub aic: f64,
    /// -2 log likelihood + log(n) parameters.
    pub bic: f64,
    /// Mean variance of the random part over the rows.
    pub random_variance: f64,
    /// Variance of the fixed part over the rows.
    pub fixed_variance: f64,
    /// Whether a variation is 0 or a correlation 1, to 1e-4.
    pub is_singular: bool,
    /// Whether degrees of freedom are Satterthwaite's; else t values are held against the normal distribution.
    pub has_satterthwaite: bool,
    /// Conditional modes by group and level.
    pub modes: Vec<ConditionalMode>,
    /// Fitted values with the conditional modes.
    pub fitted: Vec<f64>,
    /// Steps of the minimisation.
    pub iterations: usize,
    /// Whether it converged.
    pub is_converged: bool,
}

/// The deviance as a function of the parameters of covariance.
pub(super) struct MixedProblem<'a> {
    pub products: CrossProducts,
    factors: &'a LeastSquaresFactors,
    pub rows: usize,
    is_reml: bool,
}

impl MixedProblem<'_> {
    /// Rows that count in the variance.
    fn freedom(&self) -> f64 {
        match self.is_reml {
            true => (self.rows - self.factors.rank()) as f64,
            false => self.rows as f64,
        }
    }

    fn determinants(&self, state: &ProfileState) -> f64 {
        let fixed = match self.is_reml {
            true => {
                state.fixed_log_determinant(self.products.fixed)
                    + 2.0 * self.factors.log_determinant()
            }
            false => 0.0,
        };
        state.log_determinant + fixed
    }

    /// -2 log likelihood at the best residual variance.
    fn profiled_deviance(&self, theta: &[f64]) -> f64 {
        let Some(state) = ProfileState::new(&self.products, theta) else {
            return f64::INFINITY;
        };
        let freedom = self.freedom();
        let squares = state.residual_squares(self.products.fixed);
        let variance = 2.0 * std::f64::consts::PI * squares / freedom;
        self.determinants(&state) + freedom * (1.0 + variance.ln())
    }

    /// -2 log likelihood at a residual deviation.
    pub(super) fn full_deviance(&self, theta: &[f64], sigma: f64) -> f64 {
        let Some(state) = ProfileState::new(&self.products, theta) else {
            return f64::NAN;
        };
        let squares = state.residual_squares(self.products.fixed);
        let variance = sigma * sigma;
        let logs = (2.0 * std::f64::consts::PI * variance).ln();
        self.determinants(&state) + self.freedom() * logs + squares / variance
    }

    /// Variances of the fixed coefficients.
    pub(super) fn coefficient_variances(&self, theta: &[f64], sigma: f64) -> Option<Vec<f64>> {
        let state = ProfileState::new(&self.products, theta)?;
        let covariance = self.covariance(&state, sigma);
        let size = self.factors.rank();
        Some((0..size).map(|k| covariance[k * size + k]).collect())
    }

    fn covariance(&self, state: &ProfileState, sigma: f64) -> Vec<f64> {
        let middle = state.fixed_inverse(self.products.fixed);
        let middle: Vec<f64> = middle.iter().map(|value| value * sigma * sigma).collect();
        self.factors.sandwich(&middle)
    }

    /// Whether a parameter is at the border of its range, with those below it in its column.
    pub(super) fn is_border(&self, theta: &[f64], parameter: usize) -> bool {
        let places = self.products.leading.iter().chain(&self.products.others);
        for place in places {
            let mut next = place.parameter;
            for column in 0..place.columns {
                let end = next + place.columns - column;
                if (next..end).contains(&parameter) {
                    return theta[next].abs() < SINGULAR && theta[parameter].abs() < SINGULAR;
                }
                next = end;
            }
        }
        false
    }

    /// The parameters of a start: every deviation that of the residuals.
    fn start(&self) -> Vec<f64> {
        let mut theta = vec![0.0; self.products.parameters()];
        for place in self.products.leading.iter().chain(&self.products.others) {
            let mut next = place.parameter;
            for column in 0..place.columns {
                theta[next] = 1.0;
                next += place.columns - column;
            }
        }
        theta
    }

    /// The same covariances with deviations that are not negative.
    fn settle_signs(&self, theta: &mut [f64]) {
        for place in self.products.leading.iter().chain(&self.products.others) {
            let mut next = place.parameter;
            for column in 0..place.columns {
                let end = next + place.columns - column;
                if theta[next] < 0.0 {
                    theta[next..end]
                        .iter_mut()
                        .for_each(|value| *value = -*value);
                }
                next = end;
            }
        }
    }
}

/// Fits a linear mixed model.
///
/// # Method
/// The deviance, profiled over the fixed coefficients and the residual variance, is minimised over the relative Cholesky factors of the random
/// covariances (D. Bates, M. Maechler, B. Bolker and S. Walker, J. Stat. Softw. 67(1), 2015, section 3), with the fixed part orthogonalised before and
/// Newton's method by differences of fourth order. The terms of the largest group are eliminated level by level, so that a single grouping column takes
/// time in proportion to its rows; others densely, up to 3000 coefficients. Columns of random terms are scaled to a mean square of 1 inside.
///
/// # Errors
/// [`ModelError`].
pub fn fit_mixed(request: MixedRequest<'_>, watch: &dyn Watch) -> Result<MixedFit, ModelError> {
    let n = request.y.len();
    for term in request.random {
        check_groups(term, n)?;
    }
    let offset = |row: usize| request.offset.map_or(0.0, |offset| offset[row]);
    let y: Vec<f64> = (0..n).map(|row| request.y[row] - offset(row)).collect();
    let factors = LeastSquaresFactors::new(&request.design.matrix, watch)?;
    let rank = factors.rank();
    if n <= rank + 1 {
        return Err(ModelError::TooFewRows {
            parameters: rank + 1,
            rows: n,
        });
    }
    let ordinary = factors.solve(&y, 2, watch)?;
    let squares: f64 = ordinary.residuals.iter().map(|value| value * value).sum();
    let scale = (squares / n as f64).sqrt();
    if !is_positive(scale - 1e-14 * numerics::dense::max_abs(&y)) {
        let words =
            "the fixed terms fit every response exactly, so that nothing varies between groups";
        return Err(ModelError::Unsuitable(words.to_owned()));
    }
    let q = factors.thin_q(watch)?;
    let mut fixed = Vec::with_capacity(n * (rank + 1));
    for (row, residual) in ordinary.residuals.iter().enumerate() {
        fixed.extend_from_slice(&q[row * rank..(row + 1) * rank]);
        fixed.push(residual / scale);
    }
    let scaled = ScaledTerms::new(request.random);
    let problem = MixedProblem {
        products: CrossProducts::new(&scaled.terms, &fixed, rank + 1, watch)?,
        factors: &factors,
        rows: n,
        is_reml: request.is_reml,
    };
    let mut deviance = |theta: &[f64]| problem.profiled_deviance(theta);
    let descent = minimise_smooth(&mut deviance, &problem.start(), watch)?;
    let mut theta = descent.x;
    problem.settle_signs(&mut theta);
    let state = ProfileState::new(&problem.products, &theta).ok_or(ModelError::Overflow)?;
    let sigma = (state.residual_squares(rank + 1) / problem.freedom()).sqrt();
    let g = state.fixed_coefficients(rank + 1);
    let steps = factors.restored(&g);
    let estimates: Vec<f64> = ordinary
        .coefficients
        .iter()
        .zip(&steps)
        .map(|(one, step)| one + scale * step)
        .collect();
    let covariance = problem.covariance(&state, sigma * scale);
    let freedom = satterthwaite_freedom(&problem, &theta, sigma);
    let coefficient = |(k, estimate): (usize, &f64)| {
        let df = freedom.as_ref().map_or(f64::INFINITY, |freedom| freedom[k]);
        let error = covariance[k * rank + k].sqrt();
        let name = &request.design.names[factors.kept[k]];
        CoefficientEstimate::new(name, *estimate, error, df, request.confidence)
    };
    let components = scaled.components(&problem, &theta, sigma * scale);
    let modes = scaled.modes(&state.modes(&problem.products, &theta, &g), scale);
    let fixed_part = fixed_predictors(&request, &factors.kept, &estimates);
    let mut fitted = fixed_part.clone();
    add_modes(&mut fitted, request.random, &modes);
    let criterion = descent.value + 2.0 * problem.freedom() * scale.ln();
    let parameters = rank + theta.len() + 1;
    Ok(MixedFit {
        coefficients: estimates.iter().enumerate().map(coefficient).collect(),
        aliased: factors
            .aliased
            .iter()
            .map(|column| request.design.names[*column].clone())
            .collect(),
        kept: factors.kept.clone(),
        covariance,
        residual_std: sigma * scale,
        criterion,
        log_likelihood: -0.5 * criterion,
        parameters,
        aic: criterion + 2.0 * parameters as f64,
        bic: criterion + (n as f64).ln() * parameters as f64,
        random_variance: scaled.mean_variance(&problem, &theta) * (sigma * scale).powi(2),
        fixed_variance: sample_variance(&fixed_part),
        is_singular: problem.has_zero_deviation(&theta),
        has_satterthwaite: freedom.is_some(),
        components,
        modes: scaled.named_modes(request.random, &modes),
        fitted,
        iterations: descent.steps,
        is_converged: descent.is_converged,
    })
}

fn check_groups(term: &RandomDesign, rows: usize) -> Result<(), ModelError> {
    let levels = term.levels.len();
    let coefficients = levels * term.matrix.names.len();
    let name = &term.name;
    if levels < 2 {
        return Err(ModelError::Unsuitable(format!(
            "{name} has {levels} group, and variation between groups needs at least 2"
        )));
    }
    if levels >= rows {
        return Err(ModelError::Unsuitable(format!(
            "{name} has {levels} groups in {rows} rows: every row is a group of its own"
        )));
    }
    if coefficients >= rows {
        return Err(ModelError::Unsuitable(format!(
            "{name} has {coefficients} coefficients in {rows} rows, too many to tell from the residuals"
        )));
    }
    Ok(())
}

impl MixedProblem<'_> {
    fn has_zero_deviation(&self, theta: &[f64]) -> bool {
        let places = self.products.leading.iter().chain(&self.products.others);
        places.into_iter().any(|place| {
            let mut next = place.parameter;
            (0..place.columns).any(|column| {
                let is_zero = theta[next] < SINGULAR;
                next += place.columns - column;
                is_zero
            })
        })
    }
}

fn fixed_predictors(request: &MixedRequest<'_>, kept: &[usize], estimates: &[f64]) -> Vec<f64> {
    let n = request.y.len();
    let mut out: Vec<f64> = (0..n)
        .map(|row| request.offset.map_or(0.0, |offset| offset[row]))
        .collect();
    for (column, estimate) in kept.iter().zip(estimates) {
        numerics::dense::add_multiple(&mut out, *estimate, request.design.matrix.column(*column));
    }
    out
}

fn add_modes(fitted: &mut [f64], random: &[RandomDesign], modes: &[Vec<f64>]) {
    for (term, modes) in random.iter().zip(modes) {
        let size = term.matrix.names.len();
        for column in 0..size {
            let entries = term.matrix.matrix.column(column);
            for (row, out) in fitted.iter_mut().enumerate() {
                *out += entries[row] * modes[term.codes[row] as usize * size + column];
            }
        }
    }
}

fn sample_variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (n - 1.0)
}
