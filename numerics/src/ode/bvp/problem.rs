//! [`BoundaryEquations`]: the equations and conditions of a boundary value problem, with their derivatives; [`MeshSolution`], a candidate solution.

use super::super::sensitivity::ParametricFlow;

/// Why a boundary value problem was not solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BvpEnd {
    /// The mesh would need more points than it may have.
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

/// `n` differential equations with `k` unknown parameters, and `n + k` conditions on both ends, each to be 0.
pub trait BoundaryEquations {
    /// Number of components, n.
    fn components(&self) -> usize;

    /// The right-hand side with values of the unknowns; its derivatives by parameters are those by the unknowns.
    fn flow<'a>(&'a self, unknowns: &[f64]) -> Box<dyn ParametricFlow + 'a>;

    /// The conditions at `ends`: the state at the start, that at the end, the unknowns.
    fn conditions(&self, ends: &[f64], values: &mut [f64]);

    /// Condition and entry of `ends` of each derivative of the conditions that can differ from zero.
    fn condition_places(&self) -> &[(usize, usize)];

    /// These derivatives, in their order.
    fn condition_slopes(&self, ends: &[f64], slopes: &mut [f64]);
}

/// Equations on an interval.
#[derive(Clone, Copy)]
pub struct BvpProblem<'a> {
    /// The equations and conditions.
    pub equations: &'a dyn BoundaryEquations,
    /// Times between the ends at which the right-hand side may jump, ascending: points of every mesh.
    pub breakpoints: &'a [f64],
}

/// A mesh, the solution at its points, the unknowns, and the derivatives at both ends of each interval, which differ at breakpoints.
#[derive(Debug, Clone)]
pub struct MeshSolution {
    /// The points, ascending; at least two.
    pub t: Vec<f64>,
    /// The components at each point, one point after the other.
    pub y: Vec<f64>,
    /// The unknown parameters.
    pub p: Vec<f64>,
    /// The derivatives at the left end of each interval, then at the right one, interval by interval.
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
    /// A curve whose derivatives are not known yet: points, at least two, components, unknowns.
    pub fn new(t: Vec<f64>, y: Vec<f64>, p: Vec<f64>) -> Self {
        let n = y.len() / t.len().max(1);
        Self {
            slope: vec![0.0; 2 * n * t.len().saturating_sub(1)],
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
    pub fn components(&self) -> usize {
        self.y.len() / self.t.len().max(1)
    }

    /// Value and derivative of each component at a time, by the cubic through the nearest points.
    ///
    /// # Panics
    /// Where there are fewer than two points.
    pub fn at(&self, t: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.components();
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

impl BvpProblem<'_> {
    /// Number of components.
    pub(super) fn n(&self) -> usize {
        self.equations.components()
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
        let places = self.equations.condition_places().iter();
        for (&(row, slot), slope) in places.zip(self.condition_slopes(curve)) {
            sizes[row] += slope.abs() * size(slot);
        }
        sizes
    }

    /// The conditions.
    pub(super) fn conditions(&self, curve: &MeshSolution) -> Vec<f64> {
        let mut values = vec![0.0; self.n() + curve.p.len()];
        self.equations.conditions(&self.ends(curve), &mut values);
        values
    }

    /// The derivatives of the conditions.
    pub(super) fn condition_slopes(&self, curve: &MeshSolution) -> Vec<f64> {
        let mut slopes = vec![0.0; self.equations.condition_places().len()];
        let ends = self.ends(curve);
        self.equations.condition_slopes(&ends, &mut slopes);
        slopes
    }

    fn ends(&self, curve: &MeshSolution) -> Vec<f64> {
        let n = self.n();
        let mut ends = curve.y[..n].to_vec();
        ends.extend_from_slice(&curve.y[curve.y.len() - n..]);
        ends.extend_from_slice(&curve.p);
        ends
    }
}
