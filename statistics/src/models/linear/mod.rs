//! Linear models: least squares with classical, robust and clustered errors, predictions, influence, diagnostics and penalties.

mod covariance;
mod diagnostics;
mod fit;
mod influence;
mod penalty;
mod prediction;

#[cfg(test)]
mod tests;

pub use self::covariance::ErrorEstimate;
pub(crate) use self::covariance::robust_covariance;
pub use self::diagnostics::{LinearDiagnostics, VarianceInflation};
pub(crate) use self::fit::root_weights;
pub use self::fit::{LinearModelFit, LinearRequest, fit_linear};
pub use self::influence::RowInfluence;
pub use self::penalty::{PenaltyFit, PenaltyPoint, PenaltyRequest, fit_penalised};
pub use self::prediction::LinearPrediction;
