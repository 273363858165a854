//! Incomplete factorisations without fill: ILU(0) and IC(0).

use std::ops::Range;

use super::csr::row_dot;
use super::precondition::{Preconditioner, breakdown_error};
use super::{CsrMatrix, SparseError, go_on, reserve_bytes};
use crate::watch::Watch;

/// Rows between two looks at the limits.
const CHECK: usize = 4096;
const NONE: usize = usize::MAX;

/// `A ~ L U` on the pattern of `A`, by rows: `L` with unit diagonal left of the diagonal, `U` from it.
#[derive(Debug, Clone)]
pub struct IncompleteLu {
    pattern: CsrMatrix,
    values: Vec<f64>,
    diagonal: Vec<usize>,
}

impl IncompleteLu {
    /// Eliminates row by row and drops what falls outside the pattern.
    ///
    /// # Errors
    /// [`SparseError::Breakdown`] at a pivot that is absent, zero or not finite; stopped, or no memory.
    ///
    /// # References
    /// Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., SIAM 2003, algorithm 10.4.
    pub fn new(a: &CsrMatrix, watch: &dyn Watch) -> Result<Self, SparseError> {
        let n = a.row_count();
        let bytes = 20 * a.nonzeros() as u64 + 24 * n as u64;
        reserve_bytes(watch, "the ilu0 preconditioner", bytes)?;
        let (starts, columns) = (a.starts(), a.columns());
        let mut values = a.values().to_vec();
        let mut diagonal = vec![NONE; n];
        let mut place = vec![NONE; n];
        for row in 0..n {
            if row % CHECK == 0 {
                go_on(watch)?;
            }
            let range = starts[row]..starts[row + 1];
            for at in range.clone() {
                place[columns[at] as usize] = at;
            }
            for at in range.clone() {
                let above = columns[at] as usize;
                if above >= row {
                    break;
                }
                let factor = values[at] / values[diagonal[above]];
                values[at] = factor;
                for from in diagonal[above] + 1..starts[above + 1] {
                    let to = place[columns[from] as usize];
                    if to != NONE {
                        values[to] -= factor * values[from];
                    }
                }
            }
            diagonal[row] = place[row];
            for at in range {
                place[columns[at] as usize] = NONE;
            }
            let why = match values.get(diagonal[row]) {
                None => "the diagonal entry is 0",
                Some(&pivot) if pivot == 0.0 || !pivot.is_finite() => "the pivot is 0 or too large",
                Some(_) => continue,
            };
            return Err(breakdown_error("ilu0", row, why));
        }
        let pattern = a.clone();
        Ok(Self {
            pattern,
            values,
            diagonal,
        })
    }
}

impl Preconditioner for IncompleteLu {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let (starts, columns) = (self.pattern.starts(), self.pattern.columns());
        let values = &self.values;
        let sum =
            |z: &[f64], range: Range<usize>| row_dot(&columns[range.clone()], &values[range], z);
        for (row, r) in r.iter().enumerate() {
            z[row] = r - sum(z, starts[row]..self.diagonal[row]);
        }
        for row in (0..z.len()).rev() {
            let at = self.diagonal[row];
            z[row] = (z[row] - sum(z, at + 1..starts[row + 1])) / values[at];
        }
    }
}

/// `A ~ L L'` on the lower pattern of a symmetric matrix; `L` by rows, the diagonal last in each.
#[derive(Debug, Clone)]
pub struct IncompleteCholesky {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl IncompleteCholesky {
    /// Factors; where a pivot is not positive, starts again with the diagonal raised by a share of itself: 1e-3, doubled until
    /// it succeeds.
    ///
    /// # Errors
    /// [`SparseError::Breakdown`] when the diagonal is not positive; stopped, or no memory.
    ///
    /// # References
    /// J. A. Meijerink and H. A. van der Vorst, Math. Comp. 31, 1977; T. A. Manteuffel, "An incomplete factorization technique
    /// for positive definite linear systems", Math. Comp. 34, 1980 (the shift).
    pub fn new(a: &CsrMatrix, watch: &dyn Watch) -> Result<Self, SparseError> {
        const SHIFT: f64 = 1e-3;
        let n = a.row_count();
        let bytes = 20 * a.nonzeros() as u64 + 8 * n as u64;
        reserve_bytes(watch, "the ic0 preconditioner", bytes)?;
        if let Some(row) = a.diagonal().iter().position(|&entry| entry <= 0.0) {
            return Err(breakdown_error(
                "ic0",
                row,
                "the diagonal entry is not greater than 0",
            ));
        }
        let half = a.nonzeros() / 2 + n;
        let mut starts = vec![0];
        let (mut columns, mut entries) = (Vec::with_capacity(half), Vec::with_capacity(half));
        for row in 0..n {
            let (row_columns, row_values) = a.row(row);
            let count = row_columns.partition_point(|&column| column as usize <= row);
            columns.extend_from_slice(&row_columns[..count]);
            entries.extend_from_slice(&row_values[..count]);
            starts.push(columns.len());
        }
        let mut shift = 0.0;
        let values = Vec::new();
        let mut factor = Self {
            starts,
            columns,
            values,
        };
        loop {
            factor.values.clone_from(&entries);
            if factor.eliminate(1.0 + shift, watch)? {
                return Ok(factor);
            }
            // A dominant diagonal has a factor, so the shift stays below the largest row sum over the diagonal.
            shift = if shift == 0.0 { SHIFT } else { 2.0 * shift };
        }
    }

    /// Whether all pivots are positive.
    fn eliminate(&mut self, raise: f64, watch: &dyn Watch) -> Result<bool, SparseError> {
        let n = self.starts.len() - 1;
        for row in 0..n {
            if row % CHECK == 0 {
                go_on(watch)?;
            }
            let (first, last) = (self.starts[row], self.starts[row + 1] - 1);
            for at in first..last {
                let above = self.columns[at] as usize;
                let end = self.starts[above + 1] - 1;
                let sum = self.common(first..at, self.starts[above]..end);
                self.values[at] = (self.values[at] - sum) / self.values[end];
            }
            let squares = self.values[first..last].iter().map(|value| value * value);
            let rest = raise * self.values[last] - squares.sum::<f64>();
            if rest.is_nan() || rest <= 0.0 {
                return Ok(false);
            }
            self.values[last] = rest.sqrt();
        }
        Ok(true)
    }

    /// The inner product of two rows over the columns they share.
    fn common(&self, a: Range<usize>, b: Range<usize>) -> f64 {
        let (mut i, mut j, mut sum) = (a.start, b.start, 0.0);
        while i < a.end && j < b.end {
            match self.columns[i].cmp(&self.columns[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    sum += self.values[i] * self.values[j];
                    i += 1;
                    j += 1;
                }
            }
        }
        sum
    }
}

impl Preconditioner for IncompleteCholesky {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        for (row, r) in r.iter().enumerate() {
            let (first, last) = (self.starts[row], self.starts[row + 1] - 1);
            let sum = row_dot(&self.columns[first..last], &self.values[first..last], z);
            z[row] = (r - sum) / self.values[last];
        }
        for row in (0..z.len()).rev() {
            let (first, last) = (self.starts[row], self.starts[row + 1] - 1);
            z[row] /= self.values[last];
            let factor = z[row];
            let columns = self.columns[first..last].iter();
            for (&column, value) in columns.zip(&self.values[first..last]) {
                z[column as usize] -= value * factor;
            }
        }
    }
}
