//! [`ExpressionBoundary`]: equations and conditions by expressions, with their exact derivatives.

use numerics::ode::ParametricFlow;
use numerics::ode::bvp::BoundaryEquations;

use crate::expression::ExpressionSystem;
use crate::ode::solve::dynamics::OdeDynamics;
use crate::ode::solve::sensitivity::{ByParameters, ParametricDynamics};

/// Checked equations with their unknowns and conditions.
pub(super) struct ExpressionBoundary {
    pub(super) dynamics: OdeDynamics,
    /// First values of the unknowns.
    pub(super) first: Vec<f64>,
    pub(super) by_unknowns: ByParameters,
    pub(super) conditions: ExpressionSystem,
    /// Condition and variable of each derivative of the conditions: both ends, then the unknowns.
    pub(super) by_ends: Vec<(usize, usize)>,
    pub(super) condition_slopes: ExpressionSystem,
    /// Times at which the right-hand side may jump, ascending.
    pub(super) breakpoints: Vec<f64>,
}

impl BoundaryEquations for ExpressionBoundary {
    fn components(&self) -> usize {
        self.dynamics.len()
    }

    fn flow<'a>(&'a self, unknowns: &[f64]) -> Box<dyn ParametricFlow + 'a> {
        let evaluator = self.dynamics.evaluator(unknowns);
        Box::new(ParametricDynamics::new(evaluator, &self.by_unknowns))
    }

    fn conditions(&self, ends: &[f64], values: &mut [f64]) {
        self.conditions.evaluator().point(ends, values);
    }

    fn condition_places(&self) -> &[(usize, usize)] {
        &self.by_ends
    }

    fn condition_slopes(&self, ends: &[f64], slopes: &mut [f64]) {
        self.condition_slopes.evaluator().point(ends, slopes);
    }
}
