//! One interface for engines of symbolic mathematics.

use crate::budget::{Budget, Outcome};
use crate::calculus::{CheckedLimit, DefiniteIntegral, LimitSide, SeriesExpansion};
use crate::ode::{OdeAnswer, OdeQuestion, solve_differential_equation};
use crate::simplify::{EqualityVerdict, SimplifyForm};
use crate::solve::{EquationSolutions, SolutionInterval, SolveDomain, SystemSolutions};
use crate::tree::Expr;

/// What an engine answers. Each answer is checked by values before it is returned; what is not answered is refused.
pub trait SymbolicEngine {
    /// The name of the engine in results.
    fn name(&self) -> &'static str;
    /// The derivative of an order.
    fn differentiate(
        &self,
        expr: &Expr,
        x: &Expr,
        order: usize,
        budget: &Budget<'_>,
    ) -> Outcome<Expr>;
    /// The antiderivative, where one is found, and the number of points of its check.
    fn integrate(
        &self,
        expr: &Expr,
        x: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<(Expr, usize)>>;
    /// The integral between limits.
    fn integrate_between(
        &self,
        expr: &Expr,
        x: &Expr,
        low: &Expr,
        high: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<DefiniteIntegral>>;
    /// A form of an expression.
    fn simplify(
        &self,
        expr: &Expr,
        form: SimplifyForm,
        variable: Option<&Expr>,
        budget: &Budget<'_>,
    ) -> Outcome<Expr>;
    /// Whether two expressions are equal.
    fn decide_equality(&self, a: &Expr, b: &Expr, budget: &Budget<'_>) -> Outcome<EqualityVerdict>;
    /// The solutions of an equation.
    fn solve(
        &self,
        equation: &Expr,
        x: &Expr,
        domain: SolveDomain,
        budget: &Budget<'_>,
    ) -> Outcome<EquationSolutions>;
    /// The solutions of a system.
    fn solve_system(
        &self,
        equations: &[Expr],
        unknowns: &[Expr],
        domain: SolveDomain,
        budget: &Budget<'_>,
    ) -> Outcome<SystemSolutions>;
    /// The solutions of an inequality.
    fn solve_inequality(
        &self,
        relation: &Expr,
        x: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Vec<SolutionInterval>>;
    /// The series about a point.
    fn expand_series(
        &self,
        expr: &Expr,
        x: &Expr,
        point: &Expr,
        order: usize,
        budget: &Budget<'_>,
    ) -> Outcome<SeriesExpansion>;
    /// The limit at a point.
    fn take_limit(
        &self,
        expr: &Expr,
        x: &Expr,
        point: &Expr,
        side: LimitSide,
        budget: &Budget<'_>,
    ) -> Outcome<CheckedLimit>;
    /// The sum over an index.
    fn sum_terms(
        &self,
        expr: &Expr,
        k: &Expr,
        low: &Expr,
        high: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<Expr>>;
    /// The solutions of a differential equation.
    fn solve_ode(&self, question: &OdeQuestion, budget: &Budget<'_>) -> Outcome<OdeAnswer>;
}

/// The engine of this crate.
#[derive(Debug, Clone, Copy, Default)]
pub struct NativeEngine;

impl SymbolicEngine for NativeEngine {
    fn name(&self) -> &'static str {
        "native"
    }

    fn differentiate(
        &self,
        expr: &Expr,
        x: &Expr,
        order: usize,
        budget: &Budget<'_>,
    ) -> Outcome<Expr> {
        let mut found = expr.clone();
        for _ in 0..order {
            found = crate::calculus::derivative_of(&found, x, budget)?;
            found = crate::simplify::simplify_as(
                &found,
                SimplifyForm::Simple,
                None,
                &budget.share(400_000),
            )
            .unwrap_or(found);
        }
        Ok(found)
    }

    fn integrate(
        &self,
        expr: &Expr,
        x: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<(Expr, usize)>> {
        crate::calculus::integral_of(expr, x, budget)
    }

    fn integrate_between(
        &self,
        expr: &Expr,
        x: &Expr,
        low: &Expr,
        high: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<DefiniteIntegral>> {
        crate::calculus::integrate_between(expr, x, low, high, budget)
    }

    fn simplify(
        &self,
        expr: &Expr,
        form: SimplifyForm,
        variable: Option<&Expr>,
        budget: &Budget<'_>,
    ) -> Outcome<Expr> {
        crate::simplify::simplify_as(expr, form, variable, budget)
    }

    fn decide_equality(&self, a: &Expr, b: &Expr, budget: &Budget<'_>) -> Outcome<EqualityVerdict> {
        crate::simplify::decide_equality(a, b, budget)
    }

    fn solve(
        &self,
        equation: &Expr,
        x: &Expr,
        domain: SolveDomain,
        budget: &Budget<'_>,
    ) -> Outcome<EquationSolutions> {
        crate::solve::solve_equation(equation, x, domain, budget)
    }

    fn solve_system(
        &self,
        equations: &[Expr],
        unknowns: &[Expr],
        domain: SolveDomain,
        budget: &Budget<'_>,
    ) -> Outcome<SystemSolutions> {
        crate::solve::solve_system(equations, unknowns, domain, budget)
    }

    fn solve_inequality(
        &self,
        relation: &Expr,
        x: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Vec<SolutionInterval>> {
        crate::solve::solve_inequality(relation, x, budget)
    }

    fn expand_series(
        &self,
        expr: &Expr,
        x: &Expr,
        point: &Expr,
        order: usize,
        budget: &Budget<'_>,
    ) -> Outcome<SeriesExpansion> {
        crate::calculus::series_of(expr, x, point, order, budget)
    }

    fn take_limit(
        &self,
        expr: &Expr,
        x: &Expr,
        point: &Expr,
        side: LimitSide,
        budget: &Budget<'_>,
    ) -> Outcome<CheckedLimit> {
        crate::calculus::checked_limit(expr, x, point, side, budget)
    }

    fn sum_terms(
        &self,
        expr: &Expr,
        k: &Expr,
        low: &Expr,
        high: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<Expr>> {
        crate::calculus::sum_of(expr, k, low, high, budget)
    }

    fn solve_ode(&self, question: &OdeQuestion, budget: &Budget<'_>) -> Outcome<OdeAnswer> {
        solve_differential_equation(question, budget)
    }
}
