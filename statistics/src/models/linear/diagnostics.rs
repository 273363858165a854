//! Checks of what a linear model assumes.

use numerics::Watch;

use super::LinearModelFit;
use super::covariance::ErrorEstimate;
use super::fit::{LinearRequest, fit_linear};
use crate::design::ModelMatrix;
use crate::models::least_squares::is_positive;
use crate::models::{ModelError, WaldTest};

/// Checks of a fit; a check that the data do not permit is `None`.
#[derive(Debug, Clone)]
pub struct LinearDiagnostics {
    /// Equal variances: Breusch and Pagan's test in Koenker's form, n r2 of the squared residuals over the columns.
    pub breusch_pagan: Option<WaldTest>,
    /// Durbin and Watson's statistic: about 2 without correlation between neighbouring rows.
    pub durbin_watson: f64,
    /// Normal residuals: Jarque and Bera's test.
    pub jarque_bera: Option<WaldTest>,
    /// Skewness of the residuals.
    pub skewness: f64,
    /// Kurtosis of the residuals; 3 for a normal distribution.
    pub kurtosis: f64,
    /// Linear form: Ramsey's test of the squares and cubes of the fitted values.
    pub reset: Option<WaldTest>,
}

/// How much the variance of a coefficient grows by its correlation with the others.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceInflation {
    /// The column.
    pub name: String,
    /// 1 without correlation.
    pub factor: f64,
}

impl LinearModelFit {
    /// The checks.
    ///
    /// # References
    /// R. Koenker, J. Econometrics 17, 1981; J. Durbin and G. S. Watson, Biometrika 37, 1950; C. M. Jarque and A. K. Bera, Int. Stat. Rev. 55, 1987;
    /// J. B. Ramsey, JRSS B 31, 1969.
    ///
    /// # Errors
    /// [`ModelError::Interrupted`].
    pub fn diagnostics(
        &self,
        request: LinearRequest<'_>,
        watch: &dyn Watch,
    ) -> Result<LinearDiagnostics, ModelError> {
        let e = &self.weighted_residuals;
        let n = e.len() as f64;
        let squares: f64 = e.iter().map(|value| value * value).sum();
        let steps: f64 = e.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
        let mean = e.iter().sum::<f64>() / n;
        let moment = |power: i32| {
            e.iter()
                .map(|value| (value - mean).powi(power))
                .sum::<f64>()
                / n
        };
        let spread = moment(2);
        let skewness = moment(3) / spread.powf(1.5);
        let kurtosis = moment(4) / (spread * spread);
        let statistic = n / 6.0 * (skewness * skewness + 0.25 * (kurtosis - 3.0).powi(2));
        let is_exact = !is_positive(squares) || self.df_residual == 0;
        let jarque_bera = (!is_exact).then(|| WaldTest::from_chi_squared(statistic, 2.0));
        Ok(LinearDiagnostics {
            breusch_pagan: match is_exact {
                true => None,
                false => self.breusch_pagan(request, watch)?,
            },
            durbin_watson: steps / squares,
            jarque_bera,
            skewness,
            kurtosis,
            reset: match is_exact {
                true => None,
                false => self.reset(request, watch)?,
            },
        })
    }

    fn breusch_pagan(
        &self,
        request: LinearRequest<'_>,
        watch: &dyn Watch,
    ) -> Result<Option<WaldTest>, ModelError> {
        if self.df_model == 0 || !self.has_constant {
            return Ok(None);
        }
        let mean = self.residual_std.powi(2);
        let squares: Vec<f64> = self
            .weighted_residuals
            .iter()
            .map(|value| value * value / mean)
            .collect();
        let beside = LinearRequest {
            y: &squares,
            weights: None,
            offset: None,
            errors: ErrorEstimate::Classical,
            ..request
        };
        let fit = fit_linear(beside, watch)?;
        // Squares that are all equal have no variation to explain.
        let explained = if fit.r2.is_nan() { 0.0 } else { fit.r2 };
        let statistic = self.rows() as f64 * explained;
        Ok(Some(WaldTest::from_chi_squared(
            statistic,
            fit.df_model as f64,
        )))
    }

    fn reset(
        &self,
        request: LinearRequest<'_>,
        watch: &dyn Watch,
    ) -> Result<Option<WaldTest>, ModelError> {
        const POWERS: [i32; 2] = [2, 3];
        let n = self.rows();
        let mean = self.fitted.iter().sum::<f64>() / n as f64;
        let spread = self
            .fitted
            .iter()
            .fold(0.0_f64, |most, value| most.max((value - mean).abs()));
        if self.df_residual <= POWERS.len() || !is_positive(spread) || self.df_model == 0 {
            return Ok(None);
        }
        let mut design: ModelMatrix = request.design.clone();
        for power in POWERS {
            let column = self
                .fitted
                .iter()
                .map(|value| ((value - mean) / spread).powi(power));
            design.matrix.high.extend(column);
            design.matrix.columns += 1;
            design.names.push(format!("fitted^{power}"));
            design.terms.push(Some(usize::MAX));
        }
        if let Some(low) = &mut design.matrix.low {
            low.resize(design.matrix.high.len(), 0.0);
        }
        let beside = LinearRequest {
            design: &design,
            errors: ErrorEstimate::Classical,
            ..request
        };
        let fit = fit_linear(beside, watch)?;
        let added = self.df_residual - fit.df_residual;
        if added == 0 || fit.df_residual == 0 {
            return Ok(None);
        }
        let squares = |fit: &Self| {
            fit.weighted_residuals
                .iter()
                .map(|value| value * value)
                .sum::<f64>()
        };
        let rest = squares(&fit);
        let statistic = (squares(self) - rest) / added as f64 / (rest / fit.df_residual as f64);
        Ok(Some(WaldTest::from_f(
            statistic,
            added as f64,
            fit.df_residual as f64,
        )))
    }

    /// The variance inflation of each coefficient but the constant; empty for a single one.
    pub fn variance_inflation(&self, design: &ModelMatrix) -> Vec<VarianceInflation> {
        if self.df_model < 2 {
            return Vec::new();
        }
        let size = self.coefficients.len();
        let inverse = self.factors.inverse_gram();
        let weight = |row: usize| self.weights.as_ref().map_or(1.0, |weights| weights[row]);
        let n = self.rows();
        let total: f64 = (0..n).map(weight).sum();
        let slopes = self.kept.iter().enumerate();
        let slopes = slopes.filter(|(_, column)| design.terms[**column].is_some());
        slopes
            .map(|(k, column)| {
                let values = design.matrix.column(*column);
                let sum: f64 = (0..n).map(|row| weight(row) * values[row]).sum();
                let mean = if self.has_constant { sum / total } else { 0.0 };
                let squares = (0..n).map(|row| weight(row) * (values[row] - mean).powi(2));
                VarianceInflation {
                    name: design.names[*column].clone(),
                    factor: inverse[k * size + k] * squares.sum::<f64>(),
                }
            })
            .collect()
    }
}
