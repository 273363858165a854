//! Orthogonal factors with column exchanges or a full basis, beside the plain thin [`qr`](super::thin_qr()).

use faer::Mat;

use super::{add_multiple, dot, euclidean_norm, householder, qr_factors};

/// `A P = Q R`.
#[derive(Debug, Clone)]
pub struct PivotedQr {
    /// m x min(m, n), or m x m on request in full.
    pub q: Mat<f64>,
    /// Upper trapezoidal, as many rows as Q has columns, n columns.
    pub r: Mat<f64>,
    /// Column j of `A P` is column `order[j]` of A.
    pub order: Vec<usize>,
}

/// Factors an m x n matrix by Householder reflections: 2 m n^2 - 2/3 n^3 operations for m >= n, and as many for Q.
///
/// With `pivoting` the column of largest remaining norm comes next, so that the diagonal of R falls in magnitude and shows the
/// rank; without it the order is that of A. The diagonal of R is not negative.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, sections 5.2 and 5.4.
pub fn factor_orthogonal(a: Mat<f64>, pivoting: bool, full: bool) -> PivotedQr {
    let (m, n) = a.shape();
    let size = m.min(n);
    let width = if full { m } else { size };
    if size == 0 {
        return PivotedQr {
            q: Mat::identity(m, width),
            r: Mat::zeros(width, n),
            order: (0..n).collect(),
        };
    }
    let factor = if pivoting {
        factor_with_exchanges
    } else {
        in_order
    };
    let mut found = factor(a, width);
    for index in 0..size {
        if found.r[(index, index)] < 0.0 {
            (index..n).for_each(|column| found.r[(index, column)] = -found.r[(index, column)]);
            (0..m).for_each(|row| found.q[(row, index)] = -found.q[(row, index)]);
        }
    }
    found
}

/// Reflections in panels, the columns in their order.
fn in_order(a: Mat<f64>, width: usize) -> PivotedQr {
    let (m, n) = a.shape();
    let (a, coefficients) = qr_factors(a);
    let mut q = Mat::identity(m, width);
    householder::apply_orthogonal_factor(
        a.as_ref().subcols(0, m.min(n)),
        &coefficients,
        q.as_mut(),
    );
    PivotedQr {
        q,
        r: upper_trapezoid(&a, width),
        order: (0..n).collect(),
    }
}

/// Reflections column by column, the largest remaining column next; columns of zeros need none.
fn factor_with_exchanges(mut a: Mat<f64>, width: usize) -> PivotedQr {
    let (m, n) = a.shape();
    let mut order: Vec<usize> = (0..n).collect();
    let mut reflectors: Vec<Vec<f64>> = Vec::with_capacity(m.min(n));
    for step in 0..m.min(n) {
        let size = |column: usize| euclidean_norm(&a.col_as_slice(column)[step..]);
        let (mut pivot, mut length) = (step, 0.0);
        for column in step..n {
            if size(column) > length {
                (pivot, length) = (column, size(column));
            }
        }
        if pivot != step {
            order.swap(step, pivot);
            (0..m).for_each(|row| {
                (a[(row, step)], a[(row, pivot)]) = (a[(row, pivot)], a[(row, step)])
            });
        }
        // v = x + sign(x0) |x| e0, scaled so that H = I - v v'.
        let mut reflector = a.col_as_slice(step)[step..].to_vec();
        if length > 0.0 {
            let sign = 1.0_f64.copysign(reflector[0]);
            reflector.iter_mut().for_each(|value| *value /= length);
            reflector[0] += sign;
            let scale = reflector[0].abs().sqrt();
            reflector.iter_mut().for_each(|value| *value /= scale);
            for column in step + 1..n {
                reflect_vector(&reflector, &mut a.col_as_slice_mut(column)[step..]);
            }
            a[(step, step)] = -sign * length;
        }
        reflectors.push(reflector);
    }
    let mut q = Mat::identity(m, width);
    for (step, reflector) in reflectors.iter().enumerate().rev() {
        if a[(step, step)] != 0.0 {
            (step..width).for_each(|column| {
                reflect_vector(reflector, &mut q.col_as_slice_mut(column)[step..]);
            });
        }
    }
    PivotedQr {
        q,
        r: upper_trapezoid(&a, width),
        order,
    }
}

fn reflect_vector(reflector: &[f64], x: &mut [f64]) {
    let factor = dot(reflector, x);
    add_multiple(x, -factor, reflector);
}

/// The upper trapezoid, `width` rows.
fn upper_trapezoid(a: &Mat<f64>, width: usize) -> Mat<f64> {
    let (m, n) = a.shape();
    Mat::from_fn(width, n, |row, column| {
        if row <= column && row < m {
            a[(row, column)]
        } else {
            0.0
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::matrix_product;

    #[test]
    fn factors_reproduce_the_matrix_for_every_shape() {
        for (m, n) in [(1, 1), (5, 3), (3, 5), (40, 40), (70, 20), (20, 70)] {
            let a = Mat::from_fn(m, n, |i, j| {
                ((i * 37 + j * j * 11 + i * j * 29) % 101) as f64
            });
            for (pivoting, full) in [(false, false), (true, false), (false, true), (true, true)] {
                let found = factor_orthogonal(a.clone(), pivoting, full);
                let image = matrix_product(found.q.as_ref(), found.r.as_ref());
                let gram = matrix_product(found.q.as_ref().transpose(), found.q.as_ref());
                for column in 0..n {
                    for row in 0..m {
                        let expected = a[(row, found.order[column])];
                        let found = image[(row, column)];
                        assert!(
                            (found - expected).abs() < 1e-11,
                            "{m} x {n} {pivoting} {full}: {found} {expected}"
                        );
                    }
                }
                for row in 0..gram.nrows() {
                    for column in 0..gram.ncols() {
                        let expected = f64::from(u8::from(row == column));
                        assert!((gram[(row, column)] - expected).abs() < 1e-13);
                    }
                }
                let diagonal: Vec<f64> = (0..m.min(n)).map(|i| found.r[(i, i)]).collect();
                assert!(diagonal.iter().all(|&value| value >= 0.0));
                if pivoting {
                    assert!(
                        diagonal
                            .windows(2)
                            .all(|pair| pair[0] >= pair[1] * (1.0 - 1e-12))
                    );
                }
            }
        }
    }
}
