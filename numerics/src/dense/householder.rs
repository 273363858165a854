//! Householder QR: columns reduced one by one on vector units, and the columns beside a panel through products of faer.
//!
//! # Method
//! A reflection `I - v v' / tau` with `v0 = 1` takes a column to a multiple of the first unit vector. Four columns at a time are
//! multiplied with it, so that `v` is read once for them. Matrices of up to [`SINGLE`] columns are reduced in this way as a whole;
//! larger ones in panels of [`BLOCK`], whose reflections are applied together to the rest. The order of every sum is fixed, regardless of the
//! vectors' length.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, sections 5.1 and 5.2 (LAPACK xGEQRF).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Conj, Mat, MatMut, MatRef, Par};
use pulp::Simd;

use super::lanes::{LaneKernel, VectorUnit, dispatch_kernel};
use super::{column_blocks, entries_of, euclidean_norm, run_parts};

const PAR: Par = Par::Seq;

/// Reflections that are applied together.
const BLOCK: usize = 32;
/// Columns that are multiplied with reflections by one thread.
const COLUMNS: usize = 256;
/// Most columns that are reduced one by one.
const SINGLE: usize = 128;

/// Reduces the matrix in place: R on and above the diagonal, below it the reflections without their leading ones. Returns their
/// block coefficients as faer takes them: for each block of columns the upper triangle of `V' V` with `tau` on its diagonal.
pub(super) fn factor_by_reflections(mut a: MatMut<'_, f64>) -> Mat<f64> {
    let (m, n) = a.shape();
    let size = m.min(n);
    let block = BLOCK.min(size.max(1));
    let mut coefficients = Mat::zeros(block, size);
    let panel_width = if size <= SINGLE { n } else { BLOCK };
    let mut start = 0;
    while start < size {
        let width = panel_width.min(n - start);
        let taus = reduce_panel(a.rb_mut().submatrix_mut(start, start, m - start, width));
        let done = taus.len();
        for (column, tau) in taus.iter().enumerate() {
            let at = start + column;
            coefficients[(at % block, at)] = *tau;
        }
        for first in (start..start + done).step_by(block) {
            let width = block.min(start + done - first);
            let vectors = a.as_ref().submatrix(first, first, m - first, width);
            let mut factor = coefficients.as_mut().submatrix_mut(0, first, width, width);
            householder::upgrade_householder_factor(factor.rb_mut(), vectors, width, 1, PAR);
        }
        if panel_width == BLOCK && start + width < n {
            let (left, right) = a.rb_mut().split_at_col_mut(start + width);
            let vectors = left.rb().submatrix(start, start, m - start, done);
            let beside = right.subrows_mut(start, m - start);
            let factor = coefficients.as_ref().submatrix(0, start, done, done);
            let blocks = column_blocks(beside, COLUMNS).into_iter();
            run_parts(blocks.map(|block| move || apply_block(vectors, factor, block)));
        }
        start += width;
    }
    coefficients
}

/// Multiplies a matrix with the transpose of one block of reflections.
fn apply_block(vectors: MatRef<'_, f64>, factor: MatRef<'_, f64>, matrix: MatMut<'_, f64>) {
    let scratch = householder::apply_block_householder_transpose_on_the_left_in_place_scratch::<f64>(
        vectors.nrows(),
        vectors.ncols(),
        matrix.ncols(),
    );
    householder::apply_block_householder_transpose_on_the_left_in_place_with_conj(
        vectors,
        factor,
        Conj::No,
        matrix,
        PAR,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
}

/// The block coefficients of reflections given one by one.
pub(super) fn block_coefficients(vectors: MatRef<'_, f64>, taus: &[f64]) -> Mat<f64> {
    let size = taus.len();
    let block = BLOCK.min(size.max(1));
    let mut coefficients = Mat::zeros(block, size);
    for (column, tau) in taus.iter().enumerate() {
        coefficients[(column % block, column)] = *tau;
    }
    for first in (0..size).step_by(block) {
        let width = block.min(size - first);
        let vectors = vectors.submatrix(first, first, vectors.nrows() - first, width);
        let mut factor = coefficients.as_mut().submatrix_mut(0, first, width, width);
        householder::upgrade_householder_factor(factor.rb_mut(), vectors, width, 1, PAR);
    }
    coefficients
}

/// Multiplies a matrix with the orthogonal factor of reflections and their block coefficients; columns in blocks, shared by threads.
pub(super) fn apply_orthogonal_factor(
    vectors: MatRef<'_, f64>,
    coefficients: &Mat<f64>,
    matrix: MatMut<'_, f64>,
) {
    if vectors.ncols() == 0 {
        return;
    }
    let blocks = column_blocks(matrix, COLUMNS).into_iter();
    run_parts(blocks.map(|block| move || apply_to(vectors, coefficients.as_ref(), block)));
}

fn apply_to(vectors: MatRef<'_, f64>, coefficients: MatRef<'_, f64>, matrix: MatMut<'_, f64>) {
    let (m, n) = matrix.shape();
    let scratch = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(
        m,
        coefficients.nrows(),
        n,
    );
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        vectors,
        coefficients,
        Conj::No,
        matrix,
        PAR,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
}

/// Reduces every column, and gives `tau` of each reflection.
fn reduce_panel(panel: MatMut<'_, f64>) -> Vec<f64> {
    let mut columns: Vec<&mut [f64]> = panel.col_iter_mut().map(entries_of).collect();
    dispatch_kernel(HouseholderReduction(&mut columns))
}

struct HouseholderReduction<'a, 'c>(&'a mut [&'c mut [f64]]);

impl LaneKernel for HouseholderReduction<'_, '_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) -> Vec<f64> {
        let columns = self.0;
        let rows = columns.first().map_or(0, |column| column.len());
        let size = rows.min(columns.len());
        let mut taus = Vec::with_capacity(size);
        for step in 0..size {
            let (done, rest) = columns.split_at_mut(step + 1);
            let (tau, vector) = make_reflector(unit, &mut done[step][step..]);
            taus.push(tau);
            if tau.is_infinite() {
                continue;
            }
            let mut groups = rest.chunks_exact_mut(4);
            for group in &mut groups {
                if let [a, b, c, d] = group {
                    reflect_columns(
                        unit,
                        vector,
                        tau,
                        [
                            &mut a[step..],
                            &mut b[step..],
                            &mut c[step..],
                            &mut d[step..],
                        ],
                    );
                }
            }
            for column in groups.into_remainder() {
                reflect_columns(unit, vector, tau, [&mut column[step..]]);
            }
        }
        taus
    }
}

/// Replaces a column by its image, and gives the reflection: `tau`, infinite for none, and `v` without its leading one.
#[inline(always)]
pub(super) fn make_reflector<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    column: &mut [f64],
) -> (f64, &[f64]) {
    /// Squares within this range neither overflow nor lose digits.
    const SAFE: std::ops::Range<f64> = 1e-280..1e280;
    let (head, tail) = column.split_first_mut().expect("rows are left");
    let [square] = unit.dots(tail, [tail]);
    let whole = *head * *head + square;
    let (length, size) = if SAFE.contains(&square) && SAFE.contains(&whole) {
        (square.sqrt(), whole.sqrt())
    } else {
        let length = euclidean_norm(tail);
        (length, euclidean_norm(&[*head, length]))
    };
    if length == 0.0 {
        return (f64::INFINITY, tail);
    }
    let leading = *head + size.copysign(*head);
    *head = -size.copysign(*head);
    if SAFE.contains(&leading.abs()) {
        let factor = leading.recip();
        tail.iter_mut().for_each(|entry| *entry *= factor);
    } else {
        tail.iter_mut().for_each(|entry| *entry /= leading);
    }
    let ratio = length / leading;
    (0.5 * (1.0 + ratio * ratio), tail)
}

/// Multiplies columns with the reflection; their first rows belong to the leading one of `v`.
#[inline(always)]
fn reflect_columns<S: Simd, const R: usize, const N: usize>(
    unit: VectorUnit<S, R>,
    vector: &[f64],
    tau: f64,
    mut columns: [&mut [f64]; N],
) {
    let tails = columns.each_ref().map(|column| &column[1..]);
    let products = unit.dots(vector, tails);
    let mut factors = products;
    for (column, factor) in columns.iter_mut().zip(&mut factors) {
        *factor = -(column[0] + *factor) / tau;
        column[0] += *factor;
    }
    let mut tails = columns.map(|column| &mut column[1..]);
    unit.add_to_each(&mut tails, vector, factors);
}
