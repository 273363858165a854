//! Arithmetic modulo a number: greatest common divisors, inverses, congruences, roots, symbols.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

/// `g = a x + b y` with `g = gcd(a, b)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BezoutResult {
    /// The greatest common divisor, not negative.
    pub gcd: BigInt,
    /// The factor of the first number.
    pub x: BigInt,
    /// The factor of the second number.
    pub y: BigInt,
}

/// The greatest common divisor by Euclid; of 0 and 0 it is 0.
pub fn greatest_common_divisor(a: &BigUint, b: &BigUint) -> BigUint {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_zero() {
        (a, b) = (b.clone(), a % b);
    }
    a
}

/// Euclid's algorithm with the factors of Bezout.
pub fn extended_gcd(a: &BigInt, b: &BigInt) -> BezoutResult {
    let (mut r, mut next_r) = (a.clone(), b.clone());
    let (mut x, mut next_x) = (BigInt::one(), BigInt::zero());
    let (mut y, mut next_y) = (BigInt::zero(), BigInt::one());
    while !next_r.is_zero() {
        let quotient = &r / &next_r;
        let (after_r, after_x) = (&r - &quotient * &next_r, &x - &quotient * &next_x);
        let after_y = &y - &quotient * &next_y;
        (r, next_r) = (next_r, after_r);
        (x, next_x) = (next_x, after_x);
        (y, next_y) = (next_y, after_y);
    }
    if r.is_negative() {
        (r, x, y) = (-r, -x, -y);
    }
    BezoutResult { gcd: r, x, y }
}

/// The remainder from 0 to `modulus - 1`.
pub(super) fn floor_remainder(number: &BigInt, modulus: &BigUint) -> BigUint {
    let modulus = BigInt::from(modulus.clone());
    let remainder = number % &modulus;
    let remainder = match remainder.is_negative() {
        true => remainder + modulus,
        false => remainder,
    };
    remainder.to_biguint().unwrap_or_default()
}

/// The inverse of a number modulo another, where their divisor is 1.
pub fn invert_modulo(number: &BigUint, modulus: &BigUint) -> Option<BigUint> {
    if modulus.is_zero() {
        return None;
    }
    let result = extended_gcd(
        &BigInt::from(number.clone()),
        &BigInt::from(modulus.clone()),
    );
    result
        .gcd
        .is_one()
        .then(|| floor_remainder(&result.x, modulus))
}

/// `base^exponent` modulo a number; a negative exponent needs an inverse of the base, `None` without one.
pub fn modular_power(base: &BigInt, exponent: &BigInt, modulus: &BigUint) -> Option<BigUint> {
    let base = floor_remainder(base, modulus);
    let base = match exponent.is_negative() {
        true => invert_modulo(&base, modulus)?,
        false => base,
    };
    Some(base.modpow(exponent.magnitude(), modulus))
}

/// All integers that solve a system of congruences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CongruenceSolution {
    /// The least solution that is not negative.
    pub residue: BigUint,
    /// Solutions differ by multiples of it: the least common multiple of the moduli.
    pub modulus: BigUint,
}

/// Solves `x = residue (mod modulus)` for all pairs; moduli need not be coprime. The index of the first congruence that contradicts those
/// before it is the error.
///
/// # Errors
/// That index.
pub fn combine_congruences(pairs: &[(BigInt, BigUint)]) -> Result<CongruenceSolution, usize> {
    let mut all = CongruenceSolution {
        residue: BigUint::zero(),
        modulus: BigUint::one(),
    };
    for (index, (residue, modulus)) in pairs.iter().enumerate() {
        let (first, second) = (
            BigInt::from(all.modulus.clone()),
            BigInt::from(modulus.clone()),
        );
        let bezout = extended_gcd(&first, &second);
        let gap = residue - BigInt::from(all.residue.clone());
        if !(&gap % &bezout.gcd).is_zero() {
            return Err(index);
        }
        let together = &first / &bezout.gcd * &second;
        let shift = &gap / &bezout.gcd * &bezout.x * &first;
        let modulus = together.magnitude().clone();
        all = CongruenceSolution {
            residue: floor_remainder(&(BigInt::from(all.residue) + shift), &modulus),
            modulus,
        };
    }
    Ok(all)
}

/// The symbol of Jacobi `(a / n)` of an odd positive `n` (Cohen, algorithm 1.4.10).
pub fn jacobi_symbol(a: &BigInt, n: &BigUint) -> i8 {
    let mut a = floor_remainder(a, n);
    let mut n = n.clone();
    let mut sign = 1;
    while !a.is_zero() {
        let twos = a.trailing_zeros().unwrap_or(0);
        a >>= twos;
        let low = (&n % 8_u8).to_u8().unwrap_or(0);
        if twos % 2 == 1 && (low == 3 || low == 5) {
            sign = -sign;
        }
        if low % 4 == 3 && (&a % 4_u8).to_u8() == Some(3) {
            sign = -sign;
        }
        (a, n) = (&n % &a, a);
    }
    match n.is_one() {
        true => sign,
        false => 0,
    }
}

/// Products of words that a power modulo a number costs, about.
pub(super) fn cost_of_power(modulus: &BigUint) -> u64 {
    let words = modulus.bits().div_ceil(64).max(1);
    modulus.bits().saturating_mul(words * words * 4 + 8)
}

/// A square root modulo an odd prime, the lesser of the two, by Tonelli (1891) and Shanks (1973); `None` for a non-residue.
pub fn modular_square_root(a: &BigUint, prime: &BigUint) -> Option<BigUint> {
    let a = a % prime;
    if *prime == BigUint::from(2_u8) || a.is_zero() {
        return Some(a);
    }
    if jacobi_symbol(&BigInt::from(a.clone()), prime) != 1 {
        return None;
    }
    let one = BigUint::one();
    let before = prime - 1_u8;
    let twos = before.trailing_zeros().unwrap_or(0);
    let odd = &before >> twos;
    let mut non_residue = BigUint::from(2_u8);
    while jacobi_symbol(&BigInt::from(non_residue.clone()), prime) != -1 {
        non_residue += 1_u8;
    }
    let mut level = twos;
    let mut c = non_residue.modpow(&odd, prime);
    let mut t = a.modpow(&odd, prime);
    let mut root = a.modpow(&((&odd + 1_u8) >> 1_u8), prime);
    while t != one {
        let (mut least, mut square) = (0, t.clone());
        while square != one {
            square = &square * &square % prime;
            least += 1;
            if least >= level {
                return None;
            }
        }
        let mut b = c;
        for _ in 0..level - least - 1 {
            b = &b * &b % prime;
        }
        level = least;
        c = &b * &b % prime;
        t = t * &c % prime;
        root = root * &b % prime;
    }
    let other = prime - &root;
    Some(root.min(other))
}
