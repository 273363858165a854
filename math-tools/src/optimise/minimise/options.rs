//! The methods, directions and reasons that the tools name.

use numerics::optimise::{MinimiseEnd, MinimiseMethod};
use tool_core::{Decode, Describe, Encode};

/// The method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum OptimizeMethod {
    /// The methods in turn until one converges.
    #[default]
    Auto,
    /// Limited-memory BFGS with a strong Wolfe line search.
    #[value(alias = "bfgs", alias = "lbfgs")]
    Gradient,
    /// Newton's method in a trust region.
    Newton,
    /// The downhill simplex.
    NelderMead,
    /// Sequential quadratic programming.
    Sqp,
    /// Minima of the augmented Lagrangian: violations at a quadratic price, shifted by the multipliers.
    AugmentedLagrangian,
    /// Linear models by interpolation.
    Cobyla,
}

mirror_enum!(
    OptimizeMethod,
    MinimiseMethod,
    [
        Auto,
        Gradient,
        Newton,
        NelderMead,
        Sqp,
        AugmentedLagrangian,
        Cobyla
    ]
);

/// The direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum OptimisationMode {
    /// Find a minimum.
    #[default]
    Minimize,
    /// Find a maximum.
    Maximize,
}

/// Reason a method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum OptimizeReason {
    /// The gradient vanishes to the tolerance, no neighbour along an axis is better, and the objective curves the wrong way in no
    /// direction.
    Gradient,
    /// The constraints hold, the gradient of the Lagrangian vanishes to the tolerance, and it curves the wrong way along no active
    /// constraint.
    Kkt,
    /// `cobyla`: the linear models expect no gain within the tolerance.
    Radius,
    /// A fresh simplex changed neither x nor f by more than the tolerance.
    Simplex,
    /// No step improves the objective by more than its rounding error, though the gradient exceeds the tolerance: not converged.
    NoProgress,
    /// The gradient vanishes to the tolerance, but the objective curves the wrong way along a direction in which no better value was
    /// found: not converged.
    NegativeCurvature,
    /// `max_iter` was used up.
    MaxIter,
}

mirror_enum!(
    OptimizeReason,
    MinimiseEnd,
    [
        Gradient,
        Kkt,
        Radius,
        Simplex,
        NoProgress,
        NegativeCurvature,
        MaxIter
    ]
);
