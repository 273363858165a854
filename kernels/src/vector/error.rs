//! The error function and its complement.
//!
//! Below 1 (1/2 for `erfc`) the odd series as a polynomial; beyond, `erfc(x) = e^(-x^2) G(t) / (x + 4)` with
//! `t = (x - 4) / (x + 4)` (the variable of Shepherd & Laframboise 1981) and `x^2` as a sum of two.

use super::arithmetic::{fma, polynomial, quick_two_sum, two_product, two_sum};
use super::coefficients::{ERF, ERF_TAIL, ERFC};
use super::exponential::exp_doubled;
use super::lanes::Map1;

/// `erfc(x)` for x > 0 inside the interval of the coefficients.
#[inline(always)]
fn tail<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let (sum, rest) = two_sum(x, 4.0);
    let inverse = 1.0 / sum;
    let inverse_low = inverse * fma(-inverse, rest, fma(-inverse, sum, 1.0));
    let t = fma(-8.0, inverse_low, fma(-8.0, inverse, 1.0));
    let g = polynomial(t, coefficients);
    let (square, square_low) = two_product(x, x);
    let low = inverse_low / inverse;
    exp_doubled(-square, low - square_low, 0.0) * (g * inverse)
}

/// Error function.
pub(super) struct Erf;

impl Map1 for Erf {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let magnitude = x.abs();
        let clamped = if magnitude > 6.0 { 6.0 } else { magnitude };
        let near = fma(x, polynomial(x * x, &ERF), x);
        let far = (1.0 - tail(clamped, &ERF_TAIL)).copysign(x);
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
        let (sum, rest) = quick_two_sum(1.0, -x);
        let near = sum + fma(-x, polynomial(x * x, &ERF), rest);
        let e = tail(clamped, &ERFC);
        let far = if x < 0.0 { 2.0 - e } else { e };
        if magnitude < 0.5 { near } else { far }
    }
}
