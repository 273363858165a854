//! Prime factors: trial division, Brent's rho, p - 1, elliptic curves, one after another within a budget.

use num_bigint::BigUint;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use super::ecm::{CurveBounds, search_curve};
use super::power::find_perfect_power;
use super::primality::{is_below_proven_bound, is_probable_prime};
use super::prime_factor::PrimeFactor;
use super::rho::{search_p_minus_one, search_rho};
use super::sieve::{SMALL_BOUND, SMALL_PRIMES};
use super::work::{WorkBudget, WorkEnd};

/// Most bits of a number that more than trial division is tried on.
pub(super) const SEARCHED_BITS_MAX: u64 = 1024;

/// Bounds of the first stage with the number of curves at which a factor of 10, 15, 20, 25, 30, 35 digits is found (Zimmermann and Dodson,
/// 20 years of ECM, 2006, table 1).
const CURVE_LEVELS: [(u32, u64); 7] = [
    (400, 10),
    (2_000, 25),
    (11_000, 90),
    (50_000, 300),
    (250_000, 700),
    (1_000_000, 1_800),
    (3_000_000, 5_100),
];

/// How a factor was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactoringMethod {
    /// By dividing by primes below 65,536.
    TrialDivision,
    /// By a root.
    PerfectPower,
    /// Pollard's rho in Brent's form.
    Rho,
    /// Pollard's p - 1.
    PMinusOne,
    /// Elliptic curves.
    EllipticCurve,
}

impl FactoringMethod {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::TrialDivision => "trial division",
            Self::PerfectPower => "perfect power",
            Self::Rho => "Pollard-Brent rho",
            Self::PMinusOne => "Pollard p - 1",
            Self::EllipticCurve => "elliptic curves",
        }
    }
}

/// A number as a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factorisation {
    /// The primes found, in their order.
    pub factors: Vec<PrimeFactor>,
    /// What could not be factored within the budget: composite numbers with their exponents.
    pub cofactors: Vec<(BigUint, u32)>,
    /// The methods that found a factor, in the order in which they are tried.
    pub methods: Vec<FactoringMethod>,
}

impl Factorisation {
    /// The product of everything, which is the number again.
    pub fn product(&self) -> BigUint {
        let primes = self
            .factors
            .iter()
            .map(|factor| factor.prime.pow(factor.exponent));
        let rest = self.cofactors.iter().map(|(n, exponent)| n.pow(*exponent));
        primes.chain(rest).product()
    }

    /// Whether nothing is left.
    pub fn is_complete(&self) -> bool {
        self.cofactors.is_empty()
    }

    fn add_prime(&mut self, prime: BigUint, exponent: u32) {
        match self.factors.iter_mut().find(|known| known.prime == prime) {
            Some(known) => known.exponent += exponent,
            None => {
                let is_proven = is_below_proven_bound(&prime);
                self.factors.push(PrimeFactor {
                    prime,
                    exponent,
                    is_proven,
                });
            }
        }
    }

    fn add_method(&mut self, method: FactoringMethod) {
        if !self.methods.contains(&method) {
            self.methods.push(method);
        }
    }
}

/// Factors a positive number. Primes below 65,536 and factors up to about 20 digits are found with the usual budget; where the budget ends,
/// composite cofactors remain.
///
/// # Errors
/// [`WorkEnd::Stopped`].
pub fn factorise(n: &BigUint, work: &mut WorkBudget<'_>) -> Result<Factorisation, WorkEnd> {
    let mut result = Factorisation {
        factors: Vec::new(),
        cofactors: Vec::new(),
        methods: Vec::new(),
    };
    let rest = divide_by_small(n, &mut result);
    let mut open = Vec::new();
    if !rest.is_one() && !rest.is_zero() {
        open.push((rest, 1));
    }
    while let Some((number, exponent)) = open.pop() {
        if is_probable_prime(&number) {
            result.add_prime(number, exponent);
            continue;
        }
        if let Some(power) = find_perfect_power(&number) {
            result.add_method(FactoringMethod::PerfectPower);
            open.push((power.base, exponent * power.exponent));
            continue;
        }
        match split(&number, work) {
            Ok(Some((factor, method))) => {
                result.add_method(method);
                open.push((&number / &factor, exponent));
                open.push((factor, exponent));
            }
            Ok(None) | Err(WorkEnd::Spent) => result.cofactors.push((number, exponent)),
            Err(WorkEnd::Stopped) => return Err(WorkEnd::Stopped),
        }
    }
    result.factors.sort_by(|a, b| a.prime.cmp(&b.prime));
    result.cofactors.sort();
    result.methods.sort();
    Ok(result)
}

/// Takes out the primes below 65,536.
fn divide_by_small(n: &BigUint, result: &mut Factorisation) -> BigUint {
    let mut rest = n.clone();
    if rest.is_zero() {
        return rest;
    }
    while let Some(prime) = first_small_divisor(&rest) {
        let mut exponent = 0;
        while (&rest % prime).is_zero() {
            rest /= prime;
            exponent += 1;
        }
        result.add_method(FactoringMethod::TrialDivision);
        result.add_prime(BigUint::from(prime), exponent);
    }
    let bound = BigUint::from(SMALL_BOUND);
    if !rest.is_one() && rest < &bound * &bound {
        result.add_method(FactoringMethod::TrialDivision);
        result.add_prime(rest, 1);
        return BigUint::one();
    }
    rest
}

fn first_small_divisor(n: &BigUint) -> Option<u32> {
    match n.to_u64() {
        Some(0 | 1) => None,
        Some(word) => SMALL_PRIMES
            .iter()
            .find(|prime| word % u64::from(**prime) == 0)
            .copied(),
        None => super::primality::small_divisor(n),
    }
}

/// A proper factor of a composite that is no power and has no small prime, with the method that found it.
fn split(
    n: &BigUint,
    work: &mut WorkBudget<'_>,
) -> Result<Option<(BigUint, FactoringMethod)>, WorkEnd> {
    match n.bits().div_ceil(64) {
        0 | 1 => split_in_words::<1>(n, work),
        2 => split_in_words::<2>(n, work),
        3 => split_in_words::<3>(n, work),
        4 => split_in_words::<4>(n, work),
        5 | 6 => split_in_words::<6>(n, work),
        7 | 8 => split_in_words::<8>(n, work),
        _ if n.bits() > SEARCHED_BITS_MAX => Ok(None),
        _ => split_in_words::<16>(n, work),
    }
}

fn split_in_words<const N: usize>(
    n: &BigUint,
    work: &mut WorkBudget<'_>,
) -> Result<Option<(BigUint, FactoringMethod)>, WorkEnd> {
    // A factor of at most 32 bits of a word is found in some 2^16 steps, more than 2^20 are never needed there.
    let (steps, tries) = match N {
        1 => (1 << 22, 8),
        _ => (1 << 15, 1),
    };
    for constant in 1..=tries {
        if let Some(factor) = search_rho::<N>(n, constant, steps, work)? {
            return Ok(Some((factor, FactoringMethod::Rho)));
        }
    }
    if let Some(factor) = search_p_minus_one::<N>(n, 10_000, work)? {
        return Ok(Some((factor, FactoringMethod::PMinusOne)));
    }
    let mut sigma = 6;
    for (bound, curves) in CURVE_LEVELS {
        let bounds = CurveBounds::new(bound);
        for _ in 0..curves {
            if let Some(factor) = search_curve::<N>(n, sigma, &bounds, work)? {
                return Ok(Some((factor, FactoringMethod::EllipticCurve)));
            }
            sigma += 1;
        }
    }
    Ok(None)
}

/// Primes of `n - 1` with their exponents, until their product exceeds the square root of `n`, or as many as there are.
pub(super) fn factorise_for_proof(
    before: &BigUint,
    n: &BigUint,
    work: &mut WorkBudget<'_>,
) -> Result<Vec<(BigUint, u32)>, WorkEnd> {
    let mut result = Factorisation {
        factors: Vec::new(),
        cofactors: Vec::new(),
        methods: Vec::new(),
    };
    let mut rest = divide_by_small(before, &mut result);
    let known = |result: &Factorisation| -> BigUint {
        let powers = result.factors.iter();
        powers
            .map(|factor| factor.prime.pow(factor.exponent))
            .product()
    };
    // The cube root is enough, if the number is not very unlucky.
    while !rest.is_one() && known(&result).pow(3) <= *n {
        let mut shared = work.share(2);
        let found = factorise(&rest, &mut shared);
        work.settle(&shared);
        let found = found?;
        for factor in found.factors {
            result.add_prime(factor.prime, factor.exponent);
        }
        rest = BigUint::one();
    }
    let primes = result.factors.into_iter();
    Ok(primes
        .map(|factor| (factor.prime, factor.exponent))
        .collect())
}
