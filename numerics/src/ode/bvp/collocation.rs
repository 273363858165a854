//! The collocation equations on a mesh, and their solution by damped Newton iterations.
//!
//! # Method
//! On each interval the solution is a cubic that fulfils the differential equations at both ends and in the middle (Lobatto IIIA of order 4).
//! Newton's method with backtracking on the affine-invariant measure of the step; all derivatives are exact.
//!
//! # References
//! J. Kierzenka, L. F. Shampine, "A BVP Solver Based on Residual Control and the MATLAB PSE", ACM TOMS 27, 2001; U. M. Ascher, R. M. M.
//! Mattheij, R. D. Russell, "Numerical Solution of Boundary Value Problems for Ordinary Differential Equations", SIAM 1995, section 8.1.

use std::sync::Arc;

use super::super::matrix::{JacobianPattern, ShiftedFactors};
use super::problem::{BvpEnd, BvpProblem, MeshSolution, slope_floor};
use crate::watch::{Interruption, Watch};

/// Residuals of a curve.
pub(super) struct CollocationResiduals {
    /// Of the collocation equations, interval by interval, then of the conditions.
    pub all: Vec<f64>,
    /// The right-hand side in the middle of each interval.
    pub middle: Vec<f64>,
}

/// Work of the iterations.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct CollocationWork {
    pub iterations: u64,
    pub evaluations: u64,
}

/// Most iterations, and most Jacobians among them.
const ITERATIONS_MAX: usize = 12;
const JACOBIANS_MAX: usize = 6;
/// Halvings of a step.
const HALVINGS_MAX: usize = 4;
/// Decrease that a step must bring, relative to what its length promises.
const DECREASE: f64 = 0.2;

/// The state in the middle of an interval, by the cubic.
fn midpoint_state(curve: &MeshSolution, index: usize, k: usize) -> f64 {
    let n = curve.components();
    let h = curve.t[index + 1] - curve.t[index];
    let (left, right) = (index * n + k, (index + 1) * n + k);
    0.5 * (curve.y[left] + curve.y[right])
        - 0.125 * h * (curve.slope[right + index * n] - curve.slope[left + index * n])
}

/// Evaluates the equations; sets the derivatives of the curve.
pub(super) fn collocation_residuals(
    problem: &BvpProblem<'_>,
    curve: &mut MeshSolution,
    work: &mut CollocationWork,
) -> CollocationResiduals {
    let (n, intervals) = (curve.components(), curve.t.len() - 1);
    let mut flow = problem.equations.flow(&curve.p);
    work.evaluations += 2 * intervals as u64 + 1;
    for index in 0..intervals {
        let sides = problem.sides(curve.t[index], curve.t[index + 1]);
        for (side, &t) in sides.iter().enumerate() {
            let (node, place) = ((index + side) * n, (2 * index + side) * n);
            if side == 0 && index > 0 && t == curve.t[index] {
                curve.slope.copy_within(place - n..place, place);
                continue;
            }
            flow.eval(
                t,
                &curve.y[node..node + n],
                &mut curve.slope[place..place + n],
            );
        }
    }
    let mut all = vec![0.0; intervals * n];
    let mut middles = vec![0.0; intervals * n];
    let mut state = vec![0.0; n];
    for index in 0..intervals {
        let (t0, t1) = (curve.t[index], curve.t[index + 1]);
        let h = t1 - t0;
        for (k, state) in state.iter_mut().enumerate() {
            *state = midpoint_state(curve, index, k);
        }
        let range = index * n..(index + 1) * n;
        flow.eval(t0 + 0.5 * h, &state, &mut middles[range]);
        for k in 0..n {
            let (left, right) = (index * n + k, (index + 1) * n + k);
            let ends = curve.slope[left + index * n] + curve.slope[right + index * n];
            let sum = ends + 4.0 * middles[left];
            all[left] = curve.y[right] - curve.y[left] - h / 6.0 * sum;
        }
    }
    all.extend(problem.conditions(curve));
    CollocationResiduals {
        all,
        middle: middles,
    }
}

/// The structure of the derivatives of all equations, for a number of mesh points.
pub(super) struct CollocationJacobian {
    pattern: Arc<JacobianPattern>,
    factors: ShiftedFactors<f64>,
    values: Vec<f64>,
}

impl CollocationJacobian {
    /// Of a mesh with `nodes` points.
    pub(super) fn new(problem: &BvpProblem<'_>, nodes: usize, unknowns: usize) -> Self {
        let n = problem.n();
        let (intervals, size) = (nodes - 1, n * nodes + unknowns);
        let mut entries = Vec::new();
        for index in 0..intervals {
            for row in 0..n {
                entries.extend((0..2 * n).map(|k| (index * n + row, index * n + k)));
                entries.extend((0..unknowns).map(|k| (index * n + row, n * nodes + k)));
            }
        }
        for &(row, slot) in problem.equations.condition_places() {
            let column = if slot < n {
                slot
            } else if slot < 2 * n {
                n * intervals + slot - n
            } else {
                n * nodes + slot - 2 * n
            };
            entries.push((n * intervals + row, column));
        }
        let values = vec![0.0; entries.len()];
        let pattern = Arc::new(JacobianPattern::new(size, entries, Some(Vec::new())));
        Self {
            factors: ShiftedFactors::new(&pattern),
            pattern,
            values,
        }
    }

    /// Doubles that a mesh takes.
    pub(super) fn room(problem: &BvpProblem<'_>, nodes: usize, unknowns: usize) -> usize {
        let n = problem.n();
        30 * nodes * n * (2 * n + unknowns + 10)
    }

    /// Factors the derivatives of the equations at a curve; false when they are singular or not finite.
    fn factor(&mut self, problem: &BvpProblem<'_>, curve: &MeshSolution) -> bool {
        let (n, unknowns) = (curve.components(), curve.p.len());
        let intervals = curve.t.len() - 1;
        let mut flow = problem.equations.flow(&curve.p);
        let by_state = flow.pattern();
        let places = flow.parameter_places().to_vec();
        let mut at = |t: f64, y: &[f64]| {
            let mut entries = vec![0.0; by_state.entries.len()];
            flow.jacobian(t, y, &mut entries);
            let mut matrix = vec![0.0; n * n];
            for (&(row, column), value) in by_state.entries.iter().zip(entries) {
                matrix[row * n + column] = value;
            }
            let mut slopes = vec![0.0; places.len()];
            flow.parameter_slopes(t, y, &mut slopes);
            let mut by_unknowns = vec![0.0; n * unknowns];
            for (&(row, unknown), value) in places.iter().zip(slopes) {
                by_unknowns[row * unknowns + unknown] = value;
            }
            (matrix, by_unknowns)
        };
        let mut place = 0;
        let mut right = (Vec::new(), Vec::new());
        for index in 0..intervals {
            let sides = problem.sides(curve.t[index], curve.t[index + 1]);
            let left = match index > 0 && sides[0] == curve.t[index] {
                true => right,
                false => at(sides[0], &curve.y[index * n..(index + 1) * n]),
            };
            let h = curve.t[index + 1] - curve.t[index];
            let state: Vec<f64> = (0..n).map(|k| midpoint_state(curve, index, k)).collect();
            let center = at(curve.t[index] + 0.5 * h, &state);
            right = at(sides[1], &curve.y[(index + 1) * n..(index + 2) * n]);
            let product = |matrix: &[f64], row: usize, column: usize, width: usize| -> f64 {
                (0..n)
                    .map(|k| center.0[row * n + k] * matrix[k * width + column])
                    .sum()
            };
            for row in 0..n {
                for column in 0..n {
                    let at = row * n + column;
                    let one = f64::from(u8::from(row == column));
                    let inner = left.0[at] + 2.0 * center.0[at];
                    let bent = product(&left.0, row, column, n);
                    self.values[place] = -one - h / 6.0 * inner - h * h / 12.0 * bent;
                    let inner = right.0[at] + 2.0 * center.0[at];
                    let bent = product(&right.0, row, column, n);
                    self.values[place + n] = one - h / 6.0 * inner + h * h / 12.0 * bent;
                    place += 1;
                }
                place += n;
                for unknown in 0..unknowns {
                    let at = row * unknowns + unknown;
                    let bent = product(&left.1, row, unknown, unknowns)
                        - product(&right.1, row, unknown, unknowns);
                    let center = center.1[at] + 0.125 * h * bent;
                    self.values[place] = -h / 6.0 * (left.1[at] + right.1[at] + 4.0 * center);
                    place += 1;
                }
            }
        }
        self.values[place..].copy_from_slice(&problem.condition_slopes(curve));
        self.factors.factor(0.0, &self.values).is_ok()
    }

    /// The Newton step for residuals.
    fn step(&mut self, residuals: &[f64]) -> Vec<f64> {
        let mut step: Vec<f64> = residuals.iter().map(|value| -value).collect();
        step.resize(self.pattern.n, 0.0);
        self.factors.solve(&mut step);
        step
    }
}

/// Newton iterations from a curve until the collocation equations hold to a twentieth of the tolerance; they also end without that, which
/// the residuals then show.
///
/// # Errors
/// An interruption.
pub(super) fn newton_iterations(
    problem: &BvpProblem<'_>,
    curve: &mut MeshSolution,
    tolerance: f64,
    work: &mut CollocationWork,
    watch: &dyn Watch,
) -> Result<Result<CollocationResiduals, BvpEnd>, Interruption> {
    let nodes = curve.t.len();
    watch.reserve_doubles(CollocationJacobian::room(problem, nodes, curve.p.len()))?;
    let mut layout = CollocationJacobian::new(problem, nodes, curve.p.len());
    let mut current = collocation_residuals(problem, curve, work);
    let (mut jacobians, mut due) = (0, true);
    let mut step = Vec::new();
    for _ in 0..ITERATIONS_MAX {
        watch.check()?;
        if current.all.iter().any(|value| !value.is_finite()) {
            return Ok(Err(BvpEnd::NotFinite));
        }
        if due {
            if jacobians == JACOBIANS_MAX {
                break;
            }
            if !layout.factor(problem, curve) {
                return Ok(Err(BvpEnd::Singular));
            }
            watch.count_evaluations(2 * nodes as u64)?;
            jacobians += 1;
            step = layout.step(&current.all);
        }
        let size: f64 = step.iter().map(|value| value * value).sum();
        if !size.is_finite() {
            return Ok(Err(BvpEnd::Singular));
        }
        let mut part = 1.0;
        let mut halvings = 0;
        let (next, after, next_step) = loop {
            let mut next = curve.clone();
            let (along_y, along_p) = step.split_at(curve.y.len());
            for (y, step) in next.y.iter_mut().zip(along_y) {
                *y -= part * step;
            }
            for (p, step) in next.p.iter_mut().zip(along_p) {
                *p -= part * step;
            }
            let before = work.evaluations;
            let after = collocation_residuals(problem, &mut next, work);
            watch.count_evaluations(work.evaluations - before)?;
            let next_step = layout.step(&after.all);
            let next_size: f64 = next_step.iter().map(|value| value * value).sum();
            if next_size <= (1.0 - 2.0 * part * DECREASE) * size || halvings == HALVINGS_MAX {
                break (next, after, next_step);
            }
            part *= 0.5;
            halvings += 1;
        };
        work.iterations += 1;
        (*curve, current, step) = (next, after, next_step);
        if has_settled(problem, curve, &current, tolerance) {
            break;
        }
        due = part < 1.0;
    }
    if current.all.iter().any(|value| !value.is_finite()) {
        return Ok(Err(BvpEnd::NotFinite));
    }
    Ok(Ok(current))
}

/// Whether the collocation equations hold so well that the residual between the points decides.
fn has_settled(
    problem: &BvpProblem<'_>,
    curve: &MeshSolution,
    residuals: &CollocationResiduals,
    tolerance: f64,
) -> bool {
    let n = curve.components();
    let floor = slope_floor(curve);
    let inner = residuals.middle.iter().enumerate().all(|(at, slope)| {
        let h = curve.t[at / n + 1] - curve.t[at / n];
        residuals.all[at].abs() <= 2.0 / 3.0 * h * 0.05 * tolerance * (floor + slope.abs())
    });
    inner && relative_conditions(problem, curve, residuals).all(|value| value <= tolerance)
}

/// The residuals of the conditions, each relative to the sizes of what it depends on.
pub(super) fn relative_conditions(
    problem: &BvpProblem<'_>,
    curve: &MeshSolution,
    residuals: &CollocationResiduals,
) -> impl Iterator<Item = f64> {
    let values = residuals.all[residuals.middle.len()..].to_vec();
    let sizes = problem.condition_sizes(curve);
    values
        .into_iter()
        .zip(sizes)
        .map(|(value, size)| match value == 0.0 {
            true => 0.0,
            false => value.abs() / size,
        })
}
