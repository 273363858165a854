//! Exact rational numbers of bounded size, for the calculator: [`BigRational`] behind limits on the cost of every operation.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};

use super::fault::EvaluationFault;

/// Most bits of an exact integer: about 79,000 decimal digits, written within a few milliseconds.
pub(crate) const INTEGER_BITS_MAX: u64 = 1 << 18;
/// Most bits of the numerator or denominator of a fraction, which must be reduced after every step (quadratic cost).
pub(crate) const FRACTION_BITS_MAX: u64 = 1 << 15;

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rational(BigRational);

/// A number, or why there is none.
pub(crate) type ExactResult = Result<Rational, EvaluationFault>;

impl From<BigInt> for Rational {
    fn from(numerator: BigInt) -> Self {
        Self(numerator.into())
    }
}

impl From<i32> for Rational {
    fn from(value: i32) -> Self {
        BigInt::from(value).into()
    }
}

impl Rational {
    /// Reads `12`, `1.5`, `.5e-3` exactly.
    pub(crate) fn parse(text: &str) -> ExactResult {
        let (sign, text) = match text.strip_prefix('-') {
            Some(magnitude) => (Sign::Minus, magnitude),
            None => (Sign::Plus, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Ok(Self::from(0));
        }
        let exponent: i64 = exponent.parse().map_err(|_| EvaluationFault::TooLarge)?;
        let shift = exponent.saturating_sub(fraction.len() as i64);
        let size = shift.unsigned_abs().saturating_add(digits.len() as u64);
        if size.saturating_mul(10) / 3 > INTEGER_BITS_MAX {
            return Err(EvaluationFault::TooLarge);
        }
        let magnitude =
            BigUint::parse_bytes(digits.as_bytes(), 10).ok_or(EvaluationFault::Domain)?;
        let integer = BigInt::from_biguint(sign, magnitude);
        let scale = BigInt::from(10).pow(shift.unsigned_abs() as u32);
        if shift >= 0 {
            Ok((integer * scale).into())
        } else {
            Self::new(integer, scale)
        }
    }

    /// A quotient of any size; the denominator is not zero.
    pub(crate) fn quotient(numerator: BigInt, denominator: BigInt) -> Self {
        Self(BigRational::new(numerator, denominator))
    }

    /// Reduces a fraction; the denominator is not zero.
    fn new(numerator: BigInt, denominator: BigInt) -> ExactResult {
        if denominator.bits() == 1 {
            return Self::bounded((numerator * denominator).into()); // without a slow reduction of large integers
        }
        if numerator.bits().max(denominator.bits()) > 2 * FRACTION_BITS_MAX {
            return Err(EvaluationFault::TooLarge);
        }
        Self::bounded(BigRational::new(numerator, denominator))
    }

    /// Refuses a value of too many bits.
    fn bounded(value: BigRational) -> ExactResult {
        let limit = if value.is_integer() {
            INTEGER_BITS_MAX
        } else {
            FRACTION_BITS_MAX
        };
        let value = Self(value);
        if value.bits() > limit {
            Err(EvaluationFault::TooLarge)
        } else {
            Ok(value)
        }
    }

    /// Bits of the longer of numerator and denominator.
    fn bits(&self) -> u64 {
        self.0.numer().bits().max(self.0.denom().bits())
    }

    /// Whether the denominator is 1.
    pub(crate) fn is_integer(&self) -> bool {
        self.0.is_integer()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// The integer, when it is one.
    pub(crate) fn integer(&self) -> Option<&BigInt> {
        self.is_integer().then_some(self.0.numer())
    }

    pub(crate) fn numerator(&self) -> &BigInt {
        self.0.numer()
    }

    pub(crate) fn denominator_magnitude(&self) -> &BigUint {
        self.0.denom().magnitude()
    }

    /// The integer, when it is one that can be the exponent of repeated squaring.
    pub(crate) fn small_integer(&self) -> Option<i64> {
        const MAGNITUDE_MAX: i64 = 1 << 40;
        let integer = i64::try_from(self.integer()?).ok()?;
        (integer.abs() <= MAGNITUDE_MAX).then_some(integer)
    }

    /// The number of halves, when it is odd and small.
    pub(crate) fn half_integer(&self) -> Option<i64> {
        const HALVES_MAX: i64 = 64;
        let halves = i64::try_from(self.0.numer()).ok()?;
        let of_halves = *self.0.denom() == BigInt::from(2);
        (of_halves && halves.abs() <= HALVES_MAX).then_some(halves)
    }

    /// The exponent of ten of the leading digit, at most 1 off; the value is not zero.
    pub(crate) fn decimal_exponent_estimate(&self) -> i64 {
        let bits = self.0.numer().bits() as f64 - self.0.denom().bits() as f64;
        (bits * std::f64::consts::LOG10_2).floor() as i64
    }

    /// The integer nearest to the magnitude times `10^power`, halves to even, and whether it is exact.
    pub(crate) fn scaled_round(&self, power: i64) -> (BigUint, bool) {
        let exponent = u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX);
        let ten = BigInt::from(10).pow(exponent);
        let (top, bottom) = if power >= 0 {
            (self.0.numer() * ten, self.0.denom().clone())
        } else {
            (self.0.numer().clone(), self.0.denom() * ten)
        };
        let (top, bottom) = (top.into_parts().1, bottom.into_parts().1);
        let quotient = &top / &bottom;
        let rest = top - &quotient * &bottom;
        let up = match (&rest << 1_u32).cmp(&bottom) {
            Ordering::Greater => true,
            Ordering::Equal => quotient.bit(0),
            Ordering::Less => false,
        };
        (quotient + u32::from(up), rest.is_zero())
    }

    pub(crate) fn neg(&self) -> Self {
        Self(-&self.0)
    }

    pub(crate) fn abs(&self) -> Self {
        Self(self.0.abs())
    }

    pub(crate) fn sign(&self) -> Self {
        Self(self.0.signum())
    }

    pub(crate) fn add(&self, other: &Self) -> ExactResult {
        if !(self.is_integer() && other.is_integer()) {
            self.fits(other)?;
        }
        Self::new(
            self.0.numer() * other.0.denom() + other.0.numer() * self.0.denom(),
            self.0.denom() * other.0.denom(),
        )
    }

    pub(crate) fn sub(&self, other: &Self) -> ExactResult {
        self.add(&other.neg())
    }

    pub(crate) fn mul(&self, other: &Self) -> ExactResult {
        if self.0.numer().bits() + other.0.numer().bits() > INTEGER_BITS_MAX + 1 {
            return Err(EvaluationFault::TooLarge);
        }
        Self::new(
            self.0.numer() * other.0.numer(),
            self.0.denom() * other.0.denom(),
        )
    }

    pub(crate) fn div(&self, other: &Self) -> ExactResult {
        if other.is_zero() {
            return Err(EvaluationFault::DivisionByZero);
        }
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            let quotient = a / b;
            if &quotient * b == *a {
                return Self::bounded(quotient.into());
            }
        }
        self.fits(other)?;
        Self::new(
            self.0.numer() * other.0.denom(),
            self.0.denom() * other.0.numer(),
        )
    }

    /// Refuses fractions whose combination would be slow to reduce.
    fn fits(&self, other: &Self) -> Result<(), EvaluationFault> {
        if self.bits().max(other.bits()) > FRACTION_BITS_MAX {
            Err(EvaluationFault::TooLarge)
        } else {
            Ok(())
        }
    }

    /// The remainder with the divisor's sign.
    pub(crate) fn modulo(&self, other: &Self) -> ExactResult {
        let rest = self.remainder(other)?;
        let opposite = !rest.is_zero() && rest.is_negative() != other.is_negative();
        if opposite { rest.add(other) } else { Ok(rest) }
    }

    /// The remainder with the dividend's sign.
    pub(crate) fn remainder(&self, other: &Self) -> ExactResult {
        if other.is_zero() {
            return Err(EvaluationFault::DivisionByZero);
        }
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            return Ok((a % b).into());
        }
        self.sub(&self.div(other)?.trunc().mul(other)?)
    }

    /// A power with an integer exponent; other exponents are exact only through [`Rational::sqrt`], which is not tried here.
    pub(crate) fn pow(&self, exponent: &Self) -> ExactResult {
        let exponent = exponent.integer().ok_or(EvaluationFault::Inexact)?;
        let negative = exponent.sign() == Sign::Minus;
        if self.is_zero() {
            return match exponent.sign() {
                Sign::Minus => Err(EvaluationFault::DivisionByZero),
                Sign::NoSign => Ok(Self::from(1)),
                Sign::Plus => Ok(Self::from(0)),
            };
        }
        if self.bits() == 1 {
            let minus = self.is_negative() && exponent.bit(0);
            return Ok(Self::from(if minus { -1 } else { 1 }));
        }
        let exponent =
            u32::try_from(exponent.magnitude()).map_err(|_| EvaluationFault::TooLarge)?;
        let limit = if self.is_integer() && !negative {
            INTEGER_BITS_MAX
        } else {
            FRACTION_BITS_MAX
        };
        // b bits mean at least 2^(b-1), so the power has more than (b-1) * exponent bits.
        if (self.bits() - 1).saturating_mul(u64::from(exponent)) > limit {
            return Err(EvaluationFault::TooLarge);
        }
        let (top, bottom) = (self.0.numer().pow(exponent), self.0.denom().pow(exponent));
        if top.bits().max(bottom.bits()) > limit {
            return Err(EvaluationFault::TooLarge);
        }
        // In lowest terms already.
        let power = BigRational::new_raw(top, bottom);
        Ok(Self(if negative { power.recip() } else { power }))
    }

    /// The square root, when it is rational.
    pub(crate) fn sqrt(&self) -> ExactResult {
        if self.is_negative() {
            return Err(EvaluationFault::Domain);
        }
        let root = |value: &BigInt| {
            let root = value.sqrt();
            (&root * &root == *value).then_some(root)
        };
        match (root(self.0.numer()), root(self.0.denom())) {
            (Some(top), Some(bottom)) => Ok(Self(BigRational::new_raw(top, bottom))),
            _ => Err(EvaluationFault::Inexact),
        }
    }

    pub(crate) fn trunc(&self) -> Self {
        Self(self.0.trunc())
    }

    pub(crate) fn floor(&self) -> Self {
        Self(self.0.floor())
    }

    pub(crate) fn ceil(&self) -> Self {
        Self(self.0.ceil())
    }

    /// The nearest integer, halves to even.
    pub(crate) fn round(&self) -> ExactResult {
        let half = Self(BigRational::new_raw(1.into(), 2.into()));
        let above = self.add(&half)?;
        let rounded = above.floor();
        if above.is_integer() && rounded.0.numer().bit(0) {
            return rounded.sub(&Self::from(1));
        }
        Ok(rounded)
    }

    pub(crate) fn factorial(&self) -> ExactResult {
        if !self.is_integer() {
            return Err(EvaluationFault::Inexact); // the gamma function
        }
        /// 20,000! has 256,909 bits: the last thousand below [`INTEGER_BITS_MAX`].
        const FACTORIAL_MAX: u32 = 20_000;
        let n = self
            .integer()
            .filter(|n| n.sign() != Sign::Minus)
            .ok_or(EvaluationFault::Domain)?;
        let n = u32::try_from(n.magnitude())
            .ok()
            .filter(|n| *n <= FACTORIAL_MAX);
        let n = n.ok_or(EvaluationFault::TooLarge)?;
        Ok(BigInt::from(product_of_range(1, u64::from(n))).into())
    }

    /// The gamma function, which is rational at integers.
    pub(crate) fn gamma(&self) -> ExactResult {
        if self.is_integer() {
            self.sub(&Self::from(1))?.factorial()
        } else {
            Err(EvaluationFault::Inexact)
        }
    }

    /// The nearest double, halves to even; infinite beyond the range.
    pub(crate) fn to_f64(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::NAN)
    }
}

/// `p` or `p/q`.
impl std::fmt::Display for Rational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// `first * (first + 1) * ... * last`, halved until short so that factors stay of equal size; depth is the logarithm of the
/// length.
fn product_of_range(first: u64, last: u64) -> BigUint {
    const SHORT: u64 = 8;
    if last < first + SHORT {
        return (first..=last).fold(BigUint::from(1_u32), |product, factor| product * factor);
    }
    let middle = first + (last - first) / 2;
    product_of_range(first, middle) * product_of_range(middle + 1, last)
}
