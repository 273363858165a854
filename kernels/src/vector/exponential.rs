//! Exponentials and hyperbolic functions.
//!
//! `x = n ln 2 + r` with |r| <= ln 2 / 2 (Cody & Waite 1980: the first product is exact), a polynomial for `e^r`, and the
//! scaling by `2^n` in two exact steps, so that only results below the normal range are rounded a second time.

use std::f64::consts::LN_2;

use super::arithmetic::{
    ROUNDER, exceeds, fma, polynomial, power_of_shifted, quick_two_sum, quotient, scale,
    scale_within, two_sum,
};
use super::coefficients::{EXP, EXP2};
use super::lanes::Map1;

const INVERSE_LN_2: f64 = std::f64::consts::LOG2_E;
const LN_2_LOW: f64 = 2.3190468138462996e-17;

/// `e^x`: half an ulp for the last sum, a quarter each at worst for r and for the sum before it.
pub(super) struct Exp;

impl Map1 for Exp {
    const KEEPS_NAN: bool = true;

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (power, shifted) = exp_unscaled(x);
        scale_within(power, shifted)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        exceeds(x.abs(), 708.0)
    }

    #[inline(always)]
    fn slow(x: f64) -> f64 {
        let clamped = if x > 710.0 { 710.0 } else { x };
        let clamped = if clamped < -746.0 { -746.0 } else { clamped };
        let (power, shifted) = exp_unscaled(clamped);
        let value = scale(power, shifted);
        if x.is_nan() { f64::NAN } else { value }
    }
}

/// `e^r` and the shifted n of `x = n ln 2 + r`, |x| < 1000.
#[inline(always)]
fn exp_unscaled(x: f64) -> (f64, f64) {
    let shifted = fma(x, INVERSE_LN_2, ROUNDER);
    let n = shifted - ROUNDER;
    let r = fma(-n, LN_2_LOW, fma(-n, LN_2, x));
    (1.0 + fma(r * r, polynomial(r, &EXP), r), shifted)
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
    let tail = fma(r * r, polynomial(r, &EXP), high_low + r_low);
    ((high, tail), shifted)
}

/// `2^x`.
pub(super) struct Exp2;

impl Map1 for Exp2 {
    const KEEPS_NAN: bool = true;

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (power, shifted) = exp2_unscaled(x, 0.0);
        scale_within(power, shifted)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        exceeds(x.abs(), 1021.0)
    }

    #[inline(always)]
    fn slow(x: f64) -> f64 {
        let clamped = if x > 1025.0 { 1025.0 } else { x };
        let clamped = if clamped < -1077.0 { -1077.0 } else { clamped };
        let (power, shifted) = exp2_unscaled(clamped, 0.0);
        let value = scale(power, shifted);
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
    let tail = fma(f * f, polynomial(f, &EXP2), fma(f_low, LN_2, f * LN_2_LOW));
    (1.0 + fma(f, LN_2, tail), shifted)
}

/// `e^x - 1` as a sum of two, for -708 < x < 700: `(2^n - 1) + 2^n r + 2^n (e^r - 1 - r)`.
#[inline(always)]
fn expm1_doubled(x: f64) -> (f64, f64) {
    let shifted = fma(x, INVERSE_LN_2, ROUNDER);
    let n = shifted - ROUNDER;
    let exact = fma(-n, LN_2, x);
    let r = fma(-n, LN_2_LOW, exact);
    let r_low = fma(-n, LN_2_LOW, exact - r);
    let power = power_of_shifted(shifted);
    let tail = fma(r * r, polynomial(r, &EXP), r_low);
    let (high, low) = quick_two_sum(power - 1.0, power * r);
    quick_two_sum(high, fma(power, tail, low))
}

/// `e^x - 1`.
pub(super) struct Expm1;

impl Map1 for Expm1 {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let clamped = if x < -40.0 { -40.0 } else { x };
        let (high, _) = expm1_doubled(clamped);
        high.copysign(x)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        x > 700.0
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        Exp::slow(x)
    }
}

/// `sinh(x) = (E + E / (E + 1)) / 2` with `E = e^|x| - 1` as a sum of two.
pub(super) struct Sinh;

impl Map1 for Sinh {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (high, low) = expm1_doubled(x.abs());
        let (one_more, rest) = two_sum(high, 1.0);
        let (q, q_low) = quotient((high, low), (one_more, rest + low));
        let (sum, sum_low) = quick_two_sum(high, q);
        (0.5 * (sum + (sum_low + (low + q_low)))).copysign(x)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        (x.abs() > 700.0) | (x.abs() < 1e-9)
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        if x.abs() < 1e-9 {
            return x;
        }
        large_half_exp(x).copysign(x)
    }
}

/// `e^|x| / 2` for |x| > 700, where both hyperbolic functions have this magnitude.
fn large_half_exp(x: f64) -> f64 {
    let x = x.abs();
    let (power, shifted) = exp_unscaled(if x > 720.0 { 720.0 } else { x });
    scale(power, shifted - 1.0)
}

/// `cosh(x) = (e^|x| + 1 / e^|x|) / 2`.
pub(super) struct Cosh;

impl Map1 for Cosh {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (high, low) = expm1_doubled(x.abs());
        let (power, rest) = two_sum(high, 1.0);
        let power_low = rest + low;
        let (q, q_low) = quotient((1.0, 0.0), (power, power_low));
        let (sum, sum_low) = quick_two_sum(power, q);
        0.5 * (sum + (sum_low + (power_low + q_low)))
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        x.abs() > 700.0
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        large_half_exp(x)
    }
}

/// `tanh(x) = E / (E + 2)` with `E = e^(2|x|) - 1` as a sum of two.
pub(super) struct Tanh;

impl Map1 for Tanh {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let magnitude = x.abs();
        let clamped = if magnitude > 20.0 { 20.0 } else { magnitude };
        let (high, low) = expm1_doubled(2.0 * clamped);
        let (two_more, rest) = two_sum(high, 2.0);
        let (q, q_low) = quotient((high, low), (two_more, rest + low));
        (q + q_low).copysign(x)
    }
}
