//! The elimination that makes a [`BasisFactor`]: singletons first, then Markowitz pivots of the nucleus.

use super::buckets::CountBuckets;
use super::factor::BasisFactor;
use super::lists::{EntryLists, IndexedEntry};

/// Pivots below this make a basis singular; the columns are scaled to entries near 1.
pub(super) const SINGULAR: f64 = 1e-11;

pub(super) const NONE: u32 = u32::MAX;

/// A basis that has no inverse: slots of columns that depend on others, and as many rows without a pivot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SingularBasis {
    pub(super) slots: Vec<u32>,
    pub(super) rows: Vec<u32>,
}

/// What the elimination works in, kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct BasisElimination {
    /// The active rows with values; the active columns as rows.
    pub(super) rows: EntryLists,
    pub(super) columns: EntryLists,
    /// Row of each slot and slot of each row once pivoted.
    pub(super) row_of: Vec<u32>,
    pub(super) slot_of: Vec<u32>,
    /// Columns of U by slot, as (row, value).
    pub(super) upper: EntryLists,
    pub(super) row_counts: CountBuckets,
    pub(super) column_counts: CountBuckets,
    pub(super) work: Vec<f64>,
    /// Size of the largest entry of each active row.
    pub(super) largest: Vec<f64>,
    queue: Vec<u32>,
}

impl BasisElimination {
    /// Factors the matrix whose column `slot` is `column(slot)`, a list of (row, value). On success `BasisElimination::row_of` tells the
    /// row of each slot.
    pub(super) fn factor<'a>(
        &mut self,
        size: usize,
        column: impl Fn(usize) -> (&'a [u32], &'a [f64]),
        factor: &mut BasisFactor,
    ) -> Result<(), SingularBasis> {
        self.start(size, factor);
        for slot in 0..size {
            let (rows, values) = column(slot);
            for (&row, &value) in rows.iter().zip(values) {
                self.rows
                    .push(row as usize, IndexedEntry(slot as u32, value));
                self.columns.push(slot, IndexedEntry(row, value));
            }
        }
        self.column_singletons(size, factor);
        self.row_singletons(size, factor);
        self.nucleus(size, factor);
        self.finish(size, factor)
    }

    /// The row that a slot was pivoted on.
    pub(super) fn row_of(&self, slot: usize) -> u32 {
        self.row_of[slot]
    }

    fn start(&mut self, size: usize, factor: &mut BasisFactor) {
        factor.size = size;
        for lists in [
            &mut self.rows,
            &mut self.columns,
            &mut self.upper,
            &mut factor.lower_columns,
            &mut factor.lower_rows,
            &mut factor.upper_columns,
            &mut factor.upper_rows,
        ] {
            lists.reset(size);
        }
        factor.order.clear();
        factor.pivots.clear();
        factor.pivots.resize(size, 1.0);
        for part in [&mut self.row_of, &mut self.slot_of] {
            part.clear();
            part.resize(size, NONE);
        }
        self.work.clear();
        self.work.resize(size, 0.0);
    }

    pub(super) fn pivot(&mut self, row: u32, slot: u32, value: f64, factor: &mut BasisFactor) {
        self.row_of[slot as usize] = row;
        self.slot_of[row as usize] = slot;
        factor.pivots[row as usize] = value;
        factor.order.push(row);
    }

    /// Pivots on columns with one active entry; their rows go to U as they are.
    fn column_singletons(&mut self, size: usize, factor: &mut BasisFactor) {
        let mut counts: Vec<u32> = (0..size)
            .map(|slot| self.columns.len(slot) as u32)
            .collect();
        self.queue.clear();
        self.queue
            .extend((0..size as u32).filter(|&slot| counts[slot as usize] == 1));
        let mut next = 0;
        while next < self.queue.len() {
            let slot = self.queue[next];
            next += 1;
            if counts[slot as usize] != 1 {
                continue;
            }
            let entries = self.columns.get(slot as usize);
            let active = entries
                .iter()
                .find(|entry| self.slot_of[entry.0 as usize] == NONE);
            let Some(&IndexedEntry(row, value)) = active else {
                continue;
            };
            if value.abs() < SINGULAR {
                continue;
            }
            self.pivot(row, slot, value, factor);
            counts[slot as usize] = 0;
            for index in 0..self.rows.len(row as usize) {
                let IndexedEntry(other, value) = self.rows.get(row as usize)[index];
                if other != slot && self.row_of[other as usize] == NONE {
                    self.upper.push(other as usize, IndexedEntry(row, value));
                    counts[other as usize] -= 1;
                    if counts[other as usize] == 1 {
                        self.queue.push(other);
                    }
                }
            }
        }
    }

    /// Pivots on rows with one active entry; their columns go to L.
    fn row_singletons(&mut self, size: usize, factor: &mut BasisFactor) {
        let mut counts = vec![0_u32; size];
        for (row, count) in counts.iter_mut().enumerate() {
            if self.slot_of[row] == NONE {
                let active = |entry: &&IndexedEntry| self.row_of[entry.0 as usize] == NONE;
                *count = self.rows.get(row).iter().filter(active).count() as u32;
            }
        }
        self.queue.clear();
        self.queue
            .extend((0..size as u32).filter(|&row| counts[row as usize] == 1));
        let mut next = 0;
        while next < self.queue.len() {
            let row = self.queue[next];
            next += 1;
            if self.slot_of[row as usize] != NONE || counts[row as usize] != 1 {
                continue;
            }
            let entries = self.rows.get(row as usize);
            let active = entries
                .iter()
                .find(|entry| self.row_of[entry.0 as usize] == NONE);
            let Some(&IndexedEntry(slot, value)) = active else {
                continue;
            };
            if value.abs() < SINGULAR {
                continue;
            }
            self.pivot(row, slot, value, factor);
            for index in 0..self.columns.len(slot as usize) {
                let IndexedEntry(other, entry) = self.columns.get(slot as usize)[index];
                if self.slot_of[other as usize] == NONE {
                    factor
                        .lower_columns
                        .push(row as usize, IndexedEntry(other, entry / value));
                    counts[other as usize] -= 1;
                    if counts[other as usize] == 1 {
                        self.queue.push(other);
                    }
                }
            }
        }
    }

    fn finish(&mut self, size: usize, factor: &mut BasisFactor) -> Result<(), SingularBasis> {
        if factor.order.len() < size {
            let unset = |list: &[u32]| {
                let places = list.iter().enumerate().filter(|(_, of)| **of == NONE);
                places.map(|(place, _)| place as u32).collect()
            };
            return Err(SingularBasis {
                slots: unset(&self.row_of),
                rows: unset(&self.slot_of),
            });
        }
        for slot in 0..size {
            let row = self.row_of[slot] as usize;
            for &entry in self.upper.get(slot) {
                factor.upper_columns.push(row, entry);
            }
        }
        // Each solve then reads memory upwards.
        let order = || factor.order.iter().copied();
        factor.upper_columns.arrange(order().rev());
        factor.upper_rows.transpose(&factor.upper_columns, order());
        factor.lower_columns.arrange(order());
        factor
            .lower_rows
            .transpose(&factor.lower_columns, order().rev());
        factor.ready();
        Ok(())
    }
}
