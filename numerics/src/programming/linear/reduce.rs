//! A smaller program whose optimal basis becomes one of the program given, from which the simplex method goes on.
//!
//! What is found here is only where to start: values, prices and proofs come from the program as it was given.
//!
//! # References
//! E. D. Andersen, K. D. Andersen, "Presolving in linear programming", Math. Programming 71, 1995.

use super::LinearProgram;
use super::step::PresolveStep;
use crate::sparse::CsrMatrix;

/// Turns over all rows and columns.
const TURNS: usize = 12;
/// Differences below this, relative to the size of the numbers or 1, are none.
pub(super) const SAME: f64 = 1e-9;
/// Smallest ratio of the coefficients of an equation by which one of two variables is replaced.
pub(super) const RATIO: f64 = 1e-3;
/// Entries looked at, for each row, column and entry of the program, after which nothing more is reduced.
const LOOKS: usize = 50;

pub(super) struct PresolveReduction {
    pub(super) rows: Vec<Vec<(u32, f64)>>,
    pub(super) columns: Vec<Vec<u32>>,
    pub(super) costs: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
    pub(super) row_low: Vec<f64>,
    pub(super) row_high: Vec<f64>,
    pub(super) has_row: Vec<bool>,
    pub(super) has_column: Vec<bool>,
    pub(super) steps: Vec<PresolveStep>,
    /// Entries of the rows that fixed their columns, and of those that replaced one.
    pub(super) row_entries: Vec<(u32, f64)>,
    /// How many variables each one stands for, itself too, counted once for each way that leads there.
    pub(super) stands_for: Vec<u32>,
    /// Entries that may still be looked at.
    pub(super) looks: usize,
}

/// There is no optimum, or bounds that rounding has crossed: the program itself has to tell.
pub(super) struct PresolveFailure;

impl PresolveReduction {
    pub(super) fn new(program: &LinearProgram) -> Result<Self, PresolveFailure> {
        let (rows, columns) = (program.row_low.len(), program.costs.len());
        let mut reduction = Self {
            rows: vec![Vec::new(); rows],
            columns: vec![Vec::new(); columns],
            costs: program.costs.clone(),
            low: program.low.clone(),
            high: program.high.clone(),
            row_low: program.row_low.clone(),
            row_high: program.row_high.clone(),
            has_row: vec![true; rows],
            has_column: vec![true; columns],
            steps: Vec::new(),
            row_entries: Vec::new(),
            stands_for: vec![1; columns],
            looks: LOOKS * (rows + columns + program.matrix.nonzeros()),
        };
        for row in 0..rows {
            let (places, values) = program.matrix.row(row);
            for (&place, &value) in places.iter().zip(values) {
                reduction.rows[row].push((place, value));
                reduction.columns[place as usize].push(row as u32);
            }
        }
        for _ in 0..TURNS {
            let before = reduction.steps.len();
            for row in 0..rows {
                reduction.row(row)?;
            }
            for column in 0..columns {
                reduction.column(column)?;
            }
            reduction.dominated()?;
            if (reduction.steps.len() - before) * 200 <= rows + columns || reduction.looks == 0 {
                break;
            }
        }
        Ok(reduction)
    }

    /// The program that is left, and its rows and columns in the one given.
    pub(super) fn program(&self) -> (LinearProgram, Vec<u32>, Vec<u32>) {
        let left = |has: &[bool]| -> Vec<u32> {
            (0..has.len() as u32)
                .filter(|&at| has[at as usize])
                .collect()
        };
        let (rows, columns) = (left(&self.has_row), left(&self.has_column));
        let mut place = vec![0; self.has_column.len()];
        for (at, &column) in columns.iter().enumerate() {
            place[column as usize] = at as u32;
        }
        let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for &row in &rows {
            for &(column, value) in &self.rows[row as usize] {
                places.push(place[column as usize]);
                values.push(value);
            }
            starts.push(places.len());
        }
        let pick = |from: &[f64], at: &[u32]| at.iter().map(|&at| from[at as usize]).collect();
        let program = LinearProgram {
            costs: pick(&self.costs, &columns),
            matrix: CsrMatrix::from_rows(columns.len(), starts, places, values),
            row_low: pick(&self.row_low, &rows),
            row_high: pick(&self.row_high, &rows),
            low: pick(&self.low, &columns),
            high: pick(&self.high, &columns),
        };
        (program, rows, columns)
    }

    /// Counts entries that are looked at.
    pub(super) fn look(&mut self, entries: usize) {
        self.looks = self.looks.saturating_sub(entries);
    }

    pub(super) fn drop_row(&mut self, row: usize) {
        self.has_row[row] = false;
        for (column, _) in std::mem::take(&mut self.rows[row]) {
            self.leave(row, column as usize);
        }
    }

    /// Removes a row from the list of a column.
    fn leave(&mut self, row: usize, column: usize) {
        let rows = &mut self.columns[column];
        self.looks = self.looks.saturating_sub(rows.len());
        rows.retain(|&other| other as usize != row);
    }

    /// Takes a column out at a value of its own.
    pub(super) fn fix(&mut self, column: usize, is_high: bool) -> Result<(), PresolveFailure> {
        let value = if is_high {
            self.high[column]
        } else {
            self.low[column]
        };
        if !value.is_finite() {
            return Err(PresolveFailure);
        }
        self.look(1);
        self.has_column[column] = false;
        for row in std::mem::take(&mut self.columns[column]) {
            let by = self.take(row as usize, column) * value;
            self.row_low[row as usize] -= by;
            self.row_high[row as usize] -= by;
        }
        self.steps.push(PresolveStep::Fixed {
            column: column as u32,
            is_high,
        });
        Ok(())
    }

    /// Removes an entry from a row.
    pub(super) fn take(&mut self, row: usize, column: usize) -> f64 {
        let entries = &mut self.rows[row];
        self.looks = self.looks.saturating_sub(entries.len());
        let at = entries.iter().position(|entry| entry.0 as usize == column);
        at.map_or(0.0, |at| entries.swap_remove(at).1)
    }

    fn row(&mut self, row: usize) -> Result<(), PresolveFailure> {
        if !self.has_row[row] || self.looks == 0 {
            return Ok(());
        }
        self.look(self.rows[row].len());
        let (bottom, top) = (self.row_low[row], self.row_high[row]);
        let [least, most, size] = self.extent(row, None);
        let slack = SAME * size.max(1.0);
        if least > top + 1e3 * slack || most < bottom - 1e3 * slack {
            return Err(PresolveFailure);
        }
        if (least >= bottom - slack || bottom == f64::NEG_INFINITY)
            && (most <= top + slack || top == f64::INFINITY)
        {
            self.steps.push(PresolveStep::Redundant { row: row as u32 });
            self.drop_row(row);
            return Ok(());
        }
        let forced = if least >= top - slack {
            Some(false)
        } else if most <= bottom + slack {
            Some(true)
        } else {
            None
        };
        if let Some(is_most) = forced {
            let entries = self.rows[row].clone();
            self.drop_row(row);
            self.steps.push(PresolveStep::Forced {
                row: row as u32,
                is_most,
                start: self.row_entries.len() as u32,
                count: entries.len() as u32,
            });
            self.row_entries.extend_from_slice(&entries);
            for (column, value) in entries {
                self.fix(column as usize, (value > 0.0) == is_most)?;
            }
            return Ok(());
        }
        match *self.rows[row] {
            [(column, value)] => self.singleton(row, column as usize, value),
            [a, b] if bottom == top => self.doubleton(row, a, b),
            _ => Ok(()),
        }
    }

    pub(super) fn is_equation(&self, row: u32) -> bool {
        self.row_low[row as usize] == self.row_high[row as usize]
    }

    /// Least and largest value of a row, without the term of one variable where that is named, and the size of its terms.
    pub(super) fn extent(&self, row: usize, without: Option<usize>) -> [f64; 3] {
        let mut extent = [0.0, 0.0, 0.0];
        for &(column, value) in &self.rows[row] {
            if without == Some(column as usize) {
                continue;
            }
            let (a, b) = (
                value * self.low[column as usize],
                value * self.high[column as usize],
            );
            extent[0] += a.min(b);
            extent[1] += a.max(b);
            let finite = |term: f64| if term.is_finite() { term.abs() } else { 0.0 };
            extent[2] += finite(a).max(finite(b));
        }
        extent
    }

    /// Bounds in the place of a row of one variable.
    fn singleton(&mut self, row: usize, column: usize, value: f64) -> Result<(), PresolveFailure> {
        let ends = [self.row_low[row] / value, self.row_high[row] / value];
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let (is_low, is_high) = self.narrow(column, low, high)?;
        self.steps.push(PresolveStep::Singleton {
            row: row as u32,
            column: column as u32,
            value,
            is_low,
            is_high,
        });
        self.drop_row(row);
        Ok(())
    }

    /// Narrows the bounds of a column; returns which have changed.
    fn narrow(
        &mut self,
        column: usize,
        low: f64,
        high: f64,
    ) -> Result<(bool, bool), PresolveFailure> {
        let is_new = (low > self.low[column], high < self.high[column]);
        self.low[column] = self.low[column].max(low);
        self.high[column] = self.high[column].min(high);
        let (low, high) = (self.low[column], self.high[column]);
        if low > high {
            if low - high > SAME * low.abs().max(1.0) {
                return Err(PresolveFailure);
            }
            self.high[column] = low;
        }
        Ok(is_new)
    }

    /// One of the two variables of an equation in terms of the other.
    fn doubleton(
        &mut self,
        row: usize,
        a: (u32, f64),
        b: (u32, f64),
    ) -> Result<(), PresolveFailure> {
        let count = |entry: (u32, f64)| self.columns[entry.0 as usize].len();
        let ((kept, by), (gone, own)) = if count(a) <= count(b) { (b, a) } else { (a, b) };
        let (kept, gone) = (kept as usize, gone as usize);
        if (own / by).abs() < RATIO || (by / own).abs() < RATIO {
            return Ok(());
        }
        let right = self.row_high[row];
        // gone = (right - by * kept) / own
        let ends = [
            (right - own * self.low[gone]) / by,
            (right - own * self.high[gone]) / by,
        ];
        let (is_low, is_high) = self.narrow(kept, ends[0].min(ends[1]), ends[0].max(ends[1]))?;
        self.steps.push(PresolveStep::Doubleton {
            row: row as u32,
            kept: kept as u32,
            gone: gone as u32,
            is_low,
            is_high,
            own,
            by,
        });
        self.drop_row(row);
        self.has_column[gone] = false;
        self.stands_for[kept] = self.stands_for[kept].saturating_add(self.stands_for[gone]);
        let factor = -by / own;
        let constant = right / own;
        self.costs[kept] += self.costs[gone] * factor;
        for other in std::mem::take(&mut self.columns[gone]) {
            let at = other as usize;
            let value = self.take(at, gone);
            self.row_low[at] -= value * constant;
            self.row_high[at] -= value * constant;
            self.add(at, kept, value * factor);
        }
        Ok(())
    }

    /// Adds to an entry; what cancels is gone.
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        let entries = &mut self.rows[row];
        self.looks = self.looks.saturating_sub(entries.len());
        let Some(at) = entries.iter().position(|entry| entry.0 as usize == column) else {
            entries.push((column as u32, value));
            self.columns[column].push(row as u32);
            return;
        };
        let sum = entries[at].1 + value;
        if sum.abs() <= SAME * value.abs() {
            entries.swap_remove(at);
            self.leave(row, column);
        } else {
            entries[at].1 = sum;
        }
    }

    fn column(&mut self, column: usize) -> Result<(), PresolveFailure> {
        if !self.has_column[column] || self.looks == 0 {
            return Ok(());
        }
        self.look(1);
        let (low, high, cost) = (self.low[column], self.high[column], self.costs[column]);
        if low == high {
            return self.fix(column, false);
        }
        match *self.columns[column] {
            [] => {
                let is_high = cost < 0.0 || (cost == 0.0 && !low.is_finite());
                // Without that bound the program is unbounded, or the cost left over by rounding.
                if !(if is_high { high } else { low }).is_finite() {
                    return Ok(());
                }
                self.fix(column, is_high)
            }
            [row] if cost == 0.0 && self.is_equation(row) => {
                self.slack(row as usize, column);
                Ok(())
            }
            _ => {
                self.substitute(column);
                Ok(())
            }
        }
    }

    /// A variable without cost that is in one equation alone becomes the slack of an inequality. With a cost it stays: its cost would
    /// become one of all others, and the start less feasible.
    fn slack(&mut self, row: usize, column: usize) {
        let value = self.take(row, column);
        let right = self.row_high[row];
        let ends = [
            right - value * self.low[column],
            right - value * self.high[column],
        ];
        (self.row_low[row], self.row_high[row]) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        self.has_column[column] = false;
        self.columns[column].clear();
        self.steps.push(PresolveStep::Slack {
            row: row as u32,
            column: column as u32,
            is_same: value < 0.0,
        });
    }
}
