//! Balls: numbers of many bits with a radius that the true value cannot leave.

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use num_bigint::{BigInt, BigUint};
use tool_core::{Ctx, ToolError};

use super::functions::{Binary, Unary};
use super::magnitude::Magnitude;
use super::rational::Rational;

/// Why an operation on balls has no result.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    /// More bits may decide it.
    Undecided,
    /// Outside the function's domain.
    Domain,
    DivisionByZero,
    /// The exponent is beyond the range.
    Overflow,
    /// The argument would need more bits than are allowed.
    TooLarge,
    /// There is no such function here.
    Unsupported,
    /// The call was stopped.
    Stopped(ToolError),
}

/// All numbers within the radius of the middle.
#[derive(Debug, Clone)]
pub(super) struct Ball {
    pub(super) middle: BigFloat,
    pub(super) radius: Magnitude,
}

pub(super) type Answer = Result<Ball, Fault>;

/// Largest binary exponent of a result.
const EXPONENT_MAX: i64 = 300_000_000;
/// Largest binary exponent of the argument of a periodic function, and of a number to be rounded to an integer.
const ARGUMENT_EXPONENT_MAX: i64 = 1 << 16;
const NEAREST: RoundingMode = RoundingMode::ToEven;

impl Ball {
    pub(super) fn exact(middle: BigFloat) -> Self {
        Self {
            middle,
            radius: Magnitude::ZERO,
        }
    }

    /// A bound on the magnitude of its numbers.
    pub(super) fn magnitude(&self) -> Magnitude {
        magnitude(&self.middle).add(self.radius)
    }

    /// A lower bound on the magnitude of its numbers; not for balls around zero.
    fn magnitude_low(&self) -> Magnitude {
        /// Radii below a middle by this many bits take less than `SLACK` of it.
        const NARROW: i64 = 22;
        const SLACK: f64 = 1e-6;
        let middle = magnitude(&self.middle);
        if self.radius.is_zero() || self.radius.exponent() + NARROW < middle.exponent() {
            return middle.lowered(SLACK);
        }
        // The middle is at least twice the radius: at least half of it is left, which one exponent less says.
        Magnitude::power_of_two(i64::from(self.middle.exponent().unwrap_or(0)) - 2)
    }

    /// The sign that all its numbers share.
    pub(super) fn sign(&self) -> Result<i32, Fault> {
        if self.middle.is_zero() && self.radius.is_zero() {
            return Ok(0);
        }
        let low = Magnitude::power_of_two(i64::from(self.middle.exponent().unwrap_or(0)) - 1);
        if self.middle.is_zero() || !self.radius.far_below(low) {
            return Err(Fault::Undecided);
        }
        Ok(if self.middle.is_negative() { -1 } else { 1 })
    }

    /// The exponent of ten of its leading digit, or one less or more.
    pub(super) fn decimal_exponent_estimate(&self) -> i64 {
        let exponent = f64::from(self.middle.exponent().unwrap_or(0));
        ((exponent - 0.5) * std::f64::consts::LOG10_2).floor() as i64
    }
}

fn magnitude(x: &BigFloat) -> Magnitude {
    match (x.exponent(), x.mantissa_digits()) {
        (Some(exponent), Some(words)) if !x.is_zero() => {
            let top = *words.last().unwrap_or(&0) as f64; // at least 2^63
            Magnitude::new(top * (1.0 + 1e-15), i64::from(exponent) - 64)
        }
        _ => Magnitude::ZERO,
    }
}

/// What balls are computed with: the number of bits, and the constants.
pub(super) struct Machine<'a> {
    pub(super) bits: usize,
    consts: &'a mut Consts,
    pub(super) ctx: &'a Ctx,
}

impl<'a> Machine<'a> {
    pub(super) fn new(bits: usize, consts: &'a mut Consts, ctx: &'a Ctx) -> Self {
        Self { bits, consts, ctx }
    }

    /// A rounded middle with what it was rounded by added to the radius: two units in the last place, where half of one would do.
    fn rounded(&self, middle: BigFloat, radius: Magnitude) -> Answer {
        if middle.is_nan() {
            return Err(Fault::Domain);
        }
        let Some(exponent) = middle.exponent() else {
            return Err(Fault::Overflow);
        };
        let exponent = i64::from(exponent);
        if middle.is_zero() {
            return Ok(Ball { middle, radius });
        }
        if exponent.abs() > EXPONENT_MAX {
            return Err(Fault::Overflow);
        }
        let unit = Magnitude::power_of_two(exponent - self.bits as i64 + 1);
        Ok(Ball {
            middle,
            radius: radius.add(unit),
        })
    }

    pub(super) fn small(&self, value: i32) -> Ball {
        Ball::exact(BigFloat::from_i32(value, self.bits))
    }

    fn whole(&self, value: &BigUint, sign: Sign) -> BigFloat {
        let words = value.to_u64_digits();
        if words.is_empty() {
            return BigFloat::from_i32(0, self.bits);
        }
        BigFloat::from_words(&words, sign, (64 * words.len()) as i32)
    }

    pub(super) fn rational(&mut self, value: &Rational) -> Answer {
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
            Magnitude::ZERO,
        )
    }

    /// A named number, known by its nearest double.
    pub(super) fn constant(&mut self, value: f64) -> Answer {
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
            return self.rounded(e, Magnitude::ZERO);
        }
        Err(Fault::Unsupported)
    }

    pub(super) fn pi(&mut self) -> Answer {
        let pi = self.consts.pi(self.bits, NEAREST);
        self.rounded(pi, Magnitude::ZERO)
    }

    pub(super) fn add(&mut self, a: &Ball, b: &Ball) -> Answer {
        self.rounded(
            a.middle.add(&b.middle, self.bits, NEAREST),
            a.radius.add(b.radius),
        )
    }

    pub(super) fn sub(&mut self, a: &Ball, b: &Ball) -> Answer {
        self.rounded(
            a.middle.sub(&b.middle, self.bits, NEAREST),
            a.radius.add(b.radius),
        )
    }

    pub(super) fn mul(&mut self, a: &Ball, b: &Ball) -> Answer {
        let radius = a
            .radius
            .mul(b.magnitude())
            .add(magnitude(&a.middle).mul(b.radius));
        self.rounded(a.middle.mul(&b.middle, self.bits, NEAREST), radius)
    }

    pub(super) fn div(&mut self, a: &Ball, b: &Ball) -> Answer {
        if b.sign()? == 0 {
            return Err(Fault::DivisionByZero);
        }
        let low = b.magnitude_low();
        // |a/b - (a + r)/(b + s)| <= (r |b| + |a| s) / (|b| (|b| - s))
        let radius = a
            .radius
            .div(low)
            .add(magnitude(&a.middle).mul(b.radius).div(low).div(low));
        self.rounded(a.middle.div(&b.middle, self.bits, NEAREST), radius)
    }

    /// A power with a whole exponent, by repeated squaring.
    pub(super) fn whole_power(&mut self, base: &Ball, exponent: i64) -> Answer {
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

    pub(super) fn times_power_of_ten(&mut self, ball: &Ball, exponent: i64) -> Answer {
        let power = self.whole_power(&self.small(10), exponent.abs())?;
        if exponent < 0 {
            self.div(ball, &power)
        } else {
            self.mul(ball, &power)
        }
    }

    /// The integer that all numbers of the ball round to.
    pub(super) fn nearest_integer(&mut self, ball: &Ball) -> Result<BigInt, Fault> {
        let half = Ball::exact(BigFloat::from_f64(0.5, 64));
        let above = self.add(ball, &half)?;
        self.floor_integer(&above)
    }

    /// The integer below all numbers of the ball.
    pub(super) fn floor_integer(&mut self, ball: &Ball) -> Result<BigInt, Fault> {
        let exponent = i64::from(ball.middle.exponent().unwrap_or(0));
        if exponent > ARGUMENT_EXPONENT_MAX {
            return Err(Fault::TooLarge);
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
                let low = Magnitude::power_of_two(i64::from(distance.exponent().unwrap_or(0)) - 1);
                if distance.is_zero() || !ball.radius.far_below(low) {
                    return Err(Fault::Undecided);
                }
            }
        }
        Ok(integer(&below))
    }

    pub(super) fn whole_ball(&mut self, value: &BigInt) -> Ball {
        let sign = if value.sign() == num_bigint::Sign::Minus {
            Sign::Neg
        } else {
            Sign::Pos
        };
        Ball::exact(self.whole(value.magnitude(), sign))
    }

    /// The radius grows by at most `factor`.
    fn with_slope(&mut self, middle: BigFloat, radius: Magnitude, factor: Magnitude) -> Answer {
        self.rounded(middle, radius.mul(factor))
    }

    pub(super) fn unary(&mut self, op: Unary, x: &Ball) -> Answer {
        use Unary::{
            Abs, Acos, Acosh, Asin, Asinh, Atan, Atanh, Cbrt, Ceil, Cos, Cosh, Degrees, Erf, Erfc,
            Exp, Expm1, Factorial, Floor, Gamma, Lgamma, Ln, Log1p, Log2, Log10, Neg, Radians,
            Round, Sign, Sin, Sinh, Sqrt, Square, Tan, Tanh, Trunc,
        };
        let one = Magnitude::power_of_two(0);
        let (bits, middle, radius) = (self.bits, &x.middle, x.radius);
        match op {
            Neg => Ok(Ball {
                middle: middle.neg(),
                radius,
            }),
            Abs => Ok(Ball {
                middle: middle.abs(),
                radius,
            }),
            Square => self.mul(x, x),
            Sign => Ok(self.small(x.sign()?)),
            Exp => self.exp(x),
            Expm1 => {
                let exp = self.exp(x)?;
                self.sub(&exp, &self.small(1))
            }
            Ln => self.ln(x),
            Log1p => {
                let sum = self.add(x, &self.small(1))?;
                self.ln(&sum)
            }
            Log2 => self.log_base(x, 2),
            Log10 => self.log_base(x, 10),
            Sin | Cos | Tan => {
                if magnitude(middle).exponent() > ARGUMENT_EXPONENT_MAX {
                    return Err(Fault::TooLarge);
                }
                match op {
                    Sin => {
                        let value = middle.sin(bits, NEAREST, self.consts);
                        self.with_slope(value, radius, one)
                    }
                    Cos => {
                        let value = middle.cos(bits, NEAREST, self.consts);
                        self.with_slope(value, radius, one)
                    }
                    _ => {
                        let (sine, cosine) = (self.unary(Sin, x)?, self.unary(Cos, x)?);
                        self.div(&sine, &cosine)
                    }
                }
            }
            Sqrt => {
                if middle.is_zero() && radius.is_zero() {
                    return Ok(x.clone());
                }
                if x.sign()? < 0 {
                    return Err(Fault::Domain);
                }
                let root = middle.sqrt(bits, NEAREST);
                let slope = one.div(low_of(&root));
                self.with_slope(root, radius, slope)
            }
            Cbrt => {
                x.sign()?;
                let root = middle.cbrt(bits, NEAREST);
                let low = low_of(&root);
                let slope = Magnitude::power_of_two(1).div(low).div(low);
                self.with_slope(root, radius, slope)
            }
            Asinh => {
                let value = middle.asinh(bits, NEAREST, self.consts);
                self.with_slope(value, radius, one)
            }
            Atan => {
                let value = middle.atan(bits, NEAREST, self.consts);
                self.with_slope(value, radius, one)
            }
            Tanh => {
                let value = middle.tanh(bits, NEAREST, self.consts);
                self.with_slope(value, radius, one)
            }
            Sinh | Cosh => {
                let exp = self.exp(x)?;
                let inverse = self.div(&self.small(1), &exp)?;
                let twice = if op == Sinh {
                    self.sub(&exp, &inverse)?
                } else {
                    self.add(&exp, &inverse)?
                };
                self.div(&twice, &self.small(2))
            }
            Asin | Acos => self.arc(op, x),
            Acosh => {
                // ln(x + sqrt((x - 1) (x + 1)))
                let (less, more) = (self.sub(x, &self.small(1))?, self.add(x, &self.small(1))?);
                let product = self.mul(&less, &more)?;
                if less.sign()? < 0 {
                    return Err(Fault::Domain);
                }
                let root = self.unary(Sqrt, &product)?;
                let sum = self.add(x, &root)?;
                self.ln(&sum)
            }
            Atanh => {
                // ln((1 + x) / (1 - x)) / 2
                let (more, less) = (self.add(&self.small(1), x)?, self.sub(&self.small(1), x)?);
                if more.sign()? <= 0 || less.sign()? <= 0 {
                    return Err(Fault::Domain);
                }
                let quotient = self.div(&more, &less)?;
                let ln = self.ln(&quotient)?;
                self.div(&ln, &self.small(2))
            }
            Degrees | Radians => {
                let (pi, half_turn) = (self.pi()?, self.small(180));
                let (times, over) = if op == Degrees {
                    (half_turn, pi)
                } else {
                    (pi, half_turn)
                };
                let product = self.mul(x, &times)?;
                self.div(&product, &over)
            }
            Floor => self.floor_integer(x).map(|value| self.whole_ball(&value)),
            Round => self.nearest_integer(x).map(|value| self.whole_ball(&value)),
            Ceil => {
                let below = self.floor_integer(&Ball {
                    middle: middle.neg(),
                    radius,
                })?;
                Ok(self.whole_ball(&-below))
            }
            Trunc => self.unary(if x.sign()? < 0 { Ceil } else { Floor }, x),
            Erf => self.erf(x),
            Erfc => {
                let erf = self.erf(x)?;
                self.sub(&self.small(1), &erf)
            }
            Gamma => self.gamma(x),
            Lgamma => {
                let gamma = self.gamma(x)?;
                self.ln(&Ball {
                    middle: gamma.middle.abs(),
                    radius: gamma.radius,
                })
            }
            Factorial => Err(Fault::TooLarge),
            Unary::Re | Unary::Conj => Ok(x.clone()),
            Unary::Im => Ok(self.small(0)),
            Unary::Arg => {
                if x.sign()? < 0 {
                    self.pi()
                } else {
                    Ok(self.small(0))
                }
            }
            #[allow(unreachable_patterns)] // functions that are known in doubles only
            _ => Err(Fault::Unsupported),
        }
    }

    pub(super) fn binary(&mut self, op: Binary, a: &Ball, b: &Ball) -> Answer {
        match op {
            Binary::Add => self.add(a, b),
            Binary::Sub => self.sub(a, b),
            Binary::Mul => self.mul(a, b),
            Binary::Div => self.div(a, b),
            Binary::Mod | Binary::Fmod => {
                let quotient = self.div(a, b)?;
                let rounding = if op == Binary::Mod {
                    Unary::Floor
                } else {
                    Unary::Trunc
                };
                let whole = self.unary(rounding, &quotient)?;
                let part = self.mul(&whole, b)?;
                self.sub(a, &part)
            }
            Binary::Pow => {
                if a.sign()? < 0 {
                    return Err(Fault::Domain);
                }
                if a.sign()? == 0 {
                    return match b.sign()? {
                        -1 => Err(Fault::DivisionByZero),
                        0 => Ok(self.small(1)),
                        _ => Ok(self.small(0)),
                    };
                }
                let ln = self.ln(a)?;
                let exponent = self.mul(b, &ln)?;
                self.exp(&exponent)
            }
            Binary::Hypot => {
                let (a, b) = (self.mul(a, a)?, self.mul(b, b)?);
                let sum = self.add(&a, &b)?;
                self.unary(Unary::Sqrt, &sum)
            }
            Binary::LogBase => {
                let (a, b) = (self.ln(a)?, self.ln(b)?);
                self.div(&a, &b)
            }
            Binary::Atan2 => self.angle(a, b),
            #[allow(unreachable_patterns)] // functions that are known in doubles only
            _ => Err(Fault::Unsupported),
        }
    }

    pub(super) fn exp(&mut self, x: &Ball) -> Answer {
        let size = x.magnitude().exponent();
        if size > 40 {
            return Err(Fault::Overflow);
        }
        if !x.radius.is_zero() && x.radius.exponent() > -2 {
            return Err(Fault::Undecided);
        }
        let exp = x.middle.exp(self.bits, NEAREST, self.consts);
        // exp(r) - 1 <= 2 r up to 1
        let slope = magnitude(&exp).mul(Magnitude::power_of_two(1));
        self.with_slope(exp, x.radius, slope)
    }

    pub(super) fn ln(&mut self, x: &Ball) -> Answer {
        if x.sign()? <= 0 {
            return Err(Fault::Domain);
        }
        let slope = Magnitude::power_of_two(0).div(x.magnitude_low());
        let ln = x.middle.ln(self.bits, NEAREST, self.consts);
        self.with_slope(ln, x.radius, slope)
    }

    fn log_base(&mut self, x: &Ball, base: i32) -> Answer {
        let ln = self.ln(x)?;
        let base = self.ln(&self.small(base))?;
        self.div(&ln, &base)
    }

    /// Arc sine and cosine by the arc tangent of `x / sqrt((1 - x) (1 + x))`.
    fn arc(&mut self, op: Unary, x: &Ball) -> Answer {
        let (less, more) = (self.sub(&self.small(1), x)?, self.add(&self.small(1), x)?);
        let product = self.mul(&less, &more)?;
        let inside = if less.radius.is_zero() || more.radius.is_zero() {
            1
        } else {
            product.sign()?
        };
        let edge = less.middle.is_zero() || more.middle.is_zero();
        if less.middle.is_negative() || more.middle.is_negative() || inside < 0 {
            return Err(Fault::Domain);
        }
        let angle = if edge {
            // only an exact 1 or -1
            let pi = self.pi()?;
            let quarter = self.div(&pi, &self.small(2))?;
            if x.middle.is_negative() {
                Ball {
                    middle: quarter.middle.neg(),
                    ..quarter
                }
            } else {
                quarter
            }
        } else {
            let root = self.unary(Unary::Sqrt, &product)?;
            let tangent = self.div(x, &root)?;
            self.unary(Unary::Atan, &tangent)?
        };
        if op == Unary::Asin {
            return Ok(angle);
        }
        let pi = self.pi()?;
        let quarter = self.div(&pi, &self.small(2))?;
        self.sub(&quarter, &angle)
    }

    /// The angle of the point (x, y).
    fn angle(&mut self, y: &Ball, x: &Ball) -> Answer {
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
        let angle = self.unary(Unary::Atan, &quotient)?;
        match (x_sign, y_sign) {
            (1, _) => Ok(angle),
            (_, -1) => self.sub(&angle, &pi),
            _ => self.add(&angle, &pi),
        }
    }
}

/// A lower bound of a magnitude that is not zero.
fn low_of(x: &BigFloat) -> Magnitude {
    Magnitude::power_of_two(i64::from(x.exponent().unwrap_or(0)) - 2)
}

/// The integer that a whole number of moderate size is.
fn integer(x: &BigFloat) -> BigInt {
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
