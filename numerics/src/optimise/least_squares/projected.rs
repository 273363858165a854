//! Parameters in which residuals are linear together: found by their derivatives, and solved for at every trial point.
//!
//! # Reference
//! G. H. Golub, V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate", SIAM J.
//! Numer. Anal. 10, 1973.

use super::levenberg::{
    LeastSquaresResult, LevenbergEnd, LevenbergOptions, LinearisedResiduals, ResidualProblem,
    StepWeights, minimise_squares,
};
use super::qr::JacobianQr;
use crate::Watch;
use crate::optimise::error::OptimiseError;

/// Minimises from a start; where that does not converge, again with the parameters in which the residuals are linear solved for at every
/// step, then with damping by the present column norms, and, where the first was slow, by equal [`StepWeights`]. Answers with the best, and with the iterations of all.
///
/// # Errors
/// A stop; residuals that are not finite at the start are `None`.
pub fn minimise_doggedly(
    problem: &mut dyn ResidualProblem,
    start: &[f64],
    how: &LevenbergOptions<'_>,
    watch: &dyn Watch,
) -> Result<(Option<LeastSquaresResult>, u64), OptimiseError> {
    let mut best: Option<LeastSquaresResult> = None;
    let mut iterations = 0;
    let mut keep = |found: Option<LeastSquaresResult>| {
        iterations += found.as_ref().map_or(0, |found| found.iterations);
        best = better_fit(best.take(), found);
        best.as_ref()
            .is_some_and(|best| best.reason.has_converged())
    };
    let by = |weights: StepWeights| LevenbergOptions { weights, ..*how };
    let present = by(StepWeights::Present);
    let first = minimise_squares(problem, start, how, watch)?;
    let is_slow = (first.as_ref()).is_some_and(|found| found.reason == LevenbergEnd::MaxIter);
    if keep(first) {
        return Ok((best, iterations));
    }
    let all: Vec<usize> = (0..start.len()).collect();
    let linear = linear_at(problem, start, &all)?;
    let mut solved = start.to_vec();
    if !linear.is_empty() && solve_linear(problem, &mut solved, &linear, how.bounds)?.is_some() {
        let mut projected = VariableProjection { problem, linear };
        if keep(minimise_squares(&mut projected, &solved, &present, watch)?) {
            return Ok((best, iterations));
        }
    }
    if !keep(minimise_squares(problem, start, &present, watch)?) && is_slow {
        keep(minimise_squares(
            problem,
            start,
            &by(StepWeights::Equal),
            watch,
        )?);
    }
    Ok((best, iterations))
}

/// The closer of two fits.
pub fn better_fit(
    a: Option<LeastSquaresResult>,
    b: Option<LeastSquaresResult>,
) -> Option<LeastSquaresResult> {
    let rank = |found: &LeastSquaresResult| (found.linear.cost, !found.reason.has_converged());
    match (a, b) {
        (Some(a), Some(b)) if rank(&b) < rank(&a) => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

/// A problem whose linear parameters are solved for at every trial point.
struct VariableProjection<'a> {
    problem: &'a mut dyn ResidualProblem,
    linear: Vec<usize>,
}

impl ResidualProblem for VariableProjection<'_> {
    fn cost(&mut self, point: &[f64]) -> Result<Option<f64>, OptimiseError> {
        self.problem.cost(point)
    }

    fn project(&mut self, point: &mut [f64], bounds: &[[f64; 2]]) -> Result<(), OptimiseError> {
        solve_linear(self.problem, point, &self.linear, bounds)?;
        Ok(())
    }

    fn linear(&mut self, point: &[f64]) -> Result<Option<LinearisedResiduals>, OptimiseError> {
        self.problem.linear(point)
    }
}

/// Parameters among some in which the residuals are linear together at a point: the derivatives with respect to them depend on none of them.
///
/// # Errors
/// A stop.
pub fn linear_at(
    problem: &mut dyn ResidualProblem,
    base: &[f64],
    among: &[usize],
) -> Result<Vec<usize>, OptimiseError> {
    let Some(first) = problem.linear(base)? else {
        return Ok(Vec::new());
    };
    let mut set: Vec<usize> = Vec::new();
    for &index in among {
        let mut moved = base.to_vec();
        for &other in set.iter().chain([&index]) {
            moved[other] = 1.9 * moved[other] + 0.23;
        }
        let Some(second) = problem.linear(&moved)? else {
            continue;
        };
        let is_same = |&other: &usize| {
            let (a, b) = (&first.jacobian[other], &second.jacobian[other]);
            let size = crate::dense::max_abs(a);
            size > 0.0 && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * size)
        };
        if set.iter().chain([&index]).all(is_same) {
            set.push(index);
        }
    }
    Ok(set)
}

/// Sets the linear parameters of a point to those that fit best; the objective then, where it is finite.
///
/// # Errors
/// A stop.
pub fn solve_linear(
    problem: &mut dyn ResidualProblem,
    point: &mut [f64],
    linear: &[usize],
    bounds: &[[f64; 2]],
) -> Result<Option<f64>, OptimiseError> {
    for &index in linear {
        let [low, high] = bounds[index];
        point[index] = 0.0_f64.clamp(low, high);
    }
    let Some(LinearisedResiduals {
        residuals,
        mut jacobian,
        cost,
    }) = problem.linear(point)?
    else {
        return Ok(None);
    };
    if linear.is_empty() {
        return Ok(Some(cost));
    }
    let design: Vec<Vec<f64>> = (linear.iter())
        .map(|&index| std::mem::take(&mut jacobian[index]))
        .collect();
    let weights: Vec<f64> = (design.iter())
        .map(|column| crate::dense::euclidean_norm(column))
        .collect();
    let step = JacobianQr::new(design, &residuals).damped(&weights, 1e-14);
    for (&index, step) in linear.iter().zip(&step) {
        let [low, high] = bounds[index];
        point[index] = (point[index] + step).clamp(low, high);
    }
    problem.cost(point)
}
