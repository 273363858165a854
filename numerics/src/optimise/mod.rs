//! Minima and maxima of functions of several variables: local ones, within bounds and under constraints ([`MinimiseProblem`]), global ones
//! in a box ([`MinimiseProblem::minimise_globally`]), and sums of squares ([`fit_residuals`]).
//!
//! Results depend on the arguments alone: random streams have seeds, and every method runs in one thread. A search that does not converge
//! answers with its best point and the reason; [`OptimiseError`] is the end without one.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::optimise::{
//!     ConstraintKinds, MinimiseOptions, MinimiseProblem, VariableBounds, minimise,
//! };
//!
//! let valley = |x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
//! let options = MinimiseOptions::default();
//! let found = minimise(valley, &[-1.2, 1.0], &options, &NoWatch)?;
//! assert!(found.converged && (found.x[0] - 1.0).abs() < 1e-5);
//!
//! // Where x + y <= 1 within the unit square.
//! let kinds = ConstraintKinds {
//!     equal: vec![false],
//!     affine: vec![true],
//!     is_smooth: true,
//! };
//! let bounds = VariableBounds {
//!     low: vec![0.0; 2],
//!     high: vec![1.0; 2],
//! };
//! let found = MinimiseProblem::new(|x: &[f64]| (x[0] - 1.0).powi(2) + (x[1] - 1.0).powi(2), 2)
//!     .within(bounds)
//!     .under(&kinds, |x: &[f64], c: &mut [f64]| c[0] = 1.0 - x[0] - x[1])
//!     .minimise_from(&[0.0, 0.0], &options, &NoWatch)?;
//! assert!(found.converged && (found.value - 0.5).abs() < 1e-6);
//! # Ok::<(), numerics::optimise::OptimiseError>(())
//! ```

mod error;
mod functions;
mod global;
mod least_squares;
mod minimise;
#[cfg(test)]
mod tests;

pub use self::error::{
    ConstraintConflict, MethodMismatch, NotFinitePlace, OptimiseError, UnboundedFall,
};
pub use self::functions::{
    ConstraintFunctions, ConstraintKinds, CostFunction, CostWithGradient, FunctionShape,
    KnownDerivative,
};
pub use self::global::{GlobalEnd, GlobalMethod, GlobalOptimum, GlobalOptions, GlobalPointSource};
pub use self::least_squares::closure::{FitOptions, fit_residuals};
pub use self::least_squares::draws::{ParameterDrawError, draw_parameters};
pub use self::least_squares::levenberg::{
    LeastSquaresResult, LevenbergEnd, LevenbergOptions, LinearisedResiduals, ResidualProblem,
    StepWeights, minimise_squares,
};
pub use self::least_squares::loss::{LossKind, RobustLoss};
pub use self::least_squares::projected::{better_fit, linear_at, minimise_doggedly, solve_linear};
pub use self::least_squares::qr::JacobianQr;
pub use self::least_squares::starts::{StartData, search_starts, thin_column};
pub use self::least_squares::uncertainty::{FitUncertainty, UncertaintyInputs, report_uncertainty};
pub use self::minimise::bounds::VariableBounds;
pub use self::minimise::constrained::{
    ConstrainedProblem, ConstraintEvaluator, TOLERANCE as FEASIBILITY_TOLERANCE,
    constraint_violations, takes_dense_factors,
};
pub use self::minimise::problem::{MinimiseOptions, MinimiseProblem, check_size, minimise};
pub use self::minimise::result::{
    ConstraintState, MinimiseEnd, MinimiseMethod, Optimum, OptimumNote,
};
pub use self::minimise::sizes::{difference_gradient_size, formula_gradient_size};
pub use self::minimise::target::MinimisationTarget;
