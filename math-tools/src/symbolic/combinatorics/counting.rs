//! Counts by formulas and recurrences, each computed a second way.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Zero as _};
use symbolic::combinatorics::{
    bell_number, binomial, catalan_number, count_derangements, count_multisets, count_partitions,
    count_partitions_into, count_permutations, euler_number, eulerian_number, factorial,
    fibonacci_and_lucas, multinomial, stirling_first, stirling_second,
};
use tool_core::tool_error;

use super::checks::{
    add_modulo, derangements_modulo, euler_properties, first_by_products, partitions_by_sums,
    remainder_of, second_by_sum, stirling_row,
};
use super::question::{Args, CountedSequence, Output};
use crate::prelude::*;
use crate::symbolic::exact_integer::{ExactInteger, short_digits};

/// Products of words that additions of long integers cost, for `steps` of them with results of `bits` bits.
pub(super) fn cost_of(steps: f64, bits: f64) -> f64 {
    steps * (bits / 64.0 + 8.0) * 4.0
}

/// A count with its formula, its check and words.
struct CountAnswer {
    value: BigInt,
    formula: &'static str,
    /// What is computed a second way, and whether it held.
    check: (&'static str, bool),
    /// What there are so many of.
    of: String,
}

impl CountAnswer {
    fn new(
        value: impl Into<BigInt>,
        formula: &'static str,
        check: (&'static str, bool),
        of: impl Into<String>,
    ) -> Self {
        Self {
            value: value.into(),
            formula,
            check,
            of: of.into(),
        }
    }
}

/// The name of a choice as callers write it.
fn name_of(count: CountedSequence) -> Result<String, ToolError> {
    let value = tool_core::convert::to_value(&count)?;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

pub(super) fn answer_count(
    args: &Args,
    count: CountedSequence,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let given = [
        ("items", args.items.is_some()),
        ("sets", args.sets.is_some()),
        ("largest", args.largest.is_some()),
        ("condition", args.condition.is_some()),
        (
            "parts",
            args.parts.is_some() && count != CountedSequence::Multinomial,
        ),
    ];
    let name = name_of(count)?;
    if let Some((unused, _)) = given.iter().find(|(_, is_given)| *is_given) {
        refuse!(invalid format!("/{unused}"); "`{unused}` has no effect on the count `{name}`"; "leave it out, or use `list`");
    }
    let takes_two = matches!(
        count,
        CountedSequence::Permutations
            | CountedSequence::Combinations
            | CountedSequence::StirlingFirst
            | CountedSequence::StirlingSecond
            | CountedSequence::Partitions
            | CountedSequence::Compositions
            | CountedSequence::Eulerian
    );
    if args.k.is_some() && !takes_two {
        refuse!(invalid "/k"; "`{name}` takes no k"; "leave it out");
    }
    let answer = match count {
        CountedSequence::Bernoulli => return super::bernoulli::answer_bernoulli(args, ctx),
        CountedSequence::Multinomial => count_kinds(args, ctx)?,
        CountedSequence::Permutations | CountedSequence::Combinations => {
            count_choices(args, count, ctx)?
        }
        CountedSequence::StirlingFirst
        | CountedSequence::StirlingSecond
        | CountedSequence::Eulerian
        | CountedSequence::Partitions
        | CountedSequence::Compositions => count_divisions(args, count, ctx)?,
        _ => count_sequence(args, count, ctx)?,
    };
    if !answer.check.1 {
        return Err(tool_error!(
            Internal,
            "the check `{}` failed",
            answer.check.0
        ));
    }
    let shown = short_digits(&answer.value);
    let verb = match count {
        CountedSequence::Fibonacci
        | CountedSequence::Lucas
        | CountedSequence::Euler
        | CountedSequence::Catalan => {
            format!("{} is {shown}.", answer.of)
        }
        _ if answer.value.is_one() => format!("There is 1 of {}.", answer.of),
        _ => format!("There are {shown} {}.", answer.of),
    };
    Ok(Output {
        question: name,
        text: answer.value.to_string(),
        value: Some(ExactInteger(answer.value)),
        formula: answer.formula.to_owned(),
        arrangements: Vec::new(),
        is_cut: false,
        numbers: Vec::new(),
        verified: vec![answer.check.0.to_owned()],
        summary: verb,
    })
}

/// The first number of a count.
pub(super) fn first_number(args: &Args, most: u64, ctx: &Ctx) -> Result<u64, ToolError> {
    ctx.check()?;
    let Some(n) = args.n else {
        refuse!(invalid "/n", "missing"; "expected an integer from 0 to {most}"; "pass `n`");
    };
    let n = n.get().unsigned_abs();
    if n > most {
        refuse!(invalid "/n", "range"; "expected at most {most} for this count, found {n}");
    }
    Ok(n)
}

fn second_number(args: &Args) -> Result<u64, ToolError> {
    match args.k {
        Some(k) => Ok(k.get().unsigned_abs()),
        None => refuse!(invalid "/k", "missing"; "expected a second integer"; "pass `k`"),
    }
}

fn count_choices(args: &Args, count: CountedSequence, ctx: &Ctx) -> Result<CountAnswer, ToolError> {
    let n = first_number(args, 200_000, ctx)?;
    let is_ordered = count == CountedSequence::Permutations;
    let k = match (is_ordered, args.repetition) {
        (true, false) => args.k.map_or(n, |k| k.get().unsigned_abs()),
        _ => second_number(args)?,
    };
    if k > 200_000 {
        refuse!(invalid "/k", "range"; "expected at most 200000 for this count, found {k}");
    }
    let bits = n.max(k) as f64 * 20.0;
    ctx.afford(bits * bits / 64.0)?;
    Ok(match (is_ordered, args.repetition) {
        (true, true) => {
            let power = u32::try_from(k).unwrap_or(u32::MAX);
            let value = BigUint::from(n).pow(power);
            let half = BigUint::from(n).pow(power / 2);
            let again = &half * &half * BigUint::from(n).pow(power % 2);
            let check = ("n^k from the power of half the exponent", again == value);
            CountAnswer::new(
                value,
                "n^k",
                check,
                format!("sequences of {k} of {n} kinds"),
            )
        }
        (true, false) => {
            let value = count_permutations(n, k);
            let holds = k > n || &value * factorial(n - k) == factorial(n);
            let check = ("the count times (n - k)! is n!", holds);
            CountAnswer::new(
                value,
                "n! / (n - k)!",
                check,
                format!("orders of {k} of {n}"),
            )
        }
        (false, true) => {
            let value = count_multisets(n, k);
            let holds = n == 0 || &value * factorial(k) == count_permutations(n + k - 1, k);
            let check = ("the count times k! is (n + k - 1)! / (n - 1)!", holds);
            CountAnswer::new(
                value,
                "(n + k - 1)! / (k! (n - 1)!)",
                check,
                format!("combinations of {k} of {n} kinds with repetition"),
            )
        }
        (false, false) => {
            let value = binomial(n, k);
            let holds = &value * factorial(k) == count_permutations(n, k);
            let check = ("C(n, k) k! = n! / (n - k)!", holds);
            CountAnswer::new(
                value,
                "n! / (k! (n - k)!)",
                check,
                format!("combinations of {k} of {n}"),
            )
        }
    })
}

fn count_kinds(args: &Args, ctx: &Ctx) -> Result<CountAnswer, ToolError> {
    let parts: Vec<u64> = args
        .parts
        .iter()
        .flatten()
        .map(|part| part.get().unsigned_abs())
        .collect();
    let sum: u64 = parts.iter().sum();
    if parts.is_empty() || parts.len() > 1000 || sum > 100_000 {
        let found = parts.len();
        refuse!(invalid "/parts", "range"; "expected 1 to 1000 sizes of at most 100000 together, found {found} of {sum}");
    }
    if args.n.is_some_and(|n| n.get().unsigned_abs() != sum) {
        refuse!(invalid "/n", "range"; "the parts add up to {sum}, not to n"; "leave `n` out");
    }
    let bits = sum as f64 * 17.0;
    ctx.afford(bits * bits / 64.0 * 2.0)?;
    let value = multinomial(&parts);
    let product: BigUint = parts.iter().map(|part| factorial(*part)).product();
    let check = (
        "the count times the factorials of the parts is the factorial of their sum",
        &value * product == factorial(sum),
    );
    let of = format!("orders of {sum} items of {} kinds", parts.len());
    Ok(CountAnswer::new(
        value,
        "(k1 + k2 + ...)! / (k1! k2! ...)",
        check,
        of,
    ))
}

fn count_divisions(
    args: &Args,
    count: CountedSequence,
    ctx: &Ctx,
) -> Result<CountAnswer, ToolError> {
    let (nf, log) = (args.n.map_or(0.0, |n| n.get() as f64), 12.0);
    match count {
        CountedSequence::StirlingFirst | CountedSequence::StirlingSecond => {
            let (n, k) = (first_number(args, 3000, ctx)?, second_number(args)?);
            ctx.afford(cost_of(nf * (k.min(n)) as f64, nf * log))?;
            if count == CountedSequence::StirlingFirst {
                let value = stirling_first(n, k);
                // Rising factorials have them as coefficients; modulo a word, by the recurrence from the other side.
                let holds = first_by_products(n, k) == remainder_of(&value);
                let check = (
                    "the coefficient of x^k in x (x + 1) ... (x + n - 1), modulo 2^61 - 1",
                    holds,
                );
                return Ok(CountAnswer::new(
                    value,
                    "c(n, k) = c(n-1, k-1) + (n-1) c(n-1, k)",
                    check,
                    format!("permutations of {n} with {k} cycles"),
                ));
            }
            let value = stirling_second(n, k);
            let holds = second_by_sum(n, k) == BigInt::from(&value * factorial(k.min(n + 1)));
            let check = (
                "k! times the count is the number of maps onto k, by inclusion and exclusion",
                holds || k > n,
            );
            Ok(CountAnswer::new(
                value,
                "S(n, k) = S(n-1, k-1) + k S(n-1, k)",
                check,
                format!("divisions of {n} items into {k} sets"),
            ))
        }
        CountedSequence::Eulerian => {
            let (n, k) = (first_number(args, 3000, ctx)?, second_number(args)?);
            ctx.afford(cost_of(nf * (k.min(n) + 1) as f64, nf * log))?;
            let value = eulerian_number(n, k);
            let mirrored = match k < n {
                true => eulerian_number(n, n - 1 - k),
                false => value.clone(),
            };
            let check = ("as many have k descents", mirrored == value);
            Ok(CountAnswer::new(
                value,
                "sum of (-1)^j C(n+1, j) (k+1-j)^n, j = 0..k",
                check,
                format!("permutations of {n} with {k} ascents"),
            ))
        }
        CountedSequence::Partitions => count_sums(args, ctx),
        _ => count_ordered_sums(args, ctx),
    }
}

/// Partitions of an integer.
fn count_sums(args: &Args, ctx: &Ctx) -> Result<CountAnswer, ToolError> {
    let nf = args.n.map_or(0.0, |n| n.get() as f64);
    let n = first_number(args, 20_000, ctx)?;
    let (value, of, formula) = match args.k {
        Some(k) => {
            let k = k.get().unsigned_abs();
            ctx.afford(cost_of(nf * (k.min(n)) as f64, nf.sqrt() * 4.0))?;
            (
                count_partitions_into(n, k),
                format!("partitions of {n} into {k} parts"),
                "p(n, k) = p(n-1, k-1) + p(n-k, k)",
            )
        }
        None => {
            ctx.afford(cost_of(nf.powf(1.5), nf.sqrt() * 4.0))?;
            (
                count_partitions(n),
                format!("partitions of {n}"),
                "p(n) = sum of (-1)^(j-1) (p(n - j(3j-1)/2) + p(n - j(3j+1)/2))",
            )
        }
    };
    ctx.afford(nf * nf * 2.0)?;
    let again = partitions_by_sums(n, args.k.map(|k| k.get().unsigned_abs()));
    let check = (
        "the same by sums over the largest part, modulo 2^61 - 1",
        again == remainder_of(&value),
    );
    Ok(CountAnswer::new(value, formula, check, of))
}

/// Compositions of an integer.
fn count_ordered_sums(args: &Args, ctx: &Ctx) -> Result<CountAnswer, ToolError> {
    let n = first_number(args, 100_000, ctx)?;
    let (value, of, formula) = match args.k.map(|k| k.get().unsigned_abs()) {
        Some(k) => {
            let value = match (n, k) {
                (0, k) => BigUint::from(u8::from(k == 0)),
                (_, 0) => BigUint::zero(),
                _ => binomial(n - 1, k - 1),
            };
            (
                value,
                format!("compositions of {n} into {k} parts"),
                "C(n - 1, k - 1)",
            )
        }
        None => (
            BigUint::one() << n.saturating_sub(1),
            format!("compositions of {n}"),
            "2^(n - 1)",
        ),
    };
    let holds = match args.k.map(|k| k.get().unsigned_abs()) {
        Some(k) if n > 0 && k > 0 => &value * (n as u32) == binomial(n, k) * (k as u32),
        Some(_) => true,
        None => value.count_ones() == 1 && value.bits() == n.max(1),
    };
    let check = (
        "n C(n-1, k-1) = k C(n, k), or a power of 2 of n bits",
        holds,
    );
    Ok(CountAnswer::new(value, formula, check, of))
}

fn count_sequence(
    args: &Args,
    count: CountedSequence,
    ctx: &Ctx,
) -> Result<CountAnswer, ToolError> {
    let nf = args.n.map_or(0.0, |n| n.get() as f64);
    Ok(match count {
        CountedSequence::Derangements => {
            let n = first_number(args, 20_000, ctx)?;
            ctx.afford(cost_of(nf, nf * 15.0))?;
            let value = count_derangements(n);
            let check = (
                "d(n) = (n - 1) (d(n-1) + d(n-2)), modulo 2^61 - 1",
                derangements_modulo(n) == remainder_of(&value),
            );
            CountAnswer::new(
                value,
                "d(n) = n d(n-1) + (-1)^n",
                check,
                format!("permutations of {n} without a fixed item"),
            )
        }
        CountedSequence::Bell => {
            let n = first_number(args, 2000, ctx)?;
            ctx.afford(cost_of(nf * nf, nf * 10.0))?;
            let value = bell_number(n);
            let again = stirling_row(n).into_iter().fold(0, add_modulo);
            let check = (
                "the sum of Stirling's numbers of the second kind, modulo 2^61 - 1",
                again == remainder_of(&value),
            );
            CountAnswer::new(
                value,
                "B(n) by Aitken's triangle",
                check,
                format!("divisions of {n} items into sets"),
            )
        }
        CountedSequence::Catalan => {
            let n = first_number(args, 50_000, ctx)?;
            ctx.afford(nf * nf)?;
            let value = catalan_number(n);
            let beside = match n {
                0 => BigUint::zero(),
                _ => binomial(2 * n, n - 1),
            };
            let check = (
                "C(2n, n) - C(2n, n - 1)",
                binomial(2 * n, n) - beside == value,
            );
            CountAnswer::new(
                value,
                "C(2n, n) / (n + 1)",
                check,
                format!("Catalan's number {n}"),
            )
        }
        CountedSequence::Euler => {
            let n = first_number(args, 2000, ctx)?;
            ctx.afford(cost_of(nf * nf / 8.0, nf * 10.0))?;
            let value = euler_number(n);
            let check = (
                "odd ones vanish, signs alternate, and those of even index are odd",
                euler_properties(n, &value),
            );
            CountAnswer::new(
                value,
                "E(n) of 1 / cosh x = sum of E(n) x^n / n!",
                check,
                format!("Euler's number {n}"),
            )
        }
        _ => {
            let n = first_number(args, 1_000_000, ctx)?;
            ctx.afford(nf * nf / 500.0)?;
            let (fibonacci, lucas) = fibonacci_and_lucas(n);
            let norm = BigInt::from(&lucas * &lucas) - BigInt::from(&fibonacci * &fibonacci * 5_u8);
            let sign = if n % 2 == 0 { 4 } else { -4 };
            let check = ("L(n)^2 - 5 F(n)^2 = 4 (-1)^n", norm == sign.into());
            match count {
                CountedSequence::Fibonacci => CountAnswer::new(
                    fibonacci,
                    "F(n) = F(n-1) + F(n-2)",
                    check,
                    format!("Fibonacci's number {n}"),
                ),
                _ => CountAnswer::new(
                    lucas,
                    "L(n) = L(n-1) + L(n-2)",
                    check,
                    format!("Lucas' number {n}"),
                ),
            }
        }
    })
}
