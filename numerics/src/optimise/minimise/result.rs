//! What methods are called, and what they end with.

/// A local method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MinimiseMethod {
    /// The methods in turn until one converges.
    #[default]
    Auto,
    /// Limited-memory BFGS with a strong Wolfe line search.
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

/// Reason a method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MinimiseEnd {
    /// The gradient vanishes to the tolerance, no neighbour along an axis is better, and the objective curves the wrong way in no
    /// direction.
    Gradient,
    /// The constraints hold, the gradient of the Lagrangian vanishes to the tolerance, and it curves the wrong way along no active
    /// constraint.
    Kkt,
    /// [`MinimiseMethod::Cobyla`]: the linear models expect no gain within the tolerance.
    Radius,
    /// A fresh simplex changed neither x nor f by more than the tolerance.
    Simplex,
    /// No step improves the objective by more than its rounding error, though the gradient exceeds the tolerance: not converged.
    NoProgress,
    /// The gradient vanishes to the tolerance, but the objective curves the wrong way along a direction in which no better value was
    /// found: not converged.
    NegativeCurvature,
    /// The iterations were used up.
    MaxIter,
}

/// The result of a method, minimising.
#[derive(Debug, Clone)]
pub(crate) struct MinimiseResult {
    /// The best point.
    pub x: Vec<f64>,
    /// The value there, to be minimised.
    pub value: f64,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// Iterations used.
    pub iterations: u64,
    /// Whether the test of convergence was passed.
    pub converged: bool,
    /// Reason the method ended.
    pub reason: MinimiseEnd,
    /// The lowest curvature there, where the method has looked at it.
    pub lowest_curvature: Option<f64>,
}

impl MinimiseResult {
    pub(super) fn with_curvature(self, lowest_curvature: Option<f64>) -> Self {
        Self {
            lowest_curvature,
            ..self
        }
    }
}

/// A constraint at the point found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintState {
    /// Its value.
    pub value: f64,
    /// Change of the optimal objective, in the caller's sign, per unit by which the constraint is tightened (by which what `c` has to reach
    /// grows); 0 where it is not active.
    pub multiplier: f64,
    /// Whether it holds with equality.
    pub active: bool,
}

/// What is to be known of an optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptimumNote {
    /// The test of convergence was not passed.
    NotConverged,
    /// The objective has kinks or steps, at which linear models may see no gain.
    UnseenKinks,
    /// The gradients of the active constraints and bounds depend on each other: the multipliers are one choice of many.
    AmbiguousMultipliers,
    /// The point is so far from the start that the objective may be unbounded, or level off without an optimum.
    FarFromStart,
}

/// The point that a local search found, and how.
#[derive(Debug, Clone)]
pub struct Optimum {
    /// The best point.
    pub x: Vec<f64>,
    /// The objective there, in the caller's sign.
    pub value: f64,
    /// Iterations of the methods that ran.
    pub iterations: u64,
    /// Evaluations of the objective, those for differences included.
    pub evaluations: u64,
    /// Largest component of the gradient at x in magnitude.
    pub gradient_norm: f64,
    /// Each constraint at x.
    pub constraints: Vec<ConstraintState>,
    /// Largest amount by which a constraint is violated.
    pub violation: f64,
    /// Largest component of the gradient that no active constraint and no bound balances: 0 at an optimum.
    pub kkt_residual: f64,
    /// Multiplier of the bound that holds each variable: the change of the optimal objective per unit by which the bound rises; 0 where none
    /// does.
    pub bound_multipliers: Vec<f64>,
    /// Lowest eigenvalue of the Hessian (when maximising of its negative, under constraints of the Lagrangian) in the directions that no
    /// bound and no constraint blocks; of more than 60 variables the lowest that 60 products find. Absent where second derivatives are not
    /// known or no direction is left.
    pub lowest_curvature: Option<f64>,
    /// Whether x passed the test of convergence.
    pub converged: bool,
    /// The method that found x.
    pub method: MinimiseMethod,
    /// Reason the method ended.
    pub reason: MinimiseEnd,
    /// What else is to be known, in the order in which it was found out.
    pub notes: Vec<OptimumNote>,
}
