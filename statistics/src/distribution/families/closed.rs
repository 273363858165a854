//! Families whose distribution function and quantile are formulas: a table of them, each standard, with at most two shapes.

use std::f64::consts::{LN_2, PI};

use numerics::special::{gamma, lgamma};

use super::super::{Distribution, Moments, Support};

/// The formulas of a standard family, all of a value and the shapes.
#[derive(Debug)]
pub(crate) struct Formulas {
    pub(crate) ln_density: fn(f64, Shapes) -> f64,
    pub(crate) cdf: fn(f64, Shapes) -> f64,
    pub(crate) sf: fn(f64, Shapes) -> f64,
    pub(crate) ln_cdf: fn(f64, Shapes) -> f64,
    pub(crate) ln_sf: fn(f64, Shapes) -> f64,
    pub(crate) quantile: fn(f64, Shapes) -> f64,
    pub(crate) upper_quantile: fn(f64, Shapes) -> f64,
    pub(crate) moments: fn(Shapes) -> Moments,
    pub(crate) support: fn(Shapes) -> Support,
}

/// The shapes of a family; those it has not are 0.
pub(crate) type Shapes = [f64; 2];

/// A distribution of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closed {
    pub(crate) formulas: &'static Formulas,
    pub(crate) shapes: Shapes,
}

impl Closed {
    pub(crate) fn new(formulas: &'static Formulas) -> Self {
        Self {
            formulas,
            shapes: [0.0; 2],
        }
    }
    pub(crate) fn shaped(formulas: &'static Formulas, first: f64, second: f64) -> Self {
        Self {
            formulas,
            shapes: [first, second],
        }
    }
    fn place(&self, x: f64) -> std::cmp::Ordering {
        let Support { low, high } = self.support();
        match (x < low, x > high) {
            (true, _) => std::cmp::Ordering::Less,
            (_, true) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        }
    }
    /// A formula inside the support, and what holds below and above it.
    fn within(&self, x: f64, formula: fn(f64, Shapes) -> f64, below: f64, above: f64) -> f64 {
        match self.place(x) {
            std::cmp::Ordering::Less => below,
            std::cmp::Ordering::Greater => above,
            std::cmp::Ordering::Equal => formula(x, self.shapes),
        }
    }
}

impl Distribution for Closed {
    fn support(&self) -> Support {
        (self.formulas.support)(self.shapes)
    }
    fn ln_density(&self, x: f64) -> f64 {
        let outside = f64::NEG_INFINITY;
        self.within(x, self.formulas.ln_density, outside, outside)
    }
    fn cdf(&self, x: f64) -> f64 {
        self.within(x, self.formulas.cdf, 0.0, 1.0)
    }
    fn sf(&self, x: f64) -> f64 {
        self.within(x, self.formulas.sf, 1.0, 0.0)
    }
    fn ln_cdf(&self, x: f64) -> f64 {
        self.within(x, self.formulas.ln_cdf, f64::NEG_INFINITY, 0.0)
    }
    fn ln_sf(&self, x: f64) -> f64 {
        self.within(x, self.formulas.ln_sf, 0.0, f64::NEG_INFINITY)
    }
    fn quantile(&self, p: f64) -> f64 {
        match (0.0..=1.0).contains(&p) {
            true => (self.formulas.quantile)(p, self.shapes),
            false => f64::NAN,
        }
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        match (0.0..=1.0).contains(&q) {
            true => (self.formulas.upper_quantile)(q, self.shapes),
            false => f64::NAN,
        }
    }
    fn moments(&self) -> Moments {
        (self.formulas.moments)(self.shapes)
    }
}

pub(super) const fn constant(
    mean: f64,
    variance: f64,
    skewness: f64,
    excess_kurtosis: f64,
) -> Moments {
    Moments {
        mean,
        variance,
        skewness,
        excess_kurtosis,
    }
}

/// `ln(1 - exp(-x))` for `x >= 0`.
pub(super) fn ln_less(x: f64) -> f64 {
    match x < LN_2 {
        true => (-(-x).exp_m1()).ln(),
        false => (-(-x).exp()).ln_1p(),
    }
}

/// `-ln(1 - p)`.
pub(super) fn lost(p: f64) -> f64 {
    -(-p).ln_1p()
}

pub(crate) static UNIFORM: Formulas = Formulas {
    ln_density: |_, _| 0.0,
    cdf: |x, _| x,
    sf: |x, _| 1.0 - x,
    ln_cdf: |x, _| x.ln(),
    ln_sf: |x, _| (-x).ln_1p(),
    quantile: |p, _| p,
    upper_quantile: |q, _| 1.0 - q,
    moments: |_| constant(0.5, 1.0 / 12.0, 0.0, -1.2),
    support: |_| Support::UNIT,
};

/// Weibull's distribution of a shape; 1 is the exponential, 2 with a scale Rayleigh's.
pub(crate) static WEIBULL: Formulas = Formulas {
    ln_density: |x, [c, _]| match x == 0.0 {
        true if c == 1.0 => 0.0,
        true => (1.0 - c) * f64::INFINITY,
        false => c.ln() + (c - 1.0) * x.ln() - x.powf(c),
    },
    cdf: |x, [c, _]| -(-x.powf(c)).exp_m1(),
    sf: |x, [c, _]| (-x.powf(c)).exp(),
    ln_cdf: |x, [c, _]| ln_less(x.powf(c)),
    ln_sf: |x, [c, _]| -x.powf(c),
    quantile: |p, [c, _]| lost(p).powf(1.0 / c),
    upper_quantile: |q, [c, _]| (-q.ln()).abs().powf(1.0 / c),
    moments: |[c, _]| match c {
        1.0 => constant(1.0, 1.0, 2.0, 6.0),
        _ => power_moments(|k| gamma(1.0 + k / c), |k| lgamma(1.0 + k / c)),
    },
    support: |_| Support::POSITIVE,
};

/// Moments from those about zero; from their logarithms where the distribution is narrow and they would cancel.
pub(super) fn power_moments(raw: impl Fn(f64) -> f64, ln_raw: impl Fn(f64) -> f64) -> Moments {
    let mean = raw(1.0);
    let ratio = |k: f64| (ln_raw(k) - k * ln_raw(1.0)).exp_m1();
    let [r2, r3, r4] = [ratio(2.0), ratio(3.0), ratio(4.0)];
    let second = r2;
    let third = r3 - 3.0 * r2;
    let fourth = r4 - 4.0 * r3 + 6.0 * r2;
    let scaled = Moments::from_central(1.0, second, third, fourth);
    Moments {
        mean,
        variance: mean * mean * second,
        ..scaled
    }
}

const EULER: f64 = 0.577_215_664_901_532_9;
const ZETA_3: f64 = 1.202_056_903_159_594_3;

/// Gumbel's distribution of the largest value.
pub(crate) static GUMBEL: Formulas = Formulas {
    ln_density: |x, _| -x - (-x).exp(),
    cdf: |x, _| (-(-x).exp()).exp(),
    sf: |x, _| -(-(-x).exp()).exp_m1(),
    ln_cdf: |x, _| -(-x).exp(),
    ln_sf: |x, _| ln_less((-x).exp()),
    quantile: |p, _| -(-p.ln()).ln(),
    upper_quantile: |q, _| -lost(q).ln(),
    moments: |_| {
        let skewness = 12.0 * 6_f64.sqrt() * ZETA_3 / PI.powi(3);
        constant(EULER, PI * PI / 6.0, skewness, 2.4)
    },
    support: |_| Support::LINE,
};

/// Frechet's distribution of the largest value.
pub(crate) static FRECHET: Formulas = Formulas {
    ln_density: |x, [c, _]| match x == 0.0 {
        true => f64::NEG_INFINITY,
        false => c.ln() - (c + 1.0) * x.ln() - x.powf(-c),
    },
    cdf: |x, [c, _]| (-x.powf(-c)).exp(),
    sf: |x, [c, _]| -(-x.powf(-c)).exp_m1(),
    ln_cdf: |x, [c, _]| -x.powf(-c),
    ln_sf: |x, [c, _]| ln_less(x.powf(-c)),
    quantile: |p, [c, _]| (-p.ln()).powf(-1.0 / c),
    upper_quantile: |q, [c, _]| lost(q).powf(-1.0 / c),
    moments: |[c, _]| heavy_moments(c, &|k| gamma(1.0 - k / c), &|k| lgamma(1.0 - k / c)),
    support: |_| Support::POSITIVE,
};

/// Moments that exist below the order `limit`.
pub(super) fn heavy_moments(
    limit: f64,
    raw: &dyn Fn(f64) -> f64,
    ln_raw: &dyn Fn(f64) -> f64,
) -> Moments {
    let moments = power_moments(raw, ln_raw);
    Moments {
        mean: if limit > 1.0 {
            moments.mean
        } else {
            f64::INFINITY
        },
        variance: if limit > 2.0 {
            moments.variance
        } else {
            f64::INFINITY
        },
        skewness: if limit > 3.0 {
            moments.skewness
        } else {
            f64::NAN
        },
        excess_kurtosis: if limit > 4.0 {
            moments.excess_kurtosis
        } else {
            f64::NAN
        },
    }
}

/// `ln(1 + shape x) / shape`, which is `x` at shape 0.
fn ln_power(x: f64, shape: f64) -> f64 {
    match shape == 0.0 {
        true => x,
        // One rounding where the sum is near 0, at the end of the support.
        false if shape * x < -0.5 => shape.mul_add(x, 1.0).ln() / shape,
        false => (shape * x).ln_1p() / shape,
    }
}

/// `(exp(shape y) - 1) / shape`, which is `y` at shape 0.
fn exp_power(y: f64, shape: f64) -> f64 {
    match shape == 0.0 {
        true => y,
        false => (shape * y).exp_m1() / shape,
    }
}

/// The generalised extreme value distribution; a positive shape has a heavy tail (SciPy's `c` is its negative).
pub(crate) static GEV: Formulas = Formulas {
    ln_density: |x, [xi, _]| {
        let y = ln_power(x, xi);
        -(1.0 + xi) * y - (-y).exp()
    },
    cdf: |x, [xi, _]| (-(-ln_power(x, xi)).exp()).exp(),
    sf: |x, [xi, _]| -(-(-ln_power(x, xi)).exp()).exp_m1(),
    ln_cdf: |x, [xi, _]| -(-ln_power(x, xi)).exp(),
    ln_sf: |x, [xi, _]| ln_less((-ln_power(x, xi)).exp()),
    quantile: |p, [xi, _]| exp_power(-(-p.ln()).ln(), xi),
    upper_quantile: |q, [xi, _]| exp_power(-lost(q).ln(), xi),
    moments: |[xi, _]| {
        if xi.abs() < 1e-5 {
            return (GUMBEL.moments)([0.0; 2]);
        }
        let limit = if xi > 0.0 { 1.0 / xi } else { f64::INFINITY };
        let powers = heavy_moments(limit, &|k| gamma(1.0 - k * xi), &|k| lgamma(1.0 - k * xi));
        Moments {
            mean: (powers.mean - 1.0) / xi,
            variance: powers.variance / (xi * xi),
            skewness: powers.skewness * xi.signum(),
            ..powers
        }
    },
    support: |[xi, _]| match xi {
        xi if xi > 0.0 => Support {
            low: -1.0 / xi,
            high: f64::INFINITY,
        },
        xi if xi < 0.0 => Support {
            low: f64::NEG_INFINITY,
            high: -1.0 / xi,
        },
        _ => Support::LINE,
    },
};

/// Pareto's distribution from 1 on.
pub(crate) static PARETO: Formulas = Formulas {
    ln_density: |x, [a, _]| a.ln() - (a + 1.0) * x.ln(),
    cdf: |x, [a, _]| -(-a * x.ln()).exp_m1(),
    sf: |x, [a, _]| (-a * x.ln()).exp(),
    ln_cdf: |x, [a, _]| ln_less(a * x.ln()),
    ln_sf: |x, [a, _]| -a * x.ln(),
    quantile: |p, [a, _]| (lost(p) / a).exp(),
    upper_quantile: |q, [a, _]| (-q.ln() / a).exp(),
    moments: |[a, _]| Moments {
        mean: if a > 1.0 {
            a / (a - 1.0)
        } else {
            f64::INFINITY
        },
        variance: match a > 2.0 {
            true => a / ((a - 1.0) * (a - 1.0) * (a - 2.0)),
            false => f64::INFINITY,
        },
        skewness: match a > 3.0 {
            true => 2.0 * (1.0 + a) / (a - 3.0) * ((a - 2.0) / a).sqrt(),
            false => f64::NAN,
        },
        excess_kurtosis: match a > 4.0 {
            true => 6.0 * (a * a * a + a * a - 6.0 * a - 2.0) / (a * (a - 3.0) * (a - 4.0)),
            false => f64::NAN,
        },
    },
    support: |_| Support {
        low: 1.0,
        high: f64::INFINITY,
    },
};

/// The generalised Pareto distribution of excesses.
pub(crate) static GENERALISED_PARETO: Formulas = Formulas {
    ln_density: |x, [xi, _]| -(1.0 + xi) * ln_power(x, xi),
    cdf: |x, [xi, _]| -(-ln_power(x, xi)).exp_m1(),
    sf: |x, [xi, _]| (-ln_power(x, xi)).exp(),
    ln_cdf: |x, [xi, _]| ln_less(ln_power(x, xi)),
    ln_sf: |x, [xi, _]| -ln_power(x, xi),
    quantile: |p, [xi, _]| exp_power(lost(p), xi),
    upper_quantile: |q, [xi, _]| exp_power(-q.ln(), xi),
    moments: |[xi, _]| {
        let below = |limit: f64, value: f64, or: f64| if xi < limit { value } else { or };
        let [two, three, four] = [1.0 - 2.0 * xi, 1.0 - 3.0 * xi, 1.0 - 4.0 * xi];
        let kurtosis = 3.0 * two * (2.0 * xi * xi + xi + 3.0) / (three * four) - 3.0;
        Moments {
            mean: below(1.0, 1.0 / (1.0 - xi), f64::INFINITY),
            variance: below(0.5, 1.0 / ((1.0 - xi) * (1.0 - xi) * two), f64::INFINITY),
            skewness: below(1.0 / 3.0, 2.0 * (1.0 + xi) * two.sqrt() / three, f64::NAN),
            excess_kurtosis: below(0.25, kurtosis, f64::NAN),
        }
    },
    support: |[xi, _]| Support {
        low: 0.0,
        high: if xi < 0.0 { -1.0 / xi } else { f64::INFINITY },
    },
};
