//! Products over sums multiplied out.

use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::tree::{Expr, ExprNode};

/// Terms of a product of sums.
const TERM_LIMIT: usize = 5_000;

/// The expression as a sum of products, inside functions too.
pub(crate) fn expand(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    budget.spend(1)?;
    let expanded = match expr.node() {
        ExprNode::Sum(terms) => {
            let terms: Outcome<Vec<Expr>> = terms.iter().map(|term| expand(term, budget)).collect();
            Expr::sum(terms?)
        }
        ExprNode::Product(factors) => {
            let mut total = Expr::one();
            for factor in factors {
                total = multiply(&total, &expand(factor, budget)?, budget)?;
            }
            total
        }
        ExprNode::Power(base, exponent) => expand_power(&expand(base, budget)?, exponent, budget)?,
        ExprNode::Call(function, arguments) => {
            let arguments: Outcome<Vec<Expr>> = arguments
                .iter()
                .map(|argument| expand(argument, budget))
                .collect();
            Expr::call(function.clone(), arguments?)
        }
        ExprNode::Relation(kind, a, b) => {
            Expr::relation(*kind, expand(a, budget)?, expand(b, budget)?)
        }
        _ => expr.clone(),
    };
    budget.admit(expanded)
}

fn expand_power(base: &Expr, exponent: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let is_sum = matches!(base.node(), ExprNode::Sum(_));
    if let (true, Some(count)) = (is_sum, exponent.as_integer()) {
        let size = count.unsigned_abs() as usize;
        if size > 200
            || base.terms().len().saturating_pow(size.min(20) as u32) > 40 * TERM_LIMIT && size > 20
        {
            return Ok(base.pow(exponent));
        }
        let mut total = Expr::one();
        for _ in 0..size {
            total = multiply(&total, base, budget)?;
        }
        return Ok(match count < 0 {
            true => total.recip(),
            false => total,
        });
    }
    let exponent = expand(exponent, budget)?;
    match exponent.node() {
        ExprNode::Sum(terms) => {
            let powers: Vec<Expr> = terms.iter().map(|term| base.pow(term)).collect();
            Ok(Expr::product(powers))
        }
        _ => Ok(base.pow(&exponent)),
    }
}

fn multiply(a: &Expr, b: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    budget.spend(a.terms().len() * b.terms().len())?;
    if a.terms().len() * b.terms().len() > 20 * TERM_LIMIT {
        return Err(SymbolicFault::Size);
    }
    let product = distribute(a, b);
    match product.terms().len() > TERM_LIMIT {
        true => Err(SymbolicFault::Size),
        false => budget.admit(product),
    }
}

/// The product of two sums, term by term.
pub(crate) fn distribute(a: &Expr, b: &Expr) -> Expr {
    Expr::sum(
        a.terms()
            .iter()
            .flat_map(|x| b.terms().iter().map(move |y| x * y)),
    )
}
