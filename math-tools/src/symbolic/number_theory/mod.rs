//! Number theory: one question about integers of any length, with its answer checked.

mod answers;
mod fractions;
mod modular;
mod primes;
#[cfg(test)]
mod tests;

use num_bigint::{BigInt, BigUint};
use num_traits::Signed as _;
use symbolic::integers::{WorkBudget, WorkEnd};
use tool_core::tool_error;

use super::exact_integer::{ExactInteger, NamedInteger};
use crate::prelude::*;

/// Answer one question about integers of any length, exactly: prime factors, primality with proof, greatest common divisor, modular inverse, power,
/// root and logarithm, Chinese remainders, totient and divisors, continued fractions, Diophantine and Pell equations, sums of squares.
///
/// Pass exactly one question (`factor` ... `squares`) and what belongs to it. An integer is a number, or a string such as `"10^24 + 7"`. Every answer
/// is checked before it is returned (`verified`).
#[derive(Debug, Default, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Prime factors of an integer. Factors up to about 20 digits are found in seconds; what is left is a composite cofactor.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub factor: Option<ExactInteger>,
    /// Whether an integer is prime, with proof or certificate where there is one.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub is_prime: Option<ExactInteger>,
    /// The least prime above an integer.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub next_prime: Option<ExactInteger>,
    /// The largest prime below an integer.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub previous_prime: Option<ExactInteger>,
    /// All primes from the first to the second integer, both included; at most 1,000,000 integers apart and below 2^32.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub primes: Option<Vec<ExactInteger>>,
    /// Greatest common divisor of two or more integers, with factors x such that x1 n1 + x2 n2 + ... is the divisor (Bezout), and the least
    /// common multiple.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub gcd: Option<Vec<ExactInteger>>,
    /// The inverse of an integer modulo `modulus`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub mod_inverse: Option<ExactInteger>,
    /// Base and exponent of a power modulo `modulus`; a negative exponent is a power of the inverse.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub mod_pow: Option<Vec<ExactInteger>>,
    /// An integer whose square roots modulo the prime `modulus` are wanted.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub mod_sqrt: Option<ExactInteger>,
    /// Residues of an unknown integer modulo the integers of `moduli` (Chinese remainder theorem; moduli may have common divisors).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub crt: Option<Vec<ExactInteger>>,
    /// Euler's function of an integer, with Carmichael's.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub totient: Option<ExactInteger>,
    /// Divisors of an integer: their number, their sum (sigma), Moebius' function, and the list of up to 10,000.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub divisors: Option<ExactInteger>,
    /// The multiplicative order of an integer modulo `modulus`: the least k > 0 with a^k = 1.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub order: Option<ExactInteger>,
    /// The least primitive root modulo an integer.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub primitive_root: Option<ExactInteger>,
    /// Base and value of a logarithm modulo `modulus`: the least k >= 0 with base^k = value. Primes of the order up to about 10^13.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub discrete_log: Option<Vec<ExactInteger>>,
    /// The two integers of the Jacobi symbol (a/n), n odd and positive; of a prime n it is Legendre's.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub jacobi: Option<Vec<ExactInteger>>,
    /// Continued fraction, with convergents, of `415/93`, `3.14159` (exactly what it says) or `sqrt(14)`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub continued_fraction: Option<String>,
    /// The three integers of a x + b y = c: all solutions in integers.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub diophantine: Option<Vec<ExactInteger>>,
    /// The integer D of Pell's equation x^2 - D y^2 = `right`: its least positive solutions.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub pell: Option<ExactInteger>,
    /// An integer whose root of `degree` is wanted, rounded towards zero, with the remainder.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub root: Option<ExactInteger>,
    /// Whether an integer is a power of another, and of which.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub perfect_power: Option<ExactInteger>,
    /// The digits of an integer in `base`, the highest first.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub digits: Option<ExactInteger>,
    /// An integer as a sum of two squares where it is one, and of four.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub squares: Option<ExactInteger>,
    /// The modulus of `mod_inverse`, `mod_pow`, `mod_sqrt`, `order` and `discrete_log`, positive.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub modulus: Option<ExactInteger>,
    /// The moduli of `crt`, positive, one for each residue.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub moduli: Option<Vec<ExactInteger>>,
    /// Most terms of `continued_fraction`, and solutions of `pell`; absent: 20 terms, 3 solutions.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub terms: Option<BoundedInteger<1, 1000>>,
    /// Right side of Pell's equation: 1 (when absent) or -1.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub right: Option<BoundedInteger<-1, 1>>,
    /// Degree of `root`; absent: 2.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub degree: Option<BoundedInteger<1, 100_000>>,
    /// Base of `digits`, at least 2; absent: 10.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub base: Option<ExactInteger>,
    /// Work of a search, in millions of products of 64-bit words; absent: a fifth of what the deadline of the call has time for. The same work finds the
    /// same factors on every machine.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub effort: Option<BoundedInteger<1, 1_000_000>>,
}

/// The answer, with what supports it.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// The question.
    pub question: String,
    /// The answer as it is written, such as `2^4 * 3^2 * 5`.
    pub text: String,
    /// The answer as one integer: the divisor, inverse, root, prime, number of divisors; null where there is none, or several.
    pub value: Option<ExactInteger>,
    /// Whether it is so: a prime, a perfect power, solvable; whether every factor is known; null where that is not asked.
    pub holds: Option<bool>,
    /// Factors in their order: primes, and composite cofactors that the work did not suffice for.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub factors: Vec<FactorRow>,
    /// Certificate of a prime beyond 3.3e24, the number itself first, then primes that it needs.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub certificate: Vec<CertificateRow>,
    /// Further integers by name.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub numbers: Vec<NamedInteger>,
    /// Integers in their order: primes, divisors, digits, terms of a continued fraction before its period, roots.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub list: Vec<ExactInteger>,
    /// The terms of a continued fraction that repeat.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub period: Vec<ExactInteger>,
    /// Pairs: convergents as numerator and denominator, solutions of Pell's equation as x and y.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub pairs: Vec<Vec<ExactInteger>>,
    /// What was computed again, and held.
    pub verified: Vec<String>,
    /// The answer in a sentence.
    pub summary: String,
}

/// A factor.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct FactorRow {
    /// The factor.
    pub factor: ExactInteger,
    /// Its exponent.
    pub exponent: u32,
    /// Its number of decimal digits.
    pub digits: usize,
    /// `prime`, `probable prime`, or `composite` for what could not be factored.
    pub kind: String,
    /// How that is known.
    pub by: String,
}

/// One step of a certificate: what proves a number prime, if the primes named are.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct CertificateRow {
    /// The number.
    pub n: ExactInteger,
    /// The theorem.
    pub theorem: String,
    /// Primes of n - 1.
    pub primes: Vec<ExactInteger>,
    /// The base of each prime q: a^(n-1) = 1, and a^((n-1)/q) - 1 has no common divisor with n.
    pub bases: Vec<u32>,
}

impl Output {
    fn new(question: &str, text: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            question: question.to_owned(),
            text: text.into(),
            value: None,
            holds: None,
            factors: Vec::new(),
            certificate: Vec::new(),
            numbers: Vec::new(),
            list: Vec::new(),
            period: Vec::new(),
            pairs: Vec::new(),
            verified: Vec::new(),
            summary: summary.into(),
        }
    }

    fn value(mut self, value: impl Into<BigInt>) -> Self {
        self.value = Some(ExactInteger(value.into()));
        self
    }

    fn holds(mut self, holds: bool) -> Self {
        self.holds = Some(holds);
        self
    }

    fn number(mut self, name: &str, value: impl Into<BigInt>) -> Self {
        self.numbers.push(NamedInteger::new(name, value));
        self
    }

    /// Records a check; one that fails is an error of the method, and nothing is returned.
    fn check(mut self, what: impl Into<String>, holds: bool) -> Result<Self, ToolError> {
        let what = what.into();
        if !holds {
            return Err(tool_error!(Internal, "the check `{what}` failed"));
        }
        self.verified.push(what);
        Ok(self)
    }
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("number_theory", "Questions about integers").tags(&[
        "integer",
        "prime",
        "factorise",
        "factorize",
        "gcd",
        "modular",
        "exact",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "prime factors": r#"{"factor": 720}"# => r#"{"question": "factor", "text": "2^4 * 3^2 * 5", "value": null, "holds": true,
            "factors": [{"factor": 2, "exponent": 4, "digits": 1, "kind": "prime", "by": "trial division"},
                {"factor": 3, "exponent": 2, "digits": 1, "kind": "prime", "by": "trial division"},
                {"factor": 5, "exponent": 1, "digits": 1, "kind": "prime", "by": "trial division"}],
            "verified": ["the product of the factors is the number", "every prime passes its test again"],
            "summary": "720 = 2^4 * 3^2 * 5."}"#;
        "a greatest common divisor": r#"{"gcd": [240, 46]}"# => r#"{"question": "gcd", "text": "2", "value": 2, "holds": null,
            "numbers": [{"name": "x1", "value": -9}, {"name": "x2", "value": 47}, {"name": "lcm", "value": 5520}],
            "verified": ["x1 n1 + x2 n2 + ... = gcd", "the gcd divides every integer"],
            "summary": "The greatest common divisor of 240 and 46 is 2, their least common multiple 5520."}"#;
        "an inverse": r#"{"mod_inverse": 3, "modulus": 11}"# => r#"{"question": "mod_inverse", "text": "4", "value": 4, "holds": true,
            "verified": ["3 * 4 = 1 modulo 11"], "summary": "The inverse of 3 modulo 11 is 4."}"#;
        "an integer with three remainders": r#"{"crt": [2, 3, 2], "moduli": [3, 5, 7]}"# => r#"{"question": "crt", "text": "23 + 105 t",
            "value": 23, "holds": true, "numbers": [{"name": "modulus", "value": 105}], "verified": ["the answer has every residue"],
            "summary": "The integers with these residues are 23 + 105 t, for every integer t."}"#;
        "a square root as a continued fraction": r#"{"continued_fraction": "sqrt(14)", "terms": 5}"# => r#"{"question": "continued_fraction",
            "text": "[3; (1, 2, 1, 6)]", "value": null, "holds": null, "list": [3], "period": [1, 2, 1, 6],
            "pairs": [[3, 1], [4, 1], [11, 3], [15, 4], [101, 27]],
            "verified": ["each convergent p/q has |p^2 - 14 q^2| < 2 sqrt(14) + 1"],
            "summary": "sqrt(14) = [3; (1, 2, 1, 6)], the part in parentheses repeated without end."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        ctx.check()?;
        let question = the_question(&args)?;
        refuse_unused(&args, question)?;
        let stop = || ctx.check().is_err();
        let mut asked = IntegerQuestion {
            args: &args,
            work: WorkBudget::new(products(&args, ctx), &stop),
            ctx,
        };
        match question {
            "factor" => asked.factor(),
            "is_prime" => asked.is_prime(),
            "next_prime" | "previous_prime" => asked.neighbouring_prime(question),
            "primes" => asked.primes(),
            "totient" => asked.totient(),
            "divisors" => asked.divisors(),
            "gcd" => asked.gcd(),
            "mod_inverse" => asked.mod_inverse(),
            "mod_pow" => asked.mod_pow(),
            "mod_sqrt" => asked.mod_sqrt(),
            "crt" => asked.crt(),
            "order" => asked.order(),
            "primitive_root" => asked.primitive_root(),
            "discrete_log" => asked.discrete_log(),
            "jacobi" => asked.jacobi(),
            "continued_fraction" => asked.continued_fraction(),
            "diophantine" => asked.diophantine(),
            "pell" => asked.pell(),
            "root" => asked.root(),
            "perfect_power" => asked.perfect_power(),
            "digits" => asked.digits(),
            _ => asked.squares(),
        }
    }
}

/// A question with the work that its answer may take.
struct IntegerQuestion<'a> {
    args: &'a Args,
    work: WorkBudget<'a>,
    ctx: &'a Ctx,
}

/// Products of words for a search: as requested, else what a slow core does in a fifth of the deadline.
fn products(args: &Args, ctx: &Ctx) -> u64 {
    const PRODUCTS_PER_MS: u64 = 40_000;
    match args.effort {
        Some(effort) => effort.get().unsigned_abs().saturating_mul(1_000_000),
        None => ctx.budget().timeout_ms.saturating_mul(PRODUCTS_PER_MS),
    }
}

/// The one question that is given.
fn the_question(args: &Args) -> Result<&'static str, ToolError> {
    let given = [
        ("factor", args.factor.is_some()),
        ("is_prime", args.is_prime.is_some()),
        ("next_prime", args.next_prime.is_some()),
        ("previous_prime", args.previous_prime.is_some()),
        ("primes", args.primes.is_some()),
        ("gcd", args.gcd.is_some()),
        ("mod_inverse", args.mod_inverse.is_some()),
        ("mod_pow", args.mod_pow.is_some()),
        ("mod_sqrt", args.mod_sqrt.is_some()),
        ("crt", args.crt.is_some()),
        ("totient", args.totient.is_some()),
        ("divisors", args.divisors.is_some()),
        ("order", args.order.is_some()),
        ("primitive_root", args.primitive_root.is_some()),
        ("discrete_log", args.discrete_log.is_some()),
        ("jacobi", args.jacobi.is_some()),
        ("continued_fraction", args.continued_fraction.is_some()),
        ("diophantine", args.diophantine.is_some()),
        ("pell", args.pell.is_some()),
        ("root", args.root.is_some()),
        ("perfect_power", args.perfect_power.is_some()),
        ("digits", args.digits.is_some()),
        ("squares", args.squares.is_some()),
    ];
    let mut asked = given.iter().filter(|(_, is_given)| *is_given);
    let Some((first, _)) = asked.next() else {
        let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        refuse!(invalid "", "missing"; "expected one question, found none: one of {names}";
            "for example {{\"factor\": 720}}");
    };
    if let Some((second, _)) = asked.next() {
        refuse!(invalid format!("/{second}"); "expected one question, found `{first}` and `{second}`";
            "ask them in calls of their own");
    }
    Ok(first)
}

/// Refuses what belongs to another question.
fn refuse_unused(args: &Args, question: &str) -> Result<(), ToolError> {
    const MODULAR: [&str; 5] = [
        "mod_inverse",
        "mod_pow",
        "mod_sqrt",
        "order",
        "discrete_log",
    ];
    const SEARCHES: [&str; 12] = [
        "factor",
        "is_prime",
        "next_prime",
        "previous_prime",
        "totient",
        "divisors",
        "order",
        "primitive_root",
        "discrete_log",
        "continued_fraction",
        "pell",
        "squares",
    ];
    let given: [(&str, bool, &[&str]); 7] = [
        ("modulus", args.modulus.is_some(), &MODULAR),
        ("moduli", args.moduli.is_some(), &["crt"]),
        (
            "terms",
            args.terms.is_some(),
            &["continued_fraction", "pell"],
        ),
        ("right", args.right.is_some(), &["pell"]),
        ("degree", args.degree.is_some(), &["root"]),
        ("base", args.base.is_some(), &["digits"]),
        ("effort", args.effort.is_some(), &SEARCHES),
    ];
    for (name, is_given, questions) in given {
        if is_given && !questions.contains(&question) {
            let of = questions.join("`, `");
            refuse!(invalid format!("/{name}"); "`{name}` belongs to `{of}`, not to `{question}`";
                "leave it out");
        }
    }
    Ok(())
}

impl IntegerQuestion<'_> {
    /// What a search that ended early is for the caller.
    fn work_error(&self, end: WorkEnd, question: &str) -> ToolError {
        if let Err(stopped) = self.ctx.check() {
            return stopped;
        }
        let spent = self.work.spent() / 1_000_000;
        tool_error!(LimitExceeded at format!("/{question}"), "cost";
            "{end}: {spent} million products of words did not suffice";
            "raise `effort`, with it `timeout_ms`, or ask about a smaller integer")
    }

    /// A natural number of at least `least`.
    fn natural(
        &self,
        name: &str,
        integer: Option<&ExactInteger>,
        least: u32,
    ) -> Result<BigUint, ToolError> {
        let Some(integer) = integer else {
            refuse!(invalid format!("/{name}"), "missing"; "expected an integer of at least {least}";
                "pass `{name}` as well");
        };
        match integer
            .to_natural()
            .filter(|natural| *natural >= BigUint::from(least))
        {
            Some(natural) => Ok(natural),
            None => {
                let found = super::exact_integer::short_digits(&integer.0);
                refuse!(invalid format!("/{name}"), "range"; "expected an integer of at least {least}, found {found}");
            }
        }
    }

    fn modulus(&self) -> Result<BigUint, ToolError> {
        self.natural("modulus", self.args.modulus.as_ref(), 1)
    }

    /// The integers of a list that has so many.
    fn exactly<const N: usize>(
        &self,
        name: &str,
        list: Option<&Vec<ExactInteger>>,
    ) -> Result<[BigInt; N], ToolError> {
        let list = list.map(Vec::as_slice).unwrap_or_default();
        let integers: Vec<BigInt> = list.iter().map(|integer| integer.0.clone()).collect();
        integers.try_into().or_else(|list: Vec<BigInt>| {
            let found = list.len();
            refuse!(invalid format!("/{name}"), "shape"; "expected {N} integers, found {found}")
        })
    }
}

/// `|n|`, and the factor -1 where it is negative.
fn magnitude_of(integer: &ExactInteger) -> (BigUint, bool) {
    (integer.0.magnitude().clone(), integer.0.is_negative())
}
