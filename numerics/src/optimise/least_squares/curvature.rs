//! The end of a fit where the cosine decides nothing: a column of the Jacobian vanishes at a minimum with large residuals, as that of
//! `x**2 + 5` at 0. Second derivatives of half the sum of squares decide, by differences of its gradient.

use faer::Mat;

use super::levenberg::{LeastSquaresResult, LevenbergEnd, LinearisedResiduals, ResidualProblem};
use crate::Watch;
use crate::dense::cholesky::Cholesky;
use crate::optimise::error::OptimiseError;

/// More free parameters are not examined.
const FREE_MAX: usize = 100;

/// Decides whether an end without progress is a minimum to rounding: the gradient promises no decrease and the objective curves upwards in
/// every direction. Then the last step of Newton's method is taken, which the objective is too flat to tell.
///
/// # Errors
/// A stop.
pub(super) fn decide_ending(
    problem: &mut dyn ResidualProblem,
    found: LeastSquaresResult,
    start: &[f64],
    bounds: &[[f64; 2]],
    watch: &dyn Watch,
) -> Result<LeastSquaresResult, OptimiseError> {
    let undecided = matches!(found.reason, LevenbergEnd::NoProgress | LevenbergEnd::Flat);
    let half = half_sum_of_squares(&found.linear);
    let free: Vec<usize> = (0..found.point.len())
        .filter(|&index| !found.held[index])
        .collect();
    if !undecided || half <= 0.0 || free.is_empty() || free.len() > FREE_MAX {
        return Ok(found);
    }
    let mut steps = Vec::with_capacity(free.len());
    for &index in &free {
        let size = found.point[index].abs().max(start[index].abs());
        let Some(step) = difference_step(problem, &found, (index, size), bounds[index], watch)?
        else {
            return Ok(found);
        };
        steps.push(step);
    }
    let Some(hessian) = difference_hessian(problem, &found.point, &free, &steps)? else {
        return Ok(found);
    };
    let slopes = objective_gradient(&found.linear, &free);
    let Some(newton) = newton_step(&hessian, &slopes, &steps) else {
        return Ok(found);
    };
    /// Promised decrease, relative to the objective, that is rounding.
    const DECREASE: f64 = 1e-14;
    let promised: f64 = newton.iter().zip(&slopes).map(|(s, g)| -0.5 * s * g).sum();
    if promised.is_nan() || promised > DECREASE * half {
        return Ok(found);
    }
    let mut next = found.point.clone();
    for (&index, step) in free.iter().zip(&newton) {
        let [low, high] = bounds[index];
        next[index] = (next[index] + step).clamp(low, high);
    }
    let found = LeastSquaresResult {
        reason: LevenbergEnd::Curvature,
        ..found
    };
    let rounding = 1.0 + 16.0 * f64::EPSILON;
    Ok(match problem.linear(&next)? {
        Some(linear) if linear.cost <= found.linear.cost * rounding => LeastSquaresResult {
            point: next,
            linear,
            ..found
        },
        _ => found,
    })
}

/// Half the sum of squares.
fn half_sum_of_squares(linear: &LinearisedResiduals) -> f64 {
    linear.cost / 2.0
}

/// A step of a parameter, both ways, that changes the objective by a small share that is not rounding; `None` where there is none.
///
/// It is looked for from a thousandth of the parameter's size, of the order of 1 where that is 0.
fn difference_step(
    problem: &mut dyn ResidualProblem,
    found: &LeastSquaresResult,
    (index, size): (usize, f64),
    [low, high]: [f64; 2],
    watch: &dyn Watch,
) -> Result<Option<f64>, OptimiseError> {
    const SHARE: (f64, f64) = (1e-9, 1e-3);
    const TRIES: usize = 40;
    let mut step = 1e-3 * if size > 0.0 { size } else { 1.0 };
    let here = found.linear.cost;
    let (mut is_shrinking, mut is_growing) = (false, false);
    for _ in 0..TRIES {
        watch.check()?;
        let mut largest: Option<f64> = Some(0.0);
        for signed in [step, -step] {
            let mut point = found.point.clone();
            point[index] += signed;
            let inside = (low..=high).contains(&point[index]);
            let cost = if inside { problem.cost(&point)? } else { None };
            largest = largest
                .zip(cost)
                .map(|(most, cost)| most.max((cost - here).abs() / here));
        }
        match largest {
            Some(share) if share < SHARE.0 => {
                if is_shrinking {
                    return Ok(None);
                }
                is_growing = true;
                step *= 10.0;
            }
            Some(share) if share <= SHARE.1 => return Ok(Some(step)),
            _ => {
                if is_growing {
                    step /= 3.0;
                    continue;
                }
                is_shrinking = true;
                step /= 10.0;
            }
        }
    }
    Ok(None)
}

/// The gradient of half the sum of squares by some parameters.
fn objective_gradient(linear: &LinearisedResiduals, free: &[usize]) -> Vec<f64> {
    let slope = |&index: &usize| crate::dense::dot(&linear.jacobian[index], &linear.residuals);
    free.iter().map(slope).collect()
}

/// Second derivatives of half the sum of squares in units of the steps, by differences of the gradient.
fn difference_hessian(
    problem: &mut dyn ResidualProblem,
    point: &[f64],
    free: &[usize],
    steps: &[f64],
) -> Result<Option<Mat<f64>>, OptimiseError> {
    let n = free.len();
    let mut full = Mat::zeros(n, n);
    for (column, (&index, step)) in free.iter().zip(steps).enumerate() {
        let mut slopes_at = |signed: f64| {
            let mut moved = point.to_vec();
            moved[index] += signed;
            let linear = problem.linear(&moved)?;
            Ok::<_, OptimiseError>(linear.map(|linear| objective_gradient(&linear, free)))
        };
        let (Some(up), Some(down)) = (slopes_at(*step)?, slopes_at(-step)?) else {
            return Ok(None);
        };
        for row in 0..n {
            full[(row, column)] = (up[row] - down[row]) / 2.0 * steps[row];
        }
    }
    Ok(Some(Mat::from_fn(n, n, |row, column| {
        (full[(row, column)] + full[(column, row)]) / 2.0
    })))
}

/// The step of Newton's method; `None` where the objective does not clearly curve upwards in every direction.
fn newton_step(hessian: &Mat<f64>, slopes: &[f64], steps: &[f64]) -> Option<Vec<f64>> {
    /// Of a correlation matrix: differences leave errors below.
    const CLEARLY: f64 = 1e-6;
    let n = slopes.len();
    let root = |index: usize| hessian[(index, index)].sqrt();
    if (0..n).any(|index| hessian[(index, index)].is_nan() || hessian[(index, index)] <= 0.0) {
        return None;
    }
    let scaled = |shift: f64| {
        Mat::from_fn(n, n, |row, column| {
            let entry = hessian[(row, column)] / root(row) / root(column);
            entry - if row == column { shift } else { 0.0 }
        })
    };
    Cholesky::new(scaled(CLEARLY)).ok()?;
    let factor = Cholesky::new(scaled(0.0)).ok()?;
    let mut rhs = Mat::from_fn(n, 1, |row, _| -slopes[row] * steps[row] / root(row));
    factor.solve(&mut rhs);
    let unscaled = |row: usize| rhs[(row, 0)] / root(row) * steps[row];
    Some((0..n).map(unscaled).collect())
}
