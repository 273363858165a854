//! Restarted GMRES with the preconditioner on the right, so that the residual is that of the system itself.

use super::krylov::{
    KrylovProblem, KrylovRun, KrylovSolution, StoppingCriterion, iterate_corrections,
};
use super::{SparseError, go_on, reserve_doubles};
use crate::dense::{add_multiple, dot};

/// Solves a system of any kind.
///
/// # Method
/// Arnoldi with modified Gram-Schmidt and Givens rotations, started again every `restart` steps from the true residual.
///
/// # Errors
/// [`SparseError::NoConvergence`], stopped, or no memory.
///
/// # References
/// Y. Saad and M. H. Schultz, "GMRES: a generalized minimal residual algorithm", SIAM J. Sci. Stat. Comput. 7, 1986; Y. Saad,
/// "Iterative Methods for Sparse Linear Systems", 2nd ed., SIAM 2003, algorithm 9.5.
pub(super) fn solve_by_gmres(
    problem: &mut KrylovProblem<'_>,
    b: &[f64],
    target: StoppingCriterion,
    restart: usize,
) -> Result<KrylovSolution, SparseError> {
    const REST_MAX: f64 = 0.999;
    let restart = restart.min(b.len()).max(1);
    reserve_doubles(
        problem.watch,
        "GMRES",
        (restart + 6).saturating_mul(b.len() + restart),
    )?;
    iterate_corrections(
        problem,
        b,
        target,
        REST_MAX,
        |problem, rest, level, left| arnoldi_cycle(problem, rest, level, restart.min(left)),
    )
}

/// The triangle of the least squares problem, turned upper triangular as it grows.
#[derive(Default)]
struct RotatedTriangle {
    columns: Vec<Vec<f64>>,
    turns: Vec<(f64, f64)>,
    /// The turned right-hand side; its last entry is the residual.
    rhs: Vec<f64>,
}

fn arnoldi_cycle(
    problem: &mut KrylovProblem<'_>,
    rest: &[f64],
    level: f64,
    steps: usize,
) -> Result<KrylovRun, SparseError> {
    let n = rest.len();
    let size = dot(rest, rest).sqrt();
    let mut basis = vec![rest.iter().map(|value| value / size).collect::<Vec<f64>>()];
    let mut rotated = RotatedTriangle {
        rhs: vec![size],
        ..RotatedTriangle::default()
    };
    let mut z = vec![0.0; n];
    while rotated.columns.len() < steps {
        go_on(problem.watch)?;
        let mut image = vec![0.0; n];
        let last = &basis[basis.len() - 1];
        problem.preconditioner.apply(last, &mut z);
        problem.a.multiply(&z, &mut image);
        let before = dot(&image, &image).sqrt();
        let mut column = Vec::with_capacity(basis.len() + 1);
        for vector in &basis {
            let share = dot(vector, &image);
            add_multiple(&mut image, -share, vector);
            column.push(share);
        }
        let after = dot(&image, &image).sqrt();
        if !after.is_finite() {
            break;
        }
        // Nothing left but rounding: the space is invariant.
        let invariant = after <= f64::EPSILON * before;
        column.push(if invariant { 0.0 } else { after });
        if !rotated.push(column) {
            break;
        }
        if invariant || rotated.residual() <= level {
            break;
        }
        image.iter_mut().for_each(|value| *value /= after);
        basis.push(image);
    }
    let iterations = rotated.columns.len().max(1);
    let mut sum = vec![0.0; n];
    for (share, vector) in rotated.solve().iter().zip(&basis) {
        add_multiple(&mut sum, *share, vector);
    }
    let mut correction = z;
    problem.preconditioner.apply(&sum, &mut correction);
    Ok(KrylovRun {
        correction,
        iterations,
    })
}

impl RotatedTriangle {
    /// Adds a column of the Hessenberg matrix; `false` when it is dependent, and is left out.
    fn push(&mut self, mut column: Vec<f64>) -> bool {
        let last = column.len() - 1;
        for (at, &(c, s)) in self.turns.iter().enumerate() {
            let (upper, lower) = (column[at], column[at + 1]);
            column[at] = c * upper + s * lower;
            column[at + 1] = c * lower - s * upper;
        }
        let length = libm::hypot(column[last - 1], column[last]);
        if length == 0.0 {
            return false;
        }
        let (c, s) = (column[last - 1] / length, column[last] / length);
        self.turns.push((c, s));
        column[last - 1] = length;
        column.pop();
        self.columns.push(column);
        let rest = self.rhs[last - 1];
        self.rhs[last - 1] = c * rest;
        self.rhs.push(-s * rest);
        true
    }

    fn residual(&self) -> f64 {
        self.rhs[self.rhs.len() - 1].abs()
    }

    fn solve(&self) -> Vec<f64> {
        let mut y = self.rhs[..self.columns.len()].to_vec();
        for (at, column) in self.columns.iter().enumerate().rev() {
            y[at] /= column[at];
            let factor = y[at];
            add_multiple(&mut y[..at], -factor, column);
        }
        y
    }
}
