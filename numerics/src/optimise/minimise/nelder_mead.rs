//! The downhill simplex of Nelder and Mead, with restarts until a fresh simplex finds nothing lower.

use crate::optimise::error::OptimiseError;

use super::bounds::VariableBounds;
use super::curvature::point_along;
use super::ending::{self, StationaryPointVerdict};
use super::result::{MinimiseEnd, MinimiseResult};
use super::smooth::{GradientPoint, SmoothFunction};

/// The cost of an iteration grows with the square of the number of coordinates.
pub(crate) const COORDINATES_MAX: usize = 200;

/// Iterations for each coordinate where the call sets no limit: a sphere of 15 takes about 250 of each.
pub(super) const ITERATIONS_EACH: u64 = 400;

/// Minimises from a start point in a box.
///
/// # Method
/// Runs of the simplex method, each from a fresh simplex around the best point: 0.05 max(1, |x|) along each axis at first, a
/// tenth of that later. Coefficients depend on the number of variables; trial points beyond a bound move to it. A run ends when the
/// values on the simplex differ by the rounding of the first only, or after 1000 (n + 1) iterations.
/// Converged when a run moves no coordinate by more than `tolerance max(1, |x|)` and lowers the value by no more than
/// `tolerance max(1, |f|)`; in x the tolerance is at least 6e-8, since near a minimum values resolve no less. Where second derivatives
/// are known, a point below along the direction of lowest curvature starts a further run.
///
/// # Accuracy and cost
/// One or two evaluations per iteration; slow beyond ten coordinates.
///
/// # Errors
/// Those of the target.
///
/// # References
/// J. A. Nelder, R. Mead, "A simplex method for function minimization", Computer Journal 7, 1965; F. Gao, L. Han, "Implementing the
/// Nelder-Mead simplex algorithm with adaptive parameters", Comput. Optim. Appl. 51, 2012; C. T. Kelley, "Detection and remediation of
/// stagnation in the Nelder-Mead algorithm", SIAM J. Optim. 10, 1999 (restarts).
pub(crate) fn minimise_by_simplex(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<MinimiseResult, OptimiseError> {
    const FIRST_SIZE: f64 = 0.05;
    const LATER_SIZE: f64 = 0.005;
    const X_TOLERANCE_MIN: f64 = 6e-8; // 4 sqrt(eps)
    let run_max = 1000 * (x0.len() as u64 + 1);
    let mut x = x0.to_vec();
    let mut value = target.value(&x)?;
    let (mut iterations, mut size) = (0, FIRST_SIZE);
    loop {
        let left = run_max.min(max_iter - iterations);
        let mut simplex = NelderMeadSimplex::new(target, bounds, (&x, value), size)?;
        let used = simplex.run(target, bounds, (left, tolerance))?;
        let (next, next_value) = simplex.vertices.swap_remove(0);
        iterations += used.max(1);
        let moves = next.iter().zip(&x);
        let moves = moves.map(|(next, x)| (next - x).abs() / x.abs().max(1.0));
        let moved = moves.fold(0.0, f64::max);
        let lowered = (value - next_value) / value.abs().max(1.0);
        let converged = moved <= tolerance.max(X_TOLERANCE_MIN) && lowered <= tolerance;
        if next_value <= value {
            (x, value) = (next, next_value);
        }
        if converged
            && iterations < max_iter
            && let gradient = target.gradient(&x, value)?
            && let at = (GradientPoint {
                x: x.clone(),
                value,
                gradient,
            })
            && let StationaryPointVerdict::Lower(lower) =
                ending::examine_stationary_point(target, bounds, &at, tolerance)?
        {
            value = target.value(&lower)?;
            (x, size) = (lower, FIRST_SIZE);
            continue;
        }
        if converged || iterations >= max_iter {
            let gradient = target.gradient(&x, value)?;
            let reasons = [MinimiseEnd::MaxIter, MinimiseEnd::Simplex];
            let reason = reasons[usize::from(converged)];
            let at = GradientPoint { x, value, gradient };
            return Ok(at.found(iterations, converged, reason));
        }
        size = LATER_SIZE;
    }
}

/// Points and values, the lowest first.
struct NelderMeadSimplex {
    vertices: Vec<(Vec<f64>, f64)>,
}

impl NelderMeadSimplex {
    /// The point and one along each axis: upwards, or downwards where a bound is nearer than the size.
    fn new(
        target: &mut impl SmoothFunction,
        bounds: &VariableBounds,
        (x, value): (&[f64], f64),
        size: f64,
    ) -> Result<Self, OptimiseError> {
        let mut vertices = vec![(x.to_vec(), value)];
        for index in 0..x.len() {
            let step = size * x[index].abs().max(1.0);
            let (up, down) = (x[index] + step, x[index] - step);
            let mut vertex = x.to_vec();
            let upwards = up <= bounds.high[index]
                || bounds.high[index] - x[index] >= x[index] - bounds.low[index];
            vertex[index] = bounds.nearest(index, if upwards { up } else { down });
            let value = target.value(&vertex)?;
            vertices.push((vertex, value));
        }
        let mut simplex = Self { vertices };
        simplex.sort();
        Ok(simplex)
    }

    fn sort(&mut self) {
        self.vertices.sort_by(|a, b| a.1.total_cmp(&b.1));
    }

    /// Moves until the values agree up to rounding, or to the square of the tolerance (by which they differ at such a distance from a
    /// minimum), or the iterations are used up; answers how many.
    fn run(
        &mut self,
        target: &mut impl SmoothFunction,
        bounds: &VariableBounds,
        (max_iter, tolerance): (u64, f64),
    ) -> Result<u64, OptimiseError> {
        let n = self.vertices.len() - 1;
        let size = n.max(2) as f64; // the coefficients of one variable are those of two
        let (expansion, contraction) = (1.0 + 2.0 / size, 0.75 - 0.5 / size);
        let shrinkage = 1.0 - 1.0 / size;
        // Relative to the first value too: towards a minimum of value 0 values never agree.
        let first = self.vertices[0].1.abs();
        for iteration in 0..max_iter {
            let (lowest, highest) = (self.vertices[0].1, self.vertices[n].1);
            let agreed = f64::EPSILON.max(tolerance * tolerance) * lowest.abs().max(first);
            if highest - lowest <= agreed + f64::MIN_POSITIVE {
                return Ok(iteration);
            }
            let second = self.vertices[n - 1].1;
            let mut centre = vec![0.0; n];
            for (vertex, _) in &self.vertices[..n] {
                centre
                    .iter_mut()
                    .zip(vertex)
                    .for_each(|(sum, x)| *sum += x / n as f64);
            }
            let worst = self.vertices[n].0.clone();
            let away = point_along(&centre, -1.0, &worst);
            let mut trial = |step: f64| {
                let mut x = point_along(&centre, step, &away);
                bounds.project(&mut x);
                let value = target.value(&x)?;
                Ok::<_, OptimiseError>((x, value))
            };
            let reflected = trial(1.0)?;
            let accepted = if reflected.1 < lowest {
                let expanded = trial(expansion)?;
                Some(if expanded.1 < reflected.1 {
                    expanded
                } else {
                    reflected
                })
            } else if reflected.1 < second {
                Some(reflected)
            } else {
                let outside = reflected.1 < highest;
                let contracted = trial(if outside { contraction } else { -contraction })?;
                let bar = if outside { reflected.1 } else { highest };
                (contracted.1 < bar).then_some(contracted)
            };
            match accepted {
                Some(vertex) => self.vertices[n] = vertex,
                None => {
                    let best = self.vertices[0].0.clone();
                    for (vertex, value) in &mut self.vertices[1..] {
                        *vertex = point_along(&best, shrinkage, &point_along(vertex, -1.0, &best));
                        bounds.project(vertex);
                        *value = target.value(vertex)?;
                    }
                }
            }
            self.sort();
        }
        Ok(max_iter)
    }
}
