//! [`GlmFamily`]: variance, deviance and likelihood of a response.

use numerics::special::lgamma;

use super::GlmLink;
use crate::models::ModelError;

/// The distribution of a response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GlmFamily {
    /// Normal.
    Gaussian,
    /// Shares of successes, of one or several trials.
    Binomial,
    /// Counts with the variance of their mean.
    Poisson,
    /// Positive numbers with a standard deviation in proportion to their mean.
    Gamma,
    /// Positive numbers with a variance in proportion to the cube of their mean.
    InverseGaussian,
    /// Counts with the variance mu + alpha mu^2.
    NegativeBinomial {
        /// The excess alpha, positive.
        alpha: f64,
    },
}

impl GlmFamily {
    /// The name for readers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "gaussian",
            Self::Binomial => "binomial",
            Self::Poisson => "poisson",
            Self::Gamma => "gamma",
            Self::InverseGaussian => "inverse_gaussian",
            Self::NegativeBinomial { .. } => "negative_binomial",
        }
    }

    /// The link where a caller names none: the canonical one, but the logarithm for negative binomial counts.
    pub fn default_link(self) -> GlmLink {
        match self {
            Self::Gaussian => GlmLink::Identity,
            Self::Binomial => GlmLink::Logit,
            Self::Poisson | Self::NegativeBinomial { .. } => GlmLink::Log,
            Self::Gamma => GlmLink::Inverse,
            Self::InverseGaussian => GlmLink::InverseSquared,
        }
    }

    /// Whether a link suits.
    pub fn takes_link(self, link: GlmLink) -> bool {
        let is_of_probability = matches!(
            link,
            GlmLink::Logit | GlmLink::Probit | GlmLink::Cloglog | GlmLink::Cauchit
        );
        match self {
            Self::Binomial => is_of_probability || matches!(link, GlmLink::Log | GlmLink::Identity),
            _ => !is_of_probability,
        }
    }

    /// Whether the dispersion is estimated from the residuals.
    pub fn has_dispersion(self) -> bool {
        matches!(self, Self::Gaussian | Self::Gamma | Self::InverseGaussian)
    }

    /// Whether responses are counts.
    pub fn is_count(self) -> bool {
        matches!(self, Self::Poisson | Self::NegativeBinomial { .. })
    }

    /// Refuses a response that the family does not have.
    pub(super) fn check_response(self, row: usize, value: f64) -> Result<(), ModelError> {
        let (is_fit, expected) = match self {
            Self::Gaussian => (value.is_finite(), "finite numbers"),
            Self::Binomial => (
                (0.0..=1.0).contains(&value),
                "shares from 0 to 1, or two categories",
            ),
            Self::Poisson | Self::NegativeBinomial { .. } => {
                (value >= 0.0 && value.is_finite(), "counts of 0 and more")
            }
            Self::Gamma | Self::InverseGaussian => (value > 0.0, "positive numbers"),
        };
        match is_fit {
            true => Ok(()),
            false => Err(ModelError::Response {
                row,
                value,
                family: self.name(),
                expected,
            }),
        }
    }

    /// Whether a mean is possible.
    pub(super) fn takes_mean(self, mu: f64) -> bool {
        match self {
            Self::Gaussian => mu.is_finite(),
            Self::Binomial => mu > 0.0 && mu < 1.0,
            _ => mu > 0.0 && mu.is_finite(),
        }
    }

    /// Where the iteration starts.
    pub(super) fn starting_mean(self, y: f64, mean: f64, trials: f64) -> f64 {
        match self {
            Self::Binomial => (trials * y + 0.5) / (trials + 1.0),
            Self::Gaussian | Self::Gamma | Self::InverseGaussian => y,
            Self::Poisson | Self::NegativeBinomial { .. } => 0.5 * (y + mean.max(1e-3)),
        }
    }

    /// The variance of a response by its mean, for dispersion 1.
    pub fn variance(self, mu: f64) -> f64 {
        match self {
            Self::Gaussian => 1.0,
            Self::Binomial => mu * (1.0 - mu),
            Self::Poisson => mu,
            Self::Gamma => mu * mu,
            Self::InverseGaussian => mu * mu * mu,
            Self::NegativeBinomial { alpha } => mu + alpha * mu * mu,
        }
    }

    /// The share of a row of weight 1 in the deviance.
    pub fn unit_deviance(self, y: f64, mu: f64) -> f64 {
        let log_ratio = |y: f64, mu: f64| if y > 0.0 { y * (y / mu).ln() } else { 0.0 };
        let half = match self {
            Self::Gaussian => return (y - mu) * (y - mu),
            Self::InverseGaussian => return (y - mu) * (y - mu) / (y * mu * mu),
            Self::Binomial => log_ratio(y, mu) + log_ratio(1.0 - y, 1.0 - mu),
            Self::Poisson => log_ratio(y, mu) - (y - mu),
            Self::Gamma => (y - mu) / mu - (y / mu).ln(),
            Self::NegativeBinomial { alpha } => {
                let rest = (alpha * (y - mu) / (1.0 + alpha * mu)).ln_1p();
                log_ratio(y, mu) - (y + alpha.recip()) * rest
            }
        };
        2.0 * half
    }

    /// The logarithm of the likelihood of a row, as statsmodels counts it: weights divide the dispersion, and trials have their own constant.
    pub(super) fn log_likelihood(self, row: LikelihoodRow) -> f64 {
        let LikelihoodRow {
            y,
            mu,
            weight,
            trials,
            dispersion,
        } = row;
        let log_two_pi = (2.0 * std::f64::consts::PI).ln();
        let log_product = |y: f64, mu: f64| if y > 0.0 { y * mu.ln() } else { 0.0 };
        match self {
            Self::Gaussian => {
                let squares = weight * (y - mu).powi(2) / dispersion;
                -0.5 * (squares + (dispersion / weight).ln() + log_two_pi)
            }
            Self::Binomial => {
                let successes = trials * y;
                let choices = match trials == 1.0 && (y == 0.0 || y == 1.0) {
                    true => 0.0,
                    false => {
                        lgamma(trials + 1.0)
                            - lgamma(successes + 1.0)
                            - lgamma(trials - successes + 1.0)
                    }
                };
                weight
                    * (choices
                        + log_product(successes, mu)
                        + log_product(trials - successes, 1.0 - mu))
            }
            Self::Poisson => weight * (log_product(y, mu) - mu - lgamma(y + 1.0)),
            Self::Gamma => {
                let shape = weight / dispersion;
                shape * (shape * y / mu).ln() - shape * y / mu - lgamma(shape) - y.ln()
            }
            Self::InverseGaussian => {
                let squares = weight * (y - mu).powi(2) / (dispersion * y * mu * mu);
                -0.5 * (squares + (dispersion * y.powi(3) / weight).ln() + log_two_pi)
            }
            Self::NegativeBinomial { alpha } => {
                let r = alpha.recip();
                let counts = match y.fract() == 0.0 && y < 1e4 {
                    // Without the cancellation of two large logarithms.
                    true => (0..y as usize)
                        .map(|k| (1.0 + alpha * k as f64).ln())
                        .sum::<f64>(),
                    false => lgamma(y + r) - lgamma(r) + y * alpha.ln(),
                };
                weight
                    * (log_product(y, mu) - (y + r) * (alpha * mu).ln_1p() + counts
                        - lgamma(y + 1.0))
            }
        }
    }
}

/// A row of a likelihood.
#[derive(Debug, Clone, Copy)]
pub(super) struct LikelihoodRow {
    pub y: f64,
    pub mu: f64,
    pub weight: f64,
    pub trials: f64,
    pub dispersion: f64,
}
