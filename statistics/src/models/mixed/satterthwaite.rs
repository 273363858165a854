//! Degrees of freedom of the fixed coefficients.

use super::descent::{difference_gradient, difference_hessian};
use super::fit::MixedProblem;
use crate::models::least_squares::inverse_definite;

/// Satterthwaite's degrees of freedom of each coefficient: `2 v^2 / (g' A g)`, where v is the variance of the coefficient, g its gradient by the
/// parameters of covariance and A the asymptotic covariance of these; `None` where A is not positive definite.
///
/// # References
/// A. Kuznetsova, P. B. Brockhoff and R. H. B. Christensen, "lmerTest Package", J. Stat. Softw. 82(13), 2017.
pub(super) fn satterthwaite_freedom(
    problem: &MixedProblem<'_>,
    theta: &[f64],
    sigma: f64,
) -> Option<Vec<f64>> {
    // Parameters at the border of their range say nothing.
    let free: Vec<usize> = (0..theta.len())
        .filter(|k| !problem.is_border(theta, *k))
        .collect();
    let whole = |part: &[f64]| {
        let mut theta = theta.to_vec();
        free.iter()
            .zip(part)
            .for_each(|(k, value)| theta[*k] = *value);
        theta
    };
    let mut start: Vec<f64> = free.iter().map(|k| theta[*k]).collect();
    // In units of the deviation, so that steps suit.
    start.push(1.0);
    let count = start.len();
    let mut deviance = |part: &[f64]| problem.full_deviance(&whole(part), part[count - 1] * sigma);
    let hessian = difference_hessian(&mut deviance, &start);
    let inverse = inverse_definite(&hessian, count)?;
    let variances = problem.coefficient_variances(theta, sigma)?;
    let mut out = Vec::with_capacity(variances.len());
    for (k, variance) in variances.iter().enumerate() {
        let mut of_parameters = |part: &[f64]| {
            let variances = problem.coefficient_variances(&whole(part), part[count - 1] * sigma);
            variances.map_or(f64::NAN, |variances| variances[k] / variance)
        };
        let gradient = difference_gradient(&mut of_parameters, &start);
        let mut form = 0.0;
        for (row, one) in gradient.iter().enumerate() {
            for (column, two) in gradient.iter().enumerate() {
                form += one * two * 2.0 * inverse[row * count + column];
            }
        }
        let df = 2.0 / form;
        out.push(df.is_finite().then_some(df)?);
    }
    Some(out)
}
