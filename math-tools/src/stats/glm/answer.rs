//! What a generalised linear model answers.

use statistics::models::glm::{DispersionEstimate, GlmFit};

use super::Args;
use crate::prelude::*;
use crate::stats::model_data::ModelData;
use crate::stats::model_words::{EffectScale, effects_sentence};
use crate::stats::reporting::words::{apa_p, estimate_words, p_words, percent_words};

/// A coefficient.
#[derive(Debug, Encode, Describe)]
pub(crate) struct GlmTerm {
    /// The column of the model: `Intercept`, `age`, `sex[T.male]`.
    pub name: String,
    /// The estimate, on the scale of the link.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: Real,
    /// Estimate over error: normal, or Student's t where the dispersion is estimated.
    pub z: Real,
    /// Two-sided p value of the hypothesis that the estimate is 0.
    pub p: Real,
    /// Lower end of its confidence interval.
    pub lower: Real,
    /// Upper end.
    pub upper: Real,
    /// Exponential of the estimate, where that is a ratio; `null` otherwise and for the constant.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's interval.
    pub ratio_lower: Option<f64>,
    /// Upper end.
    pub ratio_upper: Option<f64>,
}

/// Measures of a fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct GlmMeasures {
    /// The deviance.
    pub deviance: f64,
    /// The deviance with a constant alone.
    pub null_deviance: f64,
    /// Rows less coefficients.
    pub degrees_of_freedom: usize,
    /// Sum of the squared Pearson residuals.
    pub pearson_chi2: f64,
    /// 1 for binomial responses and counts, else Pearson's chi-squared over its degrees of freedom.
    pub dispersion: Real,
    /// Pearson's chi-squared over its degrees of freedom: far above 1, counts vary more than the family says.
    pub overdispersion: Real,
    /// Logarithm of the likelihood.
    pub log_likelihood: Real,
    /// -2 log likelihood + 2 coefficients.
    pub aic: Real,
    /// -2 log likelihood + log(n) coefficients.
    pub bic: Real,
    /// Share of the null deviance that the terms explain.
    pub deviance_r2: Real,
    /// 1 - log likelihood over that of a constant (McFadden).
    pub mcfadden_r2: Real,
    /// Cox and Snell's r2.
    pub cox_snell_r2: Real,
    /// Likelihood ratio test of all terms: chi-squared, or F where the dispersion is estimated.
    pub test: Real,
    /// Its degrees of freedom.
    pub test_df: f64,
    /// Its p value.
    pub test_p: Real,
    /// Steps of the iteration.
    pub iterations: usize,
}

impl GlmMeasures {
    pub(super) fn new(fit: &GlmFit) -> Self {
        let test = fit.overall;
        Self {
            deviance: fit.deviance,
            null_deviance: fit.null_deviance,
            degrees_of_freedom: fit.df_residual,
            pearson_chi2: fit.pearson_chi2,
            dispersion: Real(fit.dispersion),
            overdispersion: Real(fit.pearson_chi2 / fit.df_residual as f64),
            log_likelihood: Real(fit.log_likelihood),
            aic: Real(fit.aic),
            bic: Real(fit.bic),
            deviance_r2: Real(fit.deviance_r2()),
            mcfadden_r2: Real(fit.mcfadden_r2()),
            cox_snell_r2: Real(fit.cox_snell_r2()),
            test: Real(test.map_or(f64::NAN, |test| test.statistic)),
            test_df: fit.df_model as f64,
            test_p: Real(test.map_or(f64::NAN, |test| test.p)),
            iterations: fit.iterations,
        }
    }
}

/// The excess of negative binomial counts.
#[derive(Debug, Encode, Describe)]
pub(crate) struct AlphaAnswer {
    /// alpha: the variance is mu + alpha mu^2; 1 / alpha is R's theta.
    pub estimate: f64,
    /// Its standard error; `null` where it was given, or is 0.
    pub standard_error: Option<f64>,
    /// Whether it was estimated.
    pub is_estimated: bool,
}

impl AlphaAnswer {
    pub(super) fn new(args: &Args, found: Option<DispersionEstimate>) -> Self {
        let given = args.alpha.map_or(1.0, |alpha| alpha.get());
        Self {
            estimate: found.map_or(given, |found| found.alpha),
            standard_error: found
                .map(|found| found.standard_error)
                .filter(|error| error.is_finite()),
            is_estimated: found.is_some(),
        }
    }
}

/// A prediction.
#[derive(Debug, Encode, Describe)]
pub(crate) struct GlmPredictedRow {
    /// Row of `predict`, from 0.
    pub row: usize,
    /// The mean of the response: a probability, a count, ...
    pub mean: Real,
    /// Lower end of its confidence interval.
    pub lower: Real,
    /// Upper end.
    pub upper: Real,
    /// The linear predictor.
    pub predictor: f64,
    /// Its standard error.
    pub standard_error: f64,
}

pub(super) fn glm_terms(fit: &GlmFit, has_ratio: bool) -> Vec<GlmTerm> {
    let term = |one: &statistics::models::CoefficientEstimate| {
        let is_ratio = has_ratio && one.name != "Intercept";
        let ratio = |value: f64| {
            is_ratio
                .then(|| value.exp())
                .filter(|value| value.is_finite())
        };
        GlmTerm {
            name: one.name.clone(),
            estimate: one.estimate,
            standard_error: Real(one.standard_error),
            z: Real(one.statistic),
            p: Real(one.p),
            lower: Real(one.interval[0]),
            upper: Real(one.interval[1]),
            ratio: ratio(one.estimate),
            ratio_lower: ratio(one.interval[0]),
            ratio_upper: ratio(one.interval[1]),
        }
    };
    fit.coefficients.iter().map(term).collect()
}

/// `chi2(2) = 12.30, p = .002`, or F.
pub(super) fn apa_line(fit: &GlmFit) -> String {
    match fit.overall {
        None => format!(
            "deviance {} on {} degrees of freedom",
            estimate_words(fit.deviance),
            fit.df_residual
        ),
        Some(test) if test.df2.is_finite() => {
            format!(
                "F({}, {}) = {:.2}, {}",
                test.df1,
                test.df2,
                test.statistic,
                apa_p(test.p)
            )
        }
        Some(test) => format!(
            "chi2({}) = {:.2}, {}",
            test.df1,
            test.statistic,
            apa_p(test.p)
        ),
    }
}

pub(super) fn glm_summary(
    fit: &GlmFit,
    model: &ModelData,
    name: &str,
    ratio: Option<&str>,
    confidence: f64,
) -> String {
    let explained = match fit.overall {
        Some(test) => format!(
            "The terms explain {} of the deviance of `{name}` in {} rows ({}).",
            percent_words(fit.deviance_r2()),
            fit.fitted.len(),
            p_words(test.p)
        ),
        None if fit.df_model > 0 => format!(
            "The model of `{name}` goes through all {} rows.",
            fit.fitted.len()
        ),
        None => format!(
            "The model of `{name}` over {} rows has a constant alone.",
            fit.fitted.len()
        ),
    };
    let scale = ratio.map_or(EffectScale::Link, EffectScale::Ratio);
    let sentence = effects_sentence(&fit.coefficients, &model.frame, scale, confidence);
    format!("{explained} {sentence}")
}
