//! Variables whose bounds follow from rows, replaced by what an equation makes them.
//!
//! # Reference
//! E. D. Andersen, K. D. Andersen, "Presolving in linear programming", Math. Programming 71, 1995 (implied free variables).

use super::reduce::{PresolveReduction, RATIO, SAME};
use super::step::PresolveStep;

/// Most entries of such a variable, and entries that replacing it may add.
const ENTRIES: usize = 12;
const FILL: usize = 10;
/// Most variables that it, and one of those that replace it, stand for: all are visited when its reduced cost is restored.
const NESTED: u32 = 100;
const NESTED_IN: u32 = 10_000;
/// Longest equation that replaces a variable.
const LENGTH: usize = 32;

impl PresolveReduction {
    /// Replaces a variable of few rows, one of them an equation, where rows keep it within its bounds.
    pub(super) fn substitute(&mut self, column: usize) {
        let count = self.columns[column].len();
        if !(1..=ENTRIES).contains(&count) || self.stands_for[column] > NESTED {
            return;
        }
        let rows = self.columns[column].clone();
        self.look(count);
        let length = |row: &u32| self.rows[*row as usize].len();
        let equations = rows.iter().filter(|&&row| self.is_equation(row));
        let Some(&row) = equations.min_by_key(|&row| length(row)) else {
            return;
        };
        let most = length(&row) + count + FILL;
        if length(&row) > LENGTH || (length(&row) - 1) * (count - 1) > most {
            return;
        }
        let is_nested = |entry: &(u32, f64)| self.stands_for[entry.0 as usize] > NESTED_IN;
        if self.rows[row as usize].iter().any(is_nested) {
            return;
        }
        self.look(rows.iter().map(length).sum());
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let (mut own, mut largest) = (0.0, 0.0_f64);
        for &other in &rows {
            let (value, ends) = self.implied(other as usize, column);
            low = low.max(ends[0]);
            high = high.min(ends[1]);
            largest = largest.max(value.abs());
            if other == row {
                own = value;
            }
        }
        let sizes = self.rows[row as usize].iter().map(|entry| entry.1.abs());
        let slack = |bound: f64| SAME * bound.abs().max(1.0);
        let is_free = low >= self.low[column] - slack(self.low[column])
            && high <= self.high[column] + slack(self.high[column]);
        if !is_free || own.abs() < RATIO * sizes.fold(largest, f64::max) {
            return;
        }
        let row = row as usize;
        let right = self.row_high[row];
        self.take(row, column);
        self.has_column[column] = false;
        let mut others = std::mem::take(&mut self.columns[column]);
        others.retain(|&other| other as usize != row);
        let entries = self.rows[row].clone();
        self.drop_row(row);
        self.steps.push(PresolveStep::Replaced {
            row: row as u32,
            column: column as u32,
            own,
            start: self.row_entries.len() as u32,
            count: entries.len() as u32,
        });
        self.row_entries.extend_from_slice(&entries);
        let price = self.costs[column] / own;
        for &(other, value) in &entries {
            self.costs[other as usize] -= price * value;
            self.stands_for[other as usize] += self.stands_for[column];
        }
        for other in others {
            let at = other as usize;
            let factor = self.take(at, column) / own;
            self.row_low[at] -= factor * right;
            self.row_high[at] -= factor * right;
            for &(other, value) in &entries {
                self.add(at, other as usize, -factor * value);
            }
        }
    }

    /// The coefficient of a variable in a row, and between what the row and the bounds of the others keep it.
    fn implied(&self, row: usize, column: usize) -> (f64, [f64; 2]) {
        let [least, most, _] = self.extent(row, Some(column));
        let entries = &self.rows[row];
        let own = entries.iter().find(|entry| entry.0 as usize == column);
        let own = own.map_or(f64::NAN, |entry| entry.1);
        let ends = [
            (self.row_low[row] - most) / own,
            (self.row_high[row] - least) / own,
        ];
        (own, [ends[0].min(ends[1]), ends[0].max(ends[1])])
    }
}
