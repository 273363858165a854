//! Householder reduction of a matrix to upper bidiagonal form, `U' A V = B`, for its singular values alone.
//!
//! # Method
//! Columns and rows are reduced in panels. Within a panel the trailing matrix stays as it was; each step asks one product of it and one
//! of its transpose with a vector, and the updates of all reflections are applied together when the panel ends. Large products are cut
//! in blocks of columns or rows that threads share; every entry of a result is the work of one thread, in one order.
//!
//! # References
//! J. J. Dongarra, D. C. Sorensen, S. J. Hammarling, "Block reduction of matrices to condensed forms for eigenvalue computations",
//! J. Comput. Appl. Math. 27, 1989 (LAPACK xGEBRD).

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef};
use pulp::Simd;

use crate::dense::householder::make_reflector;
use crate::dense::lanes::{LaneKernel, VectorUnit, WIDTH, dispatch_kernel};
use crate::dense::{BLOCK, PAR, column_blocks, column_of, column_tails, run_parts, set_from};

/// Products with fewer entries of the matrix are not worth a second thread.
const SHARED_LEAST: usize = 1 << 18;

/// The diagonal of B and the entries above it: 8/3 n^3 operations for a square matrix, half of them in products of matrices. The matrix
/// has at least as many rows as columns.
pub(super) fn reduce_to_bidiagonal(matrix: MatRef<'_, f64>) -> (Vec<f64>, Vec<f64>) {
    let (m, n) = matrix.shape();
    // Whole groups of rows, so that no column has a rest.
    let rows = m.next_multiple_of(WIDTH);
    let mut work = Mat::zeros(rows, n);
    work.as_mut().subrows_mut(0, m).copy_from(matrix);
    let width = if n < 300 { 8 } else { 16 };
    let mut panel = BidiagonalPanel {
        columns: Mat::zeros(rows, 2 * width),
        rows: Mat::zeros(n, 2 * width),
        width,
        diagonal: Vec::with_capacity(n),
        above: Vec::with_capacity(n.saturating_sub(1)),
    };
    let mut start = 0;
    while start < n {
        let end = (start + width).min(n);
        for step in start..end {
            dispatch_kernel(BidiagonalStep {
                panel: &mut panel,
                work: &work,
                step,
                count: step - start,
                height: m,
            });
        }
        if end < n {
            panel.update(work.as_mut(), end);
        }
        start = end;
    }
    (panel.diagonal, panel.above)
}

/// The reflections of a panel: the trailing matrix is to lose `columns rows'`, with `columns = [V X]` and `rows = [Y U]`, where V holds
/// the reflections of columns, U those of rows.
struct BidiagonalPanel {
    columns: Mat<f64>,
    rows: Mat<f64>,
    width: usize,
    diagonal: Vec<f64>,
    above: Vec<f64>,
}

impl BidiagonalPanel {
    /// Subtracts the reflections of the panel from the trailing matrix, from row and column `first` on.
    fn update(&self, work: MatMut<'_, f64>, first: usize) {
        let (m, n) = work.shape();
        let columns = self.columns.as_ref().subrows(first, m - first);
        let rows = self.rows.as_ref();
        let rest = work.submatrix_mut(first, first, m - first, n - first);
        let width = if (m - first) * (n - first) < SHARED_LEAST {
            n - first
        } else {
            BLOCK
        };
        let blocks = column_blocks(rest, width).into_iter().enumerate();
        run_parts(blocks.map(|(index, block)| {
            let rows = rows.subrows(first + index * width, block.ncols());
            move || matmul(block, Accum::Add, columns, rows.transpose(), -1.0, PAR)
        }));
    }
}

struct BidiagonalStep<'a> {
    panel: &'a mut BidiagonalPanel,
    work: &'a Mat<f64>,
    /// Row and column that are reduced.
    step: usize,
    /// Steps done in this panel.
    count: usize,
    /// Rows that are not padding.
    height: usize,
}

impl LaneKernel for BidiagonalStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) {
        let Self {
            panel,
            work,
            step,
            count,
            height,
        } = self;
        let (n, width) = (work.ncols(), panel.width);
        // V and X with as many columns as there are; Y and U likewise.
        let used = |of_first: usize| (0..of_first).chain(width..width + count);
        let negative = |matrix: &Mat<f64>, row: usize, of_first: usize| -> Vec<f64> {
            used(of_first).map(|k| -matrix[(row, k)]).collect()
        };

        // The column, and its reflection; from the beginning of a group of rows on, zeros above.
        let top = step / WIDTH * WIDTH;
        let mut column = work.col_as_slice(step)[top..].to_vec();
        let factors = negative(&panel.rows, step, count);
        let terms = column_tails(&panel.columns, used(count), top);
        unit.add_all(&mut column, &terms, &factors);
        column[..step - top].fill(0.0);
        let (tau, _) = make_reflector(unit, &mut column[step - top..height - top]);
        panel.diagonal.push(column[step - top]);
        if step + 1 == n {
            return;
        }
        let inverse = if tau.is_infinite() { 0.0 } else { tau.recip() };
        column[step - top] = 1.0;
        set_from(panel.columns.col_as_slice_mut(count), top, &column);

        // y = (A' v - Y V' v - U X' v) / tau.
        let right = step + 1;
        let mut image = vec![0.0; n - right];
        if inverse != 0.0 {
            trailing_product::<S, R, true>(unit, work.as_ref(), &column, (top, right), &mut image);
            let terms = column_tails(&panel.rows, used(count), right);
            let others = column_tails(&panel.columns, used(count), top);
            unit.subtract_image(&mut image, &terms, &others, &column);
            image.iter_mut().for_each(|entry| *entry *= inverse);
        }
        set_from(panel.rows.col_as_slice_mut(count), right, &image);

        // The row, and its reflection.
        let mut row: Vec<f64> = (right..n).map(|column| work[(step, column)]).collect();
        let factors = negative(&panel.columns, step, count + 1);
        let terms = column_tails(&panel.rows, used(count + 1), right);
        unit.add_all(&mut row, &terms, &factors);
        let (tau, _) = make_reflector(unit, &mut row);
        panel.above.push(row[0]);
        let inverse = if tau.is_infinite() { 0.0 } else { tau.recip() };
        row[0] = 1.0;
        set_from(panel.rows.col_as_slice_mut(width + count), right, &row);

        // x = (A u - V Y' u - X U' u) / tau.
        let top = right / WIDTH * WIDTH;
        let mut image = vec![0.0; work.nrows() - top];
        if inverse != 0.0 {
            trailing_product::<S, R, false>(unit, work.as_ref(), &row, (top, right), &mut image);
            let terms = column_tails(&panel.columns, used(count + 1), top);
            let others = column_tails(&panel.rows, used(count + 1), right);
            unit.subtract_image(&mut image, &terms, &others, &row);
            image.iter_mut().for_each(|entry| *entry *= inverse);
            image[..right - top].fill(0.0);
        }
        set_from(panel.columns.col_as_slice_mut(width + count), top, &image);
    }
}

/// `A x` for rows from `top` and columns from `left` on, or `A' x` where `TRANSPOSED`; `out` holds zeros.
#[inline(always)]
fn trailing_product<S: Simd, const R: usize, const TRANSPOSED: bool>(
    unit: VectorUnit<S, R>,
    a: MatRef<'_, f64>,
    x: &[f64],
    (top, left): (usize, usize),
    out: &mut [f64],
) {
    let whole = ProductPart::<TRANSPOSED> {
        a,
        x,
        top,
        left,
        out,
    };
    if x.len() * whole.out.len() < SHARED_LEAST {
        return whole.run(unit);
    }
    // Halves of whole groups: of four columns, or of the rows of one register.
    let half = (whole.out.len() / 2).next_multiple_of(if TRANSPOSED { 4 } else { WIDTH });
    run_parts(whole.out.chunks_mut(half).enumerate().map(|(index, out)| {
        let skipped = index * half;
        let (top, left) = match TRANSPOSED {
            true => (top, left + skipped),
            false => (top + skipped, left),
        };
        move || {
            dispatch_kernel(ProductPart::<TRANSPOSED> {
                a,
                x,
                top,
                left,
                out,
            });
        }
    }));
}

/// Some of the entries of a product.
struct ProductPart<'a, const TRANSPOSED: bool> {
    a: MatRef<'a, f64>,
    x: &'a [f64],
    top: usize,
    left: usize,
    out: &'a mut [f64],
}

impl<const TRANSPOSED: bool> LaneKernel for ProductPart<'_, TRANSPOSED> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) {
        let Self { a, x, out, .. } = self;
        let length = if TRANSPOSED { x.len() } else { out.len() };
        let column = |index: usize| &column_of(a, self.left + index)[self.top..self.top + length];
        let four = |at: usize| [column(at), column(at + 1), column(at + 2), column(at + 3)];
        if TRANSPOSED {
            let (fours, rest) = out.as_chunks_mut::<4>();
            let done = 4 * fours.len();
            for (index, out) in fours.iter_mut().enumerate() {
                *out = unit.dots(x, four(4 * index));
            }
            for (index, out) in rest.iter_mut().enumerate() {
                [*out] = unit.dots(x, [column(done + index)]);
            }
        } else {
            let (fours, rest) = x.as_chunks::<4>();
            let done = 4 * fours.len();
            for (index, factors) in fours.iter().enumerate() {
                unit.add_multiples(out, four(4 * index), *factors);
            }
            for (index, factor) in rest.iter().enumerate() {
                unit.add_multiples(out, [column(done + index)], [*factor]);
            }
        }
    }
}
