//! From the optimal basis of a reduced program to a basis of the program given.

use super::model::SimplexModel;
use super::reduce::PresolveReduction;
use super::state::{NONE, Simplex, SimplexEnd};
use super::step::PresolveStep;
use super::{LinearProgram, SimplexOptions, SimplexStatus};
use crate::dense::scale_by_exponent;
use crate::sparse::CsrMatrix;

/// Iterations of a reduced program for each row and column of the one given.
const PATIENCE: u64 = 100;
/// Iterations from a restored basis, besides half of those that led to it.
const EXTRA: u64 = 200;

/// Where a variable or the activity of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BasisPlace {
    Basic,
    Low,
    High,
}

/// A basis to start from: where each variable is, and then each row.
pub(super) struct StartingBasis {
    pub(super) places: Vec<BasisPlace>,
    pub(super) iterations: u64,
}

/// Solves a reduced program; `None` where it does not help.
pub(super) fn reduced_start(
    program: &LinearProgram,
    options: &SimplexOptions<'_>,
) -> Option<StartingBasis> {
    let reduction = PresolveReduction::new(program).ok()?;
    let (rows, columns) = (program.row_low.len(), program.costs.len());
    if reduction.steps.len() * 20 < rows + columns {
        return None;
    }
    let (reduced, left_rows, left_columns) = reduction.program();
    let model = SimplexModel::new(&reduced);
    // Costs so far below the largest that scaling makes them zero are decided by the program itself.
    let mut costs = reduced.costs.iter().zip(&model.cost);
    if costs.any(|(given, scaled)| *given != 0.0 && *scaled == 0.0) {
        return None;
    }
    let most = options.max_iter.min(PATIENCE * (rows + columns) as u64);
    let mut simplex = Simplex::new(&model, most, options.watch);
    let status = simplex.conclusion();
    if !matches!(
        status,
        SimplexStatus::Optimal | SimplexStatus::Infeasible | SimplexStatus::Unbounded
    ) {
        return None;
    }
    let mut restoring = Postsolve::new(program, &reduction);
    for (at, &column) in left_columns.iter().enumerate() {
        restoring.places[column as usize] = simplex.place(at);
    }
    for (at, &row) in left_rows.iter().enumerate() {
        // The logical variable is minus the activity.
        let logical = left_columns.len() + at;
        restoring.places[columns + row as usize] = match simplex.place(logical) {
            BasisPlace::Basic => BasisPlace::Basic,
            BasisPlace::Low => BasisPlace::High,
            BasisPlace::High => BasisPlace::Low,
        };
        restoring.prices[row as usize] =
            -scale_by_exponent(simplex.d[logical], model.row_scale[at] - model.cost_scale);
    }
    for step in reduction.steps.iter().rev() {
        restoring.undo(*step);
    }
    Some(StartingBasis {
        places: restoring.places,
        iterations: simplex.iterations,
    })
}

/// Places and prices while steps are undone.
struct Postsolve<'a> {
    program: &'a LinearProgram,
    by_column: CsrMatrix,
    row_entries: &'a [(u32, f64)],
    places: Vec<BasisPlace>,
    prices: Vec<f64>,
    /// Variables that each one stands for as well, and how far they move with it.
    others: Vec<Vec<(u32, f64)>>,
}

impl<'a> Postsolve<'a> {
    fn new(program: &'a LinearProgram, reduction: &'a PresolveReduction) -> Self {
        let (rows, columns) = (program.row_low.len(), program.costs.len());
        let mut others = vec![Vec::new(); columns];
        for step in &reduction.steps {
            match *step {
                PresolveStep::Doubleton {
                    kept,
                    gone,
                    by,
                    own,
                    ..
                } => others[kept as usize].push((gone, -by / own)),
                PresolveStep::Replaced {
                    column,
                    own,
                    start,
                    count,
                    ..
                } => {
                    for &(other, value) in &reduction.row_entries[index_range(start, count)] {
                        others[other as usize].push((column, -value / own));
                    }
                }
                _ => {}
            }
        }
        Self {
            program,
            by_column: program.matrix.transposed(),
            row_entries: &reduction.row_entries,
            places: vec![BasisPlace::Basic; rows + columns],
            prices: vec![0.0; rows],
            others,
        }
    }

    /// The reduced cost of a column of the reduced program.
    fn reduced(&self, column: u32) -> f64 {
        let mut stack = vec![(column, 1.0)];
        let mut sum = 0.0;
        while let Some((column, factor)) = stack.pop() {
            let (rows, values) = self.by_column.row(column as usize);
            let terms = rows.iter().zip(values);
            let paid: f64 = terms
                .map(|(&row, value)| value * self.prices[row as usize])
                .sum();
            sum += factor * (self.program.costs[column as usize] - paid);
            let others = self.others[column as usize].iter();
            stack.extend(others.map(|&(other, by)| (other, factor * by)));
        }
        sum
    }

    fn undo(&mut self, step: PresolveStep) {
        let columns = self.program.costs.len();
        match step {
            PresolveStep::Redundant { row } => {
                self.places[columns + row as usize] = BasisPlace::Basic
            }
            PresolveStep::Fixed { column, is_high } => {
                self.places[column as usize] = if is_high {
                    BasisPlace::High
                } else {
                    BasisPlace::Low
                };
            }
            PresolveStep::Forced {
                row,
                is_most,
                start,
                count,
            } => self.unforce(row, is_most, index_range(start, count)),
            PresolveStep::Replaced {
                row,
                column,
                own,
                start,
                count,
            } => {
                for &(other, _) in &self.row_entries[index_range(start, count)] {
                    self.others[other as usize].pop();
                }
                self.enter(row, column, own, BasisPlace::Low);
            }
            PresolveStep::Singleton {
                row,
                column,
                value,
                is_low,
                is_high,
            } => {
                let at = self.places[column as usize];
                let is_at =
                    (at == BasisPlace::Low && is_low) || (at == BasisPlace::High && is_high);
                self.places[columns + row as usize] = BasisPlace::Basic;
                if is_at {
                    self.enter(row, column, value, BasisPlace::Low);
                }
            }
            PresolveStep::Doubleton {
                row,
                kept,
                gone,
                by,
                own,
                is_low,
                is_high,
            } => {
                self.others[kept as usize].pop();
                let at = self.places[kept as usize];
                let is_at =
                    (at == BasisPlace::Low && is_low) || (at == BasisPlace::High && is_high);
                if is_at {
                    let is_same = own * by < 0.0;
                    self.places[gone as usize] = if (at == BasisPlace::Low) == is_same {
                        BasisPlace::Low
                    } else {
                        BasisPlace::High
                    };
                    self.enter(row, kept, by, BasisPlace::Low);
                } else {
                    self.enter(row, gone, own, BasisPlace::Low);
                }
            }
            PresolveStep::Slack {
                row,
                column,
                is_same,
            } => {
                let row = columns + row as usize;
                self.places[column as usize] = match self.places[row] {
                    BasisPlace::Basic => BasisPlace::Basic,
                    at if is_same => at,
                    BasisPlace::Low => BasisPlace::High,
                    BasisPlace::High => BasisPlace::Low,
                };
                self.places[row] = BasisPlace::Low;
            }
        }
    }

    /// Makes a column basic in the place of a row, whose price takes away the column's reduced cost. The place of a row between two
    /// sides follows from the sign of its price later on.
    fn enter(&mut self, row: u32, column: u32, value: f64, place: BasisPlace) {
        self.prices[row as usize] += self.reduced(column) / value;
        self.places[column as usize] = BasisPlace::Basic;
        self.places[self.program.costs.len() + row as usize] = place;
    }

    /// The price of a row that fixed its columns is the least that gives their reduced costs the right signs.
    fn unforce(&mut self, row: u32, is_most: bool, entries: std::ops::Range<usize>) {
        let sign = if is_most { 1.0 } else { -1.0 };
        let mut best: Option<(f64, u32, f64)> = None;
        for &(column, value) in &self.row_entries[entries] {
            let at = column as usize;
            if self.program.low[at] == self.program.high[at] {
                continue;
            }
            let price = sign * self.reduced(column) / value;
            if price > best.map_or(1e-9, |best| best.0) {
                best = Some((price, column, value));
            }
        }
        self.places[self.program.costs.len() + row as usize] = BasisPlace::Basic;
        if let Some((_, column, value)) = best {
            let place = if is_most {
                BasisPlace::Low
            } else {
                BasisPlace::High
            };
            self.enter(row, column, value, place);
        }
    }
}

fn index_range(start: u32, count: u32) -> std::ops::Range<usize> {
    start as usize..(start + count) as usize
}

impl Simplex<'_> {
    /// Where a variable is, a logical one too.
    fn place(&self, variable: usize) -> BasisPlace {
        if self.is_basic(variable) {
            BasisPlace::Basic
        } else if self.x[variable] >= self.upper[variable]
            && self.lower[variable] < self.upper[variable]
        {
            BasisPlace::High
        } else {
            BasisPlace::Low
        }
    }

    /// Goes on from a basis near an optimal one; `None` where that takes long or does not lead to a conclusion.
    pub(super) fn go_on(&mut self, start: &StartingBasis) -> Option<SimplexStatus> {
        self.take_places(start)?;
        let most = self.max_iter;
        self.max_iter = most.min(self.iterations + EXTRA + self.iterations / 2);
        let status = self.last_steps();
        self.max_iter = most;
        status.filter(|status| match status {
            SimplexStatus::Numerical => false,
            SimplexStatus::IterationLimit => self.iterations >= most,
            _ => true,
        })
    }

    /// Takes up a basis and its values; `None` where it has not one variable for each row.
    fn take_places(&mut self, start: &StartingBasis) -> Option<()> {
        let (rows, total) = (self.model.rows, self.model.total());
        let basic = |&variable: &usize| start.places[variable] == BasisPlace::Basic;
        let header: Vec<u32> = (0..total)
            .filter(basic)
            .map(|variable| variable as u32)
            .collect();
        if header.len() != rows {
            return None;
        }
        self.iterations = start.iterations;
        self.row_of.fill(NONE);
        for (row, &variable) in header.iter().enumerate() {
            self.row_of[variable as usize] = row as u32;
        }
        self.header = header;
        for variable in 0..total {
            // A logical variable is at its upper bound where the row is at its lower one.
            let is_high =
                (start.places[variable] == BasisPlace::High) != (variable >= self.model.columns);
            let bound = if is_high {
                self.upper[variable]
            } else {
                self.lower[variable]
            };
            self.x[variable] = if bound.is_finite() {
                bound
            } else {
                self.resting(variable)
            };
        }
        self.partition();
        self.factorise();
        self.compute_dual();
        self.make_dual_feasible();
        self.cost.clone_from(&self.model.cost);
        self.compute_dual();
        self.compute_primal();
        Some(())
    }

    fn last_steps(&mut self) -> Option<SimplexStatus> {
        if self.worst_primal() > self.primal_tolerance {
            if self.wrong_signs(1e-6) > 0 {
                return None;
            }
            match self.dual() {
                SimplexEnd::Optimal | SimplexEnd::Stuck => {}
                SimplexEnd::Unbounded => return Some(SimplexStatus::Infeasible),
                other => return Some(self.conclude(other)),
            }
            self.cost.clone_from(&self.model.cost);
        }
        self.clean(0)
    }
}
