//! Operations that are exact or rounded once: no approximation.

use super::arithmetic::{fma, magnitude_key};
use super::lanes::{BinaryMap, TernaryMap, UnaryMap};

macro_rules! map1 {
    ($($name:ident $(keeps $keeps:literal)? = $value:expr;)+) => {$(
        pub(super) struct $name;
        impl UnaryMap for $name {
            $(const KEEPS_NAN: bool = $keeps;)?
            #[inline(always)]
            fn fast(x: f64) -> f64 {
                let value: fn(f64) -> f64 = $value;
                value(x)
            }
        }
    )+};
}

map1! {
    Neg keeps true = |x| -x;
    Square = |x| x * x;
    Abs keeps true = |x| x.abs();
    Sqrt = |x| x.sqrt();
    Reciprocal = |x| 1.0 / x;
    Floor = |x| x.floor();
    Ceil = |x| x.ceil();
    Round = |x| x.round_ties_even();
    Trunc = |x| x.trunc();
    Sign keeps true = |x| {
        let unit = 1.0_f64.copysign(x);
        if x.abs() > 0.0 { unit } else { x }
    };
    Degrees = |x| x * (180.0 / std::f64::consts::PI);
    Radians = |x| x * (std::f64::consts::PI / 180.0);
}

macro_rules! map2 {
    ($($name:ident $(keeps $keeps:literal)? = $value:expr;)+) => {$(
        pub(super) struct $name;
        impl BinaryMap for $name {
            $(const KEEPS_NAN: bool = $keeps;)?
            #[inline(always)]
            fn fast(a: f64, b: f64) -> f64 {
                let value: fn(f64, f64) -> f64 = $value;
                value(a, b)
            }
        }
    )+};
}

#[inline(always)]
fn truth_value(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

map2! {
    Add = |a, b| a + b;
    Sub = |a, b| a - b;
    Mul = |a, b| a * b;
    Div = |a, b| a / b;
    Min keeps true = |a, b| if a.is_nan() | (a < b) { a } else { b };
    Max keeps true = |a, b| if a.is_nan() | (a > b) { a } else { b };
    Less keeps true = |a, b| truth_value(a < b);
    LessEqual keeps true = |a, b| truth_value(a <= b);
    Greater keeps true = |a, b| truth_value(a > b);
    GreaterEqual keeps true = |a, b| truth_value(a >= b);
    Equal keeps true = |a, b| truth_value(a == b);
    NotEqual keeps true = |a, b| truth_value(a != b);
    CopySign keeps true = |a, b| a.copysign(b);
}

macro_rules! map3 {
    ($($name:ident = $value:expr;)+) => {$(
        pub(super) struct $name;
        impl TernaryMap for $name {
            #[inline(always)]
            fn value(a: f64, b: f64, c: f64) -> f64 {
                let value: fn(f64, f64, f64) -> f64 = $value;
                value(a, b, c)
            }
        }
    )+};
}

map3! {
    MulAdd = |a, b, c| a * b + c;
    MulSub = |a, b, c| a * b - c;
    SubMul = |a, b, c| c - a * b;
    AddMul = |a, b, c| (a + b) * c;
    DiffMul = |a, b, c| (a - b) * c;
}

/// `then` where the condition is neither 0 nor NaN, `otherwise` where it is 0, and NaN where it is NaN.
#[inline(always)]
pub(super) fn choose_value(condition: f64, then: f64, otherwise: f64) -> f64 {
    let value = if condition == 0.0 { otherwise } else { then };
    if condition.is_nan() { f64::NAN } else { value }
}

/// The remainder for quotients below 2^52: the rounded quotient, cut, is right or one too large, and the fused product exact.
#[inline(always)]
fn quick_remainder(a: f64, b: f64) -> f64 {
    let quotient = (a / b).trunc();
    let rest = fma(-quotient, b, a);
    let too_far = (rest < 0.0) & (a > 0.0) | (rest > 0.0) & (a < 0.0);
    let mended = rest + b.abs().copysign(a);
    (if too_far { mended } else { rest }).copysign(a)
}

/// From here on the quotient is too large.
const QUOTIENT_MOST: i64 = magnitude_key(4_503_599_627_370_496.0);

/// At least [`QUOTIENT_MOST`] for large quotients, an infinite divisor and NaN.
#[inline(always)]
fn division_key(a: f64, b: f64) -> i64 {
    let divisor = magnitude_key(b) - (magnitude_key(f64::INFINITY) - QUOTIENT_MOST);
    magnitude_key(a / b).max(divisor)
}

#[inline(always)]
fn with_sign_of_divisor(rest: f64, b: f64) -> f64 {
    let zero = 0.0_f64.copysign(b);
    let moved = rest + b;
    let same = (rest < 0.0) == (b < 0.0);
    let value = if same { rest } else { moved };
    if rest == 0.0 { zero } else { value }
}

macro_rules! remainders {
    ($($(#[$doc:meta])* $name:ident = $finish:expr;)+) => {$(
        $(#[$doc])*
        pub(super) struct $name;

        impl BinaryMap for $name {
            const LIMIT: i64 = QUOTIENT_MOST - 1;

            #[inline(always)]
            fn fast(a: f64, b: f64) -> f64 {
                let finish: fn(f64, f64) -> f64 = $finish;
                finish(quick_remainder(a, b), b)
            }

            #[inline(always)]
            fn key(a: f64, b: f64) -> i64 {
                division_key(a, b)
            }

            #[cold]
            #[inline(never)]
            fn slow(a: f64, b: f64) -> f64 {
                let finish: fn(f64, f64) -> f64 = $finish;
                finish(libm::fmod(a, b), b)
            }
        }
    )+};
}

remainders! {
    /// Remainder with the dividend's sign.
    Fmod = |rest, _| rest;
    /// Remainder with the divisor's sign.
    Mod = with_sign_of_divisor;
}
