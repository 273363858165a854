//! Newton's method in a trust region, with exact second derivatives.

use crate::optimise::error::OptimiseError;
use faer::Mat;

use super::bounds::VariableBounds;
use super::curvature::{self, point_along};
use super::ending::{self, StationaryPointVerdict};
use super::result::{MinimiseEnd, MinimiseResult};
use super::smooth::{GradientPoint, SmoothFunction};
use crate::dense::{add_multiple, dot, euclidean_norm, max_abs, symmetric_eigen};

/// Up to so many free variables the whole Hessian is formed.
const WHOLE_MAX: usize = 60;

/// Minimises from a start point in a box; `None` where second derivatives are not known at the start.
///
/// # Method
/// Each step minimises the quadratic model of the free variables in a ball: up to 60 of them exactly, by the eigenvalues of the Hessian,
/// so that directions of negative curvature are followed; beyond, by conjugate gradients that stop at the border of the ball or where the
/// curvature is negative. The radius follows the agreement of model and function. Variables that the gradient presses against a bound stay.
///
/// # Accuracy and cost
/// Quadratic convergence; the same tests at the end as in [`super::lbfgs`]. n products of the Hessian and n^3 operations for each step.
///
/// # Errors
/// Those of the target.
///
/// # References
/// J. J. Moré, D. C. Sorensen, "Computing a trust region step", SIAM J. Sci. Stat. Comput. 4, 1983; T. Steihaug, "The conjugate gradient
/// method and trust regions in large scale optimization", SIAM J. Numer. Anal. 20, 1983; D. P. Bertsekas, "Projected Newton methods for
/// optimization problems with simple constraints", SIAM J. Control Optim. 20, 1982.
pub(crate) fn minimise_by_newton(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<Option<MinimiseResult>, OptimiseError> {
    const ACCEPT: f64 = 1e-4;
    let mut at = GradientPoint::new(target, x0.to_vec())?;
    let mut radius = max_abs(&at.x).max(1.0);
    for iterations in 0..=max_iter {
        if bounds.slope(&at.x, &at.gradient) <= ending::gradient_threshold(target, &at, tolerance) {
            match ending::examine_stationary_point(target, bounds, &at, tolerance)? {
                StationaryPointVerdict::Lower(lower) => {
                    at = GradientPoint::new(target, lower)?;
                    continue;
                }
                StationaryPointVerdict::Minimum(lowest) => {
                    let found = at.found(iterations, true, MinimiseEnd::Gradient);
                    return Ok(Some(found.with_curvature(lowest)));
                }
                StationaryPointVerdict::Saddle(lowest) => {
                    let found = at.found(iterations, false, MinimiseEnd::NegativeCurvature);
                    return Ok(Some(found.with_curvature(Some(lowest))));
                }
            }
        }
        if iterations == max_iter {
            break;
        }
        let free = bounds.movable(&at.x, &at.gradient);
        if free.is_empty() {
            return Ok(Some(at.found(iterations, false, MinimiseEnd::NoProgress)));
        }
        let Some(model) = NewtonModel::new(target, &at, free)? else {
            let stuck = at.found(iterations, false, MinimiseEnd::NoProgress);
            return Ok((iterations > 0).then_some(stuck));
        };
        loop {
            let Some(step) = model.step(target, radius)? else {
                return Ok(Some(at.found(iterations, false, MinimiseEnd::NoProgress)));
            };
            let mut x = point_along(&at.x, 1.0, &step);
            bounds.project(&mut x);
            let moved = point_along(&x, -1.0, &at.x);
            let length = euclidean_norm(&moved);
            if x == at.x || radius <= f64::EPSILON * f64::EPSILON * max_abs(&at.x) {
                return Ok(Some(at.found(iterations, false, MinimiseEnd::NoProgress)));
            }
            let gain = -model.change(target, &moved)?;
            let value = target.value(&x)?;
            let ratio = (at.value - value) / gain;
            if gain > 0.0 && value.is_finite() && ratio > ACCEPT {
                if ratio > 0.75 && length > 0.5 * radius {
                    radius *= 3.0;
                } else if ratio < 0.25 {
                    radius = 0.5 * length;
                }
                let gradient = target.gradient(&x, value)?;
                at = GradientPoint { x, value, gradient };
                break;
            }
            if let Some(flatter) = ending::find_flatter_point(target, bounds, &at, &moved)? {
                at = flatter;
                break;
            }
            radius = 0.25 * length.min(radius);
        }
    }
    Ok(Some(at.found(max_iter, false, MinimiseEnd::MaxIter)))
}

/// The quadratic model of a function in the free variables.
struct NewtonModel {
    x: Vec<f64>,
    gradient: Vec<f64>,
    free: Vec<usize>,
    /// Eigenvalues and vectors of the Hessian in the free variables, where it was formed.
    whole: Option<(Mat<f64>, Vec<f64>, Mat<f64>)>,
}

impl NewtonModel {
    fn new(
        f: &mut impl SmoothFunction,
        at: &GradientPoint,
        free: Vec<usize>,
    ) -> Result<Option<Self>, OptimiseError> {
        let mut whole = None;
        if free.len() <= WHOLE_MAX {
            let Some(hessian) = curvature::hessian_in_free_variables(f, &at.x, &free)? else {
                return Ok(None);
            };
            let Ok((values, Some(vectors))) = symmetric_eigen(hessian.as_ref(), true) else {
                return Ok(None);
            };
            whole = Some((hessian, values, vectors));
        }
        let (x, gradient) = (at.x.clone(), at.gradient.clone());
        Ok(Some(Self {
            x,
            gradient,
            free,
            whole,
        }))
    }

    fn restricted(&self, v: &[f64]) -> Vec<f64> {
        self.free.iter().map(|&index| v[index]).collect()
    }

    fn expanded(&self, v: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.x.len()];
        self.free
            .iter()
            .zip(v)
            .for_each(|(&index, entry)| all[index] = *entry);
        all
    }

    fn hessian_times(
        &self,
        f: &mut impl SmoothFunction,
        v: &[f64],
    ) -> Result<Option<Vec<f64>>, OptimiseError> {
        if let Some((hessian, ..)) = &self.whole {
            let columns = 0..v.len();
            return Ok(Some(
                columns
                    .map(|column| dot(hessian.col_as_slice(column), v))
                    .collect(),
            ));
        }
        let product = f.hessian_times(&self.x, &self.expanded(v))?;
        Ok(product.map(|product| self.restricted(&product)))
    }

    /// The change of the model along a step.
    fn change(&self, f: &mut impl SmoothFunction, step: &[f64]) -> Result<f64, OptimiseError> {
        let inner = self.restricted(step);
        let image = self.hessian_times(f, &inner)?;
        let bend = image.map_or(0.0, |image| dot(&inner, &image));
        Ok(dot(&self.gradient, step) + 0.5 * bend)
    }

    /// The minimum of the model in a ball.
    fn step(
        &self,
        f: &mut impl SmoothFunction,
        radius: f64,
    ) -> Result<Option<Vec<f64>>, OptimiseError> {
        let gradient = self.restricted(&self.gradient);
        let step = match &self.whole {
            Some((_, values, vectors)) => Some(in_ball(values, vectors, &gradient, radius)),
            None => self.conjugate(f, &gradient, radius)?,
        };
        let finite = |step: &Vec<f64>| step.iter().all(|entry| entry.is_finite());
        Ok(step.filter(finite).map(|step| self.expanded(&step)))
    }

    /// Conjugate gradients up to the border of a ball.
    fn conjugate(
        &self,
        f: &mut impl SmoothFunction,
        gradient: &[f64],
        radius: f64,
    ) -> Result<Option<Vec<f64>>, OptimiseError> {
        let mut step = vec![0.0; gradient.len()];
        let mut residual = gradient.to_vec();
        let mut direction: Vec<f64> = gradient.iter().map(|entry| -entry).collect();
        let first = euclidean_norm(gradient);
        let target = first * first.sqrt().min(0.5);
        for _ in 0..2 * gradient.len() {
            let Some(image) = self.hessian_times(f, &direction)? else {
                return Ok(None);
            };
            let (bend, square) = (dot(&direction, &image), dot(&residual, &residual));
            let length = square / bend;
            let next = point_along(&step, length, &direction);
            if bend <= 0.0 || euclidean_norm(&next) >= radius {
                return Ok(Some(to_border(&step, &direction, radius)));
            }
            step = next;
            add_multiple(&mut residual, length, &image);
            let left = dot(&residual, &residual);
            if left.sqrt() <= target {
                break;
            }
            let share = left / square;
            direction
                .iter_mut()
                .zip(&residual)
                .for_each(|(d, r)| *d = share * *d - r);
        }
        Ok(Some(step))
    }
}

/// The point on the border of a ball in a direction from a point inside.
fn to_border(from: &[f64], direction: &[f64], radius: f64) -> Vec<f64> {
    let (a, b) = (dot(direction, direction), dot(from, direction));
    let c = dot(from, from) - radius * radius;
    let root = (b * b - a * c).max(0.0).sqrt();
    let step = if b > 0.0 {
        -c / (b + root)
    } else {
        (root - b) / a
    };
    point_along(from, step, direction)
}

/// The minimum of `g'p + p'Hp / 2` with `|p| <= radius`, given the eigenvalues and vectors of `H`.
fn in_ball(values: &[f64], vectors: &Mat<f64>, gradient: &[f64], radius: f64) -> Vec<f64> {
    const ROUNDS: usize = 100;
    let n = values.len();
    let shares: Vec<f64> = (0..n)
        .map(|i| dot(vectors.col_as_slice(i), gradient))
        .collect();
    let size = max_abs(values);
    let length = |shift: f64| {
        let terms = values
            .iter()
            .zip(&shares)
            .filter(|(_, share)| **share != 0.0);
        terms
            .map(|(value, share)| (share / (value + shift)).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let compose = |shift: f64| {
        let mut step = vec![0.0; gradient.len()];
        for (index, (value, share)) in values.iter().zip(&shares).enumerate() {
            if *share != 0.0 {
                add_multiple(
                    &mut step,
                    -share / (value + shift),
                    vectors.col_as_slice(index),
                );
            }
        }
        step
    };
    let lowest = values.first().copied().unwrap_or(0.0);
    if lowest > 1e-14 * size && length(0.0) <= radius {
        return compose(0.0);
    }
    // The length falls as the shift grows from the pole at minus the lowest eigenvalue: bisection on the logarithm above it.
    let pole = (-lowest).max(0.0);
    let mut low = pole + f64::EPSILON * size.max(f64::MIN_POSITIVE);
    let mut high = pole + euclidean_norm(gradient) / radius + f64::EPSILON * size;
    if length(low) <= radius {
        // The hard case: the rest of the length along the lowest eigenvector, down the slope where there is one.
        let step = compose(low);
        let vector = vectors.col_as_slice(0);
        let sign = if dot(vector, gradient) > 0.0 {
            -1.0
        } else {
            1.0
        };
        let direction: Vec<f64> = vector.iter().map(|entry| sign * entry).collect();
        return if lowest < 0.0 {
            to_border(&step, &direction, radius)
        } else {
            step
        };
    }
    for _ in 0..ROUNDS {
        let middle = pole + ((low - pole) * (high - pole)).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if length(middle) > radius {
            low = middle;
        } else {
            high = middle;
            if length(high) >= 0.95 * radius {
                break;
            }
        }
    }
    compose(high)
}
