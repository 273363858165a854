//! Sums of squares.

use num_bigint::BigUint;
use num_traits::{One as _, Zero as _};

use super::modular::modular_square_root;
use super::primality::is_probable_prime;
use super::prime_factor::PrimeFactor;
use super::work::{WorkBudget, WorkEnd};

/// `n = a^2 + b^2` with `a <= b` from the primes of `n` (Fermat; each prime by Hermite and Serret's descent); `None` where a prime of the form
/// `4 k + 3` has an odd exponent.
pub fn sum_of_two_squares(factors: &[PrimeFactor]) -> Option<(BigUint, BigUint)> {
    let (mut a, mut b) = (BigUint::zero(), BigUint::one());
    for factor in factors {
        let remainder = &factor.prime % 4_u8;
        if remainder == BigUint::from(3_u8) {
            if factor.exponent % 2 == 1 {
                return None;
            }
            let scale = factor.prime.pow(factor.exponent / 2);
            (a, b) = (a * &scale, b * scale);
            continue;
        }
        let (c, d) = split_prime(&factor.prime)?;
        for _ in 0..factor.exponent {
            // (a + b i)(c + d i), both parts without sign.
            let (ac, bd) = (&a * &c, &b * &d);
            let real = match ac >= bd {
                true => ac - bd,
                false => bd - ac,
            };
            (a, b) = (real, &a * &d + &b * &c);
        }
    }
    Some((a.clone().min(b.clone()), a.max(b)))
}

/// A prime that is 2 or of the form `4 k + 1`.
fn split_prime(prime: &BigUint) -> Option<(BigUint, BigUint)> {
    if *prime == BigUint::from(2_u8) {
        return Some((BigUint::one(), BigUint::one()));
    }
    let minus_one = prime - 1_u8;
    let (mut a, mut b) = (prime.clone(), modular_square_root(&minus_one, prime)?);
    while &b * &b > *prime {
        (a, b) = (b.clone(), a % b);
    }
    let rest = (prime - &b * &b).sqrt();
    (&rest * &rest + &b * &b == *prime).then_some((rest, b))
}

/// `n = a^2 + b^2 + c^2 + d^2` in rising order (Lagrange), by Rabin and Shallit's search (1986), with the candidates in order instead of at random.
///
/// # Errors
/// The budget.
pub fn sum_of_four_squares(
    n: &BigUint,
    work: &mut WorkBudget<'_>,
) -> Result<[BigUint; 4], WorkEnd> {
    if n.is_zero() {
        return Ok(Default::default());
    }
    let fours = n.trailing_zeros().unwrap_or(0) / 2;
    let scale = BigUint::one() << fours;
    let reduced = n >> (2 * fours);
    let mut parts = search_four(&reduced, work)?;
    for part in &mut parts {
        *part *= &scale;
    }
    parts.sort();
    Ok(parts)
}

fn search_four(n: &BigUint, work: &mut WorkBudget<'_>) -> Result<[BigUint; 4], WorkEnd> {
    let cost = super::modular::cost_of_power(n) / 4 + 64;
    // n - a^2 - b^2 is to be 0, 1, a square, or a prime that is 2 or 1 modulo 4.
    let mut a = n.sqrt();
    loop {
        let after = n - &a * &a;
        let mut b = after.sqrt();
        for _ in 0..4096 {
            work.spend(cost)?;
            let rest = &after - &b * &b;
            if let Some((c, d)) = split_easily(&rest) {
                return Ok([a, b, c, d]);
            }
            if b.is_zero() {
                break;
            }
            b -= 1_u8;
        }
        if a.is_zero() {
            return Err(WorkEnd::Spent);
        }
        a -= 1_u8;
    }
}

/// Two squares of a number where they are quickly found.
fn split_easily(n: &BigUint) -> Option<(BigUint, BigUint)> {
    let root = n.sqrt();
    if &root * &root == *n {
        return Some((BigUint::zero(), root));
    }
    if n.bits() <= 20 {
        let mut c = root;
        while !c.is_zero() {
            let rest = n - &c * &c;
            let other = rest.sqrt();
            if &other * &other == rest {
                return Some((other, c));
            }
            c -= 1_u8;
        }
        return None;
    }
    let is_suitable = n % 4_u8 == BigUint::one() && is_probable_prime(n);
    is_suitable.then(|| split_prime(n)).flatten()
}
