//! Infinite sums as numbers, by the u transformation of D. Levin (Int. J. Comput. Math. 3, 1973), for comparison.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use crate::budget::{Budget, Outcome};
use crate::numeric::complex::{BigArithmetic, ManyDigitComplex};
use crate::numeric::evaluate::{Assignment, Evaluation, WORKING_BITS};
use crate::tree::Expr;

/// Terms of the two values that must agree.
const ORDERS: [usize; 2] = [26, 34];
/// Digits to which they must agree, and the sum with them.
const DIGITS: f64 = 1e-12;
/// Terms that show whether the sum converges.
const FAR: [i64; 2] = [1_000, 4_000];

/// Whether a sum to infinity without parameters has this value; false where that cannot be told.
pub(crate) fn is_infinite_sum(
    expr: &Expr,
    k: &Expr,
    low: &Expr,
    value: &Expr,
    budget: &Budget<'_>,
) -> Outcome<bool> {
    let Some(first) = low.as_integer() else {
        return Ok(false);
    };
    let Some(mut evaluation) = Evaluation::new(2 * WORKING_BITS, Assignment::new(), budget) else {
        return Ok(false);
    };
    let mut term = |index: i64| evaluation.value(&expr.replace(k, &Expr::integer(index)));
    let mut terms = Vec::new();
    for index in first..=first + ORDERS[1] as i64 {
        match term(index)? {
            Some(value) => terms.push(value),
            None => return Ok(false),
        }
    }
    // Terms that do not vanish have no sum, though the transformation gives them one.
    let (Some(near), Some(far)) = (term(first + FAR[0])?, term(first + FAR[1])?) else {
        return Ok(false);
    };
    let size = |value: &ManyDigitComplex| {
        let (re, im) = value.to_doubles();
        re.hypot(im)
    };
    if size(&far) > 0.9 * size(&near) {
        return Ok(false);
    }
    let Some(stated) = evaluation.value(value)? else {
        return Ok(false);
    };
    let math = &evaluation.arithmetic;
    let (Some(early), Some(late)) = (
        levin_sum(math, &terms, ORDERS[0]),
        levin_sum(math, &terms, ORDERS[1]),
    ) else {
        return Ok(false);
    };
    let scale = terms.iter().map(size).fold(size(&stated), f64::max);
    let is_near =
        |a: &ManyDigitComplex, b: &ManyDigitComplex| size(&math.sub(a, b)) <= DIGITS * scale;
    Ok(scale.is_finite() && is_near(&early, &late) && is_near(&late, &stated))
}

/// The transformed sum of the first `order + 1` terms; `None` where a term is zero.
fn levin_sum(
    math: &BigArithmetic,
    terms: &[ManyDigitComplex],
    order: usize,
) -> Option<ManyDigitComplex> {
    let (mut above, mut below) = (math.small(0), math.small(0));
    let mut partial = math.small(0);
    let mut binomial = BigInt::one();
    for (place, term) in terms.iter().take(order + 1).enumerate() {
        if term.re.is_zero() && term.im.is_zero() {
            return None;
        }
        partial = math.add(&partial, term);
        let from_one = BigInt::from(place + 1);
        // ((j+1)/(order+1))^(order-1), with the sign and the binomial; the remainder is estimated by (j+1) times the term.
        let power = BigRational::new(
            num_traits::pow(from_one.clone(), order - 1),
            num_traits::pow(BigInt::from(order + 1), order - 1),
        );
        let sign = if place % 2 == 0 {
            BigInt::one()
        } else {
            -BigInt::one()
        };
        let weight = BigRational::from_integer(sign * &binomial) * power;
        let weight = weight / BigRational::from_integer(from_one);
        let share = math.div(&math.complex(math.fraction(&weight)), term);
        above = math.add(&above, &math.mul(&share, &partial));
        below = math.add(&below, &share);
        binomial = binomial * BigInt::from(order - place.min(order)) / BigInt::from(place + 1);
    }
    let sum = math.div(&above, &below);
    sum.is_finite().then_some(sum)
}
