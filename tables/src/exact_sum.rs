//! Sums that depend neither on the order of their terms nor on how these are shared out: every bit is kept until one rounding at the end.
//!
//! A sum is a long fixed-point number of limbs of 32 bits in words of 64, as in the "small superaccumulator" of R. M. Neal, "Fast exact
//! summation using small and large superaccumulators", 2015 (arXiv:1505.05571); sums of products have twice as many. Means, variances and
//! correlations are quotients of such sums, rounded once, as Python's module `statistics` rounds them. Start with [`ExactSum`].

use num_bigint::{BigInt, BigUint, Sign};

/// Bits of a limb.
const LIMB_BITS: usize = 32;
/// Terms of less than 2^32 in each limb that 63 bits hold for certain.
const TERMS_BETWEEN_CARRIES: u32 = 1 << 29;
/// Exponent of the lowest bit of a double.
const LOWEST: i64 = -1074;
/// Limbs that hold 2^64 doubles of any size: 2,098 bits and room.
const SUM_LIMBS: usize = 69;
/// Limbs that hold 2^64 products of two doubles.
const PRODUCT_LIMBS: usize = 135;

/// A finite number as an integer times `2^(place - 1074)`: of 53 bits of a double, of 64 of an integer.
#[derive(Clone, Copy)]
struct DoubleParts {
    mantissa: u64,
    place: usize,
    is_negative: bool,
}

impl DoubleParts {
    fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        let fraction = bits & ((1 << 52) - 1);
        let is_normal = exponent > 0;
        Self {
            mantissa: fraction | (u64::from(is_normal) << 52),
            place: exponent.max(1) - 1,
            is_negative: bits >> 63 == 1,
        }
    }

    fn of_integer(value: i64) -> Self {
        Self {
            mantissa: value.unsigned_abs(),
            place: LOWEST.unsigned_abs() as usize,
            is_negative: value < 0,
        }
    }

    fn negated(self) -> Self {
        Self {
            is_negative: !self.is_negative,
            ..self
        }
    }
}

/// A fixed-point number; bit 0 of limb 0 is its unit.
#[derive(Debug, Clone)]
struct LimbSum<const LIMBS: usize> {
    limbs: [i64; LIMBS],
    /// Terms since the last carry.
    terms: u32,
}

impl<const LIMBS: usize> LimbSum<LIMBS> {
    const fn new() -> Self {
        Self {
            limbs: [0; LIMBS],
            terms: 0,
        }
    }

    /// Adds `value * 2^place`.
    fn add(&mut self, value: u64, place: usize, is_negative: bool) {
        let spread = u128::from(value) << (place % LIMB_BITS);
        let first = place / LIMB_BITS;
        let sign = if is_negative { -1 } else { 1 };
        for part in 0..3 {
            let limb = (spread >> (LIMB_BITS * part)) as u32;
            self.limbs[first + part] += sign * i64::from(limb);
        }
        self.terms += 1;
        if self.terms >= TERMS_BETWEEN_CARRIES {
            self.carry();
        }
    }

    /// Brings every limb but the last below 2^32.
    fn carry(&mut self) {
        let mut carried = 0;
        let (last, others) = self.limbs.split_last_mut().expect("limbs");
        for limb in others {
            let value = *limb + carried;
            carried = value >> LIMB_BITS;
            *limb = value & 0xffff_ffff;
        }
        *last += carried;
        self.terms = 1;
    }

    fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        other.carry();
        self.carry();
        for (limb, more) in self.limbs.iter_mut().zip(other.limbs) {
            *limb += more;
        }
        self.terms += 1;
    }

    /// The number as an integer of units.
    fn to_integer(&self) -> BigInt {
        let mut whole = self.clone();
        whole.carry();
        let is_negative = whole.limbs[LIMBS - 1] < 0;
        if is_negative {
            whole.limbs.iter_mut().for_each(|limb| *limb = -*limb);
            whole.carry();
        }
        let mut digits = Vec::with_capacity(LIMBS + 1);
        digits.extend(whole.limbs.iter().map(|limb| *limb as u32));
        digits.push((whole.limbs[LIMBS - 1] >> LIMB_BITS) as u32);
        let sign = if is_negative { Sign::Minus } else { Sign::Plus };
        BigInt::from_biguint(sign, BigUint::new(digits))
    }
}

/// A sum of doubles, correctly rounded at the end whatever the order of its terms.
#[derive(Debug, Clone)]
pub struct ExactSum {
    sum: LimbSum<SUM_LIMBS>,
    /// The sum of the terms that are infinite, or NaN.
    special: f64,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self {
            sum: LimbSum::new(),
            special: 0.0,
        }
    }
}

impl ExactSum {
    /// Adds a term.
    pub fn add(&mut self, term: f64) {
        if !term.is_finite() {
            self.special += term;
            return;
        }
        self.add_parts(DoubleParts::of(term));
    }

    /// Adds an integer, all of its digits.
    pub fn add_integer(&mut self, term: i64) {
        self.add_parts(DoubleParts::of_integer(term));
    }

    /// Takes an integer back that was added.
    pub fn remove_integer(&mut self, term: i64) {
        self.add_parts(DoubleParts::of_integer(term).negated());
    }

    fn add_parts(&mut self, parts: DoubleParts) {
        self.sum.add(parts.mantissa, parts.place, parts.is_negative);
    }

    /// Adds the terms of another sum.
    pub fn merge(&mut self, other: &Self) {
        self.special += other.special;
        self.sum.merge(&other.sum);
    }

    /// The double nearest to the sum, ties to even; infinite beyond the largest one, NaN for infinities of both signs.
    pub fn value(&self) -> f64 {
        match self.finite_units() {
            None => self.special,
            Some(units) => round_integer(&units, LOWEST),
        }
    }

    /// The double nearest to the sum divided by a count of at least 1; as [`ExactSum::value`] where a term was not finite.
    pub fn mean(&self, count: u64) -> f64 {
        match self.finite_units() {
            None => self.special,
            Some(units) => round_ratio(&units, &BigUint::from(count.max(1)), LOWEST),
        }
    }

    /// The sum in units of 2^-1074; `None` where a term was not finite.
    fn finite_units(&self) -> Option<BigInt> {
        (self.special == 0.0).then(|| self.sum.to_integer())
    }
}

/// A sum of products of two doubles.
#[derive(Debug, Clone)]
struct ExactProductSum(LimbSum<PRODUCT_LIMBS>);

impl ExactProductSum {
    const fn new() -> Self {
        Self(LimbSum::new())
    }

    fn add(&mut self, one: &DoubleParts, two: &DoubleParts) {
        let product = u128::from(one.mantissa) * u128::from(two.mantissa);
        let is_negative = one.is_negative != two.is_negative;
        let place = one.place + two.place;
        self.0.add(product as u64, place, is_negative);
        self.0.add((product >> 64) as u64, place + 64, is_negative);
    }
}

/// Count, sum and sum of squares of numbers, without rounding.
#[derive(Debug, Clone)]
pub struct ExactMoments {
    count: u64,
    /// In units.
    sum: BigInt,
    /// In squared units.
    squares: BigInt,
    /// The unit is `2^binary / 10^decimal`.
    binary: i64,
    decimal: u32,
}

/// The sum of doubles in steps, and of their squares.
#[derive(Debug, Clone)]
pub struct DoubleMoments {
    count: u64,
    sum: ExactSum,
    squares: ExactProductSum,
}

impl Default for DoubleMoments {
    fn default() -> Self {
        Self {
            count: 0,
            sum: ExactSum::default(),
            squares: ExactProductSum::new(),
        }
    }
}

impl DoubleMoments {
    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum.add(value);
        if value.is_finite() {
            let parts = DoubleParts::of(value);
            self.squares.add(&parts, &parts);
        }
    }

    /// Takes a number back that was added.
    pub fn remove(&mut self, value: f64) {
        self.count -= 1;
        self.sum.add(-value);
        if value.is_finite() {
            let parts = DoubleParts::of(value);
            self.squares.add(&parts, &parts.negated());
        }
    }

    /// Adds an integer, all of its digits.
    pub fn add_integer(&mut self, value: i64) {
        self.count += 1;
        let parts = DoubleParts::of_integer(value);
        self.sum.add_parts(parts);
        self.squares.add(&parts, &parts);
    }

    /// Takes an integer back that was added.
    pub fn remove_integer(&mut self, value: i64) {
        self.count -= 1;
        let parts = DoubleParts::of_integer(value);
        self.sum.add_parts(parts.negated());
        self.squares.add(&parts, &parts.negated());
    }

    /// What was added; `None` where a number was not finite.
    pub fn finish(&self) -> Option<ExactMoments> {
        Some(ExactMoments {
            count: self.count,
            sum: self.sum.finite_units()?,
            squares: self.squares.0.to_integer(),
            binary: LOWEST,
            decimal: 0,
        })
    }
}

impl ExactMoments {
    /// Those of integers times `10^-decimal`.
    pub fn of_integers(values: impl Iterator<Item = i128>, decimal: u32) -> Self {
        let (mut count, mut sum, mut squares) = (0, BigInt::ZERO, BigInt::ZERO);
        // What fits in 128 bits is added there.
        let (mut small_sum, mut small_squares) = (0_i128, 0_i128);
        for value in values {
            count += 1;
            small_sum = small_sum.checked_add(value).unwrap_or_else(|| {
                sum += small_sum;
                value
            });
            match value.checked_mul(value) {
                Some(square) => {
                    small_squares = small_squares.checked_add(square).unwrap_or_else(|| {
                        squares += small_squares;
                        square
                    });
                }
                None => squares += BigInt::from(value) * value,
            }
        }
        Self {
            count,
            sum: sum + small_sum,
            squares: squares + small_squares,
            binary: 0,
            decimal,
        }
    }

    /// The mean, correctly rounded; `None` of nothing.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| {
            let divisor = BigUint::from(self.count) * ten_to_the(self.decimal);
            round_ratio(&self.sum, &divisor, self.binary)
        })
    }

    /// The variance with `n - 1`, correctly rounded; `None` of fewer than two numbers.
    pub fn variance(&self) -> Option<f64> {
        let (spread, divisor) = self.variance_ratio()?;
        Some(round_ratio(&spread, &divisor, 2 * self.binary))
    }

    /// The standard deviation with `n - 1`, correctly rounded; `None` of fewer than two numbers.
    pub fn deviation(&self) -> Option<f64> {
        let (spread, divisor) = self.variance_ratio()?;
        Some(round_root(spread.magnitude(), &divisor, 2 * self.binary))
    }

    /// `n S2 - S1^2` over `n (n - 1)`.
    fn variance_ratio(&self) -> Option<(BigInt, BigUint)> {
        if self.count < 2 {
            return None;
        }
        let spread = &self.squares * self.count - &self.sum * &self.sum;
        let divisor = BigUint::from(self.count) * (self.count - 1);
        Some((spread, divisor * ten_to_the(2 * self.decimal)))
    }
}

/// The sums of a correlation of two columns of doubles.
#[derive(Debug, Clone)]
pub struct ExactCorrelation {
    one: DoubleMoments,
    two: DoubleMoments,
    products: ExactProductSum,
}

impl Default for ExactCorrelation {
    fn default() -> Self {
        Self {
            one: DoubleMoments::default(),
            two: DoubleMoments::default(),
            products: ExactProductSum::new(),
        }
    }
}

impl ExactCorrelation {
    /// Adds a pair.
    pub fn add(&mut self, one: f64, two: f64) {
        self.one.add(one);
        self.two.add(two);
        if one.is_finite() && two.is_finite() {
            self.products
                .add(&DoubleParts::of(one), &DoubleParts::of(two));
        }
    }

    /// Pearson's coefficient, correctly rounded, in -1..1; `None` of fewer than two pairs, of a constant column and of numbers that are not
    /// finite.
    pub fn value(&self) -> Option<f64> {
        let (one, two) = (self.one.finish()?, self.two.finish()?);
        let ((spread_one, _), (spread_two, _)) = (one.variance_ratio()?, two.variance_ratio()?);
        let divisor = spread_one.magnitude() * spread_two.magnitude();
        if divisor == BigUint::ZERO {
            return None;
        }
        let joint = self.products.0.to_integer() * one.count - &one.sum * &two.sum;
        let square = joint.magnitude() * joint.magnitude();
        let size = round_root(&square, &divisor, 0);
        Some(match joint.sign() {
            Sign::Minus => -size,
            _ => size,
        })
    }
}

fn ten_to_the(exponent: u32) -> BigUint {
    BigUint::from(10_u32).pow(exponent)
}

fn signed(size: f64, sign: Sign) -> f64 {
    match sign {
        Sign::Minus => -size,
        _ => size,
    }
}

/// The double nearest to `integer * 2^exponent`.
fn round_integer(integer: &BigInt, exponent: i64) -> f64 {
    let size = round_magnitude(integer.magnitude(), exponent, false);
    signed(size, integer.sign())
}

/// The double nearest to `numerator / divisor * 2^exponent`.
fn round_ratio(numerator: &BigInt, divisor: &BigUint, exponent: i64) -> f64 {
    /// Bits of a quotient beyond which only their being there matters.
    const BITS: u64 = 66;
    let size = numerator.magnitude();
    let shift = (BITS + divisor.bits()).saturating_sub(size.bits());
    let shifted = size << shift;
    let quotient = &shifted / divisor;
    let has_rest = &quotient * divisor != shifted;
    let rounded = round_magnitude(&quotient, exponent - shift as i64, has_rest);
    signed(rounded, numerator.sign())
}

/// The double nearest to the square root of `numerator / divisor * 2^exponent`, where the exponent is even.
fn round_root(numerator: &BigUint, divisor: &BigUint, exponent: i64) -> f64 {
    /// Twice the bits of a root beyond which only their being there matters.
    const BITS: u64 = 2 * 66;
    let shift = (BITS + divisor.bits()).saturating_sub(numerator.bits());
    let shift = shift.next_multiple_of(2);
    let shifted = numerator << shift;
    let quotient = &shifted / divisor;
    let root = quotient.sqrt();
    let has_rest = &quotient * divisor != shifted || &root * &root != quotient;
    round_magnitude(&root, (exponent - shift as i64) / 2, has_rest)
}

/// The double nearest to `magnitude * 2^exponent`, or a little more where bits of a rest follow; ties to even.
fn round_magnitude(magnitude: &BigUint, exponent: i64, has_rest: bool) -> f64 {
    const PRECISION: i64 = 53;
    let Some(top) = magnitude.bits().checked_sub(1) else {
        return 0.0;
    };
    let top = top as i64;
    // The bits below the lowest of a subnormal number fall too.
    let lowest = (top - PRECISION + 1).max(LOWEST - exponent);
    if lowest <= 0 {
        let mantissa = magnitude.iter_u64_digits().next().unwrap_or(0);
        return scale_by_power(mantissa as f64, exponent);
    }
    let lowest_bit = lowest as u64;
    let kept = magnitude >> lowest_bit;
    let mut mantissa = kept.iter_u64_digits().next().unwrap_or(0);
    let is_half = magnitude.bit(lowest_bit - 1);
    let has_more = has_rest
        || magnitude
            .trailing_zeros()
            .is_some_and(|zeros| zeros < lowest_bit - 1);
    if is_half && (has_more || mantissa % 2 == 1) {
        mantissa += 1;
    }
    scale_by_power(mantissa as f64, exponent + lowest)
}

/// `value * 2^exponent`, exact where the result is a double, infinite where it is too large.
fn scale_by_power(value: f64, exponent: i64) -> f64 {
    if value == 0.0 || exponent > 1100 {
        return if value == 0.0 { 0.0 } else { f64::INFINITY };
    }
    let half = (exponent / 2) as i32;
    let rest = (exponent - i64::from(half)) as i32;
    value * power_of_two(half) * power_of_two(rest)
}

/// `2^exponent` for the exponents of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests;
