//! Gamma, its kin (chi-squared, Maxwell), inverse gamma and Poisson.

use numerics::special::{regularised_gamma_p, regularised_gamma_q};
use random_streams::StreamRng;

use super::super::deviance::{Rest, ln_poisson};
use super::super::sample::draw_gamma;
use super::super::{Distribution, Moments, Support};

fn exact(value: f64) -> Rest {
    Rest { value, rest: 0.0 }
}

/// The gamma distribution of scale 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StandardGamma {
    pub(crate) shape: f64,
}

impl Distribution for StandardGamma {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density(&self, x: f64) -> f64 {
        if x < 0.0 || x.is_infinite() {
            return f64::NEG_INFINITY;
        }
        if x == 0.0 {
            return match self.shape.total_cmp(&1.0) {
                std::cmp::Ordering::Less => f64::INFINITY,
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Greater => f64::NEG_INFINITY,
            };
        }
        match self.shape < 1.0 {
            true => ln_poisson(self.shape, exact(x)) + self.shape.ln() - x.ln(),
            false => ln_poisson(self.shape - 1.0, exact(x)),
        }
    }
    fn ln_density_slope(&self, x: f64) -> f64 {
        (self.shape - 1.0) / x - 1.0
    }
    fn cdf(&self, x: f64) -> f64 {
        regularised_gamma_p(self.shape, x.max(0.0))
    }
    fn sf(&self, x: f64) -> f64 {
        regularised_gamma_q(self.shape, x.max(0.0))
    }
    fn moments(&self) -> Moments {
        Moments {
            mean: self.shape,
            variance: self.shape,
            skewness: 2.0 / self.shape.sqrt(),
            excess_kurtosis: 6.0 / self.shape,
        }
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        draw_gamma(self.shape, random)
    }
}

/// The reciprocal of a gamma value of scale 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InverseGamma {
    pub(crate) shape: f64,
}

impl InverseGamma {
    fn gamma(&self) -> StandardGamma {
        StandardGamma { shape: self.shape }
    }

    /// The reciprocal of `x`, and the change of a tail at it for its rounding.
    fn tail(&self, x: f64, is_lower: bool) -> f64 {
        let inverse = 1.0 / x;
        let rest = (-x).mul_add(inverse, 1.0) / x;
        let gamma = self.gamma();
        let (tail, sign) = match is_lower {
            true => (gamma.sf(inverse), -1.0),
            false => (gamma.cdf(inverse), 1.0),
        };
        let change = sign * gamma.density(inverse) * rest;
        match change.abs() < 1e-6 * tail {
            true => tail + change,
            false => tail,
        }
    }
}

impl Distribution for InverseGamma {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density_slope(&self, x: f64) -> f64 {
        (1.0 / x - (self.shape + 1.0)) / x
    }
    fn ln_density(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let inverse = 1.0 / x;
        let rest = (-x).mul_add(inverse, 1.0) / x;
        let slope =
            self.gamma().ln_density_slope(inverse) * if rest.is_finite() { rest } else { 0.0 };
        self.gamma().ln_density(inverse) + slope - 2.0 * x.ln()
    }
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.tail(x, true) }
    }
    fn sf(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { self.tail(x, false) }
    }
    fn quantile(&self, p: f64) -> f64 {
        1.0 / self.gamma().upper_quantile(p)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        1.0 / self.gamma().quantile(q)
    }
    fn moments(&self) -> Moments {
        let a = self.shape;
        let beyond = |order: f64, value: f64| if a > order { value } else { f64::INFINITY };
        let undefined = |order: f64, value: f64| if a > order { value } else { f64::NAN };
        Moments {
            mean: beyond(1.0, 1.0 / (a - 1.0)),
            variance: beyond(2.0, 1.0 / ((a - 1.0) * (a - 1.0) * (a - 2.0))),
            skewness: undefined(3.0, 4.0 * (a - 2.0).sqrt() / (a - 3.0)),
            excess_kurtosis: undefined(4.0, 6.0 * (5.0 * a - 11.0) / ((a - 3.0) * (a - 4.0))),
        }
    }
    fn centre(&self) -> f64 {
        1.0 / (self.shape + 1.0)
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        1.0 / draw_gamma(self.shape, random)
    }
}

/// Maxwell's distribution of scale 1: the length of a standard normal vector of three.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Maxwell;

impl Maxwell {
    const GAMMA: StandardGamma = StandardGamma { shape: 1.5 };
}

impl Distribution for Maxwell {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density(&self, x: f64) -> f64 {
        match x <= 0.0 {
            true => f64::NEG_INFINITY,
            false => 0.5 * (2.0 / std::f64::consts::PI).ln() + 2.0 * x.ln() - 0.5 * x * x,
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        let x = x.max(0.0);
        Self::GAMMA.cdf(0.5 * x * x)
    }
    fn sf(&self, x: f64) -> f64 {
        let x = x.max(0.0);
        Self::GAMMA.sf(0.5 * x * x)
    }
    fn quantile(&self, p: f64) -> f64 {
        (2.0 * Self::GAMMA.quantile(p)).sqrt()
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        (2.0 * Self::GAMMA.upper_quantile(q)).sqrt()
    }
    fn moments(&self) -> Moments {
        use std::f64::consts::PI;
        let variance = 3.0 - 8.0 / PI;
        Moments {
            mean: 2.0 * (2.0 / PI).sqrt(),
            variance,
            skewness: 2.0 * std::f64::consts::SQRT_2 * (16.0 - 5.0 * PI)
                / (3.0 * PI - 8.0).powf(1.5),
            excess_kurtosis: 4.0 * (-96.0 + 40.0 * PI - 3.0 * PI * PI)
                / ((3.0 * PI - 8.0) * (3.0 * PI - 8.0)),
        }
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        (2.0 * draw_gamma(1.5, random)).sqrt()
    }
}

/// Counts of events of a constant rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Poisson {
    pub(crate) rate: f64,
}

impl Distribution for Poisson {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn is_discrete(&self) -> bool {
        true
    }
    fn ln_density(&self, k: f64) -> f64 {
        if k < 0.0 || k.fract() != 0.0 || k.is_infinite() {
            return f64::NEG_INFINITY;
        }
        match self.rate == 0.0 {
            true if k == 0.0 => 0.0,
            true => f64::NEG_INFINITY,
            false => ln_poisson(k, exact(self.rate)),
        }
    }
    fn cdf(&self, k: f64) -> f64 {
        match k < 0.0 {
            true => 0.0,
            false => regularised_gamma_q(k.floor() + 1.0, self.rate),
        }
    }
    fn sf(&self, k: f64) -> f64 {
        match k < 0.0 {
            true => 1.0,
            false if k.is_infinite() => 0.0,
            false => regularised_gamma_p(k.floor() + 1.0, self.rate),
        }
    }
    fn moments(&self) -> Moments {
        Moments {
            mean: self.rate,
            variance: self.rate,
            skewness: 1.0 / self.rate.sqrt(),
            excess_kurtosis: 1.0 / self.rate,
        }
    }
}
