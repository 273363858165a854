//! Programs: the minimum of a function under constraints, with proofs of optimality.

pub mod assignment;
pub mod integer;
pub mod linear;
pub mod quadratic;
