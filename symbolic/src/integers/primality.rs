//! Whether an integer is prime: proven by Miller and Rabin's test with bases that suffice below a bound, else by Baillie, Pomerance,
//! Selfridge and Wagstaff's test with a certificate where `n - 1` can be factored far enough.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use super::certificate::{PrimeCertificate, certify_prime};
use super::modular::{cost_of_power, floor_remainder, jacobi_symbol};
use super::montgomery::MontgomeryRing;
use super::sieve::{SMALL_BOUND, SMALL_PRIMES};
use super::work::{WorkBudget, WorkEnd};

/// The first 13 primes as bases decide below this number (Sorenson and Webster, Math. Comp. 86, 2017).
const PROVEN_BELOW: &str = "3317044064679887385961981";

/// The bases of that bound.
const PROVEN_BASES: [u32; 13] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];

/// What is known of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimalityResult {
    /// Whether it is prime, or passes every test.
    pub is_prime: bool,
    /// Whether that is proven. A composite always is.
    pub is_proven: bool,
    /// By what.
    pub basis: PrimalityBasis,
}

/// The ground of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrimalityBasis {
    /// Below 2 there are no primes.
    BelowTwo,
    /// It is below 2^32 and no prime up to its square root divides it.
    TrialDivision,
    /// This prime divides it.
    SmallDivisor(u32),
    /// It fails Miller and Rabin's test to this base.
    MillerRabinWitness(u32),
    /// It fails the strong test of Lucas.
    LucasWitness,
    /// It is a square, or a higher power.
    PerfectPower,
    /// It passes Miller and Rabin's test to the first 13 primes, which no composite below 3.3e24 does.
    MillerRabinBases,
    /// A certificate proves it.
    Certificate(Vec<PrimeCertificate>),
    /// It passes the test of Baillie, Pomerance, Selfridge and Wagstaff, which no known composite does.
    BailliePsw,
}

/// Tests a number; `certify` asks for a certificate above 3.3e24, within the budget.
///
/// # Errors
/// [`WorkEnd::Stopped`], and [`WorkEnd::Spent`] where not even the test fits.
pub fn test_primality(
    n: &BigUint,
    certify: bool,
    work: &mut WorkBudget<'_>,
) -> Result<PrimalityResult, WorkEnd> {
    let verdict = |is_prime, is_proven, basis| {
        Ok(PrimalityResult {
            is_prime,
            is_proven,
            basis,
        })
    };
    if *n < BigUint::from(2_u8) {
        return verdict(false, true, PrimalityBasis::BelowTwo);
    }
    if let Some(divisor) = small_divisor(n) {
        return match *n == BigUint::from(divisor) {
            true => verdict(true, true, PrimalityBasis::TrialDivision),
            false => verdict(false, true, PrimalityBasis::SmallDivisor(divisor)),
        };
    }
    if *n < BigUint::from(SMALL_BOUND) * BigUint::from(SMALL_BOUND) {
        return verdict(true, true, PrimalityBasis::TrialDivision);
    }
    let is_small = is_below_proven_bound(n);
    let bases: &[u32] = match is_small {
        true => &PROVEN_BASES,
        false => &PROVEN_BASES[..1],
    };
    for &base in bases {
        work.spend(cost_of_power(n))?;
        if !passes_miller_rabin(n, base) {
            return verdict(false, true, PrimalityBasis::MillerRabinWitness(base));
        }
    }
    if is_small {
        return verdict(true, true, PrimalityBasis::MillerRabinBases);
    }
    let root = n.sqrt();
    if &root * &root == *n {
        return verdict(false, true, PrimalityBasis::PerfectPower);
    }
    work.spend(4 * cost_of_power(n))?;
    if !passes_strong_lucas(n) {
        return verdict(false, true, PrimalityBasis::LucasWitness);
    }
    if certify && let Some(certificate) = certify_prime(n, work)? {
        return verdict(true, true, PrimalityBasis::Certificate(certificate));
    }
    verdict(true, false, PrimalityBasis::BailliePsw)
}

/// Whether a number is prime, or passes the test of Baillie, Pomerance, Selfridge and Wagstaff.
pub(super) fn is_probable_prime(n: &BigUint) -> bool {
    if let Some(word) = n.to_u64() {
        return is_word_prime(word);
    }
    if small_divisor(n).is_some() {
        return false;
    }
    if is_below_proven_bound(n) {
        return PROVEN_BASES
            .iter()
            .all(|&base| passes_miller_rabin(n, base));
    }
    let root = n.sqrt();
    passes_miller_rabin(n, 2) && &root * &root != *n && passes_strong_lucas(n)
}

/// Whether Miller and Rabin's test decides about it.
pub(super) fn is_below_proven_bound(n: &BigUint) -> bool {
    BigUint::parse_bytes(PROVEN_BELOW.as_bytes(), 10).is_some_and(|bound| *n < bound)
}

/// The least prime below 65,536 that divides a number.
pub(super) fn small_divisor(n: &BigUint) -> Option<u32> {
    if let Some(word) = n.to_u64() {
        let bounded = |prime: &&u32| u64::from(**prime).pow(2) <= word;
        let mut primes = SMALL_PRIMES.iter().take_while(bounded);
        let found = primes.find(|prime| word % u64::from(**prime) == 0).copied();
        return found.or_else(|| u32::try_from(word).ok().filter(|word| *word < SMALL_BOUND));
    }
    // Products of primes as long as they fit a word, so that the long number is divided once for several.
    let mut rest = SMALL_PRIMES.as_slice();
    while !rest.is_empty() {
        let mut product = 1_u64;
        let mut count = 0;
        while let Some(next) = rest
            .get(count)
            .and_then(|prime| product.checked_mul(u64::from(*prime)))
        {
            product = next;
            count += 1;
        }
        let remainder = (n % product).to_u64().unwrap_or(0);
        let divides = |prime: &&u32| remainder.is_multiple_of(u64::from(**prime));
        if let Some(prime) = rest[..count].iter().find(divides) {
            return Some(*prime);
        }
        rest = &rest[count..];
    }
    None
}

fn is_word_prime(n: u64) -> bool {
    let number = BigUint::from(n);
    match small_divisor(&number) {
        Some(divisor) => u64::from(divisor) == n,
        None if n < u64::from(SMALL_BOUND) => n > 1,
        None => PROVEN_BASES[..12]
            .iter()
            .all(|&base| passes_word_test(&number, n, base)),
    }
}

/// Miller and Rabin's test of an odd word.
fn passes_word_test(number: &BigUint, n: u64, base: u32) -> bool {
    let ring = MontgomeryRing::<1>::new(number);
    let minus_one = ring.sub(&ring.sub(&ring.one, &ring.one), &ring.one);
    let twos = (n - 1).trailing_zeros();
    let mut power = ring.power(&ring.enter(u64::from(base)), (n - 1) >> twos);
    if power == ring.one || power == minus_one {
        return true;
    }
    for _ in 1..twos {
        power = ring.mul(&power, &power);
        if power == minus_one {
            return true;
        }
    }
    false
}

/// Miller and Rabin's strong test of an odd number above 2 to a base.
pub(super) fn passes_miller_rabin(n: &BigUint, base: u32) -> bool {
    let one = BigUint::one();
    let before = n - 1_u8;
    let twos = before.trailing_zeros().unwrap_or(0);
    let mut power = BigUint::from(base).modpow(&(&before >> twos), n);
    if power == one || power == before {
        return true;
    }
    for _ in 1..twos {
        power = &power * &power % n;
        if power == before {
            return true;
        }
    }
    false
}

/// The strong test of Lucas with Selfridge's parameters (Baillie and Wagstaff, Math. Comp. 35, 1980); not for squares.
fn passes_strong_lucas(n: &BigUint) -> bool {
    let mut d = BigInt::from(5);
    loop {
        let symbol = jacobi_symbol(&d, n);
        if symbol == -1 {
            break;
        }
        if symbol == 0 && (d.magnitude() % n) != BigUint::zero() {
            return false;
        }
        d = match d > BigInt::zero() {
            true => -(d + 2_i8),
            false => -(d - 2_i8),
        };
    }
    let q = floor_remainder(&((BigInt::one() - &d) / 4), n);
    let d = floor_remainder(&d, n);
    let next = n + 1_u8;
    let twos = next.trailing_zeros().unwrap_or(0);
    let (u, mut v, mut q_power) = lucas_numbers(&(&next >> twos), &d, &q, n);
    if u.is_zero() || v.is_zero() {
        return true;
    }
    for _ in 1..twos {
        v = (&v * &v + n + n - 2_u8 * &q_power) % n;
        if v.is_zero() {
            return true;
        }
        q_power = &q_power * &q_power % n;
    }
    false
}

/// `U_k`, `V_k` and `Q^k` of the sequence with P = 1, modulo an odd number.
fn lucas_numbers(
    k: &BigUint,
    d: &BigUint,
    q: &BigUint,
    n: &BigUint,
) -> (BigUint, BigUint, BigUint) {
    let half = |number: BigUint| match number.bit(0) {
        true => (number + n) >> 1_u8,
        false => number >> 1_u8,
    };
    let (mut u, mut v, mut power) = (BigUint::one(), BigUint::one(), q.clone());
    for bit in (0..k.bits() - 1).rev() {
        u = &u * &v % n;
        v = (&v * &v + n + n - 2_u8 * &power) % n;
        power = &power * &power % n;
        if k.bit(bit) {
            let sum = half(&u + &v) % n;
            v = half(d * &u + &v) % n;
            u = sum;
            power = power * q % n;
        }
    }
    (u, v, power)
}

/// The least prime above a number.
///
/// # Errors
/// The budget.
pub fn next_prime(n: &BigUint, work: &mut WorkBudget<'_>) -> Result<BigUint, WorkEnd> {
    let two = BigUint::from(2_u8);
    if *n < two {
        return Ok(two);
    }
    let mut candidate = n + 1_u8;
    if !candidate.bit(0) {
        candidate += 1_u8;
    }
    loop {
        work.spend(cost_of_power(&candidate) / 8)?;
        if is_probable_prime(&candidate) {
            return Ok(candidate);
        }
        candidate += 2_u8;
    }
}

/// The largest prime below a number; `None` up to 2.
///
/// # Errors
/// The budget.
pub fn previous_prime(n: &BigUint, work: &mut WorkBudget<'_>) -> Result<Option<BigUint>, WorkEnd> {
    let three = BigUint::from(3_u8);
    if *n < three {
        return Ok(None);
    }
    if *n == three {
        return Ok(Some(BigUint::from(2_u8)));
    }
    let mut candidate = n - 1_u8;
    if !candidate.bit(0) {
        candidate -= 1_u8;
    }
    loop {
        work.spend(cost_of_power(&candidate) / 8)?;
        if is_probable_prime(&candidate) {
            return Ok(Some(candidate));
        }
        candidate -= 2_u8;
    }
}
