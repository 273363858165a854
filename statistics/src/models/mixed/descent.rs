//! The minimum of a smooth function of a few variables.

use numerics::{Interruption, Watch};

use crate::models::least_squares::{cholesky_lower, cholesky_solve};

/// Steps of the descent.
const STEPS_MAX: usize = 200;

/// A minimum and how it was reached.
#[derive(Debug, Clone)]
pub(super) struct DescentResult {
    pub x: Vec<f64>,
    pub value: f64,
    pub steps: usize,
    /// Whether no step lowers the value any more.
    pub is_converged: bool,
}

/// The gradient by differences of fourth order.
pub(super) fn difference_gradient(f: &mut dyn FnMut(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let mut at = x.to_vec();
    (0..x.len())
        .map(|k| {
            let h = step_of(x[k]);
            let mut value = |shift: f64| {
                at[k] = x[k] + shift * h;
                let value = f(&at);
                at[k] = x[k];
                value
            };
            let (near, far) = (value(1.0) - value(-1.0), value(2.0) - value(-2.0));
            (8.0 * near - far) / (12.0 * h)
        })
        .collect()
}

/// The matrix of second derivatives by differences of fourth order, row by row.
pub(super) fn difference_hessian(f: &mut dyn FnMut(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let size = x.len();
    let mut hessian = vec![0.0; size * size];
    for k in 0..size {
        let h = 2.0 * step_of(x[k]);
        let mut gradient = |shift: f64| {
            let mut at = x.to_vec();
            at[k] += shift * h;
            difference_gradient(f, &at)
        };
        let parts = [gradient(1.0), gradient(-1.0), gradient(2.0), gradient(-2.0)];
        for column in 0..size {
            let near = parts[0][column] - parts[1][column];
            let far = parts[2][column] - parts[3][column];
            hessian[k * size + column] = (8.0 * near - far) / (12.0 * h);
        }
    }
    for row in 0..size {
        for column in 0..row {
            let mean = 0.5 * (hessian[row * size + column] + hessian[column * size + row]);
            hessian[row * size + column] = mean;
            hessian[column * size + row] = mean;
        }
    }
    hessian
}

fn step_of(x: f64) -> f64 {
    1e-3 * x.abs().max(0.1)
}

/// Minimises from a start by Newton's method with a growing diagonal where the curvature is not positive.
pub(super) fn minimise_smooth(
    f: &mut dyn FnMut(&[f64]) -> f64,
    start: &[f64],
    watch: &dyn Watch,
) -> Result<DescentResult, Interruption> {
    let mut x = start.to_vec();
    let mut value = f(&x);
    for step in 0..STEPS_MAX {
        watch.check()?;
        let gradient = difference_gradient(f, &x);
        let hessian = difference_hessian(f, &x);
        let direction = newton_direction(&hessian, &gradient);
        let slope: f64 = direction.iter().zip(&gradient).map(|(d, g)| d * g).sum();
        let mut length = 1.0;
        let mut taken = None;
        while length > 1e-10 {
            let next: Vec<f64> = x
                .iter()
                .zip(&direction)
                .map(|(x, d)| x + length * d)
                .collect();
            let lower = f(&next);
            if lower <= value + 1e-4 * length * slope && lower.is_finite() {
                taken = Some((next, lower));
                break;
            }
            length *= 0.5;
        }
        let Some((next, lower)) = taken else {
            return Ok(DescentResult {
                x,
                value,
                steps: step,
                // Below this the differences are rounding.
                is_converged: slope.abs() < 1e-6 * (value.abs() + 1.0),
            });
        };
        let moved = next
            .iter()
            .zip(&x)
            .map(|(to, from)| (to - from).abs() / from.abs().max(0.1));
        let moved = moved.fold(0.0, f64::max);
        x = next;
        value = lower;
        if moved < 1e-9 {
            return Ok(DescentResult {
                x,
                value,
                steps: step + 1,
                is_converged: true,
            });
        }
    }
    Ok(DescentResult {
        x,
        value,
        steps: STEPS_MAX,
        is_converged: false,
    })
}

fn newton_direction(hessian: &[f64], gradient: &[f64]) -> Vec<f64> {
    let size = gradient.len();
    let largest = (0..size)
        .map(|k| hessian[k * size + k].abs())
        .fold(1e-8, f64::max);
    let mut shift = 0.0;
    for _ in 0..60 {
        let mut shifted = hessian.to_vec();
        (0..size).for_each(|k| shifted[k * size + k] += shift);
        if let Some(lower) = cholesky_lower(&shifted, size) {
            let mut direction: Vec<f64> = gradient.iter().map(|value| -value).collect();
            cholesky_solve(&lower, size, &mut direction);
            // No step longer than the variables are large.
            let longest = direction.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
            if longest > 10.0 {
                direction.iter_mut().for_each(|d| *d *= 10.0 / longest);
            }
            return direction;
        }
        shift = if shift == 0.0 {
            1e-3 * largest
        } else {
            4.0 * shift
        };
    }
    gradient.iter().map(|value| -value / largest).collect()
}
