//! [`fit_linear`]: the fit itself.

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;
use numerics::exact::CompensatedSum;

use super::covariance::{ErrorEstimate, robust_covariance};
use crate::design::ModelMatrix;
use crate::models::estimate::wald_form;
use crate::models::least_squares::LeastSquaresFactors;
use crate::models::{CoefficientEstimate, ModelError, WaldTest};

/// Refinements of the solution.
const REFINEMENTS: usize = 2;

/// A linear model to fit.
#[derive(Debug, Clone, Copy)]
pub struct LinearRequest<'a> {
    /// The columns.
    pub design: &'a ModelMatrix,
    /// The responses.
    pub y: &'a [f64],
    /// Weights, inversely proportional to the variances of the rows.
    pub weights: Option<&'a [f64]>,
    /// What is known of the linear predictor.
    pub offset: Option<&'a [f64]>,
    /// How errors are estimated.
    pub errors: ErrorEstimate<'a>,
    /// Probability of the intervals.
    pub confidence: f64,
}

/// A linear fit.
#[derive(Debug, Clone)]
pub struct LinearModelFit {
    /// The independent coefficients.
    pub coefficients: Vec<CoefficientEstimate>,
    /// Their columns in the design matrix.
    pub kept: Vec<usize>,
    /// Names of the columns that depend on others and are left out.
    pub aliased: Vec<String>,
    /// Covariance of the coefficients, row by row.
    pub covariance: Vec<f64>,
    /// Fitted responses.
    pub fitted: Vec<f64>,
    /// Responses less fitted ones.
    pub residuals: Vec<f64>,
    /// Residuals times the square roots of the weights.
    pub(super) weighted_residuals: Vec<f64>,
    /// Share of each row in its own fitted value.
    pub leverages: Vec<f64>,
    /// Standard deviation of the residuals; NaN without degrees of freedom.
    pub residual_std: f64,
    /// Rows less coefficients.
    pub df_residual: usize,
    /// Degrees of freedom of t and F: those of the residuals, or clusters less 1.
    pub df_test: f64,
    /// Coefficients without the constant.
    pub df_model: usize,
    /// Whether the columns span the constant.
    pub has_constant: bool,
    /// Share of the variation that is explained; NaN for a constant response.
    pub r2: f64,
    /// The share with both sums over their degrees of freedom.
    pub adjusted_r2: f64,
    /// Test that all coefficients but the constant are 0, with the chosen errors.
    pub f: Option<WaldTest>,
    /// Logarithm of the likelihood at its maximum.
    pub log_likelihood: f64,
    /// -2 log likelihood + 2 coefficients.
    pub aic: f64,
    /// -2 log likelihood + log(n) coefficients.
    pub bic: f64,
    /// Reciprocal condition of the columns, scaled to length 1.
    pub rcond: f64,
    pub(super) factors: LeastSquaresFactors,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) confidence: f64,
}

/// Fits `y = offset + X b` by least squares.
///
/// # Method
/// QR with refinement in doubled precision; columns that depend on those before them are left out and named. The likelihood counts the coefficients
/// only, not the variance, as statsmodels; R's AIC is larger by 2. An F test with robust errors is Wald's.
///
/// # Errors
/// [`ModelError`].
pub fn fit_linear(
    request: LinearRequest<'_>,
    watch: &dyn Watch,
) -> Result<LinearModelFit, ModelError> {
    let n = request.y.len();
    let roots = root_weights(request.weights)?;
    let offset = |row: usize| request.offset.map_or(0.0, |offset| offset[row]);
    let weigh = |row: usize, value: f64| roots.as_ref().map_or(value, |roots| roots[row] * value);
    let y: Vec<f64> = (0..n).map(|row| request.y[row] - offset(row)).collect();
    let weighted: Vec<f64> = (0..n).map(|row| weigh(row, y[row])).collect();
    let factors = match &roots {
        None => LeastSquaresFactors::new(&request.design.matrix, watch)?,
        Some(roots) => {
            let mut design: DesignMatrix = request.design.matrix.clone();
            design.weigh(roots);
            LeastSquaresFactors::new(&design, watch)?
        }
    };
    let rank = factors.rank();
    if rank == 0 {
        return Err(ModelError::NoColumns);
    }
    let solution = factors.solve(&weighted, REFINEMENTS, watch)?;
    if solution.coefficients.iter().any(|value| !value.is_finite()) {
        return Err(ModelError::Overflow);
    }
    let q = factors.thin_q(watch)?;
    let leverages: Vec<f64> = q
        .chunks_exact(rank)
        .map(|row| row.iter().map(|value| value * value).sum())
        .collect();
    let ones: Vec<f64> = roots.clone().unwrap_or_else(|| vec![1.0; n]);
    let has_constant = spans_vector(&q, rank, &ones);
    let sums = SquareSums::new(&solution.residuals, &y, request.weights, has_constant);
    let df_residual = n - rank;
    let variance = sums.residual / df_residual as f64;
    let covariance = match request.errors {
        ErrorEstimate::Classical => {
            let inverse = factors.inverse_gram();
            inverse.iter().map(|value| value * variance).collect()
        }
        errors if df_residual > 0 => {
            robust_covariance(&factors, &q, &solution.residuals, &leverages, errors, watch)?
        }
        _ => {
            return Err(ModelError::TooFewRows {
                parameters: rank,
                rows: n,
            });
        }
    };
    let clusters = request.errors.clusters();
    let df_test = clusters.map_or(df_residual, |clusters| clusters - 1) as f64;
    let coefficients = coefficient_table(
        &request,
        &factors,
        &solution.coefficients,
        &covariance,
        df_test,
    );
    let df_model = rank - usize::from(has_constant);
    let residual = |row: usize| match &roots {
        None => solution.residuals[row],
        Some(roots) => solution.residuals[row] / roots[row],
    };
    let residuals: Vec<f64> = (0..n).map(residual).collect();
    let log_likelihood = log_likelihood(sums.residual, n, request.weights);
    let deviance = -2.0 * log_likelihood;
    let total_freedom = n - usize::from(has_constant);
    let mut fit = LinearModelFit {
        coefficients,
        aliased: factors
            .aliased
            .iter()
            .map(|column| request.design.names[*column].clone())
            .collect(),
        fitted: (0..n).map(|row| request.y[row] - residuals[row]).collect(),
        residuals,
        leverages,
        residual_std: variance.sqrt(),
        df_residual,
        df_test,
        df_model,
        has_constant,
        r2: sums.r2(),
        adjusted_r2: 1.0 - (1.0 - sums.r2()) * total_freedom as f64 / df_residual as f64,
        f: None,
        log_likelihood,
        aic: deviance + 2.0 * rank as f64,
        bic: deviance + (n as f64).ln() * rank as f64,
        rcond: factors.rcond(),
        kept: factors.kept.clone(),
        covariance,
        weighted_residuals: solution.residuals,
        factors,
        weights: request.weights.map(<[f64]>::to_vec),
        confidence: request.confidence,
    };
    fit.f = fit.overall_test(&sums, request);
    Ok(fit)
}

/// The coefficients with their tests; no errors without degrees of freedom.
fn coefficient_table(
    request: &LinearRequest<'_>,
    factors: &LeastSquaresFactors,
    estimates: &[f64],
    covariance: &[f64],
    df_test: f64,
) -> Vec<CoefficientEstimate> {
    let rank = factors.rank();
    let coefficient = |(k, estimate): (usize, &f64)| {
        let name = &request.design.names[factors.kept[k]];
        let error = match factors.rows() > rank {
            true => covariance[k * rank + k].max(0.0).sqrt(),
            false => f64::NAN,
        };
        CoefficientEstimate::new(name, *estimate, error, df_test, request.confidence)
    };
    estimates.iter().enumerate().map(coefficient).collect()
}

impl LinearModelFit {
    /// Test of all coefficients but the constant.
    fn overall_test(&self, sums: &SquareSums, request: LinearRequest<'_>) -> Option<WaldTest> {
        if self.df_model == 0 || self.df_residual == 0 {
            return None;
        }
        let df1 = self.df_model as f64;
        if request.errors == ErrorEstimate::Classical {
            let explained = (sums.total - sums.residual) / df1;
            let statistic = explained / (sums.residual / self.df_residual as f64);
            return Some(WaldTest::from_f(statistic, df1, self.df_test));
        }
        let terms = self.kept.iter().enumerate();
        let slopes = terms.filter(|(_, column)| request.design.terms[**column].is_some());
        let slopes: Vec<usize> = slopes.map(|(k, _)| k).collect();
        self.wald_test(&slopes)
    }

    /// Test that some coefficients, by their places, are all 0; `None` where their covariance is singular.
    pub fn wald_test(&self, chosen: &[usize]) -> Option<WaldTest> {
        let estimates: Vec<f64> = self.coefficients.iter().map(|one| one.estimate).collect();
        let form = wald_form(&estimates, &self.covariance, chosen)?;
        let df1 = chosen.len() as f64;
        Some(WaldTest::from_f(form / df1, df1, self.df_test))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.residuals.len()
    }
}

/// The square roots of weights, which must be positive.
pub(crate) fn root_weights(weights: Option<&[f64]>) -> Result<Option<Vec<f64>>, ModelError> {
    let Some(weights) = weights else {
        return Ok(None);
    };
    let wrong = weights
        .iter()
        .position(|weight| !(*weight > 0.0 && weight.is_finite()));
    if let Some(row) = wrong {
        let value = weights[row];
        return Err(ModelError::Weight { row, value });
    }
    Ok(Some(weights.iter().map(|weight| weight.sqrt()).collect()))
}

/// Whether the columns of Q span a vector.
pub(crate) fn spans_vector(q: &[f64], size: usize, vector: &[f64]) -> bool {
    const REST: f64 = 1e-9;
    let mut along = vec![0.0; size];
    for (row, value) in q.chunks_exact(size).zip(vector) {
        along
            .iter_mut()
            .zip(row)
            .for_each(|(along, q)| *along += q * value);
    }
    let mut rest = 0.0;
    for (row, value) in q.chunks_exact(size).zip(vector) {
        let part: f64 = row.iter().zip(&along).map(|(q, along)| q * along).sum();
        rest += (value - part).powi(2);
    }
    let whole: f64 = vector.iter().map(|value| value * value).sum();
    rest <= REST * REST * whole
}

/// Sums of squares.
struct SquareSums {
    residual: f64,
    total: f64,
}

impl SquareSums {
    /// Of weighted residuals, and of `y` around its weighted mean, or around 0 without a constant.
    fn new(residuals: &[f64], y: &[f64], weights: Option<&[f64]>, has_constant: bool) -> Self {
        let mut residual = CompensatedSum::default();
        residuals
            .iter()
            .for_each(|value| residual.add_product(*value, *value));
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let mut mean = CompensatedSum::default();
        if has_constant {
            let mut weight_sum = 0.0;
            for (row, value) in y.iter().enumerate() {
                mean.add_product(weight(row), *value);
                weight_sum += weight(row);
            }
            mean = mean.divide(weight_sum);
        }
        let mut total = CompensatedSum::default();
        for (row, value) in y.iter().enumerate() {
            let deviation = mean.subtract_from(*value);
            total.add_product(weight(row) * deviation, deviation);
        }
        Self {
            residual: residual.value(),
            total: total.value(),
        }
    }

    fn r2(&self) -> f64 {
        match self.total > 0.0 {
            true => 1.0 - self.residual / self.total,
            false => f64::NAN,
        }
    }
}

fn log_likelihood(residual_squares: f64, n: usize, weights: Option<&[f64]>) -> f64 {
    let half = 0.5 * n as f64;
    let logs = weights.map_or(0.0, |weights| {
        weights.iter().map(|weight| weight.ln()).sum()
    });
    let constant = (2.0 * std::f64::consts::PI).ln() + 1.0;
    -half * (constant + (residual_squares / n as f64).ln()) + 0.5 * logs
}
