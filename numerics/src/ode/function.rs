//! [`OdeFunction`]: a right-hand side that is a function of Rust.

use std::sync::Arc;

use super::differences::FiniteDifferences;
use super::drive::{OdeOptions, OdeTrajectory, integrate_flow};
use super::error::{OdeArgumentError, OdeError};
use super::flow::{OdeFlow, OdeTolerances};
use super::mass::MassMatrix;
use super::matrix::JacobianPattern;
use super::method::OdeMethod;
use super::observer::TrajectoryObserver;
use super::solution::{InitialValueProblem, OdeSolution};
use crate::watch::Watch;

/// The right-hand side of `y' = f(t, y)`, called as `f(t, y, dy)`; it sets every entry of `dy`. Jacobians are found by differences.
///
/// ```
/// use numerics::NoWatch;
/// use numerics::ode::{OdeFunction, OdeMethod, OdeOptions};
///
/// let mut decay = OdeFunction::new(1, |_t, y, dy| dy[0] = -0.5 * y[0]);
/// let options = OdeOptions::default();
/// let path = decay.integrate((0.0, 4.0), &[1.0], &[2.0], &options, &NoWatch)?;
/// assert_eq!((path.stopped, &path.methods[..]), (None, &[OdeMethod::Dop853][..]));
/// assert!((path.y_end()[0] - (-2.0_f64).exp()).abs() < 1e-7);
/// assert!((path.samples[0] - (-1.0_f64).exp()).abs() < 1e-7);
/// # Ok::<(), numerics::ode::OdeError>(())
/// ```
#[derive(Debug)]
pub struct OdeFunction<F> {
    f: F,
    n: usize,
    band: (usize, usize),
}

impl<F: FnMut(f64, &[f64], &mut [f64])> OdeFunction<F> {
    /// Of `n` components, each of which may enter each derivative.
    pub fn new(n: usize, f: F) -> Self {
        Self::banded(n, (n, n), f)
    }

    /// Of `n` components, where the derivative of component `i` depends on the components from `i - below` to `i + above` alone: a Jacobian
    /// takes about `below + above + 2` evaluations then instead of `n + 1`, and its factors grow with `n` as the band does.
    pub fn banded(n: usize, (below, above): (usize, usize), f: F) -> Self {
        Self {
            f,
            n,
            band: (below.min(n), above.min(n)),
        }
    }

    /// Integrates from the first time of `span` to the second, in either direction; [`OdeTrajectory::samples`] are the states at `times`, which go
    /// from the first to the second too.
    ///
    /// # Method
    /// That of the options alone: without an estimate of the error at the end and without a look for changes between the steps, as
    /// [`OdeFunction::solve`] has them.
    ///
    /// # Errors
    /// [`OdeArgumentError`]; an interruption. An integration that ends early is an [`OdeTrajectory`] that says so.
    pub fn integrate(
        &mut self,
        span: (f64, f64),
        y0: &[f64],
        times: &[f64],
        options: &OdeOptions,
        watch: &dyn Watch,
    ) -> Result<OdeTrajectory, OdeError> {
        let problem = InitialValueProblem {
            times: Some(times),
            options: options.clone(),
            ..InitialValueProblem::new(y0, span)
        };
        problem.check(self.n)?;
        let mut differenced = self.differenced(&problem, watch)?;
        let mut observer = TrajectoryObserver::at(times, span);
        integrate_flow(&mut differenced, span, y0, options, &mut observer, watch)
    }

    /// Solves a problem: the trajectory with its evidence, its events, and equations `M y' = f(t, y)` with a mass matrix.
    ///
    /// # Method
    /// As [`InitialValueProblem::solve`]; `auto` is `radau` with a mass matrix.
    ///
    /// # Errors
    /// [`OdeArgumentError`]; as [`InitialValueProblem::solve`].
    pub fn solve(
        &mut self,
        problem: &InitialValueProblem<'_>,
        watch: &dyn Watch,
    ) -> Result<OdeSolution, OdeError> {
        problem.check(self.n)?;
        let mut options = problem.options.clone();
        if let Some(mass) = problem.mass {
            options.method = implicit_method(options.method)?;
            if mass.len() != self.n {
                let (expected, found) = (self.n * self.n, mass.len() * mass.len());
                return Err(OdeArgumentError::MassLength { expected, found }.into());
            }
        }
        let problem = InitialValueProblem {
            options,
            ..*problem
        };
        let mut differenced = self.differenced(&problem, watch)?;
        problem.solve(&mut differenced, watch)
    }

    /// The function with its derivatives by differences, for which there must be room.
    fn differenced<'a>(
        &'a mut self,
        problem: &'a InitialValueProblem<'_>,
        watch: &dyn Watch,
    ) -> Result<DifferencedFunction<'a, F>, OdeError> {
        let (method, n) = (problem.options.method, self.n);
        if method == OdeMethod::Auto || method.is_implicit() {
            let (below, above) = self.band;
            // Places and values of the entries, and the columns of differences.
            watch.reserve_doubles(n.saturating_mul(5 * n.min(below + above + 1)))?;
        }
        Ok(DifferencedFunction {
            function: self,
            tolerances: &problem.options.tolerances,
            mass: problem.mass,
            slopes: None,
        })
    }
}

/// The method for a mass matrix.
fn implicit_method(method: OdeMethod) -> Result<OdeMethod, OdeArgumentError> {
    match method {
        OdeMethod::Auto => Ok(OdeMethod::Radau),
        method if method.is_implicit() => Ok(method),
        method => Err(OdeArgumentError::ExplicitMethod {
            method: method.name(),
        }),
    }
}

/// A function with its derivatives by differences.
struct DifferencedFunction<'a, F> {
    function: &'a mut OdeFunction<F>,
    tolerances: &'a OdeTolerances,
    mass: Option<&'a MassMatrix>,
    /// Made when first needed.
    slopes: Option<(Arc<JacobianPattern>, FiniteDifferences)>,
}

impl<F: FnMut(f64, &[f64], &mut [f64])> DifferencedFunction<'_, F> {
    /// The function, and its pattern with the differences.
    fn parts(&mut self) -> (&mut F, &mut (Arc<JacobianPattern>, FiniteDifferences)) {
        let OdeFunction { f, n, band } = &mut *self.function;
        let (n, (below, above), tolerances) = (*n, *band, self.tolerances);
        let mass = self.mass;
        let slopes = self.slopes.get_or_insert_with(|| {
            let row = |row: usize| {
                let columns = row.saturating_sub(below)..n.min(row + above + 1);
                columns.map(move |column| (row, column))
            };
            let mass = mass.map(|mass| mass.entries().to_vec());
            let pattern = JacobianPattern::new(n, (0..n).flat_map(row).collect(), mass);
            let differences = FiniteDifferences::new(&pattern, Some(tolerances));
            (Arc::new(pattern), differences)
        });
        (f, slopes)
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64])> OdeFlow for DifferencedFunction<'_, F> {
    fn eval(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        (self.function.f)(t, y, dy);
    }

    fn pattern(&mut self) -> Arc<JacobianPattern> {
        Arc::clone(&self.parts().1.0)
    }

    fn jacobian(&mut self, t: f64, y: &[f64], entries: &mut [f64]) -> u64 {
        let (f, (_, differences)) = self.parts();
        differences.jacobian(f, (t, y), entries)
    }

    fn time_slope(&mut self, t: f64, y: &[f64], slope: &mut [f64]) -> u64 {
        let (f, (_, differences)) = self.parts();
        differences.time_slope(f, (t, y), slope)
    }
}
