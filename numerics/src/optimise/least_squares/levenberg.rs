//! Least squares of a nonlinear model by the Levenberg-Marquardt method, within bounds.
//!
//! # Method
//! The damped linear problems are solved by Householder QR of the exact Jacobian, with damping in proportion to the largest column norms
//! seen, so that the result does not depend on the units of the parameters ([`StepWeights`] has others). The damping follows Nielsen. Parameters at a bound that the
//! gradient pushes outwards are held; steps are cut at the bounds, and damped until the objective falls.
//!
//! # References
//! J. J. More, "The Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics 630, 1978; H. B. Nielsen,
//! "Damping parameter in Marquardt's method", IMM-REP-1999-05; C. Kanzow, N. Yamashita, M. Fukushima, "Levenberg-Marquardt methods with
//! strong local convergence properties for solving nonlinear equations with convex constraints", J. Comput. Appl. Math. 172, 2004.

use crate::Watch;
use crate::optimise::error::OptimiseError;

use super::curvature;
use super::qr::JacobianQr;

/// Reason a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevenbergEnd {
    /// The residuals are orthogonal to the columns of the Jacobian, and no step improves the fit: converged.
    Orthogonal,
    /// The model passes through the data, to rounding or the tolerance of its integration: converged.
    Exact,
    /// The residuals are not orthogonal to the Jacobian, but the gradient of their squares is 0 to rounding and the squares curve upwards in
    /// every direction: converged.
    Curvature,
    /// What is free has no influence here, to first order (a column of the Jacobian is 0): not known to be a minimum, not converged.
    Flat,
    /// No step improves the fit, though the residuals are not orthogonal to the Jacobian: not converged.
    NoProgress,
    /// The iterations were used up.
    MaxIter,
}

impl LevenbergEnd {
    /// Whether the fit ended at a minimum.
    pub fn has_converged(self) -> bool {
        matches!(self, Self::Orthogonal | Self::Exact | Self::Curvature)
    }
}

/// Residuals and Jacobian at a point.
#[derive(Debug, Clone, Default)]
pub struct LinearisedResiduals {
    /// The residuals.
    pub residuals: Vec<f64>,
    /// A column for each parameter.
    pub jacobian: Vec<Vec<f64>>,
    /// The objective, half of which the residuals' squares sum to; with a robust loss it is less.
    pub cost: f64,
}

/// The residuals of a model as a function of its parameters.
pub trait ResidualProblem {
    /// The objective; `None` where the model is not finite.
    ///
    /// # Errors
    /// An interruption, or why the model has no value any more.
    fn cost(&mut self, point: &[f64]) -> Result<Option<f64>, OptimiseError>;

    /// Moves a trial point to a better one near it, where that is cheap.
    ///
    /// # Errors
    /// As [`ResidualProblem::cost`].
    fn project(&mut self, _point: &mut [f64], _bounds: &[[f64; 2]]) -> Result<(), OptimiseError> {
        Ok(())
    }

    /// The objective with its linear approximation; `None` where either is not finite.
    ///
    /// # Errors
    /// As [`ResidualProblem::cost`].
    fn linear(&mut self, point: &[f64]) -> Result<Option<LinearisedResiduals>, OptimiseError>;
}

/// Where a fit ended.
#[derive(Debug, Clone)]
pub struct LeastSquaresResult {
    /// The parameters.
    pub point: Vec<f64>,
    /// Residuals and Jacobian there.
    pub linear: LinearisedResiduals,
    /// Iterations.
    pub iterations: u64,
    /// Reason the fit ended.
    pub reason: LevenbergEnd,
    /// Largest cosine between the residuals and a column of the Jacobian of a parameter that is free.
    pub cosine: f64,
    /// Parameters that are held at a bound.
    pub held: Vec<bool>,
}

/// Largest cosine at which the residuals count as orthogonal.
const COSINE_MAX: f64 = 1e-6;
/// Residuals of so many roundings that no step makes smaller are those of an exact fit.
const ROUNDING: f64 = 100.0;
/// Damping at the start, relative to the squares of the columns.
const DAMPING: f64 = 1e-3;
/// Damping beyond which a step changes nothing.
const DAMPING_MAX: f64 = 1e40;
/// Least share of the predicted decrease that a step must bring.
const SHARE: f64 = 1e-4;

/// How a fit is made.
#[derive(Debug, Clone, Copy)]
pub struct LevenbergOptions<'a> {
    /// Lower and upper bound of each parameter, infinite where there is none.
    pub bounds: &'a [[f64; 2]],
    /// Largest number of iterations.
    pub max_iter: u64,
    /// Ended when a step changes the point by less than this, relative to its size.
    pub tolerance: f64,
    /// Size of what is fitted, for which residuals are roundings.
    pub scale: f64,
    /// Size of the errors of the residuals beyond roundings, as of a model that is integrated; 0 for none.
    pub error: f64,
    /// What the damping of a parameter is in proportion to.
    pub weights: StepWeights,
}

/// Weights of the parameters in the length of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepWeights {
    /// The largest norm of its column so far.
    Largest,
    /// The present norm: for columns that shrink by orders.
    Present,
    /// The largest present norm of all columns (K. Levenberg, Quart. Appl. Math. 2, 1944): where a few columns exceed the others by orders
    /// and steps of the others are good in a small neighbourhood alone, which holds back the few.
    Equal,
}

/// Minimises the sum of squares from a point within the bounds.
///
/// # Errors
/// A stop; a model that is not finite at the start is `None`.
pub fn minimise_squares(
    problem: &mut dyn ResidualProblem,
    start: &[f64],
    how: &LevenbergOptions<'_>,
    watch: &dyn Watch,
) -> Result<Option<LeastSquaresResult>, OptimiseError> {
    let &LevenbergOptions {
        bounds,
        max_iter,
        tolerance,
        scale,
        error,
        weights: kind,
    } = how;
    let mut point = start.to_vec();
    let Some(mut linear) = problem.linear(&point)? else {
        return Ok(None);
    };
    let mut norms: Vec<f64> = linear
        .jacobian
        .iter()
        .map(|column| euclidean_norm(column))
        .collect();
    let (mut damping, mut growth) = (DAMPING, 2.0);
    let mut iterations = 0;
    loop {
        let held = active_bounds(&point, &linear, bounds);
        let cosine = largest_cosine(&linear, &held);
        let is_exact = linear.cost.sqrt() <= 4.0 * f64::EPSILON * scale || linear.cost == 0.0;
        let reason = match is_exact {
            true => Some(LevenbergEnd::Exact),
            false if cosine == 0.0 => Some(stationary_reason(&linear, &held)),
            false if iterations == max_iter => Some(LevenbergEnd::MaxIter),
            false => None,
        };
        let found = |reason| LeastSquaresResult {
            point: point.clone(),
            linear: linear.clone(),
            iterations,
            reason,
            cosine,
            held: held.clone(),
        };
        if let Some(reason) = reason {
            let found = found(reason);
            return Ok(Some(curvature::decide_ending(
                problem, found, start, bounds, watch,
            )?));
        }
        let free: Vec<usize> = (0..point.len()).filter(|&index| !held[index]).collect();
        let columns = free.iter().map(|&index| linear.jacobian[index].clone());
        let qr = JacobianQr::new(columns.collect(), &linear.residuals);
        let largest = free.iter().map(|&index| norms[index]).fold(0.0, f64::max);
        let of = |&index: &usize| match kind {
            StepWeights::Equal => weight_from_norm(largest),
            StepWeights::Largest | StepWeights::Present => weight_from_norm(norms[index]),
        };
        let weights: Vec<f64> = free.iter().map(of).collect();
        let length = |values: &[f64]| {
            let squares = values.iter().zip(&weights);
            let squares = squares.map(|(value, weight)| (value * weight).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let at: Vec<f64> = free.iter().map(|&index| point[index]).collect();
        // Damped until a step brings what it promises.
        let accepted = loop {
            watch.check()?;
            let step = qr.damped(&weights, damping);
            let mut next = step_within_bounds(&point, &free, &step, bounds);
            let taken: Vec<f64> = (free.iter().zip(&at))
                .map(|(&index, at)| next[index] - at)
                .collect();
            let predicted = qr.decrease(&taken);
            problem.project(&mut next, bounds)?;
            let cost = problem.cost(&next)?;
            let actual = cost.map_or(f64::NEG_INFINITY, |cost| linear.cost - cost);
            let ratio = actual / predicted;
            if (ratio > SHARE || predicted <= 0.0) && actual > 0.0 {
                // Where the derivatives are not finite, the step fails.
                if let Some(found) = problem.linear(&next)? {
                    let change = (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
                    damping = (damping * change.min(2.0)).max(1e-20);
                    growth = 2.0;
                    break Some((next, found));
                }
            }
            let is_small = length(&taken) <= tolerance * length(&at);
            // A step that is cut at bounds may promise nothing; a shorter one does.
            let is_rounding = (0.0..=4.0 * f64::EPSILON * linear.cost).contains(&predicted);
            if is_small || is_rounding || damping > DAMPING_MAX {
                break None;
            }
            damping *= growth;
            growth *= 2.0;
        };
        let Some((next, found_there)) = accepted else {
            let size = euclidean_norm(&linear.residuals);
            let rounding =
                ROUNDING * f64::EPSILON * scale.max(residual_sensitivity(&point, &linear));
            let settled = if size <= error.max(rounding) {
                LevenbergEnd::Exact
            } else if cosine <= COSINE_MAX.max(error / size) {
                stationary_reason(&linear, &held)
            } else {
                LevenbergEnd::NoProgress
            };
            let found = polish_fit(problem, found(settled), bounds)?;
            return Ok(Some(curvature::decide_ending(
                problem, found, start, bounds, watch,
            )?));
        };
        iterations += 1;
        (point, linear) = (next, found_there);
        for (norm_max, column) in norms.iter_mut().zip(&linear.jacobian) {
            *norm_max = match kind {
                StepWeights::Largest => euclidean_norm(column).max(*norm_max),
                StepWeights::Present | StepWeights::Equal => euclidean_norm(column),
            };
        }
    }
}

/// The size of what the residuals are made of, as far as the parameters tell: by how much a relative change of 1 of each would change them.
fn residual_sensitivity(point: &[f64], linear: &LinearisedResiduals) -> f64 {
    let columns = point.iter().zip(&linear.jacobian);
    columns
        .map(|(x, column)| x.abs() * euclidean_norm(column))
        .sum()
}

/// A point after a step of the parameters that are free, cut at the bounds.
fn step_within_bounds(
    point: &[f64],
    free: &[usize],
    step: &[f64],
    bounds: &[[f64; 2]],
) -> Vec<f64> {
    let mut next = point.to_vec();
    for (&index, step) in free.iter().zip(step) {
        let [low, high] = bounds[index];
        next[index] = (point[index] + step).clamp(low, high);
    }
    next
}

/// Takes the last steps, which the objective is too flat to tell: as long as the residuals become more orthogonal to the Jacobian.
fn polish_fit(
    problem: &mut dyn ResidualProblem,
    mut found: LeastSquaresResult,
    bounds: &[[f64; 2]],
) -> Result<LeastSquaresResult, OptimiseError> {
    const STEPS: usize = 4;
    if found.reason != LevenbergEnd::Orthogonal {
        return Ok(found);
    }
    for _ in 0..STEPS {
        let free: Vec<usize> = (0..found.point.len())
            .filter(|&index| !found.held[index])
            .collect();
        let columns = free
            .iter()
            .map(|&index| found.linear.jacobian[index].clone());
        let qr = JacobianQr::new(columns.collect(), &found.linear.residuals);
        let norms = free
            .iter()
            .map(|&index| weight_from_norm(euclidean_norm(&found.linear.jacobian[index])));
        let step = qr.damped(&norms.collect::<Vec<f64>>(), 0.0);
        let next = step_within_bounds(&found.point, &free, &step, bounds);
        let Some(linear) = problem.linear(&next)? else {
            break;
        };
        let held = active_bounds(&next, &linear, bounds);
        let cosine = largest_cosine(&linear, &held);
        let is_level = linear.cost <= found.linear.cost * (1.0 + 16.0 * f64::EPSILON);
        if !is_level || cosine >= found.cosine {
            break;
        }
        found = LeastSquaresResult {
            point: next,
            linear,
            cosine,
            held,
            ..found
        };
    }
    Ok(found)
}

fn euclidean_norm(values: &[f64]) -> f64 {
    crate::dense::euclidean_norm(values)
}

fn weight_from_norm(norm: f64) -> f64 {
    if norm > 0.0 { norm } else { 1.0 }
}

/// The parameters at a bound that the objective falls beyond.
fn active_bounds(point: &[f64], linear: &LinearisedResiduals, bounds: &[[f64; 2]]) -> Vec<bool> {
    let slope = |column: &Vec<f64>| -> f64 {
        let pairs = column.iter().zip(&linear.residuals);
        pairs.map(|(a, b)| a * b).sum()
    };
    let is_held = |index: usize| {
        let ([low, high], slope) = (bounds[index], slope(&linear.jacobian[index]));
        (point[index] <= low && slope > 0.0) || (point[index] >= high && slope < 0.0)
    };
    (0..point.len()).map(is_held).collect()
}

/// The reason at a point whose residuals are orthogonal to the Jacobian.
fn stationary_reason(linear: &LinearisedResiduals, held: &[bool]) -> LevenbergEnd {
    let mut free = linear.jacobian.iter().zip(held).filter(|(_, held)| !**held);
    match free.any(|(column, _)| euclidean_norm(column) == 0.0) {
        true => LevenbergEnd::Flat,
        false => LevenbergEnd::Orthogonal,
    }
}

/// The largest cosine between the residuals and the column of a free parameter.
fn largest_cosine(linear: &LinearisedResiduals, held: &[bool]) -> f64 {
    let size = euclidean_norm(&linear.residuals);
    let mut largest = 0.0_f64;
    for (column, _) in linear.jacobian.iter().zip(held).filter(|(_, held)| !**held) {
        let length = euclidean_norm(column) * size;
        let product: f64 = column
            .iter()
            .zip(&linear.residuals)
            .map(|(a, b)| a * b)
            .sum();
        if length > 0.0 {
            largest = largest.max((product / length).abs());
        }
    }
    largest
}
