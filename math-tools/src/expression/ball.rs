//! Midpoint-radius (ball) arithmetic at arbitrary precision.

use std::cmp::Ordering;

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use num_bigint::{BigInt, BigUint};
use tool_core::Ctx;

use super::fault::EvaluationFault;
use super::magnitude::ErrorMagnitude;
use super::rational::Rational;

/// All numbers within the radius of the middle.
#[derive(Debug, Clone)]
pub(crate) struct Ball {
    pub(super) middle: BigFloat,
    pub(super) radius: ErrorMagnitude,
}

/// A value on the way: exact while that is short.
#[derive(Debug, Clone)]
pub(crate) enum ExactOrBall {
    /// The number itself.
    Exact(Rational),
    /// Numbers around it.
    Ball(Ball),
}

/// A ball, or why there is none.
pub(crate) type BallResult = Result<Ball, EvaluationFault>;

/// Largest binary exponent of a result.
const EXPONENT_MAX: i64 = 300_000_000;
/// Largest binary exponent of the argument of a periodic function, and of a number to be rounded to an integer.
pub(super) const ARGUMENT_EXPONENT_MAX: i64 = 1 << 16;
pub(super) const NEAREST: RoundingMode = RoundingMode::ToEven;

impl Ball {
    /// The ball of opposite sign.
    pub(super) fn negated(&self) -> Self {
        Self {
            middle: self.middle.neg(),
            radius: self.radius,
        }
    }

    pub(super) fn exact(middle: BigFloat) -> Self {
        Self {
            middle,
            radius: ErrorMagnitude::ZERO,
        }
    }

    /// A bound on the magnitude of its numbers.
    pub(super) fn magnitude(&self) -> ErrorMagnitude {
        magnitude_of_float(&self.middle).add(self.radius)
    }

    /// A lower bound on the magnitude of its numbers; not for balls around zero.
    pub(super) fn magnitude_low(&self) -> ErrorMagnitude {
        /// Radii below a middle by this many bits take less than `SLACK` of it.
        const NARROW: i64 = 22;
        const SLACK: f64 = 1e-6;
        let middle = magnitude_of_float(&self.middle);
        if self.radius.is_zero() || self.radius.exponent() + NARROW < middle.exponent() {
            return middle.lowered(SLACK);
        }
        // The middle is at least twice the radius: at least half of it is left, which one exponent less says.
        ErrorMagnitude::power_of_two(i64::from(self.middle.exponent().unwrap_or(0)) - 2)
    }

    /// The sign that all its numbers share.
    pub(super) fn sign(&self) -> Result<i32, EvaluationFault> {
        if self.middle.is_zero() && self.radius.is_zero() {
            return Ok(0);
        }
        let low = ErrorMagnitude::power_of_two(i64::from(self.middle.exponent().unwrap_or(0)) - 1);
        if self.middle.is_zero() || !self.radius.far_below(low) {
            return Err(EvaluationFault::Undecided);
        }
        Ok(if self.middle.is_negative() { -1 } else { 1 })
    }

    /// The exponent of ten of its leading digit, or one less or more.
    pub(super) fn decimal_exponent_estimate(&self) -> i64 {
        let exponent = f64::from(self.middle.exponent().unwrap_or(0));
        ((exponent - 0.5) * std::f64::consts::LOG10_2).floor() as i64
    }
}

pub(super) fn magnitude_of_float(x: &BigFloat) -> ErrorMagnitude {
    match (x.exponent(), x.mantissa_digits()) {
        (Some(exponent), Some(words)) if !x.is_zero() => {
            let top = *words.last().unwrap_or(&0) as f64; // at least 2^63
            ErrorMagnitude::new(top * (1.0 + 1e-15), i64::from(exponent) - 64)
        }
        _ => ErrorMagnitude::ZERO,
    }
}

/// The context of ball arithmetic: precision in bits, cached constants and the values of the variables.
pub(crate) struct BallArithmetic<'a> {
    pub(super) bits: usize,
    pub(super) consts: &'a mut Consts,
    /// The values of the variables.
    pub(super) slots: &'a [Rational],
    pub(super) ctx: &'a Ctx,
}

impl BallArithmetic<'_> {
    /// Fails when the call is stopped.
    pub(super) fn check_stop(&self) -> Result<(), EvaluationFault> {
        self.ctx.check().map_err(|_| EvaluationFault::Stopped)
    }

    /// A rounded middle with what it was rounded by added to the radius: two units in the last place, where half of one would do.
    pub(super) fn rounded(&self, middle: BigFloat, radius: ErrorMagnitude) -> BallResult {
        if middle.is_nan() {
            return Err(EvaluationFault::Domain);
        }
        let Some(exponent) = middle.exponent() else {
            return Err(EvaluationFault::Exponent);
        };
        let exponent = i64::from(exponent);
        if middle.is_zero() {
            return Ok(Ball { middle, radius });
        }
        if exponent.abs() > EXPONENT_MAX {
            return Err(EvaluationFault::Exponent);
        }
        let unit = ErrorMagnitude::power_of_two(exponent - self.bits as i64 + 1);
        Ok(Ball {
            middle,
            radius: radius.add(unit),
        })
    }

    pub(super) fn small(&self, value: i32) -> Ball {
        const BITS: usize = 64; // one word is the quickest operand
        Ball::exact(BigFloat::from_i32(value, BITS))
    }

    fn whole(&self, value: &BigUint, sign: Sign) -> BigFloat {
        let words = value.to_u64_digits();
        if words.is_empty() {
            return BigFloat::from_i32(0, self.bits);
        }
        BigFloat::from_words(&words, sign, (64 * words.len()) as i32)
    }

    pub(super) fn rational(&mut self, value: &Rational) -> BallResult {
        let sign = if value.is_negative() {
            Sign::Neg
        } else {
            Sign::Pos
        };
        let numerator = self.whole(value.numerator().magnitude(), sign);
        if value.is_integer() {
            return Ok(Ball::exact(numerator));
        }
        let denominator = self.whole(value.denominator_magnitude(), Sign::Pos);
        self.rounded(
            numerator.div(&denominator, self.bits, NEAREST),
            ErrorMagnitude::ZERO,
        )
    }

    /// The ball of a value.
    pub(super) fn ball(&mut self, number: &ExactOrBall) -> BallResult {
        match number {
            ExactOrBall::Exact(value) => self.rational(value),
            ExactOrBall::Ball(ball) => Ok(ball.clone()),
        }
    }

    /// A named number, known by its nearest double.
    pub(super) fn constant(&mut self, value: f64) -> BallResult {
        use std::f64::consts;
        if value == consts::PI || value == consts::TAU {
            let pi = self.pi()?;
            return if value == consts::PI {
                Ok(pi)
            } else {
                self.mul(&pi, &self.small(2))
            };
        }
        if value == consts::E {
            let e = self.consts.e(self.bits, NEAREST);
            return self.rounded(e, ErrorMagnitude::ZERO);
        }
        Err(EvaluationFault::Unsupported)
    }

    pub(super) fn pi(&mut self) -> BallResult {
        let pi = self.consts.pi(self.bits, NEAREST);
        self.rounded(pi, ErrorMagnitude::ZERO)
    }

    pub(super) fn add(&mut self, a: &Ball, b: &Ball) -> BallResult {
        self.rounded(
            a.middle.add(&b.middle, self.bits, NEAREST),
            a.radius.add(b.radius),
        )
    }

    pub(super) fn sub(&mut self, a: &Ball, b: &Ball) -> BallResult {
        self.rounded(
            a.middle.sub(&b.middle, self.bits, NEAREST),
            a.radius.add(b.radius),
        )
    }

    /// The order that all numbers of a ball have to all of another.
    pub(super) fn order(&mut self, a: &Ball, b: &Ball) -> Result<Ordering, EvaluationFault> {
        Ok(self.sub(a, b)?.sign()?.cmp(&0))
    }

    pub(super) fn mul(&mut self, a: &Ball, b: &Ball) -> BallResult {
        let radius = a
            .radius
            .mul(b.magnitude())
            .add(magnitude_of_float(&a.middle).mul(b.radius));
        self.rounded(a.middle.mul(&b.middle, self.bits, NEAREST), radius)
    }

    pub(super) fn div(&mut self, a: &Ball, b: &Ball) -> BallResult {
        if b.sign()? == 0 {
            return Err(EvaluationFault::DivisionByZero);
        }
        let low = b.magnitude_low();
        // |a/b - (a + r)/(b + s)| <= (r |b| + |a| s) / (|b| (|b| - s))
        let radius = a.radius.div(low).add(
            magnitude_of_float(&a.middle)
                .mul(b.radius)
                .div(low)
                .div(low),
        );
        self.rounded(a.middle.div(&b.middle, self.bits, NEAREST), radius)
    }

    /// A power with a whole exponent, by repeated squaring.
    pub(super) fn whole_power(&mut self, base: &Ball, exponent: i64) -> BallResult {
        let mut power = self.small(1);
        let mut square = base.clone();
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                power = self.mul(&power, &square)?;
            }
            left >>= 1;
            if left > 0 {
                square = self.mul(&square, &square)?;
            }
        }
        if exponent < 0 {
            self.div(&self.small(1), &power)
        } else {
            Ok(power)
        }
    }

    pub(super) fn times_power_of_ten(&mut self, ball: &Ball, exponent: i64) -> BallResult {
        let power = self.whole_power(&self.small(10), exponent.abs())?;
        if exponent < 0 {
            self.div(ball, &power)
        } else {
            self.mul(ball, &power)
        }
    }

    /// The integer that all numbers of the ball round to.
    pub(super) fn nearest_integer(&mut self, ball: &Ball) -> Result<BigInt, EvaluationFault> {
        let half = Ball::exact(BigFloat::from_f64(0.5, 64));
        let above = self.add(ball, &half)?;
        self.floor_integer(&above)
    }

    pub(super) fn floor(&mut self, x: &Ball) -> BallResult {
        let below = self.floor_integer(x)?;
        Ok(self.whole_ball(&below))
    }

    pub(super) fn ceil(&mut self, x: &Ball) -> BallResult {
        let below = self.floor_integer(&x.negated())?;
        Ok(self.whole_ball(&-below))
    }

    /// Towards zero.
    pub(super) fn trunc(&mut self, x: &Ball) -> BallResult {
        if x.sign()? < 0 {
            self.ceil(x)
        } else {
            self.floor(x)
        }
    }

    /// The integer below all numbers of the ball.
    pub(super) fn floor_integer(&mut self, ball: &Ball) -> Result<BigInt, EvaluationFault> {
        let exponent = i64::from(ball.middle.exponent().unwrap_or(0));
        if exponent > ARGUMENT_EXPONENT_MAX {
            return Err(EvaluationFault::Argument);
        }
        let below = ball.middle.floor();
        if !ball.radius.is_zero() {
            // The distances to the integers below and above must exceed the radius.
            let full = self.bits + 64;
            let above = below.add(&BigFloat::from_i32(1, 64), full, NEAREST);
            for distance in [
                ball.middle.sub(&below, full, NEAREST),
                above.sub(&ball.middle, full, NEAREST),
            ] {
                let low =
                    ErrorMagnitude::power_of_two(i64::from(distance.exponent().unwrap_or(0)) - 1);
                if distance.is_zero() || !ball.radius.far_below(low) {
                    return Err(EvaluationFault::Undecided);
                }
            }
        }
        Ok(integer_of_float(&below))
    }

    pub(super) fn whole_ball(&mut self, value: &BigInt) -> Ball {
        let sign = if value.sign() == num_bigint::Sign::Minus {
            Sign::Neg
        } else {
            Sign::Pos
        };
        Ball::exact(self.whole(value.magnitude(), sign))
    }
}

/// The integer that a whole number of moderate size is.
pub(super) fn integer_of_float(x: &BigFloat) -> BigInt {
    let (Some(exponent), Some(words)) = (x.exponent(), x.mantissa_digits()) else {
        return BigInt::from(0);
    };
    if x.is_zero() {
        return BigInt::from(0);
    }
    let digits: Vec<u32> = words
        .iter()
        .flat_map(|&word| [word as u32, (word >> 32) as u32])
        .collect();
    let shift = i64::from(exponent) - 64 * words.len() as i64;
    let mantissa = BigUint::new(digits);
    let magnitude = if shift >= 0 {
        mantissa << shift
    } else {
        mantissa >> -shift
    };
    let sign = if x.is_negative() {
        num_bigint::Sign::Minus
    } else {
        num_bigint::Sign::Plus
    };
    BigInt::from_biguint(sign, magnitude)
}
