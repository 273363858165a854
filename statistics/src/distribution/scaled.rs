//! Location and scale of a standard distribution.

use super::deviance::{Rest, exact_quotient, exact_sum};
use super::{Distribution, Moments, Support};
use random_streams::StreamRng;

/// `location + scale Z` for a standard continuous distribution of Z.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaled<D> {
    pub(super) standard: D,
    pub(super) location: f64,
    pub(super) scale: f64,
}

impl<D> Scaled<D> {
    pub(super) fn by_scale(standard: D, scale: f64) -> Self {
        Self {
            standard,
            location: 0.0,
            scale,
        }
    }

    /// The standard value of `x`, with what its rounding left.
    fn standardise(&self, x: f64) -> Rest {
        if !x.is_finite() {
            return Rest {
                value: x,
                rest: 0.0,
            };
        }
        let scale = Rest {
            value: self.scale,
            rest: 0.0,
        };
        let quotient = exact_quotient(exact_sum(x, -self.location), scale);
        match quotient.value.is_finite() && quotient.rest.is_finite() {
            true => quotient,
            false => Rest {
                value: (x - self.location) / self.scale,
                rest: 0.0,
            },
        }
    }
}

impl<D: Distribution> Scaled<D> {
    /// A tail with the slope times the rest of the standard value: a rounding of it would move a tail of a large parameter by thousands of units.
    fn correct(&self, tail: f64, z: Rest, sign: f64) -> f64 {
        if z.rest == 0.0 || tail == 0.0 || tail == 1.0 {
            return tail;
        }
        let change = sign * self.standard.density(z.value) * z.rest;
        match change.abs() < 1e-6 * tail {
            true => tail + change,
            false => tail,
        }
    }
}

impl<D: Distribution> Distribution for Scaled<D> {
    fn support(&self) -> Support {
        let standard = self.standard.support();
        Support {
            low: self.location + self.scale * standard.low,
            high: self.location + self.scale * standard.high,
        }
    }
    fn ln_density(&self, x: f64) -> f64 {
        let z = self.standardise(x);
        let plain = self.standard.ln_density(z.value);
        plain + self.standard.ln_density_slope(z.value) * z.rest - self.scale.ln()
    }
    fn density(&self, x: f64) -> f64 {
        let z = self.standardise(x);
        let slope = self.standard.ln_density_slope(z.value) * z.rest;
        self.standard.density(z.value) * slope.exp() / self.scale
    }
    fn cdf(&self, x: f64) -> f64 {
        let z = self.standardise(x);
        self.correct(self.standard.cdf(z.value), z, 1.0)
    }
    fn sf(&self, x: f64) -> f64 {
        let z = self.standardise(x);
        self.correct(self.standard.sf(z.value), z, -1.0)
    }
    fn ln_cdf(&self, x: f64) -> f64 {
        self.standard.ln_cdf(self.standardise(x).value)
    }
    fn ln_sf(&self, x: f64) -> f64 {
        self.standard.ln_sf(self.standardise(x).value)
    }
    fn quantile(&self, p: f64) -> f64 {
        self.scale.mul_add(self.standard.quantile(p), self.location)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        self.scale
            .mul_add(self.standard.upper_quantile(q), self.location)
    }
    fn moments(&self) -> Moments {
        let moments = self.standard.moments();
        Moments {
            mean: self.scale.mul_add(moments.mean, self.location),
            variance: self.scale * self.scale * moments.variance,
            ..moments
        }
    }
    fn centre(&self) -> f64 {
        self.scale.mul_add(self.standard.centre(), self.location)
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        self.scale
            .mul_add(self.standard.draw(random), self.location)
    }
}
