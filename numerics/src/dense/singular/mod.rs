//! Singular values and vectors.

mod reduction;
pub(super) mod values;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{self, ComputeSvdVectors, SvdParams};
use faer::{Auto, Mat, MatMut, MatRef, Spec, diag::Diag};

use super::{SpectralConvergenceError, shared_by, two_parts_from};

const FAILED: SpectralConvergenceError = SpectralConvergenceError {
    what: "the singular values",
};

/// Columns from which on the bidiagonal problem is divided: a tenth quicker than faer's 128 at 100 columns.
const DIVIDED: usize = 48;
/// Columns from which on the vectors are found in two parts.
const SHARED: usize = 500;

/// The singular vectors to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SingularVectors {
    /// None.
    None,
    /// The first min(m, n).
    Thin,
    /// Full orthonormal bases: m x m and n x n.
    Full,
}

/// Singular values in descending order, with `u` and `v` on request.
///
/// # Errors
/// [`SpectralConvergenceError`].
#[expect(
    clippy::type_complexity,
    reason = "three parts of one factorisation, taken apart at once"
)]
pub fn singular_decomposition(
    matrix: MatRef<'_, f64>,
    vectors: SingularVectors,
) -> Result<(Vec<f64>, Option<(Mat<f64>, Mat<f64>)>), SpectralConvergenceError> {
    if vectors == SingularVectors::None {
        return Ok((values::singular_values(matrix)?, None));
    }
    let (m, n) = matrix.shape();
    let size = m.min(n);
    let (kind, extents) = match vectors {
        SingularVectors::None => (ComputeSvdVectors::No, None),
        SingularVectors::Thin => (ComputeSvdVectors::Thin, Some((size, size))),
        SingularVectors::Full => (ComputeSvdVectors::Full, Some((m, n))),
    };
    let mut values = Diag::<f64>::zeros(size);
    let mut bases =
        extents.map(|(left, right)| (Mat::<f64>::zeros(m, left), Mat::<f64>::zeros(n, right)));
    let (u, v): (Option<MatMut<'_, f64>>, Option<MatMut<'_, f64>>) = match &mut bases {
        Some((u, v)) => (Some(u.as_mut()), Some(v.as_mut())),
        None => (None, None),
    };
    let mut params: SvdParams = Auto::<f64>::auto();
    params.recursion_threshold = DIVIDED;
    let params = Spec::new(params);
    let par = two_parts_from(SHARED, size);
    let scratch = svd::svd_scratch::<f64>(m, n, kind, kind, par, params);
    let mut buffer = MemBuffer::new(scratch);
    shared_by(par, || {
        let stack = MemStack::new(&mut buffer);
        svd::svd(matrix, values.as_mut(), u, v, par, stack, params)
    })
    .map_err(|_| FAILED)?;
    Ok(((0..size).map(|index| values[index]).collect(), bases))
}
