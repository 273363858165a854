//! Structure of a square matrix: bandwidths and symmetry, from its entries.

/// Shape of the non-zero entries of a square matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixStructure {
    /// Number of diagonals below the main one that hold a non-zero entry; 0 for an upper triangle.
    pub lower: usize,
    /// Number of diagonals above the main one, likewise.
    pub upper: usize,
    /// Whether the matrix equals its transpose, entry by entry.
    pub symmetric: bool,
    /// Whether every diagonal entry is greater than zero.
    pub positive_diagonal: bool,
}

impl MatrixStructure {
    /// Finds the structure of the n x n matrix `a`, row by row: n^2 comparisons at most, about 2 n for a full matrix without symmetry.
    pub fn of(a: &[f64], n: usize) -> Self {
        let (mut lower, mut upper) = (0, 0);
        for (row, entries) in a.chunks_exact(n).enumerate() {
            // Only entries outside the band known so far can widen it.
            let left = row.saturating_sub(lower);
            if let Some(column) = entries[..left].iter().position(|&entry| entry != 0.0) {
                lower = row - column;
            }
            let right = (row + upper + 1).min(n);
            if let Some(column) = entries[right..].iter().rposition(|&entry| entry != 0.0) {
                upper = right + column - row;
            }
        }
        Self {
            lower,
            upper,
            symmetric: lower == upper && is_symmetric(a, n),
            positive_diagonal: (0..n).all(|index| a[index * n + index] > 0.0),
        }
    }

    /// Whether all entries above or all below the diagonal are zero.
    pub fn is_triangular(self) -> bool {
        self.lower == 0 || self.upper == 0
    }

    /// Whether elimination within the band costs and stores less than half of what the full matrix does.
    pub(crate) fn is_banded(self, n: usize) -> bool {
        2 * (2 * self.lower + self.upper + 1) <= n
    }

    /// Whether only the main diagonal and its two neighbours hold non-zero entries.
    pub fn is_tridiagonal(self) -> bool {
        self.lower <= 1 && self.upper <= 1
    }
}

/// Whether the matrix equals its transpose, entry by entry; looks at square blocks, so that both halves stay in the cache.
pub fn is_symmetric(a: &[f64], n: usize) -> bool {
    const BLOCK: usize = 32;
    (0..n).step_by(BLOCK).all(|row_block| {
        (0..=row_block).step_by(BLOCK).all(|column_block| {
            (row_block..(row_block + BLOCK).min(n)).all(|row| {
                (column_block..(column_block + BLOCK).min(row))
                    .all(|column| a[row * n + column] == a[column * n + row])
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[f64]]) -> (usize, usize, bool, bool) {
        let found = MatrixStructure::of(&rows.concat(), rows.len());
        (
            found.lower,
            found.upper,
            found.symmetric,
            found.positive_diagonal,
        )
    }

    #[test]
    fn bands_and_symmetry() {
        assert_eq!(of(&[&[2.0]]), (0, 0, true, true));
        assert_eq!(of(&[&[1.0, 2.0], &[0.0, -1.0]]), (0, 1, false, false));
        assert_eq!(of(&[&[1.0, 0.0], &[3.0, 1.0]]), (1, 0, false, true));
        assert_eq!(of(&[&[1.0, 3.0], &[3.0, 1.0]]), (1, 1, true, true));
        let rows: [&[f64]; 4] = [
            &[1.0, 2.0, 0.0, 7.0],
            &[2.0, 1.0, 2.0, 0.0],
            &[0.0, 2.0, 1.0, 2.0],
            &[0.0, 0.0, 2.0, 1.0],
        ];
        assert_eq!(of(&rows), (1, 3, false, true));
        let transposed: Vec<f64> = (0..16).map(|index| rows[index % 4][index / 4]).collect();
        let found = MatrixStructure::of(&transposed, 4);
        assert_eq!((found.lower, found.upper), (3, 1));
    }

    #[test]
    fn one_entry_off_is_not_symmetric() {
        let n = 70;
        let mut a = vec![1.0; n * n];
        assert!(is_symmetric(&a, n));
        a[69 * n + 3] = 1.5;
        assert!(!is_symmetric(&a, n));
        assert!(!MatrixStructure::of(&a, n).symmetric);
    }
}
