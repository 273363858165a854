//! Upper bounds of magnitudes, with exponents far beyond those of a double.

/// A number that is zero or `mantissa * 2^exponent` with a mantissa from 1 to 2. Every operation errs upwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ErrorMagnitude {
    mantissa: f64,
    exponent: i64,
}

/// Covers the roundings of one operation.
const UP: f64 = 1.0 + 1e-14;

impl ErrorMagnitude {
    pub(super) const ZERO: Self = Self {
        mantissa: 0.0,
        exponent: 0,
    };

    pub(super) fn power_of_two(exponent: i64) -> Self {
        Self {
            mantissa: 1.0,
            exponent,
        }
    }

    /// An upper bound of a finite double that is not negative, times a power of two.
    pub(super) fn new(value: f64, exponent: i64) -> Self {
        if value == 0.0 {
            return Self::ZERO;
        }
        let (mantissa, own) = libm::frexp(value);
        Self {
            mantissa: 2.0 * mantissa,
            exponent: exponent + i64::from(own) - 1,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    pub(super) fn add(self, other: Self) -> Self {
        let (large, small) = if self.order() >= other.order() {
            (self, other)
        } else {
            (other, self)
        };
        if small.is_zero() {
            return large;
        }
        let shift = (small.exponent - large.exponent).max(-100) as i32;
        Self::new(
            (large.mantissa + libm::scalbn(small.mantissa, shift)) * UP,
            large.exponent,
        )
    }

    pub(super) fn mul(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        Self::new(
            self.mantissa * other.mantissa * UP,
            self.exponent + other.exponent,
        )
    }

    /// Divided by a lower bound that is not zero.
    pub(super) fn div(self, other: Self) -> Self {
        if self.is_zero() {
            return self;
        }
        Self::new(
            self.mantissa / other.mantissa * UP,
            self.exponent - other.exponent,
        )
    }

    /// Less by a small share: a lower bound of what this one bounds closely from above.
    pub(super) fn lowered(self, share: f64) -> Self {
        Self::new(self.mantissa * (1.0 - share), self.exponent)
    }

    /// Whether it is certainly less, by a factor of at least 2.
    pub(super) fn far_below(self, other: Self) -> bool {
        self.is_zero() || (!other.is_zero() && self.exponent + 1 < other.exponent)
    }

    /// The exponent, with zero below all.
    fn order(self) -> (bool, i64) {
        (!self.is_zero(), self.exponent)
    }

    /// The exponent of two; very small for zero.
    pub(super) fn exponent(self) -> i64 {
        if self.is_zero() {
            i64::MIN / 4
        } else {
            self.exponent
        }
    }

    /// The double above; infinite beyond the range.
    pub(super) fn to_f64_up(self) -> f64 {
        let exponent = self.exponent.clamp(-3000, 3000) as i32;
        let value = libm::scalbn(self.mantissa, exponent);
        if value == 0.0 && !self.is_zero() {
            f64::from_bits(1)
        } else {
            value * UP
        }
    }

    /// An exponent of ten that it is not above.
    pub(super) fn decimal_exponent_up(self) -> i64 {
        ((self.exponent as f64 + 1.0) * std::f64::consts::LOG10_2).ceil() as i64
    }
}
