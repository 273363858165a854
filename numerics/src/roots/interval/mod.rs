//! Intervals of real numbers with bounds rounded outwards.
//!
//! An [`Interval`] whose `lo` is above its `hi` is an exterior one, after W. Kahan: all numbers up to `hi` and all from `lo` on. A
//! quotient whose divisor crosses zero is such a set, which keeps what is known near a pole.
//!
//! Sums, products and quotients that are exact in doubles stay exact. Elementary functions are those of [`crate::vector`], whose
//! error is below two units in the last place; their bounds are moved by four.
//!
//! # References
//! R. E. Moore, "Interval Analysis", Prentice-Hall 1966. E. Hansen and G. W. Walster, "Global Optimization Using Interval Analysis",
//! Dekker 2004. W. Kahan, "A More Complete Interval Arithmetic", University of Toronto 1968.

mod functions;

use crate::exact;

/// A closed interval, or the outside of an open one where `lo > hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub lo: f64,
    /// Upper bound.
    pub hi: f64,
}

/// The image of the part of an interval on which a function is defined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalImage {
    /// Holds every value.
    pub values: Interval,
    /// Whether the function is defined on the whole interval.
    pub is_defined: bool,
    /// Whether it is continuous where it is defined.
    pub is_continuous: bool,
}

impl IntervalImage {
    /// Of a function that is defined and continuous everywhere.
    fn smooth(values: Interval) -> Option<Self> {
        Some(Self {
            values,
            is_defined: true,
            is_continuous: true,
        })
    }
}

/// The bounds of one operation: the rounded value, moved on the side of the rounding error.
fn sum_bounds(a: f64, b: f64) -> (f64, f64) {
    let (sum, error) = exact::two_sum(a, b);
    if sum.is_nan() {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    if sum.is_infinite() {
        return overflow_bounds(sum, a.is_infinite() || b.is_infinite());
    }
    if error == 0.0 {
        (sum, sum)
    } else {
        (sum.next_down(), sum.next_up())
    }
}

/// Bounds of an infinite result: overflow is no infinity.
fn overflow_bounds(value: f64, is_exact: bool) -> (f64, f64) {
    match (is_exact, value > 0.0) {
        (true, _) => (value, value),
        (false, true) => (f64::MAX, f64::INFINITY),
        (false, false) => (f64::NEG_INFINITY, f64::MIN),
    }
}

fn product_bounds(a: f64, b: f64) -> (f64, f64) {
    /// Between these the error of a product is a double.
    const EXACT: std::ops::Range<f64> = 1e-280..1e290;
    if a == 0.0 || b == 0.0 {
        return (0.0, 0.0);
    }
    let product = a * b;
    if product.is_infinite() {
        return overflow_bounds(product, a.is_infinite() || b.is_infinite());
    }
    let can_split = a.abs() < 1e290 && b.abs() < 1e290;
    if can_split && EXACT.contains(&product.abs()) && exact::two_product(a, b).1 == 0.0 {
        return (product, product);
    }
    (product.next_down(), product.next_up())
}

fn quotient_bounds(a: f64, b: f64) -> (f64, f64) {
    if a == 0.0 || b.is_infinite() {
        return (0.0, 0.0);
    }
    let quotient = a / b;
    if quotient.is_infinite() {
        return overflow_bounds(quotient, a.is_infinite());
    }
    let (back, error) = exact::two_product(quotient, b);
    let is_exact =
        back == a && error == 0.0 && quotient.abs() > 1e-280 && a.abs() > 1e-280 && a.abs() < 1e290;
    if is_exact && quotient.abs() < 1e290 && b.abs() < 1e290 {
        return (quotient, quotient);
    }
    (quotient.next_down(), quotient.next_up())
}

impl Interval {
    /// All real numbers.
    pub const WHOLE: Self = Self::new(f64::NEG_INFINITY, f64::INFINITY);
    /// Zero.
    pub const ZERO: Self = Self::new(0.0, 0.0);

    /// From `lo` to `hi`.
    pub const fn new(lo: f64, hi: f64) -> Self {
        Self { lo, hi }
    }

    /// One number.
    pub const fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// A number that is within one rounding of this one.
    pub fn near(x: f64) -> Self {
        Self::new(x.next_down(), x.next_up())
    }

    /// Whether it is the outside of an interval.
    pub fn is_exterior(self) -> bool {
        self.lo > self.hi
    }

    /// Whether a number is in it.
    pub fn contains(self, x: f64) -> bool {
        if self.is_exterior() {
            x <= self.hi || x >= self.lo
        } else {
            self.lo <= x && x <= self.hi
        }
    }

    /// Whether it has finite bounds on both sides.
    pub fn is_bounded(self) -> bool {
        !self.is_exterior() && self.lo.is_finite() && self.hi.is_finite()
    }

    /// The sign that all its numbers share: -1 or 1, 0 where there is none.
    pub fn sign(self) -> i32 {
        if self.is_exterior() {
            0
        } else {
            i32::from(self.lo > 0.0) - i32::from(self.hi < 0.0)
        }
    }

    /// The smallest interval around it: everything for an exterior one.
    pub fn hull(self) -> Self {
        if self.is_exterior() {
            Self::WHOLE
        } else {
            self
        }
    }

    /// The smallest interval around both.
    pub fn union(self, other: Self) -> Self {
        let (a, b) = (self.hull(), other.hull());
        Self::new(a.lo.min(b.lo), a.hi.max(b.hi))
    }

    /// What is in both, of two ordinary intervals.
    pub fn intersect(self, other: Self) -> Option<Self> {
        let both = Self::new(self.lo.max(other.lo), self.hi.min(other.hi));
        (both.lo <= both.hi).then_some(both)
    }

    /// A number in the middle.
    pub fn middle(self) -> f64 {
        let middle = self.lo / 2.0 + self.hi / 2.0;
        middle.clamp(self.lo, self.hi)
    }

    /// Its width.
    pub fn width(self) -> f64 {
        self.hi - self.lo
    }

    /// The largest magnitude.
    pub fn magnitude(self) -> f64 {
        if self.is_exterior() {
            f64::INFINITY
        } else {
            self.lo.abs().max(self.hi.abs())
        }
    }

    /// Minus.
    pub fn negated(self) -> Self {
        Self::new(-self.hi, -self.lo)
    }

    /// Whether it is an exterior one around zero.
    fn is_around_zero(self) -> bool {
        self.is_exterior() && self.hi < 0.0 && self.lo > 0.0
    }

    /// The exterior of an open interval, everything where that is empty.
    fn exterior(lo: f64, hi: f64) -> Self {
        if lo > hi {
            Self::new(lo, hi)
        } else {
            Self::WHOLE
        }
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        let (lo, hi) = (
            sum_bounds(self.lo, other.lo).0,
            sum_bounds(self.hi, other.hi).1,
        );
        match (self.is_exterior(), other.is_exterior()) {
            (false, false) => Self::new(lo, hi),
            (true, true) => Self::WHOLE,
            _ if lo.is_finite() && hi.is_finite() => Self::exterior(lo, hi),
            _ => Self::WHOLE,
        }
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        match (self.is_exterior(), other.is_exterior()) {
            (false, false) => {
                let corners = [
                    product_bounds(self.lo, other.lo),
                    product_bounds(self.lo, other.hi),
                    product_bounds(self.hi, other.lo),
                    product_bounds(self.hi, other.hi),
                ];
                let lo = corners
                    .iter()
                    .fold(f64::INFINITY, |lo, corner| lo.min(corner.0));
                let hi = corners
                    .iter()
                    .fold(f64::NEG_INFINITY, |hi, corner| hi.max(corner.1));
                Self::new(lo, hi)
            }
            (false, true) => other.times(self),
            (true, _) if !self.is_around_zero() => Self::WHOLE,
            (true, false) if other.sign() > 0 => Self::exterior(
                product_bounds(self.lo, other.lo).0,
                product_bounds(self.hi, other.lo).1,
            ),
            (true, false) if other.sign() < 0 => self.times(other.negated()).negated(),
            (true, true) if other.is_around_zero() => Self::exterior(
                product_bounds(self.lo, other.lo)
                    .0
                    .min(product_bounds(self.hi, other.hi).0),
                product_bounds(self.lo, other.hi)
                    .1
                    .max(product_bounds(self.hi, other.lo).1),
            ),
            _ => Self::WHOLE,
        }
    }

    /// One divided by it; `None` for zero alone.
    pub fn reciprocal(self) -> Option<IntervalImage> {
        let one = |x: f64| quotient_bounds(1.0, x);
        if self.is_exterior() {
            let values = if self.is_around_zero() {
                Self::new(one(self.hi).0, one(self.lo).1)
            } else {
                Self::WHOLE
            };
            let is_defined = self.is_around_zero();
            return Some(IntervalImage {
                values,
                is_defined,
                is_continuous: is_defined,
            });
        }
        let values = match (self.lo, self.hi) {
            (0.0, 0.0) => return None,
            (0.0, hi) => Self::new(one(hi).0, f64::INFINITY),
            (lo, 0.0) => Self::new(f64::NEG_INFINITY, one(lo).1),
            (lo, hi) if lo < 0.0 && hi > 0.0 => Self::exterior(one(hi).0, one(lo).1),
            (lo, hi) => return IntervalImage::smooth(Self::new(one(hi).0, one(lo).1)),
        };
        let crosses = values.is_exterior() || values == Self::WHOLE;
        Some(IntervalImage {
            values,
            is_defined: false,
            is_continuous: !crosses,
        })
    }

    /// The quotient; `None` where the divisor is zero alone.
    pub fn over(self, other: Self) -> Option<IntervalImage> {
        if self.is_exterior() || other.is_exterior() || other.sign() == 0 {
            let image = other.reciprocal()?;
            return Some(IntervalImage {
                values: self.times(image.values),
                ..image
            });
        }
        let corners = [
            quotient_bounds(self.lo, other.lo),
            quotient_bounds(self.lo, other.hi),
            quotient_bounds(self.hi, other.lo),
            quotient_bounds(self.hi, other.hi),
        ];
        let lo = corners
            .iter()
            .fold(f64::INFINITY, |lo, corner| lo.min(corner.0));
        let hi = corners
            .iter()
            .fold(f64::NEG_INFINITY, |hi, corner| hi.max(corner.1));
        IntervalImage::smooth(Self::new(lo, hi))
    }
}

#[cfg(test)]
mod tests;
