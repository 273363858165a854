//! Equations, systems and inequalities. Every solution is put back before it is returned; what does not fulfil the equation is rejected with the reason.

mod check;
mod equation;
mod inequality;
mod invert;
mod outside;
mod system;

#[cfg(test)]
mod tests;

pub(crate) use equation::number_of_digits;
pub use equation::solve_equation;
pub use inequality::{SolutionInterval, solve_inequality};
pub(crate) use outside::{OutsideValue, keep_system_values, keep_values, zero_of_equation};
pub use system::{SystemSolutions, UnknownValues, solve_system};

use crate::tree::Expr;

/// Which numbers count as solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolveDomain {
    /// Real numbers.
    Real,
    /// Complex numbers.
    Complex,
}

/// A solution, or a family of them over a whole number.
#[derive(Debug, Clone)]
pub struct EquationSolution {
    /// The value; exact, or digits where no exact form is short.
    pub value: Expr,
    /// Whether the value is exact.
    pub is_exact: bool,
    /// The digits, where no symbol occurs.
    pub digits: Option<String>,
    /// How often a polynomial has it as a root.
    pub multiplicity: usize,
    /// The symbol of the family, any whole number.
    pub family: Option<String>,
}

/// A value that was found but is no solution.
#[derive(Debug, Clone)]
pub struct RejectedSolution {
    /// The value.
    pub value: Expr,
    /// Why it is none.
    pub reason: String,
}

/// The solutions of an equation in one unknown.
#[derive(Debug, Clone, Default)]
pub struct EquationSolutions {
    /// The solutions.
    pub solutions: Vec<EquationSolution>,
    /// Values that were found but are none.
    pub rejected: Vec<RejectedSolution>,
    /// What must hold for the solutions, such as a coefficient that is not zero.
    pub conditions: Vec<Expr>,
    /// Every number is a solution for which both sides are defined.
    pub is_identity: bool,
    /// Factors that could not be solved: then there may be more solutions.
    pub unsolved: Vec<Expr>,
    /// Solutions that were put back.
    pub checked: usize,
}
