//! The nucleus of a basis: pivots of least Markowitz count, large enough in their rows.

use super::eliminate::{BasisElimination, NONE, SINGULAR};
use super::factor::BasisFactor;
use super::lists::IndexedEntry;

/// A pivot is at least this part of the largest entry of its row.
const THRESHOLD: f64 = 0.1;
/// Rows and columns looked at for a pivot.
const LOOKED_AT: usize = 4;
/// Entries below this are dropped in the elimination.
const DROPPED: f64 = 1e-15;
/// In the place of the largest entry of a row that has changed.
const UNKNOWN: f64 = -1.0;

impl BasisElimination {
    pub(super) fn nucleus(&mut self, size: usize, factor: &mut BasisFactor) {
        self.row_counts.reset(size);
        self.largest.clear();
        self.largest.resize(size, UNKNOWN);
        self.column_counts.reset(size);
        for row in 0..size {
            if self.slot_of[row] != NONE {
                continue;
            }
            let mut kept = 0;
            let row_of = &self.row_of;
            let entries = self.rows.get_mut(row);
            for index in 0..entries.len() {
                if row_of[entries[index].0 as usize] == NONE {
                    entries[kept] = entries[index];
                    kept += 1;
                }
            }
            self.rows.truncate(row, kept);
            self.row_counts.insert(row as u32, kept);
        }
        for slot in 0..size {
            if self.row_of[slot] != NONE {
                continue;
            }
            let mut kept = 0;
            let slot_of = &self.slot_of;
            let entries = self.columns.get_mut(slot);
            for index in 0..entries.len() {
                if slot_of[entries[index].0 as usize] == NONE {
                    entries[kept] = entries[index];
                    kept += 1;
                }
            }
            self.columns.truncate(slot, kept);
            self.column_counts.insert(slot as u32, kept);
        }
        while let Some((row, slot, value)) = self.choose() {
            self.eliminate(row, slot, value, factor);
        }
    }

    /// The pivot of least Markowitz count among a few rows and columns of least count, large enough in its row.
    fn choose(&mut self) -> Option<(u32, u32, f64)> {
        let mut best: Option<(u32, u32, f64)> = None;
        let mut cost = u64::MAX;
        let mut looked = 0;
        let most = self.row_counts.most().max(self.column_counts.most());
        for count in 1..=most {
            let least = (count as u64 - 1) * (count as u64 - 1);
            if cost <= least {
                break;
            }
            for slot in self.column_counts.of(count) {
                for &IndexedEntry(row, _) in self.columns.get(slot as usize) {
                    let entries = self.rows.get(row as usize);
                    let work = (count as u64 - 1) * (entries.len() as u64 - 1);
                    if work >= cost {
                        continue;
                    }
                    let largest = row_maximum(&mut self.largest[row as usize], entries);
                    let found = entries.iter().find(|entry| entry.0 == slot);
                    let value = found.map_or(0.0, |entry| entry.1);
                    if value.abs() >= THRESHOLD * largest && value.abs() >= SINGULAR {
                        best = Some((row, slot, value));
                        cost = work;
                    }
                }
                looked += 1;
                if (looked >= LOOKED_AT && best.is_some()) || cost <= least {
                    return best;
                }
            }
            for row in self.row_counts.of(count) {
                let entries = self.rows.get(row as usize);
                let largest = row_maximum(&mut self.largest[row as usize], entries);
                for &IndexedEntry(slot, value) in entries {
                    let work = (count as u64 - 1) * (self.columns.len(slot as usize) as u64 - 1);
                    if work < cost && value.abs() >= THRESHOLD * largest && value.abs() >= SINGULAR
                    {
                        best = Some((row, slot, value));
                        cost = work;
                    }
                }
                looked += 1;
                if (looked >= LOOKED_AT && best.is_some()) || cost <= least {
                    return best;
                }
            }
        }
        best
    }

    fn eliminate(&mut self, row: u32, slot: u32, value: f64, factor: &mut BasisFactor) {
        self.pivot(row, slot, value, factor);
        self.row_counts.remove(row);
        self.column_counts.remove(slot);
        self.rows.take(row as usize, slot);
        for index in 0..self.rows.len(row as usize) {
            let IndexedEntry(other, entry) = self.rows.get(row as usize)[index];
            self.columns.take(other as usize, row);
            self.work[other as usize] = entry;
            self.upper.push(other as usize, IndexedEntry(row, entry));
        }
        for index in 0..self.columns.len(slot as usize) {
            let target = self.columns.get(slot as usize)[index].0;
            if target != row {
                self.subtract(row, target, slot, value, factor);
            }
        }
        for index in 0..self.rows.len(row as usize) {
            let other = self.rows.get(row as usize)[index].0;
            self.work[other as usize] = 0.0;
            let count = self.columns.len(other as usize);
            self.column_counts.insert(other, count);
        }
        self.columns.clear(slot as usize);
    }

    /// Subtracts a multiple of the pivot row, spread in `work`, from another row.
    fn subtract(&mut self, row: u32, target: u32, slot: u32, pivot: f64, factor: &mut BasisFactor) {
        let at = target as usize;
        let by = self.rows.take(at, slot).unwrap_or(0.0) / pivot;
        factor
            .lower_columns
            .push(row as usize, IndexedEntry(target, by));
        let mut has_dropped = false;
        for entry in self.rows.get_mut(at) {
            // Zero where the pivot row has no entry, and after this where it has one of the target's.
            let from = std::mem::take(&mut self.work[entry.0 as usize]);
            entry.1 -= by * from;
            has_dropped |= entry.1.abs() < DROPPED;
        }
        if has_dropped {
            for index in (0..self.rows.len(at)).rev() {
                let IndexedEntry(other, value) = self.rows.get(at)[index];
                if value.abs() < DROPPED {
                    self.rows.take(at, other);
                    self.columns.take(other as usize, target);
                }
            }
        }
        for index in 0..self.rows.len(row as usize) {
            let IndexedEntry(other, entry) = self.rows.get(row as usize)[index];
            let work = &mut self.work[other as usize];
            if *work == 0.0 {
                *work = entry;
            } else if (by * entry).abs() >= DROPPED {
                self.rows.push(at, IndexedEntry(other, -by * entry));
                self.columns.push(other as usize, IndexedEntry(target, 0.0));
            }
        }
        self.largest[at] = UNKNOWN;
        let count = self.rows.len(at);
        self.row_counts.insert(target, count);
    }
}

/// The largest entry of a row, which most rows of a nucleus are never asked for.
fn row_maximum(known: &mut f64, entries: &[IndexedEntry]) -> f64 {
    if *known < 0.0 {
        let sizes = entries.iter().map(|entry| entry.1.abs());
        *known = sizes.fold(0.0, f64::max);
    }
    *known
}
