//! [`Simplex`]: a basis of a [`SimplexModel`], its factors, and the values and reduced costs that follow.

use super::eliminate::BasisElimination;
use super::factor::{BasisFactor, MiddleRetention};
use super::model::SimplexModel;
use super::sparse::SparseVector;
use crate::watch::Watch;

pub(super) const NONE: u32 = u32::MAX;

/// Largest violation of a bound, and of the sign of a reduced cost, in scaled units.
pub(super) const PRIMAL: f64 = 1e-9;
pub(super) const DUAL: f64 = 1e-9;

/// Why a simplex loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SimplexEnd {
    Optimal,
    /// The row that proves it is in `Simplex::rho` (dual), or the column in `Simplex::alpha` (primal).
    Unbounded,
    IterationLimit,
    Stopped,
    /// The loop cannot go on from here: the other method should.
    Stuck,
}

/// Value and bounds of a basic variable.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BasicVariable {
    pub(super) x: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl BasicVariable {
    /// How far the value is outside its bounds: negative below, positive above.
    #[inline]
    pub(super) fn violation(&self) -> f64 {
        (self.x - self.low).min(0.0) + (self.x - self.high).max(0.0)
    }
}

pub(super) struct Simplex<'a> {
    pub(super) model: &'a SimplexModel,
    /// Bounds and costs at work, and the bounds that hold in the end: methods move bounds and costs a little for a while.
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) given_lower: Vec<f64>,
    pub(super) given_upper: Vec<f64>,
    pub(super) cost: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) d: Vec<f64>,
    /// The row of a basic variable, or `NONE`; and the variable of each row.
    pub(super) row_of: Vec<u32>,
    pub(super) header: Vec<u32>,
    /// Value and bounds of the variable of each row, while the dual method is at work.
    pub(super) basics: Vec<BasicVariable>,
    /// Which signs of their entries in the pivot row let nonbasic variables enter, while the dual method is at work.
    pub(super) signs: Vec<u8>,
    /// Steepest edge weights of rows.
    pub(super) weights: Vec<f64>,
    /// Rows whose weights the last update lost to cancellation.
    pub(super) lost: Vec<u32>,
    /// The matrix by rows, in each row the entries of nonbasic variables before the others, and where those begin.
    pub(super) row_columns: Vec<u32>,
    pub(super) row_values: Vec<f64>,
    pub(super) row_middles: Vec<u32>,
    pub(super) factor: BasisFactor,
    elimination: BasisElimination,
    /// Entering column, row of the inverse, the inverse times that row, and the pivot row over all variables.
    pub(super) alpha: SparseVector,
    pub(super) rho: SparseVector,
    pub(super) tau: SparseVector,
    pub(super) row: SparseVector,
    /// A work vector.
    pub(super) work: SparseVector,
    pub(super) iterations: u64,
    pub(super) max_iter: u64,
    /// Largest violation that counts as none, of bounds and of signs of reduced costs, in scaled units.
    pub(super) primal_tolerance: f64,
    pub(super) dual_tolerance: f64,
    /// Direction in which the entering variable of an unbounded program moves, and itself.
    pub(super) way: (usize, f64),
    pub(super) watch: &'a dyn Watch,
}

impl<'a> Simplex<'a> {
    /// Why a method that began after `since` iterations ends here, if it does.
    pub(super) fn limit(&self, since: u64) -> Option<SimplexEnd> {
        /// Iterations for each row and column after which rounding must lead the method in a circle: most programs take 1 to 10.
        const PATIENCE: usize = 100;
        if self.iterations >= self.max_iter {
            return Some(SimplexEnd::IterationLimit);
        }
        let most = PATIENCE * (self.model.rows + self.x.len() + PATIENCE);
        if self.iterations - since >= most as u64 {
            return Some(SimplexEnd::Stuck);
        }
        (self.iterations.is_multiple_of(16) && self.watch.check().is_err())
            .then_some(SimplexEnd::Stopped)
    }

    /// The basis of the logical variables.
    pub(super) fn new(model: &'a SimplexModel, max_iter: u64, watch: &'a dyn Watch) -> Self {
        let (rows, total) = (model.rows, model.total());
        let mut simplex = Self {
            model,
            lower: model.lower.clone(),
            upper: model.upper.clone(),
            given_lower: model.lower.clone(),
            given_upper: model.upper.clone(),
            cost: model.cost.clone(),
            x: vec![0.0; total],
            d: model.cost.clone(),
            row_of: vec![NONE; total],
            header: (0..rows as u32)
                .map(|row| row + model.columns as u32)
                .collect(),
            basics: vec![BasicVariable::default(); rows],
            signs: vec![0; total],
            weights: vec![1.0; rows],
            lost: Vec::new(),
            row_columns: model.row_columns.clone(),
            row_values: model.row_values.clone(),
            row_middles: model.row_starts[1..].to_vec(),
            factor: BasisFactor::default(),
            elimination: BasisElimination::default(),
            alpha: SparseVector::new(rows),
            rho: SparseVector::new(rows),
            tau: SparseVector::new(rows),
            row: SparseVector::new(total),
            work: SparseVector::new(rows),
            iterations: 0,
            max_iter,
            primal_tolerance: PRIMAL,
            dual_tolerance: DUAL,
            way: (0, 0.0),
            watch,
        };
        for row in 0..rows {
            simplex.row_of[model.columns + row] = row as u32;
        }
        simplex.settle();
        simplex
    }

    #[inline]
    pub(super) fn is_basic(&self, variable: usize) -> bool {
        self.row_of[variable] != NONE
    }

    /// Puts nonbasic variables at a bound: where the sign of the reduced cost wants it, where there is a choice.
    pub(super) fn settle(&mut self) {
        for variable in 0..self.x.len() {
            if !self.is_basic(variable) {
                self.x[variable] = self.resting(variable);
            }
        }
    }

    pub(super) fn resting(&self, variable: usize) -> f64 {
        let (low, high) = (self.lower[variable], self.upper[variable]);
        match (low.is_finite(), high.is_finite()) {
            (true, true) if self.d[variable] < 0.0 => high,
            (true, true) if self.d[variable] == 0.0 && high.abs() < low.abs() => high,
            (true, _) => low,
            (false, true) => high,
            (false, false) => 0.0,
        }
    }

    /// Factors the basis anew; dependent columns give way to logical variables. Returns whether some did.
    pub(super) fn factorise(&mut self) -> bool {
        let mut is_repaired = false;
        loop {
            let (model, header) = (self.model, &self.header);
            let column = |slot: usize| model.column(header[slot] as usize);
            match self
                .elimination
                .factor(model.rows, column, &mut self.factor)
            {
                Ok(()) => break,
                Err(singular) => {
                    is_repaired = true;
                    for (&slot, &row) in singular.slots.iter().zip(&singular.rows) {
                        let (out, logical) = (
                            self.header[slot as usize] as usize,
                            model.columns + row as usize,
                        );
                        self.row_of[out] = NONE;
                        self.x[out] = self.nearest(out);
                        self.header[slot as usize] = logical as u32;
                        self.row_of[logical] = slot;
                        self.weights[slot as usize] = 1.0;
                    }
                }
            }
        }
        let (header, weights) = (self.header.clone(), self.weights.clone());
        for (slot, (&variable, &weight)) in header.iter().zip(&weights).enumerate() {
            let row = self.elimination.row_of(slot);
            self.header[row as usize] = variable;
            self.weights[row as usize] = weight;
            self.row_of[variable as usize] = row;
        }
        if is_repaired {
            self.partition();
        }
        is_repaired
    }

    fn nearest(&self, variable: usize) -> f64 {
        let (low, high, x) = (self.lower[variable], self.upper[variable], self.x[variable]);
        if (x - low).abs() <= (x - high).abs() && low.is_finite() {
            low
        } else if high.is_finite() {
            high
        } else {
            self.resting(variable)
        }
    }

    /// Values of the basic variables from the others.
    pub(super) fn compute_primal(&mut self) {
        self.work.clear();
        let sums = &mut self.work.values;
        for (variable, &x) in self.x.iter().enumerate() {
            if self.row_of[variable] == NONE && x != 0.0 {
                let (rows, values) = self.model.column(variable);
                for (&row, value) in rows.iter().zip(values) {
                    sums[row as usize] -= value * x;
                }
            }
        }
        self.work.gather();
        self.factor
            .forward(&mut self.work, MiddleRetention::Nothing);
        for (row, &variable) in self.header.iter().enumerate() {
            self.x[variable as usize] = self.work.values[row];
        }
    }

    /// Reduced costs from the costs.
    pub(super) fn compute_dual(&mut self) {
        self.work.clear();
        for (row, &variable) in self.header.iter().enumerate() {
            self.work.values[row] = self.cost[variable as usize];
        }
        self.work.gather();
        self.factor
            .backward(&mut self.work, MiddleRetention::Nothing);
        for variable in 0..self.d.len() {
            self.d[variable] = if self.row_of[variable] == NONE {
                self.cost[variable] - self.model.inner(variable, &self.work.values)
            } else {
                0.0
            };
        }
    }

    /// Row `row` of the inverse, in `rho`, and of the tableau, in `row`.
    pub(super) fn compute_row(&mut self, row: u32) {
        self.rho.clear();
        self.rho.put(row, 1.0);
        self.factor.backward(&mut self.rho, MiddleRetention::Middle);
    }

    /// The column of a variable in the tableau, in `alpha`.
    pub(super) fn compute_column(&mut self, variable: usize) {
        self.load_column(variable);
        self.factor
            .forward(&mut self.alpha, MiddleRetention::Middle);
    }

    /// The column of a variable in the tableau, in `alpha`, and the inverse times `rho`, in `tau`.
    pub(super) fn compute_column_and_weights(&mut self, variable: usize) {
        self.load_column(variable);
        self.tau.copy_from(&self.rho);
        self.factor.forward_pair(&mut self.alpha, &mut self.tau);
    }

    fn load_column(&mut self, variable: usize) {
        self.alpha.clear();
        let (rows, values) = self.model.column(variable);
        for (&row, &value) in rows.iter().zip(values) {
            self.alpha.put(row, value);
        }
    }

    /// Exchanges the variable of a row for another; `alpha` and `rho` are theirs.
    pub(super) fn exchange(&mut self, row: u32, entering: usize) {
        let leaving = self.header[row as usize] as usize;
        self.factor.exchange(row, self.alpha.values[row as usize]);
        self.header[row as usize] = entering as u32;
        self.row_of[entering] = row;
        self.row_of[leaving] = NONE;
        self.move_entries(entering, true);
        self.move_entries(leaving, false);
        self.iterations += 1;
    }

    /// Value and bounds of a variable.
    pub(super) fn basic(&self, variable: usize) -> BasicVariable {
        BasicVariable {
            x: self.x[variable],
            low: self.lower[variable],
            high: self.upper[variable],
        }
    }

    pub(super) fn worst_primal(&self) -> f64 {
        let basic = self
            .header
            .iter()
            .map(|&variable| self.basic(variable as usize).violation().abs());
        basic.fold(0.0, f64::max)
    }

    /// How far a reduced cost has the wrong sign, for a nonbasic variable.
    #[inline]
    pub(super) fn dual_violation(&self, variable: usize) -> f64 {
        let (low, high, x, d) = (
            self.lower[variable],
            self.upper[variable],
            self.x[variable],
            self.d[variable],
        );
        if self.row_of[variable] != NONE || low == high {
            0.0
        } else if x <= low {
            (-d).max(0.0)
        } else if x >= high {
            d.max(0.0)
        } else {
            d.abs()
        }
    }

    pub(super) fn worst_dual(&self) -> f64 {
        (0..self.x.len())
            .map(|variable| self.dual_violation(variable))
            .fold(0.0, f64::max)
    }
}

/// A number from 0 to 1 that looks random, the same for the same arguments.
pub(super) fn pseudorandom_noise(index: usize, stream: u64) -> f64 {
    let mut bits = (index as u64)
        .wrapping_add(stream.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add(0x1234_5678_9abc_def1);
    for _ in 0..2 {
        bits ^= bits >> 31;
        bits = bits.wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    bits ^= bits >> 32;
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}
