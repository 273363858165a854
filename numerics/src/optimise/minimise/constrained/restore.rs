//! The way back to feasible points.
//!
//! Steps of Gauss and Newton on the violated constraints: the shortest step that satisfies their linearisation, elastic where it
//! cannot, with a line search on the sum of the violations.
//!
//! R. Fletcher, S. Leyffer, "Nonlinear programming without a penalty function", Mathematical Programming 91, 2002 (restoration phase).

use crate::optimise::error::OptimiseError;
use faer::Mat;

use super::kkt::constraint_violations;
use super::quadratic::{self, SubproblemFailure};
use super::step::StepConditions;
use super::{ConstrainedPoint, ConstrainedProblem};
use crate::dense::max_abs;
use crate::optimise::minimise::curvature::point_along;

/// Moves a start point to the nearest one in the box that satisfies the affine constraints.
///
/// # Errors
/// [`OptimiseError::Infeasible`] when they contradict each other or the bounds.
pub(super) fn restore_affine(
    problem: &mut ConstrainedProblem<'_>,
    x0: &[f64],
) -> Result<Vec<f64>, OptimiseError> {
    const CLOSE: f64 = 1e-9;
    let constraints = problem.watched.kinds;
    let mut x = x0.to_vec();
    if !constraints.affine.contains(&true) {
        return Ok(x);
    }
    let (n, origins) = (
        x.len(),
        constraints
            .affine
            .iter()
            .enumerate()
            .filter(|(_, affine)| **affine),
    );
    let origins: Vec<usize> = origins.map(|(index, _)| index).collect();
    // A second round removes the rounding of the first.
    for _ in 0..2 {
        let c = problem.constraints(&x)?;
        let affine: Vec<f64> = origins.iter().map(|&index| c[index]).collect();
        let equal: Vec<bool> = origins
            .iter()
            .map(|&index| constraints.equal[index])
            .collect();
        if constraint_violations(&affine, &equal).all(|violation| violation == 0.0) {
            break;
        }
        let mut jacobian = problem.jacobian(&x)?;
        let jacobian = origins
            .iter()
            .map(|&index| std::mem::take(&mut jacobian[index]))
            .collect();
        let at = ConstrainedPoint {
            x: x.clone(),
            value: 0.0,
            gradient: vec![0.0; n],
            c: affine,
            jacobian,
        };
        let conditions = StepConditions::new(&at, &equal, &problem.bounds);
        let watch = problem.target.watch;
        match quadratic::minimise_quadratic(
            &Mat::identity(n, n),
            &at.gradient,
            &conditions.rows,
            watch,
        )? {
            Ok(found) => {
                x = point_along(&x, 1.0, &found.x);
                problem.bounds.project(&mut x);
            }
            Err(SubproblemFailure::Infeasible(rows)) => {
                let mut named: Vec<usize> = rows
                    .iter()
                    .filter_map(|&row| origins.get(row).copied())
                    .collect();
                named.sort_unstable();
                let most = constraint_violations(&at.c, &equal).fold(0.0, f64::max);
                if most > CLOSE * max_abs(&x).max(1.0) {
                    return Err(problem.infeasible(&x, &c, &named, true));
                }
                break;
            }
            Err(SubproblemFailure::Numeric) => break,
        }
    }
    Ok(x)
}

/// The end of a search for feasible points.
pub(super) enum RestorationEnd {
    /// The constraints hold, or their violation is much smaller.
    Better(Vec<f64>),
    /// Every step increases the violation.
    Stationary(Vec<f64>, Vec<f64>),
    /// Not decided.
    Stuck,
}

/// Searches for a feasible point from another point on; `equal` says which constraints are to hold with equality.
///
/// # Errors
/// Those of the problem.
pub(super) fn restore_feasibility(
    problem: &mut ConstrainedProblem<'_>,
    from: &ConstrainedPoint,
    equal: &[bool],
    tolerance: f64,
) -> Result<RestorationEnd, OptimiseError> {
    const ROUNDS: usize = 200;
    const PENALTY: f64 = 1e4;
    let n = from.x.len();
    let sum = |c: &[f64]| constraint_violations(c, equal).sum::<f64>();
    let first = sum(&from.c);
    let mut x = from.x.clone();
    let mut c = from.c.clone();
    for _ in 0..ROUNDS {
        if constraint_violations(&c, equal).all(|violation| violation <= 0.1 * tolerance) {
            return Ok(RestorationEnd::Better(x));
        }
        let jacobian = problem.jacobian(&x)?;
        let at = ConstrainedPoint {
            x: x.clone(),
            value: 0.0,
            gradient: vec![0.0; n],
            c: c.clone(),
            jacobian,
        };
        let conditions = StepConditions::new(&at, equal, &problem.bounds);
        let watch = problem.target.watch;
        let penalty = PENALTY * sum(&c).max(1.0);
        let Some(step) = conditions.solve(&at, &Mat::identity(n, n), penalty, watch)? else {
            break;
        };
        let before = sum(&c);
        let gain = before - step.left.iter().sum::<f64>();
        if gain <= 1e-7 * before {
            return Ok(if before <= 0.1 * first {
                RestorationEnd::Better(x)
            } else {
                RestorationEnd::Stationary(x, c)
            });
        }
        let mut share = 1.0;
        let mut next = None;
        while share > 1e-10 {
            let mut trial = point_along(&x, share, &step.direction);
            problem.bounds.project(&mut trial);
            let values = problem.constraints(&trial)?;
            let defined = values.iter().all(|c| c.is_finite());
            if defined
                && sum(&values) <= before - 1e-4 * share * gain
                && problem.objective(&trial)?.is_finite()
            {
                next = Some((trial, values));
                break;
            }
            share *= 0.5;
        }
        let Some(found) = next else {
            return Ok(RestorationEnd::Stationary(x, c));
        };
        (x, c) = found;
    }
    let better = sum(&c) <= 0.1 * first;
    Ok(if better {
        RestorationEnd::Better(x)
    } else {
        RestorationEnd::Stuck
    })
}
