//! The losses and reasons that the fits name.

use numerics::optimise::{LevenbergEnd, LossKind};
use tool_core::{Decode, Describe, Encode};

/// Reason a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum LeastSquaresReason {
    /// The residuals are orthogonal to the columns of the Jacobian, and no step improves the fit: converged.
    Orthogonal,
    /// The model passes through the data, to rounding or the tolerance of its integration: converged.
    Exact,
    /// The residuals are not orthogonal to the Jacobian, but the gradient of their squares is 0 to rounding and the squares curve upwards in
    /// every direction: converged.
    Curvature,
    /// What is free has no influence here, to first order (a column of the Jacobian is 0): not known to be a minimum, not converged.
    Flat,
    /// No step improves the fit, though the residuals are not orthogonal to the Jacobian: not converged.
    NoProgress,
    /// `max_iter` was used up.
    MaxIter,
}

mirror_enum!(
    LeastSquaresReason,
    LevenbergEnd,
    [Orthogonal, Exact, Curvature, Flat, NoProgress, MaxIter]
);

/// How much a residual counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ResidualLoss {
    /// Its square.
    #[default]
    Linear,
    /// Its square near 0, its magnitude far from it.
    Huber,
    /// 2 (sqrt(1 + r^2) - 1).
    SoftL1,
    /// log(1 + r^2): far residuals hardly count.
    Cauchy,
}

mirror_enum!(ResidualLoss, LossKind, [Linear, Huber, SoftL1, Cauchy]);
