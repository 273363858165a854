//! Hyperbolic functions.
//!
//! `x = n ln 2 + r` as for the exponentials, and then, without a division,
//! `cosh(x) = a cosh(r) + b sinh(r)` and `sinh(x) = b cosh(r) + a sinh(r)` with `a = (2^n + 2^-n) / 2` and
//! `b = (2^n - 2^-n) / 2` (the addition theorems): even and odd part of one polynomial.

use super::arithmetic::{
    evaluate_polynomial, fma, magnitude_key, power_of_shifted, quick_two_sum, scale_exponent,
};
use super::coefficients::{COSH, EXP, SINH};
use super::exponential::{exp_unscaled, reduce_exponent};
use super::lanes::{UnaryMap, function};

/// The common parts of the three functions.
struct ExponentialParts {
    /// `2^n / 2`
    grown: f64,
    /// `2^-n / 2`
    shrunk: f64,
    r: f64,
    /// `sinh(r) - r`, with what the rounding of r left.
    odd: f64,
    /// `cosh(r) - 1`
    even: f64,
}

impl ExponentialParts {
    /// For 0 <= x <= 700.
    #[inline(always)]
    fn of(x: f64) -> Self {
        const HALF: u64 = 0.5_f64.to_bits();
        let (r, r_low, shifted) = reduce_exponent(x);
        let field = shifted.to_bits() << 52;
        let z = r * r;
        Self {
            grown: f64::from_bits(HALF.wrapping_add(field)),
            shrunk: f64::from_bits(HALF.wrapping_sub(field)),
            r,
            odd: fma(r * z, evaluate_polynomial(z, &SINH), r_low),
            even: z * evaluate_polynomial(z, &COSH),
        }
    }

    /// `cosh(x)` as a sum of two.
    #[inline(always)]
    fn cosh(&self) -> (f64, f64) {
        let (a, b) = (self.grown + self.shrunk, self.grown - self.shrunk);
        let varying = fma(b, self.r, fma(b, self.odd, a * self.even));
        (self.grown, self.shrunk + varying)
    }

    /// `sinh(x)` as a sum of two.
    #[inline(always)]
    fn sinh(&self) -> (f64, f64) {
        let (a, b) = (self.grown + self.shrunk, self.grown - self.shrunk);
        let b_low = (self.grown - b) - self.shrunk;
        let product = a * self.r;
        let product_low = fma(a, self.r, -product);
        let sum = b + product;
        let rest = product - (sum - b);
        let low = fma(b, self.even, product_low + (rest + b_low));
        (sum, fma(a, self.odd, low))
    }
}

function! {
    /// Hyperbolic sine.
    Sinh, limit magnitude_key(700.0);
    fast(x) {
        let (high, low) = ExponentialParts::of(x.abs()).sinh();
        (high + low).copysign(x)
    }
    slow(x) {
        if x.is_nan() {
            return f64::NAN;
        }
        large_half_exp(x).copysign(x)
    }
}

/// `e^|x| / 2` for |x| > 700, where both hyperbolic functions have this magnitude.
fn large_half_exp(x: f64) -> f64 {
    let x = x.abs();
    let (power, shifted) = exp_unscaled(if x > 720.0 { 720.0 } else { x });
    scale_exponent(power, shifted - 1.0)
}

function! {
    /// Hyperbolic cosine.
    Cosh, limit magnitude_key(700.0);
    fast(x) {
        let (high, low) = ExponentialParts::of(x.abs()).cosh();
        high + low
    }
    slow(x) {
        if x.is_nan() {
            return f64::NAN;
        }
        large_half_exp(x)
    }
}

function! {
    /// Hyperbolic tangent: `E / (E + 2)` with `E = e^(2|x|) - 1 = (2^n - 1) + 2^n r + 2^n (e^r - 1 - r)` as a sum of two.
    Tanh, limit magnitude_key(f64::INFINITY);
    fast(x) {
        let magnitude = x.abs();
        let clamped = if magnitude > 20.0 { 20.0 } else { magnitude };
        let (r, r_low, shifted) = reduce_exponent(clamped + clamped);
        let power = power_of_shifted(shifted);
        let tail = fma(r * r, evaluate_polynomial(r, &EXP), r_low);
        let (whole, whole_low) = quick_two_sum(power, -1.0);
        // The product is exact.
        let high = fma(power, r, whole);
        let rest = fma(power, r, whole - high);
        let (above, above_low) = quick_two_sum(high, fma(power, tail, rest + whole_low));
        let larger = if above > 2.0 { above } else { 2.0 };
        let smaller = if above > 2.0 { 2.0 } else { above };
        let (below, rest) = quick_two_sum(larger, smaller);
        let below_low = rest + above_low;
        let inverse = 1.0 / below;
        let q = above * inverse;
        let rest = fma(-q, below_low, fma(-q, below, above) + above_low);
        fma(rest, inverse, q).copysign(x)
    }
    slow(_x) { f64::NAN }
}
