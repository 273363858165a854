//! Points of a search: integral relaxations made exact, and what a better point lets the root fix.

use super::search::BranchAndBoundSearch;
use crate::programming::linear::{
    LinearProgram, SimplexOptions, SimplexSolution, SimplexStatus, solve_linear_program,
};

impl BranchAndBoundSearch<'_> {
    /// Rounds the integers of a relaxation that has integral values and solves for the rest.
    pub(super) fn take(&mut self, root: &SimplexSolution) {
        let (mut low, mut high) = (self.low.clone(), self.high.clone());
        for variable in 0..self.x.len() {
            if self.is_integer[variable] {
                let value = self.x[variable]
                    .round()
                    .clamp(self.given.low[variable], self.given.high[variable]);
                (low[variable], high[variable]) = (value, value);
            } else {
                (low[variable], high[variable]) =
                    (self.given.low[variable], self.given.high[variable]);
            }
        }
        let fixed = LinearProgram {
            low,
            high,
            ..self.given.clone()
        };
        let left = self
            .limits
            .options
            .max_iter
            .saturating_sub(self.resolver.iterations() + self.extra);
        let solution = solve_linear_program(
            &fixed,
            &SimplexOptions {
                max_iter: left.max(1),
                watch: self.limits.options.watch,
            },
        );
        self.extra += solution.iterations;
        if solution.status != SimplexStatus::Optimal {
            // Integral within the tolerance, but rounding it is not feasible: nothing is proved below this node.
            self.is_doubtful = true;
            return;
        }
        if self
            .best
            .as_ref()
            .is_none_or(|best| solution.objective < best.objective)
        {
            self.fix(solution.objective, root);
            self.best = Some(solution);
        }
    }

    /// Moves every fractional integer the way that no row minds, where there is one, and takes the point if it may be better.
    pub(super) fn round(&mut self, fractional: &[(usize, f64)], root: &SimplexSolution) {
        let is_free = |&(variable, _): &(usize, f64)| self.locks[variable] != [true; 2];
        if fractional.is_empty() || !fractional.iter().all(is_free) {
            return;
        }
        let x = self.x.clone();
        for &(variable, _) in fractional {
            self.x[variable] = if self.locks[variable][1] {
                x[variable].floor()
            } else {
                x[variable].ceil()
            };
        }
        if !self.is_beaten(self.objective()) {
            let was_doubtful = self.is_doubtful;
            self.take(root);
            self.is_doubtful = was_doubtful;
        }
        self.x = x;
    }

    /// Fixes integers at the root whose reduced cost forbids another value in any better point.
    fn fix(&mut self, objective: f64, root: &SimplexSolution) {
        let Some((bound, reduced)) = &self.root else {
            return;
        };
        let room = objective - bound;
        for (variable, &price) in reduced.iter().enumerate() {
            if !self.is_integer[variable] || price.abs() <= 1e-7 {
                continue;
            }
            let most = (room / price.abs() + 1e-6).floor();
            if price > 0.0 && root.x[variable] <= self.program.low[variable] {
                self.root_high[variable] =
                    self.root_high[variable].min(self.program.low[variable] + most);
            } else if price < 0.0 && root.x[variable] >= self.program.high[variable] {
                self.root_low[variable] =
                    self.root_low[variable].max(self.program.high[variable] - most);
            }
        }
    }
}

/// Whether rows or bounds may be violated by each variable when it falls, and when it rises.
pub(super) fn variable_locks(program: &LinearProgram) -> Vec<[bool; 2]> {
    let mut locks = vec![[false; 2]; program.costs.len()];
    for row in 0..program.row_low.len() {
        let sides = [
            program.row_low[row].is_finite(),
            program.row_high[row].is_finite(),
        ];
        let (columns, values) = program.matrix.row(row);
        for (&column, value) in columns.iter().zip(values) {
            let lock = &mut locks[column as usize];
            let is_rising = usize::from(*value > 0.0);
            lock[0] |= sides[1 - is_rising];
            lock[1] |= sides[is_rising];
        }
    }
    locks
}

/// The largest number of which every objective is a multiple, where all costs are integers of integer variables.
pub(super) fn objective_step(program: &LinearProgram, is_integer: &[bool]) -> f64 {
    let mut divisor = 0_u64;
    for (cost, is_integer) in program.costs.iter().zip(is_integer) {
        if *cost == 0.0 {
            continue;
        }
        if !is_integer || cost.fract() != 0.0 || cost.abs() > 1e9 {
            return 0.0;
        }
        let (mut a, mut b) = (divisor, cost.abs() as u64);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        divisor = a;
    }
    divisor as f64
}
