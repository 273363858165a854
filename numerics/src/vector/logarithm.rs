//! Logarithms.
//!
//! `x = m 2^k` with m between sqrt(1/2) and sqrt(2), `f = m - 1`, `s = f / (2 + f)`, |s| < 0.172 (the reduction of FDLIBM,
//! Sun Microsystems 1993): `log(m) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + R(s^2)))`, where all but f is small.
//! The products of k with log(2) and log10(2) are exact in their first part. Errors: see [`super::Unary`].

use super::arithmetic::{
    BinaryMantissa, evaluate_polynomial, fma, one_more, ordinal_key, quick_two_sum,
};
use super::coefficients::{LOG, LOG2_DOUBLED};
use super::lanes::{UnaryMap, function};

/// The first 42 bits of log(2): times an exponent it is exact.
pub(super) const LN_2_SHORT: f64 = 0.6931471805598903;
pub(super) const LN_2_SHORT_LOW: f64 = 5.497923018708371e-14;
/// The first 42 bits of log10(2).
const LOG10_2_SHORT: f64 = 0.30102999566395283;
const LOG10_2_SHORT_LOW: f64 = 2.8363394551044964e-14;
const LOG2_E: (f64, f64) = (std::f64::consts::LOG2_E, 2.0355273740931033e-17);
const LOG10_E: (f64, f64) = (std::f64::consts::LOG10_E, 1.098319650216765e-17);
/// `2 / log(2)`
const A: (f64, f64) = (2.0 * std::f64::consts::LOG2_E, 4.0710547481862066e-17);
const THIRD_OF_A: (f64, f64) = (0.9617966939259756, 5.0577616648125907e-17);
const TWO_54: f64 = 18_014_398_509_481_984.0;

/// Values of the logarithms outside the positive normal numbers; subnormals are scaled up by 2^54.
fn exceptional_logarithm(x: f64, logarithm: impl Fn(BinaryMantissa) -> f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x == f64::INFINITY {
        x
    } else if x > 0.0 {
        let mut parts = BinaryMantissa::of(x * TWO_54);
        parts.k -= 54.0;
        logarithm(parts)
    } else {
        f64::NAN
    }
}

/// `log(1 + f)` as a sum of two for -0.293 <= f <= 0.415: `f - f^2/2`, and the rest. Also s.
#[inline(always)]
fn log1p_doubled(f: f64) -> (f64, f64, f64) {
    let s = f / (f + 2.0);
    let w = s * s;
    let half = 0.5 * f;
    let high = fma(-half, f, f);
    let dropped = f - high;
    let rounding = fma(-half, f, dropped);
    let low = fma(s, fma(w, evaluate_polynomial(w, &LOG), dropped), rounding);
    (high, low, s)
}

/// `high + low + k log(2)`: k is 0, or its term the larger.
#[inline(always)]
fn with_exponent(high: f64, low: f64, k: f64) -> f64 {
    let whole = k * LN_2_SHORT;
    let sum = whole + high;
    let rest = high - (sum - whole);
    sum + (rest + fma(k, LN_2_SHORT_LOW, low))
}

/// `log(1 + f) + k log(2)`
#[inline(always)]
pub(super) fn natural_logarithm(f: f64, k: f64) -> f64 {
    let (high, low, _) = log1p_doubled(f);
    with_exponent(high, low, k)
}

/// `log(1 + f + f_low) + k log(2)`, where `f_low` is below the last place of 1 + f, and of f where k = 0.
#[inline(always)]
pub(super) fn natural_corrected(f: f64, f_low: f64, k: f64) -> f64 {
    let (high, low, s) = log1p_doubled(f);
    // 1 / (1 + f) = (1 - s) / (1 + s).
    let slope = fma(s, fma(s, 2.0, -2.0), 1.0);
    with_exponent(high, fma(f_low, slope, low), k)
}

/// `base log(1 + f)` as a sum of two, for a base given as a sum of two.
#[inline(always)]
fn to_base(f: f64, base: (f64, f64)) -> (f64, f64) {
    let (high, low, _) = log1p_doubled(f);
    let product = high * base.0;
    let rest = fma(low, base.0, fma(high, base.1, fma(high, base.0, -product)));
    (product, rest)
}

/// `log2(m 2^k)` as a sum of two, relative error below 2^-65: `A s + s^3 (A/3 + s^2 Q(s^2))` with `A = 2 / log(2)`.
#[inline(always)]
pub(super) fn log2_doubled(parts: BinaryMantissa) -> (f64, f64) {
    let f = parts.m - 1.0;
    let d = f + 2.0;
    let d_low = f - (d - 2.0);
    let inverse = 1.0 / d;
    let s = f * inverse;
    let s_low = fma(-s, d_low, fma(-s, d, f)) * inverse;
    let w = s * s;
    let w_low = fma(s, s, -w);
    let q = evaluate_polynomial(w, &LOG2_DOUBLED);
    let factor = fma(w, q, THIRD_OF_A.0);
    let factor_low = fma(w, q, THIRD_OF_A.0 - factor) + fma(w_low, q, THIRD_OF_A.1);
    let cube = s * w;
    let cube_low = fma(s, w_low, fma(s, w, -cube));
    let cubic = cube * factor;
    let cubic_low = fma(
        cube_low,
        factor,
        fma(cube, factor_low, fma(cube, factor, -cubic)),
    );
    let linear = s * A.0;
    let linear_low = fma(s, A.1, fma(s, A.0, -linear));
    // The slope of log2 in s is A / (1 - s^2).
    let low = fma(fma(s_low, fma(w, w, w), s_low), A.0, linear_low) + cubic_low;
    let (high, high_low) = quick_two_sum(linear, cubic);
    let sum = high + parts.k;
    let rest = high - (sum - parts.k);
    (sum, rest + (high_low + low))
}

function! {
    /// Natural logarithm.
    Log, limit ordinal_key(f64::MAX, f64::MIN_POSITIVE), key(x) { ordinal_key(x, f64::MIN_POSITIVE) };
    fast(x) {
        let parts = BinaryMantissa::of(x);
        natural_logarithm(parts.m - 1.0, parts.k)
    }
    slow(x) { exceptional_logarithm(x, |parts| natural_logarithm(parts.m - 1.0, parts.k)) }
}

#[inline(always)]
fn binary_logarithm(parts: BinaryMantissa) -> f64 {
    let (high, low) = to_base(parts.m - 1.0, LOG2_E);
    let sum = high + parts.k;
    let rest = high - (sum - parts.k);
    sum + (rest + low)
}

function! {
    /// Logarithm to base 2.
    Log2, limit ordinal_key(f64::MAX, f64::MIN_POSITIVE), key(x) { ordinal_key(x, f64::MIN_POSITIVE) };
    fast(x) { binary_logarithm(BinaryMantissa::of(x)) }
    slow(x) { exceptional_logarithm(x, binary_logarithm) }
}

#[inline(always)]
fn decimal_logarithm(parts: BinaryMantissa) -> f64 {
    let (high, low) = to_base(parts.m - 1.0, LOG10_E);
    let whole = parts.k * LOG10_2_SHORT;
    let sum = whole + high;
    let rest = high - (sum - whole);
    sum + (rest + fma(parts.k, LOG10_2_SHORT_LOW, low))
}

function! {
    /// Logarithm to base 10.
    Log10, limit ordinal_key(f64::MAX, f64::MIN_POSITIVE), key(x) { ordinal_key(x, f64::MIN_POSITIVE) };
    fast(x) { decimal_logarithm(BinaryMantissa::of(x)) }
    slow(x) { exceptional_logarithm(x, decimal_logarithm) }
}

function! {
    /// `log(1 + x)`: the logarithm of the rounded sum, corrected by what the rounding left.
    Log1p, limit ordinal_key(1e300, f64::MIN_POSITIVE), key(x) { ordinal_key(1.0 + x, f64::MIN_POSITIVE) };
    fast(x) {
        let (sum, rest) = one_more(x);
        let parts = BinaryMantissa::of(sum);
        // Without scaling f is x itself.
        let near = parts.k == 0.0;
        let f = if near { x } else { parts.m - 1.0 };
        let low = if near { 0.0 } else { rest * parts.scale };
        natural_corrected(f, low, parts.k).copysign(x)
    }
    slow(x) {
        if (1e300..f64::INFINITY).contains(&x) {
            return Log::fast(x);
        }
        exceptional_logarithm(1.0 + x, |_| f64::NAN)
    }
}
