//! Beta, Student t, F, binomial and negative binomial.

use numerics::special::{
    lbeta, regularised_beta, regularised_beta_complement, student_cdf, student_quantile,
};
use random_streams::StreamRng;

use super::super::deviance::{Rest, exact_product, exact_quotient, exact_sum, ln_binomial};
use super::super::sample::{draw_gamma, draw_normal};
use super::super::{Distribution, Moments, Support};

/// The beta distribution on 0 to 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beta {
    pub(crate) a: f64,
    pub(crate) b: f64,
}

impl Beta {
    /// The logarithm of the density at an end of the support, where the power of the variable is `shape - 1`.
    fn ln_density_at_end(shape: f64, other: f64) -> f64 {
        match shape.total_cmp(&1.0) {
            std::cmp::Ordering::Less => f64::INFINITY,
            std::cmp::Ordering::Equal => other.ln(),
            std::cmp::Ordering::Greater => f64::NEG_INFINITY,
        }
    }
}

impl Distribution for Beta {
    fn support(&self) -> Support {
        Support::UNIT
    }
    fn ln_density(&self, x: f64) -> f64 {
        let Self { a, b } = *self;
        if !(0.0..=1.0).contains(&x) {
            return f64::NEG_INFINITY;
        }
        if x == 0.0 {
            return Self::ln_density_at_end(a, b);
        }
        if x == 1.0 {
            return Self::ln_density_at_end(b, a);
        }
        if a < 2.0 || b < 2.0 {
            return (a - 1.0) * x.ln() + (b - 1.0) * (-x).ln_1p() - lbeta(a, b);
        }
        // Binomial probability of a - 1 out of a + b - 2, times a + b - 1.
        ln_binomial(a - 1.0, a + b - 2.0, x) + (a + b - 1.0).ln()
    }
    fn ln_density_slope(&self, x: f64) -> f64 {
        (self.a - 1.0) / x - (self.b - 1.0) / (1.0 - x)
    }
    fn cdf(&self, x: f64) -> f64 {
        regularised_beta(self.a, self.b, x.clamp(0.0, 1.0))
    }
    fn sf(&self, x: f64) -> f64 {
        regularised_beta_complement(self.a, self.b, x.clamp(0.0, 1.0))
    }
    fn moments(&self) -> Moments {
        let Self { a, b } = *self;
        let n = a + b;
        let product = a * b;
        Moments {
            mean: a / n,
            variance: a / n * (b / n) / (n + 1.0),
            skewness: 2.0 * (b - a) * (n + 1.0).sqrt() / ((n + 2.0) * product.sqrt()),
            excess_kurtosis: 6.0 * ((a - b) * (a - b) * (n + 1.0) - product * (n + 2.0))
                / (product * (n + 2.0) * (n + 3.0)),
        }
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let (x, y) = (draw_gamma(self.a, random), draw_gamma(self.b, random));
        match x + y > 0.0 {
            true => x / (x + y),
            // Both tiny: the larger power wins.
            false => f64::from(u8::from(
                super::super::sample::open_uniform(random) * (self.a + self.b) < self.a,
            )),
        }
    }
}

/// Student's t distribution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StudentT {
    pub(crate) df: f64,
}

impl Distribution for StudentT {
    fn support(&self) -> Support {
        Support::LINE
    }
    fn ln_density(&self, t: f64) -> f64 {
        let ratio = t / self.df.sqrt();
        let ln = match ratio.abs() < 1e150 {
            true => (t * t / self.df).min(ratio * ratio).ln_1p(),
            false => 2.0 * ratio.abs().ln(),
        };
        -lbeta(0.5, 0.5 * self.df) - 0.5 * self.df.ln() - 0.5 * (self.df + 1.0) * ln
    }
    fn cdf(&self, t: f64) -> f64 {
        student_cdf(self.df, t)
    }
    fn sf(&self, t: f64) -> f64 {
        student_cdf(self.df, -t)
    }
    fn quantile(&self, p: f64) -> f64 {
        student_quantile(self.df, p)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        -student_quantile(self.df, q)
    }
    fn moments(&self) -> Moments {
        let v = self.df;
        Moments {
            mean: if v > 1.0 { 0.0 } else { f64::NAN },
            variance: match v {
                v if v > 2.0 => v / (v - 2.0),
                v if v > 1.0 => f64::INFINITY,
                _ => f64::NAN,
            },
            skewness: if v > 3.0 { 0.0 } else { f64::NAN },
            excess_kurtosis: match v {
                v if v > 4.0 => 6.0 / (v - 4.0),
                v if v > 2.0 => f64::INFINITY,
                _ => f64::NAN,
            },
        }
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let normal = draw_normal(random);
        normal / (2.0 * draw_gamma(0.5 * self.df, random) / self.df).sqrt()
    }
}

/// Fisher's F distribution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FisherF {
    pub(crate) df1: f64,
    pub(crate) df2: f64,
}

/// `df1 x / (df1 x + df2)` and the complement, each with what its rounding left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BetaSides {
    pub(crate) share: Rest,
    pub(crate) complement: Rest,
}

/// The two shares at which an F distribution is a beta one.
pub(crate) fn beta_sides(x: f64, df1: f64, df2: f64) -> BetaSides {
    let product = exact_product(df1, x);
    if product.value.is_infinite() {
        return BetaSides {
            share: Rest {
                value: 1.0,
                rest: 0.0,
            },
            complement: Rest {
                value: df2 / df1 / x,
                rest: 0.0,
            },
        };
    }
    let sum = exact_sum(product.value, df2);
    let total = Rest {
        value: sum.value,
        rest: sum.rest + product.rest,
    };
    BetaSides {
        share: exact_quotient(product, total),
        complement: exact_quotient(
            Rest {
                value: df2,
                rest: 0.0,
            },
            total,
        ),
    }
}

impl FisherF {
    fn tail(&self, x: f64, is_lower: bool) -> f64 {
        let (a, b) = (0.5 * self.df1, 0.5 * self.df2);
        let sides = beta_sides(x, self.df1, self.df2);
        let (beta, side, lower) = match sides.share.value <= 0.5 {
            true => (Beta { a, b }, sides.share, is_lower),
            false => (Beta { a: b, b: a }, sides.complement, !is_lower),
        };
        let (tail, sign) = match lower {
            true => (beta.cdf(side.value), 1.0),
            false => (beta.sf(side.value), -1.0),
        };
        let change = sign * beta.density(side.value) * side.rest;
        match change.abs() < 1e-6 * tail {
            true => tail + change,
            false => tail,
        }
    }
}

impl Distribution for FisherF {
    fn support(&self) -> Support {
        Support::POSITIVE
    }
    fn ln_density(&self, x: f64) -> f64 {
        let (a, b) = (0.5 * self.df1, 0.5 * self.df2);
        if x < 0.0 || x.is_infinite() {
            return f64::NEG_INFINITY;
        }
        if x == 0.0 {
            return Beta::ln_density_at_end(a, 1.0);
        }
        let sides = beta_sides(x, self.df1, self.df2);
        let (beta, side) = match sides.share.value <= 0.5 {
            true => (Beta { a, b }, sides.share),
            false => (Beta { a: b, b: a }, sides.complement),
        };
        let slope = beta.ln_density_slope(side.value) * side.rest;
        // d share / d x = df1 df2 / (df1 x + df2)^2
        let jacobian = sides.complement.value.ln() + sides.share.value.ln() - x.ln();
        beta.ln_density(side.value) + if slope.is_finite() { slope } else { 0.0 } + jacobian
    }
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.tail(x, true) }
    }
    fn sf(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { self.tail(x, false) }
    }
    fn moments(&self) -> Moments {
        let (m, n) = (self.df1, self.df2);
        let beyond = |order: f64, value: f64, or: f64| if n > order { value } else { or };
        let four = m * (5.0 * n - 22.0) * (m + n - 2.0) + (n - 4.0) * (n - 2.0) * (n - 2.0);
        let skewness = (2.0 * m + n - 2.0) * (8.0 * (n - 4.0)).sqrt()
            / ((n - 6.0) * (m * (m + n - 2.0)).sqrt());
        Moments {
            mean: beyond(2.0, n / (n - 2.0), f64::INFINITY),
            variance: beyond(
                4.0,
                2.0 * (n / (n - 2.0)).powi(2) * (m + n - 2.0) / (m * (n - 4.0)),
                f64::INFINITY,
            ),
            skewness: beyond(6.0, skewness, f64::NAN),
            excess_kurtosis: beyond(
                8.0,
                12.0 * four / (m * (n - 6.0) * (n - 8.0) * (m + n - 2.0)),
                f64::NAN,
            ),
        }
    }
    fn centre(&self) -> f64 {
        1.0
    }
    fn draw(&self, random: &mut StreamRng) -> f64 {
        let over = draw_gamma(0.5 * self.df1, random) / self.df1;
        over / (draw_gamma(0.5 * self.df2, random) / self.df2)
    }
}

/// Successes in `n` trials.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binomial {
    pub(crate) n: f64,
    pub(crate) p: f64,
}

impl Distribution for Binomial {
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
        if self.p == 0.0 || self.p == 1.0 {
            let certain = self.p * self.n;
            return if k == certain { 0.0 } else { f64::NEG_INFINITY };
        }
        ln_binomial(k, self.n, self.p)
    }
    fn cdf(&self, k: f64) -> f64 {
        numerics::special::binomial_cdf(k, self.n, self.p)
    }
    fn sf(&self, k: f64) -> f64 {
        numerics::special::binomial_ccdf(k, self.n, self.p)
    }
    fn moments(&self) -> Moments {
        let (p, q) = (self.p, 1.0 - self.p);
        let variance = self.n * p * q;
        Moments {
            mean: self.n * p,
            variance,
            skewness: (q - p) / variance.sqrt(),
            excess_kurtosis: (1.0 - 6.0 * p * q) / variance,
        }
    }
}

/// Failures before the `size`-th success; `size` need not be whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NegativeBinomial {
    pub(crate) size: f64,
    pub(crate) p: f64,
}

impl Distribution for NegativeBinomial {
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
        if self.p == 1.0 {
            return if k == 0.0 { 0.0 } else { f64::NEG_INFINITY };
        }
        if k == 0.0 {
            return self.size * self.p.ln();
        }
        let total = self.size + k;
        match k < 1e-10 * self.size {
            // size / (size + k) is 1 to its digits
            true => ln_binomial(self.size, total, self.p) + (self.size / total).ln(),
            false => ln_binomial(self.size, total, self.p) - (k / self.size).ln_1p(),
        }
    }
    fn cdf(&self, k: f64) -> f64 {
        match k < 0.0 {
            true => 0.0,
            false if k.is_infinite() || self.p == 1.0 => 1.0,
            false => regularised_beta(self.size, k.floor() + 1.0, self.p),
        }
    }
    fn sf(&self, k: f64) -> f64 {
        match k < 0.0 {
            true => 1.0,
            false if k.is_infinite() || self.p == 1.0 => 0.0,
            false => regularised_beta_complement(self.size, k.floor() + 1.0, self.p),
        }
    }
    fn moments(&self) -> Moments {
        let (p, q) = (self.p, 1.0 - self.p);
        let odds = self.size * q;
        Moments {
            mean: odds / p,
            variance: odds / (p * p),
            skewness: (2.0 - p) / odds.sqrt(),
            excess_kurtosis: 6.0 / self.size + p * p / odds,
        }
    }
}
