//! The von Mises distribution of angles.

use std::f64::consts::PI;

use numerics::special::{bessel_i0, bessel_iv};

use super::super::panels::integrate_outward;
use super::super::{Distribution, Moments, Support};

/// Angles about 0, from -pi to pi.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VonMises {
    concentration: f64,
    /// The logarithm of the density at 0.
    ln_top: f64,
}

impl VonMises {
    pub(crate) fn new(concentration: f64) -> Self {
        let k = concentration;
        // exp(-k) I0(k), beyond 600 by its asymptotic series (NIST DLMF 10.40.1)
        let scaled = match k < 600.0 {
            true => (-k).exp() * bessel_i0(k),
            false => {
                let (mut sum, mut term) = (1.0, 1.0);
                for j in 1..12 {
                    let odd = f64::from(2 * j - 1);
                    term *= odd * odd / (8.0 * f64::from(j) * k);
                    sum += term;
                }
                sum / (2.0 * PI * k).sqrt()
            }
        };
        Self {
            concentration,
            ln_top: -(2.0 * PI * scaled).ln(),
        }
    }

    fn tail(&self, angle: f64, end: f64) -> f64 {
        let density = |t: f64| self.density(t);
        let k = self.concentration;
        let steep = 2.0 / (k * angle.sin().abs()).max(1e-9);
        integrate_outward(
            &density,
            angle,
            end,
            (1.0 / k.max(0.5).sqrt()).min(steep).min(1.0),
        )
    }
}

impl Distribution for VonMises {
    fn support(&self) -> Support {
        Support { low: -PI, high: PI }
    }
    fn ln_density(&self, x: f64) -> f64 {
        match x.abs() <= PI {
            true => self.ln_top - 2.0 * self.concentration * (0.5 * x).sin().powi(2),
            false => f64::NEG_INFINITY,
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x.abs() >= PI {
            return if x < 0.0 { 0.0 } else { 1.0 };
        }
        match x <= 0.0 {
            true => self.tail(x, -PI),
            false => 1.0 - self.tail(x, PI),
        }
    }
    fn sf(&self, x: f64) -> f64 {
        self.cdf(-x)
    }
    fn moments(&self) -> Moments {
        // Of the angle as a number, by integration.
        let power = |k: i32| {
            let density = |t: f64| t.powi(k) * self.density(t);
            2.0 * integrate_outward(&density, 0.0, PI, 1.0 / (2.0 + self.concentration.sqrt()))
        };
        Moments::from_central(0.0, power(2), 0.0, power(4))
    }
    fn centre(&self) -> f64 {
        0.0
    }
}

/// The mean resultant length of a concentration, `I1 / I0`.
pub(crate) fn resultant_length(concentration: f64) -> f64 {
    match concentration < 600.0 {
        true => bessel_iv(1.0, concentration) / bessel_i0(concentration),
        false => 1.0 - 0.5 / concentration - 0.125 / (concentration * concentration),
    }
}
