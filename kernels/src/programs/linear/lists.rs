//! [`Lists`]: a list of pairs for each row or column, in one array that is filled anew for each factorisation.

/// A list for each index; a list that outgrows its place moves to the end.
#[derive(Debug, Default, Clone)]
pub(super) struct Lists {
    starts: Vec<u32>,
    lengths: Vec<u32>,
    rooms: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

impl Lists {
    /// Makes `count` empty lists.
    pub(super) fn reset(&mut self, count: usize) {
        for part in [&mut self.starts, &mut self.lengths, &mut self.rooms] {
            part.clear();
            part.resize(count, 0);
        }
        self.entries.clear();
    }

    #[inline]
    pub(super) fn len(&self, list: usize) -> usize {
        self.lengths[list] as usize
    }

    /// Entries that are stored, with the holes that lists left behind.
    pub(super) fn stored(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(super) fn get(&self, list: usize) -> &[(u32, f64)] {
        let start = self.starts[list] as usize;
        &self.entries[start..start + self.lengths[list] as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, list: usize) -> &mut [(u32, f64)] {
        let start = self.starts[list] as usize;
        &mut self.entries[start..start + self.lengths[list] as usize]
    }

    pub(super) fn clear(&mut self, list: usize) {
        self.lengths[list] = 0;
    }

    pub(super) fn truncate(&mut self, list: usize, length: usize) {
        self.lengths[list] = length as u32;
    }

    #[inline]
    pub(super) fn push(&mut self, list: usize, entry: (u32, f64)) {
        let length = self.lengths[list];
        if length == self.rooms[list] {
            self.grow(list);
        }
        self.entries[(self.starts[list] + length) as usize] = entry;
        self.lengths[list] = length + 1;
    }

    fn grow(&mut self, list: usize) {
        let (start, length) = (self.starts[list] as usize, self.lengths[list] as usize);
        let room = (2 * length).max(4);
        if start + self.rooms[list] as usize == self.entries.len() && length > 0 {
            self.entries.resize(start + room, (0, 0.0));
        } else {
            let moved = self.entries.len();
            self.entries.extend_from_within(start..start + length);
            self.entries.resize(moved + room, (0, 0.0));
            self.starts[list] = moved as u32;
        }
        self.rooms[list] = room as u32;
    }

    /// Removes the entry with a key; the last takes its place.
    #[inline]
    pub(super) fn remove(&mut self, list: usize, key: u32) {
        let entries = self.get_mut(list);
        if let Some(at) = entries.iter().position(|entry| entry.0 == key) {
            let last = entries.len() - 1;
            entries.swap(at, last);
            self.lengths[list] -= 1;
        }
    }
}
