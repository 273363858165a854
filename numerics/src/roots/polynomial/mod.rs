//! All roots of a polynomial, each in a disc that is proven to hold it.
//!
//! # Method
//! Simultaneous iteration of Ehrlich and Aberth, from starting points on circles given by the Newton polygon of the coefficients:
//! first in doubles, then in arithmetic of 128 and more bits, in which the values of the polynomial are bounded with their rounding.
//! Discs of radius `n |p(z_i)| / (|a_n| prod |z_i - z_j|)` cover all roots, and each connected group of k of them holds exactly k
//! (Gerschgorin's theorem). A group that does not fall apart is held against Pellet's theorem at its centre: one coefficient of the
//! Taylor polynomial that outweighs all others on a circle proves how many roots are inside. The number of bits doubles until every
//! group is small.
//!
//! # Cost
//! O(n^2) operations of many bits for each sweep; about 10 ms for degree 50, a few seconds for 1,000.
//!
//! # References
//! O. Aberth, Math. Comp. 27, 1973. D. A. Bini, Numer. Algorithms 13, 1996 (starting points). D. A. Bini and G. Fiorentino, Numer.
//! Algorithms 23, 2000 (discs, precision). A. E. Pellet, Bull. Sci. Math. 5, 1881.

mod aberth;
mod cluster;
mod complex;
mod discs;
mod start;
#[cfg(test)]
mod tests;

use complex::BigComplex;

use crate::watch::{Interruption, Watch};

/// Bits of the first arithmetic beyond doubles.
const BITS_FIRST: usize = 128;
/// Most bits of the simultaneous iteration; groups of roots that need more are one cluster or not resolved.
const BITS_MAX: usize = 8192;

/// A root, or several that are one to this accuracy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolynomialRoot {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
    /// Exactly `multiplicity` roots lie within this distance, and no other one.
    pub radius: f64,
    /// Number of roots in the disc.
    pub multiplicity: usize,
    /// Whether it is proven to be a real number.
    pub is_real: bool,
    /// Relative change of the root per relative change of the coefficients, to first order; infinite for several roots in one.
    pub condition: f64,
}

/// The roots and how they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct PolynomialRoots {
    /// By real part, then by imaginary part.
    pub roots: Vec<PolynomialRoot>,
    /// Whether each disc is as small as doubles allow.
    pub converged: bool,
    /// Sweeps over all roots.
    pub sweeps: usize,
    /// Most bits of the arithmetic.
    pub bits: usize,
}

/// The polynomial, lowest power first, with ends that are not zero.
struct BigPolynomial {
    coefficients: Vec<BigComplex>,
    /// Bounds of the magnitudes.
    sizes: Vec<astro_float_num::BigFloat>,
    /// Binary logarithms of the magnitudes.
    logs: Vec<f64>,
    is_real: bool,
}

impl BigPolynomial {
    fn new(re: &[f64], im: &[f64]) -> Self {
        let coefficients: Vec<BigComplex> = re
            .iter()
            .zip(im)
            .map(|(&re, &im)| BigComplex::new(re, im))
            .collect();
        Self {
            sizes: coefficients.iter().map(BigComplex::size).collect(),
            logs: coefficients.iter().map(BigComplex::log2).collect(),
            coefficients,
            is_real: im.iter().all(|&im| im == 0.0),
        }
    }

    fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }
}

/// The roots of the polynomial with these coefficients, real and imaginary parts, lowest power first. The coefficients count as
/// exact. Zeros at the upper end are left out, zeros at the lower end are roots at 0. Without a coefficient that is not zero, or
/// with a constant alone, there is no root.
///
/// ```
/// let found = numerics::roots::polynomial::find_roots(&[2.0, -3.0, 1.0], &[0.0; 3], &numerics::NoWatch)?;
/// assert_eq!(found.roots.iter().map(|root| root.re).collect::<Vec<_>>(), [1.0, 2.0]);
/// # Ok::<(), numerics::Interruption>(())
/// ```
///
/// # Errors
/// An interruption; the caller is asked between parts of a sweep.
pub fn find_roots(
    re: &[f64],
    im: &[f64],
    watch: &dyn Watch,
) -> Result<PolynomialRoots, Interruption> {
    let is_zero = |&at: &usize| re[at] == 0.0 && im[at] == 0.0;
    let zeros = (0..re.len()).take_while(is_zero).count();
    let top = (0..re.len()).rev().find(|at| !is_zero(at));
    let mut found = PolynomialRoots {
        roots: Vec::new(),
        converged: true,
        sweeps: 0,
        bits: 53,
    };
    let Some(top) = top else {
        return Ok(found);
    };
    if top > zeros {
        let polynomial = BigPolynomial::new(&re[zeros..=top], &im[zeros..=top]);
        search_roots(&polynomial, &mut found, watch)?;
    }
    if zeros > 0 {
        let nearest = found
            .roots
            .iter()
            .map(|root| libm::hypot(root.re, root.im) - root.radius);
        found.converged &= nearest.fold(f64::INFINITY, f64::min) > 0.0;
        found.roots.push(PolynomialRoot {
            re: 0.0,
            im: 0.0,
            radius: 0.0,
            multiplicity: zeros,
            is_real: true,
            condition: if zeros == 1 { 0.0 } else { f64::INFINITY },
        });
    }
    let key = |root: &PolynomialRoot| (root.re, root.im);
    found.roots.sort_by(|a, b| {
        key(a)
            .partial_cmp(&key(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(found)
}

fn search_roots(
    polynomial: &BigPolynomial,
    found: &mut PolynomialRoots,
    watch: &dyn Watch,
) -> Result<(), Interruption> {
    let n = polynomial.degree();
    let mut points = start::starting_points(polynomial, watch)?;
    let mut is_settled = vec![false; n];
    let mut bits = BITS_FIRST;
    loop {
        found.bits = bits;
        found.sweeps +=
            aberth::aberth_iteration(polynomial, &mut points, &is_settled, bits, watch)?;
        let covered = discs::inclusion_discs(polynomial, &points, bits, watch)?;
        let mut roots = Vec::new();
        let mut is_complete = true;
        for group in covered.groups() {
            let mut root = discs::enclose_group(polynomial, &points, &covered, &group);
            let is_small =
                |root: &PolynomialRoot| root.radius <= 1e-15 * libm::hypot(root.re, root.im);
            if group.len() > 1
                && !is_small(&root)
                && let Some(better) = cluster::enclose_cluster(polynomial, &points, &group, watch)?
                && is_small(&better)
                && discs::is_apart(&points, &covered, &group, &better)
            {
                root = better;
            }
            let small = is_small(&root);
            group.iter().for_each(|&at| is_settled[at] = small);
            is_complete &= small;
            roots.push(root);
        }
        if is_complete || bits >= BITS_MAX {
            found.roots = roots;
            found.converged = is_complete;
            return Ok(());
        }
        bits *= 2;
    }
}
