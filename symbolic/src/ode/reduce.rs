//! Equations without the function, or of the second order without the variable: lower by one order in the derivative.

use super::first_order::{implicit_relation, solve_with_nesting};
use super::problem::{DifferentialProblem, slot_symbol};
use super::separable::solve_for_function;
use super::{ClosedFormSolution, FoundSolutions, antiderivative, shorten_form, unless_refused};
use crate::budget::{Budget, Outcome};
use crate::tree::Expr;

/// Solves an equation that a new unknown makes lower.
pub(super) fn solve_reducible(
    problem: &DifferentialProblem,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    if let Some(found) = unless_refused(without_function(problem, budget))? {
        return Ok(Some(found));
    }
    unless_refused(without_variable(problem, budget))
}

/// With the lowest derivative that occurs as the unknown.
fn without_function(
    problem: &DifferentialProblem,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    let lowest = problem
        .slots
        .iter()
        .position(|slot| problem.residual.contains(slot));
    let Some(lowest) = lowest.filter(|lowest| *lowest > 0) else {
        return Ok(None);
    };
    let order = problem.order - lowest;
    let lowered = |expr: &Expr| {
        (lowest..=problem.order).fold(expr.clone(), |expr, at| {
            expr.replace(&slot_symbol(at), &slot_symbol(at - lowest))
        })
    };
    let inner = DifferentialProblem {
        x: problem.x.clone(),
        order,
        slots: (0..=order).map(slot_symbol).collect(),
        residual: lowered(&problem.residual),
        sides: (lowered(&problem.sides.0), lowered(&problem.sides.1)),
        constants: problem.constants[..order].to_vec(),
    };
    let found = match order {
        0 => return Ok(None),
        1 => solve_with_nesting(&inner, 1, budget)?,
        _ => super::find_solutions(&inner, budget)?,
    };
    let Some(found) = found else {
        return Ok(None);
    };
    let mut values = Vec::new();
    for solution in found.solutions.into_iter().filter(|one| one.is_explicit) {
        let mut value = solution.expr;
        for constant in &problem.constants[order..] {
            let Some(next) = antiderivative(&value, &problem.x, budget)? else {
                return Ok(None);
            };
            value = next + constant;
        }
        values.push(value);
    }
    if values.is_empty() {
        return Ok(None);
    }
    let mut result = FoundSolutions::explicit(
        format!("without the function; its derivative: {}", found.method),
        values,
    );
    result.conditions = found.conditions;
    Ok(Some(result))
}

/// With the derivative as a function of the function: `y'' = p*dp/dy`.
fn without_variable(
    problem: &DifferentialProblem,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    if problem.order != 2 || problem.residual.contains(&problem.x) {
        return Ok(None);
    }
    let y = Expr::symbol("\u{3b7}y");
    let (p, slope) = (slot_symbol(0), slot_symbol(1));
    let set = |expr: &Expr| {
        let middle = Expr::symbol("\u{3b7}p");
        expr.replace(&slot_symbol(0), &y)
            .replace(&slot_symbol(1), &middle)
            .replace(&slot_symbol(2), &(&middle * &slope))
            .replace(&middle, &p)
    };
    let residual = set(&problem.residual);
    let inner = DifferentialProblem {
        x: y.clone(),
        order: 1,
        slots: vec![p.clone(), slope.clone()],
        sides: (residual.clone(), Expr::zero()),
        residual,
        constants: vec![problem.constants[0].clone()],
    };
    let Some(found) = solve_with_nesting(&inner, 1, budget)? else {
        return Ok(None);
    };
    let mut result = FoundSolutions {
        method: format!("without the variable; its derivative: {}", found.method),
        ..FoundSolutions::default()
    };
    let constant = &problem.constants[1];
    for solution in found.solutions.into_iter().filter(|one| one.is_explicit) {
        // y' = p(y)
        let Some(left) = antiderivative(&solution.expr.recip(), &y, budget)? else {
            continue;
        };
        let values = solve_for_function(&left, &problem.x, &y, constant, budget)?;
        match values.is_empty() {
            true => {
                let difference = shorten_form(&(&left - &problem.x), budget)?;
                let relation = implicit_relation(difference.replace(&y, &slot_symbol(0)), constant);
                result.solutions.push(relation);
            }
            false => result
                .solutions
                .extend(values.into_iter().map(ClosedFormSolution::explicit)),
        }
    }
    Ok((!result.solutions.is_empty()).then_some(result))
}
