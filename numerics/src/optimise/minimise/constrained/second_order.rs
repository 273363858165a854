//! Negative curvature of the Lagrangian at a point that satisfies the first-order conditions.
//!
//! Constraints with a multiplier stay active; those without one may become inactive, so that the directions form a cone. The lowest
//! curvature over a cone is taken within one of its faces, where it is the lowest eigenvalue of the projected Hessian.
//!
//! J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006, section 12.5 (critical cone).

use crate::optimise::error::OptimiseError;
use faer::Mat;

use super::kkt::{KktEvidence, NEAR, constraint_violations};
use super::restore::{self, RestorationEnd};
use super::step::StepConditions;
use super::{ConstrainedPoint, ConstrainedProblem};
use crate::dense::{dot, max_abs};
use crate::optimise::minimise::curvature::point_along;
use crate::optimise::minimise::ending::position_subsets;

/// What a look at the curvature found.
#[derive(Default)]
pub(super) struct CurvatureProbeResult {
    /// The lowest curvature, where it is known and a direction is left.
    pub lowest: Option<f64>,
    /// A feasible point with a lower value.
    pub lower: Option<ConstrainedPoint>,
    /// Whether the Lagrangian curves down in a direction that the constraints permit.
    pub negative: bool,
}

/// The rows of the conditions on a step that hold with equality: with a multiplier, and without one.
struct ActiveConditions {
    strong: Vec<usize>,
    weak: Vec<usize>,
    /// Constraints that stay equalities.
    held: Vec<bool>,
}

impl ActiveConditions {
    fn new(
        problem: &ConstrainedProblem<'_>,
        at: &ConstrainedPoint,
        evidence: &KktEvidence,
    ) -> Self {
        const STRONG: f64 = 1e-7;
        let strong = STRONG * evidence.scale();
        let mut found = Self {
            strong: Vec::new(),
            weak: Vec::new(),
            held: problem.equal().to_vec(),
        };
        for (row, multiplier) in evidence.multipliers.iter().enumerate() {
            if problem.equal()[row] || multiplier.abs() > strong {
                found.held[row] = true;
                found.strong.push(row);
            } else if evidence.active[row] {
                found.weak.push(row);
            }
        }
        let mut row = at.c.len();
        for (index, multiplier) in evidence.bound_multipliers.iter().enumerate() {
            let (low, high, x) = (
                problem.bounds.low[index],
                problem.bounds.high[index],
                at.x[index],
            );
            let near = NEAR * x.abs().max(1.0);
            let first = row;
            let ends = [
                (low.is_finite(), x - low),
                (high.is_finite() && high > low, high - x),
            ];
            for (exists, distance) in ends {
                if exists && distance <= near && multiplier.abs() <= strong && low < high {
                    found.weak.push(row);
                }
                row += usize::from(exists);
            }
            if row > first && (multiplier.abs() > strong || low == high) {
                found.strong.push(first); // either bound has the same direction
            }
        }
        found
    }
}

/// The lowest curvature over the directions that the active rows permit, with its direction and the size of the curvatures.
fn lowest_in_cone(
    conditions: &StepConditions,
    hessian: &Mat<f64>,
    active: &ActiveConditions,
) -> Option<(f64, Vec<f64>, f64)> {
    const WHOLE_MAX: usize = 6;
    let face = |open: &[usize]| {
        let held = (0..active.weak.len()).filter(|position| !open.contains(position));
        let mut rows = active.strong.clone();
        rows.extend(held.map(|position| active.weak[position]));
        let (lowest, mut direction, size) = conditions.lowest_curvature(hessian, &rows)?;
        let along = |sign: f64, direction: &[f64]| {
            open.iter().all(|&position| {
                let normal = &conditions.rows[active.weak[position]].normal;
                sign * dot(normal, direction) >= 0.0
            })
        };
        if !along(1.0, &direction) {
            direction.iter_mut().for_each(|entry| *entry = -*entry);
        }
        along(1.0, &direction).then_some((lowest, direction, size))
    };
    let open = position_subsets(active.weak.len(), WHOLE_MAX);
    let found = open.iter().filter_map(|open| face(open));
    let lower = |a: (f64, Vec<f64>, f64), b: (f64, Vec<f64>, f64)| if b.0 < a.0 { b } else { a };
    face(&[]).into_iter().chain(found).reduce(lower)
}

/// Looks for negative curvature that the active constraints permit; with a tolerance also for a lower feasible point in its direction.
///
/// # Errors
/// Those of the problem.
pub(super) fn look_down(
    problem: &mut ConstrainedProblem<'_>,
    at: &ConstrainedPoint,
    evidence: &KktEvidence,
    search: Option<f64>,
) -> Result<CurvatureProbeResult, OptimiseError> {
    const SHARE: f64 = 1e-6;
    let mut look = CurvatureProbeResult::default();
    let Some(hessian) = problem.hessian(&at.x, &evidence.multipliers)? else {
        return Ok(look);
    };
    let conditions = StepConditions::new(at, problem.equal(), &problem.bounds);
    let active = ActiveConditions::new(problem, at, evidence);
    let Some((lowest, direction, size)) = lowest_in_cone(&conditions, &hessian, &active) else {
        return Ok(look);
    };
    look.lowest = Some(lowest);
    look.negative = lowest < -SHARE * size.max(SHARE);
    if let Some(tolerance) = search
        && look.negative
    {
        look.lower = lower_point(problem, at, (&direction, &active.held), tolerance)?;
    }
    Ok(look)
}

/// The lowest of some feasible points near the line through a point.
fn lower_point(
    problem: &mut ConstrainedProblem<'_>,
    at: &ConstrainedPoint,
    (direction, held): (&[f64], &[bool]),
    tolerance: f64,
) -> Result<Option<ConstrainedPoint>, OptimiseError> {
    const STEPS: [f64; 5] = [1e-2, 0.1, 0.5, 2.0, 10.0];
    let mut lowest: Option<ConstrainedPoint> = None;
    let scale = max_abs(&at.x).max(1.0);
    let clearly = 1e-12 * (1.0 + at.value.abs());
    for step in STEPS.iter().flat_map(|step| [step * scale, -step * scale]) {
        let mut x = point_along(&at.x, step, direction);
        problem.bounds.project(&mut x);
        let c = problem.constraints(&x)?;
        if c.iter().any(|c| !c.is_finite()) {
            continue;
        }
        let away = ConstrainedPoint { x, c, ..at.clone() };
        let RestorationEnd::Better(x) =
            restore::restore_feasibility(problem, &away, held, tolerance)?
        else {
            continue;
        };
        let (value, c) = problem.values(&x)?;
        let bar = lowest
            .as_ref()
            .map_or(at.value - clearly, |lower| lower.value);
        if value < bar
            && constraint_violations(&c, problem.equal()).all(|violation| violation <= tolerance)
        {
            lowest = Some(problem.state(x, (value, c))?);
        }
    }
    Ok(lowest)
}
