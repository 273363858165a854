//! Dense linear algebra: systems, eigenvalues, singular values.
//!
//! One folder per tool: `mod.rs` is the contract, `kernel.rs` the method on plain slices. [`dense`] holds what they share and is
//! the only place that calls the factorisations of `faer` and `nalgebra`; every call there is sequential, so that a result never
//! depends on the number of threads.

pub mod dense;
pub mod eigen;
pub mod legacy;
pub mod solve;
pub mod svd;

use tool_core::{Entry, entry};

/// The tools of this family.
pub static TOOLS: &[Entry] = &[
    entry::<solve::MatrixSolve>(),
    entry::<eigen::MatrixEigenvalues>(),
    entry::<svd::MatrixSvd>(),
];

#[cfg(test)]
mod legacy_tests;
#[cfg(test)]
pub(crate) mod tests;
