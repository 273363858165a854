//! Branching that looks ahead: variables without a history are tried in both directions for a few iterations.
//!
//! # References
//! T. Achterberg, T. Koch, A. Martin, "Branching rules revisited", Oper. Res. Letters 33, 2005.

use super::search::BranchAndBoundSearch;

/// Branches in each direction after which a history is trusted.
const RELIABLE: u32 = 4;
/// Variables tried after the best so far.
const LOOKS: usize = 6;
/// Iterations of a trial.
const ITERATIONS: u64 = 60;
/// Iterations of all trials: this many, and this part of those of the nodes.
const FREE: u64 = 2_000;
const PART: f64 = 0.5;

impl BranchAndBoundSearch<'_> {
    /// The variable to branch on, and its fraction, at the optimum of a node whose bounds are at hand.
    pub(super) fn choose(
        &mut self,
        bound: f64,
        fractional: &[(usize, f64)],
    ) -> Option<(usize, f64)> {
        let mut order: Vec<(usize, f64, f64)> = fractional
            .iter()
            .map(|&(variable, fraction)| {
                let score = self.pseudocosts.score(variable, fraction);
                (variable, fraction, score)
            })
            .collect();
        // In the order of variables where scores agree.
        order.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        let &(variable, fraction, _) = order.first()?;
        let mut best = (variable, fraction, f64::NEG_INFINITY);
        let mut basis = None;
        let mut since = 0;
        for &(variable, fraction, score) in &order {
            let spent = self.tried as f64;
            let nodes = (self.resolver.iterations() - self.tried) as f64;
            let is_known = self.pseudocosts.least_count(variable) >= RELIABLE
                || spent > FREE as f64 + PART * nodes;
            let score = if is_known {
                score
            } else {
                let basis = basis.get_or_insert_with(|| self.resolver.basis());
                let rises = [false, true].map(|is_up| {
                    let value = self.x[variable].floor();
                    let (low, high) = (self.low[variable], self.high[variable]);
                    if is_up {
                        self.low[variable] = value + 1.0;
                    } else {
                        self.high[variable] = value;
                    }
                    self.resolver.take_up(basis);
                    self.resolver.bound(&self.low, &self.high);
                    let before = self.resolver.iterations();
                    let reached = self.resolver.probe(&self.program.costs, ITERATIONS);
                    self.tried += self.resolver.iterations() - before;
                    (self.low[variable], self.high[variable]) = (low, high);
                    let rise = reached.map_or(f64::INFINITY, |reached| reached - bound);
                    let distance = if is_up { 1.0 - fraction } else { fraction };
                    self.pseudocosts
                        .record(variable, usize::from(is_up), rise, distance);
                    if self.is_beaten(bound + rise.max(0.0)) {
                        f64::INFINITY
                    } else {
                        rise.max(1e-6)
                    }
                });
                rises[0] * rises[1]
            };
            since += 1;
            if score > best.2 {
                best = (variable, fraction, score);
                since = 0;
            }
            if since >= LOOKS || best.2 == f64::INFINITY {
                break;
            }
        }
        if let Some(basis) = basis {
            self.resolver.take_up(&basis);
        }
        Some((best.0, best.1))
    }
}
