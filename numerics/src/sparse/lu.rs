//! `P A Q = L U` of a sparse square matrix.

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::colamd;

use super::{CsrMatrix, SparseError, go_on, reserve_bytes};
use crate::dense::condition::LinearOperator;
use crate::watch::Watch;

const WHAT: &str = "the LU factorisation";
const NONE: u32 = u32::MAX;

/// A triangle by columns, the diagonal apart.
#[derive(Debug, Clone, Default)]
struct SparseTriangle {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

/// The factors and both orders.
#[derive(Debug, Clone)]
pub(crate) struct SparseLu {
    /// Unit lower triangle, its diagonal not stored.
    lower: SparseTriangle,
    /// Upper triangle without its diagonal.
    upper: SparseTriangle,
    pivots: Vec<f64>,
    /// Row `rows[k]` of `A` holds pivot k.
    rows: Vec<u32>,
    /// Column `columns[k]` of `A` is eliminated at step k.
    columns: Vec<usize>,
    growth: f64,
}

impl SparseLu {
    /// Factors the square matrix.
    ///
    /// # Method
    /// Left-looking elimination in time proportional to the arithmetic, with partial pivoting by rows; columns in the order of
    /// COLAMD. Among pivots of one size the diagonal comes first, then the row of lowest number. Memory is set aside as the
    /// factors grow, which cannot be foreseen.
    ///
    /// # Errors
    /// [`SparseError::Singular`] at a column without a pivot; [`SparseError::Cost`] beyond `operations_max` multiplications;
    /// stopped, or no memory.
    ///
    /// # References
    /// J. R. Gilbert and T. Peierls, "Sparse partial pivoting in time proportional to arithmetic operations", SIAM J. Sci. Stat.
    /// Comput. 9, 1988; T. A. Davis, J. R. Gilbert, S. I. Larimore, E. G. Ng, "A column approximate minimum degree ordering
    /// algorithm", ACM TOMS 30, 2004.
    pub(crate) fn new(
        a: &CsrMatrix,
        operations_max: f64,
        watch: &dyn Watch,
    ) -> Result<Self, SparseError> {
        let n = a.row_count();
        reserve_bytes(watch, WHAT, 12 * a.nonzeros() as u64 + 64 * n as u64)?;
        let by_columns = a.transposed();
        let columns = column_order(&by_columns, watch)?;
        go_on(watch)?;
        let mut elimination = SparseElimination::new(n, operations_max, watch);
        for &column in &columns {
            elimination.eliminate(&by_columns, column)?;
        }
        let mut factors = elimination.finish(columns);
        let most = crate::dense::max_abs(a.values());
        factors.growth = crate::dense::max_abs(&factors.upper.values)
            .max(crate::dense::max_abs(&factors.pivots))
            / most;
        Ok(factors)
    }

    /// Entries of both factors.
    pub(crate) fn fill(&self) -> usize {
        self.lower.values.len() + self.upper.values.len() + self.pivots.len()
    }

    /// Largest entry of `U` over the largest of `A`.
    pub(crate) fn growth(&self) -> f64 {
        self.growth
    }
}

fn column_order(by_columns: &CsrMatrix, watch: &dyn Watch) -> Result<Vec<usize>, SparseError> {
    let n = by_columns.row_count();
    let request = colamd::order_scratch::<usize>(n, n, by_columns.nonzeros());
    let bytes = request.size_bytes() as u64 + 8 * (by_columns.nonzeros() + 2 * n) as u64;
    reserve_bytes(watch, WHAT, bytes)?;
    let indices: Vec<usize> = by_columns
        .columns()
        .iter()
        .map(|&row| row as usize)
        .collect();
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, by_columns.starts(), None, &indices);
    let (mut order, mut places) = (vec![0; n], vec![0; n]);
    let mut memory = MemBuffer::new(request);
    colamd::order(
        &mut order,
        &mut places,
        pattern,
        colamd::Control::default(),
        MemStack::new(&mut memory),
    )
    .map_err(|_| SparseError::Memory { what: WHAT, bytes })?;
    Ok(order)
}

/// The state of an elimination: the columns so far, rows still by their number in `A`.
struct SparseElimination<'a> {
    watch: &'a dyn Watch,
    lower: SparseTriangle,
    upper: SparseTriangle,
    pivots: Vec<f64>,
    rows: Vec<u32>,
    /// Step at which a row became a pivot.
    step_of: Vec<u32>,
    work: Vec<f64>,
    marks: Vec<u32>,
    /// Rows that the column reaches, the last `n - top` in topological order.
    reached: Vec<u32>,
    path: Vec<(u32, usize)>,
    reserved: usize,
    operations: f64,
    operations_max: f64,
    next_check: f64,
}

impl<'a> SparseElimination<'a> {
    fn new(n: usize, operations_max: f64, watch: &'a dyn Watch) -> Self {
        let triangle = || SparseTriangle {
            starts: vec![0],
            ..SparseTriangle::default()
        };
        Self {
            watch,
            lower: triangle(),
            upper: triangle(),
            pivots: Vec::with_capacity(n),
            rows: Vec::with_capacity(n),
            step_of: vec![NONE; n],
            work: vec![0.0; n],
            marks: vec![NONE; n],
            reached: vec![0; n],
            path: Vec::new(),
            reserved: 0,
            operations: 0.0,
            operations_max,
            next_check: 0.0,
        }
    }

    fn eliminate(&mut self, by_columns: &CsrMatrix, column: usize) -> Result<(), SparseError> {
        let (rows, values) = by_columns.row(column);
        let top = self.reach(rows);
        for (&row, &value) in rows.iter().zip(values) {
            self.work[row as usize] = value;
        }
        self.subtract(top);
        self.allow(self.reached.len() - top)?;
        let pivot = self.choose(top, column);
        let pivot = pivot.ok_or(SparseError::Singular(column))?;
        let value = self.work[pivot as usize];
        if value == 0.0 || !value.is_finite() {
            let singular = value == 0.0;
            return Err(if singular {
                SparseError::Singular(column)
            } else {
                SparseError::Overflow
            });
        }
        self.store(top, pivot);
        Ok(())
    }

    /// All rows that the given ones reach in the graph of the lower triangle; returns where they start in `reached`.
    fn reach(&mut self, rows: &[u32]) -> usize {
        let step = self.pivots.len() as u32;
        let mut top = self.reached.len();
        for &row in rows {
            if self.marks[row as usize] == step {
                continue;
            }
            self.marks[row as usize] = step;
            self.path.push((row, self.below(row).start));
            while let Some(&(row, next)) = self.path.last() {
                let end = self.below(row).end;
                let fresh = self.lower.rows[next.min(end)..end]
                    .iter()
                    .position(|&below| self.marks[below as usize] != step);
                let Some(offset) = fresh else {
                    top -= 1;
                    self.reached[top] = row;
                    self.path.pop();
                    continue;
                };
                let below = self.lower.rows[next + offset];
                if let Some(last) = self.path.last_mut() {
                    last.1 = next + offset + 1;
                }
                self.marks[below as usize] = step;
                self.path.push((below, self.below(below).start));
            }
        }
        top
    }

    /// The entries of the lower triangle in the column that a row was the pivot of.
    fn below(&self, row: u32) -> Range<usize> {
        match self.step_of[row as usize] {
            NONE => 0..0,
            step => self.lower.starts[step as usize]..self.lower.starts[step as usize + 1],
        }
    }

    /// The sparse triangular solve.
    fn subtract(&mut self, top: usize) {
        for &row in &self.reached[top..] {
            let (factor, range) = (self.work[row as usize], self.below(row));
            self.operations += range.len() as f64;
            if factor == 0.0 {
                continue;
            }
            let rows = self.lower.rows[range.clone()].iter();
            for (&below, &value) in rows.zip(&self.lower.values[range]) {
                self.work[below as usize] -= value * factor;
            }
        }
    }

    /// Checks the limits before up to `count` entries are stored.
    fn allow(&mut self, count: usize) -> Result<(), SparseError> {
        const CHECK: f64 = 1e6;
        const CHUNK_MIN: usize = 1 << 10;
        const CHUNK: usize = 1 << 20;
        self.operations += count as f64;
        if self.operations > self.next_check {
            self.next_check = self.operations + CHECK;
            go_on(self.watch)?;
            if self.operations > self.operations_max {
                let (what, operations) = (WHAT, self.operations);
                return Err(SparseError::Cost { what, operations });
            }
        }
        let needed = self.lower.values.len() + self.upper.values.len() + count;
        if needed > self.reserved {
            // Vectors grow by doubling and hold old and new at once.
            let more = needed.clamp(CHUNK_MIN, CHUNK);
            reserve_bytes(self.watch, WHAT, 24 * more as u64)?;
            self.reserved = needed + more;
        }
        Ok(())
    }

    fn choose(&self, top: usize, column: usize) -> Option<u32> {
        let reached = self.reached[top..].iter().copied();
        let free = reached.filter(|&row| self.step_of[row as usize] == NONE);
        let better = |row: u32, best: u32| {
            let [size, most] = [row, best].map(|row| self.work[row as usize].abs());
            size > most
                || (size == most
                    && best as usize != column
                    && (row as usize == column || row < best))
        };
        free.reduce(|best, row| if better(row, best) { row } else { best })
    }

    fn store(&mut self, top: usize, pivot: u32) {
        let pivot_value = self.work[pivot as usize];
        for &row in &self.reached[top..] {
            let value = std::mem::take(&mut self.work[row as usize]);
            if value == 0.0 || row == pivot {
                continue;
            }
            match self.step_of[row as usize] {
                NONE => {
                    self.lower.rows.push(row);
                    self.lower.values.push(value / pivot_value);
                }
                step => {
                    self.upper.rows.push(step);
                    self.upper.values.push(value);
                }
            }
        }
        self.step_of[pivot as usize] = self.pivots.len() as u32;
        self.rows.push(pivot);
        self.pivots.push(pivot_value);
        self.lower.starts.push(self.lower.rows.len());
        self.upper.starts.push(self.upper.rows.len());
    }

    fn finish(mut self, columns: Vec<usize>) -> SparseLu {
        for row in &mut self.lower.rows {
            *row = self.step_of[*row as usize];
        }
        SparseLu {
            lower: self.lower,
            upper: self.upper,
            pivots: self.pivots,
            rows: self.rows,
            columns,
            growth: 0.0,
        }
    }
}

impl SparseTriangle {
    fn column(&self, step: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[step]..self.starts[step + 1];
        let rows = self.rows[range.clone()].iter().map(|&row| row as usize);
        rows.zip(self.values[range].iter().copied())
    }
}

impl LinearOperator for SparseLu {
    fn size(&self) -> usize {
        self.pivots.len()
    }

    /// Solves `A y = x`.
    fn apply(&self, x: &mut [f64]) {
        let n = x.len();
        let mut y: Vec<f64> = self.rows.iter().map(|&row| x[row as usize]).collect();
        for step in 0..n {
            let factor = y[step];
            let column = self.lower.column(step);
            column.for_each(|(row, value)| y[row] -= value * factor);
        }
        for step in (0..n).rev() {
            y[step] /= self.pivots[step];
            let factor = y[step];
            let column = self.upper.column(step);
            column.for_each(|(row, value)| y[row] -= value * factor);
        }
        for (step, &column) in self.columns.iter().enumerate() {
            x[column] = y[step];
        }
    }

    /// Solves `A' y = x`.
    fn apply_transposed(&self, x: &mut [f64]) {
        let n = x.len();
        let mut y: Vec<f64> = self.columns.iter().map(|&column| x[column]).collect();
        for step in 0..n {
            let terms = self.upper.column(step).map(|(row, value)| value * y[row]);
            y[step] = (y[step] - terms.sum::<f64>()) / self.pivots[step];
        }
        for step in (0..n).rev() {
            let terms = self.lower.column(step).map(|(row, value)| value * y[row]);
            y[step] -= terms.sum::<f64>();
        }
        for (step, &row) in self.rows.iter().enumerate() {
            x[row as usize] = y[step];
        }
    }
}
