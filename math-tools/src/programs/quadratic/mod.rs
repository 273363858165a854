//! `quadratic_program`: a convex quadratic objective under linear constraints.

mod coefficients;
mod failure;
mod given;
#[cfg(test)]
mod tests;

use numerics::programming::quadratic::{
    self as kernel, Convexity, QuadraticEnd, QuadraticFailure, QuadraticSolution,
};

use self::coefficients::CoefficientMatrix;
use crate::call_watch::CallWatch;
use crate::prelude::*;
use crate::programs::units::QuadraticUnits;

/// Minimise 1/2 x'Px + c'x, P positive semidefinite, where A_ub x <= b_ub, A_eq x = b_eq and within bounds. Duals and residuals prove the optimum.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Symmetric n x n matrix of the squares, dense, or sparse as {"rows", "cols", "values"} counted from 0.
    #[value(rename = "P")]
    pub p: Input<CoefficientMatrix>,
    /// Linear part, n numbers; absent: zeros.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub c: Option<Input<Vector>>,
    /// Rows of the inequalities, dense or sparse like `P`.
    #[value(rename = "A_ub", default, skip_encoding_if = "Option::is_none")]
    pub a_ub: Option<Input<CoefficientMatrix>>,
    /// Upper limits of the inequalities.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["inequalities"]))]
    pub b_ub: Option<Input<Vector>>,
    /// Rows of the equations, dense or sparse like `P`.
    #[value(rename = "A_eq", default, skip_encoding_if = "Option::is_none")]
    pub a_eq: Option<Input<CoefficientMatrix>>,
    /// Right-hand sides of the equations.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["equations"]))]
    pub b_eq: Option<Input<Vector>>,
    /// `[low, high]` of each variable, or one pair for all; null for none. Absent: no bounds.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub bounds: Option<Vec<[Option<Finite>; 2]>>,
    /// Largest relative residual of the conditions of optimality with which it counts as converged.
    #[value(default = "default_tolerance")]
    pub tolerance: Positive,
    /// Most iterations.
    #[value(default = "BoundedInteger::<1, 100_000>::of::<200>")]
    pub max_iterations: BoundedInteger<1, 100_000>,
}

fn default_tolerance() -> Positive {
    Positive::literal(1e-8)
}

/// Reason that the method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum QuadraticProgramReason {
    /// All conditions of optimality hold within the tolerance.
    Kkt,
    /// The limit of iterations.
    MaxIterations,
    /// No progress.
    Stalled,
}

/// The optimum and its proof.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The optimum.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// The objective there.
    pub objective: f64,
    /// Whether the conditions of optimality hold within the tolerance; for a convex program they are the proof.
    pub converged: bool,
    /// Reason the method ended.
    pub reason: QuadraticProgramReason,
    /// Change of the optimal objective per unit by which a limit of `b_ub` grows: at most 0, and 0 where it does not bind.
    #[schema(extend("x-shape" = ["inequalities"]))]
    pub duals_ub: Vec<f64>,
    /// Likewise for `b_eq`.
    #[schema(extend("x-shape" = ["equations"]))]
    pub duals_eq: Vec<f64>,
    /// Likewise for the bound that holds each variable: above 0 a lower one, below 0 an upper one.
    #[schema(extend("x-shape" = ["n"]))]
    pub duals_bounds: Vec<f64>,
    /// `b_ub - A_ub x`.
    #[schema(extend("x-shape" = ["inequalities"]))]
    pub slack: Vec<f64>,
    /// Largest residual of the conditions of optimality, each relative to its terms or 1.
    pub kkt_residual: f64,
    /// Largest entry of the gradient that duals do not balance.
    pub stationarity: f64,
    /// Largest violation of a constraint or bound.
    pub violation: f64,
    /// Largest product of a dual and its slack.
    pub complementarity: f64,
    /// The objective less that of the dual program: no feasible point is lower by more, up to the other residuals.
    pub gap: f64,
    /// Lowest eigenvalue of `P`: above 0 the optimum is unique. Up to 1000 variables, and of diagonal matrices.
    #[value(skip_encoding_if = "Option::is_none")]
    pub lowest_eigenvalue: Option<f64>,
    /// Whether x solves the equations of the constraints that bind, to rounding.
    pub polished: bool,
    /// Iterations of the interior-point method.
    pub iterations: u32,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("quadratic_program", "Solve a quadratic program")
        .tags(&[
            "optimisation",
            "quadratic programming",
            "convex",
            "portfolio",
            "constraints",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the point of x + y = 1 next to the origin":
            r#"{"P": [[1, 0], [0, 1]], "A_eq": [[1, 1]], "b_eq": [1]}"#
            => r#"{"x": [0.5, 0.5], "objective": 0.25, "converged": true, "reason": "kkt", "duals_ub": [], "duals_eq": [0.5],
                "duals_bounds": [0.0, 0.0], "slack": [], "kkt_residual": 0.0, "stationarity": 0.0, "violation": 0.0,
                "complementarity": 0.0, "gap": 0.0, "lowest_eigenvalue": 1.0, "polished": false, "iterations": 0}"#;
        "under inequalities and bounds":
            r#"{"P": [[2, 0], [0, 2]], "c": [-2, -5], "A_ub": [[-1, 2], [1, 2]], "b_ub": [2, 6], "bounds": [[0, null]]}"#
            => r#"{"x": [1.4, 1.7], "objective": -6.45, "converged": true, "reason": "kkt", "duals_ub": [-0.8, 0.0], "duals_eq": [],
                "duals_bounds": [0.0, 0.0], "slack": [0.0, 1.2000000000000002], "kkt_residual": 4.4408920985006264e-17,
                "stationarity": 2.220446049250313e-16, "violation": 0.0, "complementarity": 0.0, "gap": -3.108624468950439e-16,
                "lowest_eigenvalue": 2.0, "polished": true, "iterations": 7}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (program, symmetric) = given::load_program(&args, ctx)?;
        if !symmetric {
            ctx.warn("`P` is not symmetric: only its symmetric part (P + P')/2 counts, as in x'Px");
        }
        ctx.afford((program.n().min(1000) as f64).powi(3) * 3.0)?;
        let watch = CallWatch(ctx);
        let lowest = match kernel::check_convexity(&program.p, &watch) {
            Ok(Convexity::Convex(lowest)) => lowest,
            Ok(Convexity::Indefinite { lowest, direction }) => {
                return Err(failure::indefinite_error(lowest, direction));
            }
            Err(interruption) => return Err(watch.interruption_error(interruption)),
        };
        let in_units = QuadraticUnits::of(&program);
        let found = solve_program(&program, in_units.as_ref(), &args, ctx)?;
        quadratic_output(&args, &program, (in_units, found), lowest, ctx)
    }
}

/// A program and its units, where its own are far from 1.
type InUnits = (QuadraticUnits, kernel::QuadraticProgram);

/// The solution, in those units where there are some.
fn solve_program(
    program: &kernel::QuadraticProgram,
    in_units: Option<&InUnits>,
    args: &Args,
    ctx: &Ctx,
) -> Result<QuadraticSolution, ToolError> {
    let restored = |failure: QuadraticFailure| match in_units {
        Some((units, _)) => units.failure(failure),
        None => failure,
    };
    let program = in_units.map_or(program, |(_, new)| new);
    let iterations = args.max_iterations.get() as u32;
    let go = |program: &kernel::QuadraticProgram| {
        kernel::solve_quadratic_program(program, iterations, &CallWatch(ctx))
    };
    match go(program) {
        Ok(found) => Ok(found),
        Err(failure @ QuadraticFailure::Unbounded { .. }) => {
            // A ray is one of the program only where there is a point to start from.
            let n = program.n();
            let constraints = kernel::QuadraticProgram {
                p: numerics::sparse::CsrMatrix::from_triplets(n, n, &[], &[], &[]),
                c: vec![0.0; n],
                ..program.clone()
            };
            match go(&constraints) {
                Ok(mut found) => {
                    if let Some((units, _)) = in_units {
                        units.restore(&mut found.point);
                    }
                    Err(failure::unbounded_error(
                        found.point.x,
                        restored(failure),
                        ctx,
                    ))
                }
                Err(other) => Err(failure::tool_error(restored(other), ctx)),
            }
        }
        Err(other) => Err(failure::tool_error(restored(other), ctx)),
    }
}

/// Largest violation of a constraint or bound.
fn violation(program: &kernel::QuadraticProgram, x: &[f64]) -> f64 {
    let mut over = vec![0.0; program.b_ub.len()];
    program.a_ub.residual(x, &program.b_ub, &mut over);
    let mut off = vec![0.0; program.b_eq.len()];
    program.a_eq.residual(x, &program.b_eq, &mut off);
    let bounds = x.iter().zip(program.low.iter().zip(&program.high));
    let outside = bounds.map(|(x, (low, high))| (low - x).max(x - high));
    let all = over.iter().map(|slack| -slack);
    let all = all.chain(off.iter().map(|off| off.abs())).chain(outside);
    all.fold(0.0, f64::max)
}

fn quadratic_output(
    args: &Args,
    program: &kernel::QuadraticProgram,
    (in_units, found): (Option<InUnits>, QuadraticSolution),
    lowest_eigenvalue: Option<f64>,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let mut kkt = found.kkt;
    let residual = kkt.relative();
    let converged = residual <= args.tolerance.get();
    let reason = match found.ending {
        _ if converged => QuadraticProgramReason::Kkt,
        QuadraticEnd::Iterations => QuadraticProgramReason::MaxIterations,
        QuadraticEnd::Converged | QuadraticEnd::Stalled => QuadraticProgramReason::Stalled,
    };
    if residual.is_nan() {
        refuse!(numeric "/P", "overflow"; "the point is no double"; "scale the program: its numbers differ too much in size");
    }
    if !converged {
        ctx.warn(format!(
            "stopped at a relative residual of {residual:.1e}: x is no optimum to the tolerance; raise `max_iterations` or scale the program"
        ));
    }
    let mut point = found.point;
    if let Some((units, _)) = &in_units {
        units.restore(&mut point);
        units.restore_residuals(&mut kkt);
        kkt.violation = violation(program, &point.x);
    }
    let mut slack = vec![0.0; program.b_ub.len()];
    program.a_ub.residual(&point.x, &program.b_ub, &mut slack);
    // Adding a zero turns -0 into 0.
    let negated = |values: Vec<f64>| values.into_iter().map(|value| 0.0 - value).collect();
    Ok(Output {
        objective: program.objective(&point.x),
        converged,
        reason,
        duals_bounds: point
            .low
            .iter()
            .zip(&point.high)
            .map(|(low, high)| low - high)
            .collect(),
        duals_ub: negated(point.ub),
        duals_eq: negated(point.eq),
        slack,
        kkt_residual: residual,
        stationarity: kkt.stationarity,
        violation: kkt.violation,
        complementarity: kkt.complementarity,
        gap: kkt.gap,
        lowest_eigenvalue,
        polished: found.polished,
        iterations: found.iterations,
        x: point.x,
    })
}
