//! The largest singular values of a large matrix from a random sketch of its range.

use faer::{Mat, MatRef};

use super::{
    SingularVectors, SpectralConvergenceError, matrix_product, singular_decomposition, thin_qr,
};

/// The first `k` singular values of an m x n matrix, descending, with U (m x k) and V (n x k).
///
/// `sketch` is n x l of independent normal numbers, l from k to min(m, n); about ten columns more than k are customary.
///
/// # Method
/// The range of `(A A')^q A Omega`, made orthonormal after every product; then the decomposition of A in that basis.
///
/// # Accuracy and cost
/// The expected error is near that of the best approximation of rank k, closer the faster the singular values fall and the
/// more `powers` are taken. (4 + 4 q) m n l operations.
///
/// # Errors
/// [`SpectralConvergenceError`].
///
/// # References
/// N. Halko, P. G. Martinsson, J. A. Tropp, "Finding structure with randomness", SIAM Review 53, 2011, algorithms 4.4 and 5.1.
#[expect(clippy::type_complexity, reason = "three parts, taken apart at once")]
pub fn randomised_svd(
    a: MatRef<'_, f64>,
    k: usize,
    sketch: Mat<f64>,
    powers: usize,
) -> Result<(Vec<f64>, Mat<f64>, Mat<f64>), SpectralConvergenceError> {
    let (mut range, _) = thin_qr(matrix_product(a, sketch.as_ref()));
    for _ in 0..powers {
        let (rows, _) = thin_qr(matrix_product(a.transpose(), range.as_ref()));
        (range, _) = thin_qr(matrix_product(a, rows.as_ref()));
    }
    let small = matrix_product(range.as_ref().transpose(), a);
    let (mut values, bases) = singular_decomposition(small.as_ref(), SingularVectors::Thin)?;
    let (u, v) = bases.expect("thin vectors were requested");
    values.truncate(k);
    let u = matrix_product(range.as_ref(), u.as_ref().subcols(0, k));
    Ok((values, u, v.as_ref().subcols(0, k).to_owned()))
}
