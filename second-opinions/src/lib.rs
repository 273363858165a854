//! The same problems by other libraries and other methods, for answers that are computed twice: dense linear algebra by `nalgebra`,
//! initial value problems by `ode_solvers`, minimisation by `argmin`.
//!
//! Slices in, numbers out; matrices are row by row. Nothing here knows tools, and nothing here is on the way of a call that did not ask
//! for it.

pub mod cube;
pub mod equations;
pub mod linear;
pub mod minimum;
