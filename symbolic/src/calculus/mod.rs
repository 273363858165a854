//! Derivatives, integrals, series, limits and sums.

mod accelerate;
mod check;
pub(crate) mod definite;
pub(crate) mod differentiate;
pub(crate) mod integrate;
pub(crate) mod limit;
pub(crate) mod series;
pub(crate) mod summation;

#[cfg(test)]
mod tests;

pub use check::{ValueCheck, check_derivative, check_series, power_of_order};
pub use definite::{DefiniteIntegral, integrate_between};
pub use differentiate::derivative_of;
pub use integrate::integral_of;
pub use limit::{CheckedLimit, LimitSide, checked_limit, limit_of};
pub use series::{SeriesExpansion, series_of};
pub use summation::sum_of;

use crate::budget::{Budget, Outcome};
use crate::tree::Expr;

/// The coefficients of a polynomial of degree up to 40, where the expression is one.
pub(crate) fn coefficients_of(
    expr: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Vec<Expr>>> {
    integrate::polynomial_parts(expr, x, 40, budget)
}

/// Slope and constant of a linear expression.
pub(crate) fn linear_parts(
    expr: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<(Expr, Expr)>> {
    integrate::as_linear(expr, x, budget)
}
