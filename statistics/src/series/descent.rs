//! The minimum of a likelihood of a few variables without bounds: the method of Broyden, Fletcher, Goldfarb and Shanno.

use numerics::{Interruption, Watch};

/// Steps of a search.
const STEPS_MAX: usize = 150;

/// A minimum by quasi-Newton steps.
#[derive(Debug, Clone)]
pub(super) struct QuasiNewtonResult {
    pub x: Vec<f64>,
    pub value: f64,
}

/// Minimises from a start, with gradients by central differences; costs of about 1 in size, infinite where there is none. It ends where no step lowers
/// the cost by 1e-11.
///
/// # References
/// J. Nocedal and S. Wright, "Numerical Optimization", 2nd ed., section 6.1.
pub(super) fn minimise_quasi_newton(
    cost: &mut dyn FnMut(&[f64]) -> f64,
    start: &[f64],
    watch: &dyn Watch,
) -> Result<QuasiNewtonResult, Interruption> {
    let size = start.len();
    let mut x = start.to_vec();
    let mut value = cost(&x);
    if size == 0 || !value.is_finite() {
        return Ok(QuasiNewtonResult { x, value });
    }
    let mut gradient = central_gradient(cost, &x);
    let mut inverse = identity_matrix(size);
    let mut is_fresh = true;
    let mut idle = 0;
    for _ in 0..STEPS_MAX {
        watch.check()?;
        let mut direction = times_negative(&inverse, &gradient);
        if dot_product(&direction, &gradient) >= 0.0 {
            inverse = identity_matrix(size);
            is_fresh = true;
            direction = gradient.iter().map(|g| -g).collect();
        }
        let longest = direction.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
        let most = if is_fresh { 0.5 } else { 2.0 };
        if longest > most {
            direction.iter_mut().for_each(|d| *d *= most / longest);
        }
        let slope = dot_product(&direction, &gradient);
        let Some((next, lower)) = search_line(cost, &x, value, &direction, slope) else {
            if is_fresh {
                break;
            }
            inverse = identity_matrix(size);
            is_fresh = true;
            continue;
        };
        let new_gradient = central_gradient(cost, &next);
        let step: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = new_gradient
            .iter()
            .zip(&gradient)
            .map(|(a, b)| a - b)
            .collect();
        is_fresh = !update_inverse(&mut inverse, &step, &change, is_fresh);
        idle = match value - lower <= 1e-11 * (1.0 + lower.abs()) {
            true => idle + 1,
            false => 0,
        };
        (x, value, gradient) = (next, lower, new_gradient);
        let steepest = gradient.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
        if idle >= 2 || steepest < 1e-8 {
            break;
        }
    }
    Ok(QuasiNewtonResult { x, value })
}

/// The first of halved steps that lowers the cost enough.
fn search_line(
    cost: &mut dyn FnMut(&[f64]) -> f64,
    x: &[f64],
    value: f64,
    direction: &[f64],
    slope: f64,
) -> Option<(Vec<f64>, f64)> {
    let mut length = 1.0;
    for _ in 0..30 {
        let next: Vec<f64> = x
            .iter()
            .zip(direction)
            .map(|(x, d)| x + length * d)
            .collect();
        let lower = cost(&next);
        if lower < value && lower <= value + 1e-4 * length * slope {
            return Some((next, lower));
        }
        length *= 0.5;
    }
    None
}

fn central_gradient(cost: &mut dyn FnMut(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let mut at = x.to_vec();
    let mut slope = |k: usize| {
        let h = 1e-5 * x[k].abs().max(1.0);
        at[k] = x[k] + h;
        let above = cost(&at);
        at[k] = x[k] - h;
        let below = cost(&at);
        at[k] = x[k];
        let slope = (above - below) / (2.0 * h);
        if slope.is_finite() { slope } else { 0.0 }
    };
    (0..x.len()).map(&mut slope).collect()
}

/// The update of the inverse Hessian; whether the curvature along the step was positive, so that it was made.
fn update_inverse(inverse: &mut [f64], step: &[f64], change: &[f64], is_fresh: bool) -> bool {
    let size = step.len();
    let curvature = dot_product(step, change);
    let power = dot_product(change, change);
    if curvature <= 1e-14 * power.max(f64::MIN_POSITIVE) {
        return false;
    }
    if is_fresh {
        (0..size).for_each(|k| inverse[k * size + k] = curvature / power);
    }
    let product: Vec<f64> = (0..size)
        .map(|row| dot_product(&inverse[row * size..(row + 1) * size], change))
        .collect();
    let factor = (1.0 + dot_product(change, &product) / curvature) / curvature;
    for row in 0..size {
        for column in 0..size {
            inverse[row * size + column] += factor * step[row] * step[column]
                - (product[row] * step[column] + step[row] * product[column]) / curvature;
        }
    }
    true
}

fn identity_matrix(size: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; size * size];
    (0..size).for_each(|k| matrix[k * size + k] = 1.0);
    matrix
}

fn times_negative(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let rows = matrix.chunks(vector.len());
    rows.map(|row| -dot_product(row, vector)).collect()
}

fn dot_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
