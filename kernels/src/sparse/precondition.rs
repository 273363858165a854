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
        if let Some(row) = diagonal.iter().position(|&entry| entry == 0.0) {
            return Err(SparseError::Breakdown {
                what: "jacobi",
                row,
                why: "the diagonal entry is 0",
            });
        }
        Ok(Self(diagonal))
    }
}

impl Preconditioner for Jacobi {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        z.iter_mut()
            .zip(r)
            .zip(&self.0)
            .for_each(|((z, r), d)| *z = r / d);
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
