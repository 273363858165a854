//! [`Factor`]: a sparse LU factorisation of a basis that follows exchanges of columns.
//!
//! # References
//! U. H. Suhl and L. M. Suhl, "Computing sparse LU factorizations for large-scale linear programming bases", ORSA J. Comput. 2,
//! 1990. J. J. H. Forrest and J. A. Tomlin, "Updated triangular factors of the basis", Math. Programming 2, 1972. J. R. Gilbert and
//! T. Peierls, "Sparse partial pivoting in time proportional to arithmetic operations", SIAM J. Sci. Stat. Comput. 9, 1988.

use super::lists::Lists;
use super::sparse::{Sparse, TINY};

/// `B = L R U`, all indexed by row: the column that is pivoted on a row has that row's index.
#[derive(Debug, Default)]
pub(super) struct Factor {
    pub(super) size: usize,
    /// Columns and rows of L without its unit diagonal, and the order of its pivots.
    pub(super) lower_columns: Lists,
    pub(super) lower_rows: Lists,
    pub(super) lower_order: Vec<u32>,
    /// Columns and rows of U without its diagonal, the diagonal, and the order of its pivots with holes.
    pub(super) upper_columns: Lists,
    pub(super) upper_rows: Lists,
    pub(super) upper_order: Vec<u32>,
    pub(super) pivots: Vec<f64>,
    /// Where a row is in `upper_order`.
    rank: Vec<u32>,
    /// Row transformations of exchanges: the row, and the range of its multipliers.
    exchanges: Vec<(u32, u32)>,
    multipliers: Vec<(u32, f64)>,
    search: Search,
    /// The entering column after L and R, and the row `e_r` after U', as the last solves left them.
    spike: Vec<(u32, f64)>,
    row: Vec<(u32, f64)>,
    initial: usize,
    /// How full the results of triangular solves have been, by solve and use.
    fill: [f64; 8],
}

const HOLE: u32 = u32::MAX;

/// Whether a solve keeps its middle for the next exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Middle,
    Nothing,
}

impl Factor {
    /// Called by the elimination when L, U and the orders are complete.
    pub(super) fn ready(&mut self) {
        self.rank.clear();
        self.rank.resize(self.size, 0);
        for (rank, &row) in self.upper_order.iter().enumerate() {
            self.rank[row as usize] = rank as u32;
        }
        self.exchanges.clear();
        self.multipliers.clear();
        self.search.resize(self.size);
        self.initial = self.lower_columns.stored() + self.upper_columns.stored();
    }

    /// Exchanges since the factorisation.
    pub(super) fn updates(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether solves have become slower than a new factorisation is worth.
    pub(super) fn has_grown(&self) -> bool {
        let now =
            self.lower_columns.stored() + self.upper_columns.stored() + self.multipliers.len();
        now > 3 * self.initial + 2 * self.size
    }

    /// Solves `B x = b` in place.
    pub(super) fn forward(&mut self, x: &mut Sparse, keep: Keep) {
        let order = self.lower_order.iter().copied();
        let at = usize::from(keep == Keep::Middle);
        triangular(
            &self.lower_columns,
            None,
            order,
            (&mut self.search, &mut self.fill[at]),
            x,
        );
        for (at, &(row, start)) in self.exchanges.iter().enumerate() {
            let end = self
                .exchanges
                .get(at + 1)
                .map_or(self.multipliers.len(), |next| next.1 as usize);
            let terms = &self.multipliers[start as usize..end];
            let sum: f64 = terms
                .iter()
                .map(|&(place, by)| by * x.values[place as usize])
                .sum();
            if sum != 0.0 {
                x.add(row, -sum);
            }
        }
        if keep == Keep::Middle {
            self.spike.clear();
            let pairs = x.entries().map(|(place, value)| (place as u32, value));
            self.spike.extend(pairs);
        }
        let order = self.upper_order.iter().rev().copied();
        let pivots = Some(&*self.pivots);
        let at = 2 + usize::from(keep == Keep::Middle);
        triangular(
            &self.upper_columns,
            pivots,
            order,
            (&mut self.search, &mut self.fill[at]),
            x,
        );
    }

    /// Solves `B' y = c` in place.
    pub(super) fn backward(&mut self, y: &mut Sparse, keep: Keep) {
        let order = self.upper_order.iter().copied();
        let pivots = Some(&*self.pivots);
        let at = 4 + usize::from(keep == Keep::Middle);
        triangular(
            &self.upper_rows,
            pivots,
            order,
            (&mut self.search, &mut self.fill[at]),
            y,
        );
        if keep == Keep::Middle {
            self.row.clear();
            let pairs = y.entries().map(|(place, value)| (place as u32, value));
            self.row.extend(pairs);
        }
        let mut end = self.multipliers.len();
        for &(row, start) in self.exchanges.iter().rev() {
            let value = y.values[row as usize];
            if value.abs() > TINY {
                for &(place, by) in &self.multipliers[start as usize..end] {
                    y.add(place, -by * value);
                }
            }
            end = start as usize;
        }
        let order = self.lower_order.iter().rev().copied();
        let at = 6 + usize::from(keep == Keep::Middle);
        triangular(
            &self.lower_rows,
            None,
            order,
            (&mut self.search, &mut self.fill[at]),
            y,
        );
    }

    /// Replaces the column of a row by the one of the last forward solve that kept its middle, whose entry in that row was `alpha`;
    /// the last backward solve that kept its middle was of `e_row`.
    pub(super) fn exchange(&mut self, row: u32, alpha: f64) {
        let at = row as usize;
        let old = self.pivots[at];
        let start = self.multipliers.len() as u32;
        for &(place, value) in &self.row {
            if place != row {
                self.multipliers.push((place, -value * old));
            }
        }
        self.exchanges.push((row, start));
        for index in 0..self.upper_rows.len(at) {
            let column = self.upper_rows.get(at)[index].0;
            self.upper_columns.remove(column as usize, row);
        }
        self.upper_rows.clear(at);
        for index in 0..self.upper_columns.len(at) {
            let other = self.upper_columns.get(at)[index].0;
            self.upper_rows.remove(other as usize, row);
        }
        self.upper_columns.clear(at);
        for &(place, value) in &self.spike {
            if place != row {
                self.upper_columns.push(at, (place, value));
                self.upper_rows.push(place as usize, (row, value));
            }
        }
        self.pivots[at] = old * alpha;
        self.upper_order[self.rank[at] as usize] = HOLE;
        self.rank[at] = self.upper_order.len() as u32;
        self.upper_order.push(row);
    }
}

/// Solves with a triangular matrix whose columns (or rows) are `lists`; `order` is the order of its pivots. The nonzeros of a result
/// that is likely to be nearly empty are searched for first.
fn triangular(
    lists: &Lists,
    pivots: Option<&[f64]>,
    order: impl Iterator<Item = u32>,
    (search, fill): (&mut Search, &mut f64),
    x: &mut Sparse,
) {
    let size = x.values.len();
    if x.places.len() * 12 < size && *fill < 0.1 && search.reach(lists, x) {
        for index in (0..search.found.len()).rev() {
            step(lists, pivots, search.found[index], &mut x.values);
        }
        x.places.clear();
        for &place in &search.found {
            if x.values[place as usize] != 0.0 {
                x.places.push(place);
            }
        }
    } else {
        x.places.clear();
        for place in order {
            if place != HOLE && x.values[place as usize] != 0.0 {
                step(lists, pivots, place, &mut x.values);
                if x.values[place as usize] != 0.0 {
                    x.places.push(place);
                }
            }
        }
    }
    *fill = 0.9 * *fill + 0.1 * x.places.len() as f64 / size as f64;
}

#[inline]
fn step(lists: &Lists, pivots: Option<&[f64]>, place: u32, values: &mut [f64]) {
    let at = place as usize;
    let mut value = values[at];
    if value.abs() < TINY {
        values[at] = 0.0;
        return;
    }
    if let Some(pivots) = pivots {
        value /= pivots[at];
        values[at] = value;
    }
    for &(other, by) in lists.get(at) {
        values[other as usize] -= by * value;
    }
}

/// A search for the nonzeros of a solution, depth first.
#[derive(Debug, Default)]
struct Search {
    found: Vec<u32>,
    stack: Vec<(u32, u32)>,
    seen: Vec<bool>,
}

impl Search {
    fn resize(&mut self, size: usize) {
        self.seen.clear();
        self.seen.resize(size, false);
    }

    /// Finds the places that can become nonzero, in `found`, those that depend on others before them; false when they are many.
    fn reach(&mut self, lists: &Lists, x: &Sparse) -> bool {
        self.found.clear();
        let most = x.values.len() / 6;
        let mut is_few = true;
        'all: for &start in &x.places {
            if self.seen[start as usize] {
                continue;
            }
            self.seen[start as usize] = true;
            self.stack.push((start, 0));
            while let Some(top) = self.stack.last_mut() {
                let (place, next) = *top;
                let list = lists.get(place as usize);
                let rest = &list[next as usize..];
                let fresh = rest.iter().position(|entry| !self.seen[entry.0 as usize]);
                if let Some(skip) = fresh {
                    top.1 = next + skip as u32 + 1;
                    let child = rest[skip].0;
                    self.seen[child as usize] = true;
                    self.stack.push((child, 0));
                } else {
                    self.found.push(place);
                    self.stack.pop();
                    if self.found.len() > most {
                        is_few = false;
                        break 'all;
                    }
                }
            }
        }
        for &place in &self.found {
            self.seen[place as usize] = false;
        }
        for (place, _) in self.stack.drain(..) {
            self.seen[place as usize] = false;
        }
        is_few
    }
}
