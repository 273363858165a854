//! Distributions of probability: more than forty families behind one trait.
//!
//! [`Family::named`] finds a family and [`Family::build`] makes a distribution of it. `sf` is the probability above a value with its own relative
//! accuracy, `upper_quantile` the value above which a probability lies: neither passes through `1 - p`, so that tails of 1e-300 keep their digits.
//! What families share is in `deviance` (densities at large parameters), `invert` (quantiles), `panels` (integrals over a peak) and
//! `series` (sums over a peak); a family states its formulas only.

mod catalogue;
mod classical;
mod deviance;
mod families;
mod family;
mod fit;
mod goodness;
mod invert;
mod panels;
mod sample;
mod scaled;
mod series;
mod starts;

#[cfg(test)]
mod tests;

pub use self::catalogue::FAMILIES;
pub use self::classical::*;
pub use self::family::*;
pub use self::fit::*;
pub use self::goodness::*;
pub use self::sample::*;

use self::invert::{invert_continuous, invert_discrete};
use random_streams::StreamRng;

/// Where a distribution has its probability: from `low` to `high`, which may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support {
    /// The least value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
}

impl Support {
    /// The whole line.
    pub const LINE: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };
    /// From 0 on.
    pub const POSITIVE: Self = Self {
        low: 0.0,
        high: f64::INFINITY,
    };
    /// From 0 to 1.
    pub const UNIT: Self = Self {
        low: 0.0,
        high: 1.0,
    };
}

/// The first four moments; infinite where an integral diverges, NaN where one has no value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Mean.
    pub mean: f64,
    /// Variance.
    pub variance: f64,
    /// Third standardised central moment.
    pub skewness: f64,
    /// Fourth standardised central moment less 3, which is 0 for a normal distribution.
    pub excess_kurtosis: f64,
}

impl Moments {
    /// From the mean and the second to fourth central moments.
    pub(crate) fn from_central(mean: f64, second: f64, third: f64, fourth: f64) -> Self {
        Self {
            mean,
            variance: second,
            skewness: third / second.powf(1.5),
            excess_kurtosis: fourth / (second * second) - 3.0,
        }
    }

    /// From the moments about zero, for families of moderate size, where they do not cancel.
    pub(crate) fn from_raw(raw: [f64; 4]) -> Self {
        let [m1, m2, m3, m4] = raw;
        let second = m2 - m1 * m1;
        let third = m3 - 3.0 * m1 * m2 + 2.0 * m1.powi(3);
        let fourth = m4 - 4.0 * m1 * m3 + 6.0 * m1 * m1 * m2 - 3.0 * m1.powi(4);
        Self::from_central(m1, second, third, fourth)
    }
}

/// A distribution with its parameters.
pub trait Distribution: std::fmt::Debug + Send + Sync {
    /// Where its probability lies.
    fn support(&self) -> Support;
    /// Whether it has probabilities of whole numbers instead of a density.
    fn is_discrete(&self) -> bool {
        false
    }
    /// The logarithm of the density (of the probability of `x`, where discrete); minus infinity outside of the support.
    fn ln_density(&self, x: f64) -> f64;
    /// The density, or probability.
    fn density(&self, x: f64) -> f64 {
        self.ln_density(x).exp()
    }
    /// How fast the logarithm of the density grows at `x`; families give it whose density turns so fast that the rounding of `x` counts.
    fn ln_density_slope(&self, _x: f64) -> f64 {
        0.0
    }
    /// The probability at or below `x`.
    fn cdf(&self, x: f64) -> f64;
    /// The probability above `x`, with its own relative accuracy.
    fn sf(&self, x: f64) -> f64;
    /// The logarithm of [`Self::cdf`].
    fn ln_cdf(&self, x: f64) -> f64 {
        let lower = self.cdf(x);
        match lower > 0.5 {
            true => (-self.sf(x)).ln_1p(),
            false => lower.ln(),
        }
    }
    /// The logarithm of [`Self::sf`].
    fn ln_sf(&self, x: f64) -> f64 {
        let upper = self.sf(x);
        match upper > 0.5 {
            true => (-self.cdf(x)).ln_1p(),
            false => upper.ln(),
        }
    }
    /// The least value with probability `p` at or below it; NaN unless `p` is from 0 to 1.
    fn quantile(&self, p: f64) -> f64 {
        invert_tails(self, p, false)
    }
    /// The least value with at most the probability `q` above it; NaN unless `q` is from 0 to 1.
    fn upper_quantile(&self, q: f64) -> f64 {
        invert_tails(self, q, true)
    }
    /// Mean, variance, skewness and kurtosis.
    fn moments(&self) -> Moments;
    /// A value near the middle, from which searches start.
    fn centre(&self) -> f64 {
        let mean = self.moments().mean;
        let support = self.support();
        match (mean.is_finite(), support.low.is_finite()) {
            (true, _) => mean,
            (false, true) => support.low + 1.0,
            (false, false) => 0.0,
        }
    }
    /// One random value, by inversion unless the family has a faster way.
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let u = sample::open_uniform(random);
        match u < 0.5 {
            true => self.quantile(u),
            false => self.upper_quantile(1.0 - u),
        }
    }
}

/// The quantile by the tails of a distribution.
fn invert_tails<D: Distribution + ?Sized>(distribution: &D, p: f64, is_upper: bool) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let Support { low, high } = distribution.support();
    let at_low = if is_upper { 1.0 } else { 0.0 };
    if p == at_low {
        return low;
    }
    if p == 1.0 - at_low {
        return high;
    }
    match distribution.is_discrete() {
        true => invert_discrete(distribution, p, is_upper),
        false => invert_continuous(distribution, p, is_upper),
    }
}
