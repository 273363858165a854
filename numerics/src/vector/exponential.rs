//! Exponentials.
//!
//! `x = n ln 2 + r` with |r| <= ln 2 / 2 (Cody & Waite 1980: the first product is exact), a polynomial for `e^r`, and the
//! scaling by `2^n` in two exact steps, so that only results below the normal range are rounded a second time.

use std::f64::consts::LN_2;

use super::arithmetic::{
    ROUNDER, evaluate_polynomial, fma, magnitude_key, power_of_shifted, quick_two_sum,
    scale_exponent, scale_within, two_sum,
};
use super::coefficients::{EXP, EXP2};
use super::lanes::UnaryMap;

const INVERSE_LN_2: f64 = std::f64::consts::LOG2_E;
const LN_2_LOW: f64 = 2.3190468138462996e-17;

/// `e^x`: half an ulp for the last sum, a quarter each at worst for r and for the sum before it.
pub(super) struct Exp;

impl UnaryMap for Exp {
    const KEEPS_NAN: bool = true;
    const LIMIT: i64 = magnitude_key(708.0);

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (power, shifted) = exp_unscaled(x);
        scale_within(power, shifted)
    }

    #[inline(always)]
    fn slow(x: f64) -> f64 {
        let clamped = if x > 710.0 { 710.0 } else { x };
        let clamped = if clamped < -746.0 { -746.0 } else { clamped };
        let (power, shifted) = exp_unscaled(clamped);
        let value = scale_exponent(power, shifted);
        if x.is_nan() { f64::NAN } else { value }
    }
}

/// r as a sum of two, and the shifted n of `x = n ln 2 + r`, |x| < 1000.
#[inline(always)]
pub(super) fn reduce_exponent(x: f64) -> (f64, f64, f64) {
    let shifted = fma(x, INVERSE_LN_2, ROUNDER);
    let n = shifted - ROUNDER;
    let exact = fma(-n, LN_2, x);
    let r = fma(-n, LN_2_LOW, exact);
    (r, fma(-n, LN_2_LOW, exact - r), shifted)
}

/// `e^r` and the shifted n of `x = n ln 2 + r`, |x| < 1000.
#[inline(always)]
pub(super) fn exp_unscaled(x: f64) -> (f64, f64) {
    let shifted = fma(x, INVERSE_LN_2, ROUNDER);
    let n = shifted - ROUNDER;
    let r = fma(-n, LN_2_LOW, fma(-n, LN_2, x));
    (1.0 + fma(r * r, evaluate_polynomial(r, &EXP), r), shifted)
}

/// `e^(x + low)` for |x| < 1000 and |low| < 2^-30 as a sum of two before the scaling by `2^n`, and the shifted n.
#[inline(always)]
pub(super) fn exp_doubled(x: f64, low: f64) -> ((f64, f64), f64) {
    let shifted = fma(x, INVERSE_LN_2, ROUNDER);
    let n = shifted - ROUNDER;
    let exact = fma(-n, LN_2, x);
    let rest = fma(-n, LN_2_LOW, low);
    let (r, r_low) = two_sum(exact, rest);
    let (high, high_low) = quick_two_sum(1.0, r);
    let tail = fma(r * r, evaluate_polynomial(r, &EXP), high_low + r_low);
    ((high, tail), shifted)
}

/// `2^x`.
pub(super) struct Exp2;

impl UnaryMap for Exp2 {
    const KEEPS_NAN: bool = true;
    const LIMIT: i64 = magnitude_key(1021.0);

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (power, shifted) = exp2_unscaled(x, 0.0);
        scale_within(power, shifted)
    }

    #[inline(always)]
    fn slow(x: f64) -> f64 {
        let clamped = if x > 1025.0 { 1025.0 } else { x };
        let clamped = if clamped < -1077.0 { -1077.0 } else { clamped };
        let (power, shifted) = exp2_unscaled(clamped, 0.0);
        let value = scale_exponent(power, shifted);
        if x.is_nan() { f64::NAN } else { value }
    }
}

/// `2^(f + low)` and the shifted n of `x = n + f`, |x| < 1500 and |low| < 2^-30.
#[inline(always)]
pub(super) fn exp2_unscaled(x: f64, low: f64) -> (f64, f64) {
    let shifted = x + ROUNDER;
    let exact = x - (shifted - ROUNDER);
    let f = exact + low;
    let f_low = (exact - f) + low;
    let tail = fma(
        f * f,
        evaluate_polynomial(f, &EXP2),
        fma(f_low, LN_2, f * LN_2_LOW),
    );
    (1.0 + fma(f, LN_2, tail), shifted)
}

/// `e^x - 1` for -708 < x < 700: `(2^n - 1) + 2^n r + 2^n (e^r - 1 - r)`.
#[inline(always)]
fn expm1_within(x: f64) -> f64 {
    let (r, r_low, shifted) = reduce_exponent(x);
    let power = power_of_shifted(shifted);
    let tail = fma(r * r, evaluate_polynomial(r, &EXP), r_low);
    // The product with a power of two is exact.
    let whole = power - 1.0;
    let high = fma(power, r, whole);
    let low = fma(power, r, whole - high);
    high + fma(power, tail, low)
}

/// `e^x - 1`.
pub(super) struct Expm1;

impl UnaryMap for Expm1 {
    const LIMIT: i64 = magnitude_key(700.0);

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let clamped = if x < -40.0 { -40.0 } else { x };
        expm1_within(clamped).copysign(x)
    }

    /// Negative numbers have negative bits.
    #[inline(always)]
    fn key(x: f64) -> i64 {
        x.to_bits() as i64
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        Exp::slow(x)
    }
}
