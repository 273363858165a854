//! Sine, cosine and tangent of radians.
//!
//! `x = n pi/2 + r`, |r| <= pi/4, with pi/2 as a sum of three doubles: exact enough for any |x| <= 2^32 (the first product is
//! exact, the rest leaves an error below 2^-120, and no double of this size comes nearer than 2^-62 to a multiple of pi/2).
//! Larger arguments take the multiplication by the needed bits of 2/pi (Payne & Hanek 1983).

use std::f64::consts::FRAC_PI_2;

use super::arithmetic::{
    ROUNDER, doubled_quotient, evaluate_polynomial, fma, magnitude_key, quick_two_sum, two_product,
};
use super::coefficients::{COS, SIN};
use super::lanes::UnaryMap;
use super::reduction::reduce_large;

const FRAC_PI_2_LOW: f64 = 6.123233995736766e-17;
const FRAC_PI_2_LOWER: f64 = -1.4973849048591698e-33;

/// Up to here the three-part reduction holds.
const FAST_MOST: f64 = 4_294_967_296.0;

/// `x - n pi/2` as a sum of two, and n modulo 4 in the low bits.
#[inline(always)]
fn reduce_angle(x: f64) -> ((f64, f64), u64) {
    let shifted = fma(x, std::f64::consts::FRAC_2_PI, ROUNDER);
    let n = shifted - ROUNDER;
    let exact = fma(-n, FRAC_PI_2, x);
    let (second, second_low) = two_product(n, FRAC_PI_2_LOW);
    // Exact although |exact| may be the smaller: it is a multiple of 2^-53, and so of the last place of `second`.
    let (high, rest) = quick_two_sum(exact, -second);
    let low = fma(-n, FRAC_PI_2_LOWER, rest - second_low);
    ((high, low), shifted.to_bits())
}

/// Sine of a reduced argument as a sum of two, 0.6 ulp once added.
#[inline(always)]
fn reduced_sine((r, low): (f64, f64), z: f64) -> (f64, f64) {
    (
        r,
        fma(z * r, evaluate_polynomial(z, &SIN), low * fma(z, -0.5, 1.0)),
    )
}

/// Cosine of a reduced argument as a sum of two, 0.8 ulp once added.
#[inline(always)]
fn reduced_cosine((r, low): (f64, f64), z: f64) -> (f64, f64) {
    let half = 0.5 * z;
    let high = 1.0 - half;
    let rest = (1.0 - high) - half;
    (
        high,
        rest + fma(z * z, evaluate_polynomial(z, &COS), -(r * low)),
    )
}

/// `sin(r + quadrant pi/2)`.
#[inline(always)]
fn sine_of_quadrant(r: (f64, f64), quadrant: u64) -> f64 {
    let z = r.0 * r.0;
    select_quadrant(reduced_sine(r, z), reduced_cosine(r, z), quadrant)
}

/// `sin(r + quadrant pi/2)` from the sine and the cosine of r.
#[inline(always)]
fn select_quadrant((s, s_low): (f64, f64), (c, c_low): (f64, f64), quadrant: u64) -> f64 {
    let swap = quadrant & 1 != 0;
    let high = if swap { c } else { s };
    let low = if swap { c_low } else { s_low };
    let sign = (quadrant & 2) << 62;
    f64::from_bits((high + low).to_bits() ^ sign)
}

/// `tan(r + quadrant pi/2)`: the quotient of sine and cosine, each as a sum of two.
#[inline(always)]
fn reduced_tangent(r: (f64, f64), quadrant: u64) -> f64 {
    let z = r.0 * r.0;
    let (s, s_low) = reduced_sine(r, z);
    let (c, c_low) = reduced_cosine(r, z);
    let (s, s_low) = quick_two_sum(s, s_low);
    let (c, c_low) = quick_two_sum(c, c_low);
    let swap = quadrant & 1 != 0;
    let above = if swap { -c } else { s };
    let above_low = if swap { -c_low } else { s_low };
    let below = if swap { s } else { c };
    let below_low = if swap { s_low } else { c_low };
    let (q, q_low) = doubled_quotient((above, above_low), (below, below_low));
    q + q_low
}

/// A circular function by the reduced argument and its quadrant.
pub(super) trait QuadrantFunction {
    /// Whether a zero keeps its sign.
    const ODD: bool;

    /// The value at `r + quadrant pi/2`.
    fn value(r: (f64, f64), quadrant: u64) -> f64;
}

/// Over all doubles: reduced quickly where that is exact enough, else with all the digits of pi it takes.
impl<Q: QuadrantFunction> UnaryMap for Q {
    const KEEPS_NAN: bool = true;
    const LIMIT: i64 = magnitude_key(FAST_MOST);

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (r, quadrant) = reduce_angle(x);
        let value = Q::value(r, quadrant);
        if Q::ODD && x == 0.0 { x } else { value }
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
        if !x.is_finite() {
            return f64::NAN;
        }
        let (r, quadrant) = reduce_large(x);
        Q::value(r, quadrant)
    }
}

macro_rules! quadrants {
    ($($(#[$doc:meta])* $name:ident, odd $odd:literal = $value:expr;)+) => {$(
        $(#[$doc])*
        pub(super) struct $name;

        impl QuadrantFunction for $name {
            const ODD: bool = $odd;

            #[inline(always)]
            fn value(r: (f64, f64), quadrant: u64) -> f64 {
                let value: fn((f64, f64), u64) -> f64 = $value;
                value(r, quadrant)
            }
        }
    )+};
}

quadrants! {
    /// Sine.
    Sin, odd true = sine_of_quadrant;
    /// Cosine.
    Cos, odd false = |r, quadrant| sine_of_quadrant(r, quadrant.wrapping_add(1));
    /// Tangent.
    Tan, odd true = reduced_tangent;
}

/// Sine and cosine where the quick reduction holds.
#[inline(always)]
fn quick_sin_cos(x: f64) -> (f64, f64) {
    let (r, quadrant) = reduce_angle(x);
    let z = r.0 * r.0;
    let (s, c) = (reduced_sine(r, z), reduced_cosine(r, z));
    let sine = select_quadrant(s, c, quadrant);
    let cosine = select_quadrant(s, c, quadrant.wrapping_add(1));
    (if x == 0.0 { x } else { sine }, cosine)
}

/// The same bits as [`Sin`] and [`Cos`], for little more than one of them.
#[inline(always)]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    if Sin::key(x) > Sin::LIMIT {
        (Sin::slow(x), Cos::slow(x))
    } else {
        quick_sin_cos(x)
    }
}

/// [`sin_cos`] of every lane.
#[inline(always)]
pub(super) fn sin_cos_block(x: &[f64], sines: &mut [f64], cosines: &mut [f64]) {
    let mut worst = i64::MIN;
    for ((sine, cosine), &x) in sines.iter_mut().zip(&mut *cosines).zip(x) {
        (*sine, *cosine) = quick_sin_cos(x);
        worst = worst.max(Sin::key(x));
    }
    if worst > Sin::LIMIT {
        for ((sine, cosine), &x) in sines.iter_mut().zip(cosines).zip(x) {
            (*sine, *cosine) = sin_cos(x);
        }
    }
}
