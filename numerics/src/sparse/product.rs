//! The product of two sparse matrices.

use super::{CsrMatrix, SparseError, go_on, reserve_bytes};
use crate::watch::Watch;

/// `A B`, row by row; the columns of a row are not sorted.
///
/// # References
/// F. G. Gustavson, "Two fast algorithms for sparse matrices: multiplication and permuted transposition", ACM TOMS 4, 1978.
#[derive(Debug)]
pub(super) struct UnsortedProduct {
    pub column_count: usize,
    pub starts: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
}

/// Rows of a matrix in any order of columns.
pub(super) trait SparseRows {
    fn entries(&self, row: usize) -> (&[u32], &[f64]);
}

impl SparseRows for CsrMatrix {
    #[inline]
    fn entries(&self, row: usize) -> (&[u32], &[f64]) {
        self.row(row)
    }
}

impl SparseRows for UnsortedProduct {
    #[inline]
    fn entries(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }
}

pub(super) fn sparse_product(
    a: &CsrMatrix,
    b: &impl SparseRows,
    column_count: usize,
    watch: &dyn Watch,
) -> Result<UnsortedProduct, SparseError> {
    const CHECK: usize = 1024;
    const CHUNK: usize = 1 << 18;
    let rows = CsrMatrix::row_count(a);
    reserve_bytes(
        watch,
        "the multigrid preconditioner",
        8 * (rows + column_count) as u64,
    )?;
    let mut out = UnsortedProduct {
        column_count,
        starts: Vec::with_capacity(rows + 1),
        columns: Vec::new(),
        values: Vec::new(),
    };
    out.starts.push(0);
    let mut place = vec![usize::MAX; column_count];
    let mut reserved = 0;
    for row in 0..rows {
        if row % CHECK == 0 {
            go_on(watch)?;
        }
        let (a_columns, a_values) = a.row(row);
        let most: usize = a_columns
            .iter()
            .map(|&column| b.entries(column as usize).0.len())
            .sum();
        if out.columns.len() + most > reserved {
            // Vectors grow by doubling and hold old and new at once.
            let more = most.max(out.columns.len().min(CHUNK));
            reserve_bytes(watch, "the multigrid preconditioner", 24 * more as u64)?;
            reserved = out.columns.len() + more;
        }
        let first = out.columns.len();
        for (&middle, &factor) in a_columns.iter().zip(a_values) {
            let (columns, values) = b.entries(middle as usize);
            for (&column, &value) in columns.iter().zip(values) {
                let at = place[column as usize];
                if at >= first && at < out.columns.len() {
                    out.values[at] += factor * value;
                } else {
                    place[column as usize] = out.columns.len();
                    out.columns.push(column);
                    out.values.push(factor * value);
                }
            }
        }
        out.starts.push(out.columns.len());
    }
    Ok(out)
}

impl UnsortedProduct {
    /// The transpose, whose rows are sorted.
    pub(super) fn transposed(self) -> CsrMatrix {
        CsrMatrix::from_sorted(self.column_count, self.starts, self.columns, self.values)
            .transposed()
    }
}
