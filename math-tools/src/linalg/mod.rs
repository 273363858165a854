//! Linear algebra: systems, eigenvalues, singular values of dense matrices, and sparse systems.
//!
//! One folder per tool: `mod.rs` is the contract, `kernel.rs` the method on plain slices. The factorisations
//! are those of [`kernels::dense`] and [`kernels::sparse`]; a result never depends on the number of threads.

pub mod cholesky;
pub mod determinant;
pub mod eigen;
mod factors;
pub mod function;
pub mod inverse;
pub mod least_squares;
pub mod legacy;
pub mod lu;
pub mod multiply;
pub mod qr;
pub mod rank;
pub mod solve;
pub mod sparse_solve;
pub mod svd;

pub use kernels::dense;
use tool_core::{Entry, ErrorCode, ToolError, entry};

/// The tools of this family.
pub static TOOLS: &[Entry] = &[
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
    ToolError::new(ErrorCode::Numeric, err)
        .reason("no_convergence")
        .at("/A")
        .hint("check the matrix for entries of very different size and scale its rows and columns")
}

#[cfg(test)]
mod legacy_tests;
#[cfg(test)]
pub(crate) mod nist;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod tools_tests;
