//! The Laplace transform by rules and a table, its inverse by partial fractions, and the check of both.

mod check;
mod fractions;
mod inverse;
mod laplace;
mod region;
mod table;

#[cfg(test)]
mod tests;

pub use check::TransformCheck;
pub use inverse::{InverseTransform, inverse_laplace};
pub use laplace::{LaplaceTransform, UnknownFunction, laplace_transform};

pub(crate) use fractions::split_complex;
pub(crate) use laplace::without_absolute;

use crate::budget::{Budget, Outcome};
use crate::tree::Expr;

/// Factors with and without the variable, as products.
pub(crate) fn split_factors(term: &Expr, x: &Expr) -> (Expr, Expr) {
    let (inside, outside): (Vec<&Expr>, Vec<&Expr>) =
        term.factors().iter().partition(|factor| factor.contains(x));
    (
        Expr::product(inside.into_iter().cloned()),
        Expr::product(outside.into_iter().cloned()),
    )
}

/// The shortest form that is found within a share of the steps; the expression itself where none is.
pub(crate) fn shorten_within(expr: &Expr, steps: u64, budget: &Budget<'_>) -> Outcome<Expr> {
    let share = budget.share(steps);
    let found = crate::simplify::forms::simplify(expr, &share);
    match found {
        Ok(short) => Ok(short),
        Err(crate::budget::SymbolicFault::Stopped) => Err(crate::budget::SymbolicFault::Stopped),
        Err(_) => budget.admit(expr.clone()),
    }
}

/// The transform of the unknown function, from that of an equation which is linear in it; `None` where it is not.
pub fn solve_for_image(
    left: &Expr,
    right: &Expr,
    image: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    let difference = left - right;
    let has_slope = difference.any(&|part| {
        matches!(part.as_call(), Some((crate::tree::MathFunction::Derivative, [inner, ..])) if inner == image)
    });
    if has_slope {
        return Ok(None);
    }
    // As a symbol the image takes part in expansions.
    let unknown = Expr::symbol("\u{3b7}Y");
    let Some((slope, constant)) =
        crate::calculus::linear_parts(&difference.replace(image, &unknown), &unknown, budget)?
    else {
        return Ok(None);
    };
    shorten_within(&(-constant / slope), 300_000, budget).map(Some)
}
