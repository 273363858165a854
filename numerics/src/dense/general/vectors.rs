//! Eigenvectors of an upper quasi-triangular matrix by back substitution.
//!
//! # Method
//! `(T - lambda I) x = 0` with one component of `x`, or the two of a block, given. A pivot that is zero to working precision is
//! replaced by the unit roundoff times the norm: the vector is then one of a matrix as near as rounding. Components that grow are
//! scaled back, so that nothing overflows.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 7.6.4 (LAPACK xTREVC).

use faer::Mat;
use pulp::Simd;

use crate::dense::lanes::{LaneKernel, VectorUnit, dispatch_kernel};

/// Stands for the norm of a matrix of zeros.
const TINY: f64 = f64::MIN_POSITIVE / f64::EPSILON;
/// Components beyond this are scaled back.
const LARGE: f64 = 1e100;

/// The right eigenvectors of T, in the packing of `RawEigen`: real and imaginary part in two columns per conjugate pair.
pub(super) fn right_vectors(t: &Mat<f64>, real: &[f64], imaginary: &[f64]) -> Mat<f64> {
    dispatch_kernel(BackSubstitution { t, real, imaginary })
}

struct BackSubstitution<'a> {
    t: &'a Mat<f64>,
    real: &'a [f64],
    imaginary: &'a [f64],
}

impl LaneKernel for BackSubstitution<'_> {
    type Output = Mat<f64>;

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) -> Mat<f64> {
        let Self { t, real, imaginary } = self;
        let n = t.nrows();
        let norm = (0..n)
            .flat_map(|column| &t.col_as_slice(column)[..n.min(column + 2)])
            .fold(TINY, |most: f64, entry| most.max(entry.abs()));
        let least = 0.5 * f64::EPSILON * norm;
        let mut vectors = Mat::zeros(n, n);
        let mut end = n;
        while end > 0 {
            let last = end - 1;
            if imaginary[last] == 0.0 {
                let x = vectors.col_as_slice_mut(last);
                x[last] = 1.0;
                for (entry, t) in x[..last].iter_mut().zip(t.col_as_slice(last)) {
                    *entry = -t;
                }
                solve_shifted_triangular(
                    unit,
                    (t, imaginary),
                    (real[last], 0.0),
                    least,
                    &mut [x],
                    last,
                );
                end -= 1;
                continue;
            }
            let first = last - 1;
            let omega = imaginary[first];
            let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
            // (t_ff - lambda) x_f + t_fl x_l = 0 and t_lf x_f + (t_ll - lambda) x_l = 0: divide by the larger entry.
            let (above, below) = (t[(first, last)], t[(last, first)]);
            (x[first], y[last]) = if above.abs() >= below.abs() {
                (1.0, omega / above)
            } else {
                (-omega / below, 1.0)
            };
            let (to_first, to_last) = (t.col_as_slice(first), t.col_as_slice(last));
            for row in 0..first {
                x[row] = -to_first[row] * x[first];
                y[row] = -to_last[row] * y[last];
            }
            let lambda = (real[first], omega);
            solve_shifted_triangular(
                unit,
                (t, imaginary),
                lambda,
                least,
                &mut [&mut x[..], &mut y[..]],
                first,
            );
            vectors.col_as_slice_mut(first).copy_from_slice(&x);
            vectors.col_as_slice_mut(last).copy_from_slice(&y);
            end -= 2;
        }
        vectors
    }
}

/// Solves `(T - lambda I) z = b` for the rows before `rows`, `b` standing in `z`: the real part, and with P = 2 the imaginary one.
#[inline(always)]
fn solve_shifted_triangular<S: Simd, const R: usize, const P: usize>(
    unit: VectorUnit<S, R>,
    (t, imaginary): (&Mat<f64>, &[f64]),
    lambda: Complex,
    least: f64,
    z: &mut [&mut [f64]; P],
    rows: usize,
) {
    let mut end = rows;
    while end > 0 {
        let last = end - 1;
        let entry =
            |z: &[&mut [f64]; P], row: usize| (z[0][row], if P == 2 { z[1][row] } else { 0.0 });
        if imaginary[last] == 0.0 {
            let mut pivot = (t[(last, last)] - lambda.0, -lambda.1);
            if complex_magnitude(pivot) < least {
                pivot = (least, 0.0);
            }
            if P == 1 {
                z[0][last] /= pivot.0;
            } else {
                (z[0][last], z[1][last]) = complex_quotient(entry(z, last), pivot);
            }
            rescale_vector(z, rows + P, last..end);
            for part in &mut *z {
                let (before, entry) = part.split_at_mut(last);
                unit.add_multiples(before, [&t.col_as_slice(last)[..last]], [-entry[0]]);
            }
            end -= 1;
            continue;
        }
        let first = last - 1;
        let rhs = [entry(z, first), entry(z, last)];
        let [a, b] = solve_block(diagonal_block(t, first, lambda), rhs, least);
        (z[0][first], z[0][last]) = (a.0, b.0);
        if P == 2 {
            (z[1][first], z[1][last]) = (a.1, b.1);
        }
        rescale_vector(z, rows + P, first..end);
        let columns = [first, last].map(|column| &t.col_as_slice(column)[..first]);
        for part in &mut *z {
            let (before, entries) = part.split_at_mut(first);
            unit.add_multiples(before, columns, [-entries[0], -entries[1]]);
        }
        end -= 2;
    }
}

type Complex = (f64, f64);

/// The block of `T - lambda I` at `at`, row by row.
fn diagonal_block(t: &Mat<f64>, at: usize, lambda: Complex) -> [Complex; 4] {
    [
        (t[(at, at)] - lambda.0, -lambda.1),
        (t[(at, at + 1)], 0.0),
        (t[(at + 1, at)], 0.0),
        (t[(at + 1, at + 1)] - lambda.0, -lambda.1),
    ]
}

/// Solves a system of two by elimination with the larger pivot.
fn solve_block(block: [Complex; 4], rhs: [Complex; 2], least: f64) -> [Complex; 2] {
    let [mut a, mut b, mut c, mut d] = block;
    let [mut p, mut q] = rhs;
    if complex_magnitude(c) > complex_magnitude(a) {
        (a, b, c, d) = (c, d, a, b);
        (p, q) = (q, p);
    }
    if complex_magnitude(a) < least {
        a = (least, 0.0);
    }
    let factor = complex_quotient(c, a);
    let mut pivot = complex_difference(d, complex_product(factor, b));
    if complex_magnitude(pivot) < least {
        pivot = (least, 0.0);
    }
    let second = complex_quotient(complex_difference(q, complex_product(factor, p)), pivot);
    let first = complex_quotient(complex_difference(p, complex_product(b, second)), a);
    [first, second]
}

fn complex_magnitude(a: Complex) -> f64 {
    a.0.abs() + a.1.abs()
}

fn complex_product(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn complex_difference(a: Complex, b: Complex) -> Complex {
    (a.0 - b.0, a.1 - b.1)
}

/// Smith's division.
fn complex_quotient(a: Complex, b: Complex) -> Complex {
    if b.0.abs() >= b.1.abs() {
        let ratio = b.1 / b.0;
        let denominator = b.0 + b.1 * ratio;
        (
            (a.0 + a.1 * ratio) / denominator,
            (a.1 - a.0 * ratio) / denominator,
        )
    } else {
        let ratio = b.0 / b.1;
        let denominator = b.0 * ratio + b.1;
        (
            (a.0 * ratio + a.1) / denominator,
            (a.1 * ratio - a.0) / denominator,
        )
    }
}

/// Scales a vector back when one of the given components has grown large.
fn rescale_vector(parts: &mut [&mut [f64]], whole: usize, components: std::ops::Range<usize>) {
    let most = parts
        .iter()
        .flat_map(|part| &part[components.clone()])
        .fold(0.0, |most: f64, entry| most.max(entry.abs()));
    if most > LARGE {
        let factor = most.recip();
        for part in parts {
            part[..whole].iter_mut().for_each(|entry| *entry *= factor);
        }
    }
}
