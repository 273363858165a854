//! Normal, lognormal, half-normal, inverse Gaussian and skew normal.

use numerics::special::{normal_cdf, normal_density, normal_log_cdf, normal_quantile};

use super::super::deviance::HALF_LN_TAU;
use super::super::panels::integrate_outward;
use super::super::sample::{draw_normal, open_uniform};
use super::super::{Distribution, Moments, Support};
use random_streams::StreamRng;

/// The standard normal distribution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StandardNormal;

impl Distribution for StandardNormal {
    fn support(&self) -> Support {
        Support::LINE
    }
    fn ln_density(&self, x: f64) -> f64 {
        -0.5 * x * x - HALF_LN_TAU
    }
    fn density(&self, x: f64) -> f64 {
        normal_density(x)
    }
    fn cdf(&self, x: f64) -> f64 {
        normal_cdf(x)
    }
    fn sf(&self, x: f64) -> f64 {
        normal_cdf(-x)
    }
    fn ln_cdf(&self, x: f64) -> f64 {
        normal_log_cdf(x)
    }
    fn ln_sf(&self, x: f64) -> f64 {
        normal_log_cdf(-x)
    }
    fn quantile(&self, p: f64) -> f64 {
        normal_quantile(p)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        -normal_quantile(q)
    }
    fn moments(&self) -> Moments {
        Moments {
            mean: 0.0,
            variance: 1.0,
            skewness: 0.0,
            excess_kurtosis: 0.0,
        }
    }
}

/// The exponential of a normal value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lognormal {
    pub(crate) mu: f64,
    pub(crate) sigma: f64,
}

impl Lognormal {
    fn standardise(&self, x: f64) -> f64 {
        (x.max(0.0).ln() - self.mu) / self.sigma
    }
}

impl Distribution for Lognormal {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        StandardNormal.ln_density(self.standardise(x)) - x.ln() - self.sigma.ln()
    }
    fn cdf(&self, x: f64) -> f64 {
        normal_cdf(self.standardise(x))
    }
    fn sf(&self, x: f64) -> f64 {
        normal_cdf(-self.standardise(x))
    }
    fn ln_cdf(&self, x: f64) -> f64 {
        normal_log_cdf(self.standardise(x))
    }
    fn ln_sf(&self, x: f64) -> f64 {
        normal_log_cdf(-self.standardise(x))
    }
    fn quantile(&self, p: f64) -> f64 {
        self.sigma.mul_add(normal_quantile(p), self.mu).exp()
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        self.sigma.mul_add(-normal_quantile(q), self.mu).exp()
    }
    fn moments(&self) -> Moments {
        let square = self.sigma * self.sigma;
        let (less_one, w) = (square.exp_m1(), square.exp());
        Moments {
            mean: (self.mu + 0.5 * square).exp(),
            variance: less_one * (2.0 * self.mu + square).exp(),
            skewness: (w + 2.0) * less_one.sqrt(),
            excess_kurtosis: less_one * (w * w * w + 3.0 * w * w + 6.0 * w + 6.0),
        }
    }
    fn centre(&self) -> f64 {
        self.mu.exp()
    }
}

/// The magnitude of a standard normal value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfNormal;

impl Distribution for HalfNormal {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density(&self, x: f64) -> f64 {
        match x < 0.0 {
            true => f64::NEG_INFINITY,
            false => StandardNormal.ln_density(x) + std::f64::consts::LN_2,
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        numerics::special::erf(x.max(0.0) * std::f64::consts::FRAC_1_SQRT_2)
    }
    fn sf(&self, x: f64) -> f64 {
        2.0 * normal_cdf(-x.max(0.0))
    }
    fn quantile(&self, p: f64) -> f64 {
        match p {
            p if !(0.0..=1.0).contains(&p) => f64::NAN,
            p if p < 0.5 => std::f64::consts::SQRT_2 * numerics::special::inverse_erf(p),
            p => -normal_quantile(0.5 * (1.0 - p)),
        }
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        match q {
            q if !(0.0..=1.0).contains(&q) => f64::NAN,
            q if q > 0.5 => std::f64::consts::SQRT_2 * numerics::special::inverse_erf(1.0 - q),
            q => -normal_quantile(0.5 * q),
        }
    }
    fn moments(&self) -> Moments {
        use std::f64::consts::PI;
        Moments {
            mean: (2.0 / PI).sqrt(),
            variance: 1.0 - 2.0 / PI,
            skewness: std::f64::consts::SQRT_2 * (4.0 - PI) / (PI - 2.0).powf(1.5),
            excess_kurtosis: 8.0 * (PI - 3.0) / ((PI - 2.0) * (PI - 2.0)),
        }
    }
}

/// The inverse Gaussian (Wald) distribution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InverseGaussian {
    pub(crate) mean: f64,
    pub(crate) shape: f64,
}

impl InverseGaussian {
    /// `exp(z^2 / 2) Phi(-z)` for `z >= 0`.
    fn scaled_tail(z: f64) -> f64 {
        match z < 20.0 {
            true => normal_cdf(-z) * (0.5 * z * z).exp(),
            // Mills' ratio by its asymptotic series
            false => {
                let inverse = 1.0 / (z * z);
                let series = (1..16)
                    .rev()
                    .fold(1.0, |sum, k| 1.0 - f64::from(2 * k - 1) * inverse * sum);
                series / z * (-HALF_LN_TAU).exp()
            }
        }
    }

    /// `sqrt(shape / x) (x / mean - 1)` and the same with a plus.
    fn arguments(&self, x: f64) -> [f64; 2] {
        let root = (self.shape / x).sqrt() / self.mean;
        [root * (x - self.mean), root * (x + self.mean)]
    }
}

impl Distribution for InverseGaussian {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density(&self, x: f64) -> f64 {
        if x <= 0.0 || x.is_infinite() {
            return f64::NEG_INFINITY;
        }
        let [z, _] = self.arguments(x);
        0.5 * (self.shape.ln() - 3.0 * x.ln()) - HALF_LN_TAU - 0.5 * z * z
    }
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 || x.is_infinite() {
            return if x <= 0.0 { 0.0 } else { 1.0 };
        }
        if x > self.mean && self.sf(x) < 0.5 {
            return 1.0 - self.sf(x);
        }
        let [z, sum] = self.arguments(x);
        normal_cdf(z) + (-0.5 * z * z).exp() * Self::scaled_tail(sum)
    }
    fn sf(&self, x: f64) -> f64 {
        if x <= 0.0 || x.is_infinite() {
            return if x <= 0.0 { 1.0 } else { 0.0 };
        }
        if x <= self.mean {
            return 1.0 - self.cdf(x);
        }
        // The two terms cancel far out: the density is integrated.
        let density = |t: f64| self.density(t);
        let slope =
            0.5 * self.shape / (self.mean * self.mean) - 0.5 * self.shape / (x * x) + 1.5 / x;
        let spread = (self.mean.powi(3) / self.shape).sqrt().max(1e-300);
        integrate_outward(
            &density,
            x,
            f64::INFINITY,
            (2.0 / slope).min(spread.max(0.1 * x)),
        )
    }
    fn moments(&self) -> Moments {
        let ratio = self.mean / self.shape;
        Moments {
            mean: self.mean,
            variance: self.mean * self.mean * ratio,
            skewness: 3.0 * ratio.sqrt(),
            excess_kurtosis: 15.0 * ratio,
        }
    }
    /// J. R. Michael, W. R. Schucany and R. W. Haas, The American Statistician 30(2), 1976.
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let square = draw_normal(random).powi(2);
        let y = 0.5 * self.mean * square / self.shape;
        // mean (1 + y - sqrt(y (y + 2))), without its cancellation
        let root = self.mean / (1.0 + y + (y * (y + 2.0)).sqrt());
        match open_uniform(random) * (self.mean + root) <= self.mean {
            true => root,
            false => self.mean / root * self.mean,
        }
    }
}

/// The standard skew normal distribution: `2 phi(x) Phi(shape x)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SkewNormal {
    pub(crate) shape: f64,
}

impl SkewNormal {
    /// The integral of the density from `x` away from the mode, towards the sign of `direction`.
    fn tail(&self, x: f64, direction: f64) -> f64 {
        let density = |t: f64| 2.0 * normal_density(t) * normal_cdf(self.shape * t);
        // The scale on which the density falls: that of the normal, and of the cut where the shape is steep.
        let steep = if direction * self.shape < 0.0 {
            1.0 + self.shape * self.shape
        } else {
            1.0
        };
        let scale = (1.0 / steep.sqrt()).min(2.0 / (steep * x.abs().max(1e-9)));
        integrate_outward(&density, x, direction * f64::INFINITY, scale)
    }
}

impl Distribution for SkewNormal {
    fn support(&self) -> Support {
        Support::LINE
    }
    fn ln_density(&self, x: f64) -> f64 {
        std::f64::consts::LN_2 + StandardNormal.ln_density(x) + normal_log_cdf(self.shape * x)
    }
    fn cdf(&self, x: f64) -> f64 {
        if x.is_infinite() {
            return if x < 0.0 { 0.0 } else { 1.0 };
        }
        match x <= self.centre() {
            true => self.tail(x, -1.0),
            false => 1.0 - self.tail(x, 1.0),
        }
    }
    fn sf(&self, x: f64) -> f64 {
        if x.is_infinite() {
            return if x < 0.0 { 1.0 } else { 0.0 };
        }
        match x > self.centre() {
            true => self.tail(x, 1.0),
            false => 1.0 - self.tail(x, -1.0),
        }
    }
    fn moments(&self) -> Moments {
        use std::f64::consts::PI;
        let delta = self.shape / self.shape.hypot(1.0);
        let mean = delta * (2.0 / PI).sqrt();
        let variance = 1.0 - mean * mean;
        Moments {
            mean,
            variance,
            skewness: 0.5 * (4.0 - PI) * mean.powi(3) / variance.powf(1.5),
            excess_kurtosis: 2.0 * (PI - 3.0) * mean.powi(4) / (variance * variance),
        }
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let delta = self.shape / self.shape.hypot(1.0);
        let other = 1.0 / self.shape.hypot(1.0);
        delta * draw_normal(random).abs() + other * draw_normal(random)
    }
}
