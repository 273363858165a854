//! Roots, powers, digits and squares.

use num_bigint::{BigInt, BigUint};
use num_traits::{Signed as _, Zero as _};
use symbolic::integers::{
    digits_in_base, find_perfect_power, integer_root, sum_of_four_squares, sum_of_two_squares,
};
use tool_core::tool_error;

use super::{IntegerQuestion, Output};
use crate::prelude::*;
use crate::symbolic::exact_integer::{ExactInteger, short_digits};

impl IntegerQuestion<'_> {
    pub(super) fn root(&mut self) -> Result<Output, ToolError> {
        let Some(integer) = &self.args.root else {
            return Err(tool_error!(Internal, "no integer"));
        };
        let degree = self.args.degree.map_or(2, |degree| degree.get());
        let degree = u32::try_from(degree).unwrap_or(2);
        let whole = short_digits(&integer.0);
        let Some((root, is_exact)) = integer_root(&integer.0, degree) else {
            refuse!(invalid "/root", "range"; "{whole} has no real root of the even degree {degree}");
        };
        let remainder = &integer.0 - root.pow(degree);
        let shown = short_digits(&root);
        let summary = match is_exact {
            true => format!("The root of degree {degree} of {whole} is exactly {shown}."),
            false => {
                format!("The root of degree {degree} of {whole}, rounded towards zero, is {shown}.")
            }
        };
        let magnitude: BigInt = root.abs();
        let inside = magnitude.pow(degree) <= integer.0.abs()
            && (magnitude + 1_u8).pow(degree) > integer.0.abs();
        Output::new("root", root.to_string(), summary)
            .value(root)
            .holds(is_exact)
            .number("remainder", remainder)
            .check(
                "the magnitude lies between root^degree and (root + 1)^degree",
                inside,
            )
    }

    pub(super) fn perfect_power(&mut self) -> Result<Output, ToolError> {
        let n = self.natural("perfect_power", self.args.perfect_power.as_ref(), 0)?;
        let words = n.bits().div_ceil(64) as f64;
        self.ctx.afford(n.bits() as f64 * words * words * 20.0)?;
        let whole = short_digits(&n.clone().into());
        if n < BigUint::from(2_u8) {
            let summary = format!("{whole} is every power of itself.");
            return Ok(Output::new("perfect_power", whole, summary)
                .value(n)
                .holds(true));
        }
        let Some(power) = find_perfect_power(&n) else {
            let summary = format!("{whole} is no power of an integer with an exponent above 1.");
            return Ok(Output::new("perfect_power", "no", summary).holds(false));
        };
        let text = format!("{}^{}", power.base, power.exponent);
        let base = short_digits(&power.base.clone().into());
        let summary = format!(
            "{whole} = {base}^{}, with the largest exponent.",
            power.exponent
        );
        let holds = power.base.pow(power.exponent) == n;
        Output::new("perfect_power", text, summary)
            .value(power.base)
            .holds(true)
            .number("exponent", power.exponent)
            .check("base^exponent is the number", holds)
    }

    pub(super) fn digits(&mut self) -> Result<Output, ToolError> {
        let n = self.natural("digits", self.args.digits.as_ref(), 0)?;
        let base = match &self.args.base {
            None => BigUint::from(10_u8),
            base => self.natural("base", base.as_ref(), 2)?,
        };
        let words = n.bits().div_ceil(64) as f64;
        self.ctx.afford(n.bits() as f64 * words * 4.0)?;
        let digits = digits_in_base(&n, &base);
        let value = digits
            .iter()
            .fold(BigUint::zero(), |sum, digit| sum * &base + digit);
        let texts: Vec<String> = digits.iter().map(ToString::to_string).collect();
        let separator = if base <= BigUint::from(10_u8) {
            ""
        } else {
            ":"
        };
        let text = match base <= BigUint::from(36_u8) {
            true => {
                let small: Vec<char> = texts
                    .iter()
                    .filter_map(|text| char::from_digit(text.parse().ok()?, 36))
                    .collect();
                small.into_iter().collect()
            }
            false => texts.join(separator),
        };
        let sum: BigUint = digits.iter().sum();
        let (whole, of) = (short_digits(&n.clone().into()), short_digits(&base.into()));
        let count = digits.len();
        let noun = if count == 1 { "digit" } else { "digits" };
        let summary = format!(
            "{whole} has {count} {noun} in base {of}, with the sum {}.",
            short_digits(&sum.clone().into())
        );
        let mut output = Output::new("digits", text, summary)
            .value(count)
            .number("digit_sum", sum);
        output.list = digits.into_iter().map(ExactInteger::from).collect();
        output.check("the digits add up to the number", value == n)
    }

    pub(super) fn squares(&mut self) -> Result<Output, ToolError> {
        let n = self.natural("squares", self.args.squares.as_ref(), 0)?;
        let four = sum_of_four_squares(&n, &mut self.work);
        let four = four.map_err(|end| self.work_error(end, "squares"))?;
        let two = match n.is_zero() {
            true => Some((BigUint::zero(), BigUint::zero())),
            false => {
                let factors = self.all_factors(&n, "squares")?;
                sum_of_two_squares(&factors)
            }
        };
        let text_of = |parts: &[&BigUint]| {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| format!("{}^2", short_digits(&BigInt::from((*part).clone()))))
                .collect();
            parts.join(" + ")
        };
        let all = text_of(&four.iter().collect::<Vec<_>>());
        let whole = short_digits(&n.clone().into());
        let (text, summary) = match &two {
            Some((a, b)) => {
                let text = text_of(&[a, b]);
                (
                    text.clone(),
                    format!("{whole} = {text}, and with four squares {all}."),
                )
            }
            None => (
                all.clone(),
                format!(
                    "{whole} is no sum of two squares: a prime of the form 4k + 3 has an odd exponent in it. With four squares it is {all}."
                ),
            ),
        };
        let square = |part: &BigUint| part * part;
        let holds = four.iter().map(square).sum::<BigUint>() == n
            && two.as_ref().is_none_or(|(a, b)| square(a) + square(b) == n);
        let mut output = Output::new("squares", text, summary).holds(two.is_some());
        if let Some((a, b)) = two {
            output.pairs = vec![vec![ExactInteger::from(a), ExactInteger::from(b)]];
        }
        output.list = four.into_iter().map(ExactInteger::from).collect();
        output.check("the squares add up to the number", holds)
    }
}
