//! [`AggregatedRow`]: a combination of rows as an equation with slacks, and bounds of variables by other variables.

use crate::programming::linear::{LinearProgram, row_activities};
use crate::sparse::CsrMatrix;

/// A relaxed point and the program it is one of.
pub(super) struct RelaxedPoint<'a> {
    pub(super) program: &'a LinearProgram,
    pub(super) is_integer: &'a [bool],
    pub(super) by_column: CsrMatrix,
    pub(super) x: Vec<f64>,
    pub(super) activity: Vec<f64>,
    /// Whether the slack of each row is an integer at every point.
    is_whole: Vec<bool>,
    /// For each variable that is no integer: `x <= constant + factor * integer`, and the same from below.
    pub(super) upper: Vec<Option<VariableBound>>,
    pub(super) lower: Vec<Option<VariableBound>>,
}

/// A bound by an integer variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct VariableBound {
    pub(super) variable: u32,
    pub(super) factor: f64,
    pub(super) constant: f64,
}

impl VariableBound {
    pub(super) fn at(&self, x: &[f64]) -> f64 {
        self.constant + self.factor * x[self.variable as usize]
    }
}

/// The slack of a row, at least 0: from its upper bound, or from its lower one.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowSlack {
    pub(super) row: u32,
    pub(super) is_upper: bool,
    pub(super) is_whole: bool,
    pub(super) by: f64,
    pub(super) value: f64,
}

/// `sum values x + sum slacks = right`.
#[derive(Default)]
pub(super) struct AggregatedRow {
    pub(super) values: Vec<f64>,
    pub(super) places: Vec<u32>,
    pub(super) slacks: Vec<RowSlack>,
    pub(super) right: f64,
    /// The largest term that went into a sum.
    pub(super) size: f64,
}

impl<'a> RelaxedPoint<'a> {
    pub(super) fn new(program: &'a LinearProgram, is_integer: &'a [bool], x: Vec<f64>) -> Self {
        let whole = |row: usize| {
            let (columns, values) = program.matrix.row(row);
            let mut terms = columns.iter().zip(values);
            let sides = [program.row_low[row], program.row_high[row]];
            terms.all(|(&column, value)| is_integer[column as usize] && value.fract() == 0.0)
                && sides
                    .iter()
                    .all(|side| !side.is_finite() || side.fract() == 0.0)
        };
        let mut space = Self {
            program,
            is_integer,
            by_column: program.matrix.transposed(),
            activity: row_activities(&program.matrix, &x),
            is_whole: (0..program.row_low.len()).map(whole).collect(),
            upper: vec![None; x.len()],
            lower: vec![None; x.len()],
            x,
        };
        space.tie();
        space
    }

    /// Finds the rows of one integer and one other variable; of several the one nearest to the point.
    fn tie(&mut self) {
        for row in 0..self.program.row_low.len() {
            let (columns, values) = self.program.matrix.row(row);
            let &[a, b] = columns else { continue };
            let (own, integer, value, by) =
                match (self.is_integer[a as usize], self.is_integer[b as usize]) {
                    (false, true) => (a, b, values[0], values[1]),
                    (true, false) => (b, a, values[1], values[0]),
                    _ => continue,
                };
            for (side, is_top) in [
                (self.program.row_high[row], true),
                (self.program.row_low[row], false),
            ] {
                if !side.is_finite() {
                    continue;
                }
                let tie = VariableBound {
                    variable: integer,
                    factor: -by / value,
                    constant: side / value,
                };
                let is_upper = is_top == (value > 0.0);
                let old = if is_upper {
                    &mut self.upper[own as usize]
                } else {
                    &mut self.lower[own as usize]
                };
                let is_nearer =
                    |old: &VariableBound| (tie.at(&self.x) < old.at(&self.x)) == is_upper;
                if old.as_ref().is_none_or(is_nearer) {
                    *old = Some(tie);
                }
            }
        }
    }

    /// The distance of a variable from the nearest of its bounds.
    pub(super) fn distance(&self, variable: usize) -> f64 {
        let x = self.x[variable];
        let mut least = (x - self.program.low[variable]).min(self.program.high[variable] - x);
        if let Some(tie) = &self.upper[variable] {
            least = least.min(tie.at(&self.x) - x);
        }
        if let Some(tie) = &self.lower[variable] {
            least = least.min(x - tie.at(&self.x));
        }
        least
    }

    /// How far the point is from the nearer side of a row.
    pub(super) fn slack(&self, row: usize) -> f64 {
        (self.program.row_high[row] - self.activity[row])
            .min(self.activity[row] - self.program.row_low[row])
    }
}

impl AggregatedRow {
    pub(super) fn clear(&mut self, size: usize) {
        for &place in &self.places {
            self.values[place as usize] = 0.0;
        }
        self.values.resize(size, 0.0);
        self.places.clear();
        self.slacks.clear();
        (self.right, self.size) = (0.0, 0.0);
    }

    pub(super) fn add(&mut self, place: u32, value: f64) {
        let entry = &mut self.values[place as usize];
        if *entry == 0.0 {
            self.places.push(place);
        }
        *entry += value;
        if *entry == 0.0 {
            *entry = 1e-300;
        }
        self.size = self.size.max(value.abs());
    }

    /// Adds a multiple of a row, as an equation with the slack of its nearer side; false for a row without sides.
    pub(super) fn add_row(&mut self, space: &RelaxedPoint<'_>, row: usize, by: f64) -> bool {
        let (low, high) = (space.program.row_low[row], space.program.row_high[row]);
        if !low.is_finite() && !high.is_finite() {
            return false;
        }
        let is_upper = high.is_finite()
            && (!low.is_finite() || high - space.activity[row] <= space.activity[row] - low);
        let side = if is_upper { high } else { low };
        self.right += by * side;
        self.size = self.size.max((by * side).abs());
        if low != high {
            self.slacks.push(RowSlack {
                row: row as u32,
                is_upper,
                is_whole: space.is_whole[row],
                by: if is_upper { by } else { -by },
                value: (side - space.activity[row]).abs(),
            });
        }
        let (columns, values) = space.program.matrix.row(row);
        for (&column, value) in columns.iter().zip(values) {
            self.add(column, by * value);
        }
        true
    }
}
