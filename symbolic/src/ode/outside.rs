//! Differential equations asked of an outside system: its solutions are put back, and fitted to the conditions, as others are.

use super::problem::DifferentialProblem;
use super::{FoundSolutions, OdeAnswer, OdeQuestion, finish_answer, no_closed_form};
use crate::budget::{Budget, Outcome};
use crate::tree::Expr;

/// An equation in symbols: zero, its variable, the function and its derivatives from order 0, and the constants that a solution has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutsideProblem<'a> {
    pub residual: &'a Expr,
    pub x: &'a Expr,
    pub slots: &'a [Expr],
    pub constants: &'a [Expr],
}

/// Asks for values of the function, and keeps those that fulfil the equation and its conditions.
pub(crate) fn ask_outside(
    question: &OdeQuestion,
    ask: &dyn Fn(&OutsideProblem<'_>) -> Outcome<Vec<Expr>>,
    name: &str,
    budget: &Budget<'_>,
) -> Outcome<OdeAnswer> {
    let problem = DifferentialProblem::read(question, budget)?;
    let values = ask(&OutsideProblem {
        residual: &problem.residual,
        x: &problem.x,
        slots: &problem.slots,
        constants: &problem.constants,
    })?;
    if values.is_empty() {
        return no_closed_form();
    }
    let found = FoundSolutions::explicit(format!("by {name}"), values);
    finish_answer(question, &problem, found, budget)
}
