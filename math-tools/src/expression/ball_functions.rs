//! Elementary functions of balls: the function of the midpoint, and the radius times a bound of the slope.

use astro_float_num::{BigFloat, Consts, RoundingMode};

use super::ball::{
    ARGUMENT_EXPONENT_MAX, Ball, BallArithmetic, BallResult, NEAREST, integer_of_float,
    magnitude_of_float,
};
use super::fault::EvaluationFault;
use super::magnitude::ErrorMagnitude;

/// Bits beyond those of the precision that an operand keeps.
const GUARD_BITS: usize = 64;

impl BallArithmetic<'_> {
    /// The radius grows by at most `factor`.
    fn with_slope(
        &mut self,
        middle: BigFloat,
        radius: ErrorMagnitude,
        factor: ErrorMagnitude,
    ) -> BallResult {
        self.rounded(middle, radius.mul(factor))
    }

    /// A function whose slope is nowhere above 1.
    pub(super) fn with_slope_of_one(
        &mut self,
        function: fn(&BigFloat, usize, RoundingMode, &mut Consts) -> BigFloat,
        x: &Ball,
    ) -> BallResult {
        let x = &self.cut(x);
        let value = function(&x.middle, self.bits, NEAREST, self.consts);
        self.with_slope(value, x.radius, ErrorMagnitude::power_of_two(0))
    }

    pub(super) fn sine(&mut self, x: &Ball) -> BallResult {
        self.sine_ahead(x, 0)
    }

    pub(super) fn cosine(&mut self, x: &Ball) -> BallResult {
        self.sine_ahead(x, 1)
    }

    /// The sine so many quarter turns ahead, 0 or 1. Only the reduction of a large angle takes its own bits; the series takes those of
    /// the precision.
    fn sine_ahead(&mut self, x: &Ball, ahead: u32) -> BallResult {
        /// Above, the angle is reduced here.
        const DIRECT_MAX: i64 = 32;
        let function = |ahead: u32| [BigFloat::sin, BigFloat::cos][ahead as usize % 2];
        let exponent = magnitude_of_float(&x.middle).exponent();
        if exponent > ARGUMENT_EXPONENT_MAX {
            return Err(EvaluationFault::Argument);
        }
        if exponent <= DIRECT_MAX {
            return self.with_slope_of_one(function(ahead), x);
        }
        let bits = self.bits;
        self.bits += exponent as usize + GUARD_BITS;
        let reduced = self.less_quarter_turns(x);
        self.bits = bits;
        let (rest, quarters) = reduced?;
        // sin(r + k pi/2) is sin(r), cos(r), -sin(r), -cos(r).
        let ahead = quarters + ahead;
        let value = self.with_slope_of_one(function(ahead), &rest)?;
        let is_negative = ahead % 4 >= 2;
        Ok(if is_negative { value.negated() } else { value })
    }

    /// An angle less the whole quarter turns in it, and their number modulo 4.
    fn less_quarter_turns(&mut self, x: &Ball) -> Result<(Ball, u32), EvaluationFault> {
        let quarter = self.quarter_turn()?;
        let quotient = self.div(x, &quarter)?;
        // Any whole number near the quotient will do.
        let count = integer_of_float(&quotient.middle.floor());
        let turns = self.whole_ball(&count);
        let multiple = self.mul(&turns, &quarter)?;
        let rest = self.sub(x, &multiple)?;
        let quarters = ((count % 4_i32) + 4_i32) % 4_i32;
        Ok((rest, u32::try_from(quarters).unwrap_or(0)))
    }

    /// The ball with a middle of no more bits than the precision and some to guard, for functions that would work with all the bits of
    /// their operand.
    pub(super) fn cut(&self, x: &Ball) -> Ball {
        let kept = self.bits + GUARD_BITS;
        let held = x.middle.mantissa_max_bit_len().unwrap_or(0);
        let Some(exponent) = x.middle.exponent().filter(|_| held > kept + GUARD_BITS) else {
            return x.clone();
        };
        let mut middle = x.middle.clone();
        if middle.set_precision(kept, NEAREST).is_err() {
            return x.clone();
        }
        let unit = ErrorMagnitude::power_of_two(i64::from(exponent) - kept as i64 + 1);
        Ball {
            middle,
            radius: x.radius.add(unit),
        }
    }

    /// The square root; its slope is bounded by the root at the lower end.
    pub(super) fn sqrt(&mut self, x: &Ball) -> BallResult {
        let x = &self.cut(x);
        if x.middle.is_zero() && x.radius.is_zero() {
            return Ok(x.clone());
        }
        if x.sign()? < 0 {
            return Err(EvaluationFault::Domain);
        }
        let root = x.middle.sqrt(self.bits, NEAREST);
        let slope = ErrorMagnitude::power_of_two(0).div(low_of(&root));
        self.with_slope(root, x.radius, slope)
    }

    /// The cube root; its slope is bounded by the root at the lower end.
    pub(super) fn cbrt(&mut self, x: &Ball) -> BallResult {
        let x = &self.cut(x);
        x.sign()?;
        let root = x.middle.cbrt(self.bits, NEAREST);
        let low = low_of(&root);
        let slope = ErrorMagnitude::power_of_two(1).div(low).div(low);
        self.with_slope(root, x.radius, slope)
    }

    /// A power of a number that is not negative.
    pub(super) fn real_power(&mut self, a: &Ball, b: &Ball) -> BallResult {
        if a.sign()? < 0 {
            return Err(EvaluationFault::Domain);
        }
        if a.sign()? == 0 {
            return match b.sign()? {
                -1 => Err(EvaluationFault::DivisionByZero),
                0 => Ok(self.small(1)),
                _ => Ok(self.small(0)),
            };
        }
        let ln = self.ln(a)?;
        let exponent = self.mul(b, &ln)?;
        self.exp(&exponent)
    }

    pub(super) fn exp(&mut self, x: &Ball) -> BallResult {
        let x = &self.cut(x);
        let size = x.magnitude().exponent();
        if size > 40 {
            return Err(EvaluationFault::Exponent);
        }
        if !x.radius.is_zero() && x.radius.exponent() > -2 {
            return Err(EvaluationFault::Undecided);
        }
        let exp = x.middle.exp(self.bits, NEAREST, self.consts);
        // exp(r) - 1 <= 2 r up to 1
        let slope = magnitude_of_float(&exp).mul(ErrorMagnitude::power_of_two(1));
        self.with_slope(exp, x.radius, slope)
    }

    pub(super) fn ln(&mut self, x: &Ball) -> BallResult {
        let x = &self.cut(x);
        if x.sign()? <= 0 {
            return Err(EvaluationFault::Domain);
        }
        let slope = ErrorMagnitude::power_of_two(0).div(x.magnitude_low());
        let ln = x.middle.ln(self.bits, NEAREST, self.consts);
        self.with_slope(ln, x.radius, slope)
    }

    /// The logarithm to a whole base.
    pub(super) fn log_base(&mut self, x: &Ball, base: i32) -> BallResult {
        let ln = self.ln(x)?;
        let base = self.ln(&self.small(base))?;
        self.div(&ln, &base)
    }

    /// Arc sine by the arc tangent of `x / sqrt((1 - x) (1 + x))`.
    pub(super) fn arc_sine(&mut self, x: &Ball) -> BallResult {
        let (less, more) = (self.sub(&self.small(1), x)?, self.add(&self.small(1), x)?);
        let product = self.mul(&less, &more)?;
        let inside = if less.radius.is_zero() || more.radius.is_zero() {
            1
        } else {
            product.sign()?
        };
        let edge = less.middle.is_zero() || more.middle.is_zero();
        if less.middle.is_negative() || more.middle.is_negative() || inside < 0 {
            return Err(EvaluationFault::Domain);
        }
        if edge {
            // only an exact 1 or -1
            let quarter = self.quarter_turn()?;
            return Ok(if x.middle.is_negative() {
                quarter.negated()
            } else {
                quarter
            });
        }
        let root = self.sqrt(&product)?;
        let tangent = self.div(x, &root)?;
        self.arc_tangent(&tangent)
    }

    pub(super) fn arc_cosine(&mut self, x: &Ball) -> BallResult {
        let angle = self.arc_sine(x)?;
        let quarter = self.quarter_turn()?;
        self.sub(&quarter, &angle)
    }

    pub(super) fn arc_tangent(&mut self, x: &Ball) -> BallResult {
        self.with_slope_of_one(BigFloat::atan, x)
    }

    fn quarter_turn(&mut self) -> BallResult {
        let pi = self.pi()?;
        self.div(&pi, &self.small(2))
    }

    /// The angle of the point (x, y).
    pub(super) fn angle(&mut self, y: &Ball, x: &Ball) -> BallResult {
        let (x_sign, y_sign) = (x.sign()?, y.sign()?);
        if x_sign == 0 && y_sign == 0 {
            return Ok(self.small(0));
        }
        let pi = self.pi()?;
        if x_sign == 0 {
            let quarter = self.div(&pi, &self.small(2))?;
            return self.mul(&quarter, &self.small(y_sign));
        }
        let quotient = self.div(y, x)?;
        let angle = self.arc_tangent(&quotient)?;
        match (x_sign, y_sign) {
            (1, _) => Ok(angle),
            (_, -1) => self.sub(&angle, &pi),
            _ => self.add(&angle, &pi),
        }
    }
}

/// A lower bound of a magnitude that is not zero.
fn low_of(x: &BigFloat) -> ErrorMagnitude {
    ErrorMagnitude::power_of_two(i64::from(x.exponent().unwrap_or(0)) - 2)
}
