//! Exact scaling, norms and factorisations of dense matrices.
//!
//! Matrices are row-major slices outside and column-major [`Mat`]s inside. Every call of faer runs with [`Par::Seq`]: it is not
//! bit-stable across degrees of parallelism, and a chain runs its steps side by side anyway. Where threads pay, the work is
//! cut by shape (`share`) and each part runs on one thread. Loops of our own run on vector registers of any length with the same bits
//! (`lanes`).

pub mod banded;
pub mod cholesky;
pub mod condition;
pub mod decomposition;
mod dependent;
pub mod eigenpairs;
pub mod factors;
pub mod function;
mod general;
mod householder;
mod lanes;
pub mod lstsq;
pub(crate) mod lu;
mod matrix;
pub mod orthogonal;
mod product;
pub mod randomised;
pub mod refinement;
mod rows;
pub mod scaling;
mod singular;
pub mod spectrum;
pub mod structure;
mod substitution;
mod symmetric;
pub mod system;
mod transpose;

#[cfg(test)]
mod tests;

use faer::prelude::ReborrowMut;
use faer::{ColMut, Mat, MatMut, MatRef, Par};

pub use self::dependent::dependent_column;
pub use self::general::{RawEigen, balance_matrix, general_eigen};
pub use self::matrix::DenseMatrix;
pub use self::product::matrix_product;
pub use self::singular::{SingularVectors, singular_decomposition};
pub use self::transpose::columns_of;

/// The degree of parallelism of every factorisation.
const PAR: Par = Par::Seq;

/// Two parts from a size on where that pays, one below. The parts follow from the size alone, so the bits are those of any number of
/// threads, which faer's `Par::Rayon` gives for a degree that does not depend on them.
fn two_parts_from(least: usize, size: usize) -> Par {
    if size < least {
        return PAR;
    }
    Par::rayon(2)
}

/// Runs a factorisation of faer in a pool where it uses threads.
fn shared_by<R: Send>(par: Par, work: impl FnOnce() -> R + Send) -> R {
    match par {
        Par::Seq => work(),
        Par::Rayon(_) => thread_pools::run_in_pool(work),
    }
}

/// Columns of a block that one thread works on.
const BLOCK: usize = 256;

/// Sizes up to this are factored by plain columns, which start faster than blocks (LU n = 10: 0.7 against 1.8 microseconds).
pub(crate) const SMALL: usize = 16;

/// An iteration of a factorisation did not end: reached its step limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the iteration for {what} did not converge")]
pub struct SpectralConvergenceError {
    /// The requested factorisation.
    pub what: &'static str,
}

const NO_EIGENVALUES: SpectralConvergenceError = SpectralConvergenceError {
    what: "the eigenvalues",
};

/// Runs parts of one computation, side by side when there are several. The parts have to follow from the shape alone, so that the
/// bits are the same for any number of threads.
fn run_parts<F: FnOnce() + Send>(parts: impl IntoIterator<Item = F>) {
    let mut parts: Vec<F> = parts.into_iter().collect();
    let Some(last) = parts.pop() else {
        return;
    };
    if parts.is_empty() {
        return last();
    }
    thread_pools::run_in_pool(|| {
        rayon::scope(|scope| {
            for part in parts {
                scope.spawn(|_| part());
            }
            last();
        });
    });
}

/// The columns in blocks of `width`.
fn column_blocks(matrix: MatMut<'_, f64>, width: usize) -> Vec<MatMut<'_, f64>> {
    let mut blocks = Vec::new();
    let mut rest = matrix;
    while rest.ncols() > 0 {
        let width = width.min(rest.ncols());
        let (block, after) = rest.split_at_col_mut(width);
        blocks.push(block);
        rest = after;
    }
    blocks
}

/// The entries of some columns from a row on.
fn column_tails(
    matrix: &Mat<f64>,
    columns: impl Iterator<Item = usize>,
    from: usize,
) -> Vec<&[f64]> {
    columns.map(|k| &matrix.col_as_slice(k)[from..]).collect()
}

/// Makes the given entries those of a column from a row on, below zeros.
fn set_from(column: &mut [f64], from: usize, entries: &[f64]) {
    column[..from].fill(0.0);
    column[from..].copy_from_slice(entries);
}

/// The entries row by row.
pub fn rows_of(matrix: MatRef<'_, f64>) -> Vec<f64> {
    let mut data = Vec::with_capacity(matrix.nrows() * matrix.ncols());
    for row in 0..matrix.nrows() {
        data.extend((0..matrix.ncols()).map(|column| matrix[(row, column)]));
    }
    data
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
pub fn euclidean_norm(data: &[f64]) -> f64 {
    let most = max_abs(data);
    if most == 0.0 || !most.is_finite() {
        return most;
    }
    let exponent = exponent_of(most);
    let square = |value: f64| value * value;
    // One factor is enough but for the largest and the smallest doubles.
    let sum: f64 = if exponent.abs() <= STEP {
        let factor = power_of_two(-exponent);
        data.iter().map(|&value| square(value * factor)).sum()
    } else {
        let values = data
            .iter()
            .map(|&value| scale_by_exponent(value, -exponent));
        values.map(square).sum()
    };
    scale_by_exponent(sum.sqrt(), exponent)
}

/// Multiplies every number by `2^exponent`, as [`scale_by_exponent`].
pub(crate) fn scale_all(data: &mut [f64], exponent: i32) {
    if exponent.abs() <= STEP {
        let factor = power_of_two(exponent);
        data.iter_mut().for_each(|value| *value *= factor);
    } else {
        data.iter_mut()
            .for_each(|value| *value = scale_by_exponent(*value, exponent));
    }
}

/// Every number times `2^exponent`, as [`scale_by_exponent`].
pub fn all_scaled(mut data: Vec<f64>, exponent: i32) -> Vec<f64> {
    scale_all(&mut data, exponent);
    data
}

/// The first entry of largest magnitude; 0 for an empty slice.
pub fn largest_entry(data: &[f64]) -> f64 {
    let larger = |best: f64, &value: &f64| {
        if value.abs() > best.abs() {
            value
        } else {
            best
        }
    };
    data.iter().fold(0.0, larger)
}

/// The largest exponent of one factor.
const STEP: i32 = 1000;

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
pub fn scale_by_exponent(mut value: f64, mut exponent: i32) -> f64 {
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
pub fn normalise_data(data: &[f64]) -> (Vec<f64>, i32) {
    let exponent = exponent_of(max_abs(data));
    (all_scaled(data.to_vec(), -exponent), exponent)
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
    /// Recursive blocked elimination of faer, from 512 rows on in panels whose updates run side by side (`lu`); plain columns
    /// up to `SMALL`.
    pub fn new(mut packed: Mat<f64>) -> Self {
        let (m, n) = packed.shape();
        if m.max(n) <= SMALL {
            return Self::small(packed);
        }
        let order = lu::factor_with_pivoting(packed.as_mut());
        Self::ordered(packed, order)
    }

    /// Plain elimination, column by column; less to start than in blocks.
    fn small(mut packed: Mat<f64>) -> Self {
        let (m, n) = packed.shape();
        let mut order: Vec<usize> = (0..m).collect();
        for step in 0..m.min(n) {
            let pivots = packed.col_as_slice_mut(step);
            let larger = |best, row| {
                let (row_size, best_size): (f64, f64) = (pivots[row], pivots[best]);
                if row_size.abs() > best_size.abs() {
                    row
                } else {
                    best
                }
            };
            let pivot = (step + 1..m).fold(step, larger);
            if pivots[pivot] == 0.0 {
                continue;
            }
            let inverse = 1.0 / pivots[pivot];
            pivots.swap(step, pivot);
            let mut factors = [0.0; SMALL];
            for (factor, entry) in factors.iter_mut().zip(&mut pivots[step + 1..]) {
                *entry *= inverse;
                *factor = *entry;
            }
            order.swap(step, pivot);
            for column in (0..n).filter(|&column| column != step) {
                let entries = packed.col_as_slice_mut(column);
                entries.swap(step, pivot);
                if column > step {
                    let (head, tail) = entries.split_at_mut(step + 1);
                    for (entry, factor) in tail.iter_mut().zip(&factors) {
                        *entry -= head[step] * factor;
                    }
                }
            }
        }
        Self::ordered(packed, order)
    }

    fn ordered(packed: Mat<f64>, order: Vec<usize>) -> Self {
        let mut inverse_order = vec![0; order.len()];
        for (position, &row) in order.iter().enumerate() {
            inverse_order[row] = position;
        }
        Self {
            packed,
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
            substitution::solve_packed_lu(packed, rhs.col_as_slice_mut(0));
            return;
        }
        use faer::linalg::triangular_solve as triangular;
        triangular::solve_unit_lower_triangular_in_place(packed, rhs.as_mut(), PAR);
        triangular::solve_upper_triangular_in_place(packed, rhs.as_mut(), PAR);
    }

    /// Replaces `x` by the solution of `A' y = x`.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        substitution::solve_transposed(self.packed.as_ref(), x);
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
        substitution::solve_packed_lu(self.packed.as_ref(), x);
    }
}

/// The inner product in eight interleaved sums: a fixed order that vector units can follow.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    interleaved_sum(a, b, |a, b| a * b)
}

/// The inner product of the magnitudes, in the order of [`dot`].
#[inline]
pub(crate) fn absolute_dot(a: &[f64], b: &[f64]) -> f64 {
    interleaved_sum(a, b, |a, b| (a * b).abs())
}

/// The sum of the magnitudes, in the order of [`dot`].
#[inline]
pub(crate) fn absolute_sum(a: &[f64]) -> f64 {
    interleaved_sum(a, a, |a, _| a.abs())
}

#[inline(always)]
fn interleaved_sum(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
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

/// Adds a multiple of a vector to another.
#[inline]
pub fn add_multiple(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut()
        .zip(vector)
        .for_each(|(to, entry)| *to += factor * entry);
}

fn column_of(matrix: MatRef<'_, f64>, column: usize) -> &[f64] {
    matrix
        .col(column)
        .try_as_col_major()
        .expect("an owned matrix stores its columns contiguously")
        .as_slice()
}

fn column_of_mut<'a>(matrix: &'a mut MatMut<'_, f64>, column: usize) -> &'a mut [f64] {
    entries_of(matrix.rb_mut().col_mut(column))
}

/// The entries of a column of an owned matrix.
fn entries_of(column: ColMut<'_, f64>) -> &mut [f64] {
    let contiguous = column.try_as_col_major_mut();
    contiguous
        .expect("an owned matrix stores its columns contiguously")
        .as_slice_mut()
}

/// Eigenvalues of a symmetric matrix in ascending order, and its vectors in the columns.
///
/// Only the lower triangle is read. Values alone take a root-free QL iteration, vectors divide and conquer:
/// the values of the two agree within a small multiple of `eps ||A||`, not bit by bit.
///
/// # Errors
/// [`SpectralConvergenceError`].
pub fn symmetric_eigen(
    matrix: MatRef<'_, f64>,
    vectors: bool,
) -> Result<(Vec<f64>, Option<Mat<f64>>), SpectralConvergenceError> {
    symmetric::eigen_decomposition(matrix, vectors)
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

/// Householder factors in place: R on and above the diagonal, the reflectors below it, and their block coefficients.
pub fn qr_factors(mut matrix: Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let coefficients = householder::factor_by_reflections(matrix.as_mut());
    (matrix, coefficients)
}

/// Householder factors `A = Q R`, thin: Q is m x min(m, n), R min(m, n) x n, the diagonal of R not negative.
pub fn thin_qr(matrix: Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let found = orthogonal::factor_orthogonal(matrix, false, false);
    (found.q, found.r)
}
