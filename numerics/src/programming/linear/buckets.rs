//! [`CountBuckets`]: rows or columns by their number of entries.

const NONE: u32 = u32::MAX;

/// Items by count, in linked lists.
#[derive(Debug, Default)]
pub(super) struct CountBuckets {
    heads: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    count: Vec<u32>,
}

impl CountBuckets {
    pub(super) fn reset(&mut self, size: usize) {
        self.heads.clear();
        self.heads.resize(size + 1, NONE);
        for part in [&mut self.next, &mut self.before, &mut self.count] {
            part.clear();
            part.resize(size, NONE);
        }
    }

    pub(super) fn most(&self) -> usize {
        self.heads.len() - 1
    }

    pub(super) fn of(&self, count: usize) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.heads[count]).filter(|&item| item != NONE);
        std::iter::successors(first, |&item| {
            Some(self.next[item as usize]).filter(|&item| item != NONE)
        })
    }

    pub(super) fn remove(&mut self, item: u32) {
        let at = item as usize;
        let count = self.count[at];
        if count == NONE {
            return;
        }
        let (before, next) = (self.before[at], self.next[at]);
        if before == NONE {
            self.heads[count as usize] = next;
        } else {
            self.next[before as usize] = next;
        }
        if next != NONE {
            self.before[next as usize] = before;
        }
        self.count[at] = NONE;
    }

    /// Puts an item at a count, wherever it was.
    pub(super) fn insert(&mut self, item: u32, count: usize) {
        if self.count[item as usize] == count as u32 {
            return;
        }
        self.remove(item);
        let at = item as usize;
        let head = self.heads[count];
        self.next[at] = head;
        self.before[at] = NONE;
        if head != NONE {
            self.before[head as usize] = item;
        }
        self.heads[count] = item;
        self.count[at] = count as u32;
    }
}
