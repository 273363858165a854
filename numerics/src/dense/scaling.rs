//! Equilibrates rows and columns by powers of two (exact), before a matrix is factored.

use std::borrow::Cow;

use super::rows::{each_column, row_sizes};
use super::{exponent_of, max_abs, scale_by_exponent};

/// Exponents of the powers of two that rows and columns are multiplied by.
#[derive(Debug, Clone)]
pub struct Equilibration {
    /// One per row.
    pub rows: Vec<i32>,
    /// One per column.
    pub columns: Vec<i32>,
    /// Whether any of them is not zero.
    pub used: bool,
}

impl Equilibration {
    /// Sizes of rows or columns that differ by more than this many powers of two are levelled.
    const SPREAD_MAX: i32 = 26;
    /// Entries beyond these powers of two are brought back, so that no product leaves the range.
    const RANGE: i32 = 300;

    /// Brings rows and then columns of an n x n matrix to size 1 where they differ much or are near the end of the range.
    ///
    /// # References
    /// LAPACK xGEEQUB; N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, section 9.8.
    pub fn of(a: &[f64], n: usize) -> Self {
        let rows = Self::exponents(&row_sizes(a, n)).unwrap_or_else(|| vec![0; n]);
        let scaled_rows = rows.iter().any(|&exponent| exponent != 0);
        let column_sizes = if scaled_rows {
            let size =
                |size: f64, row: usize, entry| size.max(scale_by_exponent(entry, rows[row]).abs());
            each_column(a, n, size, f64::max)
        } else {
            each_column(a, n, |size, _, entry| size.max(entry.abs()), f64::max)
        };
        let columns = Self::exponents(&column_sizes).unwrap_or_else(|| vec![0; n]);
        Self::with(rows, columns)
    }

    /// Brings the diagonal of a symmetric matrix with positive diagonal near 1, the same for rows and columns.
    ///
    /// # References
    /// A. van der Sluis, "Condition numbers and equilibration of matrices", Numer. Math. 14, 1969 (LAPACK xPOEQUB).
    pub fn symmetric(a: &[f64], n: usize) -> Self {
        let diagonal: Vec<f64> = (0..n).map(|index| a[index * n + index]).collect();
        let half: Vec<i32> = Self::exponents(&diagonal).map_or_else(
            || vec![0; n],
            |exponents| exponents.iter().map(|e| e.div_euclid(2)).collect(),
        );
        Self::with(half.clone(), half)
    }

    /// Brings the largest entry of any matrix near 1 when it is near the end of the range; all rows and columns alike.
    pub fn even(a: &[f64], n: usize) -> Self {
        let exponent = exponent_of(max_abs(a));
        if exponent.abs() <= Self::RANGE {
            return Self::with(vec![0; n], vec![0; n]);
        }
        Self::with(vec![-exponent; n], vec![0; n])
    }

    pub(crate) fn with(rows: Vec<i32>, columns: Vec<i32>) -> Self {
        let used = rows.iter().chain(&columns).any(|&exponent| exponent != 0);
        Self {
            rows,
            columns,
            used,
        }
    }

    /// The exponents that bring every size to 1, or `None` when the sizes are alike.
    pub(crate) fn exponents(sizes: &[f64]) -> Option<Vec<i32>> {
        let present = || {
            sizes
                .iter()
                .filter(|&&size| size > 0.0)
                .map(|&size| exponent_of(size))
        };
        let (least, most) = (present().min()?, present().max()?);
        let alike =
            most - least <= Self::SPREAD_MAX && least >= -Self::RANGE && most <= Self::RANGE;
        (!alike).then(|| sizes.iter().map(|&size| -exponent_of(size)).collect())
    }

    /// The scaled matrix, row by row.
    pub fn apply<'a>(&self, a: &'a [f64]) -> Cow<'a, [f64]> {
        if !self.used {
            return Cow::Borrowed(a);
        }
        let n = self.columns.len();
        a.iter()
            .enumerate()
            .map(|(index, &entry)| {
                scale_by_exponent(entry, self.rows[index / n] + self.columns[index % n])
            })
            .collect()
    }
}
