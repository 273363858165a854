//! Sums and products in twice the working precision, without a branch and in a fixed order.
//!
//! # References
//! T. Ogita, S. M. Rump and S. Oishi, "Accurate Sum and Dot Product", SIAM J. Sci. Comput. 26(6), 2005.

/// An unevaluated sum `high + low` of two doubles: about 106 significant bits.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Accurate {
    high: f64,
    low: f64,
}

impl Accurate {
    /// The double itself.
    pub fn new(value: f64) -> Self {
        Self {
            high: value,
            low: 0.0,
        }
    }

    /// The nearest double.
    pub fn value(self) -> f64 {
        self.high + self.low
    }

    /// Adds a double.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let (high, error) = two_sum(self.high, value);
        self.high = high;
        self.low += error;
    }

    /// Adds the exact product of two doubles.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        let error = a.mul_add(b, -product);
        self.add(product);
        self.low += error;
    }

    /// Divides by a double and normalises.
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
}

/// The sum of two doubles and its rounding error, exact for any order of magnitude (Knuth).
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The sum of a slice, with a relative error of about one rounding unless the terms cancel beyond 2^53.
pub fn sum(data: &[f64]) -> Accurate {
    let mut total = Accurate::default();
    for &value in data {
        total.add(value);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn survives_cancellation() {
        assert_eq!(sum(&[1e100, 1.0, -1e100]).value(), 1.0);
        assert_eq!(sum(&[0.1; 10]).value(), 1.0);
        let mut dot = Accurate::default();
        dot.add_product(1e8 + 1.0, 1e8 - 1.0);
        dot.add(-1e16);
        assert_eq!(dot.value(), -1.0);
    }

    #[test]
    fn a_third_has_twice_the_digits() {
        let third = Accurate::new(1.0).divide(3.0);
        // 1/3 - fl(1/3) = 1/3 * 2^-54
        assert_eq!(third.high, 1.0 / 3.0);
        assert!((third.low - 2f64.powi(-54) / 3.0).abs() < 1e-32);
    }

    proptest! {
        #[test]
        fn integers_sum_exactly(terms in prop::collection::vec(-(1_i64 << 50)..(1_i64 << 50), 0..300)) {
            let floats: Vec<f64> = terms.iter().map(|&term| term as f64).collect();
            let exact: i128 = terms.iter().map(|&term| i128::from(term)).sum();
            prop_assert_eq!(sum(&floats).value(), exact as f64);
        }
    }
}
