//! Boundary value problems, by collocation on a mesh that is refined until the residual is small everywhere.
//!
//! [`BoundaryFunction`] takes closures; who has the derivatives implements [`BoundaryEquations`]. [`BvpProblem::solve`] begins with a guess.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::ode::bvp::{BoundaryFunction, BvpOptions, BvpProblem};
//!
//! // y'' = -y with y(0) = 0 and y(1) = 1 is sin t / sin 1.
//! let equations = BoundaryFunction::new(
//!     2,
//!     |_t: f64, y: &[f64], _p: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -y[0]]),
//!     |a: &[f64], b: &[f64], _p: &[f64], rest: &mut [f64]| rest.copy_from_slice(&[a[0], b[0] - 1.0]),
//! );
//! let problem = BvpProblem { equations: &equations, breakpoints: &[] };
//! let options = BvpOptions::default();
//! let guess = problem.guess((0.0, 1.0), &options, |_t, _y| {}, &[])?;
//! let result = problem.solve(guess, &options, &NoWatch)?;
//! assert_eq!(result.failure, None);
//! let (y, _slope) = result.curve.at(0.5);
//! assert!((y[0] - 0.5_f64.sin() / 1.0_f64.sin()).abs() < 1e-5);
//! # Ok::<(), numerics::ode::bvp::BvpError>(())
//! ```

mod collocation;
mod error;
mod function;
mod mesh;
mod problem;
mod start;

pub use self::error::BvpError;
pub use self::function::BoundaryFunction;
pub use self::mesh::{BvpOptions, BvpResult};
pub use self::problem::{BoundaryEquations, BvpEnd, BvpProblem, MeshSolution};
pub use self::start::first_mesh;
