//! Systems of as many equations as unknowns, from one start or from many: solutions, each with a bound or an estimate of its error.
//!
//! # Method
//! From each start a [`SquaresDescent`] goes to a minimum of the sum of squares; Newton steps refine it to rounding, and the test of Krawczyk
//! proves by intervals that exactly one solution is near, where the equations are known over intervals. A start that leads to a
//! local minimum alone is tried again from points beside it.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::roots::system::{EquationFunction, SystemEnd, SystemOptions, SystemSearch};
//!
//! // x^2 + y^2 = 25, x - y = -1: the values, then the Jacobian row by row.
//! let equations = EquationFunction {
//!     unknowns: 2,
//!     evaluate: |x: &[f64], out: &mut [f64]| {
//!         let (a, b) = (x[0], x[1]);
//!         out.copy_from_slice(&[a * a + b * b - 25.0, a - b + 1.0, 2.0 * a, 2.0 * b, 1.0, -1.0]);
//!     },
//! };
//! let search = SystemSearch::new(&equations, &NoWatch);
//! let mut descent = search.damped_newton(100);
//! let found = search.solve(&[vec![2.0, 5.0]], &SystemOptions::default(), &mut descent)?;
//! assert_eq!(found.end, SystemEnd::Step);
//! assert!((found.x[0] - 3.0).abs() < 1e-14 && (found.x[1] - 4.0).abs() < 1e-14);
//! # Ok::<(), numerics::roots::RootError>(())
//! ```
//!
//! # References
//! R. Krawczyk, Computing 4, 1969. R. E. Moore, "A test for existence of solutions to nonlinear systems", SIAM J. Numer. Anal. 14, 1977.

mod newton;
mod search;
mod verify;

use std::cell::Cell;

pub use self::newton::DampedNewton;
use super::RootError;
use super::interval::Interval;
use crate::watch::{FunctionError, Watch};

/// As many equations as unknowns, with their derivatives.
pub trait EquationSystem {
    /// Number of unknowns, and of equations.
    fn unknowns(&self) -> usize;

    /// The values at a point of `n` unknowns, then the Jacobian row by row: `n * (n + 1)` numbers, not finite where there are none.
    ///
    /// # Errors
    /// What ends the search.
    fn evaluate(&self, x: &[f64], out: &mut [f64]) -> Result<(), FunctionError>;

    /// What is known over a box; `None` where a function is not known over intervals.
    ///
    /// # Errors
    /// What ends the search.
    fn enclosure(&self, x: &[Interval]) -> Result<Option<SystemEnclosure>, FunctionError> {
        let _ = x;
        Ok(None)
    }
}

/// Equations by a function that writes the values and then the Jacobian row by row, as [`EquationSystem::evaluate`].
#[derive(Debug, Clone, Copy)]
pub struct EquationFunction<F> {
    /// Number of unknowns, and of equations.
    pub unknowns: usize,
    /// Writes `unknowns * (unknowns + 1)` numbers.
    pub evaluate: F,
}

impl<F: Fn(&[f64], &mut [f64])> EquationSystem for EquationFunction<F> {
    fn unknowns(&self) -> usize {
        self.unknowns
    }

    fn evaluate(&self, x: &[f64], out: &mut [f64]) -> Result<(), FunctionError> {
        (self.evaluate)(x, out);
        Ok(())
    }
}

/// Values and slopes over a box.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemEnclosure {
    /// Bounds of each equation.
    pub values: Vec<Interval>,
    /// Bounds of the Jacobian, row by row.
    pub slopes: Vec<Interval>,
    /// Whether every equation is defined and continuous there.
    pub is_regular: bool,
}

/// A way to a minimum of the sum of squares of the equations.
pub trait SquaresDescent {
    /// Goes from a start to a minimum; no point where an equation or a derivative is not finite at the start.
    ///
    /// # Errors
    /// [`RootError::Function`], [`RootError::Interrupted`].
    fn descend(&mut self, start: &[f64]) -> Result<SquaresDescentResult, RootError>;
}

/// Where a descent ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SquaresDescentResult {
    /// The point; `None` where nothing is finite at the start.
    pub point: Option<SquaresPoint>,
    /// Iterations.
    pub iterations: u64,
}

/// The point where a descent ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SquaresPoint {
    /// The point.
    pub x: Vec<f64>,
    /// The equations there, perhaps scaled.
    pub residuals: Vec<f64>,
    /// Why it ended.
    pub end: DescentEnd,
}

/// Why a descent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescentEnd {
    /// A minimum of the sum of squares, by its derivatives.
    Minimum,
    /// The limit of iterations.
    Iterations,
    /// Anything else: the equations hold, or no step improves.
    NoStep,
}

/// How a system is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SystemOptions<'a> {
    /// Lower bound of each unknown; empty for none.
    pub low: &'a [f64],
    /// Upper bound of each unknown; empty for none.
    pub high: &'a [f64],
    /// Relative Newton step below which a point counts as a solution.
    pub tolerance: f64,
    /// Seed of the starts beside a local minimum.
    pub seed: u64,
}

impl Default for SystemOptions<'_> {
    fn default() -> Self {
        Self {
            low: &[],
            high: &[],
            tolerance: 1e-10,
            seed: 42,
        }
    }
}

impl SystemOptions<'_> {
    /// The nearest point within the bounds.
    fn project(&self, x: &mut [f64]) {
        for (index, value) in x.iter_mut().enumerate() {
            let low = self.low.get(index).copied().unwrap_or(f64::NEG_INFINITY);
            let high = self.high.get(index).copied().unwrap_or(f64::INFINITY);
            *value = value.max(low).min(high);
        }
    }
}

/// Solutions, or the point of least residual.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemResult {
    /// The best solution, or the point of least residual where there is none.
    pub x: Vec<f64>,
    /// The equations at `x`.
    pub residuals: Vec<f64>,
    /// Why `x` is a solution or not.
    pub end: SystemEnd,
    /// Different solutions, the verified ones first.
    pub solutions: Vec<SystemSolution>,
    /// Iterations of all descents.
    pub iterations: u64,
    /// Evaluations of the equations with their Jacobian outside of descents, those over intervals included.
    pub evaluations: u64,
}

/// A solution.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemSolution {
    /// The point.
    pub x: Vec<f64>,
    /// Largest equation in magnitude.
    pub residual: f64,
    /// Largest error of an unknown: a bound where verified, else the size of the last Newton step; infinite where singular.
    pub error: f64,
    /// Whether intervals prove that exactly one solution lies within `error`.
    pub is_verified: bool,
    /// Condition number of the Jacobian, scaled by its columns.
    pub condition: f64,
    /// Whether the Jacobian is singular to rounding.
    pub is_singular: bool,
}

/// Why a point is a solution or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemEnd {
    /// Proven by intervals.
    Verified,
    /// Newton's step is below the tolerance.
    Step,
    /// The equations hold to rounding, but the Jacobian is singular there.
    Singular,
    /// A minimum of the sum of squares that is no solution.
    LocalMinimum,
    /// No step reduces the residual.
    NoProgress,
    /// The limit of iterations.
    Iterations,
}

/// Values and Jacobian at a point, row by row.
struct JacobianPoint {
    values: Vec<f64>,
    jacobian: Vec<f64>,
}

/// A search for solutions, which counts the evaluations of the equations and asks for each first.
pub struct SystemSearch<'a> {
    equations: &'a dyn EquationSystem,
    count: Cell<u64>,
    watch: &'a dyn Watch,
}

impl<'a> SystemSearch<'a> {
    /// Of equations.
    pub fn new(equations: &'a dyn EquationSystem, watch: &'a dyn Watch) -> Self {
        Self {
            equations,
            count: Cell::new(0),
            watch,
        }
    }

    /// Newton's method with steps that are halved until they reduce the sum of squares.
    pub fn damped_newton(&self, max_iter: u64) -> DampedNewton<'_> {
        DampedNewton::new(self, max_iter)
    }

    fn n(&self) -> usize {
        self.equations.unknowns()
    }

    fn tick(&self) -> Result<(), RootError> {
        self.count.set(self.count.get() + 1);
        self.watch.check()?;
        self.watch.count_evaluations(1)?;
        Ok(())
    }

    /// At a point; `None` where a number is not finite.
    fn at(&self, x: &[f64]) -> Result<Option<JacobianPoint>, RootError> {
        self.tick()?;
        let n = self.n();
        let mut values = vec![0.0; n * (n + 1)];
        self.equations.evaluate(x, &mut values)?;
        let is_finite = values.iter().all(|value| value.is_finite());
        let jacobian = values.split_off(n);
        Ok(is_finite.then_some(JacobianPoint { values, jacobian }))
    }

    /// Over a box; `None` where a function is not known over intervals.
    fn over(&self, x: &[Interval]) -> Result<Option<SystemEnclosure>, RootError> {
        self.tick()?;
        Ok(self.equations.enclosure(x)?)
    }
}
