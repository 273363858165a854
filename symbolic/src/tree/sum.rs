//! Sums: flat, equal terms added, in order.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{Expr, ExprNode, MathConstant};

/// The canonical sum.
pub(crate) fn build_sum(terms: impl IntoIterator<Item = Expr>) -> Expr {
    let mut number = BigRational::zero();
    let mut rests: BTreeMap<Expr, BigRational> = BTreeMap::new();
    let mut infinite: Option<MathConstant> = None;
    let mut stack: Vec<Expr> = terms.into_iter().collect();
    while let Some(term) = stack.pop() {
        match term.node() {
            ExprNode::Poisoned(_) => return term,
            ExprNode::Number(value) => number += value,
            ExprNode::Sum(parts) => stack.extend(parts.iter().cloned()),
            ExprNode::Constant(sign @ (MathConstant::Infinity | MathConstant::MinusInfinity)) => {
                match infinite {
                    Some(other) if other != *sign => return Expr::undefined(),
                    _ => infinite = Some(*sign),
                }
            }
            _ => {
                let (coefficient, rest) = term.coefficient_and_rest();
                *rests.entry(rest).or_insert_with(BigRational::zero) += coefficient;
            }
        }
    }
    if let Some(sign) = infinite {
        return Expr::constant(sign);
    }
    let mut parts = Vec::with_capacity(rests.len() + 1);
    if !number.is_zero() {
        parts.push(Expr::number(number));
    }
    for (rest, coefficient) in rests {
        if coefficient.is_zero() {
            continue;
        }
        parts.push(scale_term(coefficient, rest));
    }
    match parts.len() {
        0 => Expr::zero(),
        1 => parts.swap_remove(0),
        _ => Expr::from_node(ExprNode::Sum(parts)),
    }
}

/// A number times a term that has no number in front.
fn scale_term(coefficient: BigRational, rest: Expr) -> Expr {
    if coefficient.is_one() {
        return rest;
    }
    let number = Expr::number(coefficient);
    match rest.node() {
        ExprNode::Product(factors) => {
            let mut all = Vec::with_capacity(factors.len() + 1);
            all.push(number);
            all.extend(factors.iter().cloned());
            Expr::from_node(ExprNode::Product(all))
        }
        _ => Expr::from_node(ExprNode::Product(vec![number, rest])),
    }
}
