//! Residuals of factorisations, in units of rounding, and bounds on their cost.

use faer::{Mat, MatRef};
use tool_core::{Ctx, ErrorCode, Matrix, Real, ToolError};

use super::dense::{self, euclidean_norm};

/// A matrix of a result from one of the kernels.
pub(crate) fn matrix_from_kernel(from: MatRef<'_, f64>) -> Option<Matrix> {
    Matrix::new(from.nrows(), from.ncols(), dense::rows_of(from))
}

/// A matrix of a result that must not have overflowed.
pub(crate) fn finite_matrix(
    rows: usize,
    columns: usize,
    data: Vec<f64>,
) -> Result<Matrix, ToolError> {
    if data.iter().any(|value| !value.is_finite()) {
        return Err(overflow_error(
            "an entry of the result is too large for a double",
        ));
    }
    Matrix::new(rows, columns, data)
        .ok_or_else(|| ToolError::new(ErrorCode::Internal, "a result of no rows or columns"))
}

/// The error of a result that overflows.
pub(crate) fn overflow_error(message: &str) -> ToolError {
    let error = ToolError::numeric("/A", message);
    error.reason("overflow").hint("scale `A`")
}

/// The largest of some numbers over the smallest; infinite where that is 0.
pub(crate) fn condition_ratio(largest: f64, smallest: f64) -> Real {
    Real(match smallest > 0.0 {
        true => largest / smallest,
        false => f64::INFINITY,
    })
}

/// `|A - image| / (max(m, n) eps |A|)` in the Frobenius norm: of order 1 or below when all is well.
pub(crate) fn factor_residual(a: MatRef<'_, f64>, image: MatRef<'_, f64>) -> f64 {
    let (m, n) = a.shape();
    let difference = Mat::from_fn(m, n, |row, column| a[(row, column)] - image[(row, column)]);
    let size = frobenius_norm(a);
    if size == 0.0 {
        return frobenius_norm(difference.as_ref());
    }
    frobenius_norm(difference.as_ref()) / (m.max(n) as f64 * f64::EPSILON * size)
}

/// `|Q' Q - I| / (m eps)` in the Frobenius norm.
pub(crate) fn orthogonality_error(q: MatRef<'_, f64>) -> f64 {
    let mut gram = dense::matrix_product(q.transpose(), q);
    (0..gram.ncols()).for_each(|index| gram[(index, index)] -= 1.0);
    frobenius_norm(gram.as_ref()) / (q.nrows() as f64 * f64::EPSILON)
}

fn frobenius_norm(a: MatRef<'_, f64>) -> f64 {
    euclidean_norm(&dense::rows_of(a))
}

/// Refuses work of `operations` and `doubles` that the call cannot afford.
pub(crate) fn afford_operations(
    ctx: &Ctx,
    operations: f64,
    doubles: usize,
) -> Result<(), ToolError> {
    ctx.afford(operations)?;
    ctx.reserve_doubles(doubles)
}
