//! Solves with a triangular matrix that is stored by columns (or rows) divided by their pivots, without a look at the empty ones.
//!
//! # Reference
//! J. R. Gilbert and T. Peierls, "Sparse partial pivoting in time proportional to arithmetic operations", SIAM J. Sci. Stat. Comput.
//! 9, 1988.

use super::lists::{EntryLists, IndexedEntry};
use super::sparse::{SparseVector, TINY};

/// An order of pivots in which one can move to the end.
#[derive(Debug, Default)]
pub(super) struct PivotOrder {
    places: Vec<u32>,
    /// Where each place is, or the next one that is in use.
    ranks: Vec<u32>,
}

const HOLE: u32 = u32::MAX;

impl PivotOrder {
    /// The order of the places that are in use; the others count as where the next of those is.
    pub(super) fn set(&mut self, order: &[u32], is_in_use: impl Fn(u32) -> bool) {
        self.places.clear();
        self.ranks.resize(order.len(), 0);
        for &place in order {
            self.ranks[place as usize] = self.places.len() as u32;
            if is_in_use(place) {
                self.places.push(place);
            }
        }
    }

    pub(super) fn move_to_end(&mut self, place: u32) {
        let rank = &mut self.ranks[place as usize];
        if let Some(old) = self.places.get_mut(*rank as usize)
            && *old == place
        {
            *old = HOLE;
        }
        *rank = self.places.len() as u32;
        self.places.push(place);
    }

    /// The part of the order from the first of some places on.
    pub(super) fn from(&self, places: &[u32]) -> impl Iterator<Item = u32> + '_ {
        let ranks = places.iter().map(|&place| self.ranks[place as usize]);
        let first = ranks.min().unwrap_or(0) as usize;
        let places = self.places[first..].iter().copied();
        places.filter(|&place| place != HOLE)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.places.iter().copied().filter(|&place| place != HOLE)
    }
}

/// Solves with a triangular matrix of unit diagonal whose columns (or rows) are `lists`; `order` is the order of those that have
/// entries. The nonzeros of a result that is likely to be nearly empty are searched for first.
pub(super) fn solve_triangular(
    lists: &EntryLists,
    order: impl Iterator<Item = u32>,
    (search, fill): (&mut NonzeroSearch, &mut f64),
    x: &mut SparseVector,
) {
    if is_sparse(x, *fill) && search.reach(lists, x) {
        x.places.clear();
        for &place in search.found.iter().rev() {
            eliminate_place(lists, place, &mut x.values);
            let value = &mut x.values[place as usize];
            if value.abs() < TINY {
                *value = 0.0;
            } else {
                x.places.push(place);
            }
        }
    } else {
        for place in order {
            eliminate_place(lists, place, &mut x.values);
        }
        x.gather();
    }
    blend_fill(fill, x);
}

/// Solves with a triangular matrix of unit diagonal whose rows (or columns) are `lists`, each unknown by one sum: where solutions are
/// full, this takes less time than subtracting from all that depends on an unknown.
pub(super) fn triangular_by_sums(
    lists: &EntryLists,
    order: impl Iterator<Item = u32>,
    fill: &mut f64,
    x: &mut SparseVector,
) {
    for place in order {
        let [sum] = inner_products(lists.get(place as usize), x.values.as_chunks::<1>().0);
        x.values[place as usize] -= sum;
    }
    x.gather();
    blend_fill(fill, x);
}

/// The inner products of a list with full vectors, each in four sums at once.
#[inline]
pub(super) fn inner_products<const N: usize>(
    list: &[IndexedEntry],
    values: &[[f64; N]],
) -> [f64; N] {
    let mut sums = [[0.0; N]; 4];
    let mut chunks = list.chunks_exact(4);
    let mut add = |entries: &[IndexedEntry]| {
        for (sums, &IndexedEntry(place, by)) in sums.iter_mut().zip(entries) {
            let values = &values[place as usize];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += by * value;
            }
        }
    };
    for chunk in &mut chunks {
        add(chunk);
    }
    add(chunks.remainder());
    std::array::from_fn(|at| (sums[0][at] + sums[1][at]) + (sums[2][at] + sums[3][at]))
}

/// Solves for two right-hand sides at once, which reads the matrix once.
pub(super) fn triangular_pair(
    lists: &EntryLists,
    order: impl Iterator<Item = u32>,
    pairs: &mut [[f64; 2]],
) {
    for place in order {
        let pair = pairs[place as usize];
        if pair[0].abs() < TINY && pair[1].abs() < TINY {
            continue;
        }
        for &IndexedEntry(other, by) in lists.get(place as usize) {
            let entry = &mut pairs[other as usize];
            entry[0] -= by * pair[0];
            entry[1] -= by * pair[1];
        }
    }
}

/// Takes the fill of a result into the mean of those before.
pub(super) fn blend_fill(fill: &mut f64, x: &SparseVector) {
    *fill = 0.9 * *fill + 0.1 * x.places.len() as f64 / x.values.len() as f64;
}

/// Whether a search for the nonzeros of a solution is worth its time.
fn is_sparse(x: &SparseVector, fill: f64) -> bool {
    x.places.len() * 12 < x.values.len() && !is_full(fill)
}

/// Whether solutions have been too full for a search, whatever the right-hand side.
pub(super) fn is_full(fill: f64) -> bool {
    fill >= 0.03
}

/// Whether solutions have been so full that sums of all terms take less time than skipping zeros.
pub(super) fn is_very_full(fill: f64) -> bool {
    fill >= 0.3
}

#[inline]
fn eliminate_place(lists: &EntryLists, place: u32, values: &mut [f64]) {
    let value = values[place as usize];
    if value.abs() < TINY {
        return;
    }
    for &IndexedEntry(other, by) in lists.get(place as usize) {
        values[other as usize] -= by * value;
    }
}

/// A search for the nonzeros of a solution, depth first.
#[derive(Debug, Default)]
pub(super) struct NonzeroSearch {
    found: Vec<u32>,
    stack: Vec<(u32, u32)>,
    seen: Vec<bool>,
}

impl NonzeroSearch {
    pub(super) fn resize(&mut self, size: usize) {
        self.seen.clear();
        self.seen.resize(size, false);
    }

    /// Finds the places that can become nonzero, in `found`, those that depend on others before them; false when they are many.
    fn reach(&mut self, lists: &EntryLists, x: &SparseVector) -> bool {
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
