//! Ordinary differential equations: initial value problems of explicit and implicit equations, stiff or not.
//!
//! [`OdeFunction`] takes a closure; [`OdeFunction::integrate`] is the method alone, [`OdeFunction::solve`] an [`InitialValueProblem`] with events, a
//! mass matrix and an estimate of the error at the end. Who has the derivatives of the right-hand side implements [`OdeFlow`], and with those by
//! parameters [`ParametricFlow`].
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::ode::{CrossingDirection, InitialValueProblem, OdeEnd, OdeEvent, OdeFunction};
//!
//! // A stone thrown upwards, until it hits the ground.
//! let mut fall = OdeFunction::new(2, |_t, y, dy| dy.copy_from_slice(&[y[1], -9.81]));
//! let ground = || {
//!     let height = OdeEvent::new(|_t: f64, y: &[f64]| y[0]);
//!     vec![height.in_direction(CrossingDirection::Falling).terminal()]
//! };
//! let problem = InitialValueProblem {
//!     events: &ground,
//!     ..InitialValueProblem::new(&[0.0, 10.0], (0.0, 100.0))
//! };
//! let solution = fall.solve(&problem, &NoWatch)?;
//! assert_eq!(solution.stopped, Some(OdeEnd::TerminalEvent));
//! assert!((solution.t_end - 20.0 / 9.81).abs() < 1e-9);
//! # Ok::<(), numerics::ode::OdeError>(())
//! ```

mod bdf;
pub mod bvp;
mod control;
mod crossing;
mod detector;
mod differences;
mod drive;
mod error;
mod event;
mod explicit;
mod flow;
mod function;
mod jump;
mod mass;
mod matrix;
mod method;
mod observer;
mod radau;
mod rodas;
mod sensitivity;
mod solution;
mod stepper;
mod switch;

pub use self::differences::{FiniteDifferences, RightHandSide};
pub use self::drive::{OdeOptions, OdeTrajectory, integrate_flow};
pub use self::error::{OdeArgumentError, OdeError, OdeTimeError, check_times};
pub use self::event::{CrossingDirection, EventDoubt, EventFunction, EventOccurrences, OdeEvent};
pub use self::flow::{OdeFlow, OdeTolerances, OdeWork, RTOL_MIN};
pub use self::function::OdeFunction;
pub use self::jump::{DerivativeJump, search_discontinuity};
pub use self::mass::MassMatrix;
pub use self::matrix::{JacobianPattern, JacobianStorage};
pub use self::method::OdeMethod;
pub use self::observer::TrajectoryObserver;
pub use self::sensitivity::{ParametricFlow, VariationalFlow};
pub use self::solution::{
    InitialValueProblem, OdeSolution, OdeSolutionWork, SkippedChange, UnmetTolerance,
};
pub use self::stepper::OdeEnd;
