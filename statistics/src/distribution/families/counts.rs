//! Zeta, Skellam and logarithmic counts.

use numerics::special::{regularised_gamma_p, regularised_gamma_q, riemann_zeta};

use super::super::deviance::{Rest, ln_poisson};
use super::super::series::sum_peak;
use super::super::{Distribution, Moments, Support};
use super::discrete::sum_beyond;
use super::gamma::Poisson;
use random_streams::StreamRng;

/// Zipf's law without end: `k^-s / zeta(s)` for `k` from 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zeta {
    s: f64,
    whole: f64,
}

impl Zeta {
    pub(crate) fn new(s: f64) -> Self {
        Self {
            s,
            whole: riemann_zeta(s),
        }
    }

    /// The sum of `k^-s` from `from` on, by Euler and Maclaurin (NIST DLMF 25.11.43), terms up to 15 one by one.
    fn sum_from(&self, from: f64) -> f64 {
        const DIRECT: f64 = 15.0;
        let s = self.s;
        let (mut sum, mut k) = (0.0, from);
        while k < DIRECT {
            sum += k.powf(-s);
            k += 1.0;
        }
        // B(2j) / (2j)!
        const BERNOULLI: [f64; 7] = [
            1.0 / 12.0,
            -1.0 / 720.0,
            1.0 / 30_240.0,
            -1.0 / 1_209_600.0,
            1.0 / 47_900_160.0,
            -691.0 / 1_307_674_368_000.0,
            1.0 / 74_724_249_600.0,
        ];
        let power = k.powf(-s);
        let mut rest = power * k / (s - 1.0) + 0.5 * power;
        let (mut factor, mut order) = (s * power / k, s + 1.0);
        for coefficient in BERNOULLI {
            rest += coefficient * factor;
            factor *= order * (order + 1.0) / (k * k);
            order += 2.0;
        }
        sum + rest
    }
}

impl Distribution for Zeta {
    fn support(&self) -> Support {
        Support {
            low: 1.0,
            high: f64::INFINITY,
        }
    }
    fn is_discrete(&self) -> bool {
        true
    }
    fn ln_density(&self, k: f64) -> f64 {
        match k >= 1.0 && k.fract() == 0.0 && k.is_finite() {
            true => -self.s * k.ln() - self.whole.ln(),
            false => f64::NEG_INFINITY,
        }
    }
    fn cdf(&self, k: f64) -> f64 {
        match k < 1.0 {
            true => 0.0,
            false => 1.0 - self.sf(k),
        }
    }
    fn sf(&self, k: f64) -> f64 {
        match k < 1.0 {
            true => 1.0,
            false if k.is_infinite() => 0.0,
            false => self.sum_from(k.floor() + 1.0) / self.whole,
        }
    }
    fn moments(&self) -> Moments {
        let raw = |k: f64| riemann_zeta(self.s - k) / self.whole;
        let all = Moments::from_raw([1.0, 2.0, 3.0, 4.0].map(|k| match self.s > k + 1.0 {
            true => raw(k),
            false => f64::INFINITY,
        }));
        let exists = |k: f64| self.s > k + 1.0;
        Moments {
            mean: if exists(1.0) { all.mean } else { f64::INFINITY },
            variance: if exists(2.0) {
                all.variance
            } else {
                f64::INFINITY
            },
            skewness: if exists(3.0) { all.skewness } else { f64::NAN },
            excess_kurtosis: if exists(4.0) {
                all.excess_kurtosis
            } else {
                f64::NAN
            },
        }
    }
    fn centre(&self) -> f64 {
        1.0
    }
}

/// The difference of two Poisson counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Skellam {
    pub(crate) mu1: f64,
    pub(crate) mu2: f64,
}

impl Skellam {
    /// The sum over the second count of its probability times a function of it, of which the first count has to be about that much more.
    fn mix(&self, difference: f64, ln_factor: &dyn Fn(f64) -> f64) -> f64 {
        let mean = Rest {
            value: self.mu2,
            rest: 0.0,
        };
        // The counts whose product is mu1 mu2, where the terms are largest.
        let half = 0.5 * difference;
        let root = half.hypot((self.mu1 * self.mu2).sqrt());
        let start = (root - half).min(self.mu2 + 10.0 * self.mu2.sqrt() + 10.0);
        let ln = |j: f64| ln_poisson(j, mean) + ln_factor(j);
        sum_peak(&ln, 1e15, start)
    }
}

impl Distribution for Skellam {
    fn support(&self) -> Support {
        Support::LINE
    }
    fn is_discrete(&self) -> bool {
        true
    }
    fn ln_density(&self, k: f64) -> f64 {
        if k.fract() != 0.0 || k.is_infinite() {
            return f64::NEG_INFINITY;
        }
        if k < 0.0 {
            let mirror = Self {
                mu1: self.mu2,
                mu2: self.mu1,
            };
            return mirror.ln_density(-k);
        }
        let mean = Rest {
            value: self.mu1,
            rest: 0.0,
        };
        self.mix(k, &|j| ln_poisson(j + k, mean)).ln()
    }
    fn cdf(&self, k: f64) -> f64 {
        if k.is_infinite() {
            return if k < 0.0 { 0.0 } else { 1.0 };
        }
        let k = k.floor();
        let factor = |j: f64| match j + k < 0.0 {
            true => f64::NEG_INFINITY,
            false => regularised_gamma_q(j + k + 1.0, self.mu1).ln(),
        };
        // Below, the second count is at least -k: counted from there.
        if k < 0.0 {
            let mirror = Self {
                mu1: self.mu2,
                mu2: self.mu1,
            };
            return mirror.sf(-k - 1.0);
        }
        self.mix(k, &factor).min(1.0)
    }
    fn sf(&self, k: f64) -> f64 {
        if k.is_infinite() {
            return if k < 0.0 { 1.0 } else { 0.0 };
        }
        let k = k.floor();
        if k < 0.0 {
            let mirror = Self {
                mu1: self.mu2,
                mu2: self.mu1,
            };
            return mirror.cdf(-k - 1.0);
        }
        let factor = |j: f64| regularised_gamma_p(j + k + 1.0, self.mu1).ln();
        self.mix(k, &factor).min(1.0)
    }
    fn moments(&self) -> Moments {
        let total = self.mu1 + self.mu2;
        Moments {
            mean: self.mu1 - self.mu2,
            variance: total,
            skewness: (self.mu1 - self.mu2) / total.powf(1.5),
            excess_kurtosis: 1.0 / total,
        }
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let first = Poisson { rate: self.mu1 }.draw(random);
        first - Poisson { rate: self.mu2 }.draw(random)
    }
}

/// Fisher's logarithmic series: `-p^k / (k ln(1 - p))` for `k` from 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logarithmic {
    pub(crate) p: f64,
}

impl Distribution for Logarithmic {
    fn support(&self) -> Support {
        Support {
            low: 1.0,
            high: f64::INFINITY,
        }
    }
    fn is_discrete(&self) -> bool {
        true
    }
    fn ln_density(&self, k: f64) -> f64 {
        match k >= 1.0 && k.fract() == 0.0 && k.is_finite() {
            true => k * self.p.ln() - k.ln() - (-(-self.p).ln_1p()).ln(),
            false => f64::NEG_INFINITY,
        }
    }
    fn cdf(&self, k: f64) -> f64 {
        match k < 1.0 {
            true => 0.0,
            false => 1.0 - self.sf(k),
        }
    }
    fn sf(&self, k: f64) -> f64 {
        if k < 1.0 || k.is_infinite() {
            return if k < 1.0 { 1.0 } else { 0.0 };
        }
        let first = k.floor() + 1.0;
        let ratio = |j: f64| self.p * j / (j + 1.0);
        sum_beyond(self.density(first), first, f64::INFINITY, 1.0, &ratio).min(1.0)
    }
    fn moments(&self) -> Moments {
        let (p, q) = (self.p, 1.0 - self.p);
        let a = -1.0 / (-p).ln_1p();
        Moments::from_raw([
            a * p / q,
            a * p / (q * q),
            a * p * (1.0 + p) / q.powi(3),
            a * p * (1.0 + 4.0 * p + p * p) / q.powi(4),
        ])
    }
}
