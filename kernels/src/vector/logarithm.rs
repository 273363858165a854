//! Logarithms and inverse hyperbolic functions.
//!
//! `x = m 2^k` with m between sqrt(1/2) and sqrt(2), `log(m) = 2 atanh(s)` with `s = (m - 1) / (m + 1)`, |s| < 0.172.

use super::arithmetic::{
    exceeds, fma, is_positive_normal, polynomial, power_of_whole, product, quick_two_sum, quotient,
    split_exponent, square_root, two_product, two_sum,
};
use super::coefficients::{LOG, LOG_DOUBLED};
use super::lanes::Map1;

/// The first 42 bits of log(2): times an exponent it is exact.
const LN_2_SHORT: f64 = 0.6931471805598903;
const LN_2_SHORT_LOW: f64 = 5.497923018708371e-14;
const LOG2_E: (f64, f64) = (std::f64::consts::LOG2_E, 2.0355273740931033e-17);
const LOG10_2: (f64, f64) = (std::f64::consts::LOG10_2, -2.8037281277851704e-18);
const THIRD: (f64, f64) = (1.0 / 3.0, 1.850371707708594e-17);
const TWO_54: f64 = 18_014_398_509_481_984.0;

/// `log(a / b) / 2` for a quotient between sqrt(1/2) and sqrt(2), each a sum of two; relative error below 2^-66.
#[inline(always)]
pub(super) fn half_log_of_ratio(difference: (f64, f64), sum: (f64, f64)) -> (f64, f64) {
    let s = quotient(difference, sum);
    let w = product(s, s);
    let a = quick_two_sum(THIRD.0, w.0 * polynomial(w.0, &LOG_DOUBLED));
    let g = product(w, (a.0, a.1 + THIRD.1));
    let cubic = product(s, g);
    let (high, low) = quick_two_sum(s.0, cubic.0);
    (high, low + (s.1 + cubic.1))
}

/// `log(x + low) / 2` of the mantissa, and the exponent; x is positive, normal and below 1e300.
#[inline(always)]
fn half_log(x: f64, low: f64) -> ((f64, f64), f64) {
    let (m, k) = split_exponent(x);
    let m_low = low * power_of_whole(-k);
    let difference = quick_two_sum(m - 1.0, m_low);
    let (sum, rest) = two_sum(m, 1.0);
    (half_log_of_ratio(difference, (sum, rest + m_low)), k)
}

/// `k log(2) + 2 (high + low)`, rounded.
#[inline(always)]
fn natural((high, low): (f64, f64), k: f64) -> f64 {
    let (sum, rest) = quick_two_sum(k * LN_2_SHORT, 2.0 * high);
    sum + (rest + fma(k, LN_2_SHORT_LOW, 2.0 * low))
}

/// `log2(x)` of a positive normal number as a sum of two, relative error below 2^-65.
#[inline(always)]
pub(super) fn log2_doubled(x: f64) -> (f64, f64) {
    let (m, k) = split_exponent(x);
    let (half, half_low) = half_log_of_ratio((m - 1.0, 0.0), two_sum(m, 1.0));
    let (high, low) = product((2.0 * half, 2.0 * half_low), LOG2_E);
    let (sum, rest) = quick_two_sum(k, high);
    (sum, rest + low)
}

/// What the logarithms share outside the positive normal numbers: subnormals are scaled up by 2^54.
fn outside(x: f64, logarithm: impl Fn(f64) -> f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x == f64::INFINITY {
        x
    } else if x > 0.0 {
        logarithm(x * TWO_54)
    } else {
        f64::NAN
    }
}

/// Natural logarithm.
pub(super) struct Log;

impl Map1 for Log {
    const KEEPS_NAN: bool = true;

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        log_shifted(x, 0.0)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        !is_positive_normal(x)
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        outside(x, |x| log_shifted(x, -54.0))
    }
}

/// `log(x 2^shift)` of a positive normal number: `f - (f^2/2 - s (f^2/2 + R(s^2)))` for the mantissa `1 + f`, 0.8 ulp.
#[inline(always)]
fn log_shifted(x: f64, shift: f64) -> f64 {
    let (m, k) = split_exponent(x);
    let k = k + shift;
    let f = m - 1.0;
    let s = f / (m + 1.0);
    let w = s * s;
    let half_square = 0.5 * f * f;
    let tail = s * fma(w, polynomial(w, &LOG), half_square);
    let (sum, rest) = quick_two_sum(k * LN_2_SHORT, f);
    sum + (rest + (fma(k, LN_2_SHORT_LOW, tail) - half_square))
}

/// Logarithm to base 2.
pub(super) struct Log2;

impl Map1 for Log2 {
    const KEEPS_NAN: bool = true;

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (high, low) = log2_doubled(x);
        high + low
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        !is_positive_normal(x)
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        outside(x, |x| {
            let (high, low) = log2_doubled(x);
            let (sum, rest) = two_sum(high, -54.0);
            sum + (rest + low)
        })
    }
}

/// Logarithm to base 10.
pub(super) struct Log10;

impl Log10 {
    #[inline(always)]
    fn shifted(x: f64, shift: f64) -> f64 {
        let (high, low) = log2_doubled(x);
        let (sum, rest) = two_sum(high, shift);
        let (high, low) = product((sum, rest + low), LOG10_2);
        high + low
    }
}

impl Map1 for Log10 {
    const KEEPS_NAN: bool = true;

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        Self::shifted(x, 0.0)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        !is_positive_normal(x)
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        outside(x, |x| Self::shifted(x, -54.0))
    }
}

/// `log(1 + x)`.
pub(super) struct Log1p;

impl Map1 for Log1p {
    const KEEPS_NAN: bool = true;

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (sum, rest) = two_sum(1.0, x);
        let (half, k) = half_log(sum, rest);
        let value = natural(half, k);
        if x.abs() < 1e-17 { x } else { value }
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        !((x > -1.0) & (x < 1e300))
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        if (1e300..f64::INFINITY).contains(&x) {
            return log_shifted(x, 0.0);
        }
        outside(1.0 + x, |x| x)
    }
}

/// Inverse hyperbolic sine: `log(|x| + sqrt(x^2 + 1))`, near zero the series.
pub(super) struct Asinh;

impl Map1 for Asinh {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let z = x * x;
        let series = fma(
            x * z,
            fma(z, fma(z, -5.0 / 112.0, 3.0 / 40.0), -1.0 / 6.0),
            x,
        );
        let magnitude = x.abs();
        let (square, square_low) = two_product(magnitude, magnitude);
        let (sum, rest) = two_sum(square, 1.0);
        let (root, root_low) = square_root((sum, rest + square_low));
        let (a, a_rest) = two_sum(magnitude, root);
        let (a, a_low) = quick_two_sum(a, a_rest + root_low);
        let (half, k) = half_log(a, a_low);
        let value = natural(half, k);
        let value = if magnitude < 0.0009765625 {
            series
        } else {
            value
        };
        value.copysign(x)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        exceeds(x.abs(), 1e150)
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        logarithm_of_double(x.abs()).copysign(x)
    }
}

/// `log(2 x)` for x >= 1e150, infinity and NaN.
fn logarithm_of_double(x: f64) -> f64 {
    if x < f64::INFINITY {
        log_shifted(x, 1.0)
    } else {
        x
    }
}

/// Inverse hyperbolic cosine: `log(x + sqrt(x^2 - 1))`.
pub(super) struct Acosh;

impl Map1 for Acosh {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (square, square_low) = two_product(x, x);
        let (sum, rest) = quick_two_sum(square, -1.0);
        let (sum, rest) = quick_two_sum(sum, rest + square_low);
        let (root, root_low) = square_root((sum, rest));
        let (a, a_rest) = two_sum(x, root);
        let (a, a_low) = quick_two_sum(a, a_rest + root_low);
        let (half, k) = half_log(a, a_low);
        natural(half, k)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        !((x > 1.0) & (x < 1e150))
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        if x == 1.0 {
            0.0
        } else if x > 1.0 {
            logarithm_of_double(x)
        } else {
            f64::NAN
        }
    }
}

/// Inverse hyperbolic tangent: half the logarithm of `(1 + |x|) / (1 - |x|)`.
pub(super) struct Atanh;

impl Map1 for Atanh {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let magnitude = x.abs();
        let (above, above_low) = two_sum(1.0, magnitude);
        let (below, below_low) = two_sum(1.0, -magnitude);
        let (_, k) = split_exponent(above / below);
        let power = power_of_whole(k);
        let (below, below_low) = (below * power, below_low * power);
        let (difference, rest) = two_sum(above, -below);
        let difference = quick_two_sum(difference, rest + (above_low - below_low));
        let (sum, rest) = two_sum(above, below);
        let (half, half_low) = half_log_of_ratio(difference, (sum, rest + (above_low + below_low)));
        let (sum, rest) = quick_two_sum(k * (0.5 * LN_2_SHORT), half);
        let value = sum + (rest + fma(k, 0.5 * LN_2_SHORT_LOW, half_low));
        let small = fma(x * x, x * (1.0 / 3.0), x);
        if magnitude < 1e-9 {
            small
        } else {
            value.copysign(x)
        }
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        exceeds(x.abs(), 1.0 - f64::EPSILON / 2.0)
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        if x.abs() == 1.0 { x / 0.0 } else { f64::NAN }
    }
}
