//! Smoothed aggregation multigrid as a preconditioner of conjugate gradients.

use faer::Mat;

use super::csr::row_dot;
use super::precondition::{Preconditioner, breakdown_error};
use super::product::sparse_product;
use super::{CsrMatrix, SparseError, go_on, reserve_bytes, reserve_doubles};
use crate::dense::cholesky::Cholesky;
use crate::dense::condition::LinearOperator as _;
use crate::watch::Watch;

const WHAT: &str = "the amg preconditioner";
const NONE: u32 = u32::MAX;

/// Matrices up to this size are factored.
const COARSE_MAX: usize = 400;
/// Matrices are made smaller at most this often.
const LEVELS_MAX: usize = 30;
/// Strength of the connections on the finest level; half on each coarser one.
const STRENGTH: f64 = 0.08;

/// A V-cycle of symmetric positive definite matrices, each about an eighth of the one before.
///
/// # Method
/// Unknowns are put together along strong connections, `a_ij^2 > theta^2 a_ii a_jj`; the piecewise constant interpolation of these
/// aggregates is smoothed by one Jacobi step of the filtered matrix, `P = (I - 4/3 D^-1 A_F / rho) T`, where the largest row sum of
/// `|D^-1 A_F|` replaces `rho`; the coarse matrix is `P' A P`. One sweep of Gauss-Seidel, forwards before and backwards after the
/// correction, so that the cycle is symmetric. The coarsest matrix is factored, or swept over where it has no Cholesky factor.
///
/// # Accuracy and cost
/// For second order elliptic problems with one unknown per point 10 to 30 iterations, regardless of the size; about 3 to 5 products with
/// the matrix per cycle. It assumes that the constant vector is nearly in the null space, as it is for these.
///
/// # References
/// P. Vanek, J. Mandel, M. Brezina, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic problems",
/// Computing 56, 1996.
#[derive(Debug)]
pub struct Multigrid {
    levels: Vec<MultigridLevel>,
    coarsest: CoarsestSolver,
}

/// A matrix, its interpolation from the next, and the vectors of the cycle.
#[derive(Debug)]
struct MultigridLevel {
    matrix: GaussSeidel,
    interpolation: CsrMatrix,
    rest: Vec<f64>,
    coarse_rest: Vec<f64>,
    coarse_correction: Vec<f64>,
}

#[derive(Debug)]
enum CoarsestSolver {
    Factored(Cholesky),
    Swept(GaussSeidel),
}

impl Multigrid {
    /// Builds the levels of a symmetric matrix with positive diagonal.
    ///
    /// # Errors
    /// [`SparseError::Breakdown`] where a diagonal is not positive; stopped, or no memory.
    pub fn new(a: &CsrMatrix, watch: &dyn Watch) -> Result<Self, SparseError> {
        let bytes = 16 * a.nonzeros() as u64 + 16 * a.row_count() as u64;
        reserve_bytes(watch, WHAT, bytes)?;
        let mut levels = Vec::new();
        let mut matrix = GaussSeidel::new(a.clone())?;
        let mut strength = STRENGTH;
        while matrix.a.row_count() > COARSE_MAX && levels.len() < LEVELS_MAX {
            go_on(watch)?;
            let n = matrix.a.row_count();
            let Some((interpolation, coarse)) = coarsen_level(&matrix, strength, watch)? else {
                break;
            };
            let coarse_n = coarse.row_count();
            reserve_doubles(watch, WHAT, n + 2 * coarse_n)?;
            let next = GaussSeidel::new(coarse)?;
            levels.push(MultigridLevel {
                matrix: std::mem::replace(&mut matrix, next),
                interpolation,
                rest: vec![0.0; n],
                coarse_rest: vec![0.0; coarse_n],
                coarse_correction: vec![0.0; coarse_n],
            });
            strength *= 0.5;
        }
        let n = matrix.a.row_count();
        let small = (n <= COARSE_MAX).then(|| dense_matrix(&matrix.a));
        let factor = small.and_then(|small| Cholesky::new(small).ok());
        let coarsest =
            factor.map_or_else(|| CoarsestSolver::Swept(matrix), CoarsestSolver::Factored);
        Ok(Self { levels, coarsest })
    }
}

fn dense_matrix(a: &CsrMatrix) -> Mat<f64> {
    let mut out = Mat::zeros(a.row_count(), a.row_count());
    for row in 0..a.row_count() {
        let (columns, values) = a.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            out[(row, column as usize)] = value;
        }
    }
    out
}

impl Preconditioner for Multigrid {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        run_cycle(&mut self.levels, &self.coarsest, r, z);
    }
}

fn run_cycle(levels: &mut [MultigridLevel], coarsest: &CoarsestSolver, r: &[f64], z: &mut [f64]) {
    let Some((level, coarser)) = levels.split_first_mut() else {
        coarsest.solve(r, z);
        return;
    };
    level.matrix.sweep_from_zero(r, z, &mut level.rest);
    level.coarse_rest.fill(0.0);
    for (row, &rest) in level.rest.iter().enumerate() {
        let (columns, values) = level.interpolation.row(row);
        for (&column, value) in columns.iter().zip(values) {
            level.coarse_rest[column as usize] += value * rest;
        }
    }
    let (rest, correction) = (&level.coarse_rest, &mut level.coarse_correction);
    run_cycle(coarser, coarsest, rest, correction);
    for (row, z) in z.iter_mut().enumerate() {
        *z += level
            .interpolation
            .row_product(row, &level.coarse_correction);
    }
    level.matrix.sweep_backwards(r, z);
}

impl CoarsestSolver {
    fn solve(&self, r: &[f64], z: &mut [f64]) {
        const SWEEPS: usize = 4;
        match self {
            Self::Factored(factor) => {
                z.copy_from_slice(r);
                factor.apply(z);
            }
            Self::Swept(matrix) => {
                z.fill(0.0);
                (0..SWEEPS).for_each(|_| matrix.sweep_forwards(r, z));
                (0..SWEEPS).for_each(|_| matrix.sweep_backwards(r, z));
            }
        }
    }
}

/// A matrix with the places and inverses of its diagonal: what Gauss-Seidel needs.
#[derive(Debug)]
struct GaussSeidel {
    a: CsrMatrix,
    diagonal: Vec<usize>,
    inverse: Vec<f64>,
}

impl GaussSeidel {
    fn new(a: CsrMatrix) -> Result<Self, SparseError> {
        let n = a.row_count();
        let (mut diagonal, mut inverse) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for row in 0..n {
            let (columns, values) = a.row(row);
            let Some(at) = columns
                .binary_search(&(row as u32))
                .ok()
                .filter(|&at| values[at] > 0.0)
            else {
                return Err(breakdown_error(
                    "amg",
                    row,
                    "the diagonal entry is not greater than 0",
                ));
            };
            diagonal.push(a.starts()[row] + at);
            inverse.push(1.0 / values[at]);
        }
        Ok(Self {
            a,
            diagonal,
            inverse,
        })
    }

    #[inline]
    fn sum(&self, range: std::ops::Range<usize>, x: &[f64]) -> f64 {
        let columns = &self.a.columns()[range.clone()];
        row_dot(columns, &self.a.values()[range], x)
    }

    /// A forward sweep from zero: `(D + L) x = r`, and what it leaves, `r - A x = -U x`.
    fn sweep_from_zero(&self, r: &[f64], x: &mut [f64], rest: &mut [f64]) {
        let starts = self.a.starts();
        for (row, r) in r.iter().enumerate() {
            x[row] = (r - self.sum(starts[row]..self.diagonal[row], x)) * self.inverse[row];
        }
        for (row, rest) in rest.iter_mut().enumerate() {
            *rest = -self.sum(self.diagonal[row] + 1..starts[row + 1], x);
        }
    }

    fn sweep_forwards(&self, r: &[f64], x: &mut [f64]) {
        (0..x.len()).for_each(|row| self.relax(row, r, x));
    }

    fn sweep_backwards(&self, r: &[f64], x: &mut [f64]) {
        (0..x.len()).rev().for_each(|row| self.relax(row, r, x));
    }

    #[inline]
    fn relax(&self, row: usize, r: &[f64], x: &mut [f64]) {
        let starts = self.a.starts();
        let left = self.sum(starts[row]..self.diagonal[row], x);
        let right = self.sum(self.diagonal[row] + 1..starts[row + 1], x);
        x[row] = (r[row] - left - right) * self.inverse[row];
    }
}

/// The interpolation and the coarse matrix; `None` when nothing gets smaller.
fn coarsen_level(
    matrix: &GaussSeidel,
    strength: f64,
    watch: &dyn Watch,
) -> Result<Option<(CsrMatrix, CsrMatrix)>, SparseError> {
    let n = matrix.a.row_count();
    let strong = StrongConnections::of(matrix, strength, watch)?;
    let (aggregates, count) = aggregate_unknowns(&strong, n);
    if count == 0 || count * 10 > n * 9 {
        return Ok(None);
    }
    go_on(watch)?;
    let interpolation = smooth_interpolation(matrix, &strong, &aggregates, count, watch)?;
    drop(strong);
    let image = sparse_product(&matrix.a, &interpolation, count, watch)?;
    reserve_bytes(watch, WHAT, 24 * interpolation.nonzeros() as u64)?;
    let coarse = sparse_product(&interpolation.transposed(), &image, count, watch)?;
    reserve_bytes(watch, WHAT, 12 * coarse.columns.len() as u64)?;
    // The product is symmetric but for rounding; its transpose has sorted rows.
    Ok(Some((interpolation, coarse.transposed())))
}

/// Strong connections off the diagonal, by rows, as places in the matrix.
struct StrongConnections {
    starts: Vec<usize>,
    places: Vec<usize>,
    columns: Vec<u32>,
}

impl StrongConnections {
    fn of(matrix: &GaussSeidel, strength: f64, watch: &dyn Watch) -> Result<Self, SparseError> {
        let n = matrix.a.row_count();
        let bytes = 12 * matrix.a.nonzeros() as u64 + 32 * n as u64;
        reserve_bytes(watch, WHAT, bytes)?;
        let mut out = Self {
            starts: Vec::with_capacity(n + 1),
            places: Vec::new(),
            columns: Vec::new(),
        };
        out.starts.push(0);
        let (starts, columns, values) = (matrix.a.starts(), matrix.a.columns(), matrix.a.values());
        let square = strength * strength;
        for row in 0..n {
            for at in starts[row]..starts[row + 1] {
                let column = columns[at] as usize;
                // a_ij^2 / (a_ii a_jj) > theta^2, without products that overflow.
                let share =
                    (values[at] * matrix.inverse[row]) * (values[at] * matrix.inverse[column]);
                if column != row && share > square {
                    out.places.push(at);
                    out.columns.push(columns[at]);
                }
            }
            out.starts.push(out.columns.len());
        }
        Ok(out)
    }

    fn neighbours(&self, row: usize) -> &[u32] {
        &self.columns[self.starts[row]..self.starts[row + 1]]
    }
}

/// The aggregate of each unknown, [`NONE`] for one without strong connections, and their number.
fn aggregate_unknowns(strong: &StrongConnections, n: usize) -> (Vec<u32>, usize) {
    let mut of = vec![NONE; n];
    let mut count = 0_u32;
    // Whole neighbourhoods first.
    for row in 0..n {
        let neighbours = strong.neighbours(row);
        let free = of[row] == NONE && neighbours.iter().all(|&other| of[other as usize] == NONE);
        if free && !neighbours.is_empty() {
            of[row] = count;
            for &other in neighbours {
                of[other as usize] = count;
            }
            count += 1;
        }
    }
    // The remaining points join a neighbour of the first pass.
    let first = of.clone();
    for (row, of) in of.iter_mut().enumerate().filter(|(_, of)| **of == NONE) {
        let mut neighbours = strong.neighbours(row).iter();
        let joined =
            neighbours.find_map(|&other| Some(first[other as usize]).filter(|&of| of != NONE));
        *of = joined.unwrap_or(NONE);
    }
    // Or makes an aggregate with others that are left.
    for row in 0..n {
        if of[row] == NONE && !strong.neighbours(row).is_empty() {
            of[row] = count;
            for &other in strong.neighbours(row) {
                if of[other as usize] == NONE {
                    of[other as usize] = count;
                }
            }
            count += 1;
        }
    }
    (of, count as usize)
}

/// `P = (I - omega D_F^-1 A_F) T`, where weak connections have been added to the diagonal of `A_F`.
fn smooth_interpolation(
    matrix: &GaussSeidel,
    strong: &StrongConnections,
    aggregates: &[u32],
    count: usize,
    watch: &dyn Watch,
) -> Result<CsrMatrix, SparseError> {
    const DAMPING: f64 = 4.0 / 3.0;
    const CANCELLED: f64 = 0.25;
    let n = matrix.a.row_count();
    let values = matrix.a.values();
    let places = |row: usize| &strong.places[strong.starts[row]..strong.starts[row + 1]];
    let filtered_diagonal: Vec<f64> = (0..n)
        .map(|row| {
            let whole: f64 = matrix.a.row(row).1.iter().sum();
            let kept: f64 = places(row).iter().map(|&at| values[at]).sum();
            let diagonal = whole - kept;
            // Where weak connections cancel the diagonal, it stays as it is.
            let own = 1.0 / matrix.inverse[row];
            let cancelled = diagonal <= CANCELLED * own || diagonal.is_nan();
            if cancelled { own } else { diagonal }
        })
        .collect();
    let sum = |row| places(row).iter().map(|&at| values[at].abs()).sum::<f64>();
    let radius = |row: usize| 1.0 + sum(row) / filtered_diagonal[row];
    let omega = DAMPING / (0..n).map(radius).fold(0.0, f64::max);
    let mut sizes = vec![0.0_f64; count];
    for &of in aggregates.iter().filter(|&&of| of != NONE) {
        sizes[of as usize] += 1.0;
    }
    let weight: Vec<f64> = sizes.iter().map(|size| 1.0 / size.sqrt()).collect();
    let bytes = 12 * (strong.columns.len() + n) as u64 + 16 * n as u64;
    reserve_bytes(watch, WHAT, bytes)?;
    let mut starts = Vec::with_capacity(n + 1);
    let (mut columns, mut entries) = (Vec::new(), Vec::new());
    starts.push(0);
    let mut row_entries: Vec<(u32, f64)> = Vec::new();
    for (row, diagonal) in filtered_diagonal.iter().enumerate() {
        row_entries.clear();
        let mut add = |of: u32, value: f64| {
            if of == NONE {
                return;
            }
            let value = value * weight[of as usize];
            match row_entries.iter_mut().find(|(column, _)| *column == of) {
                Some((_, sum)) => *sum += value,
                None => row_entries.push((of, value)),
            }
        };
        add(aggregates[row], 1.0 - omega);
        for (&at, &other) in places(row).iter().zip(strong.neighbours(row)) {
            add(aggregates[other as usize], -omega * values[at] / diagonal);
        }
        row_entries.sort_unstable_by_key(|&(column, _)| column);
        columns.extend(row_entries.iter().map(|&(column, _)| column));
        entries.extend(row_entries.iter().map(|&(_, value)| value));
        starts.push(columns.len());
    }
    Ok(CsrMatrix::from_sorted(count, starts, columns, entries))
}
