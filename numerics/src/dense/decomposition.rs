//! Singular values and vectors, with normalised signs and the residual of the factorisation.

use faer::{Mat, MatRef};

use super::lstsq::rank_tolerance;
use crate::dense::{
    self, SingularVectors, SpectralConvergenceError, all_scaled, euclidean_norm, largest_entry,
    normalise_data, scale_by_exponent,
};

/// `A = U S V'` and its evidence.
#[derive(Debug)]
pub struct SvdResult {
    /// min(m, n) singular values, descending.
    pub values: Vec<f64>,
    /// `U` with its number of columns, row by row.
    pub u: Option<(Vec<f64>, usize)>,
    /// `V` with its number of columns, row by row.
    pub v: Option<(Vec<f64>, usize)>,
    /// Singular values up to this count as zero.
    pub tolerance: f64,
    /// Number of singular values above the tolerance.
    pub rank: usize,
    /// `| |A| - |s| | / (max(m, n) eps |A|)`, Frobenius norm against the singular values.
    pub norm_error: f64,
    /// `|A - U S V'| / (max(m, n) eps |A|)`, Frobenius norm, where vectors were computed.
    pub residual: Option<f64>,
}

/// Factors an m x n matrix.
///
/// # Method
/// Bidiagonal form (after QR when one side is much longer), then divide and conquer. The matrix is first scaled by a power of
/// two. Each left vector among the first min(m, n) has its largest entry positive; the right one follows.
///
/// # Errors
/// [`SpectralConvergenceError`].
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 8.6.
pub fn singular_value_decomposition(
    a: &[f64],
    m: usize,
    n: usize,
    vectors: SingularVectors,
) -> Result<SvdResult, SpectralConvergenceError> {
    let (matrix, exponent) = normalise_data(a);
    let columns = dense::columns_of(&matrix, m, n);
    let (values, mut bases) = dense::singular_decomposition(columns.as_ref(), vectors)?;
    let norm = euclidean_norm(&matrix);
    let unit = m.max(n) as f64 * f64::EPSILON * norm;
    let in_units = |error: f64| if unit > 0.0 { error / unit } else { error };
    let residual = bases.as_mut().map(|(u, v)| {
        settle_signs(u, v, values.len());
        in_units(factor_residual(&columns, &values, u.as_ref(), v.as_ref()))
    });
    let tolerance = rank_tolerance(m, n, values[0]);
    let (u, v) = match bases {
        Some((u, v)) => (Some(rows_and_columns(&u)), Some(rows_and_columns(&v))),
        None => (None, None),
    };
    Ok(SvdResult {
        rank: values.iter().filter(|&&value| value > tolerance).count(),
        norm_error: in_units((norm - euclidean_norm(&values)).abs()),
        tolerance: scale_by_exponent(tolerance, exponent),
        values: all_scaled(values, exponent),
        u,
        v,
        residual,
    })
}

fn rows_and_columns(matrix: &Mat<f64>) -> (Vec<f64>, usize) {
    (dense::rows_of(matrix.as_ref()), matrix.ncols())
}

/// Turns the first `size` pairs of columns so that the largest entry of the left one is positive.
pub fn settle_signs(u: &mut Mat<f64>, v: &mut Mat<f64>, size: usize) {
    for index in 0..size {
        if largest_entry(u.col_as_slice(index)) < 0.0 {
            for matrix in [&mut *u, &mut *v] {
                let entries = matrix.col_as_slice_mut(index).iter_mut();
                entries.for_each(|value| *value = -*value);
            }
        }
    }
}

fn factor_residual(a: &Mat<f64>, values: &[f64], u: MatRef<'_, f64>, v: MatRef<'_, f64>) -> f64 {
    let size = values.len();
    let weighted = Mat::from_fn(u.nrows(), size, |row, column| {
        u[(row, column)] * values[column]
    });
    let image = dense::matrix_product(weighted.as_ref(), v.subcols(0, size).transpose());
    let size = |column| {
        let mut rest = a.col_as_slice(column).to_vec();
        dense::add_multiple(&mut rest, -1.0, image.col_as_slice(column));
        euclidean_norm(&rest)
    };
    euclidean_norm(&(0..a.ncols()).map(size).collect::<Vec<_>>())
}
