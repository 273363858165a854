//! Whether a problem under constraints is unbounded: its values fall on and on along feasible points.

use crate::optimise::error::OptimiseError;

use super::kkt::constraint_violations;
use super::restore::{self, RestorationEnd};
use super::{ConstrainedPoint, ConstrainedProblem};
use crate::optimise::minimise::curvature::point_along;

/// Whether a point violates no constraint by more than the rounding of its terms.
///
/// # Errors
/// Those of the problem.
pub(super) fn is_feasible(
    problem: &mut ConstrainedProblem<'_>,
    x: &[f64],
    c: &[f64],
) -> Result<bool, OptimiseError> {
    const ROUNDING: f64 = 1e-8;
    if !problem.is_small() {
        return Ok(constraint_violations(c, problem.equal()).all(|violation| violation <= ROUNDING));
    }
    let jacobian = problem.jacobian(x)?;
    let reach = |row: &Vec<f64>| -> f64 { row.iter().zip(x).map(|(d, x)| (d * x).abs()).sum() };
    let most: Vec<f64> = jacobian
        .iter()
        .map(|row| ROUNDING * reach(row).max(1.0))
        .collect();
    let within = |(violation, most): (f64, &f64)| violation <= *most;
    Ok(constraint_violations(c, problem.equal())
        .zip(&most)
        .all(within))
}

/// Whether the value falls further at points ever farther from the start, in the direction of a point with a value: each is moved to satisfy
/// the constraints, and has to be lower by half at least.
///
/// # Errors
/// A stop request or a budget.
pub(super) fn goes_on(
    problem: &mut ConstrainedProblem<'_>,
    x: &[f64],
    value: f64,
) -> Result<bool, OptimiseError> {
    const FARTHER: f64 = 4.0;
    const ROUNDS: i32 = 12;
    const TOLERANCE: f64 = 1e-6;
    let start = problem.start();
    let away = point_along(x, -1.0, &start);
    let mut lowest = value;
    for round in 1..=ROUNDS {
        let mut far = point_along(&start, FARTHER.powi(round), &away);
        problem.bounds.project(&mut far);
        let c = problem.constraints(&far)?;
        // An infinite constraint is satisfied or violated by its sign.
        if far.iter().any(|entry| !entry.is_finite()) || c.iter().any(|entry| entry.is_nan()) {
            return Ok(false);
        }
        let moved = !is_feasible(problem, &far, &c)?;
        if moved && !problem.is_small() {
            return Ok(false);
        }
        if moved {
            let at = ConstrainedPoint {
                value: 0.0,
                gradient: vec![0.0; far.len()],
                jacobian: Vec::new(),
                x: far.clone(),
                c,
            };
            match restore::restore_feasibility(problem, &at, problem.equal(), TOLERANCE)? {
                RestorationEnd::Better(x) => far = x,
                _ => return Ok(false),
            }
            let c = problem.constraints(&far)?;
            if !is_feasible(problem, &far, &c)? {
                return Ok(false);
            }
        }
        let next = problem.objective(&far)?;
        if !next.is_finite() {
            return Ok(!moved); // beyond the largest number
        }
        if next > 1.5 * lowest {
            return Ok(false);
        }
        lowest = next;
    }
    Ok(true)
}
