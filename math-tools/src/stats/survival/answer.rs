//! Rows of the answers of survival analyses.

use crate::prelude::*;

/// A group.
#[derive(Debug, Encode, Describe)]
pub(crate) struct SurvivalGroup {
    /// The group; `all` without groups.
    pub group: String,
    /// Rows.
    pub n: usize,
    /// Events.
    pub events: usize,
    /// First time after which at most half survive; `null` where more do.
    pub median: Option<f64>,
    /// Lower end of its interval.
    pub median_lower: Option<f64>,
    /// Upper end; `null` where the curve's upper limit stays above a half.
    pub median_upper: Option<f64>,
    /// Mean time up to `last_time`.
    pub restricted_mean: f64,
    /// The last time of the group.
    pub last_time: f64,
    /// Events that the group would have, if all hazards were the same; `null` without groups.
    pub expected: Option<f64>,
}

/// A point of a curve.
#[derive(Debug, Encode, Describe)]
pub(crate) struct CurveRow {
    /// The group.
    pub group: String,
    /// Time of an event.
    pub time: f64,
    /// Rows under observation before it.
    pub at_risk: usize,
    /// Events at it.
    pub events: usize,
    /// Share that survives it.
    pub survival: f64,
    /// Greenwood's standard error.
    pub standard_error: f64,
    /// Lower end of its confidence interval (log-log).
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

/// The log-rank test.
#[derive(Debug, Encode, Describe)]
pub(crate) struct LogRankAnswer {
    /// Chi-squared.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// Its p value.
    pub p: f64,
    /// As the American Psychological Association writes it.
    pub apa: String,
}

/// A coefficient of a Cox regression.
#[derive(Debug, Encode, Describe)]
pub(crate) struct HazardTerm {
    /// The column of the model.
    pub name: String,
    /// Logarithm of the hazard ratio.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Estimate over error.
    pub z: Real,
    /// Two-sided p value (normal).
    pub p: Real,
    /// Lower end of the confidence interval of the estimate.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
    /// Hazard ratio; `null` beyond the range of doubles.
    pub ratio: Option<f64>,
    /// Lower end of its interval.
    pub ratio_lower: Option<f64>,
    /// Upper end.
    pub ratio_upper: Option<f64>,
}

/// Measures of a Cox regression.
#[derive(Debug, Encode, Describe)]
pub(crate) struct CoxMeasures {
    /// Partial log likelihood.
    pub log_likelihood: f64,
    /// That without terms.
    pub null_log_likelihood: f64,
    /// Likelihood ratio test of all terms.
    pub likelihood_ratio: f64,
    /// Degrees of freedom of the tests.
    pub df: f64,
    /// Its p value.
    pub likelihood_ratio_p: f64,
    /// Wald's test of all terms.
    pub wald: Real,
    /// Its p value.
    pub wald_p: Real,
    /// Score test of all terms.
    pub score: Real,
    /// Its p value.
    pub score_p: Real,
    /// Share of comparable pairs in which the larger risk has the event first: 0.5 by chance.
    pub concordance: Real,
    /// -2 log likelihood + 2 coefficients.
    pub aic: f64,
    /// Steps of the iteration.
    pub iterations: usize,
}

/// A test of proportional hazards.
#[derive(Debug, Encode, Describe)]
pub(crate) struct HazardRow {
    /// The term; `all terms` for the joint test.
    pub name: String,
    /// Chi-squared.
    pub statistic: Real,
    /// Its degrees of freedom.
    pub df: f64,
    /// Its p value.
    pub p: Real,
    /// Correlation of the residuals with time: positive where the hazard ratio grows; `null` for the joint test.
    pub correlation: Option<f64>,
    /// What it says.
    pub verdict: String,
}
