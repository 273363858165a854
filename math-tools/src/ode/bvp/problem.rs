//! [`Problem`]: the equations and conditions of a boundary value problem, with their derivatives; [`Curve`], a candidate solution.

use schemars::JsonSchema;
use serde::Serialize;

use crate::expression::System;
use crate::ode::solve::dynamics::{Derivative, Dynamics};

/// Reason a boundary value problem was not solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// The mesh would need more than `max_nodes` points.
    MaxNodes,
    /// The linear system of an iteration is singular: the conditions do not determine the solution near the guess.
    Singular,
    /// The iterations did not converge from the guess.
    NoConvergence,
    /// Residuals are small, but the solution on a finer mesh differs.
    Unconfirmed,
    /// A value was not finite.
    NotFinite,
}

/// A checked problem of n equations and k unknown parameters.
pub(super) struct Problem {
    pub(super) dynamics: Dynamics,
    pub(super) first: Vec<f64>,
    /// Row and unknown of each derivative of the equations by unknowns.
    pub by_unknowns: Vec<(usize, usize)>,
    pub(super) unknown_slopes: System,
    pub(super) conditions: System,
    /// Condition and variable of each derivative of the conditions: both ends, then the unknowns.
    pub by_ends: Vec<(usize, usize)>,
    pub(super) condition_slopes: System,
}

/// A mesh, the solution at its points, the unknowns, and the derivatives at the points.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub t: Vec<f64>,
    pub y: Vec<f64>,
    pub p: Vec<f64>,
    pub slope: Vec<f64>,
}

impl Curve {
    /// Number of components.
    pub(super) fn n(&self) -> usize {
        self.y.len() / self.t.len()
    }

    /// Value and derivative of the cubic through the nearest points.
    pub(super) fn at(&self, t: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.n();
        let after = self.t.partition_point(|&node| node <= t);
        let index = after.clamp(1, self.t.len() - 1) - 1;
        let h = self.t[index + 1] - self.t[index];
        let s = (t - self.t[index]) / h;
        let r = 1.0 - s;
        let mut value = vec![0.0; n];
        let mut slope = vec![0.0; n];
        for k in 0..n {
            let (left, right) = (index * n + k, (index + 1) * n + k);
            let (y0, y1) = (self.y[left], self.y[right]);
            let (f0, f1) = (self.slope[left], self.slope[right]);
            value[k] = (1.0 + 2.0 * s) * r * r * y0
                + (3.0 - 2.0 * s) * s * s * y1
                + s * r * h * (r * f0 - s * f1);
            slope[k] =
                6.0 * s * r * (y1 - y0) / h + r * (1.0 - 3.0 * s) * f0 - s * (2.0 - 3.0 * s) * f1;
        }
        (value, slope)
    }
}

impl Problem {
    /// Number of components.
    pub(super) fn n(&self) -> usize {
        self.dynamics.pattern().n
    }

    /// Places of the derivatives of the equations by the state.
    pub(super) fn by_state(&self) -> &[(usize, usize)] {
        &self.dynamics.pattern().entries
    }

    /// The right-hand side with values of the unknowns.
    pub(super) fn flow(&self, p: &[f64]) -> Derivative<'_> {
        self.dynamics.evaluator(p)
    }

    /// The derivatives of the equations by the unknowns, at slots as [`Derivative::slots`] gives them.
    pub(super) fn unknown_slopes(&self, slots: &[f64], out: &mut [f64]) {
        self.unknown_slopes.evaluator().point(slots, out);
    }

    /// The conditions.
    pub(super) fn conditions(&self, curve: &Curve) -> Vec<f64> {
        let mut values = vec![0.0; self.n() + curve.p.len()];
        self.conditions
            .evaluator()
            .point(&self.ends(curve), &mut values);
        values
    }

    /// The derivatives of the conditions.
    pub(super) fn condition_slopes(&self, curve: &Curve) -> Vec<f64> {
        let mut values = vec![0.0; self.by_ends.len()];
        self.condition_slopes
            .evaluator()
            .point(&self.ends(curve), &mut values);
        values
    }

    fn ends(&self, curve: &Curve) -> Vec<f64> {
        let n = self.n();
        let mut ends = curve.y[..n].to_vec();
        ends.extend_from_slice(&curve.y[curve.y.len() - n..]);
        ends.extend_from_slice(&curve.p);
        ends
    }
}
