//! Multiplicative orders, primitive roots and logarithms modulo a number.

use std::collections::HashMap;

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use super::modular::{combine_congruences, cost_of_power, greatest_common_divisor, invert_modulo};
use super::multiplicative::euler_totient;
use super::prime_factor::PrimeFactor;
use super::work::{WorkBudget, WorkEnd};

/// The least `k > 0` with `a^k = 1` modulo a number, from the prime factors of its totient's factors; `None` where `a` has no inverse.
/// `exponent` is a multiple of the order with the primes `primes`.
pub fn multiplicative_order(
    a: &BigUint,
    modulus: &BigUint,
    exponent: &BigUint,
    primes: &[PrimeFactor],
) -> Option<BigUint> {
    if !greatest_common_divisor(a, modulus).is_one() {
        return None;
    }
    let one = BigUint::one() % modulus;
    let mut order = exponent.clone();
    for factor in primes {
        while (&order % &factor.prime).is_zero() {
            let smaller = &order / &factor.prime;
            if a.modpow(&smaller, modulus) != one {
                break;
            }
            order = smaller;
        }
    }
    Some(order)
}

/// The least primitive root modulo a number whose factors are known, and those of its totient; `None` where there is none: there is one
/// only modulo 1, 2, 4, `p^k` and `2 p^k`.
///
/// # Errors
/// The budget.
pub fn primitive_root(
    modulus: &BigUint,
    factors: &[PrimeFactor],
    totient_primes: &[PrimeFactor],
    work: &mut WorkBudget<'_>,
) -> Result<Option<BigUint>, WorkEnd> {
    let two = BigUint::from(2_u8);
    if modulus.is_one() {
        return Ok(Some(BigUint::zero()));
    }
    let odd = factors.iter().filter(|factor| factor.prime != two).count();
    let twos = factors
        .iter()
        .find(|factor| factor.prime == two)
        .map_or(0, |factor| factor.exponent);
    let has_root = match odd {
        0 => twos <= 2,
        1 => twos <= 1,
        _ => false,
    };
    if !has_root {
        return Ok(None);
    }
    let totient = euler_totient(factors);
    let one = BigUint::one();
    let mut candidate = one.clone();
    loop {
        if greatest_common_divisor(&candidate, modulus).is_one() {
            work.spend(cost_of_power(modulus) * (1 + totient_primes.len() as u64))?;
            let is_root = totient_primes
                .iter()
                .all(|factor| candidate.modpow(&(&totient / &factor.prime), modulus) != one);
            if is_root {
                return Ok(Some(candidate));
            }
        }
        candidate += 1_u8;
        if candidate >= *modulus {
            return Ok(None);
        }
    }
}

/// Most entries of a table of baby steps: 2^22, of about 64 bytes each.
const TABLE_MAX: u64 = 1 << 22;

/// The least `k >= 0` with `base^k = value` modulo a number, for a base of a known order with known primes: by Pohlig and Hellman (1978),
/// each prime by baby and giant steps (Shanks 1971). `None` where there is none.
///
/// # Errors
/// [`WorkEnd::Spent`] where a prime of the order needs more steps than the budget has.
pub fn discrete_logarithm(
    base: &BigUint,
    value: &BigUint,
    modulus: &BigUint,
    order: &BigUint,
    primes: &[PrimeFactor],
    work: &mut WorkBudget<'_>,
) -> Result<Option<BigUint>, WorkEnd> {
    let Some(inverse) = invert_modulo(base, modulus) else {
        return Ok(None);
    };
    let mut congruences = Vec::new();
    for factor in primes {
        let mut exponent = 0;
        let mut whole = BigUint::one();
        while (order % (&whole * &factor.prime)).is_zero() {
            whole *= &factor.prime;
            exponent += 1;
        }
        let generator = base.modpow(&(order / &factor.prime), modulus);
        let mut digit_sum = BigUint::zero();
        let mut place = BigUint::one();
        for _ in 0..exponent {
            // What is left after the digits that are known, raised into the subgroup of the prime.
            let rest = (value * inverse.modpow(&digit_sum, modulus)) % modulus;
            let power = order / (&place * &factor.prime);
            let target = rest.modpow(&power, modulus);
            let digit = search_steps(&generator, &target, modulus, &factor.prime, work)?;
            let Some(digit) = digit else {
                return Ok(None);
            };
            digit_sum += digit * &place;
            place *= &factor.prime;
        }
        congruences.push((BigInt::from(digit_sum), whole));
    }
    let Ok(found) = combine_congruences(&congruences) else {
        return Ok(None);
    };
    let holds = base.modpow(&found.residue, modulus) == value % modulus;
    Ok(holds.then_some(found.residue))
}

/// The logarithm in a group of prime order, by a table of its square root of steps.
fn search_steps(
    generator: &BigUint,
    target: &BigUint,
    modulus: &BigUint,
    order: &BigUint,
    work: &mut WorkBudget<'_>,
) -> Result<Option<BigUint>, WorkEnd> {
    let side = (order.sqrt() + 1_u8)
        .to_u64()
        .filter(|side| *side <= TABLE_MAX);
    let Some(side) = side else {
        return Err(WorkEnd::Spent);
    };
    let cost = modulus.bits().div_ceil(64).pow(2) * 8 + 64;
    let mut table = HashMap::new();
    let mut power = BigUint::one() % modulus;
    for index in 0..side {
        if index % 1024 == 0 {
            work.spend(1024 * cost)?;
        }
        table.entry(power.clone()).or_insert(index);
        power = power * generator % modulus;
    }
    let Some(stride) = invert_modulo(&power, modulus) else {
        return Ok(None);
    };
    let mut current = target.clone();
    for giant in 0..=side {
        if giant % 1024 == 0 {
            work.spend(1024 * cost)?;
        }
        if let Some(baby) = table.get(&current) {
            return Ok(Some(BigUint::from(giant) * side + *baby));
        }
        current = current * &stride % modulus;
    }
    Ok(None)
}
