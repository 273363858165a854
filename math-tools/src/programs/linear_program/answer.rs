//! From a solution to the answer.

use numerics::programming::integer::{MilpOutcome, MilpResult};
use numerics::programming::linear::{self, SimplexSolution, SimplexStatus};

use super::arguments::Args;
use super::picture;
use super::pose::PosedLinearProgram;
use crate::prelude::*;

/// A residual of a certificate above this proves nothing.
const PROVED: f64 = 1e-9;

/// The optimum, or why there is none.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The best point; null where there is none.
    pub x: Option<Vec<f64>>,
    /// c'x there.
    pub objective: Option<f64>,
    /// Whether x is proved optimal, to the tolerances of `residuals` and, with `integrality`, to `gap`.
    pub converged: bool,
    /// Reason the method ended.
    pub reason: LinearProgramReason,
    /// Method used.
    pub method: LinearProgramMethod,
    /// Each variable at x.
    pub variables: Vec<VariableReport>,
    /// Each constraint at x: those of `A_ub`, then those of `A_eq`.
    pub constraints: Vec<RowReport>,
    /// How far x and the prices are from the conditions of an optimum, summed with twice the digits.
    #[value(skip_encoding_if = "Option::is_none")]
    pub residuals: Option<LinearProgramResiduals>,
    /// Without integers: whether no other point is as good; false when a reduced cost that could be positive is 0.
    #[value(skip_encoding_if = "Option::is_none")]
    pub unique: Option<bool>,
    /// Without integers: whether the prices are the only ones; false when a basic variable is at a bound (a degenerate vertex).
    #[value(skip_encoding_if = "Option::is_none")]
    pub duals_unique: Option<bool>,
    /// Without integers: estimate of the condition of the final basis in the 1-norm, rows and columns scaled.
    #[value(skip_encoding_if = "Option::is_none")]
    pub condition: Option<Real>,
    /// Proof that there is no optimum.
    #[value(skip_encoding_if = "Option::is_none")]
    pub certificate: Option<InfeasibilityCertificate>,
    /// With integers: no point is better than this.
    #[value(skip_encoding_if = "Option::is_none")]
    pub bound: Option<Real>,
    /// With integers: distance of objective and bound, relative to the objective.
    #[value(skip_encoding_if = "Option::is_none")]
    pub gap: Option<Real>,
    /// With integers: relaxations solved.
    #[value(skip_encoding_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Iterations of the simplex method.
    pub iterations: u64,
    /// The feasible region of two variables, with the optimum.
    #[value(skip_encoding_if = "Option::is_none")]
    pub plot: Option<String>,
}

/// Reason the method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum LinearProgramReason {
    /// x is optimal.
    Optimal,
    /// No point satisfies the constraints.
    Infeasible,
    /// The objective has no limit.
    Unbounded,
    /// `max_nodes` was used up.
    NodeLimit,
    /// `max_iter` was used up.
    IterationLimit,
    /// Rounding kept the method from a conclusion.
    Numerical,
}

/// The method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum LinearProgramMethod {
    /// Dual simplex, then primal simplex where that is left to do.
    Simplex,
    /// Branch and bound over relaxations solved by the dual simplex.
    BranchAndBound,
}

/// A variable at the point found.
#[derive(Debug, Encode, Describe)]
pub(crate) struct VariableReport {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Change of the objective for each unit by which its active bound rises; 0 where none is active. Not with integers.
    #[value(skip_encoding_if = "Option::is_none")]
    pub reduced_cost: Option<f64>,
    /// Where it is.
    pub at: VariablePlace,
}

/// Where a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum VariablePlace {
    /// Between its bounds.
    Between,
    /// At its lower bound.
    Lower,
    /// At its upper bound.
    Upper,
    /// Its bounds are equal.
    Fixed,
}

/// A constraint at the point found.
#[derive(Debug, Encode, Describe)]
pub(crate) struct RowReport {
    /// `ub0`, `ub1`, ... or `eq0`, `eq1`, ...
    pub name: String,
    /// Right-hand side minus left-hand side.
    pub slack: f64,
    /// Shadow price: change of the objective for each unit by which the right-hand side rises. Not with integers.
    #[value(skip_encoding_if = "Option::is_none")]
    pub dual: Option<f64>,
    /// Whether it holds with equality.
    pub active: bool,
}

/// How far a solution is from the conditions of an optimum, in the units of the program.
#[derive(Debug, Encode, Describe)]
pub(crate) struct LinearProgramResiduals {
    /// Largest violation of a constraint or bound.
    pub primal: f64,
    /// Largest price of the wrong sign. Not with integers.
    #[value(skip_encoding_if = "Option::is_none")]
    pub dual: Option<f64>,
    /// Largest product of a slack and its price. Not with integers.
    #[value(skip_encoding_if = "Option::is_none")]
    pub complementarity: Option<f64>,
    /// Objective minus the bound that the prices prove, relative to the objective or 1. Not with integers.
    #[value(skip_encoding_if = "Option::is_none")]
    pub duality_gap: Option<f64>,
}

/// A proof that there is no optimum, checked with twice the digits.
#[derive(Debug, Encode, Describe)]
pub(crate) struct InfeasibilityCertificate {
    /// `infeasible`: a multiplier y of each constraint, `ub` then `eq`, such that y'Ax > y'b for all x within the bounds.
    #[value(skip_encoding_if = "Option::is_none")]
    pub multipliers: Option<Vec<f64>>,
    /// `unbounded`: a direction from x along which every point is feasible.
    #[value(skip_encoding_if = "Option::is_none")]
    pub ray: Option<Vec<f64>>,
    /// By how much the proof holds: the least y'Ax - y'b, or the improvement of the objective along the ray.
    pub margin: f64,
    /// Largest violation of its conditions, relative to the terms of each; 0 or rounding.
    pub residual: f64,
}

/// The answer of a program without integers.
pub(super) fn continuous_output(
    args: &Args,
    posed: &PosedLinearProgram,
    mut solution: SimplexSolution,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    if solution.status == SimplexStatus::Stopped {
        return Err(stopped_error(
            ctx,
            &[("iterations", Value::from(solution.iterations as i64))],
        ));
    }
    let program = posed.program();
    let mut reason = match solution.status {
        SimplexStatus::Optimal => LinearProgramReason::Optimal,
        SimplexStatus::Infeasible => LinearProgramReason::Infeasible,
        SimplexStatus::Unbounded => LinearProgramReason::Unbounded,
        SimplexStatus::IterationLimit => LinearProgramReason::IterationLimit,
        SimplexStatus::Numerical | SimplexStatus::Stopped => LinearProgramReason::Numerical,
    };
    let restored = posed.restored(solution.clone());
    let certificate = build_certificate(posed, &restored);
    solution.ray = None;
    if certificate
        .as_ref()
        .is_some_and(|proof| proof.residual > PROVED || proof.margin <= 0.0)
    {
        reason = LinearProgramReason::Numerical;
    }
    match reason {
        LinearProgramReason::Numerical => ctx.warn("rounding kept the method from a conclusion: use units in which coefficients are nearer to 1"),
        LinearProgramReason::IterationLimit => ctx.warn("stopped without a conclusion: raise `max_iter`"),
        _ => {}
    }
    let is_optimal = reason == LinearProgramReason::Optimal;
    let sign = objective_sign(args);
    let has_point = matches!(
        reason,
        LinearProgramReason::Optimal | LinearProgramReason::Unbounded
    );
    let residuals = is_optimal.then(|| {
        let found = linear::solution_residuals(&posed.given, &restored);
        let bound = linear::dual_objective(program, &solution);
        LinearProgramResiduals {
            primal: found.primal,
            dual: Some(found.dual),
            complementarity: Some(found.complementarity),
            duality_gap: Some((solution.objective - bound) / solution.objective.abs().max(1.0)),
        }
    });
    if is_optimal && linear::solution_residuals(program, &solution).primal > 1e-6 {
        ctx.warn("a constraint is violated by more than 1e-6 in its own units: see `residuals`");
    }
    let (unique, duals_unique) = check_uniqueness(program, &solution);
    let solutions = ScaledSolutions {
        own: &solution,
        restored: &restored,
        has_prices: is_optimal,
    };
    Ok(Output {
        objective: is_optimal.then_some(sign * restored.objective),
        converged: is_optimal,
        reason,
        method: LinearProgramMethod::Simplex,
        variables: if has_point {
            variable_rows(posed, &solutions, sign)
        } else {
            Vec::new()
        },
        constraints: if has_point {
            constraint_rows(posed, &solutions, sign)
        } else {
            Vec::new()
        },
        residuals,
        unique: is_optimal.then_some(unique),
        duals_unique: is_optimal.then_some(duals_unique),
        condition: is_optimal.then_some(Real(solution.condition)),
        certificate,
        bound: None,
        gap: None,
        nodes: None,
        iterations: solution.iterations,
        plot: picture::draw_region(args, posed, is_optimal.then_some(&restored.x), ctx)?,
        x: has_point.then_some(restored.x),
    })
}

/// The answer of a program with integers.
pub(super) fn integer_output(
    args: &Args,
    posed: &PosedLinearProgram,
    found: MilpResult,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let sign = objective_sign(args);
    if found.outcome == MilpOutcome::Stopped {
        let mut evidence = vec![
            ("nodes", Value::from(found.nodes as i64)),
            ("bound", Value::from(sign * posed.objective(found.bound))),
        ];
        if found.is_point {
            let best = posed.restored(found.solution);
            evidence.push(("objective", Value::from(sign * best.objective)));
            evidence.push(("x", Value::vector(best.x)));
        }
        return Err(stopped_error(ctx, &evidence));
    }
    let reason = match found.outcome {
        MilpOutcome::Optimal => LinearProgramReason::Optimal,
        MilpOutcome::Infeasible => LinearProgramReason::Infeasible,
        MilpOutcome::Unbounded => LinearProgramReason::Unbounded,
        MilpOutcome::NodeLimit => LinearProgramReason::NodeLimit,
        MilpOutcome::IterationLimit => LinearProgramReason::IterationLimit,
        MilpOutcome::Numerical | MilpOutcome::Stopped => LinearProgramReason::Numerical,
    };
    let mut restored = posed.restored(found.solution.clone());
    let certificate = build_certificate(posed, &restored).filter(|_| {
        matches!(
            reason,
            LinearProgramReason::Infeasible | LinearProgramReason::Unbounded
        )
    });
    match reason {
        LinearProgramReason::NodeLimit | LinearProgramReason::IterationLimit => {
            ctx.warn("stopped before the best point was proved: raise `max_nodes` or `max_iter`, or accept a `gap`");
        }
        LinearProgramReason::Numerical => ctx.warn("a relaxation was left without a conclusion, so nothing is proved: use units in which coefficients are nearer to 1"),
        _ => {}
    }
    let has_point = found.is_point || reason == LinearProgramReason::Unbounded;
    let solution = found.solution;
    restored.ray = None;
    let solutions = ScaledSolutions {
        own: &solution,
        restored: &restored,
        has_prices: false,
    };
    let gap = found.is_point.then(|| {
        let distance = solution.objective - found.bound;
        if distance == 0.0 {
            0.0
        } else {
            distance / solution.objective.abs().max(f64::MIN_POSITIVE)
        }
    });
    Ok(Output {
        objective: found.is_point.then_some(sign * restored.objective),
        converged: reason == LinearProgramReason::Optimal,
        reason,
        method: LinearProgramMethod::BranchAndBound,
        variables: if has_point {
            variable_rows(posed, &solutions, sign)
        } else {
            Vec::new()
        },
        constraints: if has_point {
            constraint_rows(posed, &solutions, sign)
        } else {
            Vec::new()
        },
        residuals: found.is_point.then(|| LinearProgramResiduals {
            primal: linear::solution_residuals(&posed.given, &restored).primal,
            dual: None,
            complementarity: None,
            duality_gap: None,
        }),
        unique: None,
        duals_unique: None,
        condition: None,
        certificate,
        bound: (reason != LinearProgramReason::Infeasible
            && reason != LinearProgramReason::Unbounded)
            .then_some(Real(sign * posed.objective(found.bound))),
        gap: gap.map(Real),
        nodes: Some(found.nodes),
        iterations: found.iterations,
        plot: picture::draw_region(args, posed, found.is_point.then_some(&restored.x), ctx)?,
        x: has_point.then_some(restored.x),
    })
}

/// 1, or -1 where the maximum is asked for.
fn objective_sign(args: &Args) -> f64 {
    if args.maximize { -1.0 } else { 1.0 }
}

/// The error of a call that was stopped, with what was known by then.
fn stopped_error(ctx: &Ctx, evidence: &[(&'static str, Value)]) -> ToolError {
    let error = ctx
        .check()
        .err()
        .unwrap_or_else(|| ToolError::new(ErrorCode::Cancelled, "stopped"));
    error.evidence(Value::object(evidence.iter().cloned()))
}

/// A solution in the units in which it was found, which tolerances are of, and in those of the program that was given.
struct ScaledSolutions<'a> {
    own: &'a SimplexSolution,
    restored: &'a SimplexSolution,
    has_prices: bool,
}

fn build_certificate(
    posed: &PosedLinearProgram,
    solution: &SimplexSolution,
) -> Option<InfeasibilityCertificate> {
    let mut ray = solution.ray.clone()?;
    let program = &posed.given;
    if solution.status == SimplexStatus::Infeasible {
        let proof = linear::prove_infeasible(program, &mut ray);
        return Some(InfeasibilityCertificate {
            multipliers: Some(ray),
            ray: None,
            margin: proof.margin,
            residual: proof.residual,
        });
    }
    let proof = linear::prove_unbounded(program, &ray);
    Some(InfeasibilityCertificate {
        multipliers: None,
        ray: Some(ray),
        margin: proof.margin,
        residual: proof.residual,
    })
}

fn variable_rows(
    posed: &PosedLinearProgram,
    solutions: &ScaledSolutions<'_>,
    sign: f64,
) -> Vec<VariableReport> {
    let (program, solution) = (&posed.given, solutions.restored);
    let prices = solutions.has_prices.then_some(solution);
    let bounds = program.low.iter().zip(&program.high);
    let lines = posed.names.iter().zip(&solution.x).zip(bounds).enumerate();
    let lines = lines.map(|(index, ((name, &value), (&low, &high)))| VariableReport {
        name: name.clone(),
        value,
        reduced_cost: prices.map(|solution| signed_product(sign, solution.reduced[index])),
        at: if low == high {
            VariablePlace::Fixed
        } else if value <= low {
            VariablePlace::Lower
        } else if value >= high {
            VariablePlace::Upper
        } else {
            VariablePlace::Between
        },
    });
    lines.collect()
}

fn constraint_rows(
    posed: &PosedLinearProgram,
    solutions: &ScaledSolutions<'_>,
    sign: f64,
) -> Vec<RowReport> {
    let (program, own) = (posed.program(), solutions.own);
    let own_slacks = linear::row_slacks(program, &own.x);
    let sizes = linear::row_activities(&program.matrix, &own.x);
    let slacks = linear::row_slacks(&posed.given, &solutions.restored.x);
    let prices = solutions.has_prices.then_some(solutions.restored);
    let line = |(index, ((slack, own), size)): (usize, ((f64, f64), f64))| {
        let name = match index.checked_sub(posed.upper_count) {
            None => format!("ub{index}"),
            Some(index) => format!("eq{index}"),
        };
        let is_basic = prices.is_some_and(|solution| solution.basic[program.costs.len() + index]);
        let active = own.abs() <= 1e-9 * size.abs().max(1.0);
        RowReport {
            name,
            slack: if prices.is_some() && !is_basic && active {
                0.0
            } else {
                slack
            },
            dual: prices.map(|solution| signed_product(sign, solution.duals[index])),
            active,
        }
    };
    slacks
        .into_iter()
        .zip(own_slacks)
        .zip(sizes)
        .enumerate()
        .map(line)
        .collect()
}

/// A product without a negative zero.
fn signed_product(sign: f64, value: f64) -> f64 {
    sign * value + 0.0
}

/// Whether x, and the prices, are the only ones.
fn check_uniqueness(program: &linear::LinearProgram, solution: &SimplexSolution) -> (bool, bool) {
    let n = program.costs.len();
    let rows = linear::row_activities(&program.matrix, &solution.x);
    let largest = |values: &[f64]| {
        values
            .iter()
            .fold(1.0_f64, |most, value| most.max(value.abs()))
    };
    let cost = largest(&program.costs);
    let all = (0..n).map(|at| {
        (
            solution.x[at],
            solution.reduced[at],
            program.low[at],
            program.high[at],
        )
    });
    let rows = (0..rows.len()).map(|at| {
        (
            rows[at],
            solution.duals[at],
            program.row_low[at],
            program.row_high[at],
        )
    });
    let (mut unique, mut duals_unique) = (true, true);
    for (is_basic, (value, price, low, high)) in solution.basic.iter().zip(all.chain(rows)) {
        let near =
            |bound: f64| bound.is_finite() && (value - bound).abs() <= 1e-9 * bound.abs().max(1.0);
        if *is_basic {
            duals_unique &= !near(low) && !near(high);
        } else {
            unique &= low == high || price.abs() > 1e-9 * cost;
        }
    }
    (unique, duals_unique)
}
