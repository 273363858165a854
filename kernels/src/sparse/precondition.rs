//! The preconditioner interface and the simplest preconditioners.

use super::amg::Multigrid;
use super::incomplete::{IncompleteCholesky, IncompleteLu};
use super::{Csr, Limits, Preconditioning, SparseError, reserve_doubles};

/// An approximate inverse.
pub trait Preconditioner {
    /// `z = M^-1 r`; the same operator every time, symmetric positive definite where conjugate gradients use it.
    fn apply(&mut self, r: &[f64], z: &mut [f64]);
}

/// `z = r`.
/// The error of a preconditioner that does not exist.
pub(super) fn breakdown(what: &'static str, row: usize, why: &'static str) -> SparseError {
    SparseError::Breakdown { what, row, why }
}

struct Identity;

impl Preconditioner for Identity {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
    }
}

/// Division by the diagonal.
struct Jacobi(Vec<f64>);

impl Jacobi {
    fn new(a: &Csr) -> Result<Self, SparseError> {
        let diagonal = a.diagonal();
        match diagonal.iter().position(|&entry| entry == 0.0) {
            Some(row) => Err(breakdown("jacobi", row, "the diagonal entry is 0")),
            None => Ok(Self(diagonal)),
        }
    }
}

impl Preconditioner for Jacobi {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let entries = z.iter_mut().zip(r).zip(&self.0);
        entries.for_each(|((z, r), d)| *z = r / d);
    }
}

/// Builds a preconditioner.
///
/// # Errors
/// [`SparseError::Breakdown`] where it does not exist; stopped, or no memory.
pub fn build(
    a: &Csr,
    kind: Preconditioning,
    limits: &dyn Limits,
) -> Result<Box<dyn Preconditioner>, SparseError> {
    Ok(match kind {
        Preconditioning::None => Box::new(Identity),
        Preconditioning::Jacobi => {
            reserve_doubles(limits, "the preconditioner", a.row_count())?;
            Box::new(Jacobi::new(a)?)
        }
        Preconditioning::IncompleteCholesky => Box::new(IncompleteCholesky::new(a, limits)?),
        Preconditioning::IncompleteLu => Box::new(IncompleteLu::new(a, limits)?),
        Preconditioning::Multigrid => Box::new(Multigrid::new(a, limits)?),
    })
}
