//! LU factors of a band matrix with partial pivoting, real or complex.

use super::field::{RealOrComplexField, SingularShift};

/// Factors `P A = L U`, column by column with `height` entries each: row `i` of column `j` at `shift + i - j`.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 4.3.
#[derive(Debug)]
pub(super) struct ShiftedBandedLu<T> {
    n: usize,
    lower: usize,
    shift: usize,
    height: usize,
    data: Vec<T>,
    pivots: Vec<usize>,
}

impl<T: RealOrComplexField> ShiftedBandedLu<T> {
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
    ) -> Result<(), SingularShift> {
        let Self { shift, height, .. } = *self;
        self.data.fill(T::real(0.0));
        for (row, column, value) in entries {
            self.data[column * height + shift + row - column] += value;
        }
        // Loops of known length are unrolled.
        match (self.lower, shift) {
            (1, 2) => self.eliminate(1, 2),
            (2, 4) => self.eliminate(2, 4),
            (lower, shift) => self.eliminate(lower, shift),
        }
    }

    #[inline(always)]
    fn eliminate(&mut self, lower: usize, shift: usize) -> Result<(), SingularShift> {
        let n = self.n;
        let height = shift + lower + 1;
        let whole = n.saturating_sub(shift);
        for column in 0..whole {
            let columns = &mut self.data[column * height..(column + shift + 1) * height];
            let pivot = eliminate_column(columns, (lower, shift), lower, shift)?;
            self.pivots[column] = column + pivot;
        }
        for column in whole..n {
            let columns = &mut self.data[column * height..];
            let (below, right) = (lower.min(n - 1 - column), n - 1 - column);
            let pivot = eliminate_column(columns, (lower, shift), below, right)?;
            self.pivots[column] = column + pivot;
        }
        Ok(())
    }

    pub(super) fn solve(&mut self, x: &mut [T]) {
        match (self.lower, self.shift) {
            (1, 2) if self.n > 2 => self.solve_narrow::<1, 2>(x),
            (2, 4) if self.n > 4 => self.solve_narrow::<2, 4>(x),
            _ => {
                self.forward(x, 0);
                self.backward(x, self.n);
            }
        }
    }

    /// Solves with the next few entries of `x` in registers: an entry that is written and read again for each column takes longer than
    /// its arithmetic.
    fn solve_narrow<const LOWER: usize, const SHIFT: usize>(&self, x: &mut [T]) {
        let (n, height) = (self.n, SHIFT + LOWER + 1);
        let mut next = [T::real(0.0); LOWER];
        next.copy_from_slice(&x[..LOWER]);
        for column in 0..n - LOWER {
            let mut factor = next[0];
            let mut below = [x[column + LOWER]; LOWER];
            below[..LOWER - 1].copy_from_slice(&next[1..]);
            let pivot = self.pivots[column] - column;
            if pivot > 0 {
                std::mem::swap(&mut factor, &mut below[pivot - 1]);
            }
            x[column] = factor;
            let multipliers = &self.data[column * height + SHIFT + 1..][..LOWER];
            for (value, &multiplier) in below.iter_mut().zip(multipliers) {
                *value -= factor * multiplier;
            }
            next = below;
        }
        x[n - LOWER..].copy_from_slice(&next);
        self.forward(x, n - LOWER);
        let mut next = [T::real(0.0); SHIFT];
        next.copy_from_slice(&x[n - SHIFT..]);
        for column in (SHIFT..n).rev() {
            let entries = &self.data[column * height..][..SHIFT + 1];
            let factor = next[SHIFT - 1] * entries[SHIFT];
            x[column] = factor;
            let mut above = [x[column - SHIFT]; SHIFT];
            above[1..].copy_from_slice(&next[..SHIFT - 1]);
            for (value, &entry) in above.iter_mut().zip(entries) {
                *value -= factor * entry;
            }
            next = above;
        }
        x[..SHIFT].copy_from_slice(&next);
        self.backward(x, SHIFT);
    }

    /// Solves with `L`, from a column on.
    fn forward(&self, x: &mut [T], first: usize) {
        for column in first..self.n {
            x.swap(column, self.pivots[column]);
            let below = self.lower.min(self.n - 1 - column);
            let start = column * self.height + self.shift + 1;
            let factor = x[column];
            let multipliers = &self.data[start..start + below];
            for (value, &multiplier) in x[column + 1..].iter_mut().zip(multipliers) {
                *value -= factor * multiplier;
            }
        }
    }

    /// Solves with `U`, from the column before an end to the first.
    fn backward(&self, x: &mut [T], end: usize) {
        for column in (0..end).rev() {
            let first = column.saturating_sub(self.shift);
            let end = column * self.height + self.shift;
            let factor = x[column] * self.data[end];
            x[column] = factor;
            let above = &self.data[end - (column - first)..end];
            for (value, &entry) in x[first..column].iter_mut().zip(above) {
                *value -= factor * entry;
            }
        }
    }
}

/// Eliminates below the diagonal of the first of some columns, in the `right` columns after it too; the distance of the pivot. The diagonal
/// becomes its reciprocal, by which solving multiplies.
#[inline(always)]
fn eliminate_column<T: RealOrComplexField>(
    columns: &mut [T],
    (lower, shift): (usize, usize),
    below: usize,
    right: usize,
) -> Result<usize, SingularShift> {
    let height = shift + lower + 1;
    let (first, others) = columns.split_at_mut(height);
    let first = &mut first[shift..=shift + below];
    let (mut pivot, mut size) = (0, first[0].size());
    // A branch, which is foreseen; a choice would have to wait for both sizes.
    if first[1..].iter().any(|entry| entry.size() > size) {
        (pivot, size) = largest_entry(first);
    }
    if size == 0.0 || !size.is_finite() {
        return Err(SingularShift);
    }
    // The entries of the row of the diagonal: one further up in each column.
    let place = |other: usize| other * (height - 1) + shift - 1;
    if pivot > 0 {
        first.swap(0, pivot);
        for other in 0..right {
            others.swap(place(other), place(other) + pivot);
        }
    }
    let reciprocal = first[0].reciprocal();
    for value in &mut first[1..] {
        *value *= reciprocal;
    }
    first[0] = reciprocal;
    for other in 0..right {
        let part = &mut others[place(other)..][..=below];
        let factor = part[0];
        if factor == T::real(0.0) {
            continue;
        }
        for (value, &multiplier) in part[1..].iter_mut().zip(&first[1..]) {
            *value -= factor * multiplier;
        }
    }
    Ok(pivot)
}

/// The place of the first of the largest entries, and its size.
#[cold]
#[inline(never)]
fn largest_entry<T: RealOrComplexField>(entries: &[T]) -> (usize, f64) {
    let mut pivot = 0;
    for step in 1..entries.len() {
        if entries[step].size() > entries[pivot].size() {
            pivot = step;
        }
    }
    (pivot, entries[pivot].size())
}
