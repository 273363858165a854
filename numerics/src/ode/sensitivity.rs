//! [`VariationalFlow`]: a flow together with the derivatives of its solution by parameters.
//!
//! # Method
//! The variational equations `S' = f_y S + f_p`, with the derivatives of the start at the start, are integrated with the solution and under the same error
//! control. Implicit methods factor the matrix of the solution alone and iterate on the
//! whole (simultaneous corrector).
//!
//! # References
//! E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", section I.14; T. Maly, L. R. Petzold, "Numerical
//! methods and software for sensitivity analysis of differential-algebraic systems", Appl. Numer. Math. 20, 1996.

use std::sync::Arc;

use super::flow::OdeFlow;
use super::matrix::JacobianPattern;

/// A right-hand side with its derivatives by parameters.
pub trait ParametricFlow: OdeFlow {
    /// Row and parameter of each derivative that can differ from zero.
    fn parameter_places(&self) -> &[(usize, usize)];

    /// These derivatives, in their order.
    fn parameter_slopes(&mut self, t: f64, y: &[f64], slopes: &mut [f64]);
}

/// The derivatives of the right-hand side by each of `count` parameters at a point: one number per component each.
pub(crate) fn slopes_by_parameter(
    flow: &mut dyn ParametricFlow,
    count: usize,
    (t, y): (f64, &[f64]),
) -> Vec<Vec<f64>> {
    let mut values = vec![0.0; flow.parameter_places().len()];
    flow.parameter_slopes(t, y, &mut values);
    let mut slopes = vec![vec![0.0; y.len()]; count];
    for (&(row, parameter), value) in flow.parameter_places().iter().zip(values) {
        slopes[parameter][row] = value;
    }
    slopes
}

/// A flow whose state is the solution and, one after the other, its derivatives by the parameters.
pub struct VariationalFlow<'a> {
    inner: &'a mut dyn ParametricFlow,
    pattern: Arc<JacobianPattern>,
    jacobian: Vec<f64>,
    slopes: Vec<f64>,
}

impl<'a> VariationalFlow<'a> {
    /// Of a right-hand side.
    pub fn new(inner: &'a mut dyn ParametricFlow) -> Self {
        let pattern = inner.pattern();
        Self {
            jacobian: vec![0.0; pattern.entries.len()],
            slopes: vec![0.0; inner.parameter_places().len()],
            inner,
            pattern,
        }
    }
}

impl OdeFlow for VariationalFlow<'_> {
    fn eval(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        let n = self.pattern.n;
        let (state, by) = y.split_at(n);
        let (slope, slopes) = dy.split_at_mut(n);
        self.inner.eval(t, state, slope);
        self.inner.jacobian(t, state, &mut self.jacobian);
        self.inner.parameter_slopes(t, state, &mut self.slopes);
        slopes.fill(0.0);
        for (&(row, parameter), value) in self.inner.parameter_places().iter().zip(&self.slopes) {
            slopes[parameter * n + row] = *value;
        }
        for (slope, by) in slopes.chunks_exact_mut(n).zip(by.chunks_exact(n)) {
            for (&(row, column), value) in self.pattern.entries.iter().zip(&self.jacobian) {
                slope[row] += value * by[column];
            }
        }
    }

    fn pattern(&mut self) -> Arc<JacobianPattern> {
        Arc::clone(&self.pattern)
    }

    fn jacobian(&mut self, t: f64, y: &[f64], entries: &mut [f64]) -> u64 {
        self.inner.jacobian(t, &y[..self.pattern.n], entries)
    }

    fn time_slope(&mut self, t: f64, y: &[f64], slope: &mut [f64]) -> u64 {
        // No method that needs it is offered with derivatives by parameters.
        slope.fill(0.0);
        self.inner
            .time_slope(t, &y[..self.pattern.n], &mut slope[..self.pattern.n])
    }
}
