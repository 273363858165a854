//! [`EntryLists`]: a list of pairs for each row or column, in one array that is filled anew for each factorisation.

/// An index and a value, in twelve bytes: solves with large factors take as long as reading them does.
#[derive(Debug, Default, Clone, Copy)]
#[repr(C, packed(4))]
pub(super) struct IndexedEntry(pub u32, pub f64);

/// A list for each index; a list that outgrows its place moves to the end.
#[derive(Debug, Default, Clone)]
pub(super) struct EntryLists {
    /// Start and length of each list.
    places: Vec<(u32, u32)>,
    rooms: Vec<u32>,
    entries: Vec<IndexedEntry>,
    spare: Vec<IndexedEntry>,
}

impl EntryLists {
    /// Makes `count` empty lists.
    pub(super) fn reset(&mut self, count: usize) {
        self.places.clear();
        self.places.resize(count, (0, 0));
        self.rooms.clear();
        self.rooms.resize(count, 0);
        self.entries.clear();
    }

    /// Moves the lists to where they follow each other in this order: solves that go through them in order read memory in order.
    pub(super) fn arrange(&mut self, order: impl Iterator<Item = u32>) {
        self.spare.clear();
        for list in order {
            let (start, length) = self.places[list as usize];
            let moved = self.spare.len() as u32;
            let entries = start as usize..(start + length) as usize;
            self.spare.extend_from_slice(&self.entries[entries]);
            self.places[list as usize].0 = moved;
            self.rooms[list as usize] = length;
        }
        std::mem::swap(&mut self.entries, &mut self.spare);
    }

    /// Makes the lists those of the transposed matrix, following each other in this order.
    pub(super) fn transpose(&mut self, other: &Self, order: impl Iterator<Item = u32>) {
        self.reset(other.places.len());
        for list in 0..other.places.len() {
            for &IndexedEntry(index, _) in other.get(list) {
                self.rooms[index as usize] += 1;
            }
        }
        let mut start = 0;
        for list in order {
            self.places[list as usize].0 = start;
            start += self.rooms[list as usize];
        }
        self.entries.resize(start as usize, IndexedEntry(0, 0.0));
        for list in 0..other.places.len() {
            for &IndexedEntry(index, value) in other.get(list) {
                self.push(index as usize, IndexedEntry(list as u32, value));
            }
        }
    }

    /// Divides the entries of each list by a number.
    pub(super) fn divide(&mut self, by: &[f64]) {
        for (list, &by) in by.iter().enumerate() {
            for entry in self.get_mut(list) {
                entry.1 /= by;
            }
        }
    }

    #[inline]
    pub(super) fn len(&self, list: usize) -> usize {
        self.places[list].1 as usize
    }

    /// Entries that are stored, with the holes that lists left behind.
    pub(super) fn stored(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(super) fn get(&self, list: usize) -> &[IndexedEntry] {
        let (start, length) = self.places[list];
        &self.entries[start as usize..(start + length) as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, list: usize) -> &mut [IndexedEntry] {
        let (start, length) = self.places[list];
        &mut self.entries[start as usize..(start + length) as usize]
    }

    pub(super) fn clear(&mut self, list: usize) {
        self.places[list].1 = 0;
    }

    pub(super) fn truncate(&mut self, list: usize, length: usize) {
        self.places[list].1 = length as u32;
    }

    #[inline]
    pub(super) fn push(&mut self, list: usize, entry: IndexedEntry) {
        if self.places[list].1 == self.rooms[list] {
            self.grow(list);
        }
        let (start, length) = self.places[list];
        self.entries[(start + length) as usize] = entry;
        self.places[list].1 = length + 1;
    }

    fn grow(&mut self, list: usize) {
        let (start, length) = self.places[list];
        let (start, length) = (start as usize, length as usize);
        let room = (2 * length).max(4);
        if start + self.rooms[list] as usize == self.entries.len() && length > 0 {
            self.entries.resize(start + room, IndexedEntry(0, 0.0));
        } else {
            let moved = self.entries.len();
            self.entries.extend_from_within(start..start + length);
            self.entries.resize(moved + room, IndexedEntry(0, 0.0));
            self.places[list].0 = moved as u32;
        }
        self.rooms[list] = room as u32;
    }

    /// Removes the entry with a key, and returns its value; the last takes its place.
    #[inline]
    pub(super) fn take(&mut self, list: usize, key: u32) -> Option<f64> {
        let entries = self.get_mut(list);
        let at = entries.iter().position(|entry| entry.0 == key)?;
        let last = entries.len() - 1;
        entries.swap(at, last);
        let value = entries[last].1;
        self.places[list].1 -= 1;
        Some(value)
    }
}
