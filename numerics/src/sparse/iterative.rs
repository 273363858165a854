//! Sparse systems by iteration: one run per right-hand side.

use super::krylov::{KrylovProblem, StoppingCriterion};
use super::outcome::{SolutionColumns, restore_scale, scaled_copy};
use super::system::{
    PreconditionerMethod, SparseEvidence, SparseJob, SparseMethod, SparseSolution,
};
use super::{CsrMatrix, SparseError, conjugate_gradient, gmres, precondition, reserve_doubles};
use crate::dense::scaling::Equilibration;
use crate::dense::{exponent_of, max_abs, scale_all, scale_by_exponent};

impl SparseJob<'_> {
    pub(super) fn by_iteration(
        &self,
        method: SparseMethod,
        preconditioning: PreconditionerMethod,
    ) -> Result<SparseSolution, SparseError> {
        let n = self.a.row_count();
        // One factor for all entries leaves the relative residual as it is.
        let even = even_exponent(self.a);
        let scaling = Equilibration::with(vec![-even; n], vec![0; n]);
        let scaled_copy = scaled_copy(self.a, &scaling, self.watch)?;
        let matrix = scaled_copy.as_ref().unwrap_or(self.a);
        reserve_doubles(self.watch, "the solution", n * (self.k + 5))?;
        let mut preconditioner =
            precondition::build_preconditioner(matrix, preconditioning, self.watch)?;
        let mut problem = KrylovProblem {
            a: matrix,
            preconditioner: &mut *preconditioner,
            watch: self.watch,
        };
        let target = StoppingCriterion {
            tolerance: self.options.tolerance,
            iterations_max: self.options.iterations_max,
        };
        let mut sums = SolutionColumns::new(self.a, self.k);
        let (mut iterations, mut error_estimate) = (0, None);
        for column in 0..self.k {
            let (rhs, exponent) = self.column(column, None);
            let outcome = match method {
                SparseMethod::ConjugateGradient => {
                    conjugate_gradient::solve_conjugate_gradient(&mut problem, &rhs, target)
                        .map(|(found, error)| (found, Some(error)))
                }
                _ => gmres::solve_by_gmres(&mut problem, &rhs, target, self.options.restart)
                    .map(|found| (found, None)),
            };
            let (found, error) = outcome.map_err(|err| unscale_error(err, exponent - even))?;
            iterations = iterations.max(found.iterations);
            error_estimate = error.map(|error: f64| error.max(error_estimate.unwrap_or(0.0)));
            let x = restore_scale(&found.x, |_| exponent - even)?;
            let rest: Vec<f64> = found
                .rest
                .iter()
                .map(|&r| scale_by_exponent(r, exponent))
                .collect();
            sums.add(column, self.b, x, &rest);
        }
        Ok(sums.finish(
            method,
            SparseEvidence::Iterative {
                preconditioning,
                iterations,
                error_estimate,
            },
        ))
    }
}

/// The best point of a failed iteration in the units of the system.
fn unscale_error(err: SparseError, exponent: i32) -> SparseError {
    match err {
        SparseError::NoConvergence(mut best) => {
            scale_all(&mut best.x, exponent);
            SparseError::NoConvergence(best)
        }
        other => other,
    }
}

/// The exponent of the largest entry where it is near the end of the range, else 0.
fn even_exponent(a: &CsrMatrix) -> i32 {
    const RANGE: i32 = 300;
    let exponent = exponent_of(max_abs(a.values()));
    if exponent.abs() > RANGE { exponent } else { 0 }
}
