//! [`VariationalFlow`]: a flow together with the derivatives of its solution by parameters.
//!
//! # Method
//! The variational equations `S' = f_y S + f_p`, with the derivatives of the start at the start, are integrated with the solution and under the same error
//! control; `f_y` and `f_p` are exact, from the expressions. Implicit methods factor the matrix of the solution alone and iterate on the
//! whole (simultaneous corrector).
//!
//! # References
//! E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", section I.14; T. Maly, L. R. Petzold, "Numerical
//! methods and software for sensitivity analysis of differential-algebraic systems", Appl. Numer. Math. 20, 1996.

use std::sync::Arc;

use crate::expression::program;

use super::dynamics::{DynamicsEvaluator, OdeDynamics};
use super::flow::OdeFlow;
use super::matrix::JacobianPattern;
use crate::expression::{ExpressionSystem, NotDifferentiable};

/// The derivatives of a right-hand side by parameters.
#[derive(Debug)]
pub(super) struct ByParameters {
    /// Number of parameters.
    pub count: usize,
    /// Row and parameter of each derivative.
    pub places: Vec<(usize, usize)>,
    /// Computes them in this order.
    pub system: ExpressionSystem,
}

impl ByParameters {
    /// By the first free parameters of a right-hand side.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(super) fn of(dynamics: &OdeDynamics, count: usize) -> Result<Self, NotDifferentiable> {
        let (places, system) = dynamics.by_parameters(count)?;
        Ok(Self {
            count,
            places,
            system,
        })
    }

    /// The derivatives of the right-hand side by each parameter at a point.
    pub(super) fn at(
        &self,
        of: &mut DynamicsEvaluator<'_>,
        (t, y): (f64, &[f64]),
    ) -> Vec<Vec<f64>> {
        let mut values = vec![0.0; self.places.len()];
        self.system.evaluator().point(of.slots(t, y), &mut values);
        let mut slopes = vec![vec![0.0; y.len()]; self.count];
        for (&(row, parameter), value) in self.places.iter().zip(values) {
            slopes[parameter][row] = value;
        }
        slopes
    }
}

/// A flow whose state is the solution and, one after the other, its derivatives by the parameters.
pub(super) struct VariationalFlow<'a> {
    inner: DynamicsEvaluator<'a>,
    by_parameters: &'a ByParameters,
    evaluator: program::SystemEvaluator<'a>,
    pattern: Arc<JacobianPattern>,
    jacobian: Vec<f64>,
    slopes: Vec<f64>,
}

impl<'a> VariationalFlow<'a> {
    /// Of a right-hand side.
    pub(super) fn new(mut inner: DynamicsEvaluator<'a>, by_parameters: &'a ByParameters) -> Self {
        let pattern = inner.pattern();
        Self {
            inner,
            by_parameters,
            evaluator: by_parameters.system.evaluator(),
            jacobian: vec![0.0; pattern.entries.len()],
            slopes: vec![0.0; by_parameters.places.len()],
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
        self.evaluator
            .point(self.inner.slots(t, state), &mut self.slopes);
        slopes.fill(0.0);
        for (&(row, parameter), value) in self.by_parameters.places.iter().zip(&self.slopes) {
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
