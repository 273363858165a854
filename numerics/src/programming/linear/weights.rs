//! Steepest edge weights of the dual method: the squared lengths of the rows of the inverse.
//!
//! # References
//! J. J. Forrest and D. Goldfarb, "Steepest-edge simplex algorithms for linear programming", Math. Programming 57, 1992. D. Achlioptas,
//! "Database-friendly random projections", J. Comput. System Sci. 66, 2003 (estimates by random signs).

use super::sparse::SparseVector;
use super::state::{Simplex, pseudorandom_noise};

/// Least steepest edge weight.
const WEIGHT_MIN: f64 = 1e-4;

impl Simplex<'_> {
    /// Compares the weights of a few infeasible rows with the true ones, and computes all of them anew where several are far too large:
    /// near a singular basis the updates lose them, and a row whose weight is too large is never chosen, so that nothing else corrects it.
    pub(super) fn audit_weights(&mut self, infeasible: &[f64]) {
        const SAMPLE: usize = 8;
        const WRONG: usize = 2;
        const TOO_LARGE: f64 = 4.0;
        let rows = (0..infeasible.len()).filter(|&row| infeasible[row] > 0.0);
        let rows: Vec<u32> = rows.map(|row| row as u32).collect();
        let every = rows.len().div_ceil(SAMPLE).max(1);
        let first = self.iterations as usize % every;
        let mut wrong = 0;
        for &row in rows.iter().skip(first).step_by(every) {
            wrong += usize::from(self.set_weight(row) > TOO_LARGE);
        }
        if wrong >= WRONG {
            for row in rows {
                self.set_weight(row);
            }
        }
    }

    /// Sets the weight of a row to the true one; what it was in units of that.
    fn set_weight(&mut self, row: u32) -> f64 {
        self.compute_row(row);
        let weight = self.rho.square().max(WEIGHT_MIN);
        std::mem::replace(&mut self.weights[row as usize], weight) / weight
    }

    /// Updates the weights for an exchange in `row`, of weight `weight`; `alpha` is the pivot.
    pub(super) fn update_weights(&mut self, row: u32, alpha: f64, weight: f64) {
        /// Rounding of the solves: where terms cancel, a weight is rather too small, since the rows that are chosen get their true ones.
        const ROUNDED: f64 = 1e-12;
        let new = weight / (alpha * alpha);
        self.lost.clear();
        // The product of a row of the inverse and the leaving column is minus the ratio, which bounds the length of the row from below.
        let (_, leaving) = self.model.column(self.header[row as usize] as usize);
        let length: f64 = leaving.iter().map(|value| value * value).sum();
        for (other, value) in self.alpha.entries() {
            let ratio = value / alpha;
            let (own, cross) = (ratio * ratio * weight, 2.0 * ratio * self.tau.values[other]);
            let updated = self.weights[other] + (own - cross) - ROUNDED * (own + cross.abs());
            let least = (ratio * ratio / length).max(WEIGHT_MIN);
            if updated < least && other != row as usize {
                self.lost.push(other as u32);
            }
            self.weights[other] = updated.max(least);
        }
        self.weights[row as usize] = new.max(WEIGHT_MIN);
    }

    /// Estimates the weights that the last update lost, where those are many: a row that looks good by a weight far too small costs a
    /// solve to find the true one. Estimates are made small on purpose, so that no row is chosen without its true weight.
    pub(super) fn estimate_lost(&mut self) {
        const MANY: usize = 64;
        const SMALL: f64 = 1.0 / 16.0;
        if self.lost.len() < MANY {
            return;
        }
        let estimates = self.estimated_weights();
        for &row in &self.lost {
            self.weights[row as usize] = (SMALL * estimates[row as usize]).max(WEIGHT_MIN);
        }
    }

    /// The squared lengths of the rows of the inverse, within a factor of 4 almost always: mean squares of its products with vectors of
    /// random signs.
    pub(super) fn estimated_weights(&mut self) -> Vec<f64> {
        const PAIRS: u64 = 8;
        let mut sums = vec![0.0; self.model.rows];
        for pair in 0..PAIRS {
            set_signs(&mut self.alpha, 3 + 2 * pair);
            set_signs(&mut self.tau, 4 + 2 * pair);
            self.factor.forward_pair(&mut self.alpha, &mut self.tau);
            for part in [&self.alpha, &self.tau] {
                for (sum, value) in sums.iter_mut().zip(&part.values) {
                    *sum += value * value / (2 * PAIRS) as f64;
                }
            }
        }
        sums
    }
}

fn set_signs(signs: &mut SparseVector, stream: u64) {
    for (index, sign) in signs.values.iter_mut().enumerate() {
        *sign = 1.0_f64.copysign(pseudorandom_noise(index, stream) - 0.5);
    }
    signs.gather();
}
