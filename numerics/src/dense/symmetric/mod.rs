//! Eigenvalues and eigenvectors of symmetric matrices.

mod divide;
mod reduction;
mod secular;
pub(super) mod values;

use faer::{Mat, MatRef};

use self::reduction::TridiagonalForm;
use super::{
    NO_EIGENVALUES, SpectralConvergenceError, householder, range_exponent, scale_all,
    scale_by_exponent,
};

/// The ascending eigenvalues of the symmetric matrix in the lower triangle of `matrix`, and its vectors in the columns.
///
/// # Errors
/// [`SpectralConvergenceError`], also when an entry is not finite.
pub(super) fn eigen_decomposition(
    matrix: MatRef<'_, f64>,
    vectors: bool,
) -> Result<(Vec<f64>, Option<Mat<f64>>), SpectralConvergenceError> {
    let n = matrix.nrows();
    if n == 0 {
        return Ok((Vec::new(), vectors.then(Mat::new)));
    }
    let mut work = Mat::zeros(n, n);
    work.copy_from_triangular_lower(matrix);
    let finite = |column: usize| {
        work.col_as_slice(column)
            .iter()
            .all(|entry| entry.is_finite())
    };
    if !(0..n).all(finite) {
        return Err(NO_EIGENVALUES);
    }
    let exponent = range_exponent(work.as_ref());
    if exponent != 0 {
        work = Mat::from_fn(n, n, |i, j| scale_by_exponent(work[(i, j)], -exponent));
    }
    let TridiagonalForm {
        mut diagonal,
        mut beside,
        vectors: reflections,
        taus,
    } = reduction::reduce_to_tridiagonal(work.as_ref());
    let basis = if vectors {
        if !diagonal
            .iter()
            .chain(&beside)
            .all(|value| value.is_finite())
        {
            return Err(NO_EIGENVALUES);
        }
        let mut basis = Mat::zeros(n, n);
        divide::divide_and_conquer(&mut diagonal, &mut beside, basis.as_mut())?;
        let vectors = reflections.as_ref().submatrix(1, 0, n - 1, n - 1);
        let coefficients = householder::block_coefficients(vectors, &taus);
        householder::apply_orthogonal_factor(
            vectors,
            &coefficients,
            basis.as_mut().subrows_mut(1, n - 1),
        );
        Some(basis)
    } else {
        values::tridiagonal_eigenvalues(&mut diagonal, &beside)?;
        None
    };
    if exponent != 0 {
        scale_all(&mut diagonal, exponent);
    }
    Ok((diagonal, basis))
}
