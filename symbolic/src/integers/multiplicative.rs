//! Functions of a number that its factorisation gives: totients, divisors, Moebius' function.

use num_bigint::BigUint;
use num_traits::One as _;

use super::modular::greatest_common_divisor;
use super::prime_factor::PrimeFactor;

/// Euler's function: how many numbers up to `n` are prime to it.
pub fn euler_totient(factors: &[PrimeFactor]) -> BigUint {
    let each = factors
        .iter()
        .map(|factor| factor.prime.pow(factor.exponent - 1) * (&factor.prime - 1_u8));
    each.product()
}

/// Carmichael's function: the least exponent `k > 0` with `a^k = 1` for every `a` prime to `n`.
pub fn carmichael_lambda(factors: &[PrimeFactor]) -> BigUint {
    let two = BigUint::from(2_u8);
    let each = factors.iter().map(|factor| {
        let full = factor.prime.pow(factor.exponent - 1) * (&factor.prime - 1_u8);
        match factor.prime == two && factor.exponent >= 3 {
            true => full >> 1_u8,
            false => full,
        }
    });
    each.fold(BigUint::one(), |all, one| {
        let divisor = greatest_common_divisor(&all, &one);
        all / divisor * one
    })
}

/// The number of divisors.
pub fn divisor_count(factors: &[PrimeFactor]) -> BigUint {
    let each = factors.iter();
    each.map(|factor| BigUint::from(factor.exponent) + 1_u8)
        .product()
}

/// The sum of the `k`-th powers of the divisors.
pub fn divisor_sum(factors: &[PrimeFactor], k: u32) -> BigUint {
    if k == 0 {
        return divisor_count(factors);
    }
    let each = factors.iter().map(|factor| {
        let step = factor.prime.pow(k);
        (step.pow(factor.exponent + 1) - 1_u8) / (step - 1_u8)
    });
    each.product()
}

/// Moebius' function: 0 where a square divides, else 1 or -1 as the number of primes is even or odd.
pub fn moebius(factors: &[PrimeFactor]) -> i8 {
    if factors.iter().any(|factor| factor.exponent > 1) {
        return 0;
    }
    match factors.len() % 2 {
        0 => 1,
        _ => -1,
    }
}

/// All divisors in their order; the caller has bounded their number.
pub fn list_divisors(factors: &[PrimeFactor]) -> Vec<BigUint> {
    let mut divisors = vec![BigUint::one()];
    for factor in factors {
        let known = divisors.len();
        let mut power = BigUint::one();
        for _ in 0..factor.exponent {
            power *= &factor.prime;
            for index in 0..known {
                divisors.push(&divisors[index] * &power);
            }
        }
    }
    divisors.sort();
    divisors
}
