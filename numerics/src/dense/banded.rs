//! Triangles and bands: systems that need no elimination, or only near the diagonal.

use faer::Mat;

use super::condition::LinearOperator;
use super::{add_multiple, dot};

/// A triangular matrix, column by column.
#[derive(Debug, Clone)]
pub struct TriangularMatrix {
    /// The entries; those of the other triangle are not looked at.
    pub entries: Mat<f64>,
    /// Whether it is the upper triangle.
    pub upper: bool,
}

impl TriangularMatrix {
    /// The first zero on the diagonal: the matrix is exactly singular.
    pub fn zero_pivot(&self) -> Option<usize> {
        (0..self.entries.ncols()).find(|&index| self.entries[(index, index)] == 0.0)
    }

    fn substitute(&self, x: &mut [f64], transposed: bool) {
        let n = x.len();
        // Forward for a lower triangle and for the transpose of an upper one.
        let forward = self.upper == transposed;
        for step in 0..n {
            let column = if forward { step } else { n - 1 - step };
            let entries = self.entries.col_as_slice(column);
            let range = if self.upper { 0..column } else { column + 1..n };
            if transposed {
                let sum = dot(&entries[range.clone()], &x[range]);
                x[column] = (x[column] - sum) / entries[column];
            } else {
                x[column] /= entries[column];
                let factor = x[column];
                add_multiple(&mut x[range.clone()], -factor, &entries[range]);
            }
        }
    }
}

impl LinearOperator for TriangularMatrix {
    fn size(&self) -> usize {
        self.entries.ncols()
    }

    fn apply(&self, x: &mut [f64]) {
        self.substitute(x, false);
    }

    fn apply_transposed(&self, x: &mut [f64]) {
        self.substitute(x, true);
    }
}

/// Factors `P A = L U` of a band matrix with `lower` and `upper` diagonals, rows exchanged as the pivots ask.
#[derive(Debug, Clone)]
pub struct BandedLu {
    /// Column by column, `height` entries each; row `i` of column `j` at `shift + i - j`.
    data: Vec<f64>,
    pivots: Vec<usize>,
    lower: usize,
    shift: usize,
    height: usize,
}

impl BandedLu {
    /// Factors an n x n matrix, given row by row, whose entries outside the band are zero: 2 n l (l + u) operations,
    /// n (2 l + u + 1) doubles.
    ///
    /// # References
    /// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 4.3 (LAPACK xGBTF2).
    pub fn new(a: &[f64], n: usize, lower: usize, upper: usize) -> Self {
        let shift = lower + upper;
        let height = shift + lower + 1;
        let mut data = vec![0.0; n * height];
        for row in 0..n {
            for column in row.saturating_sub(lower)..(row + upper + 1).min(n) {
                data[column * height + shift + row - column] = a[row * n + column];
            }
        }
        let mut pivots = Vec::with_capacity(n);
        let mut factors = Self {
            data: Vec::new(),
            pivots: Vec::new(),
            lower,
            shift,
            height,
        };
        for column in 0..n {
            let below = lower.min(n - 1 - column);
            let start = column * height + shift;
            let pivot = (1..=below).fold(0, |best, step| {
                if data[start + step].abs() > data[start + best].abs() {
                    step
                } else {
                    best
                }
            });
            pivots.push(column + pivot);
            if data[start + pivot] == 0.0 {
                continue;
            }
            let last = (column + shift + 1).min(n);
            if pivot > 0 {
                for other in column..last {
                    let at = other * height + shift + column - other;
                    data.swap(at, at + pivot);
                }
            }
            let diagonal = data[start];
            for step in 1..=below {
                data[start + step] /= diagonal;
            }
            for other in column + 1..last {
                let at = other * height + shift + column - other;
                let factor = data[at];
                if factor == 0.0 {
                    continue;
                }
                let (head, tail) = data.split_at_mut(at);
                let multipliers = &head[start + 1..=start + below];
                add_multiple(&mut tail[1..=below], -factor, multipliers);
            }
        }
        factors.data = data;
        factors.pivots = pivots;
        factors
    }

    /// The first column without a pivot: the matrix is exactly singular.
    pub fn zero_pivot(&self) -> Option<usize> {
        (0..self.pivots.len()).find(|&column| self.data[column * self.height + self.shift] == 0.0)
    }

    /// The largest magnitude in `U`.
    pub(crate) fn largest_in_upper(&self) -> f64 {
        self.data
            .chunks_exact(self.height)
            .flat_map(|column| &column[..=self.shift])
            .fold(0.0, |most, value| value.abs().max(most))
    }

    /// Multipliers below the diagonal of a column.
    fn multipliers(&self, column: usize) -> &[f64] {
        let start = column * self.height + self.shift + 1;
        &self.data[start..start + self.lower.min(self.pivots.len() - 1 - column)]
    }

    /// Entries of `U` in a column from its first row to the diagonal, and that row.
    fn upper_entries(&self, column: usize) -> (usize, &[f64]) {
        let first = column.saturating_sub(self.shift);
        let end = column * self.height + self.shift;
        (first, &self.data[end - (column - first)..=end])
    }
}

impl LinearOperator for BandedLu {
    fn size(&self) -> usize {
        self.pivots.len()
    }

    fn apply(&self, x: &mut [f64]) {
        for (column, &pivot) in self.pivots.iter().enumerate() {
            x.swap(column, pivot);
            let (head, tail) = x.split_at_mut(column + 1);
            add_multiple(tail, -head[column], self.multipliers(column));
        }
        for column in (0..x.len()).rev() {
            let (first, entries) = self.upper_entries(column);
            let (diagonal, above) = entries.split_last().expect("the diagonal is there");
            x[column] /= diagonal;
            let factor = x[column];
            add_multiple(&mut x[first..column], -factor, above);
        }
    }

    fn apply_transposed(&self, x: &mut [f64]) {
        for column in 0..x.len() {
            let (first, entries) = self.upper_entries(column);
            let (diagonal, above) = entries.split_last().expect("the diagonal is there");
            x[column] = (x[column] - dot(above, &x[first..column])) / diagonal;
        }
        for (column, &pivot) in self.pivots.iter().enumerate().rev() {
            let multipliers = self.multipliers(column);
            let sum = dot(multipliers, &x[column + 1..column + 1 + multipliers.len()]);
            x[column] -= sum;
            x.swap(column, pivot);
        }
    }
}
