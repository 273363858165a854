//! The error function and its complement.
//!
//! Below 1 (3/4 for `erfc`) the odd series as a polynomial; beyond, `erfc(x) = e^(-x^2) G(t) / (x + 4)` with
//! `t = (x - 4) / (x + 4)` (the variable of Shepherd & Laframboise 1981) and `x^2` as a sum of two.

use super::arithmetic::{
    doubled_product, doubled_quotient, evaluate_polynomial, fma, quick_two_sum, scale_exponent,
    scale_within, two_product, two_sum,
};
use super::coefficients::{ERF, ERF_FIRST, ERF_TAIL, ERFC, ERFC_FIRST, ERFC_SECOND};
use super::exponential::exp_doubled;
use super::lanes::UnaryMap;

/// `erfc(x)` for 1 <= x <= 6 with a few roundings: what `1 - erfc(x)` needs.
#[inline(always)]
fn short_tail(x: f64) -> f64 {
    let (sum, rest) = quick_two_sum(4.0, x);
    let (inverse, inverse_low) = doubled_quotient((1.0, 0.0), (sum, rest));
    let g = evaluate_polynomial(fma(-8.0, inverse_low, fma(-8.0, inverse, 1.0)), &ERF_TAIL);
    let (square, square_low) = two_product(x, x);
    let ((high, low), shifted) = exp_doubled(-square, -square_low);
    scale_within((high + low) * (g * inverse), shifted)
}

/// `erfc(x)` for 3/4 <= x <= 27.5, the factors and the first two terms of the polynomial as sums of two.
#[inline(always)]
fn erfc_tail(x: f64) -> f64 {
    let (sum, rest) = two_sum(x, 4.0);
    let (inverse, inverse_low) = doubled_quotient((1.0, 0.0), (sum, rest));
    let (t, t_rest) = quick_two_sum(1.0, -8.0 * inverse);
    let (t, t_low) = quick_two_sum(t, fma(-8.0, inverse_low, t_rest));
    let (slope, slope_low) = quick_two_sum(ERFC_SECOND.0, t * evaluate_polynomial(t, &ERFC));
    let (term, term_low) = doubled_product((t, t_low), (slope, slope_low + ERFC_SECOND.1));
    let (g, g_low) = quick_two_sum(ERFC_FIRST.0, term);
    let g_low = g_low + (term_low + ERFC_FIRST.1);
    let (square, square_low) = two_product(x, x);
    let (power, shifted) = exp_doubled(-square, -square_low);
    let (high, low) = doubled_product(doubled_product((g, g_low), (inverse, inverse_low)), power);
    scale_exponent(high + low, shifted)
}

/// Error function.
pub(super) struct Erf;

impl UnaryMap for Erf {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let magnitude = x.abs();
        let clamped = if magnitude > 6.0 { 6.0 } else { magnitude };
        let z = x * x;
        let series = fma(z, evaluate_polynomial(z, &ERF), ERF_FIRST.0);
        let near = fma(magnitude, series, fma(magnitude, ERF_FIRST.1, magnitude));
        let far = 1.0 - short_tail(clamped);
        let value = if magnitude >= 1.0 { far } else { near };
        value.copysign(x)
    }
}

/// Complement of the error function.
pub(super) struct Erfc;

impl UnaryMap for Erfc {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let magnitude = x.abs();
        let clamped = if magnitude > 27.4 { 27.4 } else { magnitude };
        let z = x * x;
        let series = fma(z, evaluate_polynomial(z, &ERF), ERF_FIRST.0);
        let (sum, rest) = quick_two_sum(1.0, -x);
        let near = sum + fma(-x, series, fma(-x, ERF_FIRST.1, rest));
        let e = erfc_tail(clamped);
        let far = if x < 0.0 { 2.0 - e } else { e };
        if magnitude < 0.75 { near } else { far }
    }
}
