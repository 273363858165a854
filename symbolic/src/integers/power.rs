//! Roots, perfect powers, digits.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, ToPrimitive as _};

use super::sieve::SMALL_PRIMES;

/// `n = base^exponent` with the largest exponent, at least 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerfectPower {
    /// The base.
    pub base: BigUint,
    /// The exponent.
    pub exponent: u32,
}

/// The power that a number above 1 is, if it is one; exponents are tried up to its number of bits.
pub fn find_perfect_power(n: &BigUint) -> Option<PerfectPower> {
    if n.bits() < 3 {
        return None;
    }
    let mut base = n.clone();
    let mut exponent = 1;
    for &prime in SMALL_PRIMES.iter() {
        while u64::from(prime) < base.bits() {
            let root = base.nth_root(prime);
            if root.pow(prime) != base {
                break;
            }
            base = root;
            exponent *= prime;
        }
        if u64::from(prime) >= base.bits() {
            break;
        }
    }
    (exponent > 1).then_some(PerfectPower { base, exponent })
}

/// The root of a degree, rounded towards zero, and whether it is exact; `None` for an even root of a negative number.
pub fn integer_root(n: &BigInt, degree: u32) -> Option<(BigInt, bool)> {
    if degree == 0 || degree.is_multiple_of(2) && n.sign() == num_bigint::Sign::Minus {
        return None;
    }
    let root = n.nth_root(degree);
    let is_exact = root.pow(degree) == *n;
    Some((root, is_exact))
}

/// The digits in a base of at least 2, the highest first.
pub fn digits_in_base(n: &BigUint, base: &BigUint) -> Vec<BigUint> {
    if *base <= BigUint::one() {
        return Vec::new();
    }
    if let Some(small) = base.to_u32().filter(|base| *base <= 256) {
        let digits = n.to_radix_be(small);
        return digits.into_iter().map(BigUint::from).collect();
    }
    let mut digits = Vec::new();
    let mut rest = n.clone();
    while rest >= *base {
        digits.push(&rest % base);
        rest /= base;
    }
    digits.push(rest);
    digits.reverse();
    digits
}
