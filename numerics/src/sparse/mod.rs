//! Sparse square systems: compressed rows, direct factorisations, Krylov methods and their preconditioners.
//!
//! Start with [`CsrMatrix`], then [`system::solve_sparse_system`]. Everything runs on one thread in a fixed order, so a result is the same bits
//! wherever it is computed. Rectangular systems are left to [`crate::dense::lstsq`].

pub mod amg;
pub mod cholesky;
mod conjugate_gradient;
pub mod csr;
mod direct;
mod gmres;
pub mod incomplete;
mod iterative;
mod krylov;
pub mod lu;
mod outcome;
pub mod precondition;
mod product;
pub mod system;

#[cfg(test)]
mod tests;

use crate::watch::Watch;

pub use csr::CsrMatrix;
pub use system::{
    PreconditionerMethod, SparseEvidence, SparseMethod, SparseOptions, SparseSolution,
    solve_sparse_system,
};

/// Errors of sparse systems: no solution, or none within the limits. Rows and columns count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SparseError {
    /// [`Watch::check`].
    #[error("stopped")]
    Stopped,
    /// [`Watch::reserve`] said no.
    #[error("{what} needs {bytes} bytes of memory, more than the limit leaves")]
    Memory {
        /// Purpose of the memory.
        what: &'static str,
        /// Number of bytes.
        bytes: u64,
    },
    /// [`Watch::afford`] said no.
    #[error(
        "{what} needs about {operations:.0e} operations and cannot be interrupted, more than the deadline allows"
    )]
    Cost {
        /// Purpose of the time.
        what: &'static str,
        /// Operations at 10^9 a second.
        operations: f64,
    },
    /// A row without entries.
    #[error("`A` is singular: row {0} (rows count from 0) has no non-zero entry")]
    EmptyRow(usize),
    /// A column without entries.
    #[error("`A` is singular: column {0} (columns count from 0) has no non-zero entry")]
    EmptyColumn(usize),
    /// Elimination found no pivot.
    #[error("`A` is singular: column {0} (columns count from 0) depends on the others")]
    Singular(usize),
    /// The method needs a symmetric matrix.
    #[error(
        "`A` is not symmetric: entry ({row}, {column}) differs from entry ({column}, {row}), counted from 0"
    )]
    NotSymmetric {
        /// Row of an entry that differs from its mirror.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// The method needs a positive definite matrix.
    #[error("`A` is not positive definite: {0}")]
    NotPositiveDefinite(IndefiniteEvidence),
    /// The preconditioner does not exist.
    #[error("the {what} preconditioner breaks down at row {row} (rows count from 0): {why}")]
    Breakdown {
        /// Name of the array.
        what: &'static str,
        /// Index in the array.
        row: usize,
        /// The value found there.
        why: &'static str,
    },
    /// The iteration reached its limit, or came to rest above the tolerance.
    #[error(transparent)]
    NoConvergence(Box<KrylovConvergenceError>),
    /// The solution is larger than any double.
    #[error("the solution is too large for a double")]
    Overflow,
}

/// Evidence that a symmetric matrix is not positive definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IndefiniteEvidence {
    /// A diagonal entry that is not positive.
    #[error("entry {0} (counted from 0) of the diagonal is not greater than 0")]
    Diagonal(usize),
    /// Elimination met a pivot that is not positive.
    #[error("elimination meets a pivot that is not greater than 0 at row {0} (rows count from 0)")]
    Pivot(usize),
    /// A direction p of the iteration with p' A p <= 0.
    #[error("iteration {0} meets a direction p with p' A p <= 0")]
    Curvature(usize),
}

/// The best that an iteration reached.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("stopped after {iterations} iterations at relative residual {residual:.1e}, tolerance {tolerance:.1e}{}", if *.stagnated { ": it does not get smaller" } else { "" })]
pub struct KrylovConvergenceError {
    /// The best point of the right-hand side that failed.
    pub x: Vec<f64>,
    /// `|b - A x| / |b|` there.
    pub residual: f64,
    /// The requested tolerance.
    pub tolerance: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Whether the residual came to rest before the limit of iterations.
    pub stagnated: bool,
}

pub(crate) fn reserve_bytes(
    watch: &dyn Watch,
    what: &'static str,
    bytes: u64,
) -> Result<(), SparseError> {
    watch
        .reserve(bytes)
        .map_err(|_| SparseError::Memory { what, bytes })
}

fn reserve_doubles(watch: &dyn Watch, what: &'static str, count: usize) -> Result<(), SparseError> {
    reserve_bytes(watch, what, (count as u64).saturating_mul(8))
}

fn go_on(watch: &dyn Watch) -> Result<(), SparseError> {
    watch.check().map_err(|_| SparseError::Stopped)
}
