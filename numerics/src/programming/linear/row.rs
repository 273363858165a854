//! Rows of the tableau, from the entries of nonbasic variables alone.

use super::state::{NONE, Simplex};

impl Simplex<'_> {
    /// The pivot row over the nonbasic variables, without logical variables whose bounds are equal.
    pub(super) fn price(&mut self) {
        let model = self.model;
        self.row.clear();
        let many = self.rho.places.len() * 10 > model.rows;
        for (row, by) in self.rho.entries() {
            let range = model.row_starts[row] as usize..self.row_middles[row] as usize;
            let columns = &self.row_columns[range.clone()];
            let values = &self.row_values[range];
            if many {
                for (&column, value) in columns.iter().zip(values) {
                    self.row.values[column as usize] += value * by;
                }
            } else {
                for (&column, value) in columns.iter().zip(values) {
                    self.row.add(column, value * by);
                }
            }
        }
        if many {
            self.row.gather_first(model.columns);
        }
        for (row, by) in self.rho.entries() {
            let logical = model.columns + row;
            if self.row_of[logical] == NONE && self.lower[logical] < self.upper[logical] {
                self.row.put(logical as u32, by);
            }
        }
    }

    /// Orders the entries of rows by what is basic.
    pub(super) fn partition(&mut self) {
        let model = self.model;
        for row in 0..model.rows {
            let (start, end) = (
                model.row_starts[row] as usize,
                model.row_starts[row + 1] as usize,
            );
            let mut middle = start;
            for at in start..end {
                if self.row_of[self.row_columns[at] as usize] == NONE {
                    self.row_columns.swap(at, middle);
                    self.row_values.swap(at, middle);
                    middle += 1;
                }
            }
            self.row_middles[row] = middle as u32;
        }
    }

    /// Moves the entries of a variable to the other part of their rows.
    pub(super) fn move_entries(&mut self, variable: usize, is_basic: bool) {
        let model = self.model;
        if variable >= model.columns {
            return;
        }
        for &row in model.column(variable).0 {
            let row = row as usize;
            let (start, end) = (
                model.row_starts[row] as usize,
                model.row_starts[row + 1] as usize,
            );
            let middle = self.row_middles[row] as usize;
            let (range, to) = if is_basic {
                (start..middle, middle - 1)
            } else {
                (middle..end, middle)
            };
            let found = self.row_columns[range.clone()]
                .iter()
                .position(|&column| column as usize == variable);
            if let Some(at) = found {
                self.row_columns.swap(range.start + at, to);
                self.row_values.swap(range.start + at, to);
                self.row_middles[row] = if is_basic { to } else { to + 1 } as u32;
            }
        }
    }
}
