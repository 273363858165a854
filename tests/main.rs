//! Tests that need several crates: architecture, determinism of whole chains, agreement with references.

mod aliases;
mod architecture;
mod determinism;
mod documents;
mod large;
mod references;
mod sparse_reference;
