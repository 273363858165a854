//! Noncentral chi-squared, F and t: sums and integrals of positive terms, so that both tails keep their digits.

use numerics::special::{normal_cdf, normal_log_cdf};
use random_streams::StreamRng;

use super::super::deviance::{HALF_LN_TAU, Rest, ln_poisson};
use super::super::panels::integrate_peak;
use super::super::sample::{draw_gamma, draw_normal};
use super::super::series::sum_peak;
use super::super::{Distribution, Moments, Support};
use super::beta::{Beta, FisherF, StudentT, beta_sides};
use super::gamma::StandardGamma;

/// Greatest number of the Poisson weights of a sum.
const WEIGHTS_MAX: f64 = 1e15;

/// The logarithm of the Poisson weight `j` of half the noncentrality.
fn ln_weight(j: f64, noncentrality: f64) -> f64 {
    let mean = Rest {
        value: 0.5 * noncentrality,
        rest: 0.0,
    };
    ln_poisson(j, mean)
}

/// The sum of Poisson weights times a term, zero noncentrality included.
fn mix(noncentrality: f64, start: f64, ln_term: &dyn Fn(f64) -> f64) -> f64 {
    if noncentrality == 0.0 {
        return ln_term(0.0).exp();
    }
    let ln = |j: f64| ln_weight(j, noncentrality) + ln_term(j);
    sum_peak(&ln, WEIGHTS_MAX, start)
}

/// The sum of squares of `df` normal values with means.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoncentralChiSquared {
    pub(crate) df: f64,
    pub(crate) noncentrality: f64,
}

impl NoncentralChiSquared {
    fn term(&self, j: f64) -> StandardGamma {
        StandardGamma {
            shape: 0.5 * self.df + j,
        }
    }

    /// Where the terms are largest at `x`: about `sqrt(noncentrality x) / 2`.
    fn start(&self, x: f64) -> f64 {
        0.5 * (self.noncentrality * x.min(self.df + self.noncentrality)).sqrt()
    }
}

impl Distribution for NoncentralChiSquared {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density(&self, x: f64) -> f64 {
        if x < 0.0 || x.is_infinite() {
            return f64::NEG_INFINITY;
        }
        let sum = mix(self.noncentrality, self.start(x), &|j| {
            self.term(j).ln_density(0.5 * x)
        });
        sum.ln() - std::f64::consts::LN_2
    }
    fn cdf(&self, x: f64) -> f64 {
        match x > 0.0 {
            true => mix(self.noncentrality, self.start(x), &|j| {
                self.term(j).cdf(0.5 * x).ln()
            }),
            false => 0.0,
        }
        .min(1.0)
    }
    fn sf(&self, x: f64) -> f64 {
        match x > 0.0 {
            true => mix(self.noncentrality, self.start(x), &|j| {
                self.term(j).sf(0.5 * x).ln()
            }),
            false => 1.0,
        }
        .min(1.0)
    }
    fn moments(&self) -> Moments {
        let (k, l) = (self.df, self.noncentrality);
        let double = k + 2.0 * l;
        Moments {
            mean: k + l,
            variance: 2.0 * double,
            skewness: (k + 3.0 * l) * (2.0 / double).powf(1.5),
            excess_kurtosis: 12.0 * (k + 4.0 * l) / (double * double),
        }
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let normal = draw_normal(random) + self.noncentrality.sqrt();
        match self.df > 1.0 {
            true => normal * normal + 2.0 * draw_gamma(0.5 * (self.df - 1.0), random),
            false => {
                let rate = super::gamma::Poisson {
                    rate: 0.5 * self.noncentrality,
                };
                2.0 * draw_gamma(0.5 * self.df + rate.draw(random), random)
            }
        }
    }
}

/// The ratio of a noncentral and a central mean square.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoncentralF {
    pub(crate) df1: f64,
    pub(crate) df2: f64,
    pub(crate) noncentrality: f64,
}

impl NoncentralF {
    fn tail(&self, x: f64, is_lower: bool) -> f64 {
        let sides = beta_sides(x, self.df1, self.df2);
        let turned = sides.share.value > 0.5;
        let side = if turned {
            sides.complement
        } else {
            sides.share
        };
        let term = |j: f64| {
            let (a, b) = (0.5 * self.df1 + j, 0.5 * self.df2);
            let beta = if turned {
                Beta { a: b, b: a }
            } else {
                Beta { a, b }
            };
            match turned != is_lower {
                true => beta.cdf(side.value).ln(),
                false => beta.sf(side.value).ln(),
            }
        };
        mix(self.noncentrality, 0.5 * self.noncentrality, &term).min(1.0)
    }
}

impl Distribution for NoncentralF {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density(&self, x: f64) -> f64 {
        if x < 0.0 || x.is_infinite() {
            return f64::NEG_INFINITY;
        }
        // The term j has F(df1 + 2 j, df2) at x df1 / (df1 + 2 j).
        let term = |j: f64| {
            let df1 = self.df1 + 2.0 * j;
            let ratio = self.df1 / df1;
            let central = FisherF { df1, df2: self.df2 };
            central.ln_density(x * ratio) + ratio.ln()
        };
        mix(self.noncentrality, 0.5 * self.noncentrality, &term).ln()
    }
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.tail(x, true) }
    }
    fn sf(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { self.tail(x, false) }
    }
    fn moments(&self) -> Moments {
        let (m, n, l) = (self.df1, self.df2, self.noncentrality);
        let ratio = n / m;
        // Moments of the noncentral chi-squared over those of the central one.
        let chi = NoncentralChiSquared {
            df: m,
            noncentrality: l,
        }
        .moments();
        let (mean, variance) = (chi.mean, chi.variance);
        let third = chi.skewness * variance.powf(1.5);
        let fourth = (chi.excess_kurtosis + 3.0) * variance * variance;
        let raw = [
            mean,
            variance + mean * mean,
            third + 3.0 * mean * variance + mean.powi(3),
            fourth + 4.0 * mean * third + 6.0 * mean * mean * variance + mean.powi(4),
        ];
        let mut divisor = 1.0;
        let moments = [2.0, 4.0, 6.0, 8.0].map(|order| {
            divisor *= ratio / (n - order);
            divisor
        });
        let about_zero: [f64; 4] = std::array::from_fn(|k| raw[k] * moments[k]);
        let all = Moments::from_raw(about_zero);
        Moments {
            mean: if n > 2.0 { all.mean } else { f64::INFINITY },
            variance: if n > 4.0 { all.variance } else { f64::INFINITY },
            skewness: if n > 6.0 { all.skewness } else { f64::NAN },
            excess_kurtosis: if n > 8.0 {
                all.excess_kurtosis
            } else {
                f64::NAN
            },
        }
    }
    fn centre(&self) -> f64 {
        1.0 + self.noncentrality / self.df1
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let chi = NoncentralChiSquared {
            df: self.df1,
            noncentrality: self.noncentrality,
        };
        let over = chi.draw(random) / self.df1;
        over / (2.0 * draw_gamma(0.5 * self.df2, random) / self.df2)
    }
}

/// A normal value of a mean over the root of a mean square.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoncentralT {
    pub(crate) df: f64,
    pub(crate) noncentrality: f64,
}

impl NoncentralT {
    /// The logarithm of the density of `s = sqrt(chi-squared / df)`.
    fn ln_root_density(&self, s: f64) -> f64 {
        if s <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let half = 0.5 * self.df;
        let gamma = StandardGamma { shape: half };
        gamma.ln_density(half * s * s) + (self.df * s).ln()
    }

    /// The integral over `s` of its density times the exponential of a function, by the logarithm of `s`.
    fn integrate(&self, ln_factor: &dyn Fn(f64) -> f64) -> f64 {
        let ln = |u: f64| {
            let s = u.exp();
            self.ln_root_density(s) + u + ln_factor(s)
        };
        let scale = (0.5 / self.df.sqrt()).min(0.5);
        integrate_peak(&ln, -700.0, 14.0, 0.0, scale)
    }

    /// The probability below `t` as the integral of positive terms, accurate where it is small.
    fn lower_tail(&self, t: f64) -> f64 {
        self.integrate(&|s| normal_log_cdf(t * s - self.noncentrality))
    }

    fn mirrored(&self) -> Self {
        Self {
            df: self.df,
            noncentrality: -self.noncentrality,
        }
    }
}

impl Distribution for NoncentralT {
    fn support(&self) -> Support {
        Support::LINE
    }
    fn ln_density(&self, t: f64) -> f64 {
        if self.noncentrality == 0.0 {
            return StudentT { df: self.df }.ln_density(t);
        }
        let factor = |s: f64| {
            let z = t * s - self.noncentrality;
            s.ln() - 0.5 * z * z - HALF_LN_TAU
        };
        self.integrate(&factor).ln()
    }
    fn cdf(&self, t: f64) -> f64 {
        if self.noncentrality == 0.0 {
            return StudentT { df: self.df }.cdf(t);
        }
        if t == 0.0 {
            return normal_cdf(-self.noncentrality);
        }
        // The larger side from the smaller one, whose terms make one peak.
        let lower = self.lower_tail(t);
        match lower > 0.5 {
            true => 1.0 - self.mirrored().lower_tail(-t),
            false => lower,
        }
    }
    fn sf(&self, t: f64) -> f64 {
        self.mirrored().cdf(-t)
    }
    fn moments(&self) -> Moments {
        use numerics::special::lgamma;
        let (v, d) = (self.df, self.noncentrality);
        let ratio = (0.5 * v).sqrt() * (lgamma(0.5 * (v - 1.0)) - lgamma(0.5 * v)).exp();
        let (square, mean) = (d * d, d * ratio);
        let raw = [
            mean,
            v * (1.0 + square) / (v - 2.0),
            mean * v * (3.0 + square) / (v - 3.0),
            v * v * (3.0 + 6.0 * square + square * square) / ((v - 2.0) * (v - 4.0)),
        ];
        let all = Moments::from_raw(raw);
        Moments {
            mean: if v > 1.0 { all.mean } else { f64::NAN },
            variance: if v > 2.0 { all.variance } else { f64::INFINITY },
            skewness: if v > 3.0 { all.skewness } else { f64::NAN },
            excess_kurtosis: if v > 4.0 {
                all.excess_kurtosis
            } else {
                f64::NAN
            },
        }
    }
    fn centre(&self) -> f64 {
        self.noncentrality
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let normal = draw_normal(random) + self.noncentrality;
        normal / (2.0 * draw_gamma(0.5 * self.df, random) / self.df).sqrt()
    }
}
