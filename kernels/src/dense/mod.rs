//! What the kernels of this family share: exact scaling, norms, and the factorisations themselves.
//!
//! Matrices are row-major slices outside and column-major [`Mat`]s inside. Every call of faer runs with [`Par::Seq`]: it is not
//! bit-stable across degrees of parallelism, and a chain runs its steps side by side anyway. Where threads pay (LU), the work is cut
//! by shape and each part runs on one thread.

pub mod banded;
mod bidiagonal;
pub mod cholesky;
pub mod condition;
pub mod doubled;
pub mod factors;
pub mod function;
mod householder;
pub mod lstsq;
mod lu;
pub mod orthogonal;
pub mod randomised;
pub mod refinement;
pub mod scaling;
pub mod spectrum;
pub mod structure;
pub mod system;
mod tridiagonal;

#[cfg(test)]
mod tests;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::matmul::matmul;
use faer::linalg::svd::{self, ComputeSvdVectors};
use faer::{Accum, Mat, MatMut, MatRef, Par, Spec, diag::Diag};
use pulp::Arch;

/// The degree of parallelism of every factorisation.
const PAR: Par = Par::Seq;

/// Sizes up to this are factored by nalgebra, which starts faster (LU n = 10: 0.7 against 1.8 microseconds).
pub const SMALL: usize = 16;

/// An iteration of a factorisation did not end: reached its step limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the iteration for {what} did not converge")]
pub struct NoConvergence {
    /// What was sought.
    pub what: &'static str,
}

/// A column-major copy of a row-major block, made by squares that fit the first-level cache.
pub fn columns_of(data: &[f64], rows: usize, columns: usize) -> Mat<f64> {
    const BLOCK: usize = 16;
    let mut out = Mat::zeros(rows, columns);
    let mut square = [[0.0; BLOCK]; BLOCK];
    for left in (0..columns).step_by(BLOCK) {
        let width = BLOCK.min(columns - left);
        for top in (0..rows).step_by(BLOCK) {
            let height = BLOCK.min(rows - top);
            for row in 0..height {
                let entries = &data[(top + row) * columns + left..][..width];
                for (column, &entry) in entries.iter().enumerate() {
                    square[column][row] = entry;
                }
            }
            for (column, entries) in square[..width].iter().enumerate() {
                out.col_as_slice_mut(left + column)[top..top + height]
                    .copy_from_slice(&entries[..height]);
            }
        }
    }
    out
}

/// The entries row by row.
pub fn rows_of(matrix: MatRef<'_, f64>) -> Vec<f64> {
    let mut data = Vec::with_capacity(matrix.nrows() * matrix.ncols());
    for row in 0..matrix.nrows() {
        data.extend((0..matrix.ncols()).map(|column| matrix[(row, column)]));
    }
    data
}

/// `a b`.
pub fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, PAR);
    out
}

/// The largest magnitude; 0 for an empty slice. NaN does not count.
pub fn max_abs(data: &[f64]) -> f64 {
    const LANES: usize = 16;
    let larger = |most: f64, value: f64| if value > most { value } else { most };
    let mut most = [0.0; LANES];
    let (blocks, rest) = data.as_chunks::<LANES>();
    for block in blocks {
        for lane in 0..LANES {
            most[lane] = larger(most[lane], block[lane].abs());
        }
    }
    let rest = rest.iter().map(|value| value.abs());
    most.into_iter().chain(rest).fold(0.0, larger)
}

/// The Euclidean norm, without overflow or underflow on the way.
pub fn norm2(data: &[f64]) -> f64 {
    let most = max_abs(data);
    if most == 0.0 || !most.is_finite() {
        return most;
    }
    let exponent = exponent_of(most);
    let sum: f64 = data
        .iter()
        .map(|&value| scaled(value, -exponent).powi(2))
        .sum();
    scaled(sum.sqrt(), exponent)
}

/// The binary exponent of a positive finite number: `2^e <= value < 2^(e+1)`; 0 for zero.
pub fn exponent_of(value: f64) -> i32 {
    const SUBNORMAL_SHIFT: f64 = (1_u64 << 54) as f64;
    if value == 0.0 {
        return 0;
    }
    let biased = |value: f64| ((value.to_bits() >> 52) & 0x7ff) as i32;
    match biased(value) {
        0 => biased(value * SUBNORMAL_SHIFT) - 1023 - 54,
        exponent => exponent - 1023,
    }
}

/// `value * 2^exponent`, exact but for underflow and overflow of the result.
pub fn scaled(mut value: f64, mut exponent: i32) -> f64 {
    const STEP: i32 = 1000;
    while exponent > STEP {
        value *= power_of_two(STEP);
        exponent -= STEP;
    }
    while exponent < -STEP {
        value *= power_of_two(-STEP);
        exponent += STEP;
    }
    value * power_of_two(exponent)
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The data divided by the power of two below its largest magnitude, and that exponent: nothing overflows afterwards.
pub fn normalised(data: &[f64]) -> (Vec<f64>, i32) {
    let exponent = exponent_of(max_abs(data));
    (
        data.iter().map(|&value| scaled(value, -exponent)).collect(),
        exponent,
    )
}

/// Factors `P A = L U` of an m x n matrix, packed column by column as LAPACK does, and the row order.
#[derive(Debug, Clone)]
pub struct Lu {
    /// `L` below the diagonal (unit diagonal not stored), `U` on and above it.
    pub packed: Mat<f64>,
    /// Row `i` of `P A` is row `order[i]` of `A`.
    pub order: Vec<usize>,
    inverse_order: Vec<usize>,
}

impl Lu {
    /// Factors with partial pivoting: 2/3 n^3 operations.
    ///
    /// # Method
    /// Recursive blocked elimination of faer, from 512 rows on in panels whose updates run side by side (`lu`); the plain column
    /// elimination of nalgebra up to [`SMALL`].
    pub fn new(mut packed: Mat<f64>) -> Self {
        let (m, n) = packed.shape();
        if m.max(n) <= SMALL {
            return Self::small(&packed);
        }
        let order = lu::factor(packed.as_mut());
        let mut inverse_order = vec![0; m];
        for (position, &row) in order.iter().enumerate() {
            inverse_order[row] = position;
        }
        Self {
            packed,
            order,
            inverse_order,
        }
    }

    fn small(matrix: &Mat<f64>) -> Self {
        let (m, n) = matrix.shape();
        let dense = nalgebra::DMatrix::from_fn(m, n, |row, column| matrix[(row, column)]);
        let factors = nalgebra::linalg::LU::new(dense);
        let mut rows = nalgebra::DVector::from_fn(m, |row, _| row);
        factors.p().permute_rows(&mut rows);
        let order: Vec<usize> = rows.iter().copied().collect();
        let mut inverse_order = vec![0; m];
        for (position, &row) in order.iter().enumerate() {
            inverse_order[row] = position;
        }
        let internal = factors.lu_internal();
        Self {
            packed: Mat::from_fn(m, n, |row, column| internal[(row, column)]),
            order,
            inverse_order,
        }
    }

    /// The first column without a pivot: the matrix is exactly singular.
    pub fn zero_pivot(&self) -> Option<usize> {
        let size = self.packed.nrows().min(self.packed.ncols());
        (0..size).find(|&index| self.packed[(index, index)] == 0.0)
    }

    /// The sign of the row order: +1 for an even number of exchanges.
    pub fn sign(&self) -> f64 {
        let mut seen = vec![false; self.order.len()];
        let mut sign = 1.0;
        for start in 0..self.order.len() {
            let (mut at, mut length) = (start, 0);
            while !seen[at] {
                seen[at] = true;
                at = self.order[at];
                length += 1;
            }
            if length > 0 && length % 2 == 0 {
                sign = -sign;
            }
        }
        sign
    }

    /// Replaces the columns of `rhs` (n rows) by the solutions of `A x = rhs`; the matrix must be square and have all pivots.
    pub fn solve(&self, rhs: &mut Mat<f64>) {
        let permuted = Mat::from_fn(rhs.nrows(), rhs.ncols(), |row, column| {
            rhs[(self.order[row], column)]
        });
        *rhs = permuted;
        let packed = self.packed.as_ref();
        if rhs.ncols() == 1 {
            substitute(packed, column_mut(rhs));
            return;
        }
        use faer::linalg::triangular_solve as triangular;
        triangular::solve_unit_lower_triangular_in_place(packed, rhs.as_mut(), PAR);
        triangular::solve_upper_triangular_in_place(packed, rhs.as_mut(), PAR);
    }

    /// Replaces `x` by the solution of `A' y = x`.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        Arch::new().dispatch(
            #[inline(always)]
            || {
                let n = x.len();
                for column in 0..n {
                    let entries = column_of(self.packed.as_ref(), column);
                    let sum = dot(&entries[..column], &x[..column]);
                    x[column] = (x[column] - sum) / entries[column];
                }
                for column in (0..n).rev() {
                    let entries = column_of(self.packed.as_ref(), column);
                    let sum = dot(&entries[column + 1..], &x[column + 1..]);
                    x[column] -= sum;
                }
            },
        );
        let permuted: Vec<f64> = self
            .inverse_order
            .iter()
            .map(|&position| x[position])
            .collect();
        x.copy_from_slice(&permuted);
    }

    /// Replaces `x` by the solution of `A y = x`.
    pub fn solve_vector(&self, x: &mut [f64]) {
        let permuted: Vec<f64> = self.order.iter().map(|&row| x[row]).collect();
        x.copy_from_slice(&permuted);
        substitute(self.packed.as_ref(), x);
    }
}

/// Forward and back substitution by columns, on the widest vectors there are: their width does not change the bits.
fn substitute(packed: MatRef<'_, f64>, x: &mut [f64]) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let n = x.len();
            for column in 0..n {
                let (head, tail) = x.split_at_mut(column + 1);
                subtract(tail, head[column], &column_of(packed, column)[column + 1..]);
            }
            for column in (0..n).rev() {
                let entries = column_of(packed, column);
                x[column] /= entries[column];
                let (head, tail) = x.split_at_mut(column);
                subtract(head, tail[0], &entries[..column]);
            }
        },
    );
}

#[inline(always)]
fn subtract(x: &mut [f64], factor: f64, column: &[f64]) {
    for (value, entry) in x.iter_mut().zip(column) {
        *value -= factor * entry;
    }
}

/// The inner product in eight interleaved sums: a fixed order that vector units can follow.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    interleaved(a, b, |a, b| a * b)
}

/// The inner product of the magnitudes, in the order of [`dot`].
#[inline]
pub fn absolute_dot(a: &[f64], b: &[f64]) -> f64 {
    interleaved(a, b, |a, b| (a * b).abs())
}

/// The sum of the magnitudes, in the order of [`dot`].
#[inline]
pub fn absolute_sum(a: &[f64]) -> f64 {
    interleaved(a, a, |a, _| a.abs())
}

#[inline(always)]
fn interleaved(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    const LANES: usize = 8;
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += term(a[lane], b[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| term(*a, *b)).sum();
    sums.iter().sum::<f64>() + rest
}

fn column_of(matrix: MatRef<'_, f64>, column: usize) -> &[f64] {
    matrix
        .col(column)
        .try_as_col_major()
        .expect("an owned matrix stores its columns contiguously")
        .as_slice()
}

fn column_mut(matrix: &mut Mat<f64>) -> &mut [f64] {
    matrix.col_as_slice_mut(0)
}

/// Eigenvalues of a symmetric matrix in ascending order, and its vectors in the columns.
///
/// Only the lower triangle is read. Values alone take the root-free QL iteration of `tridiagonal`, vectors divide and conquer:
/// the values of the two agree within a small multiple of `eps ||A||`, not bit by bit.
///
/// # Errors
/// [`NoConvergence`].
pub fn symmetric_eigen(
    matrix: MatRef<'_, f64>,
    vectors: bool,
) -> Result<(Vec<f64>, Option<Mat<f64>>), NoConvergence> {
    if !vectors {
        return Ok((tridiagonal::eigenvalues(matrix)?, None));
    }
    let n = matrix.nrows();
    let mut values = Diag::<f64>::zeros(n);
    let mut basis = vectors.then(|| Mat::zeros(n, n));
    let params = Spec::default();
    let scratch = evd::self_adjoint_evd_scratch::<f64>(n, compute(vectors), PAR, params);
    evd::self_adjoint_evd(
        matrix,
        values.as_mut(),
        basis.as_mut().map(Mat::as_mut),
        PAR,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .map_err(|_| NoConvergence {
        what: "the eigenvalues",
    })?;
    Ok(((0..n).map(|index| values[index]).collect(), basis))
}

/// Eigenvalues of a general real matrix, as they come.
#[derive(Debug)]
pub struct RawEigen {
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts; of a conjugate pair the one above the real axis comes first.
    pub imaginary: Vec<f64>,
    /// A column per real eigenvalue; real and imaginary part in two columns per conjugate pair.
    pub vectors: Option<Mat<f64>>,
}

/// Eigenvalues and right eigenvectors through the real Schur form.
///
/// # Errors
/// [`NoConvergence`].
pub fn general_eigen(matrix: MatRef<'_, f64>, vectors: bool) -> Result<RawEigen, NoConvergence> {
    let n = matrix.nrows();
    let (mut real, mut imaginary) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
    let mut basis = vectors.then(|| Mat::zeros(n, n));
    let params = Spec::default();
    let scratch =
        evd::evd_scratch::<f64>(n, ComputeEigenvectors::No, compute(vectors), PAR, params);
    evd::evd_real(
        matrix,
        real.as_mut(),
        imaginary.as_mut(),
        None,
        basis.as_mut().map(Mat::as_mut),
        PAR,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .map_err(|_| NoConvergence {
        what: "the eigenvalues",
    })?;
    Ok(RawEigen {
        real: (0..n).map(|index| real[index]).collect(),
        imaginary: (0..n).map(|index| imaginary[index]).collect(),
        vectors: basis,
    })
}

fn compute(vectors: bool) -> ComputeEigenvectors {
    if vectors {
        ComputeEigenvectors::Yes
    } else {
        ComputeEigenvectors::No
    }
}

/// The exponent by which a matrix is to be scaled down before it is reduced: 0 unless squares of its entries leave the range.
fn range_exponent(matrix: MatRef<'_, f64>) -> i32 {
    const SAFE: i32 = 300;
    let most = (0..matrix.ncols())
        .flat_map(|column| matrix.col(column).iter())
        .fold(0.0, |most: f64, value| most.max(value.abs()));
    let exponent = exponent_of(most);
    if most.is_finite() && exponent.abs() > SAFE {
        exponent
    } else {
        0
    }
}

/// Which singular vectors to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SingularVectors {
    /// None.
    None,
    /// The first min(m, n).
    Thin,
    /// Full orthonormal bases: m x m and n x n.
    Full,
}

/// Singular values in descending order, with `u` and `v` when asked for.
///
/// # Errors
/// [`NoConvergence`].
#[expect(
    clippy::type_complexity,
    reason = "three parts of one factorisation, taken apart at once"
)]
pub fn singular(
    matrix: MatRef<'_, f64>,
    vectors: SingularVectors,
) -> Result<(Vec<f64>, Option<(Mat<f64>, Mat<f64>)>), NoConvergence> {
    if vectors == SingularVectors::None {
        return Ok((bidiagonal::singular_values(matrix)?, None));
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
    let params = Spec::default();
    let scratch = svd::svd_scratch::<f64>(m, n, kind, kind, PAR, params);
    svd::svd(
        matrix,
        values.as_mut(),
        u,
        v,
        PAR,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .map_err(|_| NoConvergence {
        what: "the singular values",
    })?;
    Ok(((0..size).map(|index| values[index]).collect(), bases))
}

/// Householder factors in place: R on and above the diagonal, the reflectors below it, and their block coefficients.
pub fn qr_factors(mut matrix: Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let coefficients = householder::factor(matrix.as_mut());
    (matrix, coefficients)
}

/// The lower Cholesky factor of a symmetric positive definite matrix, from its lower triangle; above the diagonal the input stays.
/// `None` when a pivot is not positive.
pub fn cholesky(mut matrix: Mat<f64>) -> Option<Mat<f64>> {
    use faer::linalg::cholesky::llt::factor;
    let n = matrix.nrows();
    let params = Spec::default();
    let scratch = factor::cholesky_in_place_scratch::<f64>(n, PAR, params);
    factor::cholesky_in_place(
        matrix.as_mut(),
        Default::default(),
        PAR,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .ok()?;
    Some(matrix)
}

/// Householder factors `A = Q R`, thin: Q is m x min(m, n), R min(m, n) x n, the diagonal of R not negative.
pub fn qr(matrix: Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let (m, n) = matrix.shape();
    let size = m.min(n);
    let (matrix, coefficients) = qr_factors(matrix);
    let mut q = Mat::identity(m, size);
    householder::apply(matrix.as_ref().subcols(0, size), &coefficients, &mut q);
    let mut r = Mat::from_fn(size, n, |row, column| {
        if row <= column {
            matrix[(row, column)]
        } else {
            0.0
        }
    });
    for index in 0..size {
        if r[(index, index)] < 0.0 {
            (index..n).for_each(|column| r[(index, column)] = -r[(index, column)]);
            (0..m).for_each(|row| q[(row, index)] = -q[(row, index)]);
        }
    }
    (q, r)
}
