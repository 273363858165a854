//! The dual simplex method for bounded variables.
//!
//! # References
//! A. Koberstein, "The dual simplex method, techniques for a fast and stable implementation", dissertation, Paderborn 2005.
//! J. J. Forrest and D. Goldfarb, "Steepest-edge simplex algorithms for linear programming", Math. Programming 57, 1992.
//! I. Maros, "Computational techniques of the simplex method", Kluwer 2003. P. M. J. Harris, Math. Programming 5, 1973.

use super::factor::MiddleRetention;
use super::ratio::{Candidate, PIVOT, SLACK};
use super::sparse::SparseVector;
use super::state::{BasicVariable, Simplex, SimplexEnd, pseudorandom_noise};

impl Simplex<'_> {
    /// Makes every reduced cost one that the bounds allow: boxed variables move to their other bound, costs of others are shifted.
    pub(super) fn make_dual_feasible(&mut self) {
        for variable in 0..self.x.len() {
            if self.is_basic(variable) {
                continue;
            }
            let (low, high, d) = (self.lower[variable], self.upper[variable], self.d[variable]);
            if low == high {
                self.x[variable] = low;
            } else if low.is_finite() && high.is_finite() {
                if d > SLACK {
                    self.x[variable] = low;
                } else if d < -SLACK {
                    self.x[variable] = high;
                }
            } else if self.dual_violation(variable) > SLACK {
                self.cost[variable] -= d;
                self.d[variable] = 0.0;
            }
        }
    }

    /// Moves costs a little, away from ties.
    pub(super) fn perturb(&mut self) {
        let model = self.model;
        let largest = self
            .cost
            .iter()
            .fold(0.0_f64, |most, cost| most.max(cost.abs()));
        let base = 5e-7
            * if largest > 100.0 {
                largest.sqrt().sqrt()
            } else {
                largest.clamp(1e-3, 1.0)
            };
        for variable in 0..self.cost.len() {
            let (low, high) = (self.lower[variable], self.upper[variable]);
            let cost = self.cost[variable];
            if low == high {
                continue;
            }
            let by = (1.0 + pseudorandom_noise(variable, 1)) * base * (cost.abs() + 1.0);
            if variable >= model.columns {
                self.cost[variable] += (0.5 - pseudorandom_noise(variable, 1)) * 1e-12;
            } else if low.is_finite() && (!high.is_finite() || cost >= 0.0) {
                self.cost[variable] += by;
            } else if high.is_finite() {
                self.cost[variable] -= by;
            }
        }
    }

    /// Iterates until the basis is primal feasible, from reduced costs that the bounds allow.
    pub(super) fn dual(&mut self) -> SimplexEnd {
        let ended = self.iterate();
        self.store_basics();
        ended
    }

    /// Takes the values of the basic variables back from `basics`.
    fn store_basics(&mut self) {
        for (basic, &variable) in self.basics.iter().zip(&self.header) {
            self.x[variable as usize] = basic.x;
        }
    }

    fn iterate(&mut self) -> SimplexEnd {
        let rows = self.model.rows;
        let mut infeasible = vec![0.0; rows];
        let (mut is_begun, mut is_fresh) = (false, false);
        let since = self.iterations;
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut flips: Vec<(u32, f64)> = Vec::new();
        let mut barred: Vec<u32> = Vec::new();
        loop {
            if !is_fresh {
                if is_begun {
                    self.store_basics();
                }
                self.factorise();
                self.compute_dual();
                self.make_dual_feasible();
                (0..self.x.len()).for_each(|variable| self.note_signs(variable));
                self.compute_primal();
                self.all_infeasible(&mut infeasible);
                if is_begun {
                    self.audit_weights(&infeasible);
                }
                (is_begun, is_fresh) = (true, true);
                if self.watch.check().is_err() {
                    return SimplexEnd::Stopped;
                }
            }
            if let Some(ended) = self.limit(since) {
                return ended;
            }
            let Some(row) = self.leaving(&infeasible, &barred) else {
                if self.factor.updates() > 0 {
                    is_fresh = false;
                    continue;
                }
                return if barred.is_empty() {
                    SimplexEnd::Optimal
                } else {
                    SimplexEnd::Stuck
                };
            };
            let out = self.header[row as usize] as usize;
            self.compute_row(row);
            let true_weight = self.rho.square();
            let weight = self.weights[row as usize];
            self.weights[row as usize] = true_weight;
            if true_weight > 4.0 * weight {
                continue;
            }
            self.price();
            let gap = self.basics[row as usize].violation();
            self.candidates(gap.signum(), &mut candidates);
            let entering = self.bound_flipping(gap, &mut candidates, &mut flips);
            let Some((entering, alpha_row)) = entering else {
                if self.factor.updates() > 0 {
                    is_fresh = false;
                    continue;
                }
                if self.is_proof(gap.signum()) {
                    return SimplexEnd::Unbounded;
                }
                barred.push(row);
                continue;
            };
            self.compute_column_and_weights(entering);
            let alpha = self.alpha.values[row as usize];
            let error = (alpha - alpha_row).abs();
            if error > 1e-7 * (1.0 + alpha.abs()) || alpha.abs() < PIVOT {
                if self.factor.updates() > 0 {
                    is_fresh = false;
                    continue;
                }
                if error > 1e-3 * alpha.abs() || alpha.abs() < PIVOT {
                    barred.push(row);
                    continue;
                }
            }
            barred.clear();
            self.flip(&flips, &mut infeasible);
            self.update_dual(entering, alpha_row, gap, out);
            self.update_primal(row, entering, alpha, &mut infeasible);
            self.update_weights(row, alpha, true_weight);
            self.exchange(row, entering);
            self.estimate_lost();
            self.set_infeasible(row as usize, &mut infeasible);
            if self.factor.is_worn() {
                is_fresh = false;
            }
        }
    }

    fn all_infeasible(&mut self, infeasible: &mut [f64]) {
        for row in 0..infeasible.len() {
            self.set_infeasible(row, infeasible);
        }
    }

    /// Takes the variable of a row to `basics`, and its violation to `infeasible`.
    fn set_infeasible(&mut self, row: usize, infeasible: &mut [f64]) {
        let variable = self.header[row] as usize;
        let basic = self.basic(variable);
        self.basics[row] = basic;
        infeasible[row] = squared_violation(basic.violation(), self.primal_tolerance);
    }

    /// The row of the largest infeasibility, measured along its edge.
    fn leaving(&self, infeasible: &[f64], barred: &[u32]) -> Option<u32> {
        let mut best = 0.0;
        let mut found = None;
        for (row, (&infeasible, &weight)) in infeasible.iter().zip(&self.weights).enumerate() {
            if infeasible > best * weight && !barred.contains(&(row as u32)) {
                best = infeasible / weight;
                found = Some(row as u32);
            }
        }
        found
    }

    fn flip(&mut self, flips: &[(u32, f64)], infeasible: &mut [f64]) {
        if flips.is_empty() {
            return;
        }
        self.work.clear();
        for &(place, by) in flips {
            let (low, high) = (self.lower[place as usize], self.upper[place as usize]);
            self.x[place as usize] = if by > 0.0 { high } else { low };
            self.note_signs(place as usize);
            let (rows, values) = self.model.column(place as usize);
            for (&row, value) in rows.iter().zip(values) {
                self.work.add(row, -value * by);
            }
        }
        self.factor
            .forward(&mut self.work, MiddleRetention::Nothing);
        let work = std::mem::take(&mut self.work);
        self.shift(&work, 1.0, infeasible);
        self.work = work;
    }

    /// Adds a multiple of a column to the basic variables.
    fn shift(&mut self, by: &SparseVector, factor: f64, infeasible: &mut [f64]) {
        for (row, value) in by.entries() {
            let basic = &mut self.basics[row];
            basic.x += factor * value;
            infeasible[row] = squared_violation(basic.violation(), self.primal_tolerance);
        }
    }

    fn update_dual(&mut self, entering: usize, alpha: f64, gap: f64, out: usize) {
        let d = self.d[entering];
        // A reduced cost of the wrong sign would move the objective back: its cost is shifted instead.
        let mut step = d / alpha;
        if step * gap < 0.0 {
            self.cost[entering] -= d;
            self.d[entering] = 0.0;
            step = 0.0;
        }
        if step != 0.0 {
            for (variable, entry) in self.row.entries() {
                self.d[variable] -= step * entry;
            }
        }
        self.d[entering] = 0.0;
        self.d[out] = -step;
    }

    fn update_primal(&mut self, row: u32, entering: usize, alpha: f64, infeasible: &mut [f64]) {
        let out = self.header[row as usize] as usize;
        let BasicVariable { x, low, high } = self.basics[row as usize];
        let bound = if x < low { low } else { high };
        let step = (x - bound) / alpha;
        let column = std::mem::take(&mut self.alpha);
        self.shift(&column, -step, infeasible);
        self.alpha = column;
        self.x[out] = bound;
        self.note_signs(out);
        self.x[entering] += step;
    }
}

/// The square of a violation that counts, zero of one that does not.
fn squared_violation(violation: f64, tolerance: f64) -> f64 {
    let is_counted = violation.abs() > tolerance;
    violation * violation * f64::from(u8::from(is_counted))
}
