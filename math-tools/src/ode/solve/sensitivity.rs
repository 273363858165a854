//! [`ByParameters`]: the derivatives of a right-hand side by parameters, exact, from the expressions; [`ParametricDynamics`], their evaluation.

use std::sync::Arc;

use numerics::ode::{JacobianPattern, OdeFlow, ParametricFlow};

use super::dynamics::{DynamicsEvaluator, OdeDynamics};
use crate::expression::{ExpressionSystem, NotDifferentiable, program};

/// The derivatives of a right-hand side by parameters.
#[derive(Debug)]
pub(crate) struct ByParameters {
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
    pub(crate) fn of(dynamics: &OdeDynamics, count: usize) -> Result<Self, NotDifferentiable> {
        let (places, system) = dynamics.by_parameters(count)?;
        Ok(Self {
            count,
            places,
            system,
        })
    }
}

/// Evaluates a right-hand side with its derivatives by parameters.
pub(crate) struct ParametricDynamics<'a> {
    inner: DynamicsEvaluator<'a>,
    by_parameters: &'a ByParameters,
    evaluator: program::SystemEvaluator<'a>,
}

impl<'a> ParametricDynamics<'a> {
    /// Of a right-hand side.
    pub(crate) fn new(inner: DynamicsEvaluator<'a>, by_parameters: &'a ByParameters) -> Self {
        Self {
            inner,
            by_parameters,
            evaluator: by_parameters.system.evaluator(),
        }
    }
}

impl OdeFlow for ParametricDynamics<'_> {
    fn eval(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.inner.eval(t, y, dy);
    }

    fn eval_together(&mut self, t: &[f64], y: &[Vec<f64>], dy: &mut [Vec<f64>]) -> bool {
        self.inner.eval_together(t, y, dy)
    }

    fn pattern(&mut self) -> Arc<JacobianPattern> {
        self.inner.pattern()
    }

    fn jacobian(&mut self, t: f64, y: &[f64], entries: &mut [f64]) -> u64 {
        self.inner.jacobian(t, y, entries)
    }

    fn time_slope(&mut self, t: f64, y: &[f64], slope: &mut [f64]) -> u64 {
        self.inner.time_slope(t, y, slope)
    }
}

impl ParametricFlow for ParametricDynamics<'_> {
    fn parameter_places(&self) -> &[(usize, usize)] {
        &self.by_parameters.places
    }

    fn parameter_slopes(&mut self, t: f64, y: &[f64], slopes: &mut [f64]) {
        self.evaluator.point(self.inner.slots(t, y), slopes);
    }
}
