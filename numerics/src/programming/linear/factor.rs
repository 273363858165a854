//! [`BasisFactor`]: a sparse LU factorisation of a basis that follows exchanges of columns.
//!
//! # References
//! U. H. Suhl and L. M. Suhl, "Computing sparse LU factorizations for large-scale linear programming bases", ORSA J. Comput. 2,
//! 1990. J. J. H. Forrest and J. A. Tomlin, "Updated triangular factors of the basis", Math. Programming 2, 1972.

use std::ops::Range;

use super::lists::{EntryLists, IndexedEntry};
use super::sparse::{SparseVector, TINY};
use super::triangular::{
    NonzeroSearch, PivotOrder, blend_fill, inner_products, is_full, is_very_full, solve_triangular,
    triangular_by_sums, triangular_pair,
};

/// Exchanges between factorisations at most, and rows for each in large programs: their factorisations take longer beside their solves.
const UPDATES: usize = 100;
const ROWS_PER_UPDATE: usize = 30;

/// `B = L R U`, all indexed by row: the column that is pivoted on a row has that row's index.
#[derive(Debug, Default)]
pub(super) struct BasisFactor {
    pub(super) size: usize,
    /// Pivots in the order of the elimination.
    pub(super) order: Vec<u32>,
    /// Columns and rows of L without its unit diagonal, and the order in which those with entries take part in a solve.
    pub(super) lower_columns: EntryLists,
    pub(super) lower_rows: EntryLists,
    lower_column_order: Vec<u32>,
    lower_row_order: Vec<u32>,
    /// Columns and rows of U without its diagonal, divided by their pivots; the order of the pivots, and of those whose columns have
    /// entries.
    pub(super) upper_columns: EntryLists,
    pub(super) upper_rows: EntryLists,
    upper_order: PivotOrder,
    upper_column_order: PivotOrder,
    pub(super) pivots: Vec<f64>,
    /// Row transformations of exchanges: the row, and the range of its multipliers.
    exchanges: Vec<(u32, Range<usize>)>,
    multipliers: Vec<IndexedEntry>,
    search: NonzeroSearch,
    pairs: Vec<[f64; 2]>,
    /// The entering column after L and R, and the row `e_r` after U', as the last solves left them.
    spike: Vec<IndexedEntry>,
    row: Vec<IndexedEntry>,
    initial: usize,
    /// How full the results of triangular solves have been, by solve and use.
    fill: [f64; 8],
}

/// Whether a solve keeps its middle for the next exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MiddleRetention {
    Middle,
    Nothing,
}

impl BasisFactor {
    /// Called by the elimination when L, U and the order are complete.
    pub(super) fn ready(&mut self) {
        let order = self.order.iter().copied();
        let is_in_use = |lists: &EntryLists, place: u32| lists.len(place as usize) > 0;
        self.lower_column_order.clear();
        self.lower_column_order.extend(
            order
                .clone()
                .filter(|&place| is_in_use(&self.lower_columns, place)),
        );
        self.lower_row_order.clear();
        self.lower_row_order.extend(
            order
                .rev()
                .filter(|&place| is_in_use(&self.lower_rows, place)),
        );
        self.upper_order.set(&self.order, |_| true);
        self.upper_column_order
            .set(&self.order, |place| is_in_use(&self.upper_columns, place));
        self.upper_columns.divide(&self.pivots);
        self.upper_rows.divide(&self.pivots);
        self.exchanges.clear();
        self.multipliers.clear();
        self.search.resize(self.size);
        self.initial = self.lower_columns.stored() + self.upper_columns.stored();
    }

    /// Exchanges since the factorisation.
    pub(super) fn updates(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether solves have become slower, or may have become less exact, than a new factorisation is worth.
    pub(super) fn is_worn(&self) -> bool {
        let now =
            self.lower_columns.stored() + self.upper_columns.stored() + self.multipliers.len();
        self.updates() >= UPDATES.max(self.size / ROWS_PER_UPDATE)
            || now > 3 * self.initial + 2 * self.size
    }

    /// Solves `B x = b` in place.
    pub(super) fn forward(&mut self, x: &mut SparseVector, keep: MiddleRetention) {
        self.forward_lower(x, keep);
        self.forward_exchanges(x, keep);
        self.forward_upper(x, keep);
    }

    /// Solves `B x = b` and `B y = c` in place; the middle of the first is kept.
    pub(super) fn forward_pair(&mut self, x: &mut SparseVector, y: &mut SparseVector) {
        self.forward_lower(x, MiddleRetention::Middle);
        self.forward_lower(y, MiddleRetention::Nothing);
        if !is_full(self.fill[3]) || !is_full(self.fill[2]) {
            self.forward_exchanges(x, MiddleRetention::Middle);
            self.forward_upper(x, MiddleRetention::Middle);
            self.forward_exchanges(y, MiddleRetention::Nothing);
            self.forward_upper(y, MiddleRetention::Nothing);
            return;
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        pairs.extend(x.values.iter().zip(&y.values).map(|(&x, &y)| [x, y]));
        for (row, terms) in self.exchanges() {
            let sums = inner_products(terms, &pairs);
            for (value, sum) in pairs[row as usize].iter_mut().zip(sums) {
                *value -= sum;
            }
        }
        self.spike.clear();
        for (place, pair) in pairs.iter().enumerate() {
            if pair[0].abs() > TINY {
                self.spike.push(IndexedEntry(place as u32, pair[0]));
            }
        }
        let order = self.upper_column_order.iter().rev();
        triangular_pair(&self.upper_columns, order, &mut pairs);
        let parts = x.values.iter_mut().zip(&mut y.values);
        for ((pair, pivot), (x, y)) in pairs.iter().zip(&self.pivots).zip(parts) {
            [*x, *y] = pair.map(|value| value / pivot);
        }
        self.pairs = pairs;
        for (part, fill) in [(x, 3), (y, 2)] {
            part.gather();
            blend_fill(&mut self.fill[fill], part);
        }
    }

    fn forward_lower(&mut self, x: &mut SparseVector, keep: MiddleRetention) {
        let fill = &mut self.fill[usize::from(keep == MiddleRetention::Middle)];
        if is_very_full(*fill) {
            let order = self.lower_row_order.iter().rev().copied();
            triangular_by_sums(&self.lower_rows, order, fill, x);
        } else {
            let order = self.lower_column_order.iter().copied();
            solve_triangular(&self.lower_columns, order, (&mut self.search, fill), x);
        }
    }

    fn forward_exchanges(&mut self, x: &mut SparseVector, keep: MiddleRetention) {
        for (row, terms) in self.exchanges() {
            let [sum] = inner_products(terms, x.values.as_chunks::<1>().0);
            if sum != 0.0 {
                x.add(row, -sum);
            }
        }
        if keep == MiddleRetention::Middle {
            self.spike.clear();
            let pairs = x
                .entries()
                .map(|(place, value)| IndexedEntry(place as u32, value));
            self.spike.extend(pairs);
        }
    }

    /// Row and multipliers of each exchange.
    fn exchanges(&self) -> impl DoubleEndedIterator<Item = (u32, &[IndexedEntry])> {
        self.exchanges
            .iter()
            .map(|(row, range)| (*row, &self.multipliers[range.clone()]))
    }

    fn forward_upper(&mut self, x: &mut SparseVector, keep: MiddleRetention) {
        let at = 2 + usize::from(keep == MiddleRetention::Middle);
        let order = self.upper_column_order.iter().rev();
        let work = (&mut self.search, &mut self.fill[at]);
        solve_triangular(&self.upper_columns, order, work, x);
        x.divide(&self.pivots);
    }

    /// Solves `B' y = c` in place.
    pub(super) fn backward(&mut self, y: &mut SparseVector, keep: MiddleRetention) {
        let at = 4 + usize::from(keep == MiddleRetention::Middle);
        if is_very_full(self.fill[at]) {
            y.divide(&self.pivots);
            let order = self.upper_column_order.from(&y.places);
            triangular_by_sums(&self.upper_columns, order, &mut self.fill[at], y);
        } else {
            let order = self.upper_order.from(&y.places);
            let work = (&mut self.search, &mut self.fill[at]);
            solve_triangular(&self.upper_rows, order, work, y);
            y.divide(&self.pivots);
        }
        if keep == MiddleRetention::Middle {
            self.row.clear();
            let pairs = y
                .entries()
                .map(|(place, value)| IndexedEntry(place as u32, value));
            self.row.extend(pairs);
        }
        // The last solve finds the places of a full vector anew.
        let is_full = is_full(self.fill[2 + at]);
        for (row, terms) in self.exchanges().rev() {
            let value = y.values[row as usize];
            if value.abs() <= TINY {
                continue;
            }
            if is_full {
                for &IndexedEntry(place, by) in terms {
                    y.values[place as usize] -= by * value;
                }
            } else {
                for &IndexedEntry(place, by) in terms {
                    y.add(place, -by * value);
                }
            }
        }
        let order = self.lower_row_order.iter().copied();
        let work = (&mut self.search, &mut self.fill[2 + at]);
        solve_triangular(&self.lower_rows, order, work, y);
    }

    /// Replaces the column of a row by the one of the last forward solve that kept its middle, whose entry in that row was `alpha`;
    /// the last backward solve that kept its middle was of `e_row`.
    pub(super) fn exchange(&mut self, row: u32, alpha: f64) {
        let at = row as usize;
        let old = self.pivots[at];
        let pivot = old * alpha;
        let start = self.multipliers.len();
        for &IndexedEntry(place, value) in &self.row {
            if place != row {
                self.multipliers.push(IndexedEntry(place, -value * old));
            }
        }
        self.exchanges.push((row, start..self.multipliers.len()));
        for index in 0..self.upper_rows.len(at) {
            let column = self.upper_rows.get(at)[index].0;
            self.upper_columns.take(column as usize, row);
        }
        self.upper_rows.clear(at);
        for index in 0..self.upper_columns.len(at) {
            let other = self.upper_columns.get(at)[index].0;
            self.upper_rows.take(other as usize, row);
        }
        self.upper_columns.clear(at);
        for &IndexedEntry(place, value) in &self.spike {
            if place != row {
                let by = value / self.pivots[place as usize];
                self.upper_columns
                    .push(at, IndexedEntry(place, value / pivot));
                self.upper_rows.push(place as usize, IndexedEntry(row, by));
            }
        }
        self.pivots[at] = pivot;
        self.upper_order.move_to_end(row);
        self.upper_column_order.move_to_end(row);
    }
}
