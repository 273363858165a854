//! Residuals of factorisations, in units of rounding, and bounds on their cost.

use faer::{Mat, MatRef};
use tool_core::{Ctx, ErrorCode, Matrix, ToolError};

use super::dense::{self, norm2};

/// A matrix of a result from one of the kernels.
pub(crate) fn matrix(from: MatRef<'_, f64>) -> Option<Matrix> {
    Matrix::new(from.nrows(), from.ncols(), dense::rows_of(from))
}

/// A matrix of a result that must not have overflowed.
pub(crate) fn finite(rows: usize, columns: usize, data: Vec<f64>) -> Result<Matrix, ToolError> {
    if data.iter().any(|value| !value.is_finite()) {
        return Err(
            ToolError::numeric("/A", "an entry of the result is too large for a double")
                .reason("overflow")
                .hint("scale the matrix"),
        );
    }
    Matrix::new(rows, columns, data)
        .ok_or_else(|| ToolError::new(ErrorCode::Internal, "a result of no rows or columns"))
}

/// `|A - image| / (max(m, n) eps |A|)` in the Frobenius norm: of order 1 or below when all is well.
pub(crate) fn residual(a: MatRef<'_, f64>, image: MatRef<'_, f64>) -> f64 {
    let (m, n) = a.shape();
    let difference = Mat::from_fn(m, n, |row, column| a[(row, column)] - image[(row, column)]);
    let size = frobenius(a);
    if size == 0.0 {
        return frobenius(difference.as_ref());
    }
    frobenius(difference.as_ref()) / (m.max(n) as f64 * f64::EPSILON * size)
}

/// `|Q' Q - I| / (m eps)` in the Frobenius norm.
pub(crate) fn orthogonality(q: MatRef<'_, f64>) -> f64 {
    let mut gram = dense::product(q.transpose(), q);
    (0..gram.ncols()).for_each(|index| gram[(index, index)] -= 1.0);
    frobenius(gram.as_ref()) / (q.nrows() as f64 * f64::EPSILON)
}

fn frobenius(a: MatRef<'_, f64>) -> f64 {
    norm2(&dense::rows_of(a))
}

/// Refuses work of `operations` and `doubles` that the call cannot afford.
pub(crate) fn afford(ctx: &Ctx, operations: f64, doubles: usize) -> Result<(), ToolError> {
    ctx.afford(operations)?;
    ctx.reserve_doubles(doubles)
}
