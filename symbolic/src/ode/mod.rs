//! Ordinary differential equations in closed form: first order by kind, linear ones with constant coefficients and of Cauchy and Euler, and those that a
//! substitution makes lower. Every solution is put back before it is returned.

mod check;
mod conditions;
mod exact;
mod first_order;
mod linear;
mod operator;
mod outside;
mod problem;
mod reduce;
mod separable;
mod systems;

#[cfg(test)]
mod tests;

pub(crate) use outside::{OutsideProblem, ask_outside};
pub use problem::{InitialCondition, OdeQuestion};
pub use systems::{OdeSystemAnswer, OdeSystemQuestion, SystemCondition, solve_linear_system};

use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::tree::Expr;

use self::problem::DifferentialProblem;

/// A solution: a value of the function, or a relation of both variables.
#[derive(Debug, Clone)]
pub struct ClosedFormSolution {
    /// Of an explicit solution the value of the function; of an implicit one what equals a constant, an equation.
    pub expr: Expr,
    /// Whether it is the value of the function.
    pub is_explicit: bool,
    /// Whether it holds only on a branch: the equation is fulfilled at some points and not at others.
    pub holds_on_branch: bool,
}

/// All that was found for an equation.
#[derive(Debug, Clone)]
pub struct OdeAnswer {
    /// The order of the equation.
    pub order: usize,
    /// How it was solved.
    pub method: String,
    /// The solutions, with constants of integration.
    pub solutions: Vec<ClosedFormSolution>,
    /// The names of the constants of integration.
    pub constants: Vec<String>,
    /// Solutions that no value of the constants gives.
    pub singular: Vec<Expr>,
    /// What was assumed on the way.
    pub conditions: Vec<Expr>,
    /// Points at which solutions were put back.
    pub points: usize,
}

/// Steps that a form of a solution may take.
const SHORTEN_STEPS: u64 = 150_000;

/// Solves an equation, with the conditions that it has.
pub fn solve_differential_equation(
    question: &OdeQuestion,
    budget: &Budget<'_>,
) -> Outcome<OdeAnswer> {
    let problem = DifferentialProblem::read(question, budget)?;
    let found = match find_solutions(&problem, budget) {
        Err(SymbolicFault::Undefined | SymbolicFault::Size) => None,
        other => other?,
    };
    let Some(found) = found else {
        return no_closed_form();
    };
    finish_answer(question, &problem, found, budget)
}

/// What was found, as far as it fulfils the equation, with the conditions.
fn finish_answer(
    question: &OdeQuestion,
    problem: &DifferentialProblem,
    found: FoundSolutions,
    budget: &Budget<'_>,
) -> Outcome<OdeAnswer> {
    let mut answer = check::keep_checked(problem, found, budget)?;
    if answer.solutions.is_empty() {
        return no_closed_form();
    }
    if !question.conditions.is_empty() {
        conditions::fit_constants(problem, &question.conditions, &mut answer, budget)?;
    }
    let y = Expr::symbol(&question.function);
    for solution in answer.solutions.iter_mut().filter(|one| !one.is_explicit) {
        solution.expr = solution.expr.replace(&problem.slots[0], &y);
    }
    Ok(answer)
}

fn no_closed_form<T>() -> Outcome<T> {
    Err(SymbolicFault::Refused(NO_CLOSED_FORM.to_owned()))
}

/// The words of an equation that no method solves.
pub const NO_CLOSED_FORM: &str = "no closed form is found";

/// Solutions before they are put back.
#[derive(Debug, Clone, Default)]
struct FoundSolutions {
    method: String,
    solutions: Vec<ClosedFormSolution>,
    singular: Vec<Expr>,
    conditions: Vec<Expr>,
}

impl FoundSolutions {
    fn explicit(method: impl Into<String>, values: Vec<Expr>) -> Self {
        Self {
            method: method.into(),
            solutions: values
                .into_iter()
                .map(ClosedFormSolution::explicit)
                .collect(),
            ..Self::default()
        }
    }
}

impl ClosedFormSolution {
    fn explicit(expr: Expr) -> Self {
        Self {
            expr,
            is_explicit: true,
            holds_on_branch: false,
        }
    }

    fn implicit(expr: Expr) -> Self {
        Self {
            expr,
            is_explicit: false,
            holds_on_branch: false,
        }
    }
}

fn find_solutions(
    problem: &DifferentialProblem,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    if problem.order == 1 {
        return first_order::solve_first_order(problem, budget);
    }
    if let Some(found) = linear::solve_linear_equation(problem, budget)? {
        return Ok(Some(found));
    }
    reduce::solve_reducible(problem, budget)
}

/// A method that fails for its limits has found nothing; a stop is passed on.
fn unless_refused<T>(result: Outcome<Option<T>>) -> Outcome<Option<T>> {
    match result {
        Ok(found) => Ok(found),
        Err(fault @ (SymbolicFault::Stopped | SymbolicFault::Work(_))) => Err(fault),
        Err(_) => Ok(None),
    }
}

/// The shortest form that is found.
fn shorten_form(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    crate::transforms::shorten_within(expr, SHORTEN_STEPS, budget)
}

/// An antiderivative without absolute values in its logarithms, shortened; `None` where none is found.
fn antiderivative(expr: &Expr, x: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    let short = shorten_form(expr, budget)?;
    let share = budget.share(2_000_000);
    let found = crate::calculus::integral_of(&short, x, &share);
    let found = match found {
        Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
        Err(_) => None,
        Ok(found) => found,
    };
    Ok(found.map(|(found, _)| crate::transforms::without_absolute(&found)))
}
