//! The simultaneous iteration in many bits.

use rayon::prelude::*;

use super::BigPolynomial;
use super::complex::{BigComplex, ComplexDouble, join_exponent};
use crate::watch::{Interruption, Watch};

/// Most sweeps at one precision.
const SWEEPS_MAX: usize = 100;
/// Points between two checks of the stop flag.
const CHUNK: usize = 64;

/// Moves the points that are not settled until they stay; returns the number of sweeps.
pub(super) fn aberth_iteration(
    polynomial: &BigPolynomial,
    points: &mut [BigComplex],
    is_settled: &[bool],
    bits: usize,
    watch: &dyn Watch,
) -> Result<usize, Interruption> {
    let mut is_done = is_settled.to_vec();
    for sweep in 0..SWEEPS_MAX {
        let open: Vec<usize> = (0..points.len()).filter(|&i| !is_done[i]).collect();
        if open.is_empty() {
            return Ok(sweep);
        }
        let mut steps = Vec::with_capacity(open.len());
        for chunk in open.chunks(CHUNK) {
            watch.check()?;
            let given = &*points;
            let moves = chunk
                .par_iter()
                .map(|&i| aberth_correction(polynomial, given, i, bits));
            thread_pools::run_in_pool(|| steps.par_extend(moves));
        }
        for (&i, step) in open.iter().zip(&steps) {
            let Some(step) = step else {
                is_done[i] = true;
                continue;
            };
            let moved = points[i].minus(step, bits);
            // The next step is about the cube of this one: a third of the bits would do.
            is_done[i] = step.is_zero() || step.log2() < moved.log2() - 0.4 * bits as f64;
            points[i] = moved;
        }
    }
    Ok(SWEEPS_MAX)
}

/// The value and the derivative of the polynomial, by Horner's rule.
pub(super) fn evaluate_horner(
    polynomial: &BigPolynomial,
    z: &BigComplex,
    bits: usize,
) -> (BigComplex, BigComplex) {
    let mut coefficients = polynomial.coefficients.iter().rev();
    let mut value = coefficients
        .next()
        .cloned()
        .unwrap_or_else(|| BigComplex::new(0.0, 0.0));
    let mut slope = BigComplex::new(0.0, 0.0);
    for coefficient in coefficients {
        slope = slope.times(z, bits).plus(&value, bits);
        value = value.times(z, bits).plus(coefficient, bits);
    }
    (value, slope)
}

/// The correction of one point; `None` where there is none.
fn aberth_correction(
    polynomial: &BigPolynomial,
    points: &[BigComplex],
    i: usize,
    bits: usize,
) -> Option<BigComplex> {
    let (value, slope) = evaluate_horner(polynomial, &points[i], bits);
    if value.is_zero() {
        return None;
    }
    let ((value, p), (slope, q)) = (value.split(), slope.split());
    let (newton, exponent) = if slope.abs() > 0.0 {
        (value.over(slope), p - q)
    } else {
        // At a stationary point that is no root: a step of the size of the point itself.
        let (z, exponent) = points[i].split();
        (z.times(ComplexDouble::new(0.6, 0.8)), exponent)
    };
    // newton * sum of 1 / (z_i - z_j), with the exponents apart.
    let mut sum = ComplexDouble::new(0.0, 0.0);
    for (j, other) in points.iter().enumerate() {
        if j == i {
            continue;
        }
        let (gap, own) = points[i].minus(other, 64).split();
        if gap.abs() > 0.0 {
            let term = newton.over(gap);
            let scale = exponent - own;
            sum = sum.plus(ComplexDouble::new(
                join_exponent(term.re, scale),
                join_exponent(term.im, scale),
            ));
        }
    }
    let divisor = ComplexDouble::new(1.0, 0.0).minus(sum);
    let step = newton.over(divisor);
    let step = if step.is_finite() && divisor.is_finite() {
        step
    } else {
        newton
    };
    step.is_finite().then(|| BigComplex::scaled(step, exponent))
}
