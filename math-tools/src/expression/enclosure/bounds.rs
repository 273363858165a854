//! [`BoxEnclosure`]: what is known of an expression on a box, and its operations.

use std::cmp::Ordering;

use numerics::roots::interval::{Interval, IntervalImage};

use super::super::fault::EvaluationFault;
use super::images::{ImageAndSlope, continuous_image, interval_one, natural_logarithm_image, step};

/// What is known of an expression on a box.
#[derive(Debug, Clone)]
pub(crate) struct BoxEnclosure {
    /// Holds every value.
    pub(crate) values: Interval,
    /// By variable; where the expression is continuous, the slopes between any two points of the box.
    pub(crate) slopes: Vec<Interval>,
    /// Whether it is defined on the whole box.
    pub(crate) is_defined: bool,
    /// Whether it is continuous.
    pub(crate) is_continuous: bool,
}

/// What is known, or why there is nothing on the box.
pub(crate) type BoxResult = Result<BoxEnclosure, EvaluationFault>;

impl BoxEnclosure {
    /// A function of one operand by its image and its slopes.
    pub(crate) fn through(&self, function: impl FnOnce(Interval) -> ImageAndSlope) -> BoxResult {
        let (image, slope) = function(self.values)?;
        let times = |own: &Interval| {
            if *own == Interval::ZERO {
                *own
            } else {
                slope.times(*own).hull()
            }
        };
        Ok(Self {
            values: image.values,
            slopes: self.slopes.iter().map(times).collect(),
            is_defined: self.is_defined && image.is_defined,
            is_continuous: self.is_continuous && image.is_continuous,
        })
    }

    /// A function of two operands by its image and its slopes along both.
    pub(crate) fn joined(
        &self,
        other: &Self,
        image: IntervalImage,
        slopes: (Interval, Interval),
    ) -> Self {
        let times = |slope: Interval, own: Interval| {
            if own == Interval::ZERO {
                own
            } else {
                slope.times(own).hull()
            }
        };
        let pairs = self.slopes.iter().zip(&other.slopes);
        Self {
            values: image.values,
            slopes: pairs
                .map(|(a, b)| times(slopes.0, *a).plus(times(slopes.1, *b)).hull())
                .collect(),
            is_defined: self.is_defined && other.is_defined && image.is_defined,
            is_continuous: self.is_continuous && other.is_continuous && image.is_continuous,
        }
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.slopes.iter().all(|slope| *slope == Interval::ZERO)
    }

    /// The sum.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let values = self.values.plus(other.values);
        let slopes = (interval_one(), interval_one());
        self.joined(other, continuous_image(values), slopes)
    }

    /// The difference.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let values = self.values.minus(other.values);
        let slopes = (interval_one(), interval_one().negated());
        self.joined(other, continuous_image(values), slopes)
    }

    /// The product.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let values = self.values.times(other.values);
        self.joined(other, continuous_image(values), (other.values, self.values))
    }

    /// The quotient.
    ///
    /// # Errors
    /// Division by zero alone.
    pub(crate) fn over(&self, other: &Self) -> BoxResult {
        let quotient = self.values.over(other.values);
        let image = quotient.ok_or(EvaluationFault::DivisionByZero)?;
        let inverse = reciprocal_image(other.values)?.values;
        let slopes = (inverse, image.values.times(inverse).negated());
        Ok(self.joined(other, image, slopes))
    }

    /// The smaller, or the larger, of two operands.
    pub(crate) fn extreme(&self, other: &Self, pick: fn(f64, f64) -> f64) -> Self {
        let (x, y) = (self.values.hull(), other.values.hull());
        let values = Interval::new(pick(x.lo, y.lo), pick(x.hi, y.hi));
        let is_min = pick(0.0, 1.0) == 0.0;
        let (first, second) = if is_min { (x, y) } else { (y, x) };
        let image = continuous_image(values);
        if first.hi < second.lo {
            return self.joined(other, image, (interval_one(), Interval::ZERO));
        }
        if second.hi < first.lo {
            return self.joined(other, image, (Interval::ZERO, interval_one()));
        }
        // The slope of one of them: the hull of both, which the sum of shares would widen.
        let share = Interval::new(0.0, 1.0);
        let mut found = self.joined(other, image, (share, share));
        let pairs = self.slopes.iter().zip(&other.slopes);
        for (slope, (p, q)) in found.slopes.iter_mut().zip(pairs) {
            *slope = p.union(*q);
        }
        found
    }

    /// 1 where a relation holds and 0 where it does not, from the orders in which it holds.
    pub(crate) fn compared(&self, other: &Self, holds: fn(Ordering) -> bool) -> Self {
        let (x, y) = (self.values.hull(), other.values.hull());
        let orders = [
            (Ordering::Less, x.lo < y.hi),
            (Ordering::Equal, x.lo <= y.hi && y.lo <= x.hi),
            (Ordering::Greater, x.hi > y.lo),
        ];
        let possible = |truth: bool| {
            let is_such =
                |(order, is_possible): &(Ordering, bool)| *is_possible && holds(*order) == truth;
            orders.iter().any(is_such)
        };
        let values = match (possible(true), possible(false)) {
            (true, false) => interval_one(),
            (false, true) => Interval::ZERO,
            _ => Interval::new(0.0, 1.0),
        };
        self.joined(other, step(values), (Interval::ZERO, Interval::ZERO))
    }

    /// The power.
    ///
    /// # Errors
    /// A base without powers, division by zero.
    pub(crate) fn power(&self, b: &Self) -> BoxResult {
        let a = self;
        const WHOLE_MAX: f64 = 1024.0;
        let (x, y) = (a.values, b.values);
        let is_whole =
            y.lo == y.hi && y.lo.fract() == 0.0 && y.lo.abs() <= WHOLE_MAX && b.is_constant();
        if is_whole {
            let n = y.lo.abs() as u32;
            let image = if y.lo < 0.0 {
                reciprocal_image(x.power(n))?
            } else {
                continuous_image(x.power(n))
            };
            let slope = if y.lo == 0.0 {
                Interval::ZERO
            } else if y.lo > 0.0 {
                y.times(x.power(n - 1))
            } else {
                y.times(reciprocal_image(x.power(n + 1))?.values)
            };
            return Ok(a.joined(b, image, (slope, Interval::ZERO)));
        }
        let image = x.real_power(y).ok_or(EvaluationFault::Domain)?;
        let lower = x
            .real_power(y.minus(interval_one()))
            .ok_or(EvaluationFault::Domain)?;
        let log = natural_logarithm_image(x).map_or(Interval::WHOLE, |(image, _)| image.values);
        Ok(a.joined(b, image, (y.times(lower.values), image.values.times(log))))
    }
}

fn reciprocal_image(x: Interval) -> Result<IntervalImage, EvaluationFault> {
    x.reciprocal().ok_or(EvaluationFault::DivisionByZero)
}
