//! [`OdeFunction`]: a right-hand side in Rust, for programs that use the methods as a library.

use std::sync::Arc;

use tool_core::{Ctx, ToolError, Vector};

use super::check::{RTOL_MIN, checked_times};
use super::differences::FiniteDifferences;
use super::drive::{OdeOptions, OdeTrajectory, integrate_flow};
use super::flow::{OdeFlow, OdeTolerances};
use super::matrix::JacobianPattern;
use super::method::OdeMethod;
use super::watch::TrajectoryWatch;

/// The right-hand side of `y' = f(t, y)`, called as `f(t, y, dy)`; it sets every entry of `dy`. Jacobians are found by differences.
///
/// ```
/// use math_tools::ode::{OdeFunction, OdeMethod, OdeOptions};
/// use tool_core::Ctx;
///
/// let mut decay = OdeFunction::new(1, |_t, y, dy| dy[0] = -0.5 * y[0]);
/// let options = OdeOptions::default();
/// let path = decay.integrate((0.0, 4.0), &[1.0], &[2.0], &options, &Ctx::default())?;
/// assert_eq!((path.stopped, &path.methods[..]), (None, &[OdeMethod::Dop853][..]));
/// assert!((path.y_end()[0] - (-2.0_f64).exp()).abs() < 1e-7);
/// assert!((path.samples[0] - (-1.0_f64).exp()).abs() < 1e-7);
/// # Ok::<(), tool_core::ToolError>(())
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
    /// That of the options, as `solve_ode` does it, but without its estimate of the error at the end and without a look for changes between the steps.
    ///
    /// # Errors
    /// `invalid_args` at the argument of `solve_ode` that does not fit; a stop request or a budget. An integration that ends early is a
    /// [`OdeTrajectory`] that says so.
    pub fn integrate(
        &mut self,
        span: (f64, f64),
        y0: &[f64],
        times: &[f64],
        options: &OdeOptions,
        ctx: &Ctx,
    ) -> Result<OdeTrajectory, ToolError> {
        let (n, found) = (self.n, y0.len());
        if n != found || n == 0 {
            refuse!(invalid "/y0", "shape"; "expected {} numbers, one per component, found {found}", n.max(1));
        }
        if let Some(index) = y0.iter().position(|y| !y.is_finite()) {
            refuse!(invalid format!("/y0/{index}"); "expected a finite number, found {}", y0[index]);
        }
        if span.0 == span.1 || !(span.1 - span.0).is_finite() {
            refuse!(invalid "/t_span"; "expected two different finite times, found {} and {}", span.0, span.1);
        }
        let mut times = Vector::from(times.to_vec());
        if !times.is_empty() {
            times = checked_times(times, span)?;
        }
        let tolerances = &options.tolerances;
        if !(RTOL_MIN..=1.0).contains(&tolerances.rtol) {
            refuse!(invalid "/rtol"; "expected a number from {RTOL_MIN:.1e} to 1, found {}", tolerances.rtol);
        }
        let atol = &tolerances.atol;
        if ![1, n].contains(&atol.len())
            || atol.iter().any(|atol| !(*atol >= 0.0 && atol.is_finite()))
        {
            refuse!(invalid "/atol"; "expected one number of at least 0, or one per component, found {atol:?}");
        }
        if options.step_max.is_nan() || options.step_max <= 0.0 {
            refuse!(invalid "/max_step"; "expected a number above 0, found {}", options.step_max);
        }
        if options.method == OdeMethod::Auto || options.method.is_implicit() {
            let (below, above) = self.band;
            // Places and values of the entries, and the columns of differences.
            ctx.reserve_doubles(n.saturating_mul(5 * n.min(below + above + 1)))?;
        }
        let mut differenced = DifferencedFunction {
            function: self,
            tolerances,
            slopes: None,
        };
        let mut watch = TrajectoryWatch::at(&times, span);
        integrate_flow(&mut differenced, span, y0, options, &mut watch, ctx)
    }
}

/// A function with its derivatives by differences.
struct DifferencedFunction<'a, F> {
    function: &'a mut OdeFunction<F>,
    tolerances: &'a OdeTolerances,
    /// Made when first needed.
    slopes: Option<(Arc<JacobianPattern>, FiniteDifferences)>,
}

impl<F: FnMut(f64, &[f64], &mut [f64])> DifferencedFunction<'_, F> {
    /// The function, and its pattern with the differences.
    fn parts(&mut self) -> (&mut F, &mut (Arc<JacobianPattern>, FiniteDifferences)) {
        let OdeFunction { f, n, band } = &mut *self.function;
        let (n, (below, above), tolerances) = (*n, *band, self.tolerances);
        let slopes = self.slopes.get_or_insert_with(|| {
            let row = |row: usize| {
                let columns = row.saturating_sub(below)..n.min(row + above + 1);
                columns.map(move |column| (row, column))
            };
            let pattern = JacobianPattern::new(n, (0..n).flat_map(row).collect(), None);
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
