//! Error-free transformations: sums and products with their rounding errors, and running sums in twice the working precision.
//!
//! A pair `(high, low)` is the unevaluated sum `high + low` with `|low| <= ulp(high) / 2`. A product is split by Dekker's method, or
//! computed by a fused multiply-add, which gives the same error; operands beyond 2^996 overflow in the splitting.

use pulp::{Arch, Simd, WithSimd};

/// The rounded sum and its rounding error, exactly: `a + b = sum + error`.
///
/// # References
/// D. E. Knuth, "The Art of Computer Programming", volume 2, section 4.2.2, theorem B.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

/// [`two_sum`] where a is 0 or |a| >= |b| (Dekker 1971).
#[inline(always)]
pub(crate) fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// The rounded product and its rounding error by a fused multiply-add, exactly unless the error underflows.
#[inline(always)]
pub(crate) fn fused_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// The rounded product and its rounding error without a fused multiply-add, exactly unless the splitting overflows or the error
/// underflows.
///
/// # References
/// T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18, 1971.
#[inline]
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let split = |value: f64| {
        let high = SPLITTER * value;
        let high = high - (high - value);
        (high, value - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, error)
}

/// A running sum with about 32 digits.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CompensatedSum {
    /// The rounded sum.
    pub high: f64,
    /// The accumulated rounding error.
    pub low: f64,
}

impl CompensatedSum {
    /// A single double.
    pub const fn new(value: f64) -> Self {
        Self {
            high: value,
            low: 0.0,
        }
    }

    /// Adds a double.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let (sum, error) = two_sum(self.high, value);
        self.high = sum;
        self.low += error;
    }

    /// Adds a product.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let (product, error) = two_product(a, b);
        self.add(product);
        self.low += error;
    }

    /// The product with another, to about 31 digits.
    #[inline]
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let (product, error) = two_product(self.high, other.high);
        let low = error + (self.high * other.low + self.low * other.high);
        let (high, low) = two_sum(product, low);
        Self { high, low }
    }

    /// The quotient by a double, normalised.
    #[must_use]
    pub fn divide(self, divisor: f64) -> Self {
        let quotient = (self.high + self.low) / divisor;
        let remainder = (-quotient).mul_add(divisor, self.high) + self.low;
        let (high, low) = two_sum(quotient, remainder / divisor);
        Self { high, low }
    }

    /// `value - self`, rounded once.
    #[inline]
    pub fn subtract_from(self, value: f64) -> f64 {
        let (high, error) = two_sum(value, -self.high);
        high + (error - self.low)
    }

    /// The sum, rounded once; the plain sum where a product has overflowed in the splitting.
    #[inline]
    pub fn value(self) -> f64 {
        let precise = self.high + self.low;
        if precise.is_finite() {
            precise
        } else {
            self.high
        }
    }
}

/// The sum of a slice in order, with a relative error of about one rounding unless the terms cancel beyond 2^53.
pub fn compensated_sum(data: &[f64]) -> CompensatedSum {
    let mut total = CompensatedSum::default();
    for &value in data {
        total.add(value);
    }
    total
}

/// Interleaved sums of an inner product, which keep the processor busy.
const LANES: usize = 16;

/// `b - a . x` as if computed with twice the digits and rounded once, in interleaved sums that keep the processor busy.
///
/// `a` and `x` have the same length n; about 10 n operations with fused multiply-add, 25 n without. Both give the same bits while the
/// products stay within 2^-900 and 2^996, beyond which only the former is precise.
///
/// # References
/// T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005, algorithm Dot2.
pub(crate) fn residual_entry(a: &[f64], x: &[f64], b: f64) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (x_blocks, x_rest) = x.as_chunks::<LANES>();
    let (sums, errors) = match Arch::new() {
        Arch::Scalar => interleaved_products(a_blocks, x_blocks, two_product),
        fused => fused.dispatch(FusedProduct(a_blocks, x_blocks)),
    };
    let mut total = CompensatedSum {
        high: b,
        low: errors.iter().sum(),
    };
    for (a, x) in a_rest.iter().zip(x_rest) {
        total.add_product(-a, *x);
    }
    for sum in sums {
        total.add(sum);
    }
    total.value()
}

struct FusedProduct<'a>(&'a [[f64; LANES]], &'a [[f64; LANES]]);

impl WithSimd for FusedProduct<'_> {
    type Output = ([f64; LANES], [f64; LANES]);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        interleaved_products(self.0, self.1, fused_product)
    }
}

/// Sums of `-a x`, and their rounding errors.
#[inline(always)]
fn interleaved_products(
    a: &[[f64; LANES]],
    x: &[[f64; LANES]],
    two_product: impl Fn(f64, f64) -> (f64, f64),
) -> ([f64; LANES], [f64; LANES]) {
    let (mut sums, mut errors) = ([0.0; LANES], [0.0; LANES]);
    for (a, x) in a.iter().zip(x) {
        for lane in 0..LANES {
            let (product, product_error) = two_product(-a[lane], x[lane]);
            let (sum, sum_error) = two_sum(sums[lane], product);
            sums[lane] = sum;
            errors[lane] += product_error + sum_error;
        }
    }
    (sums, errors)
}

/// `a . x` in twice the working precision, rounded once.
///
/// # References
/// As `residual_entry`.
pub fn precise_dot(a: &[f64], x: &[f64]) -> f64 {
    -residual_entry(a, x, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sums that a plain loop gets wrong in every digit; exact by construction.
    #[test]
    fn cancellation_leaves_the_exact_rest() {
        let a = [1e16, 1.0, -1e16, 1e-3, 3.0];
        let x = [1.0, 1.0, 1.0, 1.0, 1e-20];
        assert_eq!(precise_dot(&a, &x), 1.001);
        assert_eq!(residual_entry(&[1e8 + 1.0], &[1e8 - 1.0], 1e16), 1.0);
        let (product, error) = two_product(1.0 + f64::EPSILON, 1.0 + f64::EPSILON);
        assert_eq!(
            (product, error),
            (1.0 + 2.0 * f64::EPSILON, f64::EPSILON * f64::EPSILON)
        );
    }

    /// Long sums take the interleaved way; without fused multiply-add it has the same bits.
    #[test]
    fn fused_and_split_products_agree() {
        let entry =
            |i: usize| ((i * 7919 % 1009) as f64 - 504.0) * 1.1_f64.powi(i as i32 % 60 - 30);
        let a: Vec<f64> = (0..1000).map(entry).collect();
        let x: Vec<f64> = (0..1000).map(|i| entry(i + 313)).collect();
        let (a_blocks, x_blocks) = (a.as_chunks::<LANES>().0, x.as_chunks::<LANES>().0);
        let fused = Arch::new().dispatch(FusedProduct(a_blocks, x_blocks));
        assert_eq!(fused, interleaved_products(a_blocks, x_blocks, two_product));
    }

    /// 0.1^2 as the double nearest to 0.1 has it: 0.01000000000000000055511151231257827... (Python `fractions`).
    #[test]
    fn powers_keep_thirty_digits() {
        let tenth = CompensatedSum::new(0.1);
        let square = tenth.times(tenth);
        assert_eq!(square.high, 0.1 * 0.1);
        assert!(
            (square.low + 8.326672684688674e-19).abs() < 1e-33,
            "{square:?}"
        );
    }

    #[test]
    fn survives_cancellation() {
        assert_eq!(compensated_sum(&[1e100, 1.0, -1e100]).value(), 1.0);
        assert_eq!(compensated_sum(&[0.1; 10]).value(), 1.0);
        let mut dot = CompensatedSum::default();
        dot.add_product(1e8 + 1.0, 1e8 - 1.0);
        dot.add(-1e16);
        assert_eq!(dot.value(), -1.0);
    }

    #[test]
    fn a_third_has_twice_the_digits() {
        let third = CompensatedSum::new(1.0).divide(3.0);
        // 1/3 - fl(1/3) = 1/3 * 2^-54
        assert_eq!(third.high, 1.0 / 3.0);
        assert!((third.low - 2f64.powi(-54) / 3.0).abs() < 1e-32);
    }

    proptest! {
        #[test]
        fn integers_sum_exactly(terms in prop::collection::vec(-(1_i64 << 50)..(1_i64 << 50), 0..300)) {
            let floats: Vec<f64> = terms.iter().map(|&term| term as f64).collect();
            let exact: i128 = terms.iter().map(|&term| i128::from(term)).sum();
            prop_assert_eq!(compensated_sum(&floats).value(), exact as f64);
        }
    }
}
