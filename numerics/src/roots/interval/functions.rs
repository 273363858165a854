//! Powers and elementary functions of intervals.

use std::f64::consts::PI;

use super::{Interval, IntervalImage};
use crate::exact;
use crate::vector::{Binary, Unary, evaluate_binary, evaluate_unary};

/// Units in the last place that the bounds of elementary functions are moved by, as a factor.
const MARGIN: f64 = 4.0 * f64::EPSILON;

/// A lower bound of a value that was rounded to this: an infinite one may have overflowed.
fn lower_bound(x: f64) -> f64 {
    if x == f64::INFINITY {
        f64::MAX
    } else if x.is_nan() || x.is_infinite() {
        f64::NEG_INFINITY
    } else {
        (x - x.abs() * MARGIN).next_down()
    }
}

/// An upper bound of a value that was rounded to this.
fn upper_bound(x: f64) -> f64 {
    -lower_bound(-x)
}

/// Whether an elementary function is known to have this very value: at 0 and 1 values of 0, 1 and -1 are no roundings.
fn is_exact(x: f64, value: f64) -> bool {
    (x == 0.0 || x == 1.0) && (value == 0.0 || value.abs() == 1.0)
}

impl Interval {
    /// The square.
    pub fn squared(self) -> Self {
        self.power(2)
    }

    /// A power with an exponent of at least 0.
    pub fn power(self, exponent: u32) -> Self {
        if exponent == 0 {
            return Self::point(1.0);
        }
        if exponent.is_multiple_of(2) {
            let size = self.absolute();
            return Self::new(
                repeated_power(size.lo, exponent).lo.max(0.0),
                repeated_power(size.hi, exponent).hi,
            );
        }
        if self.is_exterior() {
            return Self::exterior(
                repeated_power(self.lo, exponent).lo,
                repeated_power(self.hi, exponent).hi,
            );
        }
        Self::new(
            repeated_power(self.lo, exponent).lo,
            repeated_power(self.hi, exponent).hi,
        )
    }

    /// The magnitudes.
    pub fn absolute(self) -> Self {
        if self.is_exterior() {
            let gap = if self.is_around_zero() {
                self.lo.min(-self.hi)
            } else {
                0.0
            };
            return Self::new(gap, f64::INFINITY);
        }
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            self.negated()
        } else {
            Self::new(0.0, self.hi.max(-self.lo))
        }
    }

    /// The power of a positive base by corners: the power is monotone in each operand there.
    pub fn real_power(self, exponent: Self) -> Option<IntervalImage> {
        let (base, exponent) = (self.hull(), exponent.hull());
        if base.hi < 0.0 {
            return None;
        }
        let is_defined = base.lo >= 0.0 && (base.lo > 0.0 || exponent.lo > 0.0);
        let base = Self::new(base.lo.max(0.0), base.hi);
        let corner = |a: f64, b: f64| {
            if a == 0.0 && b < 0.0 {
                f64::INFINITY
            } else {
                evaluate_binary(Binary::Pow, a, b)
            }
        };
        let corners = [
            corner(base.lo, exponent.lo),
            corner(base.lo, exponent.hi),
            corner(base.hi, exponent.lo),
            corner(base.hi, exponent.hi),
        ];
        let lo = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_known = corners.iter().all(|corner| !corner.is_nan());
        let values = if is_known {
            Self::new(lower_bound(lo).max(0.0), upper_bound(hi))
        } else {
            Self::new(0.0, f64::INFINITY)
        };
        Some(IntervalImage {
            values,
            is_defined,
            is_continuous: true,
        })
    }

    /// An increasing function of [`crate::vector`] with values in a range, on its domain; `None` outside.
    pub fn increasing(self, op: Unary, domain: Self, range: Self) -> Option<IntervalImage> {
        self.increasing_by(|x| evaluate_unary(op, x), domain, range)
    }

    /// An increasing function of an error below two units in the last place.
    pub fn increasing_by(
        self,
        f: impl Fn(f64) -> f64,
        domain: Self,
        range: Self,
    ) -> Option<IntervalImage> {
        let whole = self.hull();
        let inside = whole.intersect(domain)?;
        let (low, high) = (f(inside.lo), f(inside.hi));
        let lo = if is_exact(inside.lo, low) {
            low
        } else {
            lower_bound(low).max(range.lo)
        };
        let hi = if is_exact(inside.hi, high) {
            high
        } else {
            upper_bound(high).min(range.hi)
        };
        let values = Self::new(lo, hi);
        Some(IntervalImage {
            values: if values.lo <= values.hi {
                values
            } else {
                range
            },
            is_defined: inside == whole,
            is_continuous: true,
        })
    }

    /// The square root.
    pub fn square_root(self) -> Option<IntervalImage> {
        let whole = self.hull();
        let inside = whole.intersect(Self::new(0.0, f64::INFINITY))?;
        let root = |x: f64| {
            let root = x.sqrt();
            let is_exact = root == 0.0
                || root.is_infinite()
                || (root * root == x
                    && (1e-140..1e140).contains(&root)
                    && exact::two_product(root, root).1 == 0.0);
            if is_exact {
                (root, root)
            } else {
                (root.next_down(), root.next_up())
            }
        };
        Some(IntervalImage {
            values: Self::new(root(inside.lo).0.max(0.0), root(inside.hi).1),
            is_defined: inside == whole,
            is_continuous: true,
        })
    }

    /// The sine.
    pub fn sine(self) -> Self {
        // Maxima at pi/2 + 2 pi k.
        self.wave(Unary::Sin, 0.25)
    }

    /// The cosine.
    pub fn cosine(self) -> Self {
        self.wave(Unary::Cos, 0.0)
    }

    /// A wave with maxima at `(first + k) 2 pi` and minima half a turn later.
    fn wave(self, op: Unary, first: f64) -> Self {
        /// Beyond, places of the extrema are not known well enough.
        const FAR: f64 = 1e14;
        let all = Self::new(-1.0, 1.0);
        if !self.is_bounded() || self.magnitude() > FAR || self.width() > 7.0 {
            return all;
        }
        let turn = 2.0 * PI;
        let slack = 1e-15 * (1.0 + self.magnitude());
        let has = |first: f64| {
            let (from, to) = (
                self.lo / turn - first - slack,
                self.hi / turn - first + slack,
            );
            from.ceil() <= to.floor()
        };
        let (a, b) = (evaluate_unary(op, self.lo), evaluate_unary(op, self.hi));
        let under = |x: f64, y: f64| {
            if is_exact(x, y) {
                y
            } else {
                lower_bound(y).max(-1.0)
            }
        };
        let over = |x: f64, y: f64| {
            if is_exact(x, y) {
                y
            } else {
                upper_bound(y).min(1.0)
            }
        };
        let lo = if has(first + 0.5) {
            -1.0
        } else {
            under(self.lo, a).min(under(self.hi, b))
        };
        let hi = if has(first) {
            1.0
        } else {
            over(self.lo, a).max(over(self.hi, b))
        };
        Self::new(lo, hi)
    }

    /// A function known at the middle whose slope is nowhere larger than a bound; `error` bounds that of the value.
    pub fn lipschitz(self, f: impl Fn(f64) -> f64, slope: f64, error: f64) -> Self {
        if !self.is_bounded() {
            return Self::WHOLE;
        }
        let middle = self.middle();
        let reach = (self.hi - middle).max(middle - self.lo) * slope * (1.0 + MARGIN) + error;
        let value = f(middle);
        Self::new(lower_bound(value - reach), upper_bound(value + reach))
    }
}

/// A power of one number, by repeated products.
fn repeated_power(x: f64, exponent: u32) -> Interval {
    let (mut result, mut square, mut rest) = (Interval::point(1.0), Interval::point(x), exponent);
    loop {
        if rest & 1 == 1 {
            result = result.times(square);
        }
        rest >>= 1;
        if rest == 0 {
            return result;
        }
        square = square.times(square);
    }
}
