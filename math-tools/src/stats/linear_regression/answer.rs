//! What a linear model of a table answers beside its coefficients.

use crate::prelude::*;

/// Measures of a fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct LinearMeasures {
    /// F of all coefficients but the constant, with the chosen errors; `null` for a model of a constant alone or a constant response.
    pub f: Option<f64>,
    /// Degrees of freedom of its numerator.
    pub f_df1: f64,
    /// Degrees of freedom of its denominator.
    pub f_df2: f64,
    /// Its p value.
    pub f_p: Option<f64>,
    /// Logarithm of the likelihood; `null` for a fit without residuals.
    pub log_likelihood: Option<f64>,
    /// -2 log likelihood + 2 coefficients, as statsmodels; R counts the variance too, which adds 2.
    pub aic: Option<f64>,
    /// -2 log likelihood + log(n) coefficients.
    pub bic: Option<f64>,
}

/// A check of what the model assumes.
#[derive(Debug, Encode, Describe)]
pub(crate) struct AssumptionCheck {
    /// The assumption, and the test in brackets.
    pub check: String,
    /// Its statistic: chi-squared, F, Durbin and Watson's d, or the condition of the columns.
    pub statistic: Real,
    /// Degrees of freedom, of the numerator for F.
    pub df1: Option<f64>,
    /// Degrees of freedom of the denominator of F.
    pub df2: Option<f64>,
    /// Its p value, where it has one.
    pub p: Option<f64>,
    /// What it says.
    pub verdict: String,
}

/// How much the variance of a coefficient grows by its correlation with the others.
#[derive(Debug, Encode, Describe)]
pub(crate) struct TermInflation {
    /// The term.
    pub name: String,
    /// Variance inflation factor: 1 without correlation; above 5 to 10 the coefficient means little alone.
    pub vif: Real,
}

/// A row that moves the fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct InfluentialRow {
    /// Row of the table, from 0.
    pub row: usize,
    /// Its share in its own fitted value, from 0 to 1.
    pub leverage: f64,
    /// Its residual over its standard error by a fit without the row.
    pub studentised: Real,
    /// How far the fit moves without it.
    pub cooks_distance: f64,
}

/// A prediction.
#[derive(Debug, Encode, Describe)]
pub(crate) struct PredictedRow {
    /// Row of `predict`, from 0.
    pub row: usize,
    /// The mean of the response.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: Real,
    /// Lower end of the confidence interval of the mean.
    pub lower: Real,
    /// Its upper end.
    pub upper: Real,
    /// Lower end of the interval of a new observation.
    pub new_lower: Real,
    /// Its upper end.
    pub new_upper: Real,
}

/// The penalty of a fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct PenaltyAnswer {
    /// `ridge`, `lasso` or `elastic_net`.
    pub kind: String,
    /// Its strength, over columns of variance 1.
    pub strength: f64,
    /// The largest strength whose error is within one standard error of the least; `null` where the strength was given.
    pub strength_1se: Option<f64>,
    /// Share of the absolute penalty.
    pub l1_ratio: f64,
    /// Coefficients that are not 0.
    pub nonzero: usize,
    /// Seed of the folds.
    pub seed: RandomSeed,
    /// The path of the cross-validation, strongest first.
    pub path: Vec<PenaltyStep>,
}

/// A strength of the path.
#[derive(Debug, Encode, Describe)]
pub(crate) struct PenaltyStep {
    /// The strength.
    pub strength: f64,
    /// Mean squared error of rows that were left out.
    pub error: f64,
    /// Its standard error over the folds.
    pub deviation: f64,
    /// Coefficients that are not 0.
    pub nonzero: usize,
}
