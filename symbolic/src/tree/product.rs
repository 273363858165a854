//! Products: flat, powers of equal bases joined, a number first.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::power::{build_power, split_root};
use super::{Expr, ExprNode, MathConstant};

/// The canonical product.
pub(crate) fn build_product(factors: impl IntoIterator<Item = Expr>) -> Expr {
    let mut stack: Vec<Expr> = factors.into_iter().collect();
    stack.reverse();
    let mut number = BigRational::one();
    let mut infinite = false;
    let mut powers: BTreeMap<Expr, Expr> = BTreeMap::new();
    while let Some(factor) = stack.pop() {
        match factor.node() {
            ExprNode::Poisoned(_) => return factor,
            ExprNode::Number(value) => number *= value,
            ExprNode::Product(parts) => stack.extend(parts.iter().rev().cloned()),
            ExprNode::Constant(MathConstant::Infinity) => infinite = true,
            ExprNode::Constant(MathConstant::MinusInfinity) => {
                infinite = true;
                number = -number;
            }
            _ => {
                let (base, exponent) = factor.base_and_exponent();
                match powers.get_mut(&base) {
                    Some(sum) => *sum = &*sum + &exponent,
                    None => {
                        powers.insert(base, exponent);
                    }
                }
            }
        }
    }
    if infinite {
        return infinite_product(number, powers);
    }
    if number.is_zero() {
        return match powers
            .keys()
            .chain(powers.values())
            .find(|part| part.poison().is_some())
        {
            Some(poisoned) => poisoned.clone(),
            None => Expr::zero(),
        };
    }
    assemble_product(number, powers)
}

/// Infinity times what else there is: only signs of numbers are known.
fn infinite_product(number: BigRational, powers: BTreeMap<Expr, Expr>) -> Expr {
    let sign = powers.iter().try_fold(number, |number, (base, exponent)| {
        let power = build_power(base, exponent);
        match super::walk::is_known_positive(&power) {
            true => Some(number),
            false => None,
        }
    });
    match sign {
        Some(sign) if sign.is_positive() => Expr::infinity(),
        Some(sign) if sign.is_negative() => Expr::constant(MathConstant::MinusInfinity),
        _ => Expr::undefined(),
    }
}

/// Rebuilds the powers, whose numbers are joined, until nothing changes.
fn assemble_product(mut number: BigRational, powers: BTreeMap<Expr, Expr>) -> Expr {
    let mut rest: Vec<Expr> = Vec::with_capacity(powers.len());
    let mut surds: BTreeMap<BigRational, BigInt> = BTreeMap::new();
    let mut is_changed = false;
    for (base, exponent) in powers {
        let power = build_power(&base, &exponent);
        for factor in power.factors() {
            match factor.node() {
                ExprNode::Poisoned(_) => return factor.clone(),
                ExprNode::Number(value) => number *= value,
                ExprNode::Power(inner, part) => match (inner.as_number(), part.as_number()) {
                    (Some(radicand), Some(part))
                        if radicand.is_positive() && radicand.is_integer() =>
                    {
                        *surds.entry(part.clone()).or_insert_with(BigInt::one) *= radicand.numer();
                    }
                    _ => {
                        is_changed |= *inner != base;
                        rest.push(factor.clone());
                    }
                },
                _ => {
                    is_changed |= *factor != base;
                    rest.push(factor.clone());
                }
            }
        }
    }
    for (part, radicand) in surds {
        let (outside, inside) = split_root(&BigRational::from_integer(radicand), &part);
        number *= outside;
        rest.extend(inside);
    }
    if number.is_zero() {
        return Expr::zero();
    }
    if is_changed && !is_settled(&rest) {
        rest.push(Expr::number(number));
        return build_product(rest);
    }
    rest.sort();
    if !number.is_one() {
        rest.insert(0, Expr::number(number));
    }
    match rest.len() {
        0 => Expr::one(),
        1 => rest.swap_remove(0),
        2 if rest[0].as_number().is_some() && matches!(rest[1].node(), ExprNode::Sum(_)) => {
            distribute_number(&rest[0], &rest[1])
        }
        _ => Expr::from_node(ExprNode::Product(rest)),
    }
}

/// A number times a sum is a sum: the one product that is always multiplied out.
fn distribute_number(number: &Expr, sum: &Expr) -> Expr {
    Expr::sum(sum.terms().iter().map(|term| number * term))
}

/// Whether all bases differ and no number or product is among the factors.
fn is_settled(factors: &[Expr]) -> bool {
    let mut bases: Vec<Expr> = factors
        .iter()
        .map(|factor| factor.base_and_exponent().0)
        .collect();
    bases.sort();
    let is_distinct = bases.windows(2).all(|pair| pair[0] != pair[1]);
    is_distinct
        && factors
            .iter()
            .all(|factor| !matches!(factor.node(), ExprNode::Number(_) | ExprNode::Product(_)))
}
