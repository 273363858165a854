//! [`fit_glm`]: the fit with its errors, tests and measures.

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;

use super::family::LikelihoodRow;
use super::irls::{GlmRequest, IrlsResult, run_irls};
use super::{GlmFamily, GlmLink};
use crate::design::ModelMatrix;
use crate::models::linear::ErrorEstimate;
use crate::models::linear::robust_covariance;
use crate::models::{CoefficientEstimate, ModelError, WaldTest, critical_value};

/// A generalised linear fit.
#[derive(Debug, Clone)]
pub struct GlmFit {
    /// The family, with what was estimated of it.
    pub family: GlmFamily,
    /// The link.
    pub link: GlmLink,
    /// The independent coefficients.
    pub coefficients: Vec<CoefficientEstimate>,
    /// Their columns in the design matrix.
    pub kept: Vec<usize>,
    /// Names of the columns that depend on others and are left out.
    pub aliased: Vec<String>,
    /// Covariance of the coefficients, row by row.
    pub covariance: Vec<f64>,
    /// Fitted means.
    pub fitted: Vec<f64>,
    /// The deviance.
    pub deviance: f64,
    /// The deviance with a constant alone.
    pub null_deviance: f64,
    /// Sum of the squared Pearson residuals.
    pub pearson_chi2: f64,
    /// 1 for binomial responses and counts, else `pearson_chi2 / df_residual`.
    pub dispersion: f64,
    /// Rows less coefficients.
    pub df_residual: usize,
    /// Coefficients beside the constant.
    pub df_model: usize,
    /// Logarithm of the likelihood.
    pub log_likelihood: f64,
    /// That with a constant alone.
    pub null_log_likelihood: f64,
    /// -2 log likelihood + 2 coefficients.
    pub aic: f64,
    /// -2 log likelihood + log(n) coefficients.
    pub bic: f64,
    /// Likelihood ratio test of all coefficients but the constant (F where the dispersion is estimated).
    pub overall: Option<WaldTest>,
    /// Steps of the iteration.
    pub iterations: usize,
    /// Reciprocal condition of the weighted columns.
    pub rcond: f64,
    confidence: f64,
}

/// The prediction of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlmPrediction {
    /// The mean of the response.
    pub mean: f64,
    /// The linear predictor.
    pub predictor: f64,
    /// Standard error of the linear predictor.
    pub standard_error: f64,
    /// Confidence interval of the mean, from that of the linear predictor.
    pub confidence: [f64; 2],
}

/// Fits a generalised linear model.
///
/// # Errors
/// [`ModelError`]; [`ModelError::Separation`] where the likelihood has no maximum.
pub fn fit_glm(request: GlmRequest<'_>, watch: &dyn Watch) -> Result<GlmFit, ModelError> {
    let n = request.y.len();
    let result = run_irls(&request, watch)?;
    let rank = result.factors.rank();
    let df_residual = n - rank;
    let mu: Vec<f64> = result
        .eta
        .iter()
        .map(|eta| request.link.mean(*eta))
        .collect();
    let pearson = |row: usize| {
        let variance = request.family.variance(mu[row]);
        request.weight(row) * (request.y[row] - mu[row]).powi(2) / variance
    };
    let pearson_chi2: f64 = (0..n).map(pearson).sum();
    let dispersion = match request.family.has_dispersion() {
        true => pearson_chi2 / df_residual as f64,
        false => 1.0,
    };
    let covariance = glm_covariance(&request, &result, &mu, dispersion, watch)?;
    let df_test = match (request.errors.clusters(), request.family.has_dispersion()) {
        (Some(clusters), true) => (clusters - 1) as f64,
        (None, true) => df_residual as f64,
        (_, false) => f64::INFINITY,
    };
    let coefficient = |(k, estimate): (usize, &f64)| {
        let name = &request.design.names[result.factors.kept[k]];
        let error = covariance[k * rank + k].max(0.0).sqrt();
        CoefficientEstimate::new(name, *estimate, error, df_test, request.confidence)
    };
    let null = null_fit(&request, watch)?;
    let log_likelihood = log_likelihood(&request, &mu, dispersion);
    let has_constant = request.design.terms.iter().any(Option::is_none);
    let df_model = rank - usize::from(has_constant);
    let drop = null.deviance - result.deviance;
    let is_tested = df_residual > 0 || !request.family.has_dispersion();
    let overall = (df_model > 0 && has_constant && is_tested).then(|| {
        let df1 = df_model as f64;
        match request.family.has_dispersion() {
            true => WaldTest::from_f(drop / df1 / dispersion, df1, df_residual as f64),
            false => WaldTest::from_chi_squared(drop, df1),
        }
    });
    let null_mu: Vec<f64> = null.eta.iter().map(|eta| request.link.mean(*eta)).collect();
    Ok(GlmFit {
        family: request.family,
        link: request.link,
        coefficients: result
            .coefficients
            .iter()
            .enumerate()
            .map(coefficient)
            .collect(),
        aliased: result
            .factors
            .aliased
            .iter()
            .map(|column| request.design.names[*column].clone())
            .collect(),
        kept: result.factors.kept.clone(),
        fitted: mu,
        deviance: result.deviance,
        null_deviance: null.deviance,
        pearson_chi2,
        dispersion,
        df_residual,
        df_model,
        log_likelihood,
        null_log_likelihood: self::log_likelihood(&request, &null_mu, dispersion),
        aic: -2.0 * log_likelihood + 2.0 * rank as f64,
        bic: -2.0 * log_likelihood + (n as f64).ln() * rank as f64,
        overall,
        iterations: result.iterations,
        rcond: result.factors.rcond(),
        covariance,
        confidence: request.confidence,
    })
}

fn glm_covariance(
    request: &GlmRequest<'_>,
    result: &IrlsResult,
    mu: &[f64],
    dispersion: f64,
    watch: &dyn Watch,
) -> Result<Vec<f64>, ModelError> {
    let (n, rank) = (mu.len(), result.factors.rank());
    if request.errors == ErrorEstimate::Classical {
        let inverse = result.factors.inverse_gram();
        return Ok(inverse.iter().map(|value| value * dispersion).collect());
    }
    if n <= rank {
        return Err(ModelError::TooFewRows {
            parameters: rank,
            rows: n,
        });
    }
    let q = result.factors.thin_q(watch)?;
    let leverages: Vec<f64> = q
        .chunks_exact(rank)
        .map(|row| row.iter().map(|value| value * value).sum())
        .collect();
    let working = |row: usize| {
        let slope = request.link.slope(result.eta[row]);
        result.weights[row].sqrt() * (request.y[row] - mu[row]) / slope
    };
    let residuals: Vec<f64> = (0..n).map(working).collect();
    robust_covariance(
        &result.factors,
        &q,
        &residuals,
        &leverages,
        request.errors,
        watch,
    )
}

/// The log likelihood; the dispersion of a Gaussian fit is the one at its maximum.
fn log_likelihood(request: &GlmRequest<'_>, mu: &[f64], dispersion: f64) -> f64 {
    let n = mu.len();
    let weight = |row: usize| request.weights.map_or(1.0, |weights| weights[row]);
    let dispersion = match request.family {
        GlmFamily::Gaussian => {
            let squares = (0..n).map(|row| weight(row) * (request.y[row] - mu[row]).powi(2));
            squares.sum::<f64>() / n as f64
        }
        _ => dispersion,
    };
    let row = |row: usize| {
        request.family.log_likelihood(LikelihoodRow {
            y: request.y[row],
            mu: mu[row],
            weight: weight(row),
            trials: request.trials(row),
            dispersion,
        })
    };
    (0..n).map(row).sum()
}

/// The fit with a constant alone, or with nothing where the model has no constant.
struct NullFit {
    eta: Vec<f64>,
    deviance: f64,
}

fn null_fit(request: &GlmRequest<'_>, watch: &dyn Watch) -> Result<NullFit, ModelError> {
    let n = request.y.len();
    let design = ModelMatrix {
        matrix: DesignMatrix {
            rows: n,
            columns: 1,
            high: vec![1.0; n],
            low: None,
        },
        names: vec!["Intercept".to_owned()],
        terms: vec![None],
        term_names: Vec::new(),
    };
    let null = GlmRequest {
        design: &design,
        ..*request
    };
    let result = run_irls(&null, watch)?;
    Ok(NullFit {
        eta: result.eta,
        deviance: result.deviance,
    })
}

impl GlmFit {
    /// 1 - log likelihood over that of a constant alone (McFadden); NaN where the likelihood of a constant is 1.
    pub fn mcfadden_r2(&self) -> f64 {
        1.0 - self.log_likelihood / self.null_log_likelihood
    }

    /// Cox and Snell's r2.
    pub fn cox_snell_r2(&self) -> f64 {
        let n = self.fitted.len() as f64;
        -(2.0 / n * (self.null_log_likelihood - self.log_likelihood)).exp_m1()
    }

    /// Share of the deviance of a constant alone that the model explains; NaN where that is 0.
    pub fn deviance_r2(&self) -> f64 {
        1.0 - self.deviance / self.null_deviance
    }

    /// The predictions of rows of a design matrix by the fit's plan.
    pub fn predict(&self, design: &ModelMatrix, offset: Option<&[f64]>) -> Vec<GlmPrediction> {
        let size = self.coefficients.len();
        let df = self
            .coefficients
            .first()
            .map_or(f64::INFINITY, |one| one.df);
        let critical = critical_value(df, self.confidence);
        let predict = |row: usize| {
            let x: Vec<f64> = self
                .kept
                .iter()
                .map(|column| design.matrix.column(*column)[row])
                .collect();
            let pairs = x.iter().zip(&self.coefficients);
            let sum: f64 = pairs.map(|(x, one)| x * one.estimate).sum();
            let eta = sum + offset.map_or(0.0, |offset| offset[row]);
            let mut square = 0.0;
            for (one, left) in x.iter().zip(self.covariance.chunks_exact(size)) {
                square += one * left.iter().zip(&x).map(|(v, x)| v * x).sum::<f64>();
            }
            let error = square.max(0.0).sqrt();
            let mut ends =
                [eta - critical * error, eta + critical * error].map(|eta| self.link.mean(eta));
            ends.sort_unstable_by(f64::total_cmp);
            GlmPrediction {
                mean: self.link.mean(eta),
                predictor: eta,
                standard_error: error,
                confidence: ends,
            }
        };
        (0..design.matrix.rows).map(predict).collect()
    }
}
