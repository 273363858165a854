//! Continued fractions and equations in integers.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One as _, Zero as _};
use symbolic::integers::{
    ContinuedFraction, Convergent, DiophantineLine, expand_rational, expand_square_root,
    list_convergents, read_integer, solve_linear_diophantine, solve_negative_pell, solve_pell,
};
use tool_core::tool_error;

use super::{IntegerQuestion, Output};
use crate::prelude::*;
use crate::symbolic::exact_integer::{ARGUMENT_BITS_MAX, ExactInteger, short_digits};

/// Terms of a continued fraction where `terms` is absent.
const TERMS: usize = 20;
/// Solutions of Pell's equation where `terms` is absent.
const SOLUTIONS: usize = 3;

/// What a text stands for.
enum ExpandedNumber {
    Rational(BigRational),
    SquareRoot(BigUint),
}

impl IntegerQuestion<'_> {
    pub(super) fn continued_fraction(&mut self) -> Result<Output, ToolError> {
        let text = self.args.continued_fraction.as_deref().unwrap_or_default();
        let most = self.args.terms.map_or(TERMS, |terms| terms.size());
        match read_number(text)? {
            ExpandedNumber::Rational(number) => rational_answer(text, &number, most),
            ExpandedNumber::SquareRoot(d) => {
                let found = expand_square_root(&d, most, &mut self.work);
                let found = found.map_err(|end| self.work_error(end, "continued_fraction"))?;
                root_answer(text, &d, &found, most)
            }
        }
    }

    pub(super) fn diophantine(&mut self) -> Result<Output, ToolError> {
        let [a, b, c] = self.exactly("diophantine", self.args.diophantine.as_ref())?;
        if a.is_zero() && b.is_zero() {
            refuse!(invalid "/diophantine", "range"; "expected a and b that are not both 0");
        }
        let equation = format!(
            "{} x + {} y = {}",
            short_digits(&a),
            short_digits(&b),
            short_digits(&c)
        );
        let Some(line) = solve_linear_diophantine(&a, &b, &c) else {
            let gcd = symbolic::integers::extended_gcd(&a, &b).gcd;
            let summary = format!(
                "{equation} has no solution in integers: {} divides the left side and not the right.",
                short_digits(&gcd)
            );
            let misses = !(&c % &gcd).is_zero();
            return Output::new("diophantine", "none", summary)
                .holds(false)
                .number("gcd", gcd)
                .check(
                    "the greatest common divisor does not divide the right side",
                    misses,
                );
        };
        let DiophantineLine { x, y, dx, dy } = line;
        let text = format!("x = {}, y = {}", with_step(&x, &dx), with_step(&y, &dy));
        let summary = format!("{equation} holds for {text}, for every integer t.");
        let holds = [-1_i32, 0, 1]
            .iter()
            .all(|t| &a * (&x + &dx * *t) + &b * (&y + &dy * *t) == c);
        Output::new("diophantine", text, summary)
            .holds(true)
            .number("x", x)
            .number("y", y)
            .number("dx", dx)
            .number("dy", dy)
            .check("a x + b y = c for t = -1, 0, 1", holds)
    }

    pub(super) fn pell(&mut self) -> Result<Output, ToolError> {
        let d = self.natural("pell", self.args.pell.as_ref(), 2)?;
        let root = d.sqrt();
        let shown = short_digits(&d.clone().into());
        if &root * &root == d {
            refuse!(invalid "/pell", "range"; "expected an integer that is no square, found {shown}"; "for a square the left side is a product of two factors");
        }
        let count = self.args.terms.map_or(SOLUTIONS, |terms| terms.size());
        let is_negative = match self.args.right.map(|right| right.get()) {
            None | Some(1) => false,
            Some(-1) => true,
            Some(_) => refuse!(invalid "/right", "range"; "expected 1 or -1, found 0"),
        };
        let found = match is_negative {
            true => solve_negative_pell(&d, count, &mut self.work),
            false => solve_pell(&d, count, &mut self.work),
        };
        let found = found.map_err(|end| self.work_error(end, "pell"))?;
        let right = if is_negative { -1 } else { 1 };
        let equation = format!("x^2 - {shown} y^2 = {right}");
        let Some((x, y)) = found.solutions.first() else {
            let summary = format!(
                "{equation} has no solution: the continued fraction of sqrt({shown}) has an even period, {}.",
                found.period
            );
            return Ok(Output::new("pell", "none", summary)
                .holds(false)
                .number("period", found.period));
        };
        let text = format!("x = {x}, y = {y}");
        let summary = format!(
            "The least positive solution of {equation} is x = {}, y = {}.",
            short_digits(x),
            short_digits(y)
        );
        let big = BigInt::from(d);
        let holds = found
            .solutions
            .iter()
            .all(|(x, y)| x * x - &big * y * y == right.into());
        let mut output = Output::new("pell", text, summary)
            .holds(true)
            .number("period", found.period);
        output.pairs = found.solutions.iter().map(pair_of).collect();
        output.check(format!("{equation} for every pair"), holds)
    }
}

fn pair_of((x, y): &(BigInt, BigInt)) -> Vec<ExactInteger> {
    vec![ExactInteger(x.clone()), ExactInteger(y.clone())]
}

fn with_step(start: &BigInt, step: &BigInt) -> String {
    let start = short_digits(start);
    match (step.is_zero(), step.sign()) {
        (true, _) => start,
        (_, num_bigint::Sign::Minus) => format!("{start} - {} t", short_digits(&-step)),
        _ => format!("{start} + {} t", short_digits(step)),
    }
}

/// Reads `415/93`, `3.14159`, `-2`, `sqrt(14)`.
fn read_number(text: &str) -> Result<ExpandedNumber, ToolError> {
    let refused = |detail: &str| {
        let error = tool_error!(InvalidArgs at "/continued_fraction", "syntax"; "expected `p/q`, a decimal or `sqrt(n)`{detail}");
        error.hint("for example 415/93, 3.14159 or sqrt(14)")
    };
    let integer = |text: &str| {
        read_integer(text, ARGUMENT_BITS_MAX).map_err(|err| refused(&format!(": {err}")))
    };
    let text = text.trim();
    let inner = text
        .strip_prefix("sqrt(")
        .and_then(|rest| rest.strip_suffix(')'));
    if let Some(inner) = inner.or_else(|| text.strip_prefix('\u{221a}')) {
        let d = integer(inner)?.to_biguint();
        return d
            .map(ExpandedNumber::SquareRoot)
            .ok_or_else(|| refused(": the root of a negative integer"));
    }
    if let Some((whole, fraction)) = text.split_once('.') {
        let is_digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
        let places = u32::try_from(fraction.len()).unwrap_or(u32::MAX);
        if !is_digits || u64::from(places) * 4 > ARGUMENT_BITS_MAX {
            return Err(refused(""));
        }
        let scale = BigInt::from(10).pow(places);
        let number = integer(&format!(
            "{}{fraction}",
            if whole.is_empty() { "0" } else { whole }
        ))?;
        return Ok(ExpandedNumber::Rational(BigRational::new(number, scale)));
    }
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let (numerator, denominator) = (integer(numerator)?, integer(denominator)?);
    if denominator.is_zero() {
        return Err(refused(": the denominator is 0"));
    }
    Ok(ExpandedNumber::Rational(BigRational::new(
        numerator,
        denominator,
    )))
}

fn written_terms(fraction: &ContinuedFraction) -> String {
    let texts = |terms: &[BigInt]| {
        terms
            .iter()
            .map(short_digits)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (first, rest) = fraction.terms.split_at(1.min(fraction.terms.len()));
    let mut parts = Vec::new();
    if !rest.is_empty() {
        parts.push(texts(rest));
    }
    match (fraction.period.is_empty(), fraction.is_cut) {
        (false, false) => parts.push(format!("({})", texts(&fraction.period))),
        (false, true) => parts.push(format!("{}, ...", texts(&fraction.period))),
        (true, true) => parts.push("...".to_owned()),
        (true, false) => {}
    }
    match parts.is_empty() {
        true => format!("[{}]", texts(first)),
        false => format!("[{}; {}]", texts(first), parts.join(", ")),
    }
}

fn add_terms(mut output: Output, found: &ContinuedFraction, pairs: &[Convergent]) -> Output {
    let wrap = |terms: &[BigInt]| terms.iter().cloned().map(ExactInteger).collect();
    output.list = wrap(&found.terms);
    output.period = wrap(&found.period);
    let pair = |one: &Convergent| {
        vec![
            ExactInteger(one.numerator.clone()),
            ExactInteger(one.denominator.clone()),
        ]
    };
    output.pairs = pairs.iter().map(pair).collect();
    output
}

fn rational_answer(text: &str, number: &BigRational, most: usize) -> Result<Output, ToolError> {
    let found = expand_rational(number, most);
    let convergents = list_convergents(&found, most);
    let written = written_terms(&found);
    let end = if found.is_cut {
        ", of which these are the first terms"
    } else {
        ""
    };
    let summary = format!("{text} = {written}{end}.");
    let last = convergents
        .last()
        .map(|one| BigRational::new(one.numerator.clone(), one.denominator.clone()));
    let output = add_terms(
        Output::new("continued_fraction", written, summary),
        &found,
        &convergents,
    );
    if !found.is_cut {
        return output.check(
            "the last convergent is the number",
            last.as_ref() == Some(number),
        );
    }
    let near = convergents.iter().all(|one| is_near(number, one));
    output.check("each convergent p/q is within 1/q^2 of the number", near)
}

/// `|number - p/q| < 1/q^2`.
fn is_near(number: &BigRational, one: &Convergent) -> bool {
    let (p, q) = (number.numer(), number.denom());
    let gap = p * &one.denominator - q * &one.numerator;
    BigInt::from(gap.magnitude().clone()) * &one.denominator < q * BigInt::one() || gap.is_zero()
}

fn root_answer(
    text: &str,
    d: &BigUint,
    found: &ContinuedFraction,
    most: usize,
) -> Result<Output, ToolError> {
    let convergents = list_convergents(found, most);
    let written = written_terms(found);
    let end = match (found.period.is_empty(), found.is_cut) {
        (true, _) => "",
        (false, true) => ", of which these are the first terms",
        (false, false) => ", the part in parentheses repeated without end",
    };
    let summary = format!("{text} = {written}{end}.");
    let (big, bound) = (BigInt::from(d.clone()), BigInt::from(d.sqrt()) * 2 + 1);
    let holds = convergents.iter().all(|one| {
        let norm = &one.numerator * &one.numerator - &big * &one.denominator * &one.denominator;
        BigInt::from(norm.magnitude().clone()) <= bound
    });
    let shown = short_digits(&big);
    let output = add_terms(
        Output::new("continued_fraction", written, summary),
        found,
        &convergents,
    );
    output.check(
        format!("each convergent p/q has |p^2 - {shown} q^2| < 2 sqrt({shown}) + 1"),
        holds,
    )
}
