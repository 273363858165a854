//! The search over the tree.

use std::rc::Rc;

use super::node::{BoundChange, BranchNode, OpenNodes};
use super::points::{objective_step, variable_locks};
use super::propagate::{ProgramRows, PropagationQueue};
use super::pseudocost::Pseudocosts;
use super::root::RootRelaxation;
use super::{INTEGRAL, MilpLimits, MilpOutcome, MilpResult, status_outcome};
use crate::exact::CompensatedSum;
use crate::programming::linear::{LinearProgram, SimplexResolver, SimplexSolution, SimplexStatus};

/// Bytes of bases that open nodes may keep; further nodes start from the basis at hand.
const BASES_BYTES: usize = 256 << 20;

pub(super) struct BranchAndBoundSearch<'a> {
    /// The program as it was given, with whole bounds of integers; and one with the same points and a tighter relaxation.
    pub(super) given: &'a LinearProgram,
    pub(super) program: &'a LinearProgram,
    rows: ProgramRows<'a>,
    queue: PropagationQueue,
    pub(super) is_integer: &'a [bool],
    pub(super) limits: &'a MilpLimits<'a>,
    pub(super) resolver: SimplexResolver<'a>,
    pub(super) pseudocosts: Pseudocosts,
    pub(super) open: OpenNodes,
    /// Bounds of the node at hand, and of the root after fixing by reduced costs.
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
    pub(super) root_low: Vec<f64>,
    pub(super) root_high: Vec<f64>,
    pub(super) root: Option<(f64, Vec<f64>)>,
    pub(super) x: Vec<f64>,
    /// Whether rows stop each variable on its way down and up.
    pub(super) locks: Vec<[bool; 2]>,
    pub(super) best: Option<SimplexSolution>,
    /// Objectives of points are multiples of this; zero when that is not known.
    pub(super) step: f64,
    pub(super) nodes: u64,
    pub(super) serial: u64,
    pub(super) extra: u64,
    /// Iterations of branches that were only tried.
    pub(super) tried: u64,
    pub(super) is_doubtful: bool,
}

impl<'a> BranchAndBoundSearch<'a> {
    pub(super) fn new(
        given: &'a LinearProgram,
        is_integer: &'a [bool],
        limits: &'a MilpLimits<'a>,
        root: &'a RootRelaxation,
        resolver: SimplexResolver<'a>,
    ) -> Self {
        let (low, high) = (root.program.low.clone(), root.program.high.clone());
        Self {
            given,
            program: &root.program,
            rows: ProgramRows::new(&root.program, is_integer),
            queue: PropagationQueue::default(),
            is_integer,
            limits,
            resolver,
            pseudocosts: Pseudocosts::new(is_integer.len()),
            open: OpenNodes::default(),
            root_low: low.clone(),
            root_high: high.clone(),
            low,
            high,
            root: None,
            x: vec![0.0; is_integer.len()],
            locks: variable_locks(given),
            best: None,
            step: objective_step(given, is_integer),
            nodes: 0,
            serial: 0,
            extra: root.iterations,
            tried: 0,
            is_doubtful: false,
        }
    }

    /// The search over the tree; `None` where the relaxation of a tightened root has no optimum after all.
    pub(super) fn run(&mut self, is_tight: bool) -> Option<MilpResult> {
        let status = self.resolver.solve();
        self.nodes = 1;
        let root = self.resolver.solution(self.program, status);
        let is_limited = matches!(
            status,
            SimplexStatus::Stopped | SimplexStatus::IterationLimit
        );
        if root.status != SimplexStatus::Optimal {
            return (!is_tight || is_limited)
                .then(|| self.found(status_outcome(root.status), root, f64::NEG_INFINITY));
        }
        self.root = Some((root.objective, root.reduced.clone()));
        let mut node = self.branch(root.objective, None, &root);
        let ended = loop {
            if let Some(bound) = self.lowest(node.as_ref()) {
                if self.is_beaten(bound) {
                    break None;
                }
            } else {
                break None;
            }
            if self.nodes >= self.limits.max_nodes {
                break Some(MilpOutcome::NodeLimit);
            }
            if self.resolver.iterations() + self.extra >= self.limits.options.max_iter {
                break Some(MilpOutcome::IterationLimit);
            }
            if self.limits.options.watch.check().is_err() {
                break Some(MilpOutcome::Stopped);
            }
            let (next, is_dive) = match node.take() {
                Some(next) => (next, true),
                None => match self.open.pop() {
                    Some(next) => (next, false),
                    None => break None,
                },
            };
            if self.is_beaten(next.bound) {
                continue;
            }
            match self.visit(next, is_dive, &root) {
                Ok(child) => node = child,
                Err(ended) => break Some(ended),
            }
        };
        let bound = self.lowest(node.as_ref());
        Some(match (ended, self.best.take()) {
            (None, Some(best)) => {
                let bound = bound.unwrap_or(best.objective).min(best.objective);
                let outcome = if self.is_doubtful {
                    MilpOutcome::Numerical
                } else {
                    MilpOutcome::Optimal
                };
                self.found_point(outcome, best, bound)
            }
            (None, None) => {
                let outcome = if self.is_doubtful {
                    MilpOutcome::Numerical
                } else {
                    MilpOutcome::Infeasible
                };
                self.found(outcome, root, f64::INFINITY)
            }
            (Some(outcome), Some(best)) => {
                let bound = bound.unwrap_or(root.objective).min(best.objective);
                self.found_point(outcome, best, bound)
            }
            (Some(outcome), None) => self.found(outcome, root, bound.unwrap_or(f64::NEG_INFINITY)),
        })
    }

    fn found(&self, outcome: MilpOutcome, solution: SimplexSolution, bound: f64) -> MilpResult {
        MilpResult {
            outcome,
            solution,
            is_point: false,
            bound,
            nodes: self.nodes,
            iterations: self.resolver.iterations() + self.extra,
        }
    }

    fn found_point(
        &self,
        outcome: MilpOutcome,
        solution: SimplexSolution,
        bound: f64,
    ) -> MilpResult {
        MilpResult {
            is_point: true,
            ..self.found(outcome, solution, bound)
        }
    }

    /// The least bound of any node that is open or next.
    fn lowest(&self, next: Option<&BranchNode>) -> Option<f64> {
        let bounds = [next.map(|node| node.bound), self.open.best()];
        let least = bounds.into_iter().flatten().reduce(f64::min);
        least.map(|bound| self.raised(bound))
    }

    /// Whether no point above a bound can improve on the best one by more than the gap.
    pub(super) fn is_beaten(&self, bound: f64) -> bool {
        let Some(best) = &self.best else { return false };
        let size = best.objective.abs().max(1.0);
        self.raised(bound)
            >= best.objective - (self.limits.gap * best.objective.abs()).max(1e-9 * size)
    }

    /// A bound, raised to the next objective that a point can have.
    fn raised(&self, bound: f64) -> f64 {
        if self.step > 0.0 {
            ((bound / self.step) - 1e-6).ceil() * self.step
        } else {
            bound
        }
    }

    /// Solves the relaxation of a node; returns the child to go on with.
    fn visit(
        &mut self,
        node: BranchNode,
        is_dive: bool,
        root: &SimplexSolution,
    ) -> Result<Option<BranchNode>, MilpOutcome> {
        self.low.clone_from(&self.root_low);
        self.high.clone_from(&self.root_high);
        let mut change = node.changes.as_deref();
        while let Some(at) = change {
            let variable = at.variable as usize;
            if at.is_upper {
                self.high[variable] = self.high[variable].min(at.bound);
            } else {
                self.low[variable] = self.low[variable].max(at.bound);
            }
            change = at.before.as_deref();
        }
        if !self.propagate(node.changes.as_deref()) {
            return Ok(None);
        }
        if let Some(basis) = node.basis.as_ref().filter(|_| !is_dive) {
            self.resolver.take_up(basis);
        }
        self.resolver.bound(&self.low, &self.high);
        self.nodes += 1;
        let mut status = self.resolver.solve();
        if status == SimplexStatus::Infeasible && !self.resolver.is_proved_infeasible() {
            status = self.resolver.solve_anew();
            if status == SimplexStatus::Infeasible && !self.resolver.is_proved_infeasible() {
                status = SimplexStatus::Numerical;
            }
        }
        match status {
            SimplexStatus::Optimal => {}
            SimplexStatus::Infeasible => return Ok(None),
            SimplexStatus::Unbounded | SimplexStatus::Numerical => {
                self.is_doubtful = true;
                return Ok(None);
            }
            SimplexStatus::IterationLimit => {
                self.open.push(node);
                return Err(MilpOutcome::IterationLimit);
            }
            SimplexStatus::Stopped => {
                self.open.push(node);
                return Err(MilpOutcome::Stopped);
            }
        }
        self.resolver.x(&mut self.x);
        let objective = self.objective();
        if let Some((variable, direction, distance)) = node.branch {
            self.pseudocosts
                .record(variable, direction, objective - node.bound, distance);
        }
        let bound = objective.max(node.bound);
        if self.is_beaten(bound) {
            return Ok(None);
        }
        Ok(self.branch(bound, node.changes, root))
    }

    /// Tightens the bounds of integers by the rows, from those that branches changed; false when no point is left.
    fn propagate(&mut self, mut change: Option<&BoundChange>) -> bool {
        let mut bounds = self.low.iter().zip(&self.high);
        if bounds.any(|(low, high)| low > high) {
            return false;
        }
        while let Some(at) = change {
            self.rows.touch(at.variable as usize, &mut self.queue);
            change = at.before.as_deref();
        }
        let most = 2 * self.program.matrix.nonzeros() as u64 + 1000;
        let bounds = (&mut *self.low, &mut *self.high);
        if !self.rows.propagate(bounds, &mut self.queue, most) {
            return false;
        }
        // The relaxation implies the others.
        for variable in 0..self.low.len() {
            if !self.is_integer[variable] {
                self.low[variable] = self.root_low[variable];
                self.high[variable] = self.root_high[variable];
            }
        }
        true
    }

    pub(super) fn objective(&self) -> f64 {
        let mut sum = CompensatedSum::new(0.0);
        for (cost, x) in self.program.costs.iter().zip(&self.x) {
            sum.add_product(*cost, *x);
        }
        sum.value()
    }

    /// Branches on the solution of the last relaxation, or takes it as a point; returns the nearer child and keeps the other.
    fn branch(
        &mut self,
        bound: f64,
        changes: Option<Rc<BoundChange>>,
        root: &SimplexSolution,
    ) -> Option<BranchNode> {
        self.resolver.x(&mut self.x);
        let fractional: Vec<(usize, f64)> = (0..self.x.len())
            .filter(|&variable| self.is_integer[variable])
            .map(|variable| (variable, self.x[variable] - self.x[variable].floor()))
            .filter(|&(_, fraction)| fraction.min(1.0 - fraction) > INTEGRAL)
            .collect();
        self.round(&fractional, root);
        let Some((variable, fraction)) = self.choose(bound, &fractional) else {
            self.take(root);
            return None;
        };
        let value = self.x[variable].floor();
        let basis = (self.open.len() * self.resolver_bytes() < BASES_BYTES)
            .then(|| Rc::new(self.resolver.basis()));
        let child = |is_upper: bool, serial: u64| BranchNode {
            bound,
            serial,
            changes: Some(Rc::new(BoundChange {
                variable: variable as u32,
                bound: if is_upper { value } else { value + 1.0 },
                is_upper,
                before: changes.clone(),
            })),
            basis: basis.clone(),
            branch: Some((
                variable,
                usize::from(!is_upper),
                if is_upper { fraction } else { 1.0 - fraction },
            )),
        };
        let goes_up = fraction > 0.5;
        let (near, far) = (
            child(!goes_up, self.serial + 1),
            child(goes_up, self.serial),
        );
        self.serial += 2;
        self.open.push(far);
        Some(near)
    }

    fn resolver_bytes(&self) -> usize {
        5 * (self.program.costs.len() + self.program.row_low.len()) + 64
    }
}
