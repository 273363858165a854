//! Starting points: circles from the Newton polygon, and the iteration in doubles.

use std::f64::consts::TAU;

use super::BigPolynomial;
use super::complex::{BigComplex, ComplexDouble, join_exponent};
use crate::watch::{Interruption, Watch};

/// Sweeps in doubles; what is not found then is left to more bits.
const SWEEPS_MAX: usize = 60;
/// Binary logarithm of the largest size of a coefficient or root for which doubles are tried.
const LOG_MAX: f64 = 300.0;

/// Points near the roots.
pub(super) fn starting_points(
    polynomial: &BigPolynomial,
    watch: &dyn Watch,
) -> Result<Vec<BigComplex>, Interruption> {
    let circles = starting_circles(&polynomial.logs);
    let (n, logs) = (polynomial.degree(), &polynomial.logs);
    // In units of 2^unit the roots have 1 as geometric mean.
    let unit = ((logs[0] - logs[n]) / n as f64).round();
    let largest = (0..=n)
        .map(|k| logs[k] + k as f64 * unit)
        .fold(f64::NEG_INFINITY, f64::max);
    let fits = |log: f64| (log - unit).abs() * (n as f64) < LOG_MAX * 3.0;
    let place = |(log, angle): (f64, f64)| {
        let whole = log.floor();
        let radius = libm::exp2(log - whole);
        let z = ComplexDouble::new(radius * libm::cos(angle), radius * libm::sin(angle));
        (z, whole as i64)
    };
    let fits = circles.iter().all(|&(log, _)| fits(log))
        && [logs[0], logs[n] + n as f64 * unit]
            .iter()
            .all(|log| largest - log < LOG_MAX * 3.0);
    if !fits {
        return Ok(circles
            .into_iter()
            .map(place)
            .map(|(z, e)| BigComplex::scaled(z, e))
            .collect());
    }
    let unit = unit as i64;
    let shift = |k: usize| k as i64 * unit - largest.ceil() as i64;
    let scaled: Vec<ComplexDouble> = (0..=n)
        .map(|k| {
            let (z, exponent) = polynomial.coefficients[k].split();
            let exponent = exponent + shift(k);
            ComplexDouble::new(join_exponent(z.re, exponent), join_exponent(z.im, exponent))
        })
        .collect();
    let mut z: Vec<ComplexDouble> = circles
        .into_iter()
        .map(place)
        .map(|(z, e)| {
            ComplexDouble::new(join_exponent(z.re, e - unit), join_exponent(z.im, e - unit))
        })
        .collect();
    let first = z.clone();
    double_iteration(&scaled, &mut z, watch)?;
    Ok(z.iter()
        .zip(&first)
        .map(|(z, first)| if z.is_finite() { z } else { first })
        .map(|&z| BigComplex::scaled(z, unit))
        .collect())
}

/// The binary logarithms of radii and the angles: for each edge of the upper convex hull of `(k, log |a_k|)` as many points on a
/// circle as it is long (Bini 1996).
fn starting_circles(logs: &[f64]) -> Vec<(f64, f64)> {
    let mut hull: Vec<usize> = Vec::new();
    for k in (0..logs.len()).filter(|&k| logs[k].is_finite()) {
        while let [.., a, b] = hull[..] {
            let slope = |i: usize, j: usize| (logs[j] - logs[i]) / (j - i) as f64;
            if slope(a, b) > slope(b, k) {
                break;
            }
            hull.pop();
        }
        hull.push(k);
    }
    let n = (logs.len() - 1) as f64;
    let mut points = Vec::with_capacity(logs.len() - 1);
    for (edge, pair) in hull.windows(2).enumerate() {
        let count = pair[1] - pair[0];
        let log = (logs[pair[0]] - logs[pair[1]]) / count as f64;
        for j in 0..count {
            let angle = TAU * (j as f64 / count as f64 + edge as f64 / n) + 0.7;
            points.push((log, angle));
        }
    }
    points
}

fn double_iteration(
    a: &[ComplexDouble],
    z: &mut [ComplexDouble],
    watch: &dyn Watch,
) -> Result<(), Interruption> {
    let n = z.len();
    let mut is_done = vec![false; n];
    for _ in 0..SWEEPS_MAX {
        for i in 0..n {
            if is_done[i] {
                continue;
            }
            watch.check()?;
            let Some((newton, is_exact)) = newton_correction(a, z[i]) else {
                is_done[i] = true;
                continue;
            };
            let others = (0..n).filter(|&j| j != i).map(|j| z[i].minus(z[j]));
            let one = ComplexDouble::new(1.0, 0.0);
            let sum = others
                .filter(|gap| gap.abs() > 0.0)
                .fold(ComplexDouble::new(0.0, 0.0), |sum, gap| {
                    sum.plus(one.over(gap))
                });
            let step = newton.over(one.minus(newton.times(sum)));
            if !step.is_finite() {
                is_done[i] = true;
                continue;
            }
            z[i] = z[i].minus(step);
            is_done[i] = is_exact || step.abs() <= 1e-15 * z[i].abs();
        }
        if is_done.iter().all(|done| *done) {
            break;
        }
    }
    Ok(())
}

/// Newton's correction, and whether the value is within its rounding; `None` where it is not finite.
fn newton_correction(a: &[ComplexDouble], z: ComplexDouble) -> Option<(ComplexDouble, bool)> {
    let n = a.len() - 1;
    let size = z.abs();
    let zero = ComplexDouble::new(0.0, 0.0);
    let horner =
        |x: ComplexDouble, size: f64, coefficients: &mut dyn Iterator<Item = &ComplexDouble>| {
            coefficients.fold((zero, zero, 0.0), |(p, slope, bound), &c| {
                let slope = slope.times(x).plus(p);
                (p.times(x).plus(c), slope, bound * size + c.abs())
            })
        };
    let (p, slope, bound) = if size <= 1.0 {
        horner(z, size, &mut a.iter().rev())
    } else {
        // p(z) = z^n q(1/z)
        let inverse = ComplexDouble::new(1.0, 0.0).over(z);
        let (q, slope, bound) = horner(inverse, inverse.abs(), &mut a.iter());
        let scaled = ComplexDouble::new(n as f64, 0.0)
            .times(q)
            .minus(inverse.times(slope));
        (z.times(q), scaled, bound * size)
    };
    let correction = p.over(slope);
    let is_exact = p.abs() <= 4.0 * n as f64 * f64::EPSILON * bound;
    correction.is_finite().then_some((correction, is_exact))
}
