//! The complex Schur form of a real matrix.

use faer::{Mat, MatRef, c64};

use crate::dense::{SpectralConvergenceError, add_multiple};

/// `A = Q T Q*`, Q unitary and T upper triangular with the eigenvalues on its diagonal.
#[derive(Debug, Clone)]
pub(crate) struct SchurFactors {
    /// n x n.
    pub q: Mat<c64>,
    /// n x n.
    pub t: Mat<c64>,
}

/// Reduces a real n x n matrix: Hessenberg form by reflections, then QR steps with Wilkinson's shift; about 60 n^3 operations on
/// real numbers.
///
/// # Errors
/// [`SpectralConvergenceError`] after 40 steps per eigenvalue.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, sections 7.4 and 7.5 (LAPACK xLAHQR).
pub(crate) fn complex_schur(a: MatRef<'_, f64>) -> Result<SchurFactors, SpectralConvergenceError> {
    const STEPS_EACH: usize = 40;
    let n = a.nrows();
    let (h, z) = hessenberg_factors(a);
    let mut t = Mat::from_fn(n, n, |row, column| c64::new(h[(row, column)], 0.0));
    let mut q = Mat::from_fn(n, n, |row, column| c64::new(z[(row, column)], 0.0));
    let norm = (0..n)
        .map(|column| (0..n).map(|row| h[(row, column)].abs()).sum::<f64>())
        .fold(0.0, f64::max);
    let mut end = n;
    let mut steps = 0;
    while end > 1 {
        let mut start = end - 1;
        while start > 0 {
            let near =
                cheap_magnitude(t[(start, start)]) + cheap_magnitude(t[(start - 1, start - 1)]);
            let scale = if near > 0.0 { near } else { norm };
            if cheap_magnitude(t[(start, start - 1)]) <= f64::EPSILON * scale.min(norm) {
                t[(start, start - 1)] = c64::new(0.0, 0.0);
                break;
            }
            start -= 1;
        }
        if start == end - 1 {
            end -= 1;
            steps = 0;
            continue;
        }
        steps += 1;
        if steps > STEPS_EACH {
            let what = "the Schur form";
            return Err(SpectralConvergenceError { what });
        }
        let shift = if steps % 11 == 10 {
            // An exceptional shift ends a cycle.
            t[(end - 1, end - 1)] + c64::new(cheap_magnitude(t[(end - 1, end - 2)]), 0.0)
        } else {
            wilkinson_shift(&t, end)
        };
        apply_qr_step(&mut t, &mut q, start, end, shift);
    }
    for column in 0..n {
        for row in column + 1..n {
            t[(row, column)] = c64::new(0.0, 0.0);
        }
    }
    Ok(SchurFactors { q, t })
}

/// Cheap magnitude.
fn cheap_magnitude(value: c64) -> f64 {
    value.re.abs() + value.im.abs()
}

/// The eigenvalue of the last 2 x 2 block that is nearer to its last entry.
fn wilkinson_shift(t: &Mat<c64>, end: usize) -> c64 {
    let (a, b) = (t[(end - 2, end - 2)], t[(end - 2, end - 1)]);
    let (c, d) = (t[(end - 1, end - 2)], t[(end - 1, end - 1)]);
    let half = (a - d) * 0.5;
    let root = (half * half + b * c).sqrt();
    let (plus, minus) = (half + root, half - root);
    let outer = cheap_magnitude(plus) >= cheap_magnitude(minus);
    let larger = if outer { plus } else { minus };
    if cheap_magnitude(larger) == 0.0 {
        return d;
    }
    d - b * c / larger
}

/// One QR step on rows and columns `start..end` with the shift, applied to the whole of T and Q.
fn apply_qr_step(t: &mut Mat<c64>, q: &mut Mat<c64>, start: usize, end: usize, shift: c64) {
    let n = t.nrows();
    let mut x = t[(start, start)] - shift;
    let mut y = t[(start + 1, start)];
    for k in start..end - 1 {
        if k > start {
            x = t[(k, k - 1)];
            y = t[(k + 1, k - 1)];
        }
        // G = [c s; -s* c] with c real takes (x, y) to (r, 0).
        let (c, s) = givens_rotation(x, y);
        for column in k.saturating_sub(1).max(start)..n {
            let (upper, lower) = (t[(k, column)], t[(k + 1, column)]);
            t[(k, column)] = upper * c + s * lower;
            t[(k + 1, column)] = lower * c - s.conj() * upper;
        }
        let last = (k + 3).min(end);
        rotate_columns(t, k, c, s, last);
        rotate_columns(q, k, c, s, n);
    }
}

fn givens_rotation(x: c64, y: c64) -> (f64, c64) {
    let (x_size, y_size) = (x.norm(), y.norm());
    if y_size == 0.0 {
        return (1.0, c64::new(0.0, 0.0));
    }
    if x_size == 0.0 {
        return (0.0, y.conj() / y_size);
    }
    let length = libm::hypot(x_size, y_size);
    (x_size / length, (x / x_size) * (y.conj() / length))
}

/// Multiplies columns k and k + 1 by the adjoint of the rotation, in the first `rows` rows.
fn rotate_columns(matrix: &mut Mat<c64>, k: usize, c: f64, s: c64, rows: usize) {
    for row in 0..rows {
        let (left, right) = (matrix[(row, k)], matrix[(row, k + 1)]);
        matrix[(row, k)] = left * c + right * s.conj();
        matrix[(row, k + 1)] = right * c - left * s;
    }
}

/// `A = Z H Z'` with H upper Hessenberg, by reflections.
fn hessenberg_factors(a: MatRef<'_, f64>) -> (Mat<f64>, Mat<f64>) {
    let n = a.nrows();
    let mut h = a.to_owned();
    let mut z: Mat<f64> = Mat::identity(n, n);
    for step in 0..n.saturating_sub(2) {
        let mut v = h.col_as_slice(step)[step + 1..].to_vec();
        if v[1..].iter().all(|&value| value == 0.0) {
            continue;
        }
        let length = crate::dense::euclidean_norm(&v);
        v.iter_mut().for_each(|value| *value /= length);
        let sign = 1.0_f64.copysign(v[0]);
        v[0] += sign;
        let scale = v[0].abs().sqrt();
        v.iter_mut().for_each(|value| *value /= scale);
        for column in step..n {
            let entries = &mut h.col_as_slice_mut(column)[step + 1..];
            let factor = crate::dense::dot(&v, entries);
            add_multiple(entries, -factor, &v);
        }
        for target in [&mut h, &mut z] {
            let mut image = vec![0.0; n];
            for (offset, &v) in v.iter().enumerate() {
                add_multiple(&mut image, v, target.col_as_slice(step + 1 + offset));
            }
            for (offset, &v) in v.iter().enumerate() {
                add_multiple(target.col_as_slice_mut(step + 1 + offset), -v, &image);
            }
        }
        (step + 2..n).for_each(|row| h[(row, step)] = 0.0);
    }
    (h, z)
}
