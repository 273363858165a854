//! `M + N*y' = 0` with a potential, by itself or with a factor of one variable.

use super::first_order::implicit_relation;
use super::problem::DifferentialProblem;
use super::separable::solve_for_function;
use super::{ClosedFormSolution, FoundSolutions, antiderivative, shorten_form};
use crate::budget::{Budget, Outcome};
use crate::calculus::derivative_of;
use crate::simplify::expand::expand;
use crate::tree::Expr;

/// Solves an equation that is linear in the derivative; with a factor only where `takes_factor`.
pub(super) fn solve_exact(
    problem: &DifferentialProblem,
    takes_factor: bool,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    let (x, y, top) = (&problem.x, &problem.slots[0], &problem.slots[1]);
    let n = derivative_of(&problem.residual, top, budget)?;
    let m = problem.residual.replace(top, &Expr::zero());
    if n.contains(top) || m.poison().is_some() {
        return Ok(None);
    }
    let mut candidates = vec![(m.clone(), n.clone())];
    // Over one denominator, which is the form in which factors are seen.
    let form =
        crate::poly::fraction::normal_form_of_prepared(&(-&m / &n), None, &budget.share(200_000));
    if let Ok(form) = form {
        candidates.push((-form.numerator(), form.denominator()));
    }
    for (m, n) in candidates {
        if let Some(found) = solve_pair(
            (&m, &n),
            (x, y),
            &problem.constants[0],
            takes_factor,
            budget,
        )? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn solve_pair(
    (m, n): (&Expr, &Expr),
    (x, y): (&Expr, &Expr),
    constant: &Expr,
    takes_factor: bool,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    let gap = shorten_form(
        &(derivative_of(m, y, budget)? - derivative_of(n, x, budget)?),
        budget,
    )?;
    let (factor, name) = if gap.is_zero() {
        (Expr::one(), "exact")
    } else if !takes_factor {
        return Ok(None);
    } else {
        let by_x = shorten_form(&(&gap / n), budget)?;
        let by_y = shorten_form(&(-&gap / m), budget)?;
        let (exponent, name) = if !by_x.contains(y) {
            (
                antiderivative(&by_x, x, budget)?,
                "exact with an integrating factor of the variable",
            )
        } else if !by_y.contains(x) {
            (
                antiderivative(&by_y, y, budget)?,
                "exact with an integrating factor of the function",
            )
        } else {
            return Ok(None);
        };
        let Some(exponent) = exponent else {
            return Ok(None);
        };
        (expand(&exponent, budget)?.exp(), name)
    };
    let (m, n) = (
        shorten_form(&(&factor * m), budget)?,
        shorten_form(&(&factor * n), budget)?,
    );
    let Some(potential) = potential_of(&m, &n, x, y, budget)? else {
        return Ok(None);
    };
    let mut found = FoundSolutions {
        method: name.to_owned(),
        ..FoundSolutions::default()
    };
    let values = solve_for_function(&potential, &Expr::zero(), y, constant, budget)?;
    found.solutions = match values.is_empty() {
        true => vec![implicit_relation(potential, constant)],
        false => values
            .into_iter()
            .map(ClosedFormSolution::explicit)
            .collect(),
    };
    Ok(Some(found))
}

/// The function with these derivatives.
fn potential_of(
    m: &Expr,
    n: &Expr,
    x: &Expr,
    y: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    let Some(first) = antiderivative(&expand(m, budget)?, x, budget)? else {
        return Ok(None);
    };
    let rest = shorten_form(&(n - derivative_of(&first, y, budget)?), budget)?;
    if rest.contains(x) {
        return Ok(None);
    }
    let Some(second) = antiderivative(&expand(&rest, budget)?, y, budget)? else {
        return Ok(None);
    };
    let whole = expand(&(first + second), budget)?;
    shorten_form(&whole, budget).map(Some)
}
