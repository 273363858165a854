//! Linear programs with integer variables, by branch and bound.
//!
//! The rows tighten bounds and coefficients (`presolve`), cuts tighten the relaxation of the root in rounds (`root`). The relaxation of
//! a node is solved by the dual simplex method from the basis of its parent. The search dives: it goes on with the nearer of two
//! children until a dive ends, then takes up the open node of best bound. Branching follows pseudocosts, started by trials (`strong`).
//! The order of everything is fixed. A point counts as found only after its integers were rounded and the program, as it was given,
//! was solved again with them fixed.
//!
//! # References
//! A. H. Land and A. G. Doig, Econometrica 28, 1960. T. Achterberg, T. Koch, A. Martin, "Branching rules revisited", Oper. Res.
//! Letters 33, 2005.

mod aggregate;
mod begin;
mod cover;
mod cut;
mod node;
mod points;
mod presolve;
mod propagate;
mod pseudocost;
mod root;
mod rounding;
mod search;
mod strong;
#[cfg(test)]
mod tests;

use super::linear::{LinearProgram, SimplexOptions, SimplexSolution, SimplexStatus};

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MilpOutcome {
    /// The best point is within the gap of the bound.
    Optimal,
    /// No point: the tree is complete.
    Infeasible,
    /// The relaxation is unbounded.
    Unbounded,
    /// As many nodes as allowed.
    NodeLimit,
    /// As many iterations as allowed.
    IterationLimit,
    /// The caller's stop.
    Stopped,
    /// A relaxation was left without a conclusion, so that nothing is proved.
    Numerical,
}

/// The best point of a search and what is proved about it.
#[derive(Debug, Clone, PartialEq)]
pub struct MilpResult {
    /// How the search ended.
    pub outcome: MilpOutcome,
    /// The program solved with the integers fixed at the best point; without one, the relaxation of the root.
    pub solution: SimplexSolution,
    /// Whether `solution` is a point of the program.
    pub is_point: bool,
    /// No point is below this.
    pub bound: f64,
    /// Nodes whose relaxation was solved.
    pub nodes: u64,
    /// Iterations of the simplex method.
    pub iterations: u64,
}

/// Limits of a search.
pub struct MilpLimits<'a> {
    /// Of the simplex method, over all nodes.
    pub options: SimplexOptions<'a>,
    /// Largest number of nodes.
    pub max_nodes: u64,
    /// The search ends when the best point is within this of the bound, relative to its size.
    pub gap: f64,
}

/// Solves a program in which some variables are integers.
pub fn solve_integer_program(
    program: &LinearProgram,
    is_integer: &[bool],
    limits: &MilpLimits<'_>,
) -> MilpResult {
    begin::begin_search(program, is_integer, limits)
}

/// How far an integer variable may be from an integer in a relaxation that counts as integral.
const INTEGRAL: f64 = 1e-6;

fn status_outcome(status: SimplexStatus) -> MilpOutcome {
    match status {
        SimplexStatus::Optimal => MilpOutcome::Optimal,
        SimplexStatus::Infeasible => MilpOutcome::Infeasible,
        SimplexStatus::Unbounded => MilpOutcome::Unbounded,
        SimplexStatus::IterationLimit => MilpOutcome::IterationLimit,
        SimplexStatus::Stopped => MilpOutcome::Stopped,
        SimplexStatus::Numerical => MilpOutcome::Numerical,
    }
}
