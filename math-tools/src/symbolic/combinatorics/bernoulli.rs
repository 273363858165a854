//! Bernoulli's numbers, the one count that is a fraction.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Zero as _};
use symbolic::combinatorics::bernoulli_number;
use symbolic::integers::primes_between;
use tool_core::tool_error;

use super::counting::{cost_of, first_number};
use super::question::{Args, Output};
use crate::prelude::*;
use crate::symbolic::exact_integer::{ExactInteger, short_digits};

/// Bernoulli's number, its denominator held against the theorem of von Staudt and Clausen.
pub(super) fn answer_bernoulli(args: &Args, ctx: &Ctx) -> Result<Output, ToolError> {
    let n = first_number(args, 2000, ctx)?;
    ctx.afford(cost_of((n * n) as f64 / 8.0, n as f64 * 10.0))?;
    let number = bernoulli_number(n);
    let holds = match n {
        0 => number.is_one(),
        1 => true,
        odd if odd % 2 == 1 => number.is_zero(),
        _ => {
            let primes = primes_between(2, n + 1)
                .into_iter()
                .filter(|p| n % (p - 1) == 0);
            let product: BigUint = primes.map(BigUint::from).product();
            *number.denom() == BigInt::from(product)
        }
    };
    let check =
        "the denominator is the product of the primes p with p - 1 | n (von Staudt and Clausen)";
    if !holds {
        return Err(tool_error!(Internal, "the check `{check}` failed"));
    }
    let shown = match number.is_integer() {
        true => short_digits(number.numer()),
        false => format!(
            "{}/{}",
            short_digits(number.numer()),
            short_digits(number.denom())
        ),
    };
    Ok(Output {
        question: "bernoulli".to_owned(),
        value: number
            .is_integer()
            .then(|| ExactInteger(number.numer().clone())),
        text: number.to_string(),
        formula: "B(n) of x / (e^x - 1) = sum of B(n) x^n / n!".to_owned(),
        arrangements: Vec::new(),
        is_cut: false,
        numbers: Vec::new(),
        verified: vec![check.to_owned()],
        summary: format!("Bernoulli's number {n} is {shown}."),
    })
}
