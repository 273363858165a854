//! Evidence of optimality at a point: multipliers, and what is left of the gradient.
//!
//! The projection `p` of minus the gradient onto the cone of the directions that violate no active constraint is the solution of a
//! quadratic program whose matrix is the identity. Its multipliers are those of the constraints, and `p` is minus the gradient of the
//! Lagrangian, whichever method found the point.
//!
//! J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006, sections 12.2 to 12.4.

use faer::Mat;

use super::super::bounds::VariableBounds;
use super::quadratic::{self, LinearConstraint};
use super::{ConstrainedPoint, ConstrainedProblem};
use crate::dense::orthogonal::factor_orthogonal;
use crate::dense::{add_multiple, euclidean_norm, max_abs};
use crate::optimise::error::OptimiseError;
use crate::{Interruption, Watch};

/// A constraint nearer than this, relative to the size of the point, is active.
pub(super) const NEAR: f64 = 1e-7;
/// The least part of the gradient of an active constraint that is not a combination of the others, for multipliers to be unique.
pub(super) const DEPENDENT: f64 = 1e-9;

/// Multipliers, and how far a point is from optimal.
#[derive(Debug, Clone)]
pub(crate) struct KktEvidence {
    /// Multiplier of each constraint: the gradient less these times the constraints' gradients is that of the Lagrangian.
    pub multipliers: Vec<f64>,
    /// The part of the gradient of the Lagrangian that a bound holds, by variable.
    pub bound_multipliers: Vec<f64>,
    /// Whether each constraint holds with equality.
    pub active: Vec<bool>,
    /// Largest component of what neither constraints nor bounds hold, in magnitude.
    pub residual: f64,
    /// The same, each component relative to a hundredth of what constraints and bounds hold of it, at least to 1.
    pub relative: f64,
    /// The largest violation of a constraint.
    pub violation: f64,
    /// Sum of the multipliers times the distances that active constraints are from equality.
    pub complementarity: f64,
}

impl KktEvidence {
    /// What the residual is compared with: the largest multiplier in magnitude by 100, at least 1.
    pub(crate) fn scale(&self) -> f64 {
        let largest = max_abs(&self.multipliers).max(max_abs(&self.bound_multipliers));
        (largest / 100.0).max(1.0)
    }
}

/// How much each constraint is violated, at their values `c`.
pub fn constraint_violations<'a>(
    c: &'a [f64],
    equal: &'a [bool],
) -> impl Iterator<Item = f64> + 'a {
    c.iter()
        .zip(equal)
        .map(|(c, equal)| if *equal { c.abs() } else { (-c).max(0.0) })
}

impl KktEvidence {
    /// Whether the first-order conditions hold at a point with this value to a tolerance; `noise` is the rounding of the gradient.
    pub(super) fn is_optimal(&self, value: f64, tolerance: f64, noise: f64) -> bool {
        /// However large the values are, the gradient is known to so many digits.
        const NOISE_MAX: f64 = 1e-6;
        self.violation <= tolerance
            && self.relative <= tolerance + noise.min(NOISE_MAX * self.scale())
            && self.complementarity <= tolerance * value.abs().max(1.0)
    }

    /// The evidence of multipliers that a method found.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(super) fn at(
        problem: &mut ConstrainedProblem<'_>,
        at: &ConstrainedPoint,
        multipliers: Vec<f64>,
    ) -> Result<Self, OptimiseError> {
        let n = at.x.len();
        let mut left = at.gradient.clone();
        add_multiple(
            &mut left,
            -1.0,
            &problem.weighted_gradient(&at.x, &multipliers)?,
        );
        let (equal, bounds) = (problem.equal(), &problem.bounds);
        let near = |index: usize| NEAR * at.x[index].abs().max(1.0);
        let held = |index: usize| {
            let down = at.x[index] - bounds.low[index] <= near(index) && left[index] > 0.0;
            let up = bounds.high[index] - at.x[index] <= near(index) && left[index] < 0.0;
            down || up
        };
        let size = NEAR * max_abs(&at.x).max(1.0);
        let open: Vec<f64> = (0..n)
            .map(|i| if held(i) { 0.0 } else { left[i] })
            .collect();
        let carried = |index: usize| (at.gradient[index] - left[index]).abs();
        let relative = |index: usize| open[index].abs() / (carried(index) / 100.0).max(1.0);
        let products = multipliers.iter().zip(&at.c);
        Ok(Self {
            bound_multipliers: (0..n).map(|i| left[i] - open[i]).collect(),
            active: at
                .c
                .iter()
                .zip(equal)
                .map(|(c, equal)| *equal || *c <= size)
                .collect(),
            residual: max_abs(&open),
            relative: (0..n).map(relative).fold(0.0, f64::max),
            violation: constraint_violations(&at.c, equal).fold(0.0, f64::max),
            complementarity: products.map(|(multiplier, c)| (multiplier * c).abs()).sum(),
            multipliers,
        })
    }
}

/// The normals of the constraints and bounds that hold with equality, at length 1.
struct ActiveNormals {
    rows: Vec<LinearConstraint>,
    /// Of constraints: which, and the length of its normal; then of bounds: which variable, and the sign.
    origins: Vec<(usize, f64)>,
    /// Whether each constraint holds with equality.
    active: Vec<bool>,
    /// How many rows are those of constraints.
    constraints: usize,
}

impl ActiveNormals {
    fn new(at: &ConstrainedPoint, equal: &[bool], bounds: &VariableBounds) -> Self {
        let n = at.x.len();
        // By variable: a large one makes no other one near its bound.
        let near: Vec<f64> = at.x.iter().map(|x| NEAR * x.abs().max(1.0)).collect();
        let mut rows = Vec::new();
        let mut origins = Vec::new();
        let mut active = Vec::new();
        for (index, normal) in at.jacobian.iter().enumerate() {
            let length = euclidean_norm(normal);
            let reach = normal
                .iter()
                .zip(&near)
                .map(|(entry, near)| entry.abs() * near);
            let holds = equal[index] || at.c[index] <= reach.sum::<f64>().max(f64::MIN_POSITIVE);
            active.push(holds);
            if holds && length > 0.0 && length.is_finite() {
                let normal = normal.iter().map(|entry| entry / length).collect();
                rows.push(LinearConstraint {
                    normal,
                    least: 0.0,
                    equal: equal[index],
                });
                origins.push((index, length));
            }
        }
        let constraints = rows.len();
        for index in 0..n {
            let mut push = |sign: f64, equal: bool| {
                let mut normal = vec![0.0; n];
                normal[index] = sign;
                rows.push(LinearConstraint {
                    normal,
                    least: 0.0,
                    equal,
                });
                origins.push((index, sign));
            };
            let (down, up) = (
                at.x[index] - bounds.low[index],
                bounds.high[index] - at.x[index],
            );
            match (down <= near[index], up <= near[index]) {
                (true, true) => push(1.0, true),
                (true, false) => push(1.0, false),
                (false, true) => push(-1.0, false),
                (false, false) => {}
            }
        }
        Self {
            rows,
            origins,
            active,
            constraints,
        }
    }
}

/// Whether the multipliers at a point are determined: the gradients of what holds with equality do not depend on each other.
/// Each is at least so far from the span of the others, at length 1.
pub(super) fn are_unique(
    at: &ConstrainedPoint,
    equal: &[bool],
    bounds: &VariableBounds,
    least: f64,
) -> bool {
    let (n, rows) = (at.x.len(), ActiveNormals::new(at, equal, bounds).rows);
    if rows.len() > n {
        return false;
    }
    let normals = Mat::from_fn(n, rows.len(), |i, j| rows[j].normal[i]);
    let r = factor_orthogonal(normals, true, false).r;
    (0..rows.len()).all(|index| r[(index, index)].abs() > least)
}

/// The evidence at a point.
///
/// # Errors
/// A stop.
pub(super) fn kkt_evidence(
    at: &ConstrainedPoint,
    equal: &[bool],
    bounds: &VariableBounds,
    watch: &dyn Watch,
) -> Result<KktEvidence, Interruption> {
    let n = at.x.len();
    let ActiveNormals {
        rows,
        origins,
        active,
        constraints,
    } = ActiveNormals::new(at, equal, bounds);
    let mut found = KktEvidence {
        multipliers: vec![0.0; at.c.len()],
        bound_multipliers: vec![0.0; n],
        active,
        residual: max_abs(&at.gradient),
        relative: max_abs(&at.gradient),
        violation: constraint_violations(&at.c, equal).fold(0.0, f64::max),
        complementarity: 0.0,
    };
    let size = euclidean_norm(&at.gradient);
    if size == 0.0 || !size.is_finite() {
        return Ok(found);
    }
    let scaled: Vec<f64> = at.gradient.iter().map(|entry| entry / size).collect();
    let identity = Mat::identity(n, n);
    let Ok(projection) = quadratic::minimise_quadratic(&identity, &scaled, &rows, watch)? else {
        return Ok(found);
    };
    found.residual = size * max_abs(&projection.x);
    let mut carried = vec![0.0_f64; n];
    for (position, (multiplier, (index, length))) in
        projection.multipliers.iter().zip(&origins).enumerate()
    {
        if position < constraints {
            found.multipliers[*index] = size * multiplier / length;
            let c = at.c[*index];
            found.complementarity += (found.multipliers[*index] * c).abs();
            for (carried, entry) in carried.iter_mut().zip(&at.jacobian[*index]) {
                *carried += (found.multipliers[*index] * entry).abs();
            }
        } else {
            found.bound_multipliers[*index] += size * multiplier * length;
            carried[*index] += (size * multiplier).abs();
            let distance = if *length > 0.0 {
                at.x[*index] - bounds.low[*index]
            } else {
                bounds.high[*index] - at.x[*index]
            };
            found.complementarity += (size * multiplier * distance).abs();
        }
    }
    let relative = projection.x.iter().zip(&carried);
    let relative = relative.map(|(left, carried)| (size * left).abs() / (carried / 100.0).max(1.0));
    found.relative = relative.fold(0.0, f64::max);
    Ok(found)
}
