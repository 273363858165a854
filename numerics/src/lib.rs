//! Numerical methods: slices and closures in, plain structs out. No tools, no documents, no clock, no source of seeds.
//!
//! Begin with [`roots`], [`quadrature`], [`dense`], [`sampling`] or [`stats`]. What may take long takes a [`Watch`], who is asked whether to go on, for memory
//! and for evaluations; [`NoWatch`] permits everything. Matrices of other libraries come and go by [`dense::DenseMatrix`].
//!
//! Results are the same bits for any number of threads and on every processor that has the instructions; each module says what
//! it promises. Errors are types; what they mean to a caller of a tool is said by `math-tools`.

pub mod bayes;
pub mod bytecode;
pub mod dense;
pub mod exact;
pub mod interpolation;
pub mod ode;
pub mod optimise;
pub mod programming;
pub mod quadrature;
pub mod quantile;
pub mod roots;
pub mod sampling;
pub mod signal;
pub mod sparse;
pub mod special;
pub mod stats;
pub mod vector;
pub mod watch;

pub use watch::{FunctionError, Interruption, NoWatch, StopHandle, Watch};
