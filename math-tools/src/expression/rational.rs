//! Exact rational numbers of bounded size, for the calculator.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

/// Most bits of an exact integer: about 79,000 decimal digits, written within a few milliseconds.
pub(crate) const INTEGER_BITS_MAX: u64 = 1 << 18;
/// Most bits of the numerator or denominator of a fraction, which must be reduced after every step (quadratic cost).
pub(crate) const FRACTION_BITS_MAX: u64 = 1 << 15;

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rational {
    numerator: BigInt,
    denominator: BigUint,
}

/// Why an exact operation has no exact result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The result is no rational number.
    Inexact,
    /// Division by zero.
    DivisionByZero,
    /// Outside the function's domain.
    Domain,
    /// The result would have more bits than the limit.
    TooLarge,
}

type Exact = Result<Rational, Failure>;

impl From<BigInt> for Rational {
    fn from(numerator: BigInt) -> Self {
        Self {
            numerator,
            denominator: BigUint::from(1_u32),
        }
    }
}

impl From<i32> for Rational {
    fn from(value: i32) -> Self {
        BigInt::from(value).into()
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = &self.numerator * BigInt::from(other.denominator.clone());
        left.cmp(&(&other.numerator * BigInt::from(self.denominator.clone())))
    }
}

impl Rational {
    /// Reads `12`, `1.5`, `.5e-3` exactly.
    pub(crate) fn parse(text: &str) -> Exact {
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
        let exponent: i64 = exponent.parse().map_err(|_| Failure::TooLarge)?;
        let shift = exponent.saturating_sub(fraction.len() as i64);
        let size = shift.unsigned_abs().saturating_add(digits.len() as u64);
        if size.saturating_mul(10) / 3 > INTEGER_BITS_MAX {
            return Err(Failure::TooLarge);
        }
        let magnitude = BigUint::parse_bytes(digits.as_bytes(), 10).ok_or(Failure::Domain)?;
        let scale = BigUint::from(10_u32).pow(shift.unsigned_abs() as u32);
        if shift >= 0 {
            Ok(BigInt::from_biguint(sign, magnitude * scale).into())
        } else {
            Self::new(BigInt::from_biguint(sign, magnitude), scale)
        }
    }

    /// Reduces a fraction; the denominator is not zero.
    fn new(numerator: BigInt, denominator: BigUint) -> Exact {
        if denominator.bits() == 1 {
            return Self::whole(numerator);
        }
        if numerator.bits().max(denominator.bits()) > 2 * FRACTION_BITS_MAX {
            return Err(Failure::TooLarge);
        }
        let divisor = gcd(numerator.magnitude().clone(), denominator.clone());
        let reduced = Self {
            numerator: numerator / BigInt::from(divisor.clone()),
            denominator: denominator / divisor,
        };
        if reduced.is_integer() {
            return Self::whole(reduced.numerator);
        }
        if reduced.numerator.bits().max(reduced.denominator.bits()) > FRACTION_BITS_MAX {
            return Err(Failure::TooLarge);
        }
        Ok(reduced)
    }

    fn whole(numerator: BigInt) -> Exact {
        if numerator.bits() > INTEGER_BITS_MAX {
            Err(Failure::TooLarge)
        } else {
            Ok(numerator.into())
        }
    }

    /// Whether the denominator is 1.
    pub(crate) fn is_integer(&self) -> bool {
        self.denominator.bits() == 1
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numerator.sign() == Sign::NoSign
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.numerator.sign() == Sign::Minus
    }

    /// The integer, when it is one.
    pub(crate) fn integer(&self) -> Option<&BigInt> {
        self.is_integer().then_some(&self.numerator)
    }

    pub(crate) fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    pub(crate) fn denominator_magnitude(&self) -> &BigUint {
        &self.denominator
    }

    /// The integer, when it is one that can be the exponent of repeated squaring.
    pub(crate) fn small_integer(&self) -> Option<i64> {
        const MAGNITUDE_MAX: i64 = 1 << 40;
        let integer = i64::try_from(self.integer()?).ok()?;
        (integer.abs() <= MAGNITUDE_MAX).then_some(integer)
    }

    /// How many halves it is, when that is an odd number of them and few.
    pub(crate) fn half_integer(&self) -> Option<i64> {
        const HALVES_MAX: i64 = 64;
        let halves = i64::try_from(&self.numerator).ok()?;
        let of_halves = u32::try_from(&self.denominator) == Ok(2);
        (of_halves && halves.abs() <= HALVES_MAX).then_some(halves)
    }

    /// The exponent of ten of the leading digit, or one less or more; the value is not zero.
    pub(crate) fn decimal_exponent_estimate(&self) -> i64 {
        let bits = self.numerator.bits() as f64 - self.denominator.bits() as f64;
        (bits * std::f64::consts::LOG10_2).floor() as i64
    }

    /// The integer nearest to the magnitude times `10^power`, halves to even, and whether it is that exactly.
    pub(crate) fn scaled_round(&self, power: i64) -> (BigUint, bool) {
        let ten =
            BigUint::from(10_u32).pow(u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX));
        let (top, bottom) = if power >= 0 {
            (self.numerator.magnitude() * ten, self.denominator.clone())
        } else {
            (self.numerator.magnitude().clone(), &self.denominator * ten)
        };
        let quotient = &top / &bottom;
        let rest = top - &quotient * &bottom;
        let exact = rest.bits() == 0;
        let up = match (&rest << 1_u32).cmp(&bottom) {
            Ordering::Greater => true,
            Ordering::Equal => quotient.bit(0),
            Ordering::Less => false,
        };
        (if up { quotient + 1_u32 } else { quotient }, exact)
    }

    fn denominator(&self) -> BigInt {
        BigInt::from(self.denominator.clone())
    }

    pub(crate) fn neg(&self) -> Self {
        Self {
            numerator: -&self.numerator,
            denominator: self.denominator.clone(),
        }
    }

    pub(crate) fn abs(&self) -> Self {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    pub(crate) fn sign(&self) -> Self {
        match self.numerator.sign() {
            Sign::Minus => Self::from(-1),
            Sign::NoSign => Self::from(0),
            Sign::Plus => Self::from(1),
        }
    }

    pub(crate) fn add(&self, other: &Self) -> Exact {
        if self.is_integer() && other.is_integer() {
            return Self::whole(&self.numerator + &other.numerator);
        }
        self.fits(other)?;
        Self::new(
            &self.numerator * other.denominator() + &other.numerator * self.denominator(),
            &self.denominator * &other.denominator,
        )
    }

    pub(crate) fn sub(&self, other: &Self) -> Exact {
        self.add(&other.neg())
    }

    pub(crate) fn mul(&self, other: &Self) -> Exact {
        if self.numerator.bits() + other.numerator.bits() > INTEGER_BITS_MAX + 1 {
            return Err(Failure::TooLarge);
        }
        Self::new(
            &self.numerator * &other.numerator,
            &self.denominator * &other.denominator,
        )
    }

    pub(crate) fn div(&self, other: &Self) -> Exact {
        if other.is_zero() {
            return Err(Failure::DivisionByZero);
        }
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            let quotient = a / b;
            if &quotient * b == *a {
                return Self::whole(quotient); // without a slow reduction of large integers
            }
        }
        self.fits(other)?;
        let numerator = &self.numerator * other.denominator();
        let signed = if other.is_negative() {
            -numerator
        } else {
            numerator
        };
        Self::new(signed, &self.denominator * other.numerator.magnitude())
    }

    /// Refuses fractions whose combination would be slow to reduce.
    fn fits(&self, other: &Self) -> Result<(), Failure> {
        let bits = [self, other]
            .iter()
            .map(|value| value.numerator.bits().max(value.denominator.bits()))
            .max();
        if bits > Some(FRACTION_BITS_MAX) {
            Err(Failure::TooLarge)
        } else {
            Ok(())
        }
    }

    /// The remainder with the divisor's sign.
    pub(crate) fn modulo(&self, other: &Self) -> Exact {
        if other.is_zero() {
            return Err(Failure::DivisionByZero);
        }
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            let remainder = a % b; // the dividend's sign
            let opposite = remainder.sign() != Sign::NoSign && remainder.sign() != b.sign();
            return Ok(if opposite { remainder + b } else { remainder }.into());
        }
        self.sub(&self.div(other)?.floor().mul(other)?)
    }

    /// The remainder with the dividend's sign.
    pub(crate) fn remainder(&self, other: &Self) -> Exact {
        if other.is_zero() {
            return Err(Failure::DivisionByZero);
        }
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            return Ok((a % b).into());
        }
        self.sub(&self.div(other)?.trunc().mul(other)?)
    }

    /// A power with an integer exponent; other exponents are exact only through [`Rational::sqrt`], which is not tried here.
    pub(crate) fn pow(&self, exponent: &Self) -> Exact {
        let Some(exponent) = exponent.integer() else {
            return Err(Failure::Inexact);
        };
        let negative = exponent.sign() == Sign::Minus;
        if self.is_zero() {
            return match exponent.sign() {
                Sign::Minus => Err(Failure::DivisionByZero),
                Sign::NoSign => Ok(Self::from(1)),
                Sign::Plus => Ok(Self::from(0)),
            };
        }
        if self.is_integer() && self.numerator.bits() == 1 {
            let odd = exponent.bit(0);
            return Ok(if self.is_negative() && odd {
                Self::from(-1)
            } else {
                Self::from(1)
            });
        }
        let exponent = u32::try_from(exponent.magnitude()).map_err(|_| Failure::TooLarge)?;
        // b bits mean at least 2^(b-1), so the power has more than (b-1) * exponent bits.
        let power_bits = |bits: u64| (bits - 1).saturating_mul(u64::from(exponent));
        let limit = if self.is_integer() && !negative {
            INTEGER_BITS_MAX
        } else {
            FRACTION_BITS_MAX
        };
        if power_bits(self.numerator.bits()).max(power_bits(self.denominator.bits())) > limit {
            return Err(Failure::TooLarge);
        }
        let power = Self {
            numerator: self.numerator.pow(exponent),
            denominator: self.denominator.pow(exponent),
        };
        if power.numerator.bits().max(power.denominator.bits()) > limit {
            return Err(Failure::TooLarge);
        }
        if !negative {
            return Ok(power);
        }
        Ok(Self {
            numerator: BigInt::from_biguint(power.numerator.sign(), power.denominator),
            denominator: power.numerator.into_parts().1,
        })
    }

    /// The square root, when it is rational.
    pub(crate) fn sqrt(&self) -> Exact {
        if self.is_negative() {
            return Err(Failure::Domain);
        }
        let root = |value: &BigUint| {
            let root = value.sqrt();
            (&root * &root == *value).then_some(root)
        };
        match (root(self.numerator.magnitude()), root(&self.denominator)) {
            (Some(numerator), Some(denominator)) => Ok(Self {
                numerator: numerator.into(),
                denominator,
            }),
            _ => Err(Failure::Inexact),
        }
    }

    pub(crate) fn trunc(&self) -> Self {
        (&self.numerator / self.denominator()).into()
    }

    pub(crate) fn floor(&self) -> Self {
        let truncated = &self.numerator / self.denominator();
        let below = self.is_negative() && !self.is_integer();
        if below { truncated - 1 } else { truncated }.into()
    }

    pub(crate) fn ceil(&self) -> Self {
        self.neg().floor().neg()
    }

    /// The nearest integer, halves to even.
    pub(crate) fn round(&self) -> Exact {
        let half = Self {
            numerator: BigInt::from(1),
            denominator: BigUint::from(2_u32),
        };
        let above = self.add(&half)?;
        let rounded = above.floor();
        if above.is_integer() && rounded.numerator.bit(0) {
            return rounded.sub(&Self::from(1));
        }
        Ok(rounded)
    }

    pub(crate) fn factorial(&self) -> Exact {
        /// 20,000! has 256,909 bits: the last thousand below [`INTEGER_BITS_MAX`].
        const FACTORIAL_MAX: u32 = 20_000;
        let n = self
            .integer()
            .filter(|n| n.sign() != Sign::Minus)
            .ok_or(Failure::Domain)?;
        let n = u32::try_from(n.magnitude())
            .ok()
            .filter(|n| *n <= FACTORIAL_MAX);
        let n = n.ok_or(Failure::TooLarge)?;
        Ok(BigInt::from(product(1, u64::from(n))).into())
    }

    /// The gamma function, which is rational at integers.
    pub(crate) fn gamma(&self) -> Exact {
        if self.is_integer() {
            self.sub(&Self::from(1))?.factorial()
        } else {
            Err(Failure::Inexact)
        }
    }

    /// The nearest double, halves to even; infinite beyond the range.
    pub(crate) fn to_f64(&self) -> f64 {
        const EXPONENT_MIN: i64 = -1074; // of the least significant bit of a double
        const GUARD: i64 = 2;
        if self.is_zero() {
            return 0.0;
        }
        let magnitude = self.numerator.magnitude();
        // The value lies between 2^(scale - 1) and 2^(scale + 1).
        let scale = magnitude.bits() as i64 - self.denominator.bits() as i64;
        let unit = (scale - 53).max(EXPONENT_MIN) - GUARD;
        let (top, bottom) = if unit >= 0 {
            (magnitude.clone(), &self.denominator << unit)
        } else {
            (magnitude << -unit, self.denominator.clone())
        };
        let quotient = &top / &bottom;
        let rest = &quotient * &bottom != top;
        // At most 53 + 1 + GUARD bits.
        let quotient = quotient.iter_u64_digits().next().unwrap_or(0);
        let bits = i64::from(u64::BITS - quotient.leading_zeros());
        let drop = (bits - 53).max(GUARD);
        let half = 1_u64 << (drop - 1);
        let (kept, cut) = (quotient >> drop, quotient & ((1_u64 << drop) - 1));
        let up = cut > half || (cut == half && (rest || kept & 1 == 1));
        let rounded = (kept + u64::from(up)) as f64;
        let exponent = i32::try_from(unit + drop).unwrap_or(i32::MAX);
        let value = libm::scalbn(rounded, exponent);
        if self.is_negative() { -value } else { value }
    }
}

/// `p` or `p/q`.
impl std::fmt::Display for Rational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.numerator)?;
        if self.is_integer() {
            Ok(())
        } else {
            write!(f, "/{}", self.denominator)
        }
    }
}

/// Euclid's algorithm; quadratic in the bits.
fn gcd(mut a: BigUint, mut b: BigUint) -> BigUint {
    while b.bits() > 0 {
        let remainder = &a % &b;
        a = std::mem::replace(&mut b, remainder);
    }
    a
}

/// `first * (first + 1) * ... * last`, halved until short so that factors stay of equal size; depth is the logarithm of the
/// length.
fn product(first: u64, last: u64) -> BigUint {
    const SHORT: u64 = 8;
    if last < first + SHORT {
        return (first..=last).fold(BigUint::from(1_u32), |product, factor| product * factor);
    }
    let middle = first + (last - first) / 2;
    product(first, middle) * product(middle + 1, last)
}
