//! Continued fractions of rational numbers and of square roots.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One as _, Signed as _, Zero as _};

use super::work::{WorkBudget, WorkEnd};

/// The terms `[a0; a1, a2, ...]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContinuedFraction {
    /// The terms before the period, or all of them.
    pub terms: Vec<BigInt>,
    /// The terms that repeat; empty for a rational number.
    pub period: Vec<BigInt>,
    /// Whether there are more terms than these.
    pub is_cut: bool,
}

/// A fraction made of the first terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convergent {
    /// Numerator.
    pub numerator: BigInt,
    /// Denominator, positive.
    pub denominator: BigInt,
}

/// The terms of a rational number, at most so many; the last is not 1 but for the number 1 itself.
pub fn expand_rational(number: &BigRational, most: usize) -> ContinuedFraction {
    let (mut numerator, mut denominator) = (number.numer().clone(), number.denom().clone());
    let mut terms = Vec::new();
    while !denominator.is_zero() && terms.len() < most {
        let quotient = floor_quotient(&numerator, &denominator);
        let rest = &numerator - &quotient * &denominator;
        terms.push(quotient);
        (numerator, denominator) = (denominator, rest);
    }
    ContinuedFraction {
        terms,
        period: Vec::new(),
        is_cut: !denominator.is_zero(),
    }
}

/// The quotient rounded down.
pub(super) fn floor_quotient(a: &BigInt, b: &BigInt) -> BigInt {
    let quotient = a / b;
    match (a - &quotient * b).is_zero() || (a.is_negative() == b.is_negative()) {
        true => quotient,
        false => quotient - 1_u8,
    }
}

/// The terms of the square root of a number that is no square: `a0`, and the period with at most `most` terms.
///
/// # Errors
/// The budget.
pub fn expand_square_root(
    d: &BigUint,
    most: usize,
    work: &mut WorkBudget<'_>,
) -> Result<ContinuedFraction, WorkEnd> {
    let root = BigInt::from(d.sqrt());
    let d = BigInt::from(d.clone());
    if &root * &root == d {
        return Ok(ContinuedFraction {
            terms: vec![root],
            period: Vec::new(),
            is_cut: false,
        });
    }
    let cost = d.bits().div_ceil(64).pow(2) * 8 + 64;
    let (mut m, mut q, mut a) = (BigInt::zero(), BigInt::one(), root.clone());
    let double = &root * 2;
    let mut period = Vec::new();
    while period.len() < most {
        if period.len() % 256 == 0 {
            work.spend(256 * cost)?;
        }
        m = &q * &a - m;
        q = (&d - &m * &m) / q;
        a = (&root + &m) / &q;
        let is_end = a == double;
        period.push(a.clone());
        if is_end {
            return Ok(ContinuedFraction {
                terms: vec![root],
                period,
                is_cut: false,
            });
        }
    }
    Ok(ContinuedFraction {
        terms: vec![root],
        period,
        is_cut: true,
    })
}

/// The convergents of the first terms, periods repeated, at most so many.
pub fn list_convergents(fraction: &ContinuedFraction, most: usize) -> Vec<Convergent> {
    let repeated = fraction.period.iter().cycle();
    let is_endless = !fraction.period.is_empty() && !fraction.is_cut;
    let terms: Box<dyn Iterator<Item = &BigInt>> = match is_endless {
        true => Box::new(fraction.terms.iter().chain(repeated)),
        false => Box::new(fraction.terms.iter().chain(&fraction.period)),
    };
    let (mut before, mut current) = (
        (BigInt::zero(), BigInt::one()),
        (BigInt::one(), BigInt::zero()),
    );
    let mut convergents = Vec::new();
    for term in terms.take(most) {
        let next = (term * &current.0 + &before.0, term * &current.1 + &before.1);
        before = std::mem::replace(&mut current, next);
        convergents.push(Convergent {
            numerator: current.0.clone(),
            denominator: current.1.clone(),
        });
    }
    convergents
}
