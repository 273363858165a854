//! [`BvpProblem`]: the equations and conditions of a boundary value problem, with their derivatives; [`MeshSolution`], a candidate solution.

use crate::expression::ExpressionSystem;
use crate::ode::solve::dynamics::{DynamicsEvaluator, OdeDynamics};
use tool_core::{Describe, Encode};

/// Reason a boundary value problem was not solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum BvpReason {
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
pub(super) struct BvpProblem {
    pub(super) dynamics: OdeDynamics,
    pub(super) first: Vec<f64>,
    /// Row and unknown of each derivative of the equations by unknowns.
    pub by_unknowns: Vec<(usize, usize)>,
    pub(super) unknown_slopes: ExpressionSystem,
    pub(super) conditions: ExpressionSystem,
    /// Condition and variable of each derivative of the conditions: both ends, then the unknowns.
    pub by_ends: Vec<(usize, usize)>,
    pub(super) condition_slopes: ExpressionSystem,
    /// Times at which the right-hand side may jump, ascending.
    pub breakpoints: Vec<f64>,
}

/// A mesh, the solution at its points, the unknowns, and the derivatives at both ends of each interval, which differ at breakpoints.
#[derive(Debug, Clone)]
pub(super) struct MeshSolution {
    pub t: Vec<f64>,
    pub y: Vec<f64>,
    pub p: Vec<f64>,
    pub slope: Vec<f64>,
}

/// Size below which a derivative counts as 0 in a relative residual: that of the largest one, at most 1, and not below the rounding of the
/// values.
pub(super) fn slope_floor(curve: &MeshSolution) -> f64 {
    const ROUNDING: f64 = 1e-10;
    let largest = |values: &[f64]| values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let span = curve.t[curve.t.len() - 1] - curve.t[0];
    let floor = largest(&curve.slope).max(ROUNDING * largest(&curve.y) / span);
    if floor > 0.0 { floor.min(1.0) } else { 1.0 }
}

impl MeshSolution {
    /// A curve whose derivatives are not known yet.
    pub(super) fn new(t: Vec<f64>, y: Vec<f64>, p: Vec<f64>) -> Self {
        let n = y.len() / t.len();
        Self {
            slope: vec![0.0; 2 * n * (t.len() - 1)],
            t,
            y,
            p,
        }
    }

    /// The largest magnitude of a component at a point.
    pub(super) fn size(&self) -> f64 {
        self.y.iter().fold(0.0, |size, y| size.max(y.abs()))
    }

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
            let (f0, f1) = (self.slope[left + index * n], self.slope[right + index * n]);
            value[k] = (1.0 + 2.0 * s) * r * r * y0
                + (3.0 - 2.0 * s) * s * s * y1
                + s * r * h * (r * f0 - s * f1);
            slope[k] =
                6.0 * s * r * (y1 - y0) / h + r * (1.0 - 3.0 * s) * f0 - s * (2.0 - 3.0 * s) * f1;
        }
        (value, slope)
    }
}

impl BvpProblem {
    /// Number of components.
    pub(super) fn n(&self) -> usize {
        self.dynamics.pattern().n
    }

    /// Places of the derivatives of the equations by the state.
    pub(super) fn by_state(&self) -> &[(usize, usize)] {
        &self.dynamics.pattern().entries
    }

    /// The times at which the right-hand side is evaluated for the left and the right end of an interval: beside a breakpoint, within it.
    pub(super) fn sides(&self, t0: f64, t1: f64) -> [f64; 2] {
        const INWARDS: f64 = 1e-9;
        let jumps = |t: f64| self.breakpoints.contains(&t);
        let step = INWARDS * (t1 - t0);
        [
            if jumps(t0) {
                t0.next_up().max(t0 + step)
            } else {
                t0
            },
            if jumps(t1) {
                t1.next_down().min(t1 - step)
            } else {
                t1
            },
        ]
    }

    /// How large each condition is by the sizes of what it depends on.
    pub(super) fn condition_sizes(&self, curve: &MeshSolution) -> Vec<f64> {
        let n = self.n();
        let largest = |k: usize| {
            let column = curve.y.iter().skip(k).step_by(n);
            column.fold(0.0, |most: f64, y| most.max(y.abs()))
        };
        let size = |slot: usize| match slot < 2 * n {
            true => largest(slot % n),
            false => curve.p[slot - 2 * n].abs(),
        };
        let mut sizes = vec![0.0; n + curve.p.len()];
        for (&(row, slot), slope) in self.by_ends.iter().zip(self.condition_slopes(curve)) {
            sizes[row] += slope.abs() * size(slot);
        }
        sizes
    }

    /// The right-hand side with values of the unknowns.
    pub(super) fn flow(&self, p: &[f64]) -> DynamicsEvaluator<'_> {
        self.dynamics.evaluator(p)
    }

    /// The derivatives of the equations by the unknowns, at slots as [`DynamicsEvaluator::slots`] gives them.
    pub(super) fn unknown_slopes(&self, slots: &[f64], out: &mut [f64]) {
        self.unknown_slopes.evaluator().point(slots, out);
    }

    /// The conditions.
    pub(super) fn conditions(&self, curve: &MeshSolution) -> Vec<f64> {
        let mut values = vec![0.0; self.n() + curve.p.len()];
        self.conditions
            .evaluator()
            .point(&self.ends(curve), &mut values);
        values
    }

    /// The derivatives of the conditions.
    pub(super) fn condition_slopes(&self, curve: &MeshSolution) -> Vec<f64> {
        let mut values = vec![0.0; self.by_ends.len()];
        self.condition_slopes
            .evaluator()
            .point(&self.ends(curve), &mut values);
        values
    }

    fn ends(&self, curve: &MeshSolution) -> Vec<f64> {
        let n = self.n();
        let mut ends = curve.y[..n].to_vec();
        ends.extend_from_slice(&curve.y[curve.y.len() - n..]);
        ends.extend_from_slice(&curve.p);
        ends
    }
}
