//! Factors, primes, and what follows from factors.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, ToPrimitive as _, Zero as _};
use symbolic::integers::{
    Factorisation, PrimalityBasis, PrimalityResult, PrimeCertificate, PrimeFactor, WorkEnd,
    carmichael_lambda, divisor_count, divisor_sum, euler_totient, factorise, list_divisors,
    moebius, next_prime, previous_prime, primes_between, test_primality,
};
use tool_core::tool_error;

use super::{CertificateRow, FactorRow, IntegerQuestion, Output, magnitude_of};
use crate::prelude::*;
use crate::symbolic::exact_integer::{ExactInteger, short_digits};

/// Widest window of `primes`.
const WINDOW_MAX: u64 = 1_000_000;
/// Most divisors that are listed.
const DIVISORS_MAX: u32 = 10_000;

impl IntegerQuestion<'_> {
    pub(super) fn factor(&mut self) -> Result<Output, ToolError> {
        let Some(integer) = &self.args.factor else {
            return Err(tool_error!(Internal, "no integer"));
        };
        let (n, is_negative) = magnitude_of(integer);
        if n.is_zero() {
            refuse!(invalid "/factor", "range"; "0 has no prime factors"; "pass an integer other than 0");
        }
        let found = self.factors_of(&n, "factor")?;
        let (rows, certificate) = self.factor_rows(&found)?;
        let text = written_product(&found, is_negative);
        let whole = short_digits(&integer.0);
        let cofactor: BigUint = found.cofactors.iter().map(|(n, k)| n.pow(*k)).product();
        let probable = rows
            .iter()
            .filter(|row| row.kind == "probable prime")
            .count();
        let summary = match (found.is_complete(), n.is_one()) {
            (true, true) => format!("{whole} is a unit: it has no prime factors."),
            (true, _) if is_single_prime(&found) && !is_negative => {
                format!(
                    "{whole} is {}.",
                    if probable == 0 {
                        "prime"
                    } else {
                        "a probable prime"
                    }
                )
            }
            (true, _) => format!("{whole} = {text}."),
            (false, _) => format!(
                "{whole} = {text}, where the composite cofactor of {} digits is not factored.",
                cofactor.to_string().len()
            ),
        };
        let is_complete = found.is_complete();
        let mut output = Output::new("factor", text, summary).holds(is_complete);
        if !is_complete {
            let spent = self.work.spent() / 1_000_000;
            self.ctx.warn(format!("a composite cofactor is left after {spent} million products of words; raise `effort`, with it `timeout_ms`, to search longer"));
            output = output.number("cofactor", cofactor);
        }
        output.factors = rows;
        output.certificate = certificate;
        let again = found
            .factors
            .iter()
            .all(|factor| self.is_prime_again(&factor.prime));
        output
            .check(
                "the product of the factors is the number",
                found.product() == n,
            )?
            .check("every prime passes its test again", again)
    }

    /// Factors within the budget.
    pub(super) fn factors_of(
        &mut self,
        n: &BigUint,
        question: &str,
    ) -> Result<Factorisation, ToolError> {
        // A test of primality of the longest numbers cannot be interrupted.
        let words = n.bits().div_ceil(64) as f64;
        self.ctx.afford(30.0 * words.powi(3) * 64.0)?;
        factorise(n, &mut self.work).map_err(|end| self.work_error(end, question))
    }

    /// All factors, or an error that says what is left.
    pub(super) fn all_factors(
        &mut self,
        n: &BigUint,
        question: &str,
    ) -> Result<Vec<PrimeFactor>, ToolError> {
        let found = self.factors_of(n, question)?;
        match found.is_complete() {
            true => Ok(found.factors),
            false => Err(self.work_error(WorkEnd::Spent, question)),
        }
    }

    fn is_prime_again(&mut self, prime: &BigUint) -> bool {
        let again = test_primality(prime, false, &mut self.work);
        // Where the budget is spent the first test counts.
        again.map_or(true, |again| again.is_prime)
    }

    fn factor_rows(
        &mut self,
        found: &Factorisation,
    ) -> Result<(Vec<FactorRow>, Vec<CertificateRow>), ToolError> {
        let (mut rows, mut certificates) = (Vec::new(), Vec::new());
        for factor in &found.factors {
            let certify = !factor.is_proven;
            let mut share = self.work.share(4);
            let tested = test_primality(&factor.prime, certify, &mut share);
            self.work.settle(&share);
            let (kind, by) = match tested {
                Ok(result) => {
                    if let PrimalityBasis::Certificate(chain) = &result.basis {
                        certificates.extend(chain.iter().map(CertificateRow::new));
                    }
                    (kind_of(&result), basis_words(&result.basis))
                }
                Err(WorkEnd::Stopped) => return Err(self.work_error(WorkEnd::Stopped, "factor")),
                Err(WorkEnd::Spent) => match factor.is_proven {
                    true => ("prime", basis_words(&PrimalityBasis::MillerRabinBases)),
                    false => ("probable prime", basis_words(&PrimalityBasis::BailliePsw)),
                },
            };
            rows.push(FactorRow::new(&factor.prime, factor.exponent, kind, by));
        }
        for (cofactor, exponent) in &found.cofactors {
            let by = "fails a test of primality; no factor found".to_owned();
            rows.push(FactorRow::new(cofactor, *exponent, "composite", by));
        }
        Ok((rows, certificates))
    }

    pub(super) fn is_prime(&mut self) -> Result<Output, ToolError> {
        let Some(integer) = &self.args.is_prime else {
            return Err(tool_error!(Internal, "no integer"));
        };
        let n = integer.to_natural().unwrap_or_default();
        let words = n.bits().div_ceil(64) as f64;
        self.ctx.afford(30.0 * words.powi(3) * 64.0)?;
        let result = test_primality(&n, true, &mut self.work)
            .map_err(|end| self.work_error(end, "is_prime"))?;
        let whole = short_digits(&integer.0);
        let by = basis_words(&result.basis);
        let (text, summary) = match (result.is_prime, result.is_proven) {
            (true, true) => ("prime", format!("{whole} is prime: {by}.")),
            (true, false) => (
                "probable prime",
                format!("{whole} is a probable prime, not proven: {by}."),
            ),
            (false, _) => ("not prime", format!("{whole} is not prime: {by}.")),
        };
        let output = Output::new("is_prime", text, summary).holds(result.is_prime);
        match &result.basis {
            PrimalityBasis::Certificate(chain) => {
                let holds = chain.iter().all(PrimeCertificate::holds);
                let mut output = output.check("every condition of the certificate holds", holds)?;
                output.certificate = chain.iter().map(CertificateRow::new).collect();
                Ok(output)
            }
            PrimalityBasis::SmallDivisor(divisor) => {
                let divides = (&n % *divisor).is_zero();
                output
                    .number("divisor", *divisor)
                    .check(format!("{divisor} divides the number"), divides)
            }
            _ => Ok(output),
        }
    }

    pub(super) fn neighbouring_prime(&mut self, question: &str) -> Result<Output, ToolError> {
        let is_next = question == "next_prime";
        let integer = match is_next {
            true => &self.args.next_prime,
            false => &self.args.previous_prime,
        };
        let Some(integer) = integer else {
            return Err(tool_error!(Internal, "no integer"));
        };
        let n = integer.to_natural().unwrap_or_default();
        let found = match is_next {
            true => next_prime(&n, &mut self.work).map(Some),
            false => previous_prime(&n, &mut self.work),
        };
        let found = found.map_err(|end| self.work_error(end, question))?;
        let (whole, side) = (
            short_digits(&integer.0),
            if is_next { "above" } else { "below" },
        );
        let Some(prime) = found else {
            let summary = format!("There is no prime below {whole}.");
            return Ok(Output::new(question, "none", summary).holds(false));
        };
        let result = test_primality(&prime, true, &mut self.work);
        let result = result.map_err(|end| self.work_error(end, question))?;
        let which = if is_next { "least" } else { "largest" };
        let kind = kind_of(&result);
        let text = prime.to_string();
        let shown = short_digits(&BigInt::from(prime.clone()));
        let summary = format!(
            "The {which} prime {side} {whole} is {shown} ({kind}: {}).",
            basis_words(&result.basis)
        );
        let gap = (BigInt::from(prime.clone()) - &integer.0)
            .magnitude()
            .clone();
        let mut output = Output::new(question, text, summary)
            .value(prime.clone())
            .holds(true);
        if let PrimalityBasis::Certificate(chain) = &result.basis {
            output.certificate = chain.iter().map(CertificateRow::new).collect();
        }
        output.number("gap", gap).check(
            format!("it is a {kind}, and every integer between is composite"),
            result.is_prime,
        )
    }

    pub(super) fn primes(&mut self) -> Result<Output, ToolError> {
        let [low, high] = self.exactly("primes", self.args.primes.as_ref())?;
        let bound = |integer: &BigInt| integer.to_u64().filter(|n| *n < 1 << 32);
        let low = match low.sign() {
            num_bigint::Sign::Minus => Some(0),
            _ => bound(&low),
        };
        let (Some(low), Some(high)) = (low, bound(&high)) else {
            refuse!(invalid "/primes", "range"; "expected integers below 2^32"; "for single primes above it use `next_prime`");
        };
        if high < low || high - low > WINDOW_MAX {
            refuse!(invalid "/primes", "range"; "expected a first integer up to the second, at most {WINDOW_MAX} apart";
                "divide the range");
        }
        self.ctx.reserve(16 * (high - low + 1))?;
        let found = primes_between(low, high);
        let count = found.len();
        let summary = match count {
            1 => format!("There is 1 prime from {low} to {high}."),
            _ => format!("There are {count} primes from {low} to {high}."),
        };
        let spot = found
            .iter()
            .step_by(1 + count / 50)
            .all(|prime| self.is_prime_again(&(*prime).into()));
        let mut output = Output::new("primes", count.to_string(), summary).value(count);
        output.list = found.into_iter().map(ExactInteger::from).collect();
        output.check(
            "every fiftieth of them, or more, passes Miller and Rabin's test",
            spot,
        )
    }

    pub(super) fn totient(&mut self) -> Result<Output, ToolError> {
        let n = self.natural("totient", self.args.totient.as_ref(), 1)?;
        let factors = self.all_factors(&n, "totient")?;
        let totient = euler_totient(&factors);
        let lambda = carmichael_lambda(&factors);
        let whole = short_digits(&BigInt::from(n.clone()));
        let shown = short_digits(&BigInt::from(totient.clone()));
        let summary = format!("{shown} integers from 1 to {whole} are prime to it.");
        let coprime = (2_u32..100)
            .map(BigUint::from)
            .filter(|a| symbolic::integers::greatest_common_divisor(a, &n).is_one());
        let one = BigUint::one() % &n;
        let holds = coprime
            .take(5)
            .all(|a| a.modpow(&lambda, &n) == one && a.modpow(&totient, &n) == one);
        let mut output = Output::new("totient", totient.to_string(), summary).value(totient);
        output.factors = self.plain_rows(&factors);
        output.number("carmichael", lambda).check(
            "a^totient = 1 and a^carmichael = 1 for the least integers prime to it",
            holds,
        )
    }

    fn plain_rows(&self, factors: &[PrimeFactor]) -> Vec<FactorRow> {
        let row = |factor: &PrimeFactor| {
            let (kind, by) = match factor.is_proven {
                true => ("prime", "deterministic test"),
                false => (
                    "probable prime",
                    "test of Baillie, Pomerance, Selfridge and Wagstaff",
                ),
            };
            FactorRow::new(&factor.prime, factor.exponent, kind, by.to_owned())
        };
        factors.iter().map(row).collect()
    }

    pub(super) fn divisors(&mut self) -> Result<Output, ToolError> {
        let n = self.natural("divisors", self.args.divisors.as_ref(), 1)?;
        let factors = self.all_factors(&n, "divisors")?;
        let (count, sum) = (divisor_count(&factors), divisor_sum(&factors, 1));
        let listed = match count <= BigUint::from(DIVISORS_MAX) {
            true => list_divisors(&factors),
            false => Vec::new(),
        };
        let whole = short_digits(&BigInt::from(n.clone()));
        let (shown, sum_shown) = (
            short_digits(&count.clone().into()),
            short_digits(&sum.clone().into()),
        );
        let summary = format!("{whole} has {shown} divisors, whose sum is {sum_shown}.");
        let (listed_sum, length) = (listed.iter().sum::<BigUint>(), listed.len());
        let mut output = Output::new("divisors", count.to_string(), summary).value(count.clone());
        output.factors = self.plain_rows(&factors);
        output = output
            .number("sigma", sum.clone())
            .number("moebius", i64::from(moebius(&factors)));
        if !listed.is_empty() {
            let divide = listed.iter().all(|divisor| (&n % divisor).is_zero());
            output.list = listed.into_iter().map(ExactInteger::from).collect();
            return output.check(
                "every one divides the number; their number and sum are those of the formulas",
                divide && BigUint::from(length) == count && listed_sum == sum,
            );
        }
        output.check("the number is the product of its factors", {
            let product: BigUint = factors
                .iter()
                .map(|factor| factor.prime.pow(factor.exponent))
                .product();
            product == n
        })
    }
}

impl FactorRow {
    fn new(factor: &BigUint, exponent: u32, kind: &str, by: String) -> Self {
        Self {
            factor: ExactInteger::from(factor.clone()),
            exponent,
            digits: factor.to_string().len(),
            kind: kind.to_owned(),
            by,
        }
    }
}

impl CertificateRow {
    fn new(certificate: &PrimeCertificate) -> Self {
        let witnesses = &certificate.witnesses;
        Self {
            n: ExactInteger::from(certificate.n.clone()),
            theorem: certificate.method.name().to_owned(),
            primes: witnesses
                .iter()
                .map(|one| ExactInteger::from(one.prime.clone()))
                .collect(),
            bases: witnesses.iter().map(|one| one.base).collect(),
        }
    }
}

fn kind_of(result: &PrimalityResult) -> &'static str {
    match (result.is_prime, result.is_proven) {
        (true, true) => "prime",
        (true, false) => "probable prime",
        (false, _) => "composite",
    }
}

fn is_single_prime(found: &Factorisation) -> bool {
    matches!(found.factors.as_slice(), [one] if one.exponent == 1)
}

/// The ground of a verdict in words.
fn basis_words(basis: &PrimalityBasis) -> String {
    match basis {
        PrimalityBasis::BelowTwo => "primes begin at 2".to_owned(),
        PrimalityBasis::TrialDivision => "trial division".to_owned(),
        PrimalityBasis::SmallDivisor(divisor) => format!("{divisor} divides it"),
        PrimalityBasis::MillerRabinWitness(base) => format!("it fails Miller and Rabin's test to the base {base}"),
        PrimalityBasis::LucasWitness => "it fails the strong test of Lucas".to_owned(),
        PrimalityBasis::PerfectPower => "it is a square".to_owned(),
        PrimalityBasis::MillerRabinBases => "Miller and Rabin's test to the first 13 primes, which decides below 3.3e24".to_owned(),
        PrimalityBasis::Certificate(chain) => {
            let method = chain.first().map_or("", |first| first.method.name());
            format!("a certificate by the theorem of {method}")
        }
        PrimalityBasis::BailliePsw => "the test of Baillie, Pomerance, Selfridge and Wagstaff, which no known composite passes".to_owned(),
    }
}

/// `-1 * 2^3 * 5`.
fn written_product(found: &Factorisation, is_negative: bool) -> String {
    let power = |(base, exponent): (&BigUint, u32)| match exponent {
        1 => base.to_string(),
        _ => format!("{base}^{exponent}"),
    };
    let primes = found
        .factors
        .iter()
        .map(|factor| (&factor.prime, factor.exponent));
    let rest = found.cofactors.iter().map(|(n, exponent)| (n, *exponent));
    let sign = is_negative.then(|| "-1".to_owned());
    let parts: Vec<String> = sign
        .into_iter()
        .chain(primes.chain(rest).map(power))
        .collect();
    match parts.is_empty() {
        true => "1".to_owned(),
        false => parts.join(" * "),
    }
}
