//! Convex quadratic programs: `minimise 1/2 x'Px + c'x` where `A_ub x <= b_ub`, `A_eq x = b_eq` and `low <= x <= high`.
//!
//! Start with [`QuadraticProgram`] and [`solve_quadratic_program`]. The interior-point solver `clarabel` finds the optimum or a certificate; what it says is checked here, and
//! the optimum is made exact by solving the equations of its active constraints.

mod check;
mod convex;
mod interior;
mod polish;
#[cfg(test)]
mod tests;

use crate::sparse::{CsrMatrix, SparseError};
use crate::watch::Watch;

pub use self::check::KktResiduals;
pub use self::convex::{Convexity, check_convexity};

/// A program in n variables.
#[derive(Debug, Clone)]
pub struct QuadraticProgram {
    /// n x n, symmetric; both triangles.
    pub p: CsrMatrix,
    /// Linear part.
    pub c: Vec<f64>,
    /// Rows of inequalities.
    pub a_ub: CsrMatrix,
    /// Their right-hand sides.
    pub b_ub: Vec<f64>,
    /// Rows of equations.
    pub a_eq: CsrMatrix,
    /// Their right-hand sides.
    pub b_eq: Vec<f64>,
    /// Lower bounds, minus infinity where there is none.
    pub low: Vec<f64>,
    /// Upper bounds, infinity where there is none.
    pub high: Vec<f64>,
}

/// A point and its multipliers: `Px + c + A_ub' ub + A_eq' eq + high - low = 0`, with `ub`, `low` and `high` at least 0.
#[derive(Debug, Clone, PartialEq)]
pub struct PrimalDualPoint {
    /// The variables.
    pub x: Vec<f64>,
    /// Multipliers of inequalities.
    pub ub: Vec<f64>,
    /// Multipliers of equations.
    pub eq: Vec<f64>,
    /// Multipliers of lower bounds.
    pub low: Vec<f64>,
    /// Multipliers of upper bounds.
    pub high: Vec<f64>,
}

/// How a solution was found.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticSolution {
    /// The optimum, or the best point where the method ended before.
    pub point: PrimalDualPoint,
    /// Residuals of the conditions of optimality, recomputed from the program.
    pub kkt: KktResiduals,
    /// Iterations of the interior-point method.
    pub iterations: u32,
    /// Whether the point solves the equations of its active constraints.
    pub polished: bool,
    /// How the interior-point method ended.
    pub ending: QuadraticEnd,
}

/// End of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuadraticEnd {
    /// Within its tolerance.
    Converged,
    /// At the limit of iterations.
    Iterations,
    /// Without progress.
    Stalled,
}

/// No solution.
#[derive(Debug, Clone, PartialEq)]
pub enum QuadraticFailure {
    /// No point satisfies the constraints: these multipliers of them, `ub`, `low` and `high` at least 0, make the left sides add up to `rest'x` and
    /// the right sides to -1. The magnitudes of the entries of a point that satisfies them all add up to at least `beyond`.
    Infeasible {
        /// The multipliers; its `x` is empty.
        multipliers: Box<PrimalDualPoint>,
        /// 1 over the largest entry of `rest`.
        beyond: f64,
    },
    /// The objective falls without end along this direction, from this point.
    Unbounded {
        /// Slope -1, no curvature, and no constraint that ends it, up to `error`.
        direction: Vec<f64>,
        /// Largest amount by which that is violated.
        error: f64,
    },
    /// The iteration ended without a point or a certificate that holds.
    Stalled,
    /// Stopped, or beyond a limit.
    Sparse(SparseError),
}

impl From<SparseError> for QuadraticFailure {
    fn from(err: SparseError) -> Self {
        Self::Sparse(err)
    }
}

impl QuadraticProgram {
    /// Number of variables.
    pub fn n(&self) -> usize {
        self.c.len()
    }

    /// `1/2 x'Px + c'x`, summed in doubled precision.
    pub fn objective(&self, x: &[f64]) -> f64 {
        let mut image = vec![0.0; x.len()];
        self.p.multiply(x, &mut image);
        let mut sum = crate::exact::CompensatedSum::default();
        for ((x, image), c) in x.iter().zip(&image).zip(&self.c) {
            sum.add_product(*x, 0.5 * image);
            sum.add_product(*x, *c);
        }
        sum.value()
    }
}

/// Solves a program that is convex ([`check_convexity`]).
///
/// # Method
/// Interior points on the homogeneous embedding, with one thread and a fixed order, so that the result is always the same. Then the constraints whose
/// multiplier exceeds their slack are taken as equations and solved with residuals in doubled precision; constraints are exchanged as long as signs are
/// wrong, and the result is taken where all residuals are smaller.
///
/// The caller's [`Watch::stop_handle`] is asked in each iteration.
///
/// # References
/// P. J. Goulart, Y. Chen, "Clarabel: an interior-point solver for conic programs with quadratic objectives", arXiv 2405.12762, 2024; B. Stellato and
/// others, "OSQP: an operator splitting solver for quadratic programs", Math. Prog. Comp. 12, 2020, for the last step.
///
/// # Errors
/// A certificate that there is no solution, or a limit.
pub fn solve_quadratic_program(
    program: &QuadraticProgram,
    iterations_max: u32,
    watch: &dyn Watch,
) -> Result<QuadraticSolution, QuadraticFailure> {
    let mut found = interior::solve_interior_point(program, iterations_max, watch)?;
    found.kkt = check::kkt_residuals(program, &found.point);
    if let Some((point, kkt)) = polish::polish_point(program, &found.point, &found.kkt, watch)? {
        (found.point, found.kkt, found.polished) = (point, kkt, true);
    }
    Ok(found)
}
