//! Inverse hyperbolic functions: logarithms of arguments that are sums of two.
//!
//! The rounding error of a square root is divided by twice the root. Its reciprocal comes from the bits of the root
//! (the guess that Newton's iteration would start from): its error of five per cent is below a twentieth of an ulp of the root.

use super::arithmetic::{
    BinaryMantissa, evaluate_polynomial, fma, magnitude_key, one_more, ordinal_key,
    rough_half_reciprocal,
};
use super::coefficients::{ASINH, ATANH};
use super::lanes::{UnaryMap, function};
use super::logarithm::{LN_2_SHORT, LN_2_SHORT_LOW, natural_corrected, natural_logarithm};

const ONE: u64 = 1.0_f64.to_bits();
const TWO_52: f64 = 4_503_599_627_370_496.0;

/// `log(2 x)` for x >= 1e150, infinity and NaN.
fn logarithm_of_double(x: f64) -> f64 {
    if x < f64::INFINITY {
        let parts = BinaryMantissa::of(x);
        natural_logarithm(parts.m - 1.0, parts.k + 1.0)
    } else {
        x
    }
}

function! {
    /// Inverse hyperbolic sine: `log(|x| + sqrt(x^2 + 1))`, up to 1/8 the odd series as a polynomial.
    Asinh, limit magnitude_key(1e150);
    fast(x) {
        let magnitude = x.abs();
        let z = x * x;
        let series = fma(magnitude * z, evaluate_polynomial(z, &ASINH), magnitude);
        let z_low = fma(x, x, -z);
        let (u, rest) = one_more(z);
        let u_low = rest + z_low;
        let root = u.sqrt();
        // One step of Newton's iteration, since |x| may be an eighth of the root.
        let guess = rough_half_reciprocal(root);
        let factor = fma(-2.0 * guess, root * guess, 2.0 * guess);
        let root_low = (fma(-root, root, u) + u_low) * factor;
        let a = root + magnitude;
        let a_low = (magnitude - (a - root)) + root_low;
        let parts = BinaryMantissa::of(a);
        let value = natural_corrected(parts.m - 1.0, a_low * parts.scale, parts.k);
        let value = if magnitude < 0.125 { series } else { value };
        value.copysign(x)
    }
    slow(x) {
        if x.is_nan() {
            return f64::NAN;
        }
        logarithm_of_double(x.abs()).copysign(x)
    }
}

function! {
    /// Inverse hyperbolic cosine: `log(x + sqrt(x^2 - 1))`, with `x - 1` as the variable near 1.
    Acosh, limit ordinal_key(1e150, 1.0), key(x) { ordinal_key(x, 1.0) };
    fast(x) {
        let t = x - 1.0;
        let d = x + 1.0;
        let d_low = 1.0 - (d - x);
        let u = t * d;
        let u_low = fma(t, d_low, fma(t, d, -u));
        let root = u.sqrt();
        let root_low = (fma(-root, root, u) + u_low) * rough_half_reciprocal(root);
        // 1 + f + f_low = x + root.
        let f = root + t;
        let f_low = (t - (f - root)) + root_low;
        let (a, rest) = one_more(f);
        let a_low = rest + f_low;
        let parts = BinaryMantissa::of(a);
        let near = parts.k == 0.0;
        let f = if near { f } else { parts.m - 1.0 };
        let low = if near { f_low } else { a_low * parts.scale };
        natural_corrected(f, low, parts.k)
    }
    slow(x) {
        if x >= 1.0 {
            logarithm_of_double(x)
        } else {
            f64::NAN
        }
    }
}

function! {
    /// Inverse hyperbolic tangent: half the logarithm of `(1 + |x|) / (1 - |x|) = 2^k (1 + s) / (1 - s)`, |s| < 0.2005.
    Atanh, limit magnitude_key(1.0 - f64::EPSILON / 2.0);
    fast(x) {
        let magnitude = x.abs();
        let above = 1.0 + magnitude;
        let above_low = magnitude - (above - 1.0);
        let below = 1.0 - magnitude;
        let below_low = (1.0 - below) - magnitude;
        // k is the difference of the logarithms rounded, each read off the bits with an error below 0.09.
        let distance = above.to_bits().wrapping_sub(below.to_bits());
        let rounded = distance.wrapping_add(1 << 51);
        let power = f64::from_bits((rounded & 0xfff0_0000_0000_0000).wrapping_add(ONE));
        let k = f64::from_bits((rounded >> 52) | TWO_52.to_bits()) - TWO_52;
        let (below, below_low) = (below * power, below_low * power);
        let difference = above - below;
        let sum = above + below;
        let sum_low = (below - (sum - above)) + (above_low + below_low);
        let inverse = 1.0 / sum;
        let s = difference * inverse;
        let left = fma(-s, sum, difference) + (above_low - below_low);
        let s_low = fma(-s, sum_low, left) * inverse;
        let w = s * s;
        let tail = fma(s * w, evaluate_polynomial(w, &ATANH), s_low);
        let whole = k * (0.5 * LN_2_SHORT);
        let total = whole + s;
        let rest = s - (total - whole);
        let value = total + (rest + fma(k, 0.5 * LN_2_SHORT_LOW, tail));
        value.copysign(x)
    }
    slow(x) { if x.abs() == 1.0 { x / 0.0 } else { f64::NAN } }
}
