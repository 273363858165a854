//! Numeric kernels: slices in, slices out. No tools, no documents, no clock, no source of seeds.
//!
//! Results are the same bits for any number of threads and on every processor that has the instructions; each module says what
//! it promises. Errors are types; what they mean to a caller of a tool is said by `math-tools`.

pub mod dense;
pub mod exact;
pub mod interpolation;
pub mod program;
pub mod programs;
pub mod quadrature;
pub mod quantile;
pub mod roots;
pub mod signal;
pub mod sparse;
pub mod special;
pub mod vector;
