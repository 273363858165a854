//! Least squares of minimum norm for any shape and rank, by singular values.

use super::LeastSquaresError;
use crate::dense::{
    SingularVectors, all_scaled, columns_of, euclidean_norm, matrix_product, max_abs,
    normalise_data, rows_of, singular_decomposition,
};

/// The solution of smallest norm and its evidence.
#[derive(Debug, Clone)]
pub struct MinimumNorm {
    /// n x k, row by row.
    pub x: Vec<f64>,
    /// `b - A x`, m x k, row by row.
    pub residuals: Vec<f64>,
    /// Numerical rank.
    pub rank: usize,
    /// Singular values, descending.
    pub singular_values: Vec<f64>,
    /// Right singular vectors, n x min(m, n), row by row.
    pub v: Vec<f64>,
    /// Largest over the columns of `|b - A x| / (|A| |x| + |b|)` in maximum norms.
    pub backward_error: f64,
}

impl MinimumNorm {
    /// Smallest over largest singular value; 0 for a matrix of zeros.
    pub fn rcond(&self) -> f64 {
        match (self.singular_values.first(), self.singular_values.last()) {
            (Some(&largest), Some(&least)) if largest > 0.0 => least / largest,
            _ => 0.0,
        }
    }
}

/// Singular values up to this count as zero: `max(m, n) eps s_max`, as NumPy and MATLAB take it.
pub fn rank_tolerance(m: usize, n: usize, largest: f64) -> f64 {
    m.max(n) as f64 * f64::EPSILON * largest
}

/// `x = V S^+ U' b` for `a` of m x n and `b` of m x k, row by row; singular values up to `tolerance` times the largest count as
/// zero.
///
/// # Accuracy and cost
/// About `cond eps` relative to the solution and the square of the condition times the residual. O(m n min(m, n)).
///
/// # Errors
/// [`LeastSquaresError::NoConvergence`], [`LeastSquaresError::Overflow`].
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 5.5.
pub fn minimum_norm(
    a: &[f64],
    m: usize,
    n: usize,
    b: &[f64],
    k: usize,
    tolerance: f64,
) -> Result<MinimumNorm, LeastSquaresError> {
    let (matrix, a_exponent) = normalise_data(a);
    let (rhs, b_exponent) = normalise_data(b);
    let columns = columns_of(&matrix, m, n);
    let rhs = columns_of(&rhs, m, k);
    let (values, bases) = singular_decomposition(columns.as_ref(), SingularVectors::Thin)?;
    let (u, v) = bases.expect("thin vectors were requested");
    let limit = tolerance * values[0];
    let rank = values.iter().filter(|&&value| value > limit).count();
    let mut coordinates = matrix_product(u.as_ref().transpose(), rhs.as_ref());
    for (index, &value) in values.iter().enumerate() {
        for column in 0..k {
            let entry = &mut coordinates[(index, column)];
            *entry = if index < rank { *entry / value } else { 0.0 };
        }
    }
    let x = matrix_product(v.as_ref(), coordinates.as_ref());
    let image = matrix_product(columns.as_ref(), x.as_ref());
    let rest = faer::Mat::from_fn(m, k, |row, column| {
        rhs[(row, column)] - image[(row, column)]
    });
    let a_norm = matrix
        .chunks_exact(n)
        .map(|row| row.iter().map(|value| value.abs()).sum())
        .fold(0.0, f64::max);
    let backward_error = (0..k)
        .map(|column| {
            let size = |matrix: &faer::Mat<f64>| max_abs(matrix.col_as_slice(column));
            let scale = a_norm * size(&x) + size(&rhs);
            if scale > 0.0 {
                size(&rest) / scale
            } else {
                0.0
            }
        })
        .fold(0.0, f64::max);
    let solution = all_scaled(rows_of(x.as_ref()), b_exponent - a_exponent);
    if !euclidean_norm(&solution).is_finite() {
        return Err(LeastSquaresError::Overflow);
    }
    Ok(MinimumNorm {
        x: solution,
        residuals: all_scaled(rows_of(rest.as_ref()), b_exponent),
        rank,
        singular_values: all_scaled(values, a_exponent),
        v: rows_of(v.as_ref()),
        backward_error,
    })
}
