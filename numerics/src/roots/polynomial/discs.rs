//! Discs that cover the roots, and the groups in which they hang together.

use astro_float_num::BigFloat;

use super::aberth::evaluate_horner;
use super::complex::{BigComplex, COARSE, add_product, log2_of};
use super::{BigPolynomial, PolynomialRoot};
use crate::watch::{Interruption, Watch};

/// Factor of every bound, for the rounding of the bound itself.
const SLACK_LOG: f64 = 1e-6;

/// A disc around each point.
pub(super) struct InclusionDiscs {
    /// Binary logarithms of the radii.
    pub(super) radii: Vec<f64>,
    /// The number of the group of each point.
    group: Vec<usize>,
    /// Binary logarithm of `sum |a_k| |z|^k / (|z| |p'(z)|)`.
    condition: Vec<f64>,
}

impl InclusionDiscs {
    /// The points of each group, in the order of their first ones.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); self.group.len()];
        for (point, &group) in self.group.iter().enumerate() {
            groups[group].push(point);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }
}

/// Bounds the polynomial at each point, and with it the discs.
pub(super) fn inclusion_discs(
    polynomial: &BigPolynomial,
    points: &[BigComplex],
    bits: usize,
    watch: &dyn Watch,
) -> Result<InclusionDiscs, Interruption> {
    let n = points.len();
    let (mut radii, mut condition) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut gaps = vec![f64::INFINITY; n * n];
    for i in 0..n {
        watch.check()?;
        for j in 0..n {
            if j != i {
                gaps[i * n + j] = points[i].minus(&points[j], COARSE).log2();
            }
        }
    }
    for (i, z) in points.iter().enumerate() {
        watch.check()?;
        let (value, slope) = evaluate_horner(polynomial, z, bits);
        let sum = sum_of_sizes(polynomial, z);
        // Of Horner's rule with complex operations: 8 (n + 1) roundings of 2^-bits, each of at most the whole sum.
        let rounding = log2_of(&sum) + libm::log2(8.0 * (n as f64 + 1.0)) - bits as f64;
        let bound = log_sum(value.log2(), rounding);
        let product: f64 = (0..n).filter(|&j| j != i).map(|j| gaps[i * n + j]).sum();
        let radius = libm::log2(n as f64) + bound - polynomial.logs[n] - product;
        // The logarithms are rounded: each by less than 1e-15 of its size.
        let size = bound.abs()
            + polynomial.logs[n].abs()
            + (0..n)
                .filter(|&j| j != i)
                .map(|j| gaps[i * n + j].abs())
                .sum::<f64>();
        let radius = radius + SLACK_LOG + 1e-14 * size;
        radii.push(if radius.is_nan() {
            f64::INFINITY
        } else {
            radius
        });
        condition.push(log2_of(&sum) - z.log2() - slope.log2());
    }
    let mut group: Vec<usize> = (0..n).collect();
    for i in 0..n {
        watch.check()?;
        for j in 0..i {
            let reach = log_sum(radii[i], radii[j]) + SLACK_LOG;
            if gaps[i * n + j] <= reach && group[i] != group[j] {
                let (from, to) = (group[i].max(group[j]), group[i].min(group[j]));
                group
                    .iter_mut()
                    .filter(|group| **group == from)
                    .for_each(|group| *group = to);
            }
        }
    }
    Ok(InclusionDiscs {
        radii,
        group,
        condition,
    })
}

/// An upper bound of `sum |a_k| |z|^k`.
fn sum_of_sizes(polynomial: &BigPolynomial, z: &BigComplex) -> BigFloat {
    let size = z.size();
    let zero = BigFloat::from_f64(0.0, COARSE);
    polynomial
        .sizes
        .iter()
        .rev()
        .fold(zero, |sum, a| add_product(a, &sum, &size))
}

/// The binary logarithm of `2^a + 2^b`.
pub(super) fn log_sum(a: f64, b: f64) -> f64 {
    let (high, low) = (a.max(b), a.min(b));
    if high.is_infinite() {
        return high;
    }
    high + libm::log1p(libm::exp2(low - high)) * std::f64::consts::LOG2_E
}

/// The disc of doubles around a group.
pub(super) fn enclose_group(
    polynomial: &BigPolynomial,
    points: &[BigComplex],
    discs: &InclusionDiscs,
    group: &[usize],
) -> PolynomialRoot {
    let bits = 64 + points[group[0]].re.precision().unwrap_or(0).max(BITS_LEAST);
    let count = 1.0 / group.len() as f64;
    let mut sum = BigComplex::new(0.0, 0.0);
    for &at in group {
        sum = sum.plus(&points[at], bits);
    }
    let centre = sum.times(&BigComplex::new(count, 0.0), bits);
    let distances = group
        .iter()
        .map(|&at| log_sum(points[at].minus(&centre, COARSE).log2(), discs.radii[at]));
    let radius = distances.fold(f64::NEG_INFINITY, f64::max) + SLACK_LOG;
    let apart = |centre: &BigComplex, reach: f64| {
        (0..points.len())
            .filter(|at| !group.contains(at))
            .all(|at| {
                centre.minus(&points[at], COARSE).log2()
                    > log_sum(reach, discs.radii[at]) + SLACK_LOG
            })
    };
    let mut root = rounded_disc(polynomial, &centre, radius, group.len(), &apart);
    if group.len() == 1 {
        root.condition = libm::exp2(discs.condition[group[0]]);
    }
    root
}

const BITS_LEAST: usize = 128;

/// The disc around the nearest doubles; a real one where conjugation shows that its one root is real. `apart` says whether a disc
/// around a centre meets no disc of other roots.
pub(super) fn rounded_disc(
    polynomial: &BigPolynomial,
    centre: &BigComplex,
    radius: f64,
    multiplicity: usize,
    apart: &dyn Fn(&BigComplex, f64) -> bool,
) -> PolynomialRoot {
    let whole =
        centre.im.is_zero() || centre.im.abs().cmp(&BigFloat::from_f64(0.0, COARSE)) == Some(0);
    let height = if whole {
        f64::NEG_INFINITY
    } else {
        BigComplex {
            re: BigFloat::from_f64(0.0, COARSE),
            im: centre.im.clone(),
        }
        .log2()
    };
    // The conjugate disc holds the conjugate roots; where both lie in one real disc that no other root reaches, they are the same.
    let reach = log_sum(height, radius) + SLACK_LOG;
    let flat = BigComplex {
        re: centre.re.clone(),
        im: BigFloat::from_f64(0.0, COARSE),
    };
    let is_symmetric = polynomial.is_real && height <= radius && apart(&flat, reach);
    let (kept, reach) = if is_symmetric {
        (&flat, reach)
    } else {
        (centre, radius)
    };
    let z = kept.round();
    let moved = kept.minus(&BigComplex::new(z.re, z.im), COARSE).log2();
    let total = log_sum(reach, moved) + SLACK_LOG;
    let radius = if total == f64::NEG_INFINITY {
        0.0
    } else {
        libm::exp2(total).next_up()
    };
    PolynomialRoot {
        re: z.re,
        im: z.im,
        radius,
        multiplicity,
        is_real: is_symmetric && multiplicity == 1,
        condition: f64::INFINITY,
    }
}

/// Whether a disc around a group meets no disc of the other points.
pub(super) fn is_apart(
    points: &[BigComplex],
    discs: &InclusionDiscs,
    group: &[usize],
    root: &PolynomialRoot,
) -> bool {
    let centre = BigComplex::new(root.re, root.im);
    let reach = libm::log2(root.radius) + SLACK_LOG;
    (0..points.len())
        .filter(|at| !group.contains(at))
        .all(|at| {
            centre.minus(&points[at], COARSE).log2() > log_sum(reach, discs.radii[at]) + SLACK_LOG
        })
}
