//! The order of methods: dual feasibility, the dual method, the primal method for what perturbation leaves.

use super::SimplexStatus;
use super::restore::StartingBasis;
use super::state::{DUAL, NONE, PRIMAL, Simplex, SimplexEnd};

/// Turns of dual and primal before giving up.
const ROUNDS: usize = 12;
/// Turns in which costs are perturbed.
const PERTURBED: usize = 2;
/// One of so many reduced costs of the wrong sign is many, and at least a hundred.
const MANY: usize = 4;
const FEW: usize = 400;
/// Violations that are left in the end, in scaled units, and the turns and iterations spent on that.
const SHARP: f64 = 1e-12;
const TURNS: usize = 3;
const EXTRA: u64 = 200;

impl Simplex<'_> {
    /// Solves the model from the basis at hand, then goes on with tolerances near rounding.
    pub(super) fn drive(&mut self, start: Option<&StartingBasis>) -> SimplexStatus {
        let status = match start.and_then(|start| self.go_on(start)) {
            Some(status) => status,
            None => {
                let iterations = self.iterations;
                *self = Self::new(self.model, self.max_iter, self.watch);
                self.iterations = iterations;
                self.conclusion()
            }
        };
        if status == SimplexStatus::Optimal {
            self.sharpen();
        }
        status
    }

    /// Goes on from an optimal basis until it is optimal to `SHARP` in doubled precision; back to it where that does not come about.
    fn sharpen(&mut self) {
        let (mut primal, mut dual) = self.assess();
        if primal <= SHARP && dual <= SHARP {
            return;
        }
        let (header, x, most) = (self.header.clone(), self.x.clone(), self.max_iter);
        let before = primal.max(dual);
        (self.primal_tolerance, self.dual_tolerance) = (SHARP, SHARP);
        self.max_iter = most.min(self.iterations + EXTRA + self.iterations / 10);
        for _ in 0..TURNS {
            if primal > SHARP && self.dual() != SimplexEnd::Optimal {
                break;
            }
            self.cost.clone_from(&self.model.cost);
            self.refresh();
            let ended = self.primal();
            self.restore_bounds();
            self.refresh();
            (primal, dual) = self.assess();
            if ended != SimplexEnd::Optimal || (primal <= SHARP && dual <= SHARP) {
                break;
            }
        }
        self.cost.clone_from(&self.model.cost);
        self.max_iter = most;
        (self.primal_tolerance, self.dual_tolerance) = (PRIMAL, DUAL);
        (primal, dual) = self.assess();
        if primal.max(dual) > before {
            self.row_of.fill(NONE);
            for (row, &variable) in header.iter().enumerate() {
                self.row_of[variable as usize] = row as u32;
            }
            (self.header, self.x) = (header, x);
            self.weights.fill(1.0);
            self.partition();
            self.refresh();
        }
    }

    pub(super) fn conclusion(&mut self) -> SimplexStatus {
        match self.start() {
            Ok(()) => self.alternate(),
            Err(ended) => self.conclude(ended),
        }
    }

    /// From a basis whose reduced costs the bounds allow: dual, then primal, until both agree.
    pub(super) fn alternate(&mut self) -> SimplexStatus {
        for round in 0..ROUNDS {
            if round < PERTURBED {
                self.perturb();
            }
            match self.dual() {
                SimplexEnd::Optimal | SimplexEnd::Stuck => {}
                SimplexEnd::Unbounded => return SimplexStatus::Infeasible,
                other => return self.conclude(other),
            }
            self.cost.clone_from(&self.model.cost);
            if let Some(status) = self.clean(round) {
                return status;
            }
        }
        SimplexStatus::Numerical
    }

    /// The primal method from a basis that is primal feasible, with true costs; `None` when the dual has to go on.
    pub(super) fn clean(&mut self, round: usize) -> Option<SimplexStatus> {
        self.refresh();
        if self.worst_primal() > self.primal_tolerance {
            return None;
        }
        if self.worst_dual() <= self.dual_tolerance {
            return Some(SimplexStatus::Optimal);
        }
        let ended = self.primal();
        let is_moved = self.restore_bounds();
        match ended {
            SimplexEnd::Unbounded if !is_moved || round > PERTURBED => {
                return Some(SimplexStatus::Unbounded);
            }
            SimplexEnd::Optimal | SimplexEnd::Stuck | SimplexEnd::Unbounded => {}
            other => return Some(self.conclude(other)),
        }
        let ray = self.way;
        self.refresh();
        if ended == SimplexEnd::Unbounded {
            self.way = ray;
            return Some(SimplexStatus::Unbounded);
        }
        (self.worst_primal() <= self.primal_tolerance && self.worst_dual() <= self.dual_tolerance)
            .then_some(SimplexStatus::Optimal)
    }

    /// Makes the basis dual feasible, or nearly so: costs are shifted for what is left, and where that is much, because the program is
    /// unbounded or infeasible, the methods that follow find out.
    fn start(&mut self) -> Result<(), SimplexEnd> {
        self.settle();
        let wrong = self.wrong_signs(1e-7);
        if wrong == 0 || (wrong * MANY > self.model.columns.max(FEW) && self.is_for_primal()) {
            return Ok(());
        }
        // The same method on a program whose bounds measure dual infeasibility, as Koberstein has it.
        for variable in 0..self.x.len() {
            let (low, high) = (self.lower[variable], self.upper[variable]);
            let (low, high) = match (low.is_finite(), high.is_finite()) {
                (true, true) => (0.0, 0.0),
                (true, false) => (0.0, 1.0),
                (false, true) => (-1.0, 0.0),
                (false, false) => (-1000.0, 1000.0),
            };
            (self.lower[variable], self.upper[variable]) = (low, high);
        }
        self.settle();
        self.perturb();
        let ended = self.dual();
        self.lower.clone_from(&self.given_lower);
        self.upper.clone_from(&self.given_upper);
        self.cost.clone_from(&self.model.cost);
        match ended {
            SimplexEnd::Optimal | SimplexEnd::Stuck | SimplexEnd::Unbounded => {}
            other => return Err(other),
        }
        self.factorise();
        self.compute_dual();
        self.settle();
        self.compute_primal();
        Ok(())
    }

    /// Whether the primal method is likely to end sooner, costs being shifted until then: the basis is feasible already, or many variables
    /// are free, each of which the dual method would have to make basic first.
    fn is_for_primal(&mut self) -> bool {
        let bounds = self.lower.iter().zip(&self.upper);
        let free = bounds.filter(|(low, high)| low.is_infinite() && high.is_infinite());
        if free.count() * MANY > self.model.columns {
            return true;
        }
        self.factorise();
        self.compute_primal();
        self.worst_primal() <= self.primal_tolerance
    }

    /// Variables without a second bound to go to whose reduced costs have the wrong sign.
    pub(super) fn wrong_signs(&self, tolerance: f64) -> usize {
        let is_wrong = |&variable: &usize| {
            let is_boxed = self.lower[variable].is_finite() && self.upper[variable].is_finite();
            !is_boxed && self.dual_violation(variable) > tolerance
        };
        (0..self.x.len()).filter(is_wrong).count()
    }

    /// Factors, values and reduced costs anew.
    fn refresh(&mut self) {
        self.factorise();
        self.compute_dual();
        self.compute_primal();
    }

    /// Takes back moved bounds; returns whether there were any.
    fn restore_bounds(&mut self) -> bool {
        let mut is_moved = false;
        for variable in 0..self.x.len() {
            let (low, high) = (self.given_lower[variable], self.given_upper[variable]);
            if self.lower[variable] == low && self.upper[variable] == high {
                continue;
            }
            is_moved = true;
            if !self.is_basic(variable) {
                self.x[variable] = if self.x[variable] == self.lower[variable] {
                    low
                } else {
                    high
                };
            }
            (self.lower[variable], self.upper[variable]) = (low, high);
        }
        is_moved
    }

    pub(super) fn conclude(&self, ended: SimplexEnd) -> SimplexStatus {
        match ended {
            SimplexEnd::IterationLimit => SimplexStatus::IterationLimit,
            SimplexEnd::Stopped => SimplexStatus::Stopped,
            SimplexEnd::Optimal => SimplexStatus::Optimal,
            SimplexEnd::Unbounded => SimplexStatus::Unbounded,
            SimplexEnd::Stuck => SimplexStatus::Numerical,
        }
    }
}
