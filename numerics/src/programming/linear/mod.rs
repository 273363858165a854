//! Linear programs: minimise `c' x` with bounds on x and on `A x`, by the simplex method.
//!
//! Start with [`LinearProgram`] and [`solve_linear_program`]. A smaller program is solved first, where there is one; the program given starts from its
//! basis (`reduce`, `dominated`, `substitute`, `restore`), so that values, prices and proofs are those of the program given. The dual
//! method with perturbed costs does most of the work, the primal method removes what the perturbation left; the final basis is solved
//! again with residuals in doubled precision. One thread, a fixed order, noise from indices alone: the same program has the same bits
//! as its solution everywhere.

mod buckets;
mod certificate;
mod dominated;
mod drive;
mod dual;
mod eliminate;
mod evidence;
mod factor;
mod lists;
mod model;
mod nucleus;
mod polish;
mod primal;
mod ratio;
mod reduce;
mod resolve;
mod restore;
mod row;
mod sparse;
mod state;
mod step;
mod substitute;
#[cfg(test)]
mod tests;
mod triangular;
mod weights;

pub(in crate::programming) use resolve::{ResolverModel, SimplexResolver, WarmBasis};

pub use evidence::{
    NoOptimumProof, OptimalityResiduals, dual_objective, prove_infeasible, prove_unbounded,
    row_activities, row_slacks, solution_residuals,
};

use crate::sparse::CsrMatrix;
use crate::watch::Watch;

/// `min costs' x` with `row_low <= matrix x <= row_high` and `low <= x <= high`; infinite where there is no bound.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearProgram {
    /// Cost of each variable.
    pub costs: Vec<f64>,
    /// A row for each constraint.
    pub matrix: CsrMatrix,
    /// Lower bounds of rows.
    pub row_low: Vec<f64>,
    /// Upper bounds of rows.
    pub row_high: Vec<f64>,
    /// Lower bounds of variables.
    pub low: Vec<f64>,
    /// Upper bounds of variables.
    pub high: Vec<f64>,
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimplexStatus {
    /// The basis is primal and dual feasible.
    Optimal,
    /// [`SimplexSolution::ray`] combines the rows to a contradiction.
    Infeasible,
    /// [`SimplexSolution::ray`] is a direction along which the objective falls without end.
    Unbounded,
    /// As many iterations as allowed.
    IterationLimit,
    /// The caller's stop.
    Stopped,
    /// Rounding kept the methods from a conclusion.
    Numerical,
}

/// What a solve found; the entries of rows are those of the constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct SimplexSolution {
    /// How it ended.
    pub status: SimplexStatus,
    /// The last point; its basic variables follow from the others.
    pub x: Vec<f64>,
    /// `costs' x`, summed in doubled precision.
    pub objective: f64,
    /// Change of the objective with the bound of each row.
    pub duals: Vec<f64>,
    /// `costs - matrix' duals`.
    pub reduced: Vec<f64>,
    /// Whether each variable, then each row, is basic.
    pub basic: Vec<bool>,
    /// Combination of rows (infeasible) or direction (unbounded).
    pub ray: Option<Vec<f64>>,
    /// Exchanges of the basis and moves from bound to bound.
    pub iterations: u64,
    /// Estimate of the condition of the final basis, scaled, in the 1-norm.
    pub condition: f64,
}

/// Limits of a solve.
pub struct SimplexOptions<'a> {
    /// Largest number of iterations.
    pub max_iter: u64,
    /// Asked every few iterations whether to go on.
    pub watch: &'a dyn Watch,
}

/// Solves a program.
///
/// # Panics
/// When the lengths do not agree with the matrix.
pub fn solve_linear_program(
    program: &LinearProgram,
    options: &SimplexOptions<'_>,
) -> SimplexSolution {
    assert!(
        program.costs.len() == program.matrix.column_count()
            && program.low.len() == program.costs.len()
            && program.high.len() == program.costs.len()
            && program.row_low.len() == program.matrix.row_count()
            && program.row_high.len() == program.matrix.row_count(),
        "one cost and bound per column, one bound per row"
    );
    let model = model::SimplexModel::new(program);
    let mut simplex = state::Simplex::new(&model, options.max_iter, options.watch);
    let start = restore::reduced_start(program, options);
    let status = simplex.drive(start.as_ref());
    polish::polish_solution(&mut simplex, program, status)
}
