//! `solve_bvp`: boundary value problems of ordinary differential equations, by collocation.

mod equations;
mod reading;

use numerics::ode::bvp::{BvpEnd, BvpError, BvpOptions, BvpProblem, BvpResult};
use tool_core::Shortfall;

use crate::call_watch::CallWatch;
use crate::expression::NamedParameters;
use crate::prelude::*;

use self::equations::ExpressionBoundary;
use super::solve::system::OdeEquations;

/// Solve y' = f(t, y) on an interval with conditions at both ends, from a first guess. The mesh is refined until the residual is
/// small everywhere. A run that does not converge returns what it has, with `converged`: false and the reason.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Right-hand side, as in `solve_ode`: one expression per component in t, y0, y1, ... Example: ["y1", "-y0"].
    pub system: OdeEquations,
    /// Conditions, one expression per component and unknown, each to be 0: a0, a1, ... are y0, y1, ... at the start of `t_span`, b0,
    /// b1, ... at its end. Example: ["a0", "b0 - 1"].
    pub boundary: Vec<String>,
    /// Start and end of the interval, ascending.
    pub t_span: [Finite; 2],
    /// First guess of each component, an expression in t; absent: 0.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub guess: Vec<String>,
    /// Named numbers the expressions use, such as `{"a": 1.5}`.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which equations reduce to one number, such as `sum(dose*exp(-(t - at)**2))`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Names of numbers in `parameters` that are to be found, from their values as first guesses; each needs one condition more.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub unknowns: Vec<String>,
    /// Times within `t_span`, ascending, at which the right-hand side jumps or has a kink: they become mesh points, on whose sides it is
    /// evaluated apart. Without them the mesh is refined at a jump until `max_nodes`.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub breakpoints: Vec<Finite>,
    /// Largest residual of the differential equations on each interval, relative to their right-hand side and the largest of them (at most
    /// 1), and of each condition, relative to the sizes of what it depends on.
    #[value(default = "default_tolerance")]
    pub tolerance: Positive,
    /// Largest number of mesh points.
    #[value(default = "BoundedInteger::<3, 100_000>::of::<2_000>")]
    pub max_nodes: BoundedInteger<3, 100_000>,
    /// Times at which to return the solution; absent: the mesh.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub t_eval: Option<Input<Vector>>,
}

fn default_tolerance() -> Positive {
    Positive::literal(1e-6)
}

/// The solution and how it was found.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Times.
    #[schema(extend("x-shape" = ["times"]))]
    pub t: Vec<f64>,
    /// The solution: one row per time, one number per component.
    #[schema(extend("x-shape" = ["times", "n"]))]
    pub y: Vec<Vec<f64>>,
    /// The values found for `unknowns`, in their order; absent without them.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "unknowns": { "least": 1 } }))]
    pub unknowns: Option<Vec<f64>>,
    /// Whether residual and conditions are within the tolerance.
    pub converged: bool,
    /// Reason they are not; absent when they are.
    #[value(skip_encoding_if = "Option::is_none")]
    pub reason: Option<SolveBvpReason>,
    /// Largest relative residual of the differential equations on an interval, root mean square.
    pub residual: Real,
    /// Largest residual of a condition, relative to the sizes of what it depends on.
    pub boundary_residual: Real,
    /// Largest difference at the mesh points from a solution on a mesh twice as fine, in the units of y: about the error of a component.
    /// Absent when there is none.
    #[value(skip_encoding_if = "Option::is_none")]
    pub error_estimate: Option<f64>,
    /// Points of the mesh.
    pub nodes: u64,
    /// Newton iterations.
    pub iterations: u64,
    /// Evaluations of the right-hand side.
    pub function_evals: u64,
}

/// Reason a boundary value problem was not solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SolveBvpReason {
    /// The mesh would need more than `max_nodes` points.
    MaxNodes,
    /// The linear system of an iteration is singular: the conditions do not determine the solution near the guess.
    Singular,
    /// The iterations did not converge from the guess.
    NoConvergence,
    /// Residuals are small, but the solution on a finer mesh differs.
    Unconfirmed,
    /// A value was not finite.
    NotFinite,
}

impl From<BvpEnd> for SolveBvpReason {
    fn from(end: BvpEnd) -> Self {
        match end {
            BvpEnd::MaxNodes => Self::MaxNodes,
            BvpEnd::Singular => Self::Singular,
            BvpEnd::NoConvergence => Self::NoConvergence,
            BvpEnd::Unconfirmed => Self::Unconfirmed,
            BvpEnd::NotFinite => Self::NotFinite,
        }
    }
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("solve_bvp", "Solve boundary value problems")
        .tags(&["ode", "boundary value problem", "collocation"])
        .syntax(&[
            ("/system", Syntax::Expression),
            ("/boundary", Syntax::Expression),
            ("/guess", Syntax::Expression),
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "y'' = 6 t with y(0) = 0 and y(1) = 1 gives y = t^3":
            r#"{"system": ["y1", "6*t"], "boundary": ["a0", "b0-1"], "t_span": [0, 1], "t_eval": [0, 0.5, 1]}"#
            => r#"{"t": [0.0, 0.5, 1.0], "y": [[0.0, 0.0], [0.125, 0.75], [1.0, 3.0]],
                "converged": true, "residual": 0.0, "boundary_residual": 0.0, "error_estimate": 0.0,
                "nodes": 11, "iterations": 2, "function_evals": 185}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (start, end) = (args.t_span[0].get(), args.t_span[1].get());
        if !(start < end && (end - start).is_finite()) {
            refuse!(invalid "/t_span"; "expected two ascending times, found {start} and {end}");
        }
        let times = match &args.t_eval {
            Some(times) => Some(checked_times(times.load(ctx)?, (start, end))?),
            None => None,
        };
        let equations = ExpressionBoundary::parse(&args, ctx)?;
        let options = BvpOptions {
            tolerance: args.tolerance.get(),
            nodes: args.max_nodes.get() as usize,
        };
        let first = equations.guess(&args, (start, end), options.nodes, ctx)?;
        let problem = BvpProblem {
            equations: &equations,
            breakpoints: &equations.breakpoints,
        };
        let watch = CallWatch(ctx);
        let found = problem
            .solve(first, &options, &watch)
            .map_err(|error| match error {
                BvpError::Interrupted(interruption) => watch.interruption_error(interruption),
                other => ToolError::new(ErrorCode::Internal, other),
            })?;
        if let Some(end) = found.failure {
            ctx.fall_short(Shortfall::Incomplete, failure_text(end, &found, options));
        }
        let curve = found.curve;
        let (t, y) = match times {
            None => (curve.t.clone(), curve.y.clone()),
            Some(times) => {
                let values = times.iter().flat_map(|&t| curve.at(t).0);
                (times.to_vec(), values.collect())
            }
        };
        Ok(Output {
            t,
            y: y.chunks_exact(curve.components())
                .map(<[f64]>::to_vec)
                .collect(),
            unknowns: (!args.unknowns.is_empty()).then(|| curve.p.clone()),
            converged: found.failure.is_none(),
            reason: found.failure.map(SolveBvpReason::from),
            residual: Real(found.residual),
            boundary_residual: Real(found.boundary_residual),
            error_estimate: found.error_estimate,
            nodes: curve.t.len() as u64,
            iterations: found.iterations,
            function_evals: found.evaluations,
        })
    }
}

fn checked_times(times: Vector, (start, end): (f64, f64)) -> Result<Vector, ToolError> {
    if times.is_empty() {
        refuse!(invalid "/t_eval"; "`t_eval` is empty"; "leave it out to get the mesh");
    }
    if let Some(index) = times.iter().position(|t| !(start..=end).contains(t)) {
        let found = times[index];
        refuse!(invalid format!("/t_eval/{index}"); "expected a time within `t_span`, found {found}");
    }
    Ok(times)
}

fn failure_text(end: BvpEnd, found: &BvpResult, options: BvpOptions) -> String {
    let (nodes, residual) = (found.curve.t.len(), found.residual);
    match end {
        BvpEnd::MaxNodes => format!(
            "stopped at {nodes} mesh points and residual {residual:.1e}, before {} points were exceeded; raise `max_nodes` or `tolerance`, or give \
             a better `guess`{}",
            options.nodes,
            residual_place_text(found)
        ),
        BvpEnd::Singular => "the linear system of an iteration is singular: the conditions do not determine the solution near the guess; \
             give another `guess` or other conditions"
            .to_owned(),
        BvpEnd::NoConvergence => format!(
            "the iterations did not converge, residual {residual:.1e}; give a better `guess`, for example the solution of an easier problem{}",
            residual_place_text(found)
        ),
        BvpEnd::Unconfirmed => "residuals are small, but the solution on a mesh twice as fine differs: the conditions hardly determine the solution, or \
             something lies between the points of the mesh; pass a smaller `tolerance` or another `guess`"
            .to_owned(),
        BvpEnd::NotFinite => "a value of the system or of a condition was not finite; give a `guess` within their domain".to_owned(),
    }
}

/// Where the residual is largest.
fn residual_place_text(found: &BvpResult) -> String {
    let words = |[from, to]: [f64; 2]| {
        format!(
            ". The residual is largest from t = {from} to {to}: if the right-hand side jumps there, name the time in `breakpoints`"
        )
    };
    found.place.map_or_else(String::new, words)
}

#[cfg(test)]
mod tests;
