//! Minimisation under constraints.
//!
//! [`ConstrainedProblem`] is the type to read first: objective, constraints and bounds as the methods see them. [`sqp`] is the method of smooth
//! problems, `augmented` the one of many variables, [`cobyla`] the one without derivatives; `drive` chooses.

mod augmented;
pub(crate) mod cobyla;
pub(crate) mod constraints;
mod drive;
pub(crate) mod kkt;
mod problem;
mod quadratic;
mod report;
mod restore;
mod second_order;
pub(crate) mod sqp;
mod step;
mod unbounded;

use super::result::{MinimiseEnd, MinimiseMethod};
use kkt::KktEvidence;

pub(crate) use augmented::VARIABLES_MAX as VARIABLES_MAX_SPARSE;
pub use constraints::ConstraintEvaluator;
pub(crate) use drive::minimise_constrained;
pub use kkt::constraint_violations;
pub use problem::ConstrainedProblem;

/// The most variables of methods that factor dense matrices, which cannot be interrupted.
const VARIABLES_MAX: usize = 300;

/// The end of a method under constraints.
#[derive(Debug)]
pub(crate) struct ConstrainedResult {
    pub at: ConstrainedPoint,
    pub evidence: KktEvidence,
    pub iterations: u64,
    pub converged: bool,
    pub method: MinimiseMethod,
    pub reason: MinimiseEnd,
    /// Lowest curvature of the Lagrangian along the active constraints, where it is known and a direction is left.
    pub lowest_curvature: Option<f64>,
    /// Whether the multipliers are the only ones, as the units of the search show it; absent where those are the caller's.
    pub has_unique_multipliers: Option<bool>,
}

/// A point with values and first derivatives.
#[derive(Debug, Clone)]
pub(crate) struct ConstrainedPoint {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
    /// Constraints: not negative, or zero, where they hold.
    pub c: Vec<f64>,
    /// Their gradients.
    pub jacobian: Vec<Vec<f64>>,
}

/// Largest violation of a constraint that counts as satisfied in a global search.
pub const TOLERANCE: f64 = 1e-8;

/// Whether matrices of all variables are factored.
pub fn takes_dense_factors(n: usize) -> bool {
    n <= VARIABLES_MAX
}
