//! Predictions with the interval of the mean and that of a new observation.

use super::LinearModelFit;
use crate::design::ModelMatrix;
use crate::models::critical_value;

/// The prediction of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearPrediction {
    /// The mean of the response.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Confidence interval of the mean.
    pub confidence: [f64; 2],
    /// EstimateInterval of a new observation.
    pub prediction: [f64; 2],
}

impl LinearModelFit {
    /// The predictions of rows of a design matrix by the fit's plan; a new observation has the weight 1.
    pub fn predict(&self, design: &ModelMatrix, offset: Option<&[f64]>) -> Vec<LinearPrediction> {
        let size = self.coefficients.len();
        let critical = critical_value(self.df_test, self.confidence);
        let variance = self.residual_std.powi(2);
        let predict = |row: usize| {
            let x: Vec<f64> = self
                .kept
                .iter()
                .map(|column| design.matrix.column(*column)[row])
                .collect();
            let pairs = x.iter().zip(&self.coefficients);
            let sum: f64 = pairs.map(|(x, one)| x * one.estimate).sum();
            let mean = sum + offset.map_or(0.0, |offset| offset[row]);
            let mut square = 0.0;
            for (one, left) in x.iter().zip(self.covariance.chunks_exact(size)) {
                square += one * left.iter().zip(&x).map(|(v, x)| v * x).sum::<f64>();
            }
            let square = square.max(0.0);
            let interval = |square: f64| {
                let half = critical * square.sqrt();
                [mean - half, mean + half]
            };
            LinearPrediction {
                mean,
                standard_error: square.sqrt(),
                confidence: interval(square),
                prediction: interval(square + variance),
            }
        };
        (0..design.matrix.rows).map(predict).collect()
    }
}
