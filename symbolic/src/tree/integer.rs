//! Whole numbers: divisors, roots and powers within limits.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Bits that a number computed from another may have.
pub(crate) const BITS_LIMIT: u64 = 60_000;
/// Primes up to this are looked for in radicands.
const TRIAL_LIMIT: u64 = 3_000;

/// The greatest common divisor, at least 0.
pub(crate) fn gcd_of(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        let rest = &a % &b;
        a = b;
        b = rest;
    }
    a
}

/// The least common multiple, at least 0.
pub(crate) fn lcm_of(a: &BigInt, b: &BigInt) -> BigInt {
    match gcd_of(a, b) {
        gcd if gcd.is_zero() => BigInt::zero(),
        gcd => (a / gcd * b).abs(),
    }
}

/// A whole power of a fraction, where the value is within the limit and exists.
pub(crate) fn rational_power(base: &BigRational, exponent: i64) -> Option<BigRational> {
    if base.is_zero() {
        return (exponent > 0).then(BigRational::zero);
    }
    let bits = base.numer().bits().max(base.denom().bits());
    let size = exponent.unsigned_abs();
    if !base.numer().abs().is_one() || !base.denom().is_one() {
        (bits.saturating_mul(size) <= BITS_LIMIT).then_some(())?;
    }
    let size = u32::try_from(size).ok().or_else(|| {
        (base.numer().abs().is_one() && base.denom().is_one()).then_some((size % 2) as u32)
    })?;
    let power = BigRational::new_raw(base.numer().pow(size), base.denom().pow(size));
    Some(match exponent < 0 {
        true => power.recip(),
        false => power,
    })
}

/// The exact root of a positive whole number, where it is whole.
pub(crate) fn exact_root(value: &BigInt, degree: u32) -> Option<BigInt> {
    let root = value.nth_root(degree);
    (root.pow(degree) == *value).then_some(root)
}

/// The prime factors up to the limit of trials and what is left, which may be composite; of a positive number.
pub(crate) fn small_factors(value: &BigInt) -> Vec<(BigInt, u32)> {
    let mut rest = value.clone();
    let mut found = Vec::new();
    let mut prime = 2u64;
    while prime <= TRIAL_LIMIT && !rest.is_one() {
        if let Some(small) = rest.to_u64()
            && prime * prime > small
        {
            break;
        }
        let mut count = 0;
        while (&rest % prime).is_zero() {
            rest /= prime;
            count += 1;
        }
        if count > 0 {
            found.push((BigInt::from(prime), count));
        }
        prime += if prime == 2 { 1 } else { 2 };
    }
    if !rest.is_one() {
        let square = (2..8u32)
            .rev()
            .find_map(|degree| exact_root(&rest, degree).map(|root| (root, degree)));
        found.push(square.unwrap_or((rest, 1)));
    }
    found
}
