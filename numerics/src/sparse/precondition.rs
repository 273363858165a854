//! The preconditioner interface and the simplest preconditioners.

use super::amg::Multigrid;
use super::incomplete::{IncompleteCholesky, IncompleteLu};
use super::{CsrMatrix, PreconditionerMethod, SparseError, reserve_doubles};
use crate::watch::Watch;

/// An approximate inverse.
pub trait Preconditioner {
    /// `z = M^-1 r`; the same operator every time, symmetric positive definite where conjugate gradients use it.
    fn apply(&mut self, r: &[f64], z: &mut [f64]);
}

/// `z = r`.
/// The error of a preconditioner that does not exist.
pub(super) fn breakdown_error(what: &'static str, row: usize, why: &'static str) -> SparseError {
    SparseError::Breakdown { what, row, why }
}

struct IdentityPreconditioner;

impl Preconditioner for IdentityPreconditioner {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
    }
}

/// Division by the diagonal.
struct JacobiPreconditioner(Vec<f64>);

impl JacobiPreconditioner {
    fn new(a: &CsrMatrix) -> Result<Self, SparseError> {
        let diagonal = a.diagonal();
        match diagonal.iter().position(|&entry| entry == 0.0) {
            Some(row) => Err(breakdown_error("jacobi", row, "the diagonal entry is 0")),
            None => Ok(Self(diagonal)),
        }
    }
}

impl Preconditioner for JacobiPreconditioner {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let entries = z.iter_mut().zip(r).zip(&self.0);
        entries.for_each(|((z, r), d)| *z = r / d);
    }
}

/// Builds a preconditioner.
///
/// # Errors
/// [`SparseError::Breakdown`] where it does not exist; stopped, or no memory.
pub fn build_preconditioner(
    a: &CsrMatrix,
    kind: PreconditionerMethod,
    watch: &dyn Watch,
) -> Result<Box<dyn Preconditioner>, SparseError> {
    Ok(match kind {
        PreconditionerMethod::None => Box::new(IdentityPreconditioner),
        PreconditionerMethod::Jacobi => {
            reserve_doubles(watch, "the preconditioner", a.row_count())?;
            Box::new(JacobiPreconditioner::new(a)?)
        }
        PreconditionerMethod::IncompleteCholesky => Box::new(IncompleteCholesky::new(a, watch)?),
        PreconditionerMethod::IncompleteLu => Box::new(IncompleteLu::new(a, watch)?),
        PreconditionerMethod::Multigrid => Box::new(Multigrid::new(a, watch)?),
    })
}
