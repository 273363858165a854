//! Linear algebra: systems, eigenvalues, singular values of dense matrices, and sparse systems.
//!
//! One folder per tool: `mod.rs` is the contract, `kernel.rs` the method on plain slices. The factorisations
//! are those of [`kernels::dense`] and [`kernels::sparse`]; a result never depends on the number of threads.

pub(crate) mod cholesky;
pub(crate) mod determinant;
pub(crate) mod eigen;
pub(crate) mod factors;
pub(crate) mod function;
pub(crate) mod inverse;
pub(crate) mod least_squares;
pub(crate) mod lu;
pub(crate) mod multiply;
pub(crate) mod qr;
pub(crate) mod rank;
pub(crate) mod solve;
pub mod sparse_solve;
pub(crate) mod svd;

pub(crate) use kernels::dense;
use tool_core::{Entry, ToolError, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<solve::MatrixSolve>(),
    entry::<sparse_solve::SparseSolve>(),
    entry::<least_squares::LeastSquares>(),
    entry::<eigen::MatrixEigenvalues>(),
    entry::<svd::MatrixSvd>(),
    entry::<qr::MatrixQr>(),
    entry::<lu::MatrixLu>(),
    entry::<cholesky::MatrixCholesky>(),
    entry::<inverse::MatrixInverse>(),
    entry::<determinant::MatrixDeterminant>(),
    entry::<rank::MatrixRank>(),
    entry::<multiply::MatrixMultiply>(),
    entry::<function::MatrixFunction>(),
];

/// The error of an iteration that did not end, at the argument `A`.
pub(crate) fn no_convergence(err: dense::NoConvergence) -> ToolError {
    ToolError::numeric("/A", err)
        .reason("no_convergence")
        .hint("check the matrix for entries of very different size and scale its rows and columns")
}

#[cfg(test)]
pub(crate) mod tests;
