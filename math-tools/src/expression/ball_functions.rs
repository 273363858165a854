//! Elementary functions of balls: the function of the midpoint, and the radius times a bound of the slope.

use astro_float_num::BigFloat;

use super::ball::{
    ARGUMENT_EXPONENT_MAX, Answer, Ball, BallArithmetic, NEAREST, integer_of_float,
    magnitude_of_float,
};
use super::evaluate::EvaluationFault;
use super::functions::{Binary, Unary};
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
    ) -> Answer {
        self.rounded(middle, radius.mul(factor))
    }

    /// A function of one ball.
    pub(super) fn unary(&mut self, op: Unary, x: &Ball) -> Answer {
        match op {
            Unary::Neg => Ok(x.negated()),
            Unary::Abs => Ok(Ball {
                middle: x.middle.abs(),
                radius: x.radius,
            }),
            Unary::Re | Unary::Conj => Ok(x.clone()),
            Unary::Im => Ok(self.small(0)),
            Unary::Sign => Ok(self.small(x.sign()?)),
            Unary::Arg if x.sign()? < 0 => self.pi(),
            Unary::Arg => Ok(self.small(0)),
            Unary::Square => self.mul(x, x),
            Unary::Reciprocal => self.div(&self.small(1), x),
            Unary::Exp => self.exp(x),
            Unary::Ln => self.ln(x),
            Unary::Log2 => self.log_base(x, 2),
            Unary::Log10 => self.log_base(x, 10),
            Unary::Sqrt | Unary::Cbrt => self.root(op, x),
            Unary::Sin | Unary::Cos => self.sine_or_cosine(op, x),
            Unary::Asinh | Unary::Atan | Unary::Tanh => self.with_slope_of_one(op, x),
            Unary::Asin | Unary::Acos => self.arc(op, x),
            Unary::Floor => self.floor_integer(x).map(|value| self.whole_ball(&value)),
            Unary::Round => self.nearest_integer(x).map(|value| self.whole_ball(&value)),
            Unary::Ceil => {
                let below = self.floor_integer(&x.negated())?;
                Ok(self.whole_ball(&-below))
            }
            Unary::Trunc if x.sign()? < 0 => self.unary(Unary::Ceil, x),
            Unary::Trunc => self.unary(Unary::Floor, x),
            Unary::Erf => self.erf(x),
            Unary::Gamma => self.gamma(x),
            Unary::Factorial => {
                let above = self.add(x, &self.small(1))?;
                self.gamma(&above)
            }
            _ => self.composed(op, x),
        }
    }

    /// Functions whose slope is nowhere above 1.
    fn with_slope_of_one(&mut self, op: Unary, x: &Ball) -> Answer {
        let x = &self.cut(x);
        let (bits, middle) = (self.bits, &x.middle);
        let value = match op {
            Unary::Sin => middle.sin(bits, NEAREST, self.consts),
            Unary::Cos => middle.cos(bits, NEAREST, self.consts),
            Unary::Asinh => middle.asinh(bits, NEAREST, self.consts),
            Unary::Atan => middle.atan(bits, NEAREST, self.consts),
            _ => middle.tanh(bits, NEAREST, self.consts),
        };
        self.with_slope(value, x.radius, ErrorMagnitude::power_of_two(0))
    }

    /// Sine and cosine. Only the reduction of a large angle takes its own bits; the series takes those of the precision.
    fn sine_or_cosine(&mut self, op: Unary, x: &Ball) -> Answer {
        /// Above, the angle is reduced here.
        const DIRECT_MAX: i64 = 32;
        let exponent = magnitude_of_float(&x.middle).exponent();
        if exponent > ARGUMENT_EXPONENT_MAX {
            return Err(EvaluationFault::Argument);
        }
        if exponent <= DIRECT_MAX {
            return self.with_slope_of_one(op, x);
        }
        let bits = self.bits;
        self.bits += exponent as usize + GUARD_BITS;
        let reduced = self.less_quarter_turns(x);
        self.bits = bits;
        let (rest, quarters) = reduced?;
        // sin(r + k pi/2) is sin(r), cos(r), -sin(r), -cos(r); the cosine is one ahead.
        let ahead = quarters + u32::from(op == Unary::Cos);
        let op = [Unary::Sin, Unary::Cos][ahead as usize % 2];
        let value = self.with_slope_of_one(op, &rest)?;
        let is_negative = ahead % 4 >= 2;
        Ok(if is_negative { value.negated() } else { value })
    }

    /// An angle less the whole quarter turns in it, and their number modulo 4.
    fn less_quarter_turns(&mut self, x: &Ball) -> Result<(Ball, u32), EvaluationFault> {
        let pi = self.pi()?;
        let quarter = self.div(&pi, &self.small(2))?;
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

    /// Square and cube root; their slope is bounded by the root at the lower end.
    fn root(&mut self, op: Unary, x: &Ball) -> Answer {
        let x = &self.cut(x);
        if op == Unary::Cbrt {
            x.sign()?;
            let root = x.middle.cbrt(self.bits, NEAREST);
            let low = low_of(&root);
            let slope = ErrorMagnitude::power_of_two(1).div(low).div(low);
            return self.with_slope(root, x.radius, slope);
        }
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

    /// Functions by a formula of others.
    fn composed(&mut self, op: Unary, x: &Ball) -> Answer {
        let one = self.small(1);
        match op {
            Unary::Exp2 => {
                let ln = self.ln(&self.small(2))?;
                let exponent = self.mul(x, &ln)?;
                self.exp(&exponent)
            }
            Unary::Expm1 => {
                let exp = self.exp(x)?;
                self.sub(&exp, &one)
            }
            Unary::Log1p => {
                let sum = self.add(x, &one)?;
                self.ln(&sum)
            }
            Unary::Tan => {
                let (sine, cosine) = (self.unary(Unary::Sin, x)?, self.unary(Unary::Cos, x)?);
                self.div(&sine, &cosine)
            }
            Unary::Sinh | Unary::Cosh => {
                let exp = self.exp(x)?;
                let inverse = self.div(&one, &exp)?;
                let twice = if op == Unary::Sinh {
                    self.sub(&exp, &inverse)?
                } else {
                    self.add(&exp, &inverse)?
                };
                self.div(&twice, &self.small(2))
            }
            Unary::Acosh => {
                // ln(x + sqrt((x - 1) (x + 1)))
                let (less, more) = (self.sub(x, &one)?, self.add(x, &one)?);
                let product = self.mul(&less, &more)?;
                if less.sign()? < 0 {
                    return Err(EvaluationFault::Domain);
                }
                let root = self.unary(Unary::Sqrt, &product)?;
                let sum = self.add(x, &root)?;
                self.ln(&sum)
            }
            Unary::Atanh => {
                // ln((1 + x) / (1 - x)) / 2
                let (more, less) = (self.add(&one, x)?, self.sub(&one, x)?);
                if more.sign()? <= 0 || less.sign()? <= 0 {
                    return Err(EvaluationFault::Domain);
                }
                let quotient = self.div(&more, &less)?;
                let ln = self.ln(&quotient)?;
                self.div(&ln, &self.small(2))
            }
            Unary::Degrees | Unary::Radians => {
                let (pi, half_turn) = (self.pi()?, self.small(180));
                let (times, over) = if op == Unary::Degrees {
                    (half_turn, pi)
                } else {
                    (pi, half_turn)
                };
                let product = self.mul(x, &times)?;
                self.div(&product, &over)
            }
            Unary::Erfc => {
                let erf = self.erf(x)?;
                self.sub(&one, &erf)
            }
            Unary::Lgamma => {
                if let Some(logarithm) = self.ln_gamma(x)? {
                    return Ok(logarithm);
                }
                let gamma = self.gamma(x)?;
                self.ln(&Ball {
                    middle: gamma.middle.abs(),
                    radius: gamma.radius,
                })
            }
            // Known in doubles only.
            _ => Err(EvaluationFault::Unsupported),
        }
    }

    pub(super) fn binary(&mut self, op: Binary, a: &Ball, b: &Ball) -> Answer {
        match op {
            Binary::Add => self.add(a, b),
            Binary::Sub => self.sub(a, b),
            Binary::Mul => self.mul(a, b),
            Binary::Div => self.div(a, b),
            Binary::FloorDiv => {
                let quotient = self.div(a, b)?;
                self.unary(Unary::Floor, &quotient)
            }
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
            // Known in doubles only.
            _ => Err(EvaluationFault::Unsupported),
        }
    }

    pub(super) fn exp(&mut self, x: &Ball) -> Answer {
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

    pub(super) fn ln(&mut self, x: &Ball) -> Answer {
        let x = &self.cut(x);
        if x.sign()? <= 0 {
            return Err(EvaluationFault::Domain);
        }
        let slope = ErrorMagnitude::power_of_two(0).div(x.magnitude_low());
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
            return Err(EvaluationFault::Domain);
        }
        let angle = if edge {
            // only an exact 1 or -1
            let pi = self.pi()?;
            let quarter = self.div(&pi, &self.small(2))?;
            if x.middle.is_negative() {
                quarter.negated()
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
fn low_of(x: &BigFloat) -> ErrorMagnitude {
    ErrorMagnitude::power_of_two(i64::from(x.exponent().unwrap_or(0)) - 2)
}
