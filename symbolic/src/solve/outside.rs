//! Solutions that were found elsewhere, put back as others are.

use super::check::{SolutionCandidate, check_candidates};
use super::system::put_back_all;
use super::{EquationSolutions, SolveDomain, SystemSolutions, UnknownValues};
use crate::budget::{Budget, Outcome, refuse};
use crate::numeric::compare::real_double;
use crate::tree::{Expr, ExprNode, RelationKind};

/// A value, or a family of values over a whole number.
#[derive(Debug, Clone)]
pub(crate) struct OutsideValue {
    pub value: Expr,
    pub family: Option<Expr>,
}

/// What is zero where an equation holds.
pub(crate) fn zero_of_equation(equation: &Expr) -> Outcome<Expr> {
    match equation.node() {
        ExprNode::Relation(RelationKind::Equal, a, b) => Ok(a - b),
        ExprNode::Relation(..) => refuse("an inequality is not asked of an outside system"),
        _ => Ok(equation.clone()),
    }
}

/// The values that fulfil an equation. That there are no others is not known: the equation itself stays unsolved.
pub(crate) fn keep_values(
    equation: &Expr,
    x: &Expr,
    domain: SolveDomain,
    values: Vec<OutsideValue>,
    budget: &Budget<'_>,
) -> Outcome<EquationSolutions> {
    let (left, right) = match equation.node() {
        ExprNode::Relation(RelationKind::Equal, a, b) => (a.clone(), b.clone()),
        _ => (equation.clone(), Expr::zero()),
    };
    let mut result = EquationSolutions {
        unsolved: vec![&left - &right],
        ..EquationSolutions::default()
    };
    let candidates = values.into_iter().map(|found| SolutionCandidate {
        family: found.family,
        ..SolutionCandidate::exact(found.value)
    });
    check_candidates(
        candidates.collect(),
        (&left, &right),
        x,
        domain,
        &mut result,
        budget,
    )?;
    Ok(result)
}

/// The rows of values that fulfil a system. That there are no others is not known.
pub(crate) fn keep_system_values(
    zeros: &[Expr],
    unknowns: &[Expr],
    domain: SolveDomain,
    rows: Vec<Vec<Expr>>,
    budget: &Budget<'_>,
) -> Outcome<SystemSolutions> {
    let mut result = SystemSolutions::default();
    for values in rows {
        if domain == SolveDomain::Real && !are_real(&values, budget)? {
            continue;
        }
        let is_known = result.solutions.iter().any(|known| known.values == values);
        if !is_known {
            result.solutions.push(UnknownValues { values });
        }
    }
    put_back_all(zeros, unknowns, &mut result, budget)?;
    let free = unknowns.iter().enumerate().filter(|(place, unknown)| {
        let mut values = result.solutions.iter().map(|row| &row.values[*place]);
        values.any(|value| value == *unknown)
    });
    result.free = free.map(|(_, unknown)| unknown.clone()).collect();
    result.undecided += 1;
    Ok(result)
}

fn are_real(values: &[Expr], budget: &Budget<'_>) -> Outcome<bool> {
    for value in values.iter().filter(|value| value.symbols().is_empty()) {
        if real_double(value, budget)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}
