//! LU factors of a sparse matrix, by faer: columns in the order of COLAMD, the order found once per pattern.

use std::collections::BTreeMap;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};

use super::field::{RealOrComplexField, SingularShift};
use super::pattern::JacobianPattern;

#[derive(Debug)]
pub(super) struct ShiftedSparseLu<T> {
    n: usize,
    starts: Vec<usize>,
    rows: Vec<usize>,
    /// Where the value of each entry of the pattern belongs.
    places: Vec<usize>,
    values: Vec<T>,
    /// `None` when no order could be found, for lack of memory.
    symbolic: Option<SymbolicLu<usize>>,
    numeric: NumericLu<usize, T>,
}

impl<T: RealOrComplexField> ShiftedSparseLu<T> {
    pub(super) fn new(pattern: &JacobianPattern) -> Self {
        let n = pattern.n;
        let of_mass = pattern.mass.iter().map(|&(row, column, _)| (row, column));
        let all: Vec<(usize, usize)> = pattern.entries.iter().copied().chain(of_mass).collect();
        let sorted: BTreeMap<(usize, usize), usize> = all
            .iter()
            .map(|&(row, column)| ((column, row), 0))
            .collect();
        let mut starts = vec![0; n + 1];
        let mut place_of = sorted;
        let mut rows = Vec::with_capacity(place_of.len());
        for (&(column, row), place) in &mut place_of {
            *place = rows.len();
            rows.push(row);
            starts[column + 1] = rows.len();
        }
        for column in 0..n {
            starts[column + 1] = starts[column + 1].max(starts[column]);
        }
        let places = all
            .iter()
            .map(|&(row, column)| place_of[&(column, row)])
            .collect();
        let symbolic = {
            let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
            factorize_symbolic_lu(pattern, Default::default()).ok()
        };
        Self {
            n,
            values: vec![T::real(0.0); rows.len()],
            starts,
            rows,
            places,
            symbolic,
            numeric: NumericLu::new(),
        }
    }

    pub(super) fn factor(&mut self, entries: impl Iterator<Item = T>) -> Result<(), SingularShift> {
        self.values.fill(T::real(0.0));
        for (&place, value) in self.places.iter().zip(entries) {
            self.values[place] += value;
        }
        let symbolic = self.symbolic.as_ref().ok_or(SingularShift)?;
        if self.values.iter().any(|value| !value.size().is_finite()) {
            return Err(SingularShift);
        }
        let pattern =
            SymbolicSparseColMatRef::new_checked(self.n, self.n, &self.starts, None, &self.rows);
        let matrix = SparseColMatRef::new(pattern, &self.values);
        let request = symbolic.factorize_numeric_lu_scratch::<T>(Par::Seq, Spec::default());
        symbolic
            .factorize_numeric_lu(
                &mut self.numeric,
                matrix,
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(request)),
                Spec::default(),
            )
            .map_err(|_| SingularShift)?;
        Ok(())
    }

    pub(super) fn solve(&mut self, x: &mut [T]) {
        let Some(symbolic) = &self.symbolic else {
            return;
        };
        let request = symbolic.solve_in_place_scratch::<T>(1, Par::Seq);
        let rhs = MatMut::from_column_major_slice_mut(x, self.n, 1);
        // The factors come from this very order, which the constructor takes on trust; it is a safe function.
        LuRef::new_unchecked(symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            rhs,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(request)),
        );
    }
}
