//! Newton steps to rounding, and the test of Krawczyk.
//!
//! # References
//! R. Krawczyk, Computing 4, 1969. R. E. Moore, "A test for existence of solutions to nonlinear systems", SIAM J. Numer. Anal. 14, 1977.

use super::SystemSearch;
use crate::roots::RootError;
use crate::roots::interval::Interval;
use crate::watch::Watch;

/// The inverse of a matrix of `n` rows by Gauss and Jordan with row exchanges; `None` where a pivot is zero or not finite.
pub(super) fn invert_matrix(
    matrix: &[f64],
    n: usize,
    watch: &dyn Watch,
) -> Result<Option<Vec<f64>>, RootError> {
    let mut a = matrix.to_vec();
    let mut b = vec![0.0; n * n];
    (0..n).for_each(|i| b[i * n + i] = 1.0);
    for column in 0..n {
        watch.check()?;
        let size = |row: usize| a[row * n + column].abs();
        let pivot = (column..n)
            .max_by(|&p, &q| size(p).total_cmp(&size(q)))
            .unwrap_or(column);
        let value = a[pivot * n + column];
        if value == 0.0 || !value.is_finite() {
            return Ok(None);
        }
        if pivot != column {
            for k in 0..n {
                a.swap(pivot * n + k, column * n + k);
                b.swap(pivot * n + k, column * n + k);
            }
        }
        for k in 0..n {
            a[column * n + k] /= value;
            b[column * n + k] /= value;
        }
        for row in (0..n).filter(|row| *row != column) {
            let factor = a[row * n + column];
            if factor == 0.0 {
                continue;
            }
            for k in 0..n {
                a[row * n + k] -= factor * a[column * n + k];
                b[row * n + k] -= factor * b[column * n + k];
            }
        }
    }
    Ok(b.iter().all(|value| value.is_finite()).then_some(b))
}

/// The product of a matrix and a vector.
pub(super) fn multiply_vector(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix
        .chunks_exact(x.len())
        .map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
        .collect()
}

/// The condition of a matrix in the maximum norm, its columns scaled to 1, with its inverse.
pub(super) fn condition_number(matrix: &[f64], inverse: &[f64], n: usize) -> f64 {
    let scale = |j: usize| (0..n).map(|i| matrix[i * n + j].abs()).fold(0.0, f64::max);
    let scales: Vec<f64> = (0..n).map(scale).collect();
    // Rows are scaled too: an equation may be multiplied by any number.
    let row = |i: usize| {
        (0..n)
            .map(|j| matrix[i * n + j].abs() / scales[j])
            .sum::<f64>()
    };
    let rows: Vec<f64> = (0..n).map(row).collect();
    let sum = |j: usize| {
        (0..n)
            .map(|i| (inverse[j * n + i] * scales[j] * rows[i]).abs())
            .sum::<f64>()
    };
    (0..n).map(sum).fold(0.0, f64::max)
}

/// A bound of the distance of each unknown to the one solution near a point; `None` where it is not proven.
pub(super) fn verify_solution(
    equations: &SystemSearch<'_>,
    x: &[f64],
    inverse: &[f64],
) -> Result<Option<Vec<f64>>, RootError> {
    const ROUNDS: usize = 12;
    /// Most unknowns: a round takes about `30 n^3` ns.
    const UNKNOWNS_MAX: usize = 200;
    let n = equations.n();
    if n > UNKNOWNS_MAX {
        return Ok(None);
    }
    let points: Vec<Interval> = x.iter().map(|&x| Interval::point(x)).collect();
    let Some(centre) = equations.over(&points)? else {
        return Ok(None);
    };
    let preconditioned: Vec<Interval> = multiply_intervals(inverse, &centre.values, n);
    let unit = |x: f64| x.abs().next_up() - x.abs();
    let mut reach: Vec<f64> = (0..n)
        .map(|i| 1.5 * preconditioned[i].magnitude() + unit(x[i]))
        .collect();
    for _ in 0..ROUNDS {
        equations.watch.check()?;
        if reach.iter().any(|reach| !reach.is_finite()) {
            return Ok(None);
        }
        let offsets: Vec<Interval> = reach
            .iter()
            .map(|&reach| Interval::new(-reach, reach))
            .collect();
        let whole: Vec<Interval> = points
            .iter()
            .zip(&offsets)
            .map(|(x, offset)| x.plus(*offset))
            .collect();
        let Some(boxed) = equations.over(&whole)? else {
            return Ok(None);
        };
        if !boxed.is_regular {
            return Ok(None);
        }
        // K - x = -C f(x) + (I - C J(X)) (X - x)
        let mut is_inside = true;
        let mut found = Vec::with_capacity(n);
        for i in 0..n {
            equations.watch.check()?;
            let mut sum = preconditioned[i].negated();
            for (j, offset) in offsets.iter().enumerate() {
                let mut entry = Interval::point(if i == j { 1.0 } else { 0.0 });
                for k in 0..n {
                    let share = Interval::point(inverse[i * n + k]).times(boxed.slopes[k * n + j]);
                    entry = entry.minus(share);
                }
                sum = sum.plus(entry.times(*offset));
            }
            is_inside &= sum.lo > offsets[i].lo && sum.hi < offsets[i].hi;
            found.push(sum.magnitude());
        }
        if is_inside {
            return Ok(Some(found));
        }
        for (reach, found) in reach.iter_mut().zip(&found) {
            *reach = (4.0 * *reach).max(1.5 * found);
        }
    }
    Ok(None)
}

fn multiply_intervals(matrix: &[f64], values: &[Interval], n: usize) -> Vec<Interval> {
    let row = |i: usize| {
        (0..n).fold(Interval::ZERO, |sum, k| {
            sum.plus(Interval::point(matrix[i * n + k]).times(values[k]))
        })
    };
    (0..n).map(row).collect()
}
