//! [`ProgramRows`]: what rows and bounds together say about the bounds of variables.
//!
//! # References
//! M. W. P. Savelsbergh, "Preprocessing and probing techniques for mixed integer programming problems", ORSA J. Comput. 6, 1994.

use crate::programming::linear::LinearProgram;
use crate::sparse::CsrMatrix;

/// Slack of a rounded bound; relaxations count as integral within it as well.
const WHOLE: f64 = 1e-6;
/// Bounds of other variables move outwards by this, relative to their size or 1.
const LOOSE: f64 = 1e-9;
/// Violation of a row or a pair of bounds, relative to the terms or 1, that counts as one.
const EMPTY: f64 = 1e-6;
/// Bounds beyond this say nothing.
const HUGE: f64 = 1e7;

/// A program by rows and by columns.
pub(super) struct ProgramRows<'a> {
    pub(super) program: &'a LinearProgram,
    pub(super) by_column: CsrMatrix,
    pub(super) is_integer: &'a [bool],
}

/// Rows that wait to be looked at.
#[derive(Default)]
pub(super) struct PropagationQueue {
    rows: std::collections::VecDeque<u32>,
    is_in: Vec<bool>,
}

/// The least or largest value of a row over the bounds: its finite part, and how many terms are infinite.
#[derive(Clone, Copy, Default)]
pub(super) struct ActivityBound {
    pub(super) sum: f64,
    pub(super) infinite: u32,
    size: f64,
}

impl ActivityBound {
    fn add(&mut self, term: f64) {
        if term.is_finite() {
            self.sum += term;
            self.size += term.abs();
        } else {
            self.infinite += 1;
        }
    }

    /// Without one of its terms, where that is finite.
    fn without(&self, term: f64) -> Option<f64> {
        match (self.infinite, term.is_finite()) {
            (0, _) => Some(self.sum - term),
            (1, false) => Some(self.sum),
            _ => None,
        }
    }

    fn slack(&self, bound: f64) -> f64 {
        EMPTY * bound.abs().max(1.0) + 1e-12 * self.size
    }
}

impl PropagationQueue {
    pub(super) fn push(&mut self, row: u32) {
        if self.is_in.len() <= row as usize {
            self.is_in.resize(row as usize + 1, false);
        }
        if !std::mem::replace(&mut self.is_in[row as usize], true) {
            self.rows.push_back(row);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let row = self.rows.pop_front()?;
        self.is_in[row as usize] = false;
        Some(row)
    }

    fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}

impl<'a> ProgramRows<'a> {
    pub(super) fn new(program: &'a LinearProgram, is_integer: &'a [bool]) -> Self {
        Self {
            program,
            by_column: program.matrix.transposed(),
            is_integer,
        }
    }

    /// Puts the rows of a variable on the queue.
    pub(super) fn touch(&self, variable: usize, queue: &mut PropagationQueue) {
        for &row in self.by_column.row(variable).0 {
            queue.push(row);
        }
    }

    /// Tightens bounds until the rows say no more, or `most` entries were looked at; false when they leave no point.
    pub(super) fn propagate(
        &self,
        (low, high): (&mut [f64], &mut [f64]),
        queue: &mut PropagationQueue,
        most: u64,
    ) -> bool {
        let mut work = 0;
        while let Some(row) = queue.pop() {
            work += self.program.matrix.row(row as usize).0.len() as u64 + 1;
            if work > most {
                break;
            }
            if !self.by_row(row as usize, (low, high), queue) {
                queue.clear();
                return false;
            }
        }
        queue.clear();
        true
    }

    /// Least and largest value of a row.
    pub(super) fn extents(&self, row: usize, low: &[f64], high: &[f64]) -> [ActivityBound; 2] {
        let mut extents = [ActivityBound::default(); 2];
        let (columns, values) = self.program.matrix.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            let (low, high) = (low[column as usize], high[column as usize]);
            let (least, most) = if value > 0.0 {
                (low, high)
            } else {
                (high, low)
            };
            extents[0].add(value * least);
            extents[1].add(value * most);
        }
        extents
    }

    fn by_row(
        &self,
        row: usize,
        (low, high): (&mut [f64], &mut [f64]),
        queue: &mut PropagationQueue,
    ) -> bool {
        let (bottom, top) = (self.program.row_low[row], self.program.row_high[row]);
        let [least, most] = self.extents(row, low, high);
        if (least.infinite == 0 && least.sum > top + least.slack(top))
            || (most.infinite == 0 && most.sum < bottom - most.slack(bottom))
        {
            return false;
        }
        let is_upper = top.is_finite()
            && least.infinite <= 1
            && (most.infinite > 0 || most.sum > top + LOOSE * top.abs().max(1.0));
        let is_lower = bottom.is_finite()
            && most.infinite <= 1
            && (least.infinite > 0 || least.sum < bottom - LOOSE * bottom.abs().max(1.0));
        if !is_upper && !is_lower {
            return true;
        }
        let (columns, values) = self.program.matrix.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            let at = column as usize;
            let ends = if value > 0.0 {
                (low[at], high[at])
            } else {
                (high[at], low[at])
            };
            let room_above = is_upper
                .then(|| least.without(value * ends.0))
                .flatten()
                .map(|rest| (top - rest) / value);
            let room_below = is_lower
                .then(|| most.without(value * ends.1))
                .flatten()
                .map(|rest| (bottom - rest) / value);
            let (upper, lower) = if value > 0.0 {
                (room_above, room_below)
            } else {
                (room_below, room_above)
            };
            let is_new = [
                upper.is_some_and(|bound| self.lower_high(at, bound, (low[at], &mut high[at]))),
                lower.is_some_and(|bound| self.raise_low(at, bound, (&mut low[at], high[at]))),
            ];
            if low[at] > high[at] {
                if low[at] - high[at] > EMPTY * low[at].abs().max(1.0) {
                    return false;
                }
                high[at] = low[at];
            }
            if is_new != [false; 2] {
                self.touch(at, queue);
            }
        }
        true
    }

    fn lower_high(&self, variable: usize, bound: f64, (low, high): (f64, &mut f64)) -> bool {
        let bound = if self.is_integer[variable] {
            (bound + WHOLE).floor()
        } else {
            bound + LOOSE * bound.abs().max(1.0)
        };
        self.is_better(variable, *high - bound, *high - low, bound) && {
            *high = bound;
            true
        }
    }

    fn raise_low(&self, variable: usize, bound: f64, (low, high): (&mut f64, f64)) -> bool {
        let bound = if self.is_integer[variable] {
            (bound - WHOLE).ceil()
        } else {
            bound - LOOSE * bound.abs().max(1.0)
        };
        self.is_better(variable, bound - *low, high - *low, bound) && {
            *low = bound;
            true
        }
    }

    /// Whether a gain is worth a change: any for an integer, a part of the range for others, whose bounds might creep for ever.
    fn is_better(&self, variable: usize, gain: f64, range: f64, bound: f64) -> bool {
        if bound.abs() > HUGE || gain.is_nan() {
            return false;
        }
        if self.is_integer[variable] {
            gain > 0.5
        } else {
            gain > 1e-3 && (!range.is_finite() || gain > 0.05 * range)
        }
    }
}
