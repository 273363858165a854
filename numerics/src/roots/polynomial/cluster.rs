//! Several roots in one disc, by Pellet's theorem.

use astro_float_num::BigFloat;

use super::complex::{BigComplex, ComplexDouble, add_product, log2_of};
use super::discs::{log_sum, rounded_disc};
use super::{BigPolynomial, PolynomialRoot};
use crate::watch::{Interruption, Watch};

/// Most roots of one group that is looked at.
const COUNT_MAX: usize = 200;
/// Bits of the radius that is looked for.
const BITS_OF_RADIUS: usize = 60;
/// Newton steps to the centre.
const STEPS_MAX: usize = 20;

/// The disc around the mean of a group, where one coefficient of the Taylor polynomial there proves the number of its roots; `None`
/// where none does.
pub(super) fn enclose_cluster(
    polynomial: &BigPolynomial,
    points: &[BigComplex],
    group: &[usize],
    watch: &dyn Watch,
) -> Result<Option<PolynomialRoot>, Interruption> {
    let (n, m) = (polynomial.degree(), group.len());
    if m > COUNT_MAX {
        return Ok(None);
    }
    // |p| on a circle of radius 2^-60 is 2^-60m; conditioning takes a few bits for each degree beside.
    let bits = (64 + (BITS_OF_RADIUS + 8) * m + 4 * n).next_multiple_of(64);
    let mut sum = BigComplex::new(0.0, 0.0);
    for &at in group {
        sum = sum.plus(&points[at], bits);
    }
    let mut centre = sum.times(&BigComplex::new(1.0 / m as f64, 0.0), bits);
    for _ in 0..STEPS_MAX {
        // The mean of the roots is about the root of the derivative of order m - 1.
        let taylor = taylor_shift(polynomial, &centre, m, bits, watch)?;
        let ((value, p), (slope, q)) = (taylor[m - 1].split(), taylor[m].split());
        if slope.abs() == 0.0 || value.abs() == 0.0 {
            break;
        }
        let step = value.over(slope);
        let step = BigComplex::scaled(
            ComplexDouble::new(step.re / m as f64, step.im / m as f64),
            p - q,
        );
        centre = centre.minus(&step, bits);
        if step.log2() < centre.log2() - 2.0 * BITS_OF_RADIUS as f64 {
            break;
        }
    }
    let taylor = taylor_shift(polynomial, &centre, n, bits, watch)?;
    let sizes = taylor_magnitudes(polynomial, &centre, watch)?;
    // Each coefficient is off by at most 16 (n + 1) roundings of the coefficient of magnitudes.
    let off = libm::log2(16.0 * (n as f64 + 1.0)) - bits as f64;
    let upper: Vec<f64> = (0..=n)
        .map(|k| log_sum(taylor[k].log2(), sizes[k] + off))
        .collect();
    let (size, error) = (taylor[m].log2(), sizes[m] + off);
    if error > size - 1.0 {
        return Ok(None);
    }
    let lower = size + libm::log1p(-libm::exp2(error - size)) * std::f64::consts::LOG2_E - 1e-9;
    let first = (0..m)
        .map(|k| (upper[k] - lower) / (m - k) as f64)
        .fold(f64::NEG_INFINITY, f64::max);
    for quarter in 0..24 {
        let log = first + 0.25 * f64::from(quarter);
        let others = (0..=n)
            .filter(|&k| k != m)
            .map(|k| upper[k] + k as f64 * log)
            .fold(f64::NEG_INFINITY, log_sum);
        if others + 1e-6 < lower + m as f64 * log {
            let root = rounded_disc(polynomial, &centre, log, m, &|_, _| false);
            return Ok(Some(snap_to_real(polynomial, root)));
        }
    }
    Ok(None)
}

/// Puts a disc that meets the real axis onto it.
fn snap_to_real(polynomial: &BigPolynomial, root: PolynomialRoot) -> PolynomialRoot {
    if !polynomial.is_real || root.im.abs() > root.radius {
        return root;
    }
    PolynomialRoot {
        im: 0.0,
        radius: (root.radius + root.im.abs()).next_up(),
        ..root
    }
}

/// The first coefficients of the polynomial in powers of `z - centre`, up to `last`, by repeated division.
fn taylor_shift(
    polynomial: &BigPolynomial,
    centre: &BigComplex,
    last: usize,
    bits: usize,
    watch: &dyn Watch,
) -> Result<Vec<BigComplex>, Interruption> {
    let mut a = polynomial.coefficients.clone();
    let n = a.len() - 1;
    for k in 0..=last.min(n) {
        watch.check()?;
        for j in (k..n).rev() {
            a[j] = a[j + 1].times(centre, bits).plus(&a[j], bits);
        }
    }
    Ok(a)
}

/// Binary logarithms of bounds of the coefficients of the polynomial of magnitudes in powers of `z - |centre|`.
fn taylor_magnitudes(
    polynomial: &BigPolynomial,
    centre: &BigComplex,
    watch: &dyn Watch,
) -> Result<Vec<f64>, Interruption> {
    let mut a: Vec<BigFloat> = polynomial.sizes.clone();
    let size = centre.size();
    let n = a.len() - 1;
    for k in 0..=n {
        watch.check()?;
        for j in (k..n).rev() {
            a[j] = add_product(&a[j], &a[j + 1], &size);
        }
    }
    Ok(a.iter().map(log2_of).collect())
}
