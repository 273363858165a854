//! Constants of integration from values at points.

use super::check::{compare_at_points, count_points, sides_with};
use super::problem::{DifferentialProblem, InitialCondition};
use super::{ClosedFormSolution, OdeAnswer, shorten_form};
use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::calculus::{LimitSide, derivative_of, limit_of};
use crate::solve::{SolveDomain, solve_equation, solve_system};
use crate::tree::{Expr, MathFunction, RelationKind, SymbolTraits};

/// Replaces the constants of all solutions; those that no constants fit are dropped.
pub(super) fn fit_constants(
    problem: &DifferentialProblem,
    conditions: &[InitialCondition],
    answer: &mut OdeAnswer,
    budget: &Budget<'_>,
) -> Outcome<()> {
    let mut fitted: Vec<ClosedFormSolution> = Vec::new();
    let mut remaining: Vec<Expr> = Vec::new();
    for solution in &answer.solutions {
        let values = match solution.is_explicit {
            true => fit_branches(problem, conditions, &solution.expr, budget)?,
            false => fit_implicit(problem, conditions, &solution.expr, budget)?,
        };
        for expr in values {
            let candidate = ClosedFormSolution {
                expr,
                ..solution.clone()
            };
            let Some(count) = count_points(problem, &candidate, budget)? else {
                continue;
            };
            let is_known = fitted.iter().any(|known| known.expr == candidate.expr);
            if count.agreed == 0
                || is_known
                || !holds_at_start(problem, conditions, &candidate, budget)?
            {
                continue;
            }
            answer.points = answer.points.min(count.agreed);
            remaining.extend(
                problem
                    .constants
                    .iter()
                    .filter(|constant| candidate.expr.contains(constant))
                    .cloned(),
            );
            fitted.push(ClosedFormSolution {
                holds_on_branch: count.differed > 0,
                ..candidate
            });
        }
    }
    // A singular solution may be the one that fulfils the conditions.
    for value in &answer.singular {
        if fulfils(problem, conditions, value, budget)? {
            fitted.push(ClosedFormSolution::explicit(value.clone()));
        }
    }
    if fitted.is_empty() {
        return refuse("no constants of the solutions that were found fulfil the conditions");
    }
    remaining.sort();
    remaining.dedup();
    answer.constants = remaining
        .iter()
        .filter_map(|constant| constant.as_symbol().map(|symbol| symbol.name.to_string()))
        .collect();
    answer.solutions = fitted;
    answer.singular.clear();
    Ok(())
}

/// Whether an explicit solution is on the branch of the equation at the points of the conditions.
fn holds_at_start(
    problem: &DifferentialProblem,
    conditions: &[InitialCondition],
    solution: &ClosedFormSolution,
    budget: &Budget<'_>,
) -> Outcome<bool> {
    let Some((left, right)) = sides_with(problem, solution, budget)? else {
        return Ok(false);
    };
    for condition in conditions {
        let (a, b) = (
            left.replace(&problem.x, &condition.at),
            right.replace(&problem.x, &condition.at),
        );
        if a.poison().is_none()
            && b.poison().is_none()
            && a.symbols().is_empty()
            && compare_at_points(&a, &b, budget)?.differed > 0
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The solution and its derivatives at the point of a condition.
fn value_at(
    problem: &DifferentialProblem,
    condition: &InitialCondition,
    expr: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Expr> {
    let mut slope = expr.clone();
    for _ in 0..condition.order {
        slope = derivative_of(&slope, &problem.x, budget)?;
    }
    let direct = slope.replace(&problem.x, &condition.at);
    if direct.poison().is_none() {
        return Ok(direct);
    }
    limit_of(&slope, &problem.x, &condition.at, LimitSide::Right, budget)
}

/// As it is, or with the logarithms of the opposite, which differ by a constant.
fn fit_branches(
    problem: &DifferentialProblem,
    conditions: &[InitialCondition],
    expr: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    let values = fit_explicit(problem, conditions, expr, budget)?;
    if !values.is_empty() {
        return Ok(values);
    }
    let turned = expr.rewrite(&|part| {
        let inside = part.argument_of(MathFunction::Ln)?;
        inside.contains(&problem.x).then(|| (-inside).ln())
    });
    match turned == *expr {
        true => Ok(values),
        false => fit_explicit(problem, conditions, &turned, budget),
    }
}

fn fit_explicit(
    problem: &DifferentialProblem,
    conditions: &[InitialCondition],
    expr: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    let mut equations = Vec::new();
    for condition in conditions {
        let value = match value_at(problem, condition, expr, budget) {
            Ok(value) => value,
            Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
            Err(_) => return Ok(Vec::new()),
        };
        equations.push(Expr::relation(
            RelationKind::Equal,
            value,
            condition.value.clone(),
        ));
    }
    let unknowns: Vec<Expr> = problem
        .constants
        .iter()
        .filter(|constant| equations.iter().any(|equation| equation.contains(constant)))
        .cloned()
        .collect();
    let sets = constant_sets(&equations, &unknowns, budget)?;
    let mut values = Vec::new();
    for set in sets {
        let full = set.iter().fold(expr.clone(), |expr, (constant, value)| {
            expr.replace(constant, value)
        });
        if full.poison().is_some() {
            continue;
        }
        let short = shorten_form(&full, budget)?;
        if fulfils(problem, conditions, &short, budget)? {
            values.push(short);
        }
    }
    Ok(values)
}

/// Values of the constants that fulfil equations: of a system at once, else one constant after the other.
fn constant_sets(
    equations: &[Expr],
    unknowns: &[Expr],
    budget: &Budget<'_>,
) -> Outcome<Vec<Vec<(Expr, Expr)>>> {
    if unknowns.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    if unknowns.len() > 1 {
        let solved = solve_system(
            equations,
            unknowns,
            SolveDomain::Real,
            &budget.share(1_500_000),
        );
        match solved {
            Ok(solved) if !solved.solutions.is_empty() => {
                return Ok(solved
                    .solutions
                    .into_iter()
                    .map(|one| unknowns.iter().cloned().zip(one.values).collect())
                    .collect());
            }
            Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
            _ => {}
        }
    }
    // The equation with the fewest constants first.
    let count = |equation: &Expr| unknowns.iter().filter(|one| equation.contains(one)).count();
    let chosen = equations
        .iter()
        .enumerate()
        .filter(|(_, equation)| count(equation) > 0)
        .min_by_key(|(_, equation)| count(equation));
    let Some((place, equation)) = chosen else {
        return Ok(vec![Vec::new()]);
    };
    let Some(unknown) = unknowns.iter().rev().find(|one| equation.contains(one)) else {
        return Ok(Vec::new());
    };
    let solved = solve_equation(
        equation,
        unknown,
        SolveDomain::Real,
        &budget.share(1_000_000),
    );
    let found = match solved {
        Ok(solved) => solved.solutions,
        Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
        Err(_) => Vec::new(),
    };
    let rest: Vec<&Expr> = equations
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != place)
        .map(|(_, equation)| equation)
        .collect();
    let others: Vec<Expr> = unknowns
        .iter()
        .filter(|one| *one != unknown)
        .cloned()
        .collect();
    let mut sets = Vec::new();
    for mut one in found.into_iter().filter(|one| one.is_exact) {
        // One member of a family: the constants of all differ by whole periods.
        if let Some(name) = &one.family {
            let k = Expr::symbol_with(name, SymbolTraits::INTEGER);
            one.value = one.value.replace(&k, &Expr::zero());
        }
        let lowered: Vec<Expr> = rest
            .iter()
            .map(|equation| equation.replace(unknown, &one.value))
            .collect();
        for mut set in constant_sets(&lowered, &others, budget)? {
            let value = set.iter().fold(one.value.clone(), |value, (other, found)| {
                value.replace(other, found)
            });
            set.push((unknown.clone(), value));
            sets.push(set);
        }
    }
    Ok(sets)
}

/// Whether a solution has the values that the conditions say.
fn fulfils(
    problem: &DifferentialProblem,
    conditions: &[InitialCondition],
    expr: &Expr,
    budget: &Budget<'_>,
) -> Outcome<bool> {
    for condition in conditions {
        let value = match value_at(problem, condition, expr, budget) {
            Ok(value) => value,
            Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
            Err(_) => return Ok(false),
        };
        let count = compare_at_points(&value, &condition.value, budget)?;
        if count.agreed == 0 || count.differed > count.agreed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The constant of `G(x, y) = C` from one point, and the function where it is then found.
fn fit_implicit(
    problem: &DifferentialProblem,
    conditions: &[InitialCondition],
    relation: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    let [condition] = conditions else {
        return Ok(Vec::new());
    };
    let Some((left, _)) = super::first_order::relation_sides(relation) else {
        return Ok(Vec::new());
    };
    if condition.order != 0 {
        return Ok(Vec::new());
    }
    let value = left
        .replace(&problem.x, &condition.at)
        .replace(&problem.slots[0], &condition.value);
    if value.poison().is_some() {
        return Ok(Vec::new());
    }
    let value = shorten_form(&value, budget)?;
    Ok(vec![Expr::relation(
        RelationKind::Equal,
        left.clone(),
        value,
    )])
}
