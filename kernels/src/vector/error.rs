//! The error function and its complement.
//!
//! Below 1 (1/2 for `erfc`) the odd series as a polynomial; beyond, `erfc(x) = e^(-x^2) G(t) / (x + 4)` with
//! `t = (x - 4) / (x + 4)` (the variable of Shepherd & Laframboise 1981) and `x^2` as a sum of two.

use super::arithmetic::{fma, polynomial, product, quick_two_sum, quotient, scale, two_product, two_sum};
use super::coefficients::{ERF, ERF_FIRST, ERF_TAIL, ERF_TAIL_FIRST, ERFC, ERFC_FIRST};
use super::exponential::exp_doubled;
use super::lanes::Map1;

/// `erfc(x)` for x > 0 inside the interval of the coefficients.
#[inline(always)]
fn tail<const N: usize>(x: f64, first: (f64, f64), coefficients: &[f64; N]) -> f64 {
    let (sum, rest) = two_sum(x, 4.0);
    let (inverse, inverse_low) = quotient((1.0, 0.0), (sum, rest));
    let t = fma(-8.0, inverse_low, fma(-8.0, inverse, 1.0));
    let (g, g_low) = quick_two_sum(first.0, t * polynomial(t, coefficients));
    let (square, square_low) = two_product(x, x);
    let (power, shifted) = exp_doubled(-square, -square_low);
    let g = product((g, g_low + first.1), (inverse, inverse_low));
    let (high, low) = product(g, power);
    scale(high + low, shifted)
}

/// Error function.
pub(super) struct Erf;

impl Map1 for Erf {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let magnitude = x.abs();
        let clamped = if magnitude > 6.0 { 6.0 } else { magnitude };
        let z = x * x;
        let near = fma(x, fma(z, polynomial(z, &ERF), ERF_FIRST.0), fma(x, ERF_FIRST.1, x));
        let far = (1.0 - tail(clamped, ERF_TAIL_FIRST, &ERF_TAIL)).copysign(x);
        if magnitude < 1.0 { near } else { far }
    }
}

/// Complement of the error function.
pub(super) struct Erfc;

impl Map1 for Erfc {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let magnitude = x.abs();
        let clamped = if magnitude > 27.4 { 27.4 } else { magnitude };
        let z = x * x;
        let series = fma(z, polynomial(z, &ERF), ERF_FIRST.0);
        let (sum, rest) = quick_two_sum(1.0, -x);
        let near = sum + fma(-x, series, fma(-x, ERF_FIRST.1, rest));
        let e = tail(clamped, ERFC_FIRST, &ERFC);
        let far = if x < 0.0 { 2.0 - e } else { e };
        if magnitude < 0.5 { near } else { far }
    }
}
