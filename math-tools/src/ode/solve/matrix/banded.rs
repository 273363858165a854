//! LU factors of a band matrix with partial pivoting, real or complex.

use super::field::{Field, Singular};

/// Factors `P A = L U`, column by column with `height` entries each: row `i` of column `j` at `shift + i - j`.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 4.3.
#[derive(Debug)]
pub(super) struct Banded<T> {
    n: usize,
    lower: usize,
    shift: usize,
    height: usize,
    data: Vec<T>,
    pivots: Vec<usize>,
}

impl<T: Field> Banded<T> {
    pub(super) fn new(n: usize, lower: usize, upper: usize) -> Self {
        let shift = lower + upper;
        let height = shift + lower + 1;
        Self {
            n,
            lower,
            shift,
            height,
            data: vec![T::real(0.0); n * height],
            pivots: vec![0; n],
        }
    }

    pub(super) fn factor(
        &mut self,
        entries: impl Iterator<Item = (usize, usize, T)>,
    ) -> Result<(), Singular> {
        let Self {
            n,
            lower,
            shift,
            height,
            ..
        } = *self;
        let data = &mut self.data[..];
        data.fill(T::real(0.0));
        for (row, column, value) in entries {
            data[column * height + shift + row - column] += value;
        }
        for column in 0..n {
            let below = lower.min(n - 1 - column);
            let start = column * height + shift;
            let mut pivot = 0;
            for step in 1..=below {
                if data[start + step].size() > data[start + pivot].size() {
                    pivot = step;
                }
            }
            self.pivots[column] = column + pivot;
            let size = data[start + pivot].size();
            if size == 0.0 || !size.is_finite() {
                return Err(Singular);
            }
            let last = (column + shift + 1).min(n);
            if pivot > 0 {
                for other in column..last {
                    let at = other * height + shift + column - other;
                    data.swap(at, at + pivot);
                }
            }
            let reciprocal = data[start].reciprocal();
            for step in 1..=below {
                data[start + step] *= reciprocal;
            }
            for other in column + 1..last {
                let at = other * height + shift + column - other;
                let factor = data[at];
                if factor == T::real(0.0) {
                    continue;
                }
                let (head, tail) = data.split_at_mut(at);
                let multipliers = &head[start + 1..=start + below];
                for (value, &multiplier) in tail[1..=below].iter_mut().zip(multipliers) {
                    *value -= factor * multiplier;
                }
            }
        }
        for column in 0..n {
            // Solving multiplies by it.
            let diagonal = &mut data[column * height + shift];
            *diagonal = diagonal.reciprocal();
        }
        Ok(())
    }

    pub(super) fn solve(&mut self, x: &mut [T]) {
        let Self {
            n,
            lower,
            shift,
            height,
            ..
        } = *self;
        for column in 0..n {
            x.swap(column, self.pivots[column]);
            let below = lower.min(n - 1 - column);
            let start = column * height + shift + 1;
            let factor = x[column];
            let multipliers = &self.data[start..start + below];
            for (value, &multiplier) in x[column + 1..].iter_mut().zip(multipliers) {
                *value -= factor * multiplier;
            }
        }
        for column in (0..n).rev() {
            let first = column.saturating_sub(shift);
            let end = column * height + shift;
            let factor = x[column] * self.data[end];
            x[column] = factor;
            let above = &self.data[end - (column - first)..end];
            for (value, &entry) in x[first..column].iter_mut().zip(above) {
                *value -= factor * entry;
            }
        }
    }
}
