//! Hypergeometric, geometric, discrete uniform and beta-binomial counts.

use numerics::special::lbeta;

use super::super::deviance::ln_binomial;
use super::super::{Distribution, Moments, Support};

/// The sum of a probability and those of the numbers beyond it, from the ratio of neighbours; until a term adds nothing or the end is reached.
pub(super) fn sum_beyond(
    first: f64,
    from: f64,
    end: f64,
    direction: f64,
    ratio: &dyn Fn(f64) -> f64,
) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, from);
    let mut has_fallen = false;
    while k != end {
        let factor = ratio(k);
        term *= factor;
        sum += term;
        k += direction;
        has_fallen = factor < 1.0;
        if has_fallen && term * (1.0 / (1.0 - factor)).min(1e6) < 1e-18 * sum {
            break;
        }
    }
    debug_assert!(has_fallen || k == end);
    first * sum
}

/// Marked units in a sample without replacement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hypergeometric {
    pub(crate) population: f64,
    pub(crate) marked: f64,
    pub(crate) draws: f64,
}

impl Hypergeometric {
    /// `p(k + 1) / p(k)`.
    fn ratio(&self, k: f64) -> f64 {
        (self.marked - k) * (self.draws - k)
            / ((k + 1.0) * (self.population - self.marked - self.draws + k + 1.0))
    }

    fn mode(&self) -> f64 {
        ((self.draws + 1.0) * (self.marked + 1.0) / (self.population + 2.0)).floor()
    }
}

impl Distribution for Hypergeometric {
    fn support(&self) -> Support {
        Support {
            low: (self.draws + self.marked - self.population).max(0.0),
            high: self.draws.min(self.marked),
        }
    }
    fn is_discrete(&self) -> bool {
        true
    }
    fn ln_density(&self, k: f64) -> f64 {
        let Support { low, high } = self.support();
        if !(low..=high).contains(&k) || k.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        if low == high {
            return 0.0;
        }
        let p = self.draws / self.population;
        if p == 1.0 {
            return 0.0;
        }
        let unmarked = self.population - self.marked;
        ln_binomial(k, self.marked, p) + ln_binomial(self.draws - k, unmarked, p)
            - ln_binomial(self.draws, self.population, p)
    }
    fn cdf(&self, k: f64) -> f64 {
        let Support { low, high } = self.support();
        let k = k.floor();
        if k < low || k >= high {
            return if k < low { 0.0 } else { 1.0 };
        }
        if k >= self.mode() {
            return 1.0 - self.sf(k);
        }
        sum_beyond(self.density(k), k, low, -1.0, &|j| {
            1.0 / self.ratio(j - 1.0)
        })
    }
    fn sf(&self, k: f64) -> f64 {
        let Support { low, high } = self.support();
        let k = k.floor();
        if k < low || k >= high {
            return if k < low { 1.0 } else { 0.0 };
        }
        if k < self.mode() {
            return 1.0 - self.cdf(k);
        }
        sum_beyond(self.density(k + 1.0), k + 1.0, high, 1.0, &|j| {
            self.ratio(j)
        })
    }
    fn moments(&self) -> Moments {
        let (total, k, n) = (self.population, self.marked, self.draws);
        let share = k / total;
        let variance = n * share * (1.0 - share) * (total - n) / (total - 1.0);
        let skewness = (total - 2.0 * k) * (total - 1.0).sqrt() * (total - 2.0 * n)
            / ((n * k * (total - k) * (total - n)).sqrt() * (total - 2.0));
        let product = n * k * (total - k) * (total - n);
        let top = (total - 1.0)
            * total
            * total
            * (total * (total + 1.0) - 6.0 * k * (total - k) - 6.0 * n * (total - n))
            + 6.0 * product * (5.0 * total - 6.0);
        Moments {
            mean: n * share,
            variance,
            skewness,
            excess_kurtosis: top / (product * (total - 2.0) * (total - 3.0)),
        }
    }
}

/// Failures before the first success.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geometric {
    pub(crate) p: f64,
}

impl Distribution for Geometric {
    fn support(&self) -> Support {
        match self.p == 1.0 {
            true => Support {
                low: 0.0,
                high: 0.0,
            },
            false => Support::POSITIVE,
        }
    }
    fn is_discrete(&self) -> bool {
        true
    }
    fn ln_density(&self, k: f64) -> f64 {
        if k < 0.0 || k.fract() != 0.0 || k.is_infinite() {
            return f64::NEG_INFINITY;
        }
        let failures = if k == 0.0 { 0.0 } else { k * (-self.p).ln_1p() };
        failures + self.p.ln()
    }
    fn cdf(&self, k: f64) -> f64 {
        match k < 0.0 {
            true => 0.0,
            false => -((k.floor() + 1.0) * (-self.p).ln_1p()).exp_m1(),
        }
    }
    fn sf(&self, k: f64) -> f64 {
        match k < 0.0 {
            true => 1.0,
            false => ((k.floor() + 1.0) * (-self.p).ln_1p()).exp(),
        }
    }
    fn moments(&self) -> Moments {
        let q = 1.0 - self.p;
        Moments {
            mean: q / self.p,
            variance: q / (self.p * self.p),
            skewness: (2.0 - self.p) / q.sqrt(),
            excess_kurtosis: 6.0 + self.p * self.p / q,
        }
    }
}

/// Whole numbers from `low` to `high`, equally likely.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiscreteUniform {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl DiscreteUniform {
    fn count(&self) -> f64 {
        self.high - self.low + 1.0
    }
}

impl Distribution for DiscreteUniform {
    fn support(&self) -> Support {
        Support {
            low: self.low,
            high: self.high,
        }
    }
    fn is_discrete(&self) -> bool {
        true
    }
    fn ln_density(&self, k: f64) -> f64 {
        match (self.low..=self.high).contains(&k) && k.fract() == 0.0 {
            true => -self.count().ln(),
            false => f64::NEG_INFINITY,
        }
    }
    fn density(&self, k: f64) -> f64 {
        match self.ln_density(k) == f64::NEG_INFINITY {
            true => 0.0,
            false => 1.0 / self.count(),
        }
    }
    fn cdf(&self, k: f64) -> f64 {
        ((k.floor() - self.low + 1.0) / self.count()).clamp(0.0, 1.0)
    }
    fn sf(&self, k: f64) -> f64 {
        ((self.high - k.floor()) / self.count()).clamp(0.0, 1.0)
    }
    fn moments(&self) -> Moments {
        let square = self.count() * self.count();
        Moments {
            mean: 0.5 * self.low + 0.5 * self.high,
            variance: (square - 1.0) / 12.0,
            skewness: 0.0,
            excess_kurtosis: -1.2 * (square + 1.0) / (square - 1.0),
        }
    }
}

/// Successes in `n` trials of a probability that is a beta value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BetaBinomial {
    pub(crate) n: f64,
    pub(crate) a: f64,
    pub(crate) b: f64,
}

impl BetaBinomial {
    /// `p(k + 1) / p(k)`.
    fn ratio(&self, k: f64) -> f64 {
        (self.n - k) * (self.a + k) / ((k + 1.0) * (self.b + self.n - k - 1.0))
    }
}

impl Distribution for BetaBinomial {
    fn support(&self) -> Support {
        Support {
            low: 0.0,
            high: self.n,
        }
    }
    fn is_discrete(&self) -> bool {
        true
    }
    fn ln_density(&self, k: f64) -> f64 {
        if !(0.0..=self.n).contains(&k) || k.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        lbeta(k + self.a, self.n - k + self.b)
            - lbeta(self.a, self.b)
            - (self.n + 1.0).ln()
            - lbeta(k + 1.0, self.n - k + 1.0)
    }
    fn cdf(&self, k: f64) -> f64 {
        let k = k.floor();
        if k < 0.0 || k >= self.n {
            return if k < 0.0 { 0.0 } else { 1.0 };
        }
        if k > self.centre() {
            return 1.0 - self.sf(k);
        }
        sum_beyond(self.density(k), k, 0.0, -1.0, &|j| {
            1.0 / self.ratio(j - 1.0)
        })
        .min(1.0)
    }
    fn sf(&self, k: f64) -> f64 {
        let k = k.floor();
        if k < 0.0 || k >= self.n {
            return if k < 0.0 { 1.0 } else { 0.0 };
        }
        if k <= self.centre() {
            return 1.0 - self.cdf(k);
        }
        sum_beyond(self.density(k + 1.0), k + 1.0, self.n, 1.0, &|j| {
            self.ratio(j)
        })
        .min(1.0)
    }
    fn moments(&self) -> Moments {
        let Self { n, a, b } = *self;
        let s = a + b;
        let skewness =
            (s + 2.0 * n) * (b - a) / (s + 2.0) * ((1.0 + s) / (n * a * b * (n + s))).sqrt();
        let variance = n * a * b * (s + n) / (s * s * (s + 1.0));
        let front = s * s * (1.0 + s) / (n * a * b * (s + 2.0) * (s + 3.0) * (s + n));
        let inner = s * (s - 1.0 + 6.0 * n) + 3.0 * a * b * (n - 2.0) + 6.0 * n * n
            - 3.0 * a * b * n * (6.0 - n) / s
            - 18.0 * a * b * n * n / (s * s);
        Moments {
            mean: n * a / s,
            variance,
            skewness,
            excess_kurtosis: front * inner - 3.0,
        }
    }
}
