//! The solution of the final basis with residuals in doubled precision, in the units of the program.

use super::factor::MiddleRetention;
use super::sparse::SparseVector;
use super::state::Simplex;
use super::{LinearProgram, SimplexSolution, SimplexStatus, certificate, dual_objective};
use crate::dense::scale_by_exponent;
use crate::exact::CompensatedSum;

/// Corrections at most; a basis of moderate condition needs one or two.
const CORRECTIONS: usize = 6;
/// The distance of objective and bound, relative to the objective or 1, above which nothing is proved.
const PROVED: f64 = 1e-7;

pub(super) fn polish_solution(
    simplex: &mut Simplex<'_>,
    program: &LinearProgram,
    status: SimplexStatus,
) -> SimplexSolution {
    let model = simplex.model;
    let ray = certificate::certificate_ray(simplex, status);
    let mut duals = vec![0.0; model.rows];
    simplex.cost.clone_from(&model.cost);
    if status != SimplexStatus::Stopped {
        simplex.factorise();
        simplex.compute_primal();
        refine_primal(simplex);
        duals = refined_duals(simplex);
    }
    let x: Vec<f64> = (0..model.columns)
        .map(|variable| model.unscaled(variable, simplex.x[variable]) + 0.0)
        .collect();
    let duals: Vec<f64> = duals
        .iter()
        .zip(&model.row_scale)
        .map(|(dual, by)| scale_by_exponent(*dual, by - model.cost_scale))
        .collect();
    let by_column = program.matrix.transposed();
    let mut reduced = Vec::with_capacity(model.columns);
    for column in 0..model.columns {
        let mut sum = CompensatedSum::new(program.costs[column]);
        let (rows, values) = by_column.row(column);
        for (&row, value) in rows.iter().zip(values) {
            sum.add_product(-value, duals[row as usize]);
        }
        let is_basic = simplex.is_basic(column) && status == SimplexStatus::Optimal;
        reduced.push(if is_basic { 0.0 } else { sum.value() });
    }
    let mut objective = CompensatedSum::new(0.0);
    for (cost, x) in program.costs.iter().zip(&x) {
        objective.add_product(*cost, *x);
    }
    let mut found = SimplexSolution {
        status,
        objective: objective.value(),
        x,
        duals,
        reduced,
        basic: (0..model.total())
            .map(|variable| simplex.is_basic(variable))
            .collect(),
        ray,
        iterations: simplex.iterations,
        condition: if status == SimplexStatus::Stopped {
            f64::INFINITY
        } else {
            estimate_condition(simplex)
        },
    };
    if status == SimplexStatus::Optimal && !is_proved(program, &found) {
        found.status = SimplexStatus::Numerical;
    }
    found
}

/// Whether the prices prove the objective, but for what the rounding of the largest terms explains.
fn is_proved(program: &LinearProgram, solution: &SimplexSolution) -> bool {
    let terms = program.costs.iter().zip(&solution.x);
    let size: f64 = terms.map(|(cost, x)| (cost * x).abs()).sum();
    let gap = solution.objective - dual_objective(program, solution);
    gap.abs() <= PROVED * solution.objective.abs().max(1.0) + 1e-12 * size
}

impl Simplex<'_> {
    /// Values and reduced costs of the basis in doubled precision, and their worst violations.
    pub(super) fn assess(&mut self) -> (f64, f64) {
        self.factorise();
        self.compute_primal();
        refine_primal(self);
        let y = refined_duals(self);
        for variable in 0..self.d.len() {
            self.d[variable] = 0.0;
            if !self.is_basic(variable) {
                let mut sum = CompensatedSum::new(self.cost[variable]);
                let (rows, values) = self.model.column(variable);
                for (&row, value) in rows.iter().zip(values) {
                    sum.add_product(-value, y[row as usize]);
                }
                self.d[variable] = sum.value();
            }
        }
        (self.worst_primal(), self.worst_dual())
    }
}

/// Corrects the basic variables until the residual of `A x + z = 0`, in doubled precision, falls no further.
fn refine_primal(simplex: &mut Simplex<'_>) {
    let model = simplex.model;
    let mut least = f64::INFINITY;
    for _ in 0..CORRECTIONS {
        let residual: Vec<f64> = (0..model.rows)
            .map(|row| {
                let (columns, values) = model.row(row);
                let mut sum = CompensatedSum::new(-simplex.x[model.columns + row]);
                for (&column, value) in columns.iter().zip(values) {
                    sum.add_product(-value, simplex.x[column as usize]);
                }
                sum.value()
            })
            .collect();
        let Some(correction) = correct_residual(simplex, residual, &mut least, true) else {
            return;
        };
        for (row, by) in correction.iter().enumerate() {
            simplex.x[simplex.header[row] as usize] += by;
        }
    }
}

/// Multipliers of rows, scaled, corrected in the same way.
fn refined_duals(simplex: &mut Simplex<'_>) -> Vec<f64> {
    let model = simplex.model;
    let mut y = vec![0.0; model.rows];
    let mut least = f64::INFINITY;
    for _ in 0..=CORRECTIONS {
        let residual: Vec<f64> = simplex
            .header
            .iter()
            .map(|&variable| {
                let mut sum = CompensatedSum::new(simplex.cost[variable as usize]);
                let (rows, values) = model.column(variable as usize);
                for (&row, value) in rows.iter().zip(values) {
                    sum.add_product(-value, y[row as usize]);
                }
                sum.value()
            })
            .collect();
        let Some(correction) = correct_residual(simplex, residual, &mut least, false) else {
            break;
        };
        for (y, by) in y.iter_mut().zip(&correction) {
            *y += by;
        }
    }
    y
}

/// The correction for a residual that is smaller than the least so far.
fn correct_residual(
    simplex: &mut Simplex<'_>,
    residual: Vec<f64>,
    least: &mut f64,
    is_forward: bool,
) -> Option<Vec<f64>> {
    let largest = residual
        .iter()
        .fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if largest == 0.0 || !largest.is_finite() || largest >= *least {
        return None;
    }
    *least = largest;
    // The solves drop what is tiny beside 1.
    let mut vector = SparseVector::new(residual.len());
    for (value, residual) in vector.values.iter_mut().zip(residual) {
        *value = residual / largest;
    }
    vector.gather();
    if is_forward {
        simplex
            .factor
            .forward(&mut vector, MiddleRetention::Nothing);
    } else {
        simplex
            .factor
            .backward(&mut vector, MiddleRetention::Nothing);
    }
    for value in &mut vector.values {
        *value *= largest;
    }
    Some(vector.values)
}

/// The 1-norm estimate of Hager (SIAM J. Sci. Stat. Comput. 5, 1984) for the inverse, times the norm.
fn estimate_condition(simplex: &mut Simplex<'_>) -> f64 {
    let model = simplex.model;
    let norm = simplex.header.iter().map(|&variable| {
        let values = model.column(variable as usize).1;
        values.iter().map(|value| value.abs()).sum::<f64>()
    });
    let norm = norm.fold(0.0, f64::max);
    let size = model.rows;
    if size == 0 {
        return 1.0;
    }
    let mut start = vec![1.0 / size as f64; size];
    let mut estimate = 0.0;
    for _ in 0..4 {
        let mut x = SparseVector::new(size);
        x.values.copy_from_slice(&start);
        x.gather();
        simplex.factor.forward(&mut x, MiddleRetention::Nothing);
        let now: f64 = x.values.iter().map(|value| value.abs()).sum();
        if now <= estimate {
            break;
        }
        estimate = now;
        let mut signs = SparseVector::new(size);
        for (sign, value) in signs.values.iter_mut().zip(&x.values) {
            *sign = if *value < 0.0 { -1.0 } else { 1.0 };
        }
        signs.gather();
        simplex
            .factor
            .backward(&mut signs, MiddleRetention::Nothing);
        let largest = (0..size).fold(0, |best, at| {
            if signs.values[at].abs() > signs.values[best].abs() {
                at
            } else {
                best
            }
        });
        start.fill(0.0);
        start[largest] = 1.0;
    }
    estimate * norm
}
