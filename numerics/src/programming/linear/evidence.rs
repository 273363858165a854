//! What a solution is worth, computed from the program alone with sums in doubled precision.

use super::{LinearProgram, SimplexSolution};
use crate::exact::CompensatedSum;
use crate::sparse::CsrMatrix;

/// How far a solution is from satisfying the conditions of an optimum, in the units of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OptimalityResiduals {
    /// Largest violation of a bound or a constraint.
    pub primal: f64,
    /// Largest multiplier or reduced cost of the wrong sign: one that a bound which is not there would have to pay for.
    pub dual: f64,
    /// Largest product of a multiplier and the distance from the bound that it belongs to.
    pub complementarity: f64,
}

/// A proof that a program has no optimum, checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoOptimumProof {
    /// Infeasible: by how much the least value of the combined rows exceeds what they allow. Unbounded: the fall of the objective along
    /// the ray.
    pub margin: f64,
    /// Largest violation of a condition of the proof, relative to the terms it is a sum of; rounding alone leaves about 1e-16.
    pub residual: f64,
}

/// A residual of a proof above this is more than rounding.
const HOLDS: f64 = 1e-9;

/// Values of the rows at a point.
pub fn row_activities(matrix: &CsrMatrix, x: &[f64]) -> Vec<f64> {
    let zero = vec![0.0; matrix.row_count()];
    let negative = matrix.precise_residual(x, &zero);
    negative.into_iter().map(|value| 0.0 - value).collect()
}

/// Upper bounds of the rows minus their values at a point.
pub fn row_slacks(program: &LinearProgram, x: &[f64]) -> Vec<f64> {
    program.matrix.precise_residual(x, &program.row_high)
}

/// The residuals of a solution.
pub fn solution_residuals(
    program: &LinearProgram,
    solution: &SimplexSolution,
) -> OptimalityResiduals {
    let mut found = OptimalityResiduals::default();
    let rows = row_activities(&program.matrix, &solution.x);
    let rows = rows
        .iter()
        .zip(&solution.duals)
        .zip(program.row_low.iter().zip(&program.row_high));
    let columns = solution
        .x
        .iter()
        .zip(&solution.reduced)
        .zip(program.low.iter().zip(&program.high));
    for ((&value, &price), (&low, &high)) in rows.chain(columns) {
        found.primal = found.primal.max(low - value).max(value - high);
        // A positive price belongs to the lower bound, a negative one to the upper.
        let bound = if price > 0.0 { low } else { high };
        if bound.is_finite() {
            found.complementarity = found.complementarity.max((price * (value - bound)).abs());
        } else {
            found.dual = found.dual.max(price.abs());
        }
    }
    found
}

/// The bound on the objective that the multipliers prove, but for those of the wrong sign, which [`solution_residuals`] reports.
pub fn dual_objective(program: &LinearProgram, solution: &SimplexSolution) -> f64 {
    let mut sum = CompensatedSum::new(0.0);
    let rows = solution
        .duals
        .iter()
        .zip(program.row_low.iter().zip(&program.row_high));
    let columns = solution
        .reduced
        .iter()
        .zip(program.low.iter().zip(&program.high));
    for (&price, (&low, &high)) in rows.chain(columns) {
        let bound = if price > 0.0 { low } else { high };
        if price != 0.0 && bound.is_finite() {
            sum.add_product(price, bound);
        }
    }
    sum.value()
}

/// Checks that a combination of rows contradicts the bounds. Entries that would use a bound which is not there are set to zero first.
pub fn prove_infeasible(program: &LinearProgram, combination: &mut [f64]) -> NoOptimumProof {
    let mut best = NoOptimumProof {
        margin: f64::NEG_INFINITY,
        residual: 0.0,
    };
    let given = combination.to_vec();
    for sign in [1.0, -1.0] {
        let signed: Vec<f64> = given
            .iter()
            .enumerate()
            .map(|(row, entry)| allowed_multiplier(program, row, entry * sign))
            .collect();
        let proof = check_contradiction(program, &signed);
        // A margin counts only where the conditions hold.
        let rank = |proof: &NoOptimumProof| (proof.residual <= HOLDS, proof.margin);
        if rank(&proof) > rank(&best) || best.margin == f64::NEG_INFINITY {
            best = proof;
            combination.copy_from_slice(&signed);
        }
    }
    best
}

/// A multiplier of a row, or zero where the bound that it uses is infinite.
fn allowed_multiplier(program: &LinearProgram, row: usize, entry: f64) -> f64 {
    let bound = if entry > 0.0 {
        program.row_high[row]
    } else {
        program.row_low[row]
    };
    if bound.is_finite() { entry } else { 0.0 }
}

fn check_contradiction(program: &LinearProgram, combination: &[f64]) -> NoOptimumProof {
    let transposed = program.matrix.transposed();
    let mut margin = CompensatedSum::new(0.0);
    let mut residual = 0.0_f64;
    for (row, &entry) in combination.iter().enumerate() {
        if entry != 0.0 {
            let bound = if entry > 0.0 {
                program.row_high[row]
            } else {
                program.row_low[row]
            };
            margin.add_product(-entry, bound);
        }
    }
    let sums = row_activities(&transposed, combination);
    let sizes = transposed.absolute_product(combination);
    for (column, (&sum, &size)) in sums.iter().zip(&sizes).enumerate() {
        let bound = if sum > 0.0 {
            program.low[column]
        } else {
            program.high[column]
        };
        if sum == 0.0 {
            continue;
        }
        if bound.is_finite() {
            margin.add_product(sum, bound);
        } else {
            residual = residual.max(sum.abs() / size);
        }
    }
    NoOptimumProof {
        margin: margin.value(),
        residual,
    }
}

/// Checks that the objective falls along a ray on which no bound lies.
pub fn prove_unbounded(program: &LinearProgram, ray: &[f64]) -> NoOptimumProof {
    let mut slope = CompensatedSum::new(0.0);
    for (cost, entry) in program.costs.iter().zip(ray) {
        slope.add_product(*cost, *entry);
    }
    let sums = row_activities(&program.matrix, ray);
    let sizes = program.matrix.absolute_product(ray);
    let mut residual = 0.0_f64;
    let rows = program
        .row_low
        .iter()
        .zip(&program.row_high)
        .zip(sums.iter().zip(&sizes));
    let largest = ray
        .iter()
        .fold(0.0_f64, |most, entry| most.max(entry.abs()));
    for ((low, high), (&sum, &size)) in rows {
        if (sum > 0.0 && high.is_finite()) || (sum < 0.0 && low.is_finite()) {
            residual = residual.max(sum.abs() / size);
        }
    }
    for ((low, high), &entry) in program.low.iter().zip(&program.high).zip(ray) {
        if (entry > 0.0 && high.is_finite()) || (entry < 0.0 && low.is_finite()) {
            residual = residual.max(entry.abs() / largest);
        }
    }
    NoOptimumProof {
        margin: -slope.value(),
        residual,
    }
}
