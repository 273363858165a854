//! Exactly defined operations that the functions are made of: error-free sums and products, polynomials, exponent fields.

pub(super) use crate::exact::{fused_product as two_product, quick_two_sum, two_sum};

/// Adding it to |x| < 2^51 rounds x to the nearest integer, which is then in the low bits.
pub(super) const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// `a b + c` with one rounding.
#[inline(always)]
pub(super) fn fma(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// `1 + x` as the rounded sum and its error, x > -1: the difference is exact up to 2^53 (Fast2Sum needs no order where the first
/// number is a multiple of the last place of the sum), and beyond it the error is below the last place.
#[inline(always)]
pub(super) fn one_more(x: f64) -> (f64, f64) {
    quick_two_sum(1.0, x)
}

/// `(a + a_low) (b + b_low)`, relative error below 2^-102.
#[inline(always)]
pub(super) fn doubled_product((a, a_low): (f64, f64), (b, b_low): (f64, f64)) -> (f64, f64) {
    let (high, low) = two_product(a, b);
    (high, low + fma(a, b_low, a_low * b))
}

/// `(a + a_low) / (b + b_low)` with one division, relative error below 2^-100.
#[inline(always)]
pub(super) fn doubled_quotient((a, a_low): (f64, f64), (b, b_low): (f64, f64)) -> (f64, f64) {
    let inverse = 1.0 / b;
    let high = a * inverse;
    let rest = fma(-high, b_low, fma(-high, b, a) + a_low);
    (high, rest * inverse)
}

/// The square root of `a + a_low`, a > 0, relative error below 2^-100.
#[inline(always)]
pub(super) fn square_root((a, a_low): (f64, f64)) -> (f64, f64) {
    let root = a.sqrt();
    (root, (fma(-root, root, a) + a_low) * (0.5 / root))
}

/// The polynomial with coefficients `c`, lowest degree first: groups of four terms (Estrin 1960), combined by Horner's rule.
#[inline(always)]
pub(super) fn evaluate_polynomial<const N: usize>(x: f64, c: &[f64; N]) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let mut start = (N - 1) / 4 * 4;
    let mut value = evaluate_group(x, square, &c[start..]);
    while start > 0 {
        start -= 4;
        value = fma(
            value,
            fourth,
            evaluate_group(x, square, &c[start..start + 4]),
        );
    }
    value
}

/// Up to four terms.
#[inline(always)]
fn evaluate_group(x: f64, square: f64, c: &[f64]) -> f64 {
    match *c {
        [c0] => c0,
        [c0, c1] => fma(c1, x, c0),
        [c0, c1, c2] => fma(c2, square, fma(c1, x, c0)),
        [c0, c1, c2, c3, ..] => fma(fma(c3, x, c2), square, fma(c1, x, c0)),
        [] => 0.0,
    }
}

/// `2^n` for -1022 <= n <= 1023.
#[inline(always)]
pub(super) const fn power_of_two(n: i64) -> f64 {
    f64::from_bits((n.wrapping_add(1023) as u64) << 52)
}

/// The integer in the low bits of `shifted` = n + [`ROUNDER`], plus 4096.
#[inline(always)]
fn offset_integer(shifted: f64) -> u64 {
    const BITS: u64 = ROUNDER.to_bits();
    shifted.to_bits().wrapping_sub(BITS - 4096)
}

/// `x 2^n` for `shifted` = n + [`ROUNDER`], |n| < 2000, rounded once: through subnormals to 0, up to infinity.
#[inline(always)]
pub(super) fn scale_exponent(x: f64, shifted: f64) -> f64 {
    let whole = offset_integer(shifted);
    let half = whole >> 1;
    let rest = whole.wrapping_sub(half);
    let factor = |part: u64| f64::from_bits(part.wrapping_sub(2048 - 1023) << 52);
    x * factor(half) * factor(rest)
}

/// `x 2^n` for `shifted` = n + [`ROUNDER`] where x and the result are normal numbers: n is added to the exponent field.
#[inline(always)]
pub(super) fn scale_within(x: f64, shifted: f64) -> f64 {
    f64::from_bits(x.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// `2^n` for `shifted` = n + [`ROUNDER`], -1022 <= n <= 1023.
#[inline(always)]
pub(super) fn power_of_shifted(shifted: f64) -> f64 {
    f64::from_bits(offset_integer(shifted).wrapping_sub(4096 - 1023) << 52)
}

/// A positive normal number as `m 2^k` with sqrt(1/2) <= m < sqrt(2).
#[derive(Clone, Copy)]
pub(super) struct BinaryMantissa {
    pub(super) m: f64,
    pub(super) k: f64,
    /// `2^-k`; 0 for k = 1023 and beyond.
    pub(super) scale: f64,
}

impl BinaryMantissa {
    #[inline(always)]
    pub(super) fn of(x: f64) -> Self {
        const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
        const ONE: u64 = 1.0_f64.to_bits();
        const TWO_52: u64 = 4_503_599_627_370_496.0_f64.to_bits();
        let shifted = x.to_bits().wrapping_add(ONE - ROOT_HALF);
        let biased = f64::from_bits((shifted >> 52) | TWO_52);
        let exponent = shifted & 0xfff0_0000_0000_0000;
        Self {
            m: f64::from_bits((shifted & 0x000f_ffff_ffff_ffff).wrapping_add(ROOT_HALF)),
            k: biased - (4_503_599_627_370_496.0 + 1023.0),
            scale: f64::from_bits((2 * ONE).wrapping_sub(exponent)),
        }
    }
}

/// `1 / (2 x)` of a positive normal number within 5.1 per cent, read off the bits; finite for 0.
#[inline(always)]
pub(super) fn rough_half_reciprocal(x: f64) -> f64 {
    f64::from_bits(0x7fce_6000_0000_0000_u64.wrapping_sub(x.to_bits()))
}

const SIGN: u64 = 1 << 63;

/// The place of x among the doubles from `least` on, as a key: every x below `least` and every NaN comes after infinity.
#[inline(always)]
pub(super) const fn ordinal_key(x: f64, least: f64) -> i64 {
    x.to_bits().wrapping_sub(least.to_bits() ^ SIGN) as i64
}

/// The bits of |x|, as a key: NaN comes after infinity.
#[inline(always)]
pub(super) const fn magnitude_key(x: f64) -> i64 {
    (x.to_bits() & !SIGN) as i64
}
