//! The excess of negative binomial counts by maximum likelihood.

use numerics::Watch;
use numerics::special::{digamma, trigamma};

use super::GlmFamily;
use super::fit::{GlmFit, fit_glm};
use super::irls::GlmRequest;
use crate::models::ModelError;

/// Rounds of fit and excess.
const ROUNDS_MAX: usize = 200;
/// Relative change at which both are done.
const CHANGE: f64 = 1e-11;
/// An excess below which counts are Poisson.
const ALPHA_MIN: f64 = 1e-8;

/// The estimate of the excess.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DispersionEstimate {
    /// The excess alpha: the variance is mu + alpha mu^2.
    pub alpha: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Whether the likelihood grows towards alpha = 0, a Poisson model.
    pub is_poisson: bool,
}

/// Fits a negative binomial model with its excess; the family of the request gives the start.
///
/// # Method
/// Coefficients by iterated weighted least squares and the excess by Newton's method in turn until neither moves, as R's `glm.nb`; both are orthogonal
/// in the expected information, so that few rounds do (J. F. Lawless, Can. J. Stat. 15, 1987).
///
/// # Errors
/// As [`fit_glm`].
pub fn fit_negative_binomial(
    request: GlmRequest<'_>,
    watch: &dyn Watch,
) -> Result<(GlmFit, DispersionEstimate), ModelError> {
    let poisson = GlmRequest {
        family: GlmFamily::Poisson,
        ..request
    };
    let mut fit = fit_glm(poisson, watch)?;
    let weight = |row: usize| request.weights.map_or(1.0, |weights| weights[row]);
    let rows = request.y.iter().zip(&fit.fitted).enumerate();
    let moment: f64 = rows
        .clone()
        .map(|(row, (y, mu))| weight(row) * ((y - mu).powi(2) - mu))
        .sum();
    let scale: f64 = rows.map(|(row, (_, mu))| weight(row) * mu * mu).sum();
    let mut alpha = (moment / scale).max(1e-3);
    for _ in 0..ROUNDS_MAX {
        watch.check()?;
        let before = alpha;
        alpha = maximise_alpha(&request, &fit.fitted, alpha);
        if alpha <= 2.0 * ALPHA_MIN {
            let estimate = DispersionEstimate {
                alpha: 0.0,
                standard_error: f64::NAN,
                is_poisson: true,
            };
            return Ok((fit_glm(poisson, watch)?, estimate));
        }
        fit = fit_glm(
            GlmRequest {
                family: GlmFamily::NegativeBinomial { alpha },
                ..request
            },
            watch,
        )?;
        if (alpha - before).abs() <= CHANGE * alpha {
            let curvature = slopes_at(&request, &fit.fitted, alpha).1;
            let estimate = DispersionEstimate {
                alpha,
                standard_error: (-curvature).max(0.0).sqrt().recip() * alpha,
                is_poisson: false,
            };
            return Ok((fit, estimate));
        }
    }
    Err(ModelError::NoConvergence {
        method: "the estimate of the excess of counts",
        iterations: ROUNDS_MAX,
    })
}

/// The derivatives of the log likelihood by log(alpha) for given means.
fn slopes_at(request: &GlmRequest<'_>, mu: &[f64], alpha: f64) -> (f64, f64) {
    let r = alpha.recip();
    let (mut first, mut second) = (0.0, 0.0);
    for (row, (y, mu)) in request.y.iter().zip(mu).enumerate() {
        let weight = request.weights.map_or(1.0, |weights| weights[row]);
        let (steps, squares) = match y.fract() == 0.0 && *y < 1000.0 {
            true => (0..*y as usize).fold((0.0, 0.0), |(steps, squares), k| {
                let term = (r + k as f64).recip();
                (steps + term, squares - term * term)
            }),
            false => (digamma(y + r) - digamma(r), trigamma(y + r) - trigamma(r)),
        };
        let total = r + mu;
        first += weight * (steps - (mu / r).ln_1p() + (mu - y) / total);
        second += weight * (squares + mu / (r * total) - (mu - y) / (total * total));
    }
    // From r to log(alpha) = -log(r).
    (-r * first, r * r * second + r * first)
}

/// The excess of the largest likelihood for given means: Newton's method on its logarithm, within a bracket.
fn maximise_alpha(request: &GlmRequest<'_>, mu: &[f64], start: f64) -> f64 {
    const STEPS_MAX: usize = 200;
    let (mut low, mut high) = (ALPHA_MIN.ln(), 1e6_f64.ln());
    let mut at = start.ln().clamp(low, high);
    for _ in 0..STEPS_MAX {
        let (first, second) = slopes_at(request, mu, at.exp());
        match first > 0.0 {
            true => low = at,
            false => high = at,
        }
        let newton = at - first / second;
        let next = match second < 0.0 && newton > low && newton < high {
            true => newton,
            false => 0.5 * (low + high),
        };
        if (next - at).abs() < 1e-14 * at.abs().max(1.0) {
            return next.exp();
        }
        at = next;
    }
    at.exp()
}
