//! Inverse circular functions.
//!
//! Arguments above 1/2 are carried below it, by `asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))` and
//! `atan(t) = pi/4 + atan((t - 1) / (t + 1))`; what a rounded root or quotient left is carried along. Then a polynomial in the
//! square of the argument. The constants that are multiples of pi/4 come in two parts.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::arithmetic::{
    evaluate_polynomial, fma, magnitude_key, ordinal_key, power_of_two, rough_half_reciprocal,
};
use super::coefficients::{ASIN, ATAN};
use super::lanes::{BinaryMap, UnaryMap, function};

const FRAC_PI_4_LOW: f64 = 3.061616997868383e-17;
/// The second part of a multiple of pi/2, in units of the first one.
const SECOND_PART: f64 = 3.8981718325193755e-17;

/// `base + c asin(t)` from `v = c t`, `v_low` and `z = t^2 <= 1/4`; base is 0 or a multiple of pi/2 above |v|.
#[inline(always)]
fn arc_sine(base: f64, v: f64, v_low: f64, z: f64) -> f64 {
    let low = fma(v * z, evaluate_polynomial(z, &ASIN), v_low);
    let sum = base + v;
    let rest = v - (sum - base);
    sum + (rest + fma(base, SECOND_PART, low))
}

/// The root of `halved` and what its rounding left: see `inverse_hyperbolic`.
#[inline(always)]
fn root_of(halved: f64) -> (f64, f64) {
    let root = halved.sqrt();
    let low = fma(-root, root, halved) * rough_half_reciprocal(root);
    (root, low)
}

function! {
    /// Arc sine.
    Asin, limit magnitude_key(1.0);
    fast(x) {
        let magnitude = x.abs();
        let small = magnitude <= 0.5;
        let halved = fma(magnitude, -0.5, 0.5);
        let (root, root_low) = root_of(halved);
        let z = if small { x * x } else { halved };
        let v = if small { magnitude } else { -2.0 * root };
        let v_low = if small { 0.0 } else { -2.0 * root_low };
        let base = if small { 0.0 } else { FRAC_PI_2 };
        arc_sine(base, v, v_low, z).copysign(x)
    }
    slow(_x) { f64::NAN }
}

function! {
    /// Arc cosine: `pi/2 - asin(x)`, and from the root `2 asin(t)` or `pi - 2 asin(t)`.
    Acos, limit magnitude_key(1.0);
    fast(x) {
        let magnitude = x.abs();
        let small = magnitude <= 0.5;
        let halved = fma(magnitude, -0.5, 0.5);
        let (root, root_low) = root_of(halved);
        let z = if small { x * x } else { halved };
        let factor = 2.0_f64.copysign(x);
        let v = if small { -x } else { root * factor };
        let v_low = if small { 0.0 } else { root_low * factor };
        let large = if x < 0.0 { PI } else { 0.0 };
        let base = if small { FRAC_PI_2 } else { large };
        arc_sine(base, v, v_low, z)
    }
    slow(_x) { f64::NAN }
}

/// `atan(above / below)` for both >= 0, or pi minus it where `left`; quotients and products must not leave the normal numbers.
///
/// With t the smaller by the larger: `j pi/4 + atan(t)`, or `j pi/4 + atan((t - 1) / (t + 1))` for t > 1/2, or with minus.
#[inline(always)]
fn angle_in_half_plane(above: f64, below: f64, left: bool) -> f64 {
    let steep = above > below;
    let larger = if steep { above } else { below };
    let smaller = if steep { below } else { above };
    let far = 2.0 * smaller > larger;
    let sum = smaller + larger;
    let difference = smaller - larger;
    let numerator = if far { difference } else { smaller };
    let numerator = if steep { -numerator } else { numerator };
    let numerator = if left { -numerator } else { numerator };
    let denominator = if far { sum } else { larger };
    let sum_low = smaller - (sum - larger);
    let denominator_low = if far { sum_low } else { 0.0 };
    let j = if far { 1.0 } else { 0.0 };
    let j = if steep { 2.0 - j } else { j };
    let j = if left { 4.0 - j } else { j };
    let inverse = 1.0 / denominator;
    let s = numerator * inverse;
    let rest = fma(-s, denominator_low, fma(-s, denominator, numerator));
    let z = s * s;
    let low = fma(s * z, evaluate_polynomial(z, &ATAN), rest * inverse);
    let base = j * FRAC_PI_4;
    let base_low = fma(j, FRAC_PI_4, -base);
    let total = base + s;
    let rest = s - (total - base);
    total + (rest + (base_low + fma(j, FRAC_PI_4_LOW, low)))
}

function! {
    /// Arc tangent.
    Atan, limit magnitude_key(1e300);
    fast(x) { angle_in_half_plane(x.abs(), 1.0, false).copysign(x) }
    slow(x) {
        if x.is_nan() {
            f64::NAN
        } else {
            FRAC_PI_2.copysign(x)
        }
    }
}

/// Angle of a point.
pub(super) struct Atan2;

/// The angle for `y` and `x` whose ratio and products are in range.
#[inline(always)]
fn ordinary_angle(y: f64, x: f64) -> f64 {
    angle_in_half_plane(y.abs(), x.abs(), x < 0.0).copysign(y)
}

const LEAST: f64 = 1e-140;
const MOST: f64 = 1e140;

impl BinaryMap for Atan2 {
    const KEEPS_NAN: bool = true;
    const LIMIT: i64 = ordinal_key(MOST, LEAST);

    #[inline(always)]
    fn fast(y: f64, x: f64) -> f64 {
        ordinary_angle(y, x)
    }

    #[inline(always)]
    fn key(y: f64, x: f64) -> i64 {
        ordinal_key(y.abs(), LEAST).max(ordinal_key(x.abs(), LEAST))
    }

    #[cold]
    #[inline(never)]
    fn slow(y: f64, x: f64) -> f64 {
        angle_of_any(y, x)
    }
}

/// Every case of C99 Annex F.9.1.4.
fn angle_of_any(y: f64, x: f64) -> f64 {
    if y.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    let (above, below) = (y.abs(), x.abs());
    let left = x.is_sign_negative();
    let (above, below) = match (above == f64::INFINITY, below == f64::INFINITY) {
        (true, true) => (1.0, 1.0),
        (true, false) => (1.0, 0.0),
        (false, true) => (0.0, 1.0),
        (false, false) => (above, below),
    };
    if above == 0.0 {
        return if left { PI } else { 0.0 }.copysign(y);
    }
    if below == 0.0 {
        return FRAC_PI_2.copysign(y);
    }
    // Ratios beyond 2^80 differ from pi/2, or from 0 or pi, by less than can be seen; the others are scaled near 1.
    let difference = binary_exponent(above) - binary_exponent(below);
    if difference > 80 {
        return FRAC_PI_2.copysign(y);
    }
    if difference < -80 {
        return if left { PI } else { above / below }.copysign(y);
    }
    let scaled = |value: f64| {
        let n = -binary_exponent(below);
        value * power_of_two(n / 2) * power_of_two(n - n / 2)
    };
    ordinary_angle(scaled(above).copysign(y), scaled(below).copysign(x))
}

/// The binary exponent of a positive finite number.
fn binary_exponent(value: f64) -> i64 {
    let field = |value: f64| (value.to_bits() >> 52) as i64 - 1023;
    if value < f64::MIN_POSITIVE {
        field(value * power_of_two(54)) - 54
    } else {
        field(value)
    }
}
