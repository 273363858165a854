//! Certificates of primes above the bound of Miller and Rabin's test, by the factors of `n - 1`.
//!
//! Pocklington (1914): if `F` divides `n - 1`, `F > sqrt(n)`, and for each prime `q` of `F` there is `a` with `a^(n-1) = 1` modulo `n` and
//! `gcd(a^((n-1)/q) - 1, n) = 1`, then `n` is prime. Brillhart, Lehmer and Selfridge (Math. Comp. 29, 1975, theorem 5) let `F` be as small as the
//! cube root.

use num_bigint::BigUint;
use num_traits::{One as _, Zero as _};

use super::factorise::factorise_for_proof;
use super::modular::{cost_of_power, greatest_common_divisor};
use super::primality::is_below_proven_bound;
use super::work::{WorkBudget, WorkEnd};

/// Most certificates of one prime: itself, primes of `n - 1`, their primes.
const CHAIN_MAX: usize = 64;

/// Bases tried for one prime of `n - 1`; a base fails with probability `1/q`.
const BASES_MAX: u32 = 200;

/// The theorem of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateMethod {
    /// The factored part exceeds the square root.
    Pocklington,
    /// The factored part exceeds the cube root.
    BrillhartLehmerSelfridge,
}

impl CertificateMethod {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pocklington => "Pocklington",
            Self::BrillhartLehmerSelfridge => "Brillhart-Lehmer-Selfridge",
        }
    }
}

/// A prime of `n - 1` and the base that goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimeWitness {
    /// The prime; above 3.3e24 it has a certificate of its own.
    pub prime: BigUint,
    /// Its power in `n - 1`.
    pub exponent: u32,
    /// The base.
    pub base: u32,
}

/// The proof that a number is prime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimeCertificate {
    /// The number.
    pub n: BigUint,
    /// The theorem.
    pub method: CertificateMethod,
    /// The known primes of `n - 1`.
    pub witnesses: Vec<PrimeWitness>,
}

impl PrimeCertificate {
    /// Whether the certificate proves its number, if its primes are primes: every condition computed anew.
    pub fn holds(&self) -> bool {
        let before = &self.n - 1_u8;
        let mut known = BigUint::one();
        for witness in &self.witnesses {
            let power = witness.prime.pow(witness.exponent);
            if !(&before % &power).is_zero()
                || !passes_base(&self.n, &before, &witness.prime, witness.base)
            {
                return false;
            }
            known *= power;
        }
        method_for(&self.n, &known) == Some(self.method)
    }
}

/// The theorem that applies to a factored part, which divides `n - 1`.
fn method_for(n: &BigUint, known: &BigUint) -> Option<CertificateMethod> {
    if known * known > *n {
        return Some(CertificateMethod::Pocklington);
    }
    if known.bit(0) || known.pow(3) <= *n {
        return None;
    }
    // n = 1 + F R with R = 2 F s + r; prime exactly if s = 0 or r^2 - 8 s is no square.
    let rest = (n - 1_u8) / known;
    let double = known * 2_u8;
    let (s, r) = (&rest / &double, &rest % &double);
    let is_proof = s.is_zero() || {
        let (square, eight) = (&r * &r, &s * 8_u8);
        square < eight || {
            let gap = square - eight;
            let root = gap.sqrt();
            &root * &root != gap
        }
    };
    is_proof.then_some(CertificateMethod::BrillhartLehmerSelfridge)
}

fn passes_base(n: &BigUint, before: &BigUint, prime: &BigUint, base: u32) -> bool {
    let power = BigUint::from(base).modpow(&(before / prime), n);
    if !power.modpow(prime, n).is_one() || power.is_zero() {
        return false;
    }
    greatest_common_divisor(&(power - 1_u8), n).is_one()
}

/// The certificate of a probable prime, with those of the primes it needs, the number itself first; `None` where `n - 1` could not be
/// factored far enough within the budget.
///
/// # Errors
/// [`WorkEnd::Stopped`].
pub(super) fn certify_prime(
    n: &BigUint,
    work: &mut WorkBudget<'_>,
) -> Result<Option<Vec<PrimeCertificate>>, WorkEnd> {
    let mut certificates = Vec::new();
    let mut open = vec![n.clone()];
    while let Some(next) = open.pop() {
        let is_known = certificates
            .iter()
            .any(|known: &PrimeCertificate| known.n == next);
        if is_below_proven_bound(&next) || is_known {
            continue;
        }
        if certificates.len() >= CHAIN_MAX {
            return Ok(None);
        }
        let found = match certify_by_primes(&next, work) {
            Ok(found) => found,
            Err(WorkEnd::Spent) => None,
            Err(end) => return Err(end),
        };
        let Some(certificate) = found else {
            return Ok(None);
        };
        open.extend(
            certificate
                .witnesses
                .iter()
                .map(|witness| witness.prime.clone()),
        );
        certificates.push(certificate);
    }
    Ok(Some(certificates))
}

fn certify_by_primes(
    n: &BigUint,
    work: &mut WorkBudget<'_>,
) -> Result<Option<PrimeCertificate>, WorkEnd> {
    let before = n - 1_u8;
    let factors = factorise_for_proof(&before, n, work)?;
    let mut witnesses: Vec<PrimeWitness> = Vec::new();
    let mut known = BigUint::one();
    for (prime, exponent) in factors {
        let mut bases = 2..=BASES_MAX;
        work.spend(2 * cost_of_power(n))?;
        let Some(base) = bases.find(|&base| passes_base(n, &before, &prime, base)) else {
            return Ok(None);
        };
        known *= prime.pow(exponent);
        witnesses.push(PrimeWitness {
            prime,
            exponent,
            base,
        });
    }
    Ok(method_for(n, &known).map(|method| PrimeCertificate {
        n: n.clone(),
        method,
        witnesses,
    }))
}
