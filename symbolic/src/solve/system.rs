//! Systems: linear ones by elimination, polynomial ones by substitution and resultants.

use super::{SolveDomain, solve_equation};
use crate::budget::{Budget, Outcome, refuse};
use crate::numeric::{Comparison, compare_values};
use crate::poly::fraction::{is_proved_zero, normal_form_of_prepared};
use crate::poly::kernels::KernelTable;
use crate::poly::sparse_gcd::eliminate;
use crate::tree::{Expr, ExprNode, RelationKind};

/// Solutions that a system may have.
const SOLUTION_LIMIT: usize = 64;

/// Values of the unknowns, in their order; an unknown that may be chosen has itself as its value.
#[derive(Debug, Clone)]
pub struct UnknownValues {
    /// One value an unknown.
    pub values: Vec<Expr>,
}

/// The solutions of a system.
#[derive(Debug, Clone, Default)]
pub struct SystemSolutions {
    /// The solutions, each put back.
    pub solutions: Vec<UnknownValues>,
    /// Unknowns that may be chosen freely.
    pub free: Vec<Expr>,
    /// What must hold, such as a determinant that is not zero.
    pub conditions: Vec<Expr>,
    /// Candidates that could neither be put back nor refuted: solutions may be missing.
    pub undecided: usize,
}

/// Solves equations for several unknowns.
pub fn solve_system(
    equations: &[Expr],
    unknowns: &[Expr],
    domain: SolveDomain,
    budget: &Budget<'_>,
) -> Outcome<SystemSolutions> {
    let mut zeros = Vec::new();
    for equation in equations {
        match equation.node() {
            ExprNode::Relation(RelationKind::Equal, a, b) => zeros.push(a - b),
            ExprNode::Relation(..) => return refuse("a system is made of equations"),
            _ => zeros.push(equation.clone()),
        }
    }
    let mut result = SystemSolutions::default();
    if let Some(rows) = linear_rows(&zeros, unknowns, budget)? {
        solve_linear(rows, unknowns, &mut result, budget)?;
    } else {
        let mut nonzero = Vec::new();
        for zero in &zeros {
            let form = normal_form_of_prepared(zero, None, budget)?;
            nonzero.push(form.numerator());
        }
        for values in solve_polynomial(&nonzero, unknowns, domain, 0, budget)? {
            result.solutions.push(UnknownValues { values });
        }
    }
    put_back_all(&zeros, unknowns, &mut result, budget)?;
    Ok(result)
}

/// Keeps the solutions that fulfil all equations.
pub(super) fn put_back_all(
    zeros: &[Expr],
    unknowns: &[Expr],
    result: &mut SystemSolutions,
    budget: &Budget<'_>,
) -> Outcome<()> {
    let candidates = std::mem::take(&mut result.solutions);
    for solution in candidates {
        let found: Vec<Comparison> = zeros
            .iter()
            .map(|zero| {
                compare_values(
                    &put_back(zero, unknowns, &solution.values),
                    &Expr::zero(),
                    3,
                    budget,
                )
            })
            .collect::<Outcome<_>>()?;
        if found.iter().all(Comparison::is_agreement) {
            result.solutions.push(solution);
        } else if !found.iter().any(Comparison::is_difference) {
            result.undecided += 1;
        }
    }
    Ok(())
}

fn put_back(expr: &Expr, unknowns: &[Expr], values: &[Expr]) -> Expr {
    unknowns
        .iter()
        .zip(values)
        .fold(expr.clone(), |expr, (unknown, value)| {
            match unknown == value {
                true => expr,
                false => expr.replace(unknown, value),
            }
        })
}

/// Rows of coefficients with the constant last, where all equations are linear.
fn linear_rows(
    zeros: &[Expr],
    unknowns: &[Expr],
    budget: &Budget<'_>,
) -> Outcome<Option<Vec<Vec<Expr>>>> {
    let mut rows = Vec::new();
    for zero in zeros {
        let mut rest = crate::simplify::expand::expand(zero, budget)?;
        let mut row = Vec::new();
        for unknown in unknowns {
            let Some(parts) = crate::calculus::coefficients_of(&rest, unknown, budget)? else {
                return Ok(None);
            };
            if parts.len() > 2 {
                return Ok(None);
            }
            let slope = parts.get(1).cloned().unwrap_or_else(Expr::zero);
            if unknowns.iter().any(|other| slope.contains(other)) {
                return Ok(None);
            }
            rest = parts.first().cloned().unwrap_or_else(Expr::zero);
            row.push(slope);
        }
        row.push(-rest);
        rows.push(row);
    }
    Ok(Some(rows))
}

/// A short form of a fraction.
fn tidy(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    if expr.parts().is_empty() {
        return Ok(expr.clone());
    }
    match is_proved_zero(expr, budget)? {
        true => Ok(Expr::zero()),
        false => Ok(normal_form_of_prepared(expr, None, budget)?.to_expr()),
    }
}

/// Gauss-Jordan elimination; pivots with symbols are conditions.
fn solve_linear(
    mut rows: Vec<Vec<Expr>>,
    unknowns: &[Expr],
    result: &mut SystemSolutions,
    budget: &Budget<'_>,
) -> Outcome<()> {
    let columns = unknowns.len();
    let mut pivots: Vec<Option<usize>> = vec![None; columns];
    let mut top = 0;
    for column in 0..columns {
        let best = (top..rows.len())
            .filter(|&row| !rows[row][column].is_zero())
            .min_by_key(|&row| {
                rows[row][column].size() + 1000 * u32::from(!rows[row][column].symbols().is_empty())
            });
        let Some(row) = best else {
            continue;
        };
        rows.swap(top, row);
        let pivot = rows[top][column].clone();
        if !pivot.symbols().is_empty() {
            result.conditions.push(Expr::relation(
                RelationKind::Unequal,
                pivot.clone(),
                Expr::zero(),
            ));
        }
        for cell in &mut rows[top] {
            *cell = tidy(&(&*cell / &pivot), budget)?;
        }
        for other in (0..rows.len()).filter(|&other| other != top) {
            let factor = rows[other][column].clone();
            if factor.is_zero() {
                continue;
            }
            let above = rows[top].clone();
            for (cell, above) in rows[other].iter_mut().zip(&above) {
                *cell = tidy(&(&*cell - &factor * above), budget)?;
            }
        }
        pivots[column] = Some(top);
        top += 1;
    }
    if rows[top.min(rows.len())..]
        .iter()
        .any(|row| !row[columns].is_zero())
    {
        return Ok(());
    }
    let mut values = Vec::new();
    for (column, pivot) in pivots.iter().enumerate() {
        match pivot {
            None => {
                result.free.push(unknowns[column].clone());
                values.push(unknowns[column].clone());
            }
            Some(row) => {
                let others = (0..columns)
                    .filter(|&other| other != column)
                    .map(|other| &rows[*row][other] * &unknowns[other]);
                let value = &rows[*row][columns] - Expr::sum(others);
                values.push(tidy(&value, budget)?);
            }
        }
    }
    result.solutions.push(UnknownValues { values });
    Ok(())
}

/// Values of the unknowns for polynomial equations; candidates only.
fn solve_polynomial(
    equations: &[Expr],
    unknowns: &[Expr],
    domain: SolveDomain,
    nesting: usize,
    budget: &Budget<'_>,
) -> Outcome<Vec<Vec<Expr>>> {
    budget.spend(200)?;
    let equations: Vec<Expr> = equations
        .iter()
        .filter(|equation| !equation.is_zero())
        .cloned()
        .collect();
    if equations
        .iter()
        .any(|equation| equation.as_number().is_some())
    {
        return Ok(Vec::new());
    }
    if nesting > 8 || equations.len() < unknowns.len() {
        return refuse(
            "the system has fewer independent equations than unknowns: its solutions are a family that is not found",
        );
    }
    if let [x] = unknowns {
        return single_unknown(&equations, x, domain, budget);
    }
    // An unknown that stands alone with a number in front.
    for (place, equation) in equations.iter().enumerate() {
        for (at, unknown) in unknowns.iter().enumerate() {
            let Some(parts) = crate::calculus::coefficients_of(equation, unknown, budget)? else {
                return refuse("the system is not polynomial in its unknowns");
            };
            if parts.len() != 2 || parts[1].as_number().is_none() {
                continue;
            }
            let value = crate::simplify::expand::expand(&(-&parts[0] / &parts[1]), budget)?;
            let mut reduced = Vec::new();
            for (_, other) in equations
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != place)
            {
                reduced.push(
                    normal_form_of_prepared(&other.replace(unknown, &value), None, budget)?
                        .numerator(),
                );
            }
            let rest: Vec<Expr> = unknowns
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, rest)| rest.clone())
                .collect();
            let mut found = Vec::new();
            for values in solve_polynomial(&reduced, &rest, domain, nesting + 1, budget)? {
                let mut all = values.clone();
                all.insert(at, put_back(&value, &rest, &values));
                found.push(all);
            }
            return Ok(found);
        }
    }
    by_resultants(&equations, unknowns, domain, nesting, budget)
}

fn single_unknown(
    equations: &[Expr],
    x: &Expr,
    domain: SolveDomain,
    budget: &Budget<'_>,
) -> Outcome<Vec<Vec<Expr>>> {
    let simplest = equations
        .iter()
        .min_by_key(|equation| equation.size())
        .cloned()
        .unwrap_or_else(Expr::zero);
    let found = solve_equation(&simplest, x, domain, budget)?;
    if found.is_identity
        || !found.unsolved.is_empty()
        || found.solutions.iter().any(|solution| !solution.is_exact)
    {
        return refuse("an equation of the system has no solutions in closed form");
    }
    Ok(found
        .solutions
        .into_iter()
        .map(|solution| vec![solution.value])
        .collect())
}

fn by_resultants(
    equations: &[Expr],
    unknowns: &[Expr],
    domain: SolveDomain,
    nesting: usize,
    budget: &Budget<'_>,
) -> Outcome<Vec<Vec<Expr>>> {
    let last = unknowns[unknowns.len() - 1].clone();
    let parts: Vec<&Expr> = equations.iter().collect();
    let table = KernelTable::of(&parts, None, budget)?;
    let Some(place) = table.place_of(&last) else {
        return refuse("an unknown does not occur");
    };
    let mut polys = Vec::new();
    for equation in equations {
        polys.push(table.convert(equation, budget)?.num);
    }
    let Some(pivot) = (0..polys.len())
        .filter(|&at| polys[at].depends_on(place))
        .min_by_key(|&at| polys[at].degree(place))
    else {
        return refuse("an unknown does not occur in what is left of the system");
    };
    let mut reduced = Vec::new();
    for (at, poly) in polys.iter().enumerate().filter(|(at, _)| *at != pivot) {
        let rest = match poly.depends_on(place) {
            true => eliminate(&polys[pivot], poly, place, budget)?,
            false => polys[at].clone(),
        };
        if rest.is_zero() {
            return refuse(
                "two equations of the system have a common factor: its solutions are a family that is not found",
            );
        }
        reduced.push(table.poly_to_expr(&rest.primitive().1));
    }
    let rest = &unknowns[..unknowns.len() - 1];
    let mut found: Vec<Vec<Expr>> = Vec::new();
    for values in solve_polynomial(&reduced, rest, domain, nesting + 1, budget)? {
        let mut candidates: Vec<Expr> = Vec::new();
        for equation in equations {
            let line = crate::simplify::expand::expand(&put_back(equation, rest, &values), budget)?;
            if line.contains(&last) {
                candidates = single_unknown(&[line], &last, domain, budget)?
                    .into_iter()
                    .flatten()
                    .collect();
                break;
            }
        }
        for candidate in candidates {
            let mut all = values.clone();
            all.push(candidate);
            let is_refuted = equations.iter().any(|equation| {
                compare_values(
                    &put_back(equation, unknowns, &all),
                    &Expr::zero(),
                    2,
                    budget,
                )
                .is_ok_and(|found| found.is_difference())
            });
            if !is_refuted && !found.contains(&all) {
                found.push(all);
            }
        }
        if found.len() > SOLUTION_LIMIT {
            return refuse(format!(
                "the system has more than {SOLUTION_LIMIT} solutions"
            ));
        }
    }
    Ok(found)
}
