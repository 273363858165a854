//! Powers, cube root and length.

use super::arithmetic::{
    ROUNDER, exceeds, fma, is_positive_normal, polynomial, power_of_two, quick_two_sum, scale,
    scale_within, split_exponent, square_root, two_product, two_sum,
};
use super::coefficients::CBRT;
use super::exponential::exp2_unscaled;
use super::lanes::{CHUNK, Map1, Map2, Operand};
use super::logarithm::log2_doubled;

const TWO_54: f64 = 18_014_398_509_481_984.0;
/// Above it every double is an even integer when multiplied by 2; the rounding trick holds below.
const TWO_51: f64 = 2_251_799_813_685_248.0;

/// `a^b = 2^(b log2 |a|)`, the logarithm and the product as sums of two.
pub(super) struct Pow;

/// `b (high + low)` as a sum of two.
#[inline(always)]
fn times(b: f64, (high, low): (f64, f64)) -> (f64, f64) {
    let (product, product_low) = two_product(b, high);
    (product, fma(b, low, product_low))
}

/// `a^b` from `log2 |a|`.
#[inline(always)]
fn finish(a: f64, b: f64, logarithm: (f64, f64)) -> f64 {
    let (high, low) = times(b, logarithm);
    let (power, n) = exp2_unscaled(high, low);
    let magnitude = scale_within(power, n);
    let shifted = b + ROUNDER;
    let odd = shifted.to_bits() << 63;
    let signed = f64::from_bits(magnitude.to_bits() | odd);
    let negative = if shifted - ROUNDER == b {
        signed
    } else {
        f64::NAN
    };
    if a < 0.0 { negative } else { magnitude }
}

impl Map2 for Pow {
    const KEEPS_NAN: bool = true;

    #[inline(always)]
    fn fast(a: f64, b: f64) -> f64 {
        finish(a, b, log2_doubled(a.abs()))
    }

    /// In two loops through the logarithms: one chain of 250 cycles would leave the processor too few lanes to overlap.
    #[inline(always)]
    fn block(a: impl Operand, b: impl Operand, out: &mut [f64]) {
        let mut low = [0.0; CHUNK];
        let low = &mut low[..out.len()];
        for (lane, (out, low)) in out.iter_mut().zip(low.iter_mut()).enumerate() {
            (*out, *low) = log2_doubled(a.at(lane).abs());
        }
        for (lane, (out, &mut low)) in out.iter_mut().zip(low).enumerate() {
            *out = finish(a.at(lane), b.at(lane), (*out, low));
        }
    }

    #[inline(always)]
    fn rare(a: f64, b: f64) -> bool {
        !is_positive_normal(a.abs()) | exceeds(b.abs(), TWO_51) | out_of_range(a, b)
    }

    #[cold]
    #[inline(never)]
    fn slow(a: f64, b: f64) -> f64 {
        pow_any(a, b)
    }
}

/// Whether the result may leave the normal numbers, from `|log2(m 2^k)| <= |k| + 1.75 |m - 1|`.
#[inline(always)]
fn out_of_range(a: f64, b: f64) -> bool {
    let (m, k) = split_exponent(a.abs());
    let bound = fma((m - 1.0).abs(), 1.75, k.abs());
    exceeds(bound * b.abs(), 1020.0)
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
    let (high, low) = if magnitude < f64::MIN_POSITIVE {
        let (high, low) = log2_doubled(magnitude * TWO_54);
        let (high, rest) = two_sum(high, -54.0);
        times(b, (high, rest + low))
    } else {
        times(b, log2_doubled(magnitude))
    };
    let result = if high > 1100.0 {
        f64::INFINITY
    } else if high < -1200.0 {
        0.0
    } else {
        let (power, n) = exp2_unscaled(high, low);
        scale(power, n)
    };
    sign * result
}

/// Cube root: the inverse cube root by a polynomial and one step of order 4, then one corrected Newton step.
pub(super) struct Cbrt;

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
    let guess = polynomial(m, &CBRT) * inverse_root;
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

impl Map1 for Cbrt {
    const KEEPS_NAN: bool = true;

    #[inline(always)]
    fn fast(x: f64) -> f64 {
        cbrt_positive(x.abs()).copysign(x)
    }

    #[inline(always)]
    fn rare(x: f64) -> bool {
        !is_positive_normal(x.abs())
    }

    #[cold]
    #[inline(never)]
    fn slow(x: f64) -> f64 {
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
fn length(large: f64, small: f64) -> f64 {
    let (a, a_low) = two_product(large, large);
    let (b, b_low) = two_product(small, small);
    let (sum, rest) = quick_two_sum(a, b);
    let (root, low) = square_root((sum, rest + (a_low + b_low)));
    root + low
}

const HYPOT_LEAST: f64 = 3.2e-145;
const HYPOT_MOST: f64 = 3.2e150;

impl Map2 for Hypot {
    #[inline(always)]
    fn fast(a: f64, b: f64) -> f64 {
        let (a, b) = (a.abs(), b.abs());
        if a < b { length(b, a) } else { length(a, b) }
    }

    #[inline(always)]
    fn rare(a: f64, b: f64) -> bool {
        let (a, b) = (a.abs(), b.abs());
        let large = if a < b { b } else { a };
        !((large > HYPOT_LEAST) & (large < HYPOT_MOST) & (b < HYPOT_MOST))
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
        length(large * factor, small * factor) * power_of_two(-n)
    }
}
