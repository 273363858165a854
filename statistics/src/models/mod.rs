//! Models: linear, generalised linear, mixed, quantile, robust, and of survival times.
//!
//! Each takes the columns of [`crate::design`], leaves out columns that depend on others and names them, and returns its coefficients as
//! [`CoefficientEstimate`]s with the evidence of the fit.

mod error;
mod estimate;
pub mod glm;
pub(crate) mod least_squares;
pub mod linear;
pub mod mixed;
mod precise;
pub mod quantile;
pub mod robust;
pub mod survival;

pub use self::error::ModelError;
pub use self::estimate::{CoefficientEstimate, WaldTest, critical_value, two_sided_p};
