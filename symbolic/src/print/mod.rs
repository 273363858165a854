//! Expressions as text: plain, LaTeX, Unicode on one line, and MathML.

mod latex;
mod mathml;
mod text;

#[cfg(test)]
mod tests;

pub use latex::write_latex;
pub use mathml::write_mathml;
pub use text::{write_text, write_unicode};

use num_traits::Signed;

use crate::tree::{Expr, ExprNode};

/// A term without its sign, and whether it has a minus sign.
pub(crate) fn split_sign(term: &Expr) -> (bool, Expr) {
    match term.node() {
        ExprNode::Number(value) if value.is_negative() => (true, -term),
        ExprNode::Product(factors) if factors[0].is_negative_number() => (true, -term),
        ExprNode::Constant(crate::tree::MathConstant::MinusInfinity) => (true, Expr::infinity()),
        _ => (false, term.clone()),
    }
}

/// The terms of a sum in the order of reading: higher powers first.
pub(crate) fn reading_order(terms: &[Expr]) -> Vec<Expr> {
    let mut ordered = terms.to_vec();
    let degree = |term: &Expr| -> f64 {
        term.factors()
            .iter()
            .filter(|factor| !factor.base_and_exponent().0.symbols().is_empty())
            .map(|factor| {
                let (base, exponent) = factor.base_and_exponent();
                let power = exponent
                    .as_number()
                    .and_then(num_traits::ToPrimitive::to_f64)
                    .unwrap_or(0.5);
                match base.as_symbol() {
                    Some(_) => power,
                    None => 0.25 * power.clamp(-1.0, 1.0),
                }
            })
            .sum()
    };
    ordered.sort_by(|a, b| degree(b).total_cmp(&degree(a)).then_with(|| a.cmp(b)));
    // A sum does not begin with a minus sign where another term has none.
    if split_sign(&ordered[0]).0 && ordered.len() == 2 && !split_sign(&ordered[1]).0 {
        ordered.swap(0, 1);
    }
    ordered
}

/// Factors above and below the line of a fraction, without the sign.
pub(crate) fn split_fraction(product: &Expr) -> (Vec<Expr>, Vec<Expr>) {
    let (mut top, mut bottom) = (Vec::new(), Vec::new());
    for factor in product.factors() {
        match factor.node() {
            ExprNode::Number(value) => {
                let numerator = Expr::number(num_rational::BigRational::from_integer(
                    value.numer().clone(),
                ));
                let denominator = Expr::number(num_rational::BigRational::from_integer(
                    value.denom().clone(),
                ));
                if !numerator.is_one() {
                    top.push(numerator);
                }
                if !denominator.is_one() {
                    bottom.push(denominator);
                }
            }
            ExprNode::Power(base, exponent)
                if exponent.is_negative_number()
                    && base.as_constant() != Some(crate::tree::MathConstant::E) =>
            {
                bottom.push(base.pow(&-exponent));
            }
            _ => top.push(factor.clone()),
        }
    }
    (reading_factors(top), bottom)
}

/// Numbers, then symbols, then the rest, exponentials before circular functions.
fn reading_factors(mut factors: Vec<Expr>) -> Vec<Expr> {
    let rank = |factor: &Expr| {
        let (base, _) = factor.base_and_exponent();
        match (base.node(), factor.symbols().is_empty()) {
            (ExprNode::Number(_), true) => match factor.as_number() {
                Some(_) => 0,
                None => 1,
            },
            (_, true) => 2,
            (ExprNode::Symbol(_), _) => 3,
            (ExprNode::Constant(_) | ExprNode::Power(..), _) => 4,
            (ExprNode::Sum(_), _) => 6,
            _ => 5,
        }
    };
    factors.sort_by_key(rank);
    factors
}
