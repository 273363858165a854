//! Inverse circular functions.

use std::f64::consts::{FRAC_PI_2, PI};

use super::arithmetic::{fma, polynomial, power_of_two, quick_two_sum, quotient, two_sum};
use super::coefficients::{ASIN, ATAN};
use super::lanes::{Map1, Map2};

const FRAC_PI_2_LOW: f64 = 6.123233995736766e-17;
const PI_LOW: f64 = 1.2246467991473532e-16;

/// `asin(v)` for `v = |x|`, or for `v = sqrt((1 - |x|) / 2)` where |x| > 1/2, as a sum of two.
#[inline(always)]
fn asin_parts(magnitude: f64) -> (f64, f64) {
    let halved = fma(magnitude, -0.5, 0.5);
    let small = magnitude <= 0.5;
    let z = if small { magnitude * magnitude } else { halved };
    let root = halved.sqrt();
    let inverse = if halved == 0.0 { 0.0 } else { 0.5 / root };
    let root_low = fma(-root, root, halved) * inverse;
    let v = if small { magnitude } else { root };
    let v_low = if small { 0.0 } else { root_low };
    (v, fma(v * z, polynomial(z, &ASIN), v_low))
}

/// Arc sine: `asin(v)`, or `pi/2 - 2 asin(v)`.
pub(super) struct Asin;

impl Map1 for Asin {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (v, low) = asin_parts(x.abs());
        let (sum, rest) = quick_two_sum(FRAC_PI_2, -2.0 * v);
        let large = sum + (rest + fma(-2.0, low, FRAC_PI_2_LOW));
        let value = if x.abs() <= 0.5 { v + low } else { large };
        value.copysign(x)
    }
}

/// Arc cosine: `pi/2 - asin(v)`, `2 asin(v)`, or `pi - 2 asin(v)`.
pub(super) struct Acos;

impl Map1 for Acos {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let (v, low) = asin_parts(x.abs());
        let small = x.abs() <= 0.5;
        let factor: f64 = if small { 1.0 } else { 2.0 };
        let signed = factor.copysign(x);
        let (v, low) = (v * signed, low * signed);
        let base = if small { FRAC_PI_2 } else { PI };
        let base_low = if small { FRAC_PI_2_LOW } else { PI_LOW };
        // Large positive: 2 asin(v) itself. Large negative: pi + (-2 asin(v)). Small: pi/2 - asin(x).
        let term = if small { -v } else { v };
        let term_low = if small { -low } else { low };
        let (sum, rest) = quick_two_sum(base, term);
        let shifted = sum + (rest + (term_low + base_low));
        let direct = (!small) & (x > 0.0);
        if direct { v + low } else { shifted }
    }
}

/// `atan(above / below)` between 0 and pi/2 as a sum of two, both arguments >= 0 and neither result nor products out of range.
///
/// With c the nearest of 0, 1/2, 1, 3/2 and infinity: `atan(c) + atan((above - c below) / (below + c above))`.
#[inline(always)]
fn atan_of_ratio(above: f64, below: f64) -> (f64, f64) {
    let ratio_above = |bound: f64| above > bound * below;
    let past_first = ratio_above(0.4375);
    let past_second = ratio_above(0.6875);
    let past_third = ratio_above(1.1875);
    let past_last = ratio_above(2.4375);
    let pick = |none: f64, first: f64, second: f64, third: f64, last: f64| {
        let value = if past_first { first } else { none };
        let value = if past_second { second } else { value };
        let value = if past_third { third } else { value };
        if past_last { last } else { value }
    };
    let c = pick(0.0, 0.5, 1.0, 1.5, 0.0);
    let base = pick(
        0.0,
        0.4636476090008061,
        std::f64::consts::FRAC_PI_4,
        0.982793723247329,
        FRAC_PI_2,
    );
    let base_low = pick(
        0.0,
        2.2698777452961687e-17,
        3.061616997868383e-17,
        1.3903311031230998e-17,
        FRAC_PI_2_LOW,
    );
    let first = if past_last { -below } else { above };
    let second = if past_last { above } else { below };
    let (sum, sum_low) = two_sum(second, c * first);
    let (t, t_low) = quotient((fma(-c, second, first), 0.0), (sum, sum_low));
    let z = t * t;
    let (high, rest) = quick_two_sum(base, t);
    (
        high,
        rest + (base_low + fma(z * t, polynomial(z, &ATAN), t_low)),
    )
}

/// Arc tangent.
pub(super) struct Atan;

impl Map1 for Atan {
    #[inline(always)]
    fn fast(x: f64) -> f64 {
        let magnitude = x.abs();
        let clamped = if magnitude > 1e18 { 1e18 } else { magnitude };
        let (high, low) = atan_of_ratio(clamped, 1.0);
        (high + low).copysign(x)
    }
}

/// Angle of a point.
pub(super) struct Atan2;

/// The angle for `y` and `x` whose ratio and products are in range, x > 0 or x < 0.
#[inline(always)]
fn angle(y: f64, x: f64) -> f64 {
    let (high, low) = atan_of_ratio(y.abs(), x.abs());
    let (sum, rest) = quick_two_sum(PI, -high);
    let left = sum + (rest + (PI_LOW - low));
    let value = if x < 0.0 { left } else { high + low };
    value.copysign(y)
}

const LEAST: f64 = 1e-140;
const MOST: f64 = 1e140;

impl Map2 for Atan2 {
    #[inline(always)]
    fn fast(y: f64, x: f64) -> f64 {
        angle(y, x)
    }

    #[inline(always)]
    fn rare(y: f64, x: f64) -> bool {
        let (y, x) = (y.abs(), x.abs());
        !((y > LEAST) & (y < MOST) & (x > LEAST) & (x < MOST))
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
    let difference = exponent(above) - exponent(below);
    if difference > 80 {
        return FRAC_PI_2.copysign(y);
    }
    if difference < -80 {
        return if left { PI } else { above / below }.copysign(y);
    }
    let scaled = |value: f64| {
        let n = -exponent(below);
        value * power_of_two(n / 2) * power_of_two(n - n / 2)
    };
    angle(scaled(above).copysign(y), scaled(below).copysign(x))
}

/// The binary exponent of a positive finite number.
fn exponent(value: f64) -> i64 {
    let field = |value: f64| (value.to_bits() >> 52) as i64 - 1023;
    if value < f64::MIN_POSITIVE {
        field(value * power_of_two(54)) - 54
    } else {
        field(value)
    }
}
