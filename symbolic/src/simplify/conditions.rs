//! Values of the symbols for which an expression is not defined.

use crate::budget::{Budget, Outcome};
use crate::poly::fraction::normal_form_of_prepared;
use crate::poly::sparse_factor::factor_sparse;
use crate::tree::walk::is_known_positive;
use crate::tree::{Expr, ExprNode, RelationKind};

/// The factors of denominators, which must not be zero.
pub(crate) fn denominator_factors(expr: &Expr, budget: &Budget<'_>) -> Outcome<Vec<Expr>> {
    let is_denominator = |part: &Expr| match part.node() {
        ExprNode::Power(base, exponent) => {
            exponent.is_negative_number() && !base.symbols().is_empty()
        }
        _ => false,
    };
    let mut found: Vec<Expr> = Vec::new();
    for part in expr.collect(&is_denominator) {
        let base = part.base_and_exponent().0;
        let form = match normal_form_of_prepared(&base, None, &budget.share(100_000)) {
            Ok(form) => form,
            Err(_) => {
                found.push(base);
                continue;
            }
        };
        for (factor, _) in factor_sparse(&form.fraction.num, budget)?.factors {
            let factor = form.table.poly_to_expr(&factor);
            if !factor.symbols().is_empty()
                && !is_known_positive(&factor)
                && !found.contains(&factor)
            {
                found.push(factor);
            }
        }
    }
    Ok(found)
}

/// `factor != 0`, as `x != value` where the factor is linear in a symbol with numbers as coefficients.
pub(crate) fn nonzero_condition(factor: &Expr) -> Expr {
    let zero = Expr::zero();
    let symbols = factor.symbols();
    if let (1, Some(symbol)) = (symbols.len(), symbols.iter().next()) {
        let x = Expr::symbol_with(&symbol.name, symbol.traits);
        let constant = factor.replace(&x, &zero);
        let slope = factor.replace(&x, &Expr::one()) - &constant;
        if slope.as_number().is_some() && !slope.is_zero() && *factor == &slope * &x + &constant {
            return Expr::relation(RelationKind::Unequal, x, -constant / slope);
        }
    }
    Expr::relation(RelationKind::Unequal, factor.clone(), zero)
}

/// Conditions of `before` that `after` has not.
pub fn lost_conditions(before: &Expr, after: &Expr, budget: &Budget<'_>) -> Outcome<Vec<Expr>> {
    let kept = denominator_factors(after, budget)?;
    let lost = denominator_factors(before, budget)?;
    Ok(lost
        .iter()
        .filter(|factor| !kept.contains(factor))
        .map(nonzero_condition)
        .collect())
}
