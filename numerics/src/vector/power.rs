//! Powers, cube root and length.

use super::arithmetic::{
    BinaryMantissa, ROUNDER, evaluate_polynomial, fma, magnitude_key, ordinal_key, power_of_two,
    quick_two_sum, scale_exponent, scale_within, square_root, two_product,
};
use super::coefficients::CBRT;
use super::exponential::exp2_unscaled;
use super::lanes::{BinaryMap, BlockOperand, CHUNK, UnaryMap, function};
use super::logarithm::log2_doubled;

const TWO_54: f64 = 18_014_398_509_481_984.0;
/// Above it every double is an even integer when multiplied by 2; the rounding trick holds below.
const TWO_51: f64 = 2_251_799_813_685_248.0;

/// `a^b = 2^(b log2 |a|)`, the logarithm and the product as sums of two; with 0.5 and 1.5 as exponents by the square root.
pub(super) struct Pow;

/// `b (high + low)` as a sum of two.
#[inline(always)]
fn multiply_doubled(b: f64, (high, low): (f64, f64)) -> (f64, f64) {
    let (product, product_low) = two_product(b, high);
    (product, fma(b, low, product_low))
}

/// `a^b` from `b log2 |a|`.
#[inline(always)]
fn finish_power(a: f64, b: f64, (high, low): (f64, f64)) -> f64 {
    let (power, n) = exp2_unscaled(high, low);
    let magnitude = scale_within(power, n);
    let shifted = b + ROUNDER;
    let sign = (shifted.to_bits() << 63) & a.to_bits();
    let signed = f64::from_bits(magnitude.to_bits() | sign);
    let undefined = (a < 0.0) & (shifted - ROUNDER != b);
    if undefined { f64::NAN } else { signed }
}

/// Whether the power is a square root, or one times its base.
#[inline(always)]
fn is_of_root(b: f64) -> bool {
    (b == 0.5) | (b == 1.5)
}

/// `a^0.5` and `a^1.5`, for a within the limits.
#[inline(always)]
fn of_root(a: f64, b: f64) -> f64 {
    let root = a.sqrt();
    if b == 0.5 { root } else { a * root }
}

/// Within them `a^1.5` is a normal number.
const ROOT_LEAST: f64 = power_of_two(-680);
const ROOT_MOST: f64 = power_of_two(680);

/// The largest keys of |a|, |b| and the logarithm of the result for which `finish` is right.
const BASE_LIMIT: i64 = ordinal_key(f64::MAX, f64::MIN_POSITIVE);
const EXPONENT_LIMIT: i64 = magnitude_key(TWO_51);
const RESULT_LIMIT: i64 = magnitude_key(1020.0);

impl BinaryMap for Pow {
    const KEEPS_NAN: bool = true;
    const LIMIT: i64 = 0;

    #[inline(always)]
    fn fast(a: f64, b: f64) -> f64 {
        if is_of_root(b) {
            return of_root(a, b);
        }
        finish_power(
            a,
            b,
            multiply_doubled(b, log2_doubled(BinaryMantissa::of(a.abs()))),
        )
    }

    /// In two loops through the logarithms: one chain of 250 cycles would leave the processor too few lanes to overlap.
    #[inline(always)]
    fn block(a: impl BlockOperand, b: impl BlockOperand, out: &mut [f64]) -> i64 {
        let (mut all, mut any) = (true, false);
        for (_, b) in out.iter().zip(b.lanes()) {
            all &= is_of_root(b);
            any |= is_of_root(b);
        }
        if all {
            let mut worst = i64::MIN;
            for ((out, a), b) in out.iter_mut().zip(a.lanes()).zip(b.lanes()) {
                *out = of_root(a, b);
                worst = worst.max(Self::key(a, b));
            }
            return worst;
        }
        let mut low = [0.0; CHUNK];
        let low = &mut low[..out.len()];
        let (mut base, mut exponent, mut result) = (i64::MIN, i64::MIN, i64::MIN);
        for ((out, low), a) in out.iter_mut().zip(low.iter_mut()).zip(a.lanes()) {
            let magnitude = a.abs();
            (*out, *low) = log2_doubled(BinaryMantissa::of(magnitude));
            base = base.max(ordinal_key(magnitude, f64::MIN_POSITIVE));
        }
        let pairs = a.lanes().zip(b.lanes());
        for ((out, &mut low), (a, b)) in out.iter_mut().zip(low).zip(pairs) {
            let product = multiply_doubled(b, (*out, low));
            *out = finish_power(a, b, product);
            exponent = exponent.max(magnitude_key(b));
            result = result.max(magnitude_key(product.0));
        }
        if any {
            for ((out, a), b) in out.iter_mut().zip(a.lanes()).zip(b.lanes()) {
                if is_of_root(b) {
                    *out = of_root(a, b);
                }
            }
            return i64::MAX; // each lane for itself
        }
        limit_key(base, exponent, result)
    }

    #[inline(always)]
    fn key(a: f64, b: f64) -> i64 {
        if is_of_root(b) {
            return i64::from(ordinal_key(a, ROOT_LEAST) > ordinal_key(ROOT_MOST, ROOT_LEAST));
        }
        let magnitude = a.abs();
        let (high, _) = multiply_doubled(b, log2_doubled(BinaryMantissa::of(magnitude)));
        limit_key(
            ordinal_key(magnitude, f64::MIN_POSITIVE),
            magnitude_key(b),
            magnitude_key(high),
        )
    }

    #[cold]
    #[inline(never)]
    fn slow(a: f64, b: f64) -> f64 {
        pow_any(a, b)
    }
}

/// Whether one of these keys is beyond its limit, as a key.
#[inline(always)]
fn limit_key(base: i64, exponent: i64, result: i64) -> i64 {
    i64::from((base > BASE_LIMIT) | (exponent > EXPONENT_LIMIT) | (result > RESULT_LIMIT))
}

/// Every case of C99 Annex F.9.4.4.
fn pow_any(a: f64, b: f64) -> f64 {
    if b == 0.0 || a == 1.0 {
        return 1.0;
    }
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let whole = b.trunc() == b;
    let odd = whole && (b * 0.5).trunc() != b * 0.5;
    let sign = if a.is_sign_negative() && odd {
        -1.0
    } else {
        1.0
    };
    let magnitude = a.abs();
    if b.is_infinite() {
        return match (magnitude == 1.0, (magnitude > 1.0) == (b > 0.0)) {
            (true, _) => 1.0,
            (false, true) => f64::INFINITY,
            (false, false) => 0.0,
        };
    }
    if magnitude == 0.0 || magnitude.is_infinite() {
        let large = (magnitude == 0.0) != (b > 0.0);
        return sign * if large { f64::INFINITY } else { 0.0 };
    }
    if a < 0.0 && !whole {
        return f64::NAN;
    }
    let mut parts = BinaryMantissa::of(magnitude);
    if magnitude < f64::MIN_POSITIVE {
        parts = BinaryMantissa::of(magnitude * TWO_54);
        parts.k -= 54.0;
    }
    let (high, low) = multiply_doubled(b, log2_doubled(parts));
    let result = if high > 1100.0 {
        f64::INFINITY
    } else if high < -1200.0 {
        0.0
    } else {
        let (power, n) = exp2_unscaled(high, low);
        scale_exponent(power, n)
    };
    sign * result
}

/// The cube root of a positive normal number.
#[inline(always)]
fn cbrt_positive(x: f64) -> f64 {
    const FIELD: u64 = 0x000f_ffff_ffff_ffff;
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let bits = x.to_bits();
    let k = f64::from_bits((bits >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let m = f64::from_bits((bits & FIELD) | 1.0_f64.to_bits());
    let shifted = fma(k - 1.0, 1.0 / 3.0, ROUNDER);
    let rest = fma(shifted - ROUNDER, -3.0, k);
    let (factor, inverse_root) = if rest == 1.0 {
        (2.0, 0.7937005259840998)
    } else {
        (4.0, 0.6299605249474366)
    };
    let (factor, inverse_root) = if rest == 0.0 {
        (1.0, 1.0)
    } else {
        (factor, inverse_root)
    };
    let guess = evaluate_polynomial(m, &CBRT) * inverse_root;
    let m = m * factor;
    let h = fma(-(guess * guess), guess * m, 1.0);
    let step = h * fma(h, fma(h, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0);
    let inverse = fma(guess, step, guess);
    let square = inverse * inverse;
    let root = m * square;
    let (root_square, square_low) = two_product(root, root);
    let residual = fma(-square_low, root, fma(-root_square, root, m));
    scale_within(fma(residual * square, 1.0 / 3.0, root), shifted)
}

function! {
    /// Cube root: the inverse cube root by a polynomial and one step of order 4, then one corrected Newton step.
    Cbrt, limit ordinal_key(f64::MAX, f64::MIN_POSITIVE), key(x) { ordinal_key(x.abs(), f64::MIN_POSITIVE) };
    fast(x) { cbrt_positive(x.abs()).copysign(x) }
    slow(x) {
        if x.is_nan() {
            return f64::NAN;
        }
        if x == 0.0 || x.is_infinite() {
            return x;
        }
        (cbrt_positive(x.abs() * TWO_54) * power_of_two(-18)).copysign(x)
    }
}

/// `sqrt(a^2 + b^2)`, the squares and their sum as sums of two.
pub(super) struct Hypot;

/// The length for a larger side between 2^-480 and 2^500.
#[inline(always)]
fn scaled_length(large: f64, small: f64) -> f64 {
    let (a, a_low) = two_product(large, large);
    let (b, b_low) = two_product(small, small);
    let (sum, rest) = quick_two_sum(a, b);
    let (root, low) = square_root((sum, rest + (a_low + b_low)));
    root + low
}

const HYPOT_LEAST: f64 = 3.2e-145;
const HYPOT_MOST: f64 = 3.2e150;

impl BinaryMap for Hypot {
    const LIMIT: i64 = ordinal_key(HYPOT_MOST, HYPOT_LEAST);

    #[inline(always)]
    fn fast(a: f64, b: f64) -> f64 {
        let (a, b) = (a.abs(), b.abs());
        if a < b {
            scaled_length(b, a)
        } else {
            scaled_length(a, b)
        }
    }

    /// Of the larger one, NaN being the largest.
    #[inline(always)]
    fn key(a: f64, b: f64) -> i64 {
        let larger = magnitude_key(a).max(magnitude_key(b));
        ordinal_key(f64::from_bits(larger as u64), HYPOT_LEAST)
    }

    #[cold]
    #[inline(never)]
    fn slow(a: f64, b: f64) -> f64 {
        let (a, b) = (a.abs(), b.abs());
        if a == f64::INFINITY || b == f64::INFINITY {
            return f64::INFINITY;
        }
        let (large, small) = if a < b { (b, a) } else { (a, b) };
        if large == 0.0 || a.is_nan() || b.is_nan() {
            return a + b;
        }
        let n = if large < 1.0 { 600 } else { -600 };
        let factor = power_of_two(n);
        scaled_length(large * factor, small * factor) * power_of_two(-n)
    }
}
