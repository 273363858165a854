//! [`OptimiseError`]: how a minimisation ends that has no result.

use super::minimise::result::MinimiseMethod;
use crate::{FunctionError, Interruption};

/// How a minimisation or a fit ends that has no result.
#[derive(Debug, thiserror::Error)]
pub enum OptimiseError {
    /// The caller said no.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// A function of the caller failed.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// There is no value where one is needed.
    #[error(transparent)]
    NotFinite(#[from] NotFinitePlace),
    /// The method does not suit the problem.
    #[error(transparent)]
    Unsuitable(#[from] MethodMismatch),
    /// The values fall, or when maximising rise, without end.
    #[error("the objective has no bound: it is {} after {} evaluations", .0.value, .0.evaluations)]
    Unbounded(Box<UnboundedFall>),
    /// No point satisfies the constraints, as far as the method can tell.
    #[error("no feasible point: constraints are violated by {} at the best one", .0.violation)]
    Infeasible(Box<ConstraintConflict>),
    /// A global search met no point that satisfies the constraints.
    #[error("no feasible point found in {evaluations} evaluations")]
    NoFeasiblePoint {
        /// Evaluations.
        evaluations: u64,
        /// The point that came nearest.
        nearest: Box<ConstraintConflict>,
    },
    /// The evaluations of a search are used up; the global search that shares them out takes this end back.
    #[error("the evaluations are used up")]
    EvaluationsSpent,
}

/// Where a value is needed that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NotFinitePlace {
    /// The objective at the start.
    #[error("the objective at the start is {value}")]
    Start {
        /// NaN or infinite.
        value: f64,
    },
    /// The objective or a constraint at the start.
    #[error("the objective or a constraint is not finite at the start")]
    StartOfBoth,
    /// The objective or a constraint at the start, or at the nearest point that satisfies the affine constraints.
    #[error(
        "the objective or a constraint is not finite at the start or at the nearest point that satisfies the linear constraints"
    )]
    MovedStart,
    /// The objective at every point near the start that was tried.
    #[error("the objective is not finite near the start")]
    NearStart,
    /// The constraints at every end of a method.
    #[error("the constraints are finite at no end of the method")]
    EveryEnd,
    /// The objective at every point of a box that was tried.
    #[error("the objective is finite at no point that was tried")]
    WholeBox,
}

/// Why a method does not suit a problem.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum MethodMismatch {
    /// There are no variables.
    #[error("there are no variables")]
    NoVariables,
    /// A start or bounds of another number of variables.
    #[error("expected {variables} entries, one per variable, found {entries}")]
    Shape {
        /// Variables of the problem.
        variables: usize,
        /// Entries found.
        entries: usize,
    },
    /// No value satisfies the bounds of a variable.
    #[error("no value of variable {variable} is at least {low} and at most {high}")]
    EmptyBounds {
        /// Index of the variable.
        variable: usize,
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// A global search needs finite bounds of every variable.
    #[error("variable {variable} has no finite bounds")]
    InfiniteBounds {
        /// Index of the variable.
        variable: usize,
    },
    /// More variables than a method takes.
    #[error("the method takes at most {most} variables, found {variables}")]
    TooManyVariables {
        /// The method; absent for all that take constraints.
        method: Option<MinimiseMethod>,
        /// Most variables.
        most: usize,
        /// Variables found.
        variables: usize,
    },
    /// Fewer evaluations than a search under constraints needs.
    #[error("expected at least {least} evaluations with constraints, found {evaluations}")]
    TooFewEvaluations {
        /// Fewest evaluations.
        least: u64,
        /// Evaluations found.
        evaluations: u64,
    },
    /// The method needs second derivatives.
    #[error("the objective has no known second derivatives at the start")]
    NoSecondDerivatives,
    /// The method takes no constraints.
    #[error("the method takes no constraints")]
    TakesNoConstraints,
}

/// A point at which values have fallen without end, in the caller's sign.
#[derive(Debug, Clone, PartialEq)]
pub struct UnboundedFall {
    /// The point.
    pub x: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Evaluations so far.
    pub evaluations: u64,
    /// Whether a maximum was looked for.
    pub is_maximised: bool,
}

/// Constraints that do not hold together near a point.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintConflict {
    /// The point.
    pub x: Vec<f64>,
    /// The largest violation there.
    pub violation: f64,
    /// Indices of the constraints that are violated or contradict each other.
    pub violated: Vec<usize>,
    /// Whether they hold together nowhere: they are affine, and contradict each other or the bounds.
    pub is_proven: bool,
}
