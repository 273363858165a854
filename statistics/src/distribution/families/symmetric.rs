//! Logistic, Laplace, Cauchy, arcsine, triangular and Kumaraswamy: the second part of the table of formulas.

use std::f64::consts::{FRAC_1_PI, FRAC_PI_2, LN_2, PI};

use numerics::special::{gamma, lgamma};

use super::super::Support;
use super::closed::{Formulas, constant, heavy_moments, ln_less, lost, power_moments};

/// `ln(1 + exp(x))`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn logit(p: f64) -> f64 {
    match (p - 0.5).abs() < 0.1 {
        true => 2.0 * (2.0 * p - 1.0).atanh(),
        false => p.ln() - (-p).ln_1p(),
    }
}

pub(crate) static LOGISTIC: Formulas = Formulas {
    ln_density: |x, _| -x - 2.0 * softplus(-x),
    cdf: |x, _| (-softplus(-x)).exp(),
    sf: |x, _| (-softplus(x)).exp(),
    ln_cdf: |x, _| -softplus(-x),
    ln_sf: |x, _| -softplus(x),
    quantile: |p, _| logit(p),
    upper_quantile: |q, _| -logit(q),
    moments: |_| constant(0.0, PI * PI / 3.0, 0.0, 1.2),
    support: |_| Support::LINE,
};

/// The exponential of a logistic value: `c ln(x)` is logistic.
pub(crate) static LOG_LOGISTIC: Formulas = Formulas {
    ln_density: |x, [c, _]| match x == 0.0 {
        true if c == 1.0 => 0.0,
        true => (1.0 - c) * f64::INFINITY,
        false => (LOGISTIC.ln_density)(c * x.ln(), [0.0; 2]) + c.ln() - x.ln(),
    },
    cdf: |x, [c, _]| (-softplus(-c * x.ln())).exp(),
    sf: |x, [c, _]| (-softplus(c * x.ln())).exp(),
    ln_cdf: |x, [c, _]| -softplus(-c * x.ln()),
    ln_sf: |x, [c, _]| -softplus(c * x.ln()),
    quantile: |p, [c, _]| (logit(p) / c).exp(),
    upper_quantile: |q, [c, _]| (-logit(q) / c).exp(),
    moments: |[c, _]| {
        let raw = |k: f64| gamma(1.0 + k / c) * gamma(1.0 - k / c);
        heavy_moments(c, &raw, &|k| lgamma(1.0 + k / c) + lgamma(1.0 - k / c))
    },
    support: |_| Support::POSITIVE,
};

pub(crate) static LAPLACE: Formulas = Formulas {
    ln_density: |x, _| -x.abs() - LN_2,
    cdf: |x, _| laplace_tail(-x),
    sf: |x, _| laplace_tail(x),
    ln_cdf: |x, _| ln_laplace_tail(-x),
    ln_sf: |x, _| ln_laplace_tail(x),
    quantile: |p, _| -laplace_upper_quantile(p),
    upper_quantile: |q, _| laplace_upper_quantile(q),
    moments: |_| constant(0.0, 2.0, 0.0, 3.0),
    support: |_| Support::LINE,
};

fn laplace_tail(x: f64) -> f64 {
    match x > 0.0 {
        true => 0.5 * (-x).exp(),
        false => 1.0 - 0.5 * x.exp(),
    }
}

fn ln_laplace_tail(x: f64) -> f64 {
    match x > 0.0 {
        true => -x - LN_2,
        false => (-0.5 * x.exp()).ln_1p(),
    }
}

fn laplace_upper_quantile(q: f64) -> f64 {
    match q < 0.5 {
        true => -LN_2 - q.ln(),
        // ln(2 (1 - q)) = ln(1 - (2 q - 1))
        false => (-(2.0 * q - 1.0)).ln_1p(),
    }
}

/// The probability above `x` of a standard Cauchy value.
fn cauchy_tail(x: f64) -> f64 {
    match x > 0.0 {
        true => (1.0 / x).atan() * FRAC_1_PI,
        false => 0.5 - x.atan() * FRAC_1_PI,
    }
}

fn cauchy_upper_quantile(q: f64) -> f64 {
    match q {
        0.0 => f64::INFINITY,
        1.0 => f64::NEG_INFINITY,
        q if q < 0.25 => 1.0 / (PI * q).tan(),
        q if q > 0.75 => -1.0 / (PI * (1.0 - q)).tan(),
        q => (PI * (0.5 - q)).tan(),
    }
}

pub(crate) static CAUCHY: Formulas = Formulas {
    ln_density: |x, _| -PI.ln() - ln_one_and_square(x),
    cdf: |x, _| cauchy_tail(-x),
    sf: |x, _| cauchy_tail(x),
    ln_cdf: |x, _| cauchy_tail(-x).ln(),
    ln_sf: |x, _| cauchy_tail(x).ln(),
    quantile: |p, _| -cauchy_upper_quantile(p),
    upper_quantile: |q, _| cauchy_upper_quantile(q),
    moments: |_| constant(f64::NAN, f64::NAN, f64::NAN, f64::NAN),
    support: |_| Support::LINE,
};

/// `ln(1 + x^2)`.
fn ln_one_and_square(x: f64) -> f64 {
    match x.abs() < 1e150 {
        true => (x * x).ln_1p(),
        false => 2.0 * x.abs().ln(),
    }
}

pub(crate) static HALF_CAUCHY: Formulas = Formulas {
    ln_density: |x, _| -FRAC_PI_2.ln() - ln_one_and_square(x),
    cdf: |x, _| 2.0 * FRAC_1_PI * x.atan(),
    sf: |x, _| match x > 0.0 {
        true => 2.0 * FRAC_1_PI * (1.0 / x).atan(),
        false => 1.0,
    },
    ln_cdf: |x, _| (2.0 * FRAC_1_PI * x.atan()).ln(),
    ln_sf: |x, _| match x < 1.0 {
        true => (-2.0 * FRAC_1_PI * x.atan()).ln_1p(),
        false => (2.0 * FRAC_1_PI * (1.0 / x).atan()).ln(),
    },
    quantile: |p, _| match p <= 0.5 {
        true => (FRAC_PI_2 * p).tan(),
        false => 1.0 / (FRAC_PI_2 * (1.0 - p)).tan(),
    },
    upper_quantile: |q, _| match q <= 0.5 {
        true => 1.0 / (FRAC_PI_2 * q).tan(),
        false => (FRAC_PI_2 * (1.0 - q)).tan(),
    },
    moments: |_| constant(f64::INFINITY, f64::INFINITY, f64::NAN, f64::NAN),
    support: |_| Support::POSITIVE,
};

/// The arcsine distribution on 0 to 1.
pub(crate) static ARCSINE: Formulas = Formulas {
    ln_density: |x, _| -PI.ln() - 0.5 * (x.ln() + (-x).ln_1p()),
    cdf: |x, _| 2.0 * FRAC_1_PI * x.sqrt().atan2((1.0 - x).sqrt()),
    sf: |x, _| 2.0 * FRAC_1_PI * (1.0 - x).sqrt().atan2(x.sqrt()),
    ln_cdf: |x, _| (2.0 * FRAC_1_PI * x.sqrt().atan2((1.0 - x).sqrt())).ln(),
    ln_sf: |x, _| (2.0 * FRAC_1_PI * (1.0 - x).sqrt().atan2(x.sqrt())).ln(),
    quantile: |p, _| (FRAC_PI_2 * p).sin().powi(2),
    upper_quantile: |q, _| match q < 0.5 {
        true => (FRAC_PI_2 * q).cos().powi(2),
        false => (FRAC_PI_2 * (1.0 - q)).sin().powi(2),
    },
    moments: |_| constant(0.5, 0.125, 0.0, -1.5),
    support: |_| Support::UNIT,
};

/// The triangular distribution on 0 to 1 with its mode at the shape.
pub(crate) static TRIANGULAR: Formulas = Formulas {
    ln_density: |x, [c, _]| match x < c {
        true => (2.0 * x / c).ln(),
        false if x == c => LN_2,
        false => (2.0 * (1.0 - x) / (1.0 - c)).ln(),
    },
    cdf: |x, [c, _]| match x <= c && c > 0.0 {
        true => x / c * x,
        false => 1.0 - triangular_tail(x, c),
    },
    sf: |x, [c, _]| match x <= c && c > 0.0 {
        true => 1.0 - x / c * x,
        false => triangular_tail(x, c),
    },
    ln_cdf: |x, shapes| match x <= shapes[0] {
        true => (TRIANGULAR.cdf)(x, shapes).ln(),
        false => (-(TRIANGULAR.sf)(x, shapes)).ln_1p(),
    },
    ln_sf: |x, shapes| match x <= shapes[0] {
        true => (-(TRIANGULAR.cdf)(x, shapes)).ln_1p(),
        false => (TRIANGULAR.sf)(x, shapes).ln(),
    },
    quantile: |p, [c, _]| match p <= c {
        true => (p * c).sqrt(),
        false => 1.0 - ((1.0 - p) * (1.0 - c)).sqrt(),
    },
    upper_quantile: |q, [c, _]| match q >= 1.0 - c {
        true => ((1.0 - q) * c).sqrt(),
        false => 1.0 - (q * (1.0 - c)).sqrt(),
    },
    moments: |[c, _]| {
        let size = 1.0 - c + c * c;
        let skewness = std::f64::consts::SQRT_2 * (1.0 - 2.0 * c) * (1.0 + c) * (2.0 - c)
            / (5.0 * size.powf(1.5));
        constant((1.0 + c) / 3.0, size / 18.0, skewness, -0.6)
    },
    support: |_| Support::UNIT,
};

fn triangular_tail(x: f64, c: f64) -> f64 {
    match c < 1.0 {
        true => (1.0 - x) / (1.0 - c) * (1.0 - x),
        false => 0.0,
    }
}

/// `ln(1 - x^a)`.
fn ln_power_less(x: f64, a: f64) -> f64 {
    ln_less(-a * x.ln())
}

/// Kumaraswamy's distribution: `1 - (1 - x^a)^b`.
pub(crate) static KUMARASWAMY: Formulas = Formulas {
    ln_density: |x, [a, b]| {
        let power = |shape: f64, ln: f64| {
            if shape == 1.0 {
                0.0
            } else {
                (shape - 1.0) * ln
            }
        };
        a.ln() + b.ln() + power(a, x.ln()) + power(b, ln_power_less(x, a))
    },
    cdf: |x, [a, b]| -(b * ln_power_less(x, a)).exp_m1(),
    sf: |x, [a, b]| (b * ln_power_less(x, a)).exp(),
    ln_cdf: |x, [a, b]| ln_less(-b * ln_power_less(x, a)),
    ln_sf: |x, [a, b]| b * ln_power_less(x, a),
    quantile: |p, [a, b]| (-(-lost(p) / b).exp_m1()).powf(1.0 / a),
    upper_quantile: |q, [a, b]| (-(q.ln() / b).exp_m1()).powf(1.0 / a),
    moments: |[a, b]| {
        let ln_raw = |k: f64| b.ln() + numerics::special::lbeta(1.0 + k / a, b);
        power_moments(|k| ln_raw(k).exp(), ln_raw)
    },
    support: |_| Support::UNIT,
};
