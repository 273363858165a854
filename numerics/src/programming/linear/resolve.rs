//! [`SimplexResolver`]: one program with other bounds of variables at each solve, each from the last basis.

use super::model::SimplexModel;
use super::state::{DUAL, NONE, PRIMAL, Simplex, SimplexEnd};
use super::{LinearProgram, SimplexOptions, SimplexSolution, SimplexStatus, certificate, polish};
use crate::dense::scale_by_exponent;

/// Iterations of a warm start before costs are perturbed.
const UNPERTURBED: u64 = 500;

/// A basis to start from: the variable of each row, and whether each variable is at its upper bound.
#[derive(Debug, Clone)]
pub(in crate::programming) struct WarmBasis {
    header: Vec<u32>,
    is_high: Vec<bool>,
}

impl WarmBasis {
    /// The basis without some rows and with new ones after the others, whose logical variables are basic; the logical variables of
    /// the rows that go must be.
    pub(in crate::programming) fn with_rows(
        &self,
        columns: usize,
        is_kept: &[bool],
        added: usize,
    ) -> Self {
        let mut place = vec![NONE; is_kept.len()];
        let mut count = 0;
        for (place, _) in place.iter_mut().zip(is_kept).filter(|pair| *pair.1) {
            *place = count;
            count += 1;
        }
        let moved = |&variable: &u32| {
            let row = (variable as usize).checked_sub(columns);
            match row.map(|row| place[row]) {
                None => Some(variable),
                Some(NONE) => None,
                Some(row) => Some(columns as u32 + row),
            }
        };
        let new = columns as u32 + count..columns as u32 + count + added as u32;
        let logical = self.is_high[columns..].iter().zip(is_kept);
        Self {
            header: self.header.iter().filter_map(moved).chain(new).collect(),
            is_high: self.is_high[..columns]
                .iter()
                .copied()
                .chain(logical.filter(|pair| *pair.1).map(|pair| *pair.0))
                .chain(std::iter::repeat_n(false, added))
                .collect(),
        }
    }
}

/// A model and its last basis.
pub(in crate::programming) struct SimplexResolver<'a> {
    simplex: Simplex<'a>,
    is_started: bool,
}

/// The model that a [`SimplexResolver`] borrows.
pub(in crate::programming) struct ResolverModel(SimplexModel);

impl ResolverModel {
    pub(in crate::programming) fn new(program: &LinearProgram) -> Self {
        Self(SimplexModel::new(program))
    }

    pub(in crate::programming) fn resolver<'a>(
        &'a self,
        options: &SimplexOptions<'a>,
    ) -> SimplexResolver<'a> {
        SimplexResolver {
            simplex: Simplex::new(&self.0, options.max_iter, options.watch),
            is_started: false,
        }
    }
}

impl SimplexResolver<'_> {
    /// Sets the bounds of variables for the solves that follow.
    pub(in crate::programming) fn bound(&mut self, low: &[f64], high: &[f64]) {
        for (variable, (low, high)) in low.iter().zip(high).enumerate() {
            let model = self.simplex.model;
            let (low, high) = (
                model.to_scaled(variable, *low),
                model.to_scaled(variable, *high),
            );
            if (
                self.simplex.given_lower[variable],
                self.simplex.given_upper[variable],
            ) == (low, high)
            {
                continue;
            }
            let was_high = self.simplex.x[variable] >= self.simplex.upper[variable];
            for (bounds, bound) in [
                (&mut self.simplex.lower, low),
                (&mut self.simplex.given_lower, low),
                (&mut self.simplex.upper, high),
                (&mut self.simplex.given_upper, high),
            ] {
                bounds[variable] = bound;
            }
            if !self.simplex.is_basic(variable) {
                let x = self.simplex.x[variable].clamp(low, high);
                self.simplex.x[variable] = if was_high && high.is_finite() {
                    high
                } else if low.is_finite() {
                    low
                } else {
                    x
                };
            }
        }
    }

    /// Solves from the last basis.
    pub(in crate::programming) fn solve(&mut self) -> SimplexStatus {
        if !self.is_started {
            self.is_started = true;
            return self.simplex.drive(None);
        }
        let simplex = &mut self.simplex;
        simplex.cost.clone_from(&simplex.model.cost);
        let most = simplex.max_iter;
        simplex.max_iter = most.min(simplex.iterations + UNPERTURBED);
        let ended = simplex.dual();
        simplex.max_iter = most;
        let is_unchanged = simplex.cost == simplex.model.cost;
        match ended {
            SimplexEnd::Unbounded => SimplexStatus::Infeasible,
            SimplexEnd::Stopped => SimplexStatus::Stopped,
            SimplexEnd::Optimal
                if is_unchanged
                    && simplex.worst_primal() <= PRIMAL
                    && simplex.worst_dual() <= DUAL =>
            {
                SimplexStatus::Optimal
            }
            _ => simplex.alternate(),
        }
    }

    /// The objective of the basis that a few iterations of the dual method reach; `None` where they show that there is no point.
    pub(in crate::programming) fn probe(&mut self, costs: &[f64], most: u64) -> Option<f64> {
        let simplex = &mut self.simplex;
        simplex.cost.clone_from(&simplex.model.cost);
        let max_iter = simplex.max_iter;
        simplex.max_iter = max_iter.min(simplex.iterations + most);
        let ended = simplex.dual();
        simplex.max_iter = max_iter;
        let value = |variable: usize| simplex.model.unscaled(variable, simplex.x[variable]);
        let terms = costs.iter().enumerate();
        (ended != SimplexEnd::Unbounded)
            .then(|| terms.map(|(variable, cost)| cost * value(variable)).sum())
    }

    pub(in crate::programming) fn iterations(&self) -> u64 {
        self.simplex.iterations
    }

    /// The values of the variables.
    pub(in crate::programming) fn x(&self, x: &mut [f64]) {
        for (variable, x) in x.iter_mut().enumerate() {
            *x = self
                .simplex
                .model
                .unscaled(variable, self.simplex.x[variable]);
        }
    }

    pub(in crate::programming) fn basis(&self) -> WarmBasis {
        let is_high = |(x, (low, high)): (&f64, (&f64, &f64))| x >= high && low < high;
        let bounds = self.simplex.lower.iter().zip(&self.simplex.upper);
        WarmBasis {
            header: self.simplex.header.clone(),
            is_high: self.simplex.x.iter().zip(bounds).map(is_high).collect(),
        }
    }

    /// Takes up a basis; bounds are set after it.
    pub(in crate::programming) fn take_up(&mut self, basis: &WarmBasis) {
        let simplex = &mut self.simplex;
        simplex.row_of.fill(NONE);
        simplex.header.clone_from(&basis.header);
        for (row, &variable) in basis.header.iter().enumerate() {
            simplex.row_of[variable as usize] = row as u32;
        }
        for (variable, &is_high) in basis.is_high.iter().enumerate() {
            let (low, high) = (simplex.lower[variable], simplex.upper[variable]);
            simplex.x[variable] = if is_high && high.is_finite() {
                high
            } else if low.is_finite() {
                low
            } else if high.is_finite() {
                high
            } else {
                0.0
            };
        }
        simplex.weights.fill(1.0);
        simplex.partition();
    }

    /// Solves from the basis of the logical variables.
    pub(in crate::programming) fn solve_anew(&mut self) -> SimplexStatus {
        let model = self.simplex.model;
        let logical = |row: usize| (model.columns + row) as u32;
        self.take_up(&WarmBasis {
            header: (0..model.rows).map(logical).collect(),
            is_high: vec![false; model.total()],
        });
        self.simplex.cost.clone_from(&model.cost);
        self.simplex.d.clone_from(&model.cost);
        self.is_started = true;
        self.simplex.drive(None)
    }

    /// Starts from a basis instead of that of the logical variables.
    pub(in crate::programming) fn start_from(&mut self, basis: &WarmBasis) {
        self.is_started = true;
        self.take_up(basis);
    }

    /// Whether the logical variable of a row is basic.
    pub(in crate::programming) fn is_basic_row(&self, row: usize) -> bool {
        self.simplex.is_basic(self.simplex.model.columns + row)
    }

    /// Rows and their multipliers in the row of the tableau in which a variable has coefficient 1; `None` when it is not basic.
    pub(in crate::programming) fn row_multipliers(
        &mut self,
        variable: usize,
    ) -> Option<Vec<(u32, f64)>> {
        let row = self.simplex.row_of[variable];
        if row == NONE {
            return None;
        }
        self.simplex.compute_row(row);
        let model = self.simplex.model;
        let rows = self.simplex.rho.entries();
        let by = |(row, value): (usize, f64)| {
            let exponent = model.row_scale[row] + model.column_scale[variable];
            (row as u32, scale_by_exponent(value, exponent))
        };
        Some(rows.map(by).collect())
    }

    /// Whether the last solve's proof that there is no point holds with sums in doubled precision.
    pub(in crate::programming) fn is_proved_infeasible(&self) -> bool {
        certificate::is_contradiction(&self.simplex)
    }

    /// The full solution of the last solve.
    pub(in crate::programming) fn solution(
        &mut self,
        program: &LinearProgram,
        status: SimplexStatus,
    ) -> SimplexSolution {
        polish::polish_solution(&mut self.simplex, program, status)
    }
}
