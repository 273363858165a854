//! Limited-memory BFGS with a strong Wolfe line search, within bounds where there are some.

use std::collections::VecDeque;

use crate::optimise::error::OptimiseError;

use super::bounds::VariableBounds;
use super::compact::{self, Pair};
use super::curvature::{lower_point, point_along};
use super::ending::{self, StationaryPointVerdict};
use super::line;
use super::result::{MinimiseEnd, MinimiseResult};
use super::smooth::{GradientPoint, SmoothFunction};
use crate::dense::{add_multiple, dot, max_abs};

/// Pairs of steps and gradient changes that are kept.
const MEMORY: usize = 10;

/// Minimises from a start point in a box.
///
/// # Method
/// Two-loop recursion over the last ten steps; with bounds the minimum of the same model in the box ([`super::compact`]). The line search brackets and then interpolates until the strong Wolfe conditions
/// hold. Where values agree up to rounding, a step counts that halves the gradient. Before a point counts as a minimum its
/// neighbours along the axes are looked at (up to 1000 coordinates), and the direction in which the function curves down most, so
/// that a saddle or a maximum, where the gradient vanishes too, is left again.
///
/// # Accuracy and cost
/// Converged when the largest component of the gradient (with bounds, of its projection) is at most `tolerance` plus its own rounding error and no direction of
/// negative curvature is found. 2n + 1 evaluations per gradient by differences; n, at most 60, products of the Hessian and a vector
/// at the end. Memory 20 n.
///
/// # Errors
/// Those of the target.
///
/// # References
/// J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006, algorithms 7.4, 3.5 and 3.6.
pub(crate) fn minimise_by_lbfgs(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<MinimiseResult, OptimiseError> {
    run_lbfgs(target, bounds, x0, (max_iter, tolerance, 0.0), true)
}

/// The same without a look at the neighbours of the end: for searches that start many. A step that lowers the value by less than the
/// share `enough` of what all steps so far have lowered it is the last.
///
/// # Errors
/// Those of the target.
pub(crate) fn descend_by_lbfgs(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    x0: &[f64],
    max_iter: u64,
    (tolerance, enough): (f64, f64),
) -> Result<MinimiseResult, OptimiseError> {
    run_lbfgs(target, bounds, x0, (max_iter, tolerance, enough), false)
}

fn run_lbfgs(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    x0: &[f64],
    (max_iter, tolerance, enough): (u64, f64, f64),
    verify: bool,
) -> Result<MinimiseResult, OptimiseError> {
    let mut at = GradientPoint::new(target, x0.to_vec())?;
    let start = at.value;
    let mut history = LbfgsHistory::default();
    let mut iterations = 0;
    loop {
        if bounds.slope(&at.x, &at.gradient) <= ending::gradient_threshold(target, &at, tolerance) {
            let look = if verify {
                ending::examine_stationary_point(target, bounds, &at, tolerance)?
            } else {
                StationaryPointVerdict::Minimum(None)
            };
            match look {
                StationaryPointVerdict::Lower(lower) => at = GradientPoint::new(target, lower)?,
                StationaryPointVerdict::Minimum(lowest) => {
                    let found = at.found(iterations, true, MinimiseEnd::Gradient);
                    return Ok(found.with_curvature(lowest));
                }
                StationaryPointVerdict::Saddle(lowest) => {
                    let found = at.found(iterations, false, MinimiseEnd::NegativeCurvature);
                    return Ok(found.with_curvature(Some(lowest)));
                }
            }
            history = LbfgsHistory::default();
        }
        if iterations == max_iter {
            return Ok(at.found(iterations, false, MinimiseEnd::MaxIter));
        }
        iterations += 1;
        let mut direction = history.direction(&at, bounds);
        if dot(&direction, &at.gradient) >= 0.0 {
            history = LbfgsHistory::default();
            direction = history.direction(&at, bounds);
        }
        let first = if history.pairs.is_empty() && bounds.is_free() {
            first_step(&at)
        } else {
            1.0
        };
        let mut next = line::wolfe_line_search(target, bounds, &at, &direction, first)?;
        if next.is_none() && !history.pairs.is_empty() {
            next = ending::find_flatter_point(target, bounds, &at, &direction)?;
            if next.is_none() {
                history = LbfgsHistory::default();
                continue;
            }
        }
        if next.is_none() && !verify {
            return Ok(at.found(iterations, false, MinimiseEnd::NoProgress));
        }
        if next.is_none() {
            let Some(curvature) = ending::curvature_of_free(target, bounds, &at)? else {
                return Ok(at.found(iterations, false, MinimiseEnd::NoProgress));
            };
            next = match curvature.newton_step(&at.gradient) {
                Some(step) => ending::find_flatter_point(target, bounds, &at, &step)?,
                None => match lower_point(target, bounds, (&at.x, at.value), &curvature)? {
                    Some(lower) => Some(GradientPoint::new(target, lower)?),
                    None => None,
                },
            };
            history = LbfgsHistory::default();
        }
        match next {
            Some(next) => {
                let is_enough =
                    enough > 0.0 && at.value - next.value < enough * (start - next.value);
                history.push(&at, &next);
                at = next;
                if is_enough {
                    return Ok(at.found(iterations, false, MinimiseEnd::NoProgress));
                }
            }
            None => return Ok(at.found(iterations, false, MinimiseEnd::NoProgress)),
        }
    }
}

/// The first step: the coordinate that moves most moves by the size of the point.
fn first_step(at: &GradientPoint) -> f64 {
    1.0_f64.max(max_abs(&at.x)) / max_abs(&at.gradient)
}

/// The last steps, changes of gradient, and the inverse of their inner products.
#[derive(Default)]
struct LbfgsHistory {
    pairs: VecDeque<Pair>,
}

impl LbfgsHistory {
    fn push(&mut self, from: &GradientPoint, to: &GradientPoint) {
        let step = point_along(&to.x, -1.0, &from.x);
        let change = point_along(&to.gradient, -1.0, &from.gradient);
        let inner = dot(&step, &change);
        let least = f64::EPSILON * dot(&change, &change).min(dot(&step, &step));
        if inner.is_finite() && inner > least {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back((step, change, inner.recip()));
        }
    }

    /// The direction to the minimum of the model, in the box.
    fn direction(&self, at: &GradientPoint, bounds: &VariableBounds) -> Vec<f64> {
        if bounds.is_free() {
            return self.newton(&at.gradient);
        }
        compact::quasi_newton_direction(self.pairs.iter(), bounds, at).unwrap_or_else(|| {
            let scale = first_step(at);
            let scaled: Vec<f64> = at.gradient.iter().map(|entry| scale * entry).collect();
            bounds.descent(&at.x, &scaled)
        })
    }

    /// Minus the inverse Hessian, as far as it is known, times the gradient.
    fn newton(&self, gradient: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = gradient.iter().map(|value| -value).collect();
        let mut weights = Vec::with_capacity(self.pairs.len());
        for (step, change, inverse) in self.pairs.iter().rev() {
            let weight = inverse * dot(step, &direction);
            add_multiple(&mut direction, -weight, change);
            weights.push(weight);
        }
        if let Some((_, change, inverse)) = self.pairs.back() {
            let scale = (inverse * dot(change, change)).recip();
            direction.iter_mut().for_each(|value| *value *= scale);
        }
        for ((step, change, inverse), weight) in self.pairs.iter().zip(weights.into_iter().rev()) {
            let correction = weight - inverse * dot(change, &direction);
            add_multiple(&mut direction, correction, step);
        }
        direction
    }
}
