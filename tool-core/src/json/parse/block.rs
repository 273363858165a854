//! Arrays of numbers, read straight into one block; long matrices by two threads.

use std::thread::ScopedJoinHandle;

use super::super::number;
use super::{Scan, Segment, Stop};
use crate::value::Numbers;

/// Texts with at least this many bytes left are read by two threads, where there are two processors.
const SPLIT_LEAST: usize = if cfg!(test) { 40 } else { 4 << 20 };

/// Rows of a matrix.
#[derive(Default)]
struct Rows {
    block: Block,
    count: usize,
    /// Numbers in each; 0 before the first.
    columns: usize,
}

impl Rows {
    fn append(&mut self, last: Self) {
        self.block.data.extend_from_slice(&last.block.data);
        self.block.integral &= last.block.integral;
        self.count += last.count;
    }

    fn into_numbers(self) -> Option<Numbers> {
        let shape = vec![self.count, self.columns];
        Numbers::new(shape, self.block.data, self.block.integral)
    }
}

/// The rows at the end of a matrix, and the place behind its closing bracket.
struct LastRows {
    rows: Rows,
    end: usize,
}

/// What follows a row.
enum After {
    /// Another one.
    Row,
    /// The end of the matrix.
    End,
    /// Neither: no matrix of numbers after all.
    Other,
}

struct Block {
    data: Vec<f64>,
    integral: bool,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            data: Vec::new(),
            integral: true,
        }
    }
}

impl Scan<'_> {
    /// Reads `[1, 2]` or `[[1, 2], [3, 4]]` into one block; `None` (position spoilt) when it is anything else.
    pub(super) fn number_block(&mut self) -> Result<Option<Numbers>, Stop> {
        self.position += 1;
        self.skip_space();
        let mut block = Block::default();
        if self.peek() != Some(b'[') {
            if !self.number_row(&mut block)? {
                return Ok(None);
            }
            return Ok(Some(Numbers::vector(block.data, block.integral)));
        }
        if self.depth >= self.limits.depth_max {
            return Ok(None);
        }
        let (start, mut rows) = (self.position, Rows::default());
        // A thread is worth its start only to a matrix that is itself long.
        while self.position - start < SPLIT_LEAST / 16 || rows.count == 0 {
            match self.row(&mut rows)? {
                After::Row => self.skip_space(),
                After::End => return Ok(rows.into_numbers()),
                After::Other => return Ok(None),
            }
        }
        let Some(split) = self.middle_row() else {
            return self.rows(rows, None);
        };
        let mut ahead = Scan {
            position: split,
            path: Vec::new(),
            ..*self
        };
        let columns = rows.columns;
        std::thread::scope(|scope| {
            let reader = std::thread::Builder::new()
                .spawn_scoped(scope, move || ahead.last_rows(columns))
                .ok();
            self.rows(rows, reader.map(|reader| (split, reader)))
        })
    }

    /// Reads rows up to and with the closing bracket. Those from a place on may come from another reader: when this one arrives
    /// there, and the other has found nothing but rows, they are taken over.
    fn rows(
        &mut self,
        mut rows: Rows,
        mut ahead: Option<(usize, ScopedJoinHandle<'_, Option<LastRows>>)>,
    ) -> Result<Option<Numbers>, Stop> {
        loop {
            self.skip_space();
            if let Some((_, reader)) = ahead.take_if(|(split, _)| *split == self.position)
                && let Some(last) = reader.join().ok().flatten()
            {
                self.charge(8 * last.rows.block.data.len())?;
                self.position = last.end;
                rows.append(last.rows);
                return Ok(rows.into_numbers());
            }
            match self.row(&mut rows)? {
                After::Row => {}
                After::End => return Ok(rows.into_numbers()),
                After::Other => return Ok(None),
            }
        }
    }

    /// Where a row begins near the middle of what is left of a long text; a guess, since brackets also stand in strings.
    fn middle_row(&self) -> Option<usize> {
        let rest = self.bytes.len() - self.position;
        if rest < SPLIT_LEAST || std::thread::available_parallelism().is_ok_and(|n| n.get() < 2) {
            return None;
        }
        let mut ahead = Scan {
            position: self.position + rest / 2,
            path: Vec::new(),
            ..*self
        };
        ahead.position += ahead.bytes[ahead.position..]
            .iter()
            .position(|&byte| byte == b']')?
            + 1;
        ahead.skip_space();
        if !ahead.take(b',') {
            return None;
        }
        ahead.skip_space();
        (ahead.peek() == Some(b'[')).then_some(ahead.position)
    }

    /// The rows from here to the end of the matrix, if nothing else is there.
    fn last_rows(&mut self, columns: usize) -> Option<LastRows> {
        let mut rows = Rows {
            columns,
            ..Rows::default()
        };
        loop {
            self.skip_space();
            match self.row(&mut rows).ok()? {
                After::Row => {}
                After::End => {
                    return Some(LastRows {
                        rows,
                        end: self.position,
                    });
                }
                After::Other => return None,
            }
        }
    }

    /// Reads one row and what follows it.
    fn row(&mut self, rows: &mut Rows) -> Result<After, Stop> {
        if !self.take(b'[') {
            return Ok(After::Other);
        }
        self.path.push(Segment::Index(rows.count));
        let before = rows.block.data.len();
        let regular = self.number_row(&mut rows.block)?;
        self.path.pop();
        let width = rows.block.data.len() - before;
        if rows.columns == 0 {
            rows.columns = width;
        }
        if !regular || width != rows.columns {
            return Ok(After::Other);
        }
        rows.count += 1;
        self.skip_space();
        Ok(if self.take(b']') {
            After::End
        } else if self.take(b',') {
            After::Row
        } else {
            After::Other
        })
    }

    /// Reads numbers up to and with the closing bracket; false when something else stands there.
    fn number_row(&mut self, block: &mut Block) -> Result<bool, Stop> {
        let mut column = 0;
        loop {
            self.skip_space();
            if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
                return Ok(false);
            }
            let parsed = match number::read(&self.bytes[self.position..]) {
                Ok(parsed) => parsed,
                Err(fault) => {
                    self.path.push(Segment::Index(column));
                    return Err(self.number_fault(fault));
                }
            };
            self.position += parsed.length;
            block.integral &= parsed.integral;
            if block.data.len() == block.data.capacity() {
                self.charge(8 * block.data.len().max(16))?;
            }
            block.data.push(parsed.value);
            column += 1;
            if self.take(b',') {
                continue;
            }
            self.skip_space();
            if self.take(b']') {
                return Ok(true);
            }
            if !self.take(b',') {
                return Ok(false);
            }
        }
    }
}
