//! [`KktResiduals`]: how far a point is from the conditions of optimality.

use super::{PrimalDualPoint, QuadraticProgram};
use crate::dense::max_abs;
use crate::exact::CompensatedSum;

/// Residuals of the conditions of W. Karush, H. W. Kuhn and A. W. Tucker, largest entries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KktResiduals {
    /// Of the gradient that multipliers do not balance.
    pub stationarity: f64,
    /// Of violated constraints and bounds.
    pub violation: f64,
    /// Of products of multipliers and slacks.
    pub complementarity: f64,
    /// Of multipliers of the wrong sign.
    pub sign: f64,
    /// The objective less that of the dual program, which is no larger at any feasible point: `x'Px + c'x` and the products of multipliers and
    /// right-hand sides.
    pub gap: f64,
    /// Size of the terms of the gradient, at least 1e-300.
    pub gradient_size: f64,
    /// Size of the terms of the constraints.
    pub constraint_size: f64,
    /// Size of the parts of the objective.
    pub objective_size: f64,
}

impl KktResiduals {
    /// The largest residual over the size of its terms, at least 1.
    pub fn relative(&self) -> f64 {
        let gradient = self.gradient_size.max(1.0);
        let constraint = self.constraint_size.max(1.0);
        let all = [
            self.stationarity / gradient,
            self.sign / gradient,
            self.violation / constraint,
            self.complementarity / (gradient * constraint),
            self.gap.abs() / self.objective_size.max(1.0),
        ];
        all.iter().fold(0.0, |most: f64, &one| {
            if one.is_nan() {
                f64::NAN
            } else {
                most.max(one)
            }
        })
    }
}

/// The residuals, in doubled precision.
pub(super) fn kkt_residuals(program: &QuadraticProgram, point: &PrimalDualPoint) -> KktResiduals {
    let n = program.n();
    let mut gradient = vec![CompensatedSum::default(); n];
    let mut sizes = vec![0.0_f64; n];
    let mut add = |at: usize, a: f64, b: f64| {
        gradient[at].add_product(a, b);
        sizes[at] = sizes[at].max((a * b).abs());
    };
    for row in 0..n {
        let (columns, values) = program.p.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            add(row, value, point.x[column as usize]);
        }
        add(row, program.c[row], 1.0);
        add(row, point.high[row], 1.0);
        add(row, point.low[row], -1.0);
    }
    for (a, multipliers) in [(&program.a_ub, &point.ub), (&program.a_eq, &point.eq)] {
        for (row, &multiplier) in multipliers.iter().enumerate() {
            let (columns, values) = a.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                add(column as usize, value, multiplier);
            }
        }
    }
    let gradient: Vec<f64> = gradient.iter().map(|sum| sum.value()).collect();
    let mut out = KktResiduals {
        stationarity: max_abs(&gradient),
        violation: 0.0,
        complementarity: 0.0,
        sign: 0.0,
        gradient_size: max_abs(&sizes).max(1e-300),
        gap: 0.0,
        objective_size: 0.0,
        constraint_size: max_abs(&program.b_ub)
            .max(max_abs(&program.b_eq))
            .max(max_abs(&point.x)),
    };
    let excess = |a: &crate::sparse::CsrMatrix, row: usize, b: f64| {
        let (columns, values) = a.row(row);
        let mut sum = CompensatedSum::default();
        for (&column, &value) in columns.iter().zip(values) {
            sum.add_product(value, point.x[column as usize]);
        }
        sum.add(-b);
        sum.value()
    };
    for (row, &b) in program.b_eq.iter().enumerate() {
        out.violation = out.violation.max(excess(&program.a_eq, row, b).abs());
    }
    let mut one_sided = |excess: f64, multiplier: f64| {
        out.violation = out.violation.max(excess);
        out.complementarity = out.complementarity.max((excess * multiplier).abs());
        out.sign = out.sign.max(-multiplier);
    };
    for (row, &b) in program.b_ub.iter().enumerate() {
        one_sided(excess(&program.a_ub, row, b), point.ub[row]);
    }
    for index in 0..n {
        let x = point.x[index];
        if program.low[index].is_finite() {
            one_sided(program.low[index] - x, point.low[index]);
        }
        if program.high[index].is_finite() {
            one_sided(x - program.high[index], point.high[index]);
        }
    }
    (out.gap, out.objective_size) = duality_gap(program, point);
    out
}

/// The gap between the objective and its dual, and the size of the parts of the objective.
fn duality_gap(program: &QuadraticProgram, point: &PrimalDualPoint) -> (f64, f64) {
    let (mut sum, mut squares, mut linear) = (CompensatedSum::default(), 0.0, 0.0);
    for row in 0..program.n() {
        let (columns, values) = program.p.row(row);
        let x = point.x[row];
        for (&column, &value) in columns.iter().zip(values) {
            let (high, low) = crate::exact::two_product(value, point.x[column as usize]);
            sum.add_product(high, x);
            sum.add_product(low, x);
            squares += high * x;
        }
        sum.add_product(program.c[row], x);
        linear += program.c[row] * x;
        // A bound that is none has no multiplier.
        if point.low[row] != 0.0 {
            sum.add_product(-program.low[row], point.low[row]);
        }
        if point.high[row] != 0.0 {
            sum.add_product(program.high[row], point.high[row]);
        }
    }
    for (sides, multipliers) in [(&program.b_ub, &point.ub), (&program.b_eq, &point.eq)] {
        for (side, multiplier) in sides.iter().zip(multipliers) {
            sum.add_product(*side, *multiplier);
        }
    }
    (sum.value(), f64::abs(squares).max(f64::abs(linear)))
}
