//! [`GlmLink`]: the function that takes the mean of a response to its linear predictor.

use numerics::special::{normal_cdf, normal_density, normal_quantile};

/// A link function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlmLink {
    /// mu.
    Identity,
    /// log(mu).
    Log,
    /// log(mu / (1 - mu)).
    Logit,
    /// The normal quantile.
    Probit,
    /// log(-log(1 - mu)).
    Cloglog,
    /// The quantile of Cauchy's distribution.
    Cauchit,
    /// 1 / mu.
    Inverse,
    /// 1 / mu^2.
    InverseSquared,
    /// sqrt(mu).
    Sqrt,
}

impl GlmLink {
    /// The name for readers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Log => "log",
            Self::Logit => "logit",
            Self::Probit => "probit",
            Self::Cloglog => "cloglog",
            Self::Cauchit => "cauchit",
            Self::Inverse => "inverse",
            Self::InverseSquared => "inverse_squared",
            Self::Sqrt => "sqrt",
        }
    }

    /// The linear predictor of a mean.
    pub fn predictor(self, mu: f64) -> f64 {
        match self {
            Self::Identity => mu,
            Self::Log => mu.ln(),
            Self::Logit => (mu / (1.0 - mu)).ln(),
            Self::Probit => normal_quantile(mu),
            Self::Cloglog => (-(-mu).ln_1p()).ln(),
            Self::Cauchit => (std::f64::consts::PI * (mu - 0.5)).tan(),
            Self::Inverse => mu.recip(),
            Self::InverseSquared => (mu * mu).recip(),
            Self::Sqrt => mu.sqrt(),
        }
    }

    /// The mean of a linear predictor; probabilities stay a rounding away from 0 and 1.
    pub fn mean(self, eta: f64) -> f64 {
        let within = |p: f64| p.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
        match self {
            Self::Identity => eta,
            Self::Log => eta.exp(),
            Self::Logit => within(match eta < 0.0 {
                true => eta.exp() / (1.0 + eta.exp()),
                false => 1.0 / (1.0 + (-eta).exp()),
            }),
            Self::Probit => within(normal_cdf(eta)),
            Self::Cloglog => within(-(-eta.exp()).exp_m1()),
            Self::Cauchit => within(0.5 + eta.atan() / std::f64::consts::PI),
            Self::Inverse => eta.recip(),
            Self::InverseSquared => eta.sqrt().recip(),
            Self::Sqrt => eta * eta,
        }
    }

    /// The derivative of the mean by the linear predictor.
    pub fn slope(self, eta: f64) -> f64 {
        match self {
            Self::Identity => 1.0,
            Self::Log => eta.exp(),
            Self::Logit => {
                let small = (-eta.abs()).exp();
                (small / (1.0 + small).powi(2)).max(f64::MIN_POSITIVE)
            }
            Self::Probit => normal_density(eta).max(f64::MIN_POSITIVE),
            Self::Cloglog => (eta - eta.exp()).exp().max(f64::MIN_POSITIVE),
            Self::Cauchit => 1.0 / (std::f64::consts::PI * (1.0 + eta * eta)),
            Self::Inverse => -(eta * eta).recip(),
            Self::InverseSquared => -0.5 * eta.powf(-1.5),
            Self::Sqrt => 2.0 * eta,
        }
    }

    /// Whether a linear predictor has a mean.
    pub fn takes(self, eta: f64) -> bool {
        eta.is_finite()
            && match self {
                Self::InverseSquared => eta > 0.0,
                Self::Inverse => eta != 0.0,
                Self::Sqrt => eta >= 0.0,
                _ => true,
            }
    }

    /// What the exponential of a coefficient is called; `None` where it has no name.
    pub fn ratio_name(self, is_binomial: bool, is_count: bool) -> Option<&'static str> {
        match self {
            Self::Logit => Some("odds ratio"),
            Self::Log if is_binomial => Some("risk ratio"),
            Self::Log if is_count => Some("rate ratio"),
            Self::Log => Some("ratio of means"),
            Self::Cloglog => Some("hazard ratio"),
            _ => None,
        }
    }
}
