//! Bernoulli numbers.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// The Bernoulli number of an index, with `B(1) = -1/2`, by the recurrence of its definition.
pub(crate) fn bernoulli_number(index: usize) -> BigRational {
    bernoulli_numbers(index)
        .pop()
        .unwrap_or_else(BigRational::one)
}

/// The Bernoulli numbers up to an index.
pub(crate) fn bernoulli_numbers(index: usize) -> Vec<BigRational> {
    let mut numbers: Vec<BigRational> = Vec::with_capacity(index + 1);
    let mut binomials = vec![BigInt::one()];
    for n in 0..=index {
        // The row n + 1 of Pascal's triangle.
        let mut next = vec![BigInt::one(); n + 2];
        for k in 1..=n {
            next[k] = &binomials[k - 1] + &binomials[k];
        }
        binomials = next;
        if n == 0 {
            numbers.push(BigRational::one());
            continue;
        }
        let sum = numbers
            .iter()
            .zip(&binomials)
            .fold(BigRational::zero(), |sum, (number, binomial)| {
                sum + number * binomial
            });
        numbers.push(-sum / BigRational::from_integer(BigInt::from(n + 1)));
    }
    numbers
}
