//! The primal simplex method for bounded variables, from a basis that is primal feasible.
//!
//! # References
//! J. J. Forrest and D. Goldfarb, Math. Programming 57, 1992 (reference weights). P. M. J. Harris, Math. Programming 5, 1973.

use super::state::{PRIMAL, Simplex, SimplexEnd, pseudorandom_noise};

/// Entries of a column below this are no pivots.
const PIVOT: f64 = 1e-9;
/// Bounds are relaxed by this in the first pass of the ratio test.
const SLACK: f64 = 1e-9;
/// Steps of length zero before bounds are moved.
const PATIENCE: u64 = 50;

impl Simplex<'_> {
    /// Iterates until the reduced costs have the right signs. Bounds may have been moved where steps had no length.
    pub(super) fn primal(&mut self) -> SimplexEnd {
        let total = self.x.len();
        let mut weights = vec![1.0; total];
        let mut is_fresh = false;
        let since = self.iterations;
        let mut barred: Vec<usize> = Vec::new();
        let mut idle = 0;
        let mut moves = 0;
        loop {
            if !is_fresh {
                self.factorise();
                self.compute_primal();
                self.compute_dual();
                is_fresh = true;
                if self.watch.check().is_err() {
                    return SimplexEnd::Stopped;
                }
                if self.worst_primal() > 1e3 * PRIMAL.max(SLACK) && moves == 0 {
                    return SimplexEnd::Stuck;
                }
            }
            if let Some(ended) = self.limit(since) {
                return ended;
            }
            let Some(entering) = self.entering(&weights, &barred) else {
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
            self.compute_column(entering);
            let exact = self.cost[entering]
                - self
                    .alpha
                    .entries()
                    .map(|(row, value)| value * self.cost[self.header[row] as usize])
                    .sum::<f64>();
            let d = self.d[entering];
            if (exact - d).abs() > 1e-7 * (1.0 + d.abs()) && self.factor.updates() > 0 {
                is_fresh = false;
                continue;
            }
            let way = if d < 0.0 { 1.0 } else { -1.0 };
            let range = self.upper[entering] - self.lower[entering];
            let Some((row, step)) = self.ratio(way, range) else {
                if self.factor.updates() > 0 {
                    is_fresh = false;
                    continue;
                }
                self.way = (entering, way);
                return SimplexEnd::Unbounded;
            };
            let Some(row) = row else {
                self.advance(entering, way, range);
                self.x[entering] = if way > 0.0 {
                    self.upper[entering]
                } else {
                    self.lower[entering]
                };
                self.iterations += 1;
                continue;
            };
            let alpha = self.alpha.values[row as usize];
            if alpha.abs() < 1e-7 && self.factor.updates() > 0 {
                is_fresh = false;
                continue;
            }
            if alpha.abs() < PIVOT {
                barred.push(entering);
                continue;
            }
            self.compute_row(row);
            self.price();
            let alpha_row = self.row.values[entering];
            if (alpha - alpha_row).abs() > 1e-7 * (1.0 + alpha.abs()) {
                if self.factor.updates() > 0 {
                    is_fresh = false;
                    continue;
                }
                if (alpha - alpha_row).abs() > 1e-3 * alpha.abs() {
                    barred.push(entering);
                    continue;
                }
            }
            barred.clear();
            idle = if step * d.abs() > 1e-13 { 0 } else { idle + 1 };
            let out = self.header[row as usize] as usize;
            self.advance(entering, way, step);
            let goes_down = alpha * way > 0.0;
            self.x[out] = if goes_down {
                self.lower[out]
            } else {
                self.upper[out]
            };
            self.update_reduced(entering, out, alpha, &mut weights);
            self.exchange(row, entering);
            self.weights[row as usize] = 1.0;
            if idle > PATIENCE && moves < 5 {
                moves += 1;
                idle = 0;
                self.move_bounds(moves);
                is_fresh = false;
            }
            if self.factor.is_worn() {
                is_fresh = false;
            }
        }
    }

    fn entering(&self, weights: &[f64], barred: &[usize]) -> Option<usize> {
        let mut best = 0.0;
        let mut found = None;
        for (variable, &weight) in weights.iter().enumerate() {
            let violation = self.dual_violation(variable);
            if violation > self.dual_tolerance
                && violation * violation > best * weight
                && !barred.contains(&variable)
            {
                best = violation * violation / weight;
                found = Some(variable);
            }
        }
        found
    }

    /// The row that blocks the step, and its length; no row when the variable reaches its other bound first; `None` when nothing
    /// blocks.
    fn ratio(&self, way: f64, range: f64) -> Option<(Option<u32>, f64)> {
        let room = |row: usize, entry: f64| {
            let variable = self.header[row] as usize;
            if entry > 0.0 {
                self.x[variable] - self.lower[variable]
            } else {
                self.upper[variable] - self.x[variable]
            }
        };
        let mut reach = f64::INFINITY;
        for (row, value) in self.alpha.entries() {
            let entry = value * way;
            if entry.abs() > PIVOT {
                reach = reach.min((room(row, entry).max(0.0) + SLACK) / entry.abs());
            }
        }
        if range <= reach {
            return range.is_finite().then_some((None, range));
        }
        if !reach.is_finite() {
            return None;
        }
        let mut best = 0.0;
        let mut found = None;
        for (row, value) in self.alpha.entries() {
            let entry = value * way;
            let room = room(row, entry);
            if entry.abs() > PIVOT.max(best) && room <= reach * entry.abs() {
                best = entry.abs();
                found = Some((Some(row as u32), (room / entry.abs()).max(0.0)));
            }
        }
        found
    }

    /// Moves the entering variable and the basic ones with it.
    fn advance(&mut self, entering: usize, way: f64, step: f64) {
        for (row, value) in self.alpha.entries() {
            self.x[self.header[row] as usize] -= way * step * value;
        }
        self.x[entering] += way * step;
    }

    /// Updates reduced costs and the reference weights.
    fn update_reduced(&mut self, entering: usize, out: usize, alpha: f64, weights: &mut [f64]) {
        let step = self.d[entering] / self.row.values[entering];
        let own = weights[entering];
        let mut largest = 0.0_f64;
        for (variable, entry) in self.row.entries() {
            self.d[variable] -= step * entry;
            let ratio = entry / alpha;
            let weight = &mut weights[variable];
            *weight = weight.max(ratio * ratio * own);
            largest = largest.max(*weight);
        }
        self.d[entering] = 0.0;
        self.d[out] = -step;
        weights[out] = (own / (alpha * alpha)).max(1.0);
        if largest > 1e7 {
            weights.fill(1.0);
        }
    }

    /// Moves the bounds of basic variables outwards by a little, to get out of a vertex where many meet.
    fn move_bounds(&mut self, stream: u64) {
        for &variable in &self.header {
            let variable = variable as usize;
            let by = |bound: f64, stream: u64| {
                (1.0 + pseudorandom_noise(variable, stream)) * 5e-7 * bound.abs().max(1.0)
            };
            if self.lower[variable].is_finite() {
                self.lower[variable] -= by(self.lower[variable], 2 * stream + 10);
            }
            if self.upper[variable].is_finite() {
                self.upper[variable] += by(self.upper[variable], 2 * stream + 11);
            }
        }
    }
}
