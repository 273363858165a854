//! Local maximisation of a smooth function in a box.

use crate::dense::max_abs;
use crate::{Interruption, Watch};

/// A point and the value there.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalMaximum {
    /// The point.
    pub x: Vec<f64>,
    /// The value.
    pub value: f64,
}

/// Maximises from a starting point inside the box `low..high`, with projected BFGS.
///
/// `function` writes the gradient and returns the value; a value that is not finite is a point to stay away from.
///
/// # Method
/// Quasi-Newton steps in the coordinates that are free (not held at a bound by the gradient), projected onto the box, with
/// Armijo backtracking. Ends when the projected gradient or the step becomes negligible, or after `iterations_max`.
///
/// # References
/// J. Nocedal and S. J. Wright, "Numerical Optimization", 2nd edition, 2006, sections 6.1 and 16.7.
///
/// # Errors
/// A stop.
pub fn maximise_in_box(
    start: &[f64],
    (low, high): (f64, f64),
    iterations_max: usize,
    watch: &dyn Watch,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Result<LocalMaximum, Interruption> {
    const GRADIENT_MIN: f64 = 1e-9;
    const HALVINGS_MAX: usize = 25;
    let d = start.len();
    let mut x: Vec<f64> = start.iter().map(|value| value.clamp(low, high)).collect();
    let mut gradient = vec![0.0; d];
    let mut value = function(&x, &mut gradient);
    let mut inverse = identity_matrix(d);
    let mut trial_gradient = vec![0.0; d];
    for _ in 0..iterations_max {
        watch.check()?;
        let held =
            |i: usize| (x[i] <= low && gradient[i] < 0.0) || (x[i] >= high && gradient[i] > 0.0);
        let free: Vec<bool> = (0..d).map(|i| !held(i)).collect();
        let slopes = (0..d).filter(|&i| free[i]).map(|i| gradient[i].abs());
        let steepest = slopes.fold(0.0, f64::max);
        if !value.is_finite() || !steepest.is_finite() || steepest < GRADIENT_MIN {
            break;
        }
        let mut direction = multiply_free_coordinates(&inverse, &gradient, &free);
        let mut slope = dot(&direction, &gradient);
        if slope <= 0.0 || !slope.is_finite() {
            inverse = identity_matrix(d);
            direction = multiply_free_coordinates(&inverse, &gradient, &free);
            slope = dot(&direction, &gradient);
        }
        // No first step across more than a fifth of the box.
        let longest = max_abs(&direction);
        let mut length = (0.2 * (high - low) / longest).min(1.0);
        let mut accepted = None;
        for _ in 0..HALVINGS_MAX {
            watch.check()?;
            let moved = |i: usize| (x[i] + length * direction[i]).clamp(low, high);
            let trial: Vec<f64> = (0..d).map(moved).collect();
            let trial_value = function(&trial, &mut trial_gradient);
            if trial_value.is_finite() && trial_value >= value + 1e-4 * length * slope {
                accepted = Some((trial, trial_value));
                break;
            }
            length *= 0.5;
        }
        let Some((trial, trial_value)) = accepted else {
            break;
        };
        let step: Vec<f64> = trial.iter().zip(&x).map(|(new, old)| new - old).collect();
        let slopes = gradient.iter().zip(&trial_gradient);
        let change: Vec<f64> = slopes.map(|(old, new)| old - new).collect();
        update_inverse_hessian(&mut inverse, &step, &change);
        let gain = trial_value - value;
        x = trial;
        value = trial_value;
        gradient.copy_from_slice(&trial_gradient);
        if gain <= 1e-12 * (1.0 + value.abs()) {
            break;
        }
    }
    Ok(LocalMaximum { x, value })
}

/// The BFGS update of an inverse Hessian (of the negated function), skipped where the curvature is not positive.
fn update_inverse_hessian(inverse: &mut [f64], step: &[f64], change: &[f64]) {
    let d = step.len();
    let curvature = dot(step, change);
    if curvature <= 1e-12 * dot(step, step).sqrt() * dot(change, change).sqrt() {
        return;
    }
    let all = vec![true; d];
    let image = multiply_free_coordinates(inverse, change, &all);
    let factor = (1.0 + dot(change, &image) / curvature) / curvature;
    for i in 0..d {
        for j in 0..d {
            inverse[i * d + j] +=
                factor * step[i] * step[j] - (image[i] * step[j] + step[i] * image[j]) / curvature;
        }
    }
}

fn identity_matrix(d: usize) -> Vec<f64> {
    let entries = (0..d * d).map(|index| f64::from(index % (d + 1) == 0));
    entries.collect()
}

/// A symmetric matrix times a vector, in the free coordinates only.
fn multiply_free_coordinates(matrix: &[f64], vector: &[f64], free: &[bool]) -> Vec<f64> {
    let d = vector.len();
    let entry = |i: usize| {
        let others = (0..d).filter(|&j| free[i] && free[j]);
        others.map(|j| matrix[i * d + j] * vector[j]).sum()
    };
    (0..d).map(entry).collect()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoWatch;

    /// The negated Rosenbrock function: maximum 0 at (1, 1).
    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        gradient.copy_from_slice(&[2.0 * a + 400.0 * x[0] * b, -200.0 * b]);
        -(a * a + 100.0 * b * b)
    }

    #[test]
    fn climbs_a_curved_ridge() {
        let peak = maximise_in_box(&[-1.2, 1.0], (-2.0, 2.0), 200, &NoWatch, rosenbrock).unwrap();
        assert!(
            (peak.x[0] - 1.0).abs() < 1e-6 && (peak.x[1] - 1.0).abs() < 1e-6,
            "{peak:?}"
        );
    }

    #[test]
    fn stops_at_the_bounds() {
        let peak = maximise_in_box(&[-1.2, 1.0], (-2.0, 0.5), 200, &NoWatch, rosenbrock).unwrap();
        // with x0 held at 1/2 the best x1 is 1/4
        assert!(
            (peak.x[0] - 0.5).abs() < 1e-6 && (peak.x[1] - 0.25).abs() < 1e-6,
            "{peak:?}"
        );
    }

    #[test]
    fn stays_away_from_what_is_not_finite() {
        let peak = maximise_in_box(&[0.5], (0.0, 1.0), 50, &NoWatch, |x, gradient| {
            gradient[0] = 1.0 / (1.0 - x[0]);
            -(1.0 - x[0]).ln() - if x[0] > 0.9 { f64::INFINITY } else { 0.0 }
        })
        .unwrap();
        assert!(
            peak.value.is_finite() && peak.x[0] > 0.8 && peak.x[0] <= 0.9,
            "{peak:?}"
        );
    }
}
