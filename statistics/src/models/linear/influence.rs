//! Rows that move the fit.

use super::LinearModelFit;
use super::covariance::LEVERAGE_REST;

/// What one row does to a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowInfluence {
    /// Place of the row in the fit.
    pub row: usize,
    /// Its share in its own fitted value, from 0 to 1.
    pub leverage: f64,
    /// Residual over its standard error.
    pub standardised: f64,
    /// Residual over its standard error by a fit without the row; NaN for a row with leverage 1.
    pub studentised: f64,
    /// Cook's distance: how far the fit moves without the row.
    pub cooks_distance: f64,
}

impl LinearModelFit {
    /// The influence of each row; empty without degrees of freedom.
    ///
    /// # References
    /// R. D. Cook, Technometrics 19, 1977; D. A. Belsley, E. Kuh and R. E. Welsch, "Regression Diagnostics", 1980.
    pub fn influence(&self) -> Vec<RowInfluence> {
        if self.df_residual == 0 {
            return Vec::new();
        }
        let parameters = self.coefficients.len() as f64;
        let freedom = self.df_residual as f64;
        let rows = self
            .weighted_residuals
            .iter()
            .zip(&self.leverages)
            .enumerate();
        rows.map(|(row, (residual, leverage))| {
            let rest = 1.0 - leverage;
            let standardised = match rest > LEVERAGE_REST {
                true => residual / (self.residual_std * rest.sqrt()),
                false => f64::NAN,
            };
            let without = (freedom - standardised * standardised) / (freedom - 1.0);
            RowInfluence {
                row,
                leverage: *leverage,
                standardised,
                studentised: standardised / without.max(0.0).sqrt(),
                cooks_distance: standardised.powi(2) * leverage / (rest * parameters),
            }
        })
        .collect()
    }
}
