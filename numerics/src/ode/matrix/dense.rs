//! LU factors of a full matrix with partial pivoting.

use faer::MatMut;

use super::field::{RealOrComplexField, SingularShift};
use crate::dense::lu::factor_single_panel;

/// Sizes up to this are eliminated column by column, which starts faster than blocks.
const SMALL: usize = 40;

/// Packed factors, column by column: `L` below the diagonal, `U` from it on; row `i` of both is row `order[i]` of the matrix.
#[derive(Debug)]
pub(super) struct ShiftedDenseLu<T> {
    n: usize,
    data: Vec<T>,
    order: Vec<usize>,
    reciprocals: Vec<T>,
    work: Vec<T>,
}

impl<T: RealOrComplexField> ShiftedDenseLu<T> {
    pub(super) fn new(n: usize) -> Self {
        let zero = T::real(0.0);
        Self {
            n,
            data: vec![zero; n * n],
            order: (0..n).collect(),
            reciprocals: vec![zero; n],
            work: vec![zero; n],
        }
    }

    // A function of its own, as `solve`: within its callers both take a twentieth longer.
    #[inline(never)]
    pub(super) fn factor(
        &mut self,
        entries: impl Iterator<Item = (usize, usize, T)>,
    ) -> Result<(), SingularShift> {
        let n = self.n;
        self.data.fill(T::real(0.0));
        for (row, column, value) in entries {
            self.data[column * n + row] += value;
        }
        match n {
            2 => self.by_columns(2)?,
            3 => self.by_columns(3)?,
            4 => self.by_columns(4)?,
            5 => self.by_columns(5)?,
            6 => self.by_columns(6)?,
            7 => self.by_columns(7)?,
            8 => self.by_columns(8)?,
            n if n <= SMALL => self.by_columns(n)?,
            _ => self.by_blocks(),
        }
        for k in 0..n {
            let pivot = self.data[k * n + k];
            let size = pivot.size();
            if size == 0.0 || !size.is_finite() {
                return Err(SingularShift);
            }
            self.reciprocals[k] = pivot.reciprocal();
        }
        Ok(())
    }

    /// Part of its callers, so that the loops of a size that is known there are no loops.
    #[inline(always)]
    fn by_columns(&mut self, n: usize) -> Result<(), SingularShift> {
        let data = &mut self.data[..n * n];
        for (index, place) in self.order.iter_mut().enumerate() {
            *place = index;
        }
        for k in 0..n {
            let column = &data[k * n..(k + 1) * n];
            let mut pivot = k;
            for row in k + 1..n {
                if column[row].size() > column[pivot].size() {
                    pivot = row;
                }
            }
            let size = column[pivot].size();
            if size == 0.0 || !size.is_finite() {
                return Err(SingularShift);
            }
            if pivot != k {
                self.order.swap(k, pivot);
                for column in data.chunks_exact_mut(n) {
                    column.swap(k, pivot);
                }
            }
            let (left, right) = data.split_at_mut((k + 1) * n);
            let column = &mut left[k * n..];
            let reciprocal = column[k].reciprocal();
            for value in &mut column[k + 1..] {
                *value *= reciprocal;
            }
            let multipliers = &column[k + 1..];
            for other in right.chunks_exact_mut(n) {
                let factor = other[k];
                if factor != T::real(0.0) {
                    for (value, &multiplier) in other[k + 1..].iter_mut().zip(multipliers) {
                        *value -= factor * multiplier;
                    }
                }
            }
        }
        Ok(())
    }

    fn by_blocks(&mut self) {
        let n = self.n;
        let matrix = MatMut::from_column_major_slice_mut(&mut self.data, n, n);
        self.order = factor_single_panel(matrix);
    }

    #[inline(never)]
    pub(super) fn solve(&mut self, x: &mut [T]) {
        match self.n {
            2 => self.substitute(2, x),
            3 => self.substitute(3, x),
            4 => self.substitute(4, x),
            5 => self.substitute(5, x),
            6 => self.substitute(6, x),
            7 => self.substitute(7, x),
            8 => self.substitute(8, x),
            n => self.substitute(n, x),
        }
    }

    /// As [`ShiftedDenseLu::by_columns`].
    #[inline(always)]
    fn substitute(&mut self, n: usize, x: &mut [T]) {
        let work = &mut self.work[..n];
        for (value, &row) in work.iter_mut().zip(&self.order) {
            *value = x[row];
        }
        for k in 0..n {
            let factor = work[k];
            let below = &self.data[k * n + k + 1..(k + 1) * n];
            for (value, &multiplier) in work[k + 1..].iter_mut().zip(below) {
                *value -= factor * multiplier;
            }
        }
        for k in (0..n).rev() {
            let factor = work[k] * self.reciprocals[k];
            work[k] = factor;
            let above = &self.data[k * n..k * n + k];
            for (value, &entry) in work[..k].iter_mut().zip(above) {
                *value -= factor * entry;
            }
        }
        x.copy_from_slice(work);
    }
}
