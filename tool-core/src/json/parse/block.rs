//! Arrays of numbers, read straight into one block; long matrices by two threads.

use std::thread::ScopedJoinHandle;

use super::super::number;
use super::{JsonPathSegment, JsonScanError, JsonScanner, behind_space};
use crate::value::{Numbers, exact_double};

/// Texts with at least this many bytes left are read by two threads, where there are two processors.
const SPLIT_LEAST: usize = if cfg!(test) { 40 } else { 4 << 20 };

/// Rows of a matrix.
#[derive(Default)]
struct MatrixRows {
    block: RowBlock,
    count: usize,
    /// Numbers in each; 0 before the first.
    columns: usize,
}

impl MatrixRows {
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
    rows: MatrixRows,
    end: usize,
}

/// What follows a row.
enum RowSuccessor {
    /// Another one.
    Row,
    /// The end of the matrix.
    End,
    /// Neither: no matrix of numbers after all.
    Other,
}

struct RowBlock {
    data: Vec<f64>,
    integral: bool,
    /// How many numbers the memory limit has been charged for.
    charged: usize,
}

impl Default for RowBlock {
    fn default() -> Self {
        Self {
            data: Vec::new(),
            integral: true,
            charged: 0,
        }
    }
}

impl JsonScanner<'_> {
    /// Reads `[1, 2]` or `[[1, 2], [3, 4]]` into one block; `None` (position spoilt) when it is anything else.
    pub(super) fn number_block(&mut self) -> Result<Option<Numbers>, JsonScanError> {
        self.position += 1;
        self.skip_space();
        let mut block = RowBlock::default();
        if self.peek() != Some(b'[') {
            if !self.number_row(&mut block)? {
                return Ok(None);
            }
            return Ok(Some(Numbers::vector(block.data, block.integral)));
        }
        if self.depth >= self.limits.depth_max {
            return Ok(None);
        }
        let (start, mut rows) = (self.position, MatrixRows::default());
        // A thread is worth its start only to a matrix that is itself long.
        while self.position - start < SPLIT_LEAST / 16 || rows.count == 0 {
            match self.row(&mut rows)? {
                RowSuccessor::Row => self.skip_space(),
                RowSuccessor::End => return Ok(rows.into_numbers()),
                RowSuccessor::Other => return Ok(None),
            }
        }
        let (read, count) = (self.position - start, rows.block.data.len());
        let left = self.bytes.len() - self.position;
        self.reserve(&mut rows.block, read, count, left);
        let Some(split) = self.middle_row() else {
            return self.rows(rows, None);
        };
        let mut ahead = JsonScanner {
            position: split,
            path: Vec::new(),
            ..*self
        };
        let columns = rows.columns;
        std::thread::scope(|scope| {
            let reader = std::thread::Builder::new()
                .spawn_scoped(scope, move || {
                    let mut rows = MatrixRows {
                        columns,
                        ..MatrixRows::default()
                    };
                    let left = ahead.bytes.len() - split;
                    ahead.reserve(&mut rows.block, read, count, left);
                    ahead.last_rows(rows)
                })
                .ok();
            self.rows(rows, reader.map(|reader| (split, reader)))
        })
    }

    /// Reads rows up to and with the closing bracket. Those from a place on may come from another reader: when this one arrives
    /// there, and the other has found nothing but rows, they are taken over.
    fn rows(
        &mut self,
        mut rows: MatrixRows,
        mut ahead: Option<(usize, ScopedJoinHandle<'_, Option<LastRows>>)>,
    ) -> Result<Option<Numbers>, JsonScanError> {
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
                RowSuccessor::Row => {}
                RowSuccessor::End => return Ok(rows.into_numbers()),
                RowSuccessor::Other => return Ok(None),
            }
        }
    }

    /// Makes room for the numbers that so many bytes hold when they are spelled like those read, so that the block is not moved while
    /// it grows; a guess, which costs addresses but no memory before they are used.
    fn reserve(&self, block: &mut RowBlock, bytes_read: usize, numbers_read: usize, bytes: usize) {
        let each = bytes_read as f64 / numbers_read.max(1) as f64;
        let expected = 1.02 * bytes as f64 / each.max(2.0);
        let most = self
            .limits
            .memory_bytes_max
            .saturating_sub(self.memory_bytes)
            / 8;
        // Where there is no room, the block grows as it is filled, or the limit says so.
        let _ = block.data.try_reserve_exact((expected as usize).min(most));
    }

    /// The start of a row near the middle of the rest of a long text; a guess, since strings contain brackets too.
    fn middle_row(&self) -> Option<usize> {
        let rest = self.bytes.len() - self.position;
        if rest < SPLIT_LEAST || std::thread::available_parallelism().is_ok_and(|n| n.get() < 2) {
            return None;
        }
        let mut ahead = JsonScanner {
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
    fn last_rows(&mut self, mut rows: MatrixRows) -> Option<LastRows> {
        loop {
            self.skip_space();
            match self.row(&mut rows).ok()? {
                RowSuccessor::Row => {}
                RowSuccessor::End => {
                    return Some(LastRows {
                        rows,
                        end: self.position,
                    });
                }
                RowSuccessor::Other => return None,
            }
        }
    }

    /// Reads one row and the separator after it.
    fn row(&mut self, rows: &mut MatrixRows) -> Result<RowSuccessor, JsonScanError> {
        if !self.take(b'[') {
            return Ok(RowSuccessor::Other);
        }
        self.path.push(JsonPathSegment::Index(rows.count));
        let before = rows.block.data.len();
        let regular = self.number_row(&mut rows.block)?;
        self.path.pop();
        let width = rows.block.data.len() - before;
        if rows.columns == 0 {
            rows.columns = width;
        }
        if !regular || width != rows.columns {
            return Ok(RowSuccessor::Other);
        }
        rows.count += 1;
        self.skip_space();
        Ok(if self.take(b']') {
            RowSuccessor::End
        } else if self.take(b',') {
            RowSuccessor::Row
        } else {
            RowSuccessor::Other
        })
    }

    /// Reads numbers through the closing bracket; false at anything else.
    fn number_row(&mut self, block: &mut RowBlock) -> Result<bool, JsonScanError> {
        let bytes = self.bytes;
        let (mut position, mut column, mut integral) = (self.position, 0, true);
        let regular = loop {
            position = behind_space(bytes, position);
            if !matches!(bytes.get(position), Some(b'-' | b'0'..=b'9')) {
                break false;
            }
            let parsed = match number::read_json_number(&bytes[position..]) {
                Ok(parsed) => parsed,
                Err(fault) => {
                    self.position = position;
                    self.path.push(JsonPathSegment::Index(column));
                    return Err(self.number_fault(fault));
                }
            };
            if parsed.long.is_some_and(|long| exact_double(long).is_none()) {
                break false;
            }
            position += parsed.length;
            integral &= parsed.integral && parsed.long.is_none();
            if block.data.len() == block.charged {
                self.position = position;
                let more = block.charged.max(16);
                self.charge(8 * more)?;
                block.charged += more;
            }
            block.data.push(parsed.value);
            column += 1;
            if bytes.get(position) != Some(&b',') {
                position = behind_space(bytes, position);
            }
            match bytes.get(position) {
                Some(b',') => position += 1,
                Some(b']') => {
                    position += 1;
                    break true;
                }
                _ => break false,
            }
        };
        self.position = position;
        block.integral &= integral;
        Ok(regular)
    }
}
