//! Householder reduction of a symmetric matrix to tridiagonal form: `Q' A Q = T`.
//!
//! # Method
//! Columns are reduced in panels. Within a panel the trailing matrix stays as it was, and each column asks one product of it with a
//! vector, which reads the lower triangle once; the two updates of every reflection are applied to the trailing matrix together when
//! the panel ends. Four columns at a time are multiplied, so that both halves of the symmetric product come from one reading. Large
//! products are cut in two by area, and updates in blocks of columns; the parts follow from the size alone, so that the bits are the
//! same for any number of threads.
//!
//! # References
//! J. J. Dongarra, D. C. Sorensen, S. J. Hammarling, "Block reduction of matrices to condensed forms for eigenvalue computations",
//! J. Comput. Appl. Math. 27, 1989 (LAPACK xSYTRD).

use std::ops::Range;

use faer::{Mat, MatMut, MatRef};
use pulp::Simd;

use crate::dense::householder::make_reflector;
use crate::dense::lanes::{LaneKernel, VectorUnit, WIDTH as LANES, dispatch_kernel};
use crate::dense::product::take_lower;
use crate::dense::{BLOCK, column_blocks, column_of, column_tails, run_parts, set_from};

/// Products with fewer rows are not worth a second thread.
const SHARED_LEAST: usize = 512;

/// `T` and the reflections that lead to it.
pub(super) struct TridiagonalForm {
    /// The diagonal of `T`.
    pub(super) diagonal: Vec<f64>,
    /// The entries beside it, one fewer.
    pub(super) beside: Vec<f64>,
    /// Column `j` holds below row `j + 1` the `j`-th reflection without its leading one.
    pub(super) vectors: Mat<f64>,
    /// `tau` of each reflection `I - v v' / tau`; infinite for none.
    pub(super) taus: Vec<f64>,
}

/// Reduces the symmetric matrix in the lower triangle of `matrix`: 4/3 n^3 operations, half of them in products of matrices.
pub(super) fn reduce_to_tridiagonal(matrix: MatRef<'_, f64>) -> TridiagonalForm {
    let n = matrix.nrows();
    let rows = n.next_multiple_of(LANES);
    let mut work = Mat::zeros(rows, n);
    work.as_mut()
        .subrows_mut(0, n)
        .copy_from_triangular_lower(matrix);
    let mut found = TridiagonalForm {
        diagonal: Vec::with_capacity(n),
        beside: Vec::with_capacity(n.saturating_sub(1)),
        vectors: Mat::new(),
        taus: Vec::with_capacity(n.saturating_sub(1)),
    };
    // Few columns, since every column reads the panel three times.
    let width = if n < 300 { 8 } else { 16 };
    let mut panel = TridiagonalPanel {
        left: Mat::zeros(rows, 2 * width),
        width,
        product: vec![0.0; rows],
        second: vec![0.0; rows],
    };
    let mut start = 0;
    while start < n {
        let end = (start + width).min(n);
        for column in start..end {
            dispatch_kernel(TridiagonalStep {
                panel: &mut panel,
                work: &mut work,
                column,
                count: column - start,
                n,
                found: &mut found,
            });
        }
        if end < n {
            panel.update(work.as_mut().subrows_mut(0, n), end);
        }
        start = end;
    }
    found.vectors = work;
    found
}

/// The reflections of a panel: the trailing matrix is to lose `left right'`, with `left = [V W]` and `right = [W V]`.
struct TridiagonalPanel {
    left: Mat<f64>,
    width: usize,
    product: Vec<f64>,
    second: Vec<f64>,
}

impl TridiagonalPanel {
    /// Subtracts the reflections of the panel from the trailing matrix, from row `first` on.
    fn update(&self, work: MatMut<'_, f64>, first: usize) {
        let n = work.nrows();
        let left = self.left.as_ref().subrows(first, n - first);
        let (v, w) = left.split_at_col(self.width);
        let mut right = Mat::zeros(n - first, 2 * self.width);
        right.as_mut().subcols_mut(0, self.width).copy_from(w);
        right
            .as_mut()
            .subcols_mut(self.width, self.width)
            .copy_from(v);
        let right = right.as_ref();
        let rest = work.submatrix_mut(first, first, n - first, n - first);
        let blocks = column_blocks(rest, BLOCK).into_iter().enumerate();
        run_parts(blocks.map(|(index, block)| {
            let at = index * BLOCK;
            let block = block.subrows_mut(at, n - first - at);
            let (left, right) = (
                left.subrows(at, block.nrows()),
                right.subrows(at, block.ncols()),
            );
            move || take_lower(block, left, right)
        }));
    }
}

/// Brings one column up to date, reduces it, and notes what its reflection does to the columns after it.
struct TridiagonalStep<'a> {
    panel: &'a mut TridiagonalPanel,
    work: &'a mut Mat<f64>,
    column: usize,
    count: usize,
    n: usize,
    found: &'a mut TridiagonalForm,
}

impl LaneKernel for TridiagonalStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) {
        let Self {
            panel,
            work,
            column,
            count,
            n,
            found,
        } = self;
        let width = panel.width;
        let used = || (0..count).chain(width..width + count);
        let partner = |k: usize| if k < width { k + width } else { k - width };
        let entries = &mut work.col_as_slice_mut(column)[column..];
        let factors: Vec<f64> = used().map(|k| -panel.left[(column, partner(k))]).collect();
        unit.add_all(
            entries,
            &column_tails(&panel.left, used(), column),
            &factors,
        );
        found.diagonal.push(entries[0]);
        if column + 1 == n {
            return;
        }
        let below = column + 1;
        let entries = &mut work.col_as_slice_mut(column)[below..n];
        let (tau, _) = make_reflector(unit, entries);
        found.beside.push(entries[0]);
        found.taus.push(tau);
        let v = panel.left.col_as_slice_mut(count);
        v[..below].fill(0.0);
        if tau.is_infinite() {
            v[below..].fill(0.0);
            panel.left.col_as_slice_mut(width + count).fill(0.0);
            return;
        }
        v[below] = 1.0;
        v[below + 1..n].copy_from_slice(&entries[1..]);
        let (product, second) = (&mut panel.product, &mut panel.second);
        symmetric_product(
            unit,
            work.as_ref(),
            panel.left.col_as_slice(count),
            below,
            n,
            product,
            second,
        );
        // w = (A v - V W' v - W V' v) / tau, then made such that the two-sided reflection is A - v w' - w v'.
        let v = &panel.left.col_as_slice(count)[below..];
        let product = &mut product[below..];
        let partners = column_tails(&panel.left, used().map(partner), below);
        let terms = column_tails(&panel.left, used(), below);
        unit.subtract_image(product, &terms, &partners, v);
        let inverse = tau.recip();
        product.iter_mut().for_each(|entry| *entry *= inverse);
        let [inner] = unit.dots(v, [product]);
        let half = -0.5 * inverse * inner;
        for (entry, v) in product.iter_mut().zip(v) {
            *entry = v.mul_add(half, *entry);
        }
        set_from(panel.left.col_as_slice_mut(width + count), below, product);
    }
}

/// `A x` for the symmetric matrix in the lower triangle from row and column `first` on.
#[inline(always)]
fn symmetric_product<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    work: MatRef<'_, f64>,
    x: &[f64],
    first: usize,
    n: usize,
    product: &mut [f64],
    second: &mut [f64],
) {
    let size = n - first;
    if size < SHARED_LEAST {
        triangle_product(unit, work, x, first..n, product);
        return;
    }
    // Half of the triangle stands in its first (1 - sqrt(1/2)) columns.
    let middle = (first + size * 3 / 10).next_multiple_of(4);
    let part = |columns, product| {
        dispatch_kernel(TriangleProduct {
            work,
            x,
            columns,
            product,
        });
    };
    thread_pools::run_in_pool(|| {
        rayon::join(
            || part(first..middle, &mut *product),
            || part(middle..n, &mut *second),
        )
    });
    for (sum, term) in product[middle..].iter_mut().zip(&second[middle..]) {
        *sum += term;
    }
}

struct TriangleProduct<'a> {
    work: MatRef<'a, f64>,
    x: &'a [f64],
    columns: Range<usize>,
    product: &'a mut [f64],
}

impl LaneKernel for TriangleProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) {
        triangle_product(unit, self.work, self.x, self.columns, self.product);
    }
}

/// The part of `A x` that comes from some columns of the lower triangle and their mirror image; entries before them are left alone.
#[inline(always)]
fn triangle_product<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    work: MatRef<'_, f64>,
    x: &[f64],
    columns: Range<usize>,
    product: &mut [f64],
) {
    let column = |index: usize| column_of(work, index);
    product[columns.start..].fill(0.0);
    let mut at = columns.start;
    while at < columns.end {
        if !at.is_multiple_of(4) || at + 4 > columns.end {
            one_column(unit, column(at), x, at, product);
            at += 1;
        } else {
            four_columns(unit, [0, 1, 2, 3].map(|k| column(at + k)), x, at, product);
            at += 4;
        }
    }
}

#[inline(always)]
fn one_column<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    column: &[f64],
    x: &[f64],
    at: usize,
    product: &mut [f64],
) {
    let factor = x[at];
    let [sum] = unit.dots(&column[at + 1..], [&x[at + 1..]]);
    product[at] += column[at].mul_add(factor, sum);
    for (entry, a) in product[at + 1..].iter_mut().zip(&column[at + 1..]) {
        *entry = a.mul_add(factor, *entry);
    }
}

/// Columns `at..at + 4`, `at` a multiple of four; their length is a multiple of [`LANES`].
#[inline(always)]
fn four_columns<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    columns: [&[f64]; 4],
    x: &[f64],
    at: usize,
    product: &mut [f64],
) {
    let factors = [x[at], x[at + 1], x[at + 2], x[at + 3]];
    let mut sums = [0.0; 4];
    // The triangle on the diagonal.
    for k in 0..4 {
        product[at + k] = columns[k][at + k].mul_add(factors[k], product[at + k]);
        for row in k + 1..4 {
            let a = columns[k][at + row];
            product[at + row] = a.mul_add(factors[k], product[at + row]);
            sums[k] = a.mul_add(factors[row], sums[k]);
        }
    }
    let aligned = (at + 4).next_multiple_of(LANES);
    for row in at + 4..aligned {
        for k in 0..4 {
            let a = columns[k][row];
            product[row] = a.mul_add(factors[k], product[row]);
            sums[k] = a.mul_add(x[row], sums[k]);
        }
    }
    let blocks = columns.map(|column| column[aligned..].as_chunks::<LANES>().0);
    let xs = x[aligned..].as_chunks::<LANES>().0;
    let outs = product[aligned..].as_chunks_mut::<LANES>().0;
    let [mut first, mut second, mut third, mut fourth] = [unit.splat(0.0); 4];
    let spread = factors.map(|factor| unit.splat(factor));
    let [a, b, c, d] = blocks;
    for (((((a, b), c), d), x), out) in a.iter().zip(b).zip(c).zip(d).zip(xs).zip(outs) {
        let [a, b, c, d] = [unit.load(a), unit.load(b), unit.load(c), unit.load(d)];
        let x = unit.load(x);
        first = unit.mul_add(a, x, first);
        second = unit.mul_add(b, x, second);
        third = unit.mul_add(c, x, third);
        fourth = unit.mul_add(d, x, fourth);
        let sum = unit.mul_add(a, spread[0], unit.load(out));
        let sum = unit.mul_add(b, spread[1], sum);
        let sum = unit.mul_add(c, spread[2], sum);
        unit.store(unit.mul_add(d, spread[3], sum), out);
    }
    for (k, lanes) in [first, second, third, fourth].into_iter().enumerate() {
        product[at + k] += sums[k] + unit.sum(lanes);
    }
}
