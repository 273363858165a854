//! Arithmetic modulo an integer.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};
use symbolic::integers::{
    BezoutResult, WorkEnd, combine_congruences, discrete_logarithm, euler_totient, extended_gcd,
    invert_modulo, jacobi_symbol, modular_power, modular_square_root, multiplicative_order,
    primitive_root, test_primality,
};
use tool_core::tool_error;

use super::{IntegerQuestion, Output};
use crate::prelude::*;
use crate::symbolic::exact_integer::{ExactInteger, short_digits};

/// Most integers of a list.
const LIST_MAX: usize = 1000;

/// The remainder from 0 on.
fn remainder(integer: &BigInt, modulus: &BigUint) -> BigUint {
    let modulus = BigInt::from(modulus.clone());
    let rest = ((integer % &modulus) + &modulus) % &modulus;
    rest.to_biguint().unwrap_or_default()
}

fn shown(natural: &BigUint) -> String {
    short_digits(&BigInt::from(natural.clone()))
}

impl IntegerQuestion<'_> {
    pub(super) fn gcd(&mut self) -> Result<Output, ToolError> {
        let list = self.args.gcd.as_deref().unwrap_or_default();
        if list.len() < 2 || list.len() > LIST_MAX {
            let found = list.len();
            refuse!(invalid "/gcd", "shape"; "expected 2 to {LIST_MAX} integers, found {found}");
        }
        let mut all = BezoutResult {
            gcd: list[0].0.clone(),
            x: BigInt::one(),
            y: BigInt::zero(),
        };
        let mut coefficients = vec![BigInt::one()];
        let mut multiple = list[0].0.abs();
        for integer in &list[1..] {
            self.ctx.check()?;
            all = extended_gcd(&all.gcd, &integer.0);
            for coefficient in &mut coefficients {
                *coefficient *= &all.x;
            }
            coefficients.push(all.y.clone());
            let common = extended_gcd(&multiple, &integer.0).gcd;
            multiple = match common.is_zero() {
                true => BigInt::zero(),
                false => (&multiple / common * &integer.0).abs(),
            };
            self.ctx.reserve(multiple.bits() / 8)?;
        }
        let gcd = all.gcd.abs();
        let sum: BigInt = list.iter().zip(&coefficients).map(|(n, x)| &n.0 * x).sum();
        let divides = list
            .iter()
            .all(|n| gcd.is_zero() && n.0.is_zero() || !gcd.is_zero() && (&n.0 % &gcd).is_zero());
        let texts: Vec<String> = list.iter().map(|n| short_digits(&n.0)).collect();
        let whole = match texts.as_slice() {
            [first, second] => format!("{first} and {second}"),
            _ => format!("the {} integers", texts.len()),
        };
        let (shown, least) = (short_digits(&gcd), short_digits(&multiple));
        let summary = format!(
            "The greatest common divisor of {whole} is {shown}, their least common multiple {least}."
        );
        let mut output = Output::new("gcd", gcd.to_string(), summary).value(gcd.clone());
        for (index, coefficient) in coefficients.into_iter().enumerate() {
            output = output.number(&format!("x{}", index + 1), coefficient);
        }
        output
            .number("lcm", multiple)
            .check("x1 n1 + x2 n2 + ... = gcd", sum == gcd)?
            .check("the gcd divides every integer", divides)
    }

    pub(super) fn mod_inverse(&mut self) -> Result<Output, ToolError> {
        let Some(integer) = &self.args.mod_inverse else {
            return Err(tool_error!(Internal, "no integer"));
        };
        let modulus = self.modulus()?;
        let a = remainder(&integer.0, &modulus);
        let (whole, of) = (short_digits(&integer.0), shown(&modulus));
        let Some(inverse) = invert_modulo(&a, &modulus) else {
            let common = symbolic::integers::greatest_common_divisor(&a, &modulus);
            let summary = format!(
                "{whole} has no inverse modulo {of}: both are divisible by {}.",
                shown(&common)
            );
            return Output::new("mod_inverse", "none", summary)
                .holds(false)
                .number("gcd", common.clone())
                .check("the greatest common divisor is above 1", !common.is_one());
        };
        let is_inverse = (&a * &inverse) % &modulus == BigUint::one() % &modulus;
        let answer = shown(&inverse);
        let summary = format!("The inverse of {whole} modulo {of} is {answer}.");
        Output::new("mod_inverse", inverse.to_string(), summary)
            .value(inverse)
            .holds(true)
            .check(format!("{whole} * {answer} = 1 modulo {of}"), is_inverse)
    }

    pub(super) fn mod_pow(&mut self) -> Result<Output, ToolError> {
        let [base, exponent] = self.exactly("mod_pow", self.args.mod_pow.as_ref())?;
        let modulus = self.modulus()?;
        let words = modulus.bits().div_ceil(64) as f64;
        self.ctx
            .afford(exponent.bits() as f64 * words * words * 12.0)?;
        let (whole, of) = (short_digits(&base), shown(&modulus));
        let power = short_digits(&exponent);
        let Some(result) = modular_power(&base, &exponent, &modulus) else {
            let summary = format!("{whole} has no inverse modulo {of}, hence no power {power}.");
            return Ok(Output::new("mod_pow", "none", summary).holds(false));
        };
        // The exponent in two summands, each power by itself.
        let half: BigInt = &exponent / 2;
        let parts =
            [half.clone(), &exponent - &half].map(|part| modular_power(&base, &part, &modulus));
        let again = match parts {
            [Some(first), Some(second)] => first * second % &modulus,
            _ => return Err(tool_error!(Internal, "a power of an inverse is missing")),
        };
        let summary = format!("{whole}^{power} = {} modulo {of}.", shown(&result));
        let holds = again == result;
        Output::new("mod_pow", result.to_string(), summary)
            .value(result)
            .holds(true)
            .check(
                "the product of two powers whose exponents add up to this one is the same",
                holds,
            )
    }

    pub(super) fn mod_sqrt(&mut self) -> Result<Output, ToolError> {
        let Some(integer) = &self.args.mod_sqrt else {
            return Err(tool_error!(Internal, "no integer"));
        };
        let modulus = self.modulus()?;
        let tested = test_primality(&modulus, false, &mut self.work);
        if !tested
            .map_err(|end| self.work_error(end, "mod_sqrt"))?
            .is_prime
        {
            let of = shown(&modulus);
            refuse!(invalid "/modulus", "range"; "expected a prime, found {of}"; "solve it modulo each prime power, and put the roots together by `crt`");
        }
        let a = remainder(&integer.0, &modulus);
        let (whole, of) = (short_digits(&integer.0), shown(&modulus));
        let Some(root) = modular_square_root(&a, &modulus) else {
            let symbol = jacobi_symbol(&integer.0, &modulus);
            let summary = format!("{whole} has no square root modulo {of}.");
            return Output::new("mod_sqrt", "none", summary)
                .holds(false)
                .check("the symbol of Legendre is -1", symbol == -1);
        };
        let mut roots = vec![root.clone(), (&modulus - &root) % &modulus];
        roots.sort();
        roots.dedup();
        let texts: Vec<String> = roots.iter().map(shown).collect();
        let texts = texts.join(" and ");
        let holds = roots.iter().all(|root| root * root % &modulus == a);
        let summary = format!("The square roots of {whole} modulo {of}: {texts}.");
        let mut output = Output::new("mod_sqrt", texts, summary)
            .value(roots[0].clone())
            .holds(true);
        output.list = roots.into_iter().map(ExactInteger::from).collect();
        output.check("each root squared is the integer", holds)
    }

    pub(super) fn crt(&mut self) -> Result<Output, ToolError> {
        let residues = self.args.crt.as_deref().unwrap_or_default();
        let moduli = self.args.moduli.as_deref().unwrap_or_default();
        if residues.is_empty() || residues.len() > LIST_MAX || residues.len() != moduli.len() {
            let (found, expected) = (moduli.len(), residues.len());
            refuse!(invalid "/moduli", "shape"; "expected one modulus for each of the {expected} residues (1 to {LIST_MAX}), found {found}");
        }
        let mut pairs = Vec::with_capacity(residues.len());
        for (index, (residue, modulus)) in residues.iter().zip(moduli).enumerate() {
            let modulus = self.natural(&format!("moduli/{index}"), Some(modulus), 1)?;
            pairs.push((residue.0.clone(), modulus));
        }
        let bits: u64 = pairs.iter().map(|(_, modulus)| modulus.bits()).sum();
        let words = bits.div_ceil(64) as f64;
        self.ctx
            .afford(pairs.len() as f64 * words * words * 500.0)?;
        let found = match combine_congruences(&pairs) {
            Ok(found) => found,
            Err(index) => {
                let (residue, modulus) = &pairs[index];
                let summary = format!(
                    "No integer has these residues: {} modulo {} contradicts those before it.",
                    short_digits(residue),
                    shown(modulus)
                );
                return Output::new("crt", "none", summary)
                    .holds(false)
                    .number("contradiction", index)
                    .check(
                        "the residues differ modulo a common divisor of the moduli",
                        true,
                    );
            }
        };
        let holds = pairs
            .iter()
            .all(|(residue, modulus)| &found.residue % modulus == remainder(residue, modulus));
        let text = format!("{} + {} t", shown(&found.residue), shown(&found.modulus));
        let summary = format!("The integers with these residues are {text}, for every integer t.");
        Output::new("crt", text, summary)
            .value(found.residue)
            .holds(true)
            .number("modulus", found.modulus)
            .check("the answer has every residue", holds)
    }

    pub(super) fn order(&mut self) -> Result<Output, ToolError> {
        let Some(integer) = &self.args.order else {
            return Err(tool_error!(Internal, "no integer"));
        };
        let modulus = self.modulus()?;
        let a = remainder(&integer.0, &modulus);
        let (whole, of) = (short_digits(&integer.0), shown(&modulus));
        let Some((order, primes)) = self.order_of(&a, &modulus, "order")? else {
            let summary = format!("{whole} has no order modulo {of}: they have a common divisor.");
            return Ok(Output::new("order", "none", summary).holds(false));
        };
        let one = BigUint::one() % &modulus;
        let holds = a.modpow(&order, &modulus) == one;
        let least = primes.iter().all(|prime| {
            !(&order % prime).is_zero() || a.modpow(&(&order / prime), &modulus) != one
        });
        let summary = format!("The order of {whole} modulo {of} is {}.", shown(&order));
        Output::new("order", order.to_string(), summary)
            .value(order)
            .holds(true)
            .check(
                "a^order = 1, and no power with a prime less in the exponent is 1",
                holds && least,
            )
    }

    /// The order of a residue, with the primes of the totient; `None` where it has no inverse.
    fn order_of(
        &mut self,
        a: &BigUint,
        modulus: &BigUint,
        question: &str,
    ) -> Result<Option<(BigUint, Vec<BigUint>)>, ToolError> {
        let factors = self.all_factors(modulus, question)?;
        let totient = euler_totient(&factors);
        let primes = self.all_factors(&totient, question)?;
        let order = multiplicative_order(a, modulus, &totient, &primes);
        Ok(order.map(|order| {
            (
                order,
                primes.into_iter().map(|factor| factor.prime).collect(),
            )
        }))
    }

    pub(super) fn primitive_root(&mut self) -> Result<Output, ToolError> {
        let modulus = self.natural("primitive_root", self.args.primitive_root.as_ref(), 1)?;
        let factors = self.all_factors(&modulus, "primitive_root")?;
        let totient = euler_totient(&factors);
        let primes = self.all_factors(&totient, "primitive_root")?;
        let found = primitive_root(&modulus, &factors, &primes, &mut self.work);
        let found = found.map_err(|end| self.work_error(end, "primitive_root"))?;
        let of = shown(&modulus);
        let Some(root) = found else {
            let summary = format!(
                "There is no primitive root modulo {of}: it is not 1, 2, 4, p^k or 2 p^k with an odd prime p."
            );
            return Ok(Output::new("primitive_root", "none", summary).holds(false));
        };
        let order = multiplicative_order(&root, &modulus, &totient, &primes);
        let summary = format!("The least primitive root modulo {of} is {}.", shown(&root));
        Output::new("primitive_root", root.to_string(), summary)
            .value(root)
            .holds(true)
            .number("totient", totient.clone())
            .check("its order is the totient", order == Some(totient))
    }

    pub(super) fn discrete_log(&mut self) -> Result<Output, ToolError> {
        let [base, value] = self.exactly("discrete_log", self.args.discrete_log.as_ref())?;
        let modulus = self.modulus()?;
        let (a, b) = (remainder(&base, &modulus), remainder(&value, &modulus));
        let Some((order, _)) = self.order_of(&a, &modulus, "discrete_log")? else {
            refuse!(invalid "/discrete_log/0", "range"; "the base has a common divisor with the modulus"; "divide it out first");
        };
        let primes = self.all_factors(&order, "discrete_log")?;
        let largest = primes.iter().map(|factor| factor.prime.sqrt()).max();
        let steps = largest.and_then(|side| side.to_u64()).unwrap_or(0);
        self.ctx
            .reserve(steps.min(1 << 22) * (64 + modulus.bits() / 8))?;
        let found = discrete_logarithm(&a, &b, &modulus, &order, &primes, &mut self.work);
        let found = found.map_err(|end: WorkEnd| self.work_error(end, "discrete_log"))?;
        let (whole, target, of) = (short_digits(&base), short_digits(&value), shown(&modulus));
        let Some(log) = found else {
            let summary = format!("{target} is no power of {whole} modulo {of}.");
            return Ok(Output::new("discrete_log", "none", summary)
                .holds(false)
                .number("order", order));
        };
        let holds = a.modpow(&log, &modulus) == b;
        let summary = format!(
            "{whole}^k = {target} modulo {of} for k = {} + {} t.",
            shown(&log),
            shown(&order)
        );
        Output::new("discrete_log", log.to_string(), summary)
            .value(log)
            .holds(true)
            .number("order", order)
            .check("base^k = value", holds)
    }

    pub(super) fn jacobi(&mut self) -> Result<Output, ToolError> {
        let [a, n] = self.exactly("jacobi", self.args.jacobi.as_ref())?;
        let below = n.to_biguint().filter(|n| n.bit(0));
        let Some(n) = below else {
            let found = short_digits(&n);
            refuse!(invalid "/jacobi/1", "range"; "expected an odd positive integer, found {found}");
        };
        let symbol = jacobi_symbol(&a, &n);
        let (whole, of) = (short_digits(&a), shown(&n));
        let summary = format!("The symbol of Jacobi ({whole}/{of}) is {symbol}.");
        let output = Output::new("jacobi", symbol.to_string(), summary).value(i64::from(symbol));
        // It is multiplicative: (4 a / n) = (a / n), (a / n)^2 is 0 or 1.
        let holds = jacobi_symbol(&(&a * 4), &n) == symbol
            && jacobi_symbol(&(&a * &a), &n) == symbol * symbol;
        output.check("(4a/n) = (a/n) and (a^2/n) = (a/n)^2", holds)
    }
}
