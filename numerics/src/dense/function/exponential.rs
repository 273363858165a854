//! Scaling and squaring for the exponential of real and complex matrices.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::linalg::matmul::matmul;
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{Accum, Mat, Par, Spec};

const PAR: Par = Par::Seq;

/// The entries that the exponential is written for: doubles and pairs of them.
pub trait ExponentialEntry: ComplexField<Real = f64> + Copy {
    /// A real number.
    fn of(value: f64) -> Self;
    /// The magnitude.
    fn size(self) -> f64;
    /// `self + factor other`.
    fn plus(self, factor: f64, other: Self) -> Self;
}

impl ExponentialEntry for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn size(self) -> f64 {
        self.abs()
    }
    fn plus(self, factor: f64, other: Self) -> Self {
        self + factor * other
    }
}

impl ExponentialEntry for faer::c64 {
    fn of(value: f64) -> Self {
        Self::new(value, 0.0)
    }
    fn size(self) -> f64 {
        self.re.hypot(self.im)
    }
    fn plus(self, factor: f64, other: Self) -> Self {
        self + other * factor
    }
}

/// `a b`.
pub(super) fn multiply_matrices<T: ExponentialEntry>(a: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, T::of(1.0), PAR);
    out
}

/// Replaces `rhs` by the solution of `A X = rhs`, LU with partial pivoting.
pub(super) fn solve_in_place<T: ExponentialEntry>(mut a: Mat<T>, rhs: &mut Mat<T>) {
    let n = a.nrows();
    let (mut order, mut inverse) = (vec![0_usize; n], vec![0_usize; n]);
    let params = Spec::default();
    let scratch = factor::lu_in_place_scratch::<usize, T>(n, n, PAR, params);
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    factor::lu_in_place(a.as_mut(), &mut order, &mut inverse, PAR, stack, params);
    let scratch = solve::solve_in_place_scratch::<usize, T>(n, rhs.ncols(), PAR);
    let (order, mut memory) = (
        PermRef::new_checked(&order, &inverse, n),
        MemBuffer::new(scratch),
    );
    let (lu, stack) = (a.as_ref(), MemStack::new(&mut memory));
    solve::solve_in_place(lu, lu, order, rhs.as_mut(), PAR, stack);
}

/// Largest column sum of magnitudes.
pub(super) fn one_norm<T: ExponentialEntry>(a: &Mat<T>) -> f64 {
    let sum = |column| (0..a.nrows()).map(|row| a[(row, column)].size()).sum();
    (0..a.ncols()).map(sum).fold(0.0, f64::max)
}

/// `sum of factors[i] parts[i]`, and `constant` on the diagonal.
pub(super) fn linear_combination<T: ExponentialEntry>(
    parts: &[(&Mat<T>, f64)],
    constant: f64,
    n: usize,
) -> Mat<T> {
    let mut out = Mat::from_fn(n, n, |row, column| {
        T::of(if row == column { constant } else { 0.0 })
    });
    for (part, factor) in parts {
        for column in 0..n {
            for row in 0..n {
                out[(row, column)] = out[(row, column)].plus(*factor, part[(row, column)]);
            }
        }
    }
    out
}

/// 1-norm of `|A|^power`, by products with a vector of ones.
fn norm_of_power<T: ExponentialEntry>(a: &Mat<T>, power: usize) -> f64 {
    let n = a.nrows();
    let mut x = vec![1.0; n];
    for _ in 0..power {
        let entry = |column| (0..n).map(|row| a[(row, column)].size() * x[row]).sum();
        x = (0..n).map(entry).collect();
    }
    x.into_iter().fold(0.0, f64::max)
}

/// Extra squarings that keep the backward error of the approximant of degree m within rounding when A is far from normal.
fn extra_squarings<T: ExponentialEntry>(a: &Mat<T>, m: usize, leading: f64) -> u32 {
    let norm = one_norm(a);
    let high = norm_of_power(a, 2 * m + 1);
    if high == 0.0 || norm == 0.0 {
        return 0;
    }
    let alpha = leading * (high / norm);
    let needed = ((alpha / (f64::EPSILON / 2.0)).log2() / (2 * m) as f64).ceil();
    needed as u32 // 0 where it is negative, or not a number
}

/// Coefficients of the Padé approximant of a degree, from the last on: `b[j] = b[j + 1] (2m - j) (j + 1) / (m - j)`, all of them exact.
fn pade_coefficients(degree: usize) -> Vec<f64> {
    let mut b = vec![1.0; degree + 1];
    for j in (0..degree).rev() {
        b[j] = b[j + 1] * ((2 * degree - j) * (j + 1)) as f64 / (degree - j) as f64;
    }
    b
}

/// `e^A` and the number of squarings; not finite where it overflows.
///
/// # References
/// A. H. Al-Mohy, N. J. Higham, "A new scaling and squaring algorithm for the matrix exponential", SIAM J. Matrix Anal. Appl. 31,
/// 2009, algorithm 6.1 (norms of powers computed, not estimated).
pub fn matrix_exponential<T: ExponentialEntry>(a: Mat<T>) -> (Mat<T>, u32) {
    let n = a.nrows();
    let power = |a: &Mat<T>, b: &Mat<T>| multiply_matrices(a, b);
    let root = |a: &Mat<T>, degree: f64| one_norm(a).powf(1.0 / degree);
    let a2 = power(&a, &a);
    let a4 = power(&a2, &a2);
    let a6 = power(&a2, &a4);
    let (d4, d6) = (root(&a4, 4.0), root(&a6, 6.0));
    let eta = d4.max(d6);
    if eta <= 1.495585217958292e-2 && extra_squarings(&a, 3, 1.0 / 100800.0) == 0 {
        return (pade_approximant(&a, &[&a2], n), 0);
    }
    if eta <= 2.53939833006323e-1 && extra_squarings(&a, 5, 1.0 / 10059033600.0) == 0 {
        return (pade_approximant(&a, &[&a2, &a4], n), 0);
    }
    let a8 = power(&a4, &a4);
    let d8 = root(&a8, 8.0);
    let eta = d6.max(d8);
    if eta <= 9.504178996162932e-1 && extra_squarings(&a, 7, 1.0 / 4487938430976000.0) == 0 {
        return (pade_approximant(&a, &[&a2, &a4, &a6], n), 0);
    }
    if eta <= 2.097847961257068 && extra_squarings(&a, 9, 1.0 / 5914384781877411840000.0) == 0 {
        return (pade_approximant(&a, &[&a2, &a4, &a6, &a8], n), 0);
    }
    const THETA13: f64 = 4.25;
    const SQUARINGS_MAX: u32 = 1100;
    let d10 = root(&power(&a4, &a6), 10.0);
    let eta = eta.min(d8.max(d10));
    let needed = (eta / THETA13).log2().ceil();
    let mut squarings = needed.clamp(0.0, f64::from(SQUARINGS_MAX)) as u32; // 0 for NaN
    let shrunk = linear_combination(&[(&a, scaling_factor(squarings))], 0.0, n);
    squarings = (squarings
        + extra_squarings(&shrunk, 13, 1.0 / 113250775606021113483283660800000000.0))
    .min(SQUARINGS_MAX);
    let factor = scaling_factor(squarings);
    let (a, a2, a4, a6) = (
        linear_combination(&[(&a, factor)], 0.0, n),
        linear_combination(&[(&a2, factor.powi(2))], 0.0, n),
        linear_combination(&[(&a4, factor.powi(4))], 0.0, n),
        linear_combination(&[(&a6, factor.powi(6))], 0.0, n),
    );
    let b = pade_coefficients(13);
    let inner = linear_combination(&[(&a6, b[13]), (&a4, b[11]), (&a2, b[9])], 0.0, n);
    let high = multiply_matrices(&a6, &inner);
    let parts = [(&high, 1.0), (&a6, b[7]), (&a4, b[5]), (&a2, b[3])];
    let u = multiply_matrices(&a, &linear_combination(&parts, b[1], n));
    let inner = linear_combination(&[(&a6, b[12]), (&a4, b[10]), (&a2, b[8])], 0.0, n);
    let high = multiply_matrices(&a6, &inner);
    let parts = [(&high, 1.0), (&a6, b[6]), (&a4, b[4]), (&a2, b[2])];
    let v = linear_combination(&parts, b[0], n);
    let mut value = pade_quotient(&u, &v, n);
    for _ in 0..squarings {
        value = multiply_matrices(&value, &value);
    }
    (value, squarings)
}

fn scaling_factor(squarings: u32) -> f64 {
    super::super::scale_by_exponent(1.0, -(squarings as i32))
}

/// `(V - U)^-1 (V + U)` of the approximant that the even powers from the second allow.
fn pade_approximant<T: ExponentialEntry>(a: &Mat<T>, powers: &[&Mat<T>], n: usize) -> Mat<T> {
    let b = pade_coefficients(2 * powers.len() + 1);
    let part = |first: usize| {
        let pairs = powers
            .iter()
            .copied()
            .zip(b[first + 2..].iter().copied().step_by(2));
        linear_combination(&pairs.collect::<Vec<_>>(), b[first], n)
    };
    pade_quotient(&multiply_matrices(a, &part(1)), &part(0), n)
}

fn pade_quotient<T: ExponentialEntry>(u: &Mat<T>, v: &Mat<T>, n: usize) -> Mat<T> {
    let mut value = linear_combination(&[(v, 1.0), (u, 1.0)], 0.0, n);
    solve_in_place(
        linear_combination(&[(v, 1.0), (u, -1.0)], 0.0, n),
        &mut value,
    );
    value
}
