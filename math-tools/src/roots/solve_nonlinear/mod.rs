//! `solve_nonlinear`: systems of equations.

mod descent;
mod equations;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use numerics::roots::RootError;
use numerics::roots::system::{
    SystemEnd, SystemOptions, SystemResult, SystemSearch, SystemSolution,
};

use self::descent::LevenbergDescent;
use self::equations::NonlinearSystem;
use crate::call_watch::CallWatch;
use crate::expression::NamedParameters;
use crate::expression::unknowns::{self, PerVariable, StartPoint};
use crate::optimise::minimise::bounds::{Given, VariableBounds, read_bounds};
use crate::prelude::*;

/// Solve a system of nonlinear equations, from one start or from many within bounds, with exact derivatives.
///
/// Solutions are verified by intervals where that is possible; a minimum of the residual that is no solution is named as that.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Expressions that are to be 0, one for each unknown, in x0, x1, ... or the names of `x0`.
    pub system: Vec<String>,
    /// Start: a list, one number per unknown, or an object with names, such as `{"a": 1, "b": 0}`. Absent: starts within `bounds`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub x0: Option<Input<StartPoint>>,
    /// Bounds of each unknown, `[low, high]` with null for none, in their order or by name.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub bounds: Option<PerVariable<Given>>,
    /// Number of starts, spread evenly within `bounds` (which must be finite), after `x0`; absent: `x0` alone, else 32.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub starts: Option<BoundedInteger<1, 100_000>>,
    /// Named numbers that equations use.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which each equation reduces to one number, such as `sum(y - a - b*t)`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Largest number of iterations from each start.
    #[value(default = "BoundedInteger::<1, 1_000_000>::of::<1000>")]
    pub max_iter: BoundedInteger<1, 1_000_000>,
    /// Relative step below which a solution counts as found; smaller ones are refined to rounding anyway.
    #[value(default = "default_tolerance")]
    pub tolerance: Positive,
}

fn default_tolerance() -> Positive {
    Positive::literal(1e-10)
}

/// The solutions and how they are known.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The best solution, or the point of least residual where there is none.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// The entries of `x` by name, where the unknowns have names.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "x0": { "is": "named" } }, { "x0": null, "bounds": { "is": "named" } }]))]
    pub named: Option<BTreeMap<String, f64>>,
    /// Whether x is a solution.
    pub converged: bool,
    /// Why it is one or not.
    pub reason: SolveNonlinearReason,
    /// The equations at x.
    #[schema(extend("x-shape" = ["n"]))]
    pub residuals: Vec<f64>,
    /// Different solutions found, the verified ones first.
    pub solutions: Vec<NonlinearSolution>,
    /// Starts that were tried.
    pub starts: usize,
    /// Iterations of all starts.
    pub iterations: u64,
    /// Evaluations of the system with its Jacobian, those over intervals included.
    pub evaluations: u64,
}

/// A solution.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct NonlinearSolution {
    /// The point.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// Largest equation in magnitude.
    pub residual: f64,
    /// Largest error of an unknown: a bound where verified, else the size of the last Newton step; infinite where singular.
    pub error: Real,
    /// Whether intervals prove that exactly one solution lies within `error`.
    pub verified: bool,
    /// Condition number of the Jacobian, scaled by its columns: about how much relative errors grow.
    pub condition: Real,
    /// Whether the Jacobian is singular to rounding: a multiple or not isolated solution, with about half the digits.
    pub singular: bool,
}

/// Why x is a solution or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SolveNonlinearReason {
    /// Proven by intervals.
    Verified,
    /// Newton's step is below the tolerance.
    Step,
    /// The equations hold to rounding, but the Jacobian is singular there.
    Singular,
    /// A minimum of the sum of squares that is no solution.
    LocalMinimum,
    /// No step reduces the residual.
    NoProgress,
    /// `max_iter` was used up.
    MaxIter,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("solve_nonlinear", "Solve nonlinear equations")
        .tags(&["equations", "system", "newton", "root", "nonlinear"])
        .syntax(&[("/system", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one equation": r#"{"system": ["x0**2 - 4"], "x0": [1]}"#
            => r#"{"x": [2.0], "converged": true, "reason": "verified", "residuals": [0.0], "solutions": [{"x": [2.0], "residual": 0.0,
                "error": 9.860761315262648e-32, "verified": true, "condition": 1.0, "singular": false}], "starts": 1, "iterations": 7,
                "evaluations": 22}"#;
        "a circle and a line": r#"{"system": ["x**2 + y**2 - 25", "x - y + 1"], "x0": {"x": 2, "y": 5}}"#
            => r#"{"x": [3.0, 4.0], "named": {"x": 3.0, "y": 4.0}, "converged": true, "reason": "verified", "residuals": [0.0, 0.0],
                "solutions": [{"x": [3.0, 4.0], "residual": 0.0, "error": 4.437342591868191e-31, "verified": true,
                "condition": 2.1428571428571432, "singular": false}], "starts": 1, "iterations": 7, "evaluations": 22}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let given = args.x0.as_ref().map(|x0| x0.load(ctx)).transpose()?;
        let names = unknown_names(&args, given.as_ref())?;
        let n = names.n;
        let bounds = match (&args.bounds, given.as_ref()) {
            (None, _) => VariableBounds::free(n),
            (Some(bounds), Some(start)) => {
                read_bounds(&bounds.of(start, &[None, None], "/bounds")?, n)?
            }
            (Some(bounds), None) => read_bounds(&bounds.entries().0, n)?,
        };
        let scope = unknowns::unknowns_scope(
            (n, names.names.as_deref()),
            args.data.as_ref(),
            &args.parameters,
            names.pointer,
            ctx,
        )?;
        if args.system.len() != n {
            refuse!(invalid "/system", "shape"; "expected {n} equations, as many as there are unknowns, found {}", args.system.len();
                "for more equations than unknowns, use `nonlinear_least_squares`");
        }
        let equations = NonlinearSystem::new(&args.system, &scope, n, ctx)?;
        unknowns::check_use(args.data.as_ref(), equations.expressions(), ctx)?;
        let starts = start_points(&args, given.as_ref(), &bounds, ctx)?;
        let watch = CallWatch(ctx);
        let search = SystemSearch::new(&equations, &watch);
        let error = |error: RootError| system_error(error, ctx);
        let scales = search.scales(&starts).map_err(error)?;
        let mut descent = LevenbergDescent::new(
            &args,
            &scaled_equations(&args.system, &scales),
            scope,
            &bounds,
            ctx,
        )?;
        let options = SystemOptions {
            low: &bounds.low,
            high: &bounds.high,
            tolerance: args.tolerance.get(),
            seed: ctx.seed(None).get(),
        };
        let found = search
            .solve(&starts, &options, &mut descent)
            .map_err(error)?;
        let mut output = system_output(found, starts.len(), descent.evaluations(), ctx);
        output.named = unknowns::by_name(names.names.as_deref(), &output.x);
        Ok(output)
    }
}

/// The equations, each times a power of ten.
fn scaled_equations(texts: &[String], scales: &[i32]) -> Vec<String> {
    let scaled = |(text, scale): (&String, &i32)| {
        if *scale == 0 {
            return text.clone();
        }
        let (definitions, value) = text.rsplit_once(';').unwrap_or(("", text));
        let separator = if definitions.is_empty() { "" } else { ";" };
        format!("{definitions}{separator}({value})*1e{scale}")
    };
    texts.iter().zip(scales).map(scaled).collect()
}

/// The answer, and its warnings.
fn system_output(
    found: SystemResult,
    starts: usize,
    descent_evaluations: u64,
    ctx: &Ctx,
) -> Output {
    let converged = !found.solutions.is_empty();
    if !converged {
        ctx.warn("no solution was found: start elsewhere, or give `bounds` and more `starts`; there may be none");
    } else if found.end == SystemEnd::Singular {
        ctx.warn("the Jacobian is singular at the solution: it has about half the digits, and may not be isolated");
    }
    let solution = |solution: SystemSolution| NonlinearSolution {
        x: solution.x,
        residual: solution.residual,
        error: Real(solution.error),
        verified: solution.is_verified,
        condition: Real(solution.condition),
        singular: solution.is_singular,
    };
    Output {
        x: found.x,
        named: None,
        converged,
        reason: match found.end {
            SystemEnd::Verified => SolveNonlinearReason::Verified,
            SystemEnd::Step => SolveNonlinearReason::Step,
            SystemEnd::Singular => SolveNonlinearReason::Singular,
            SystemEnd::LocalMinimum => SolveNonlinearReason::LocalMinimum,
            SystemEnd::NoProgress => SolveNonlinearReason::NoProgress,
            SystemEnd::Iterations => SolveNonlinearReason::MaxIter,
        },
        residuals: found.residuals,
        solutions: found.solutions.into_iter().map(solution).collect(),
        starts,
        iterations: found.iterations,
        evaluations: found.evaluations + descent_evaluations,
    }
}

/// The error of a search as that of the call.
fn system_error(error: RootError, ctx: &Ctx) -> ToolError {
    match error {
        RootError::Interrupted(interruption) => CallWatch(ctx).interruption_error(interruption),
        RootError::Function(error) => CallWatch::function_error(error),
        RootError::NotFinite { starts } => {
            let message =
                format!("an equation or a derivative is not finite at any of {starts} starts");
            ToolError::numeric("/x0", message)
                .reason("not_finite")
                .hint("choose starts or `bounds` in which they are")
        }
        other => ToolError::numeric("/system", other),
    }
}

/// The unknowns.
struct UnknownNames {
    n: usize,
    names: Option<Vec<String>>,
    pointer: &'static str,
}

fn unknown_names(args: &Args, given: Option<&StartPoint>) -> Result<UnknownNames, ToolError> {
    /// Most unknowns: an inverse of n x n is made at each solution.
    const UNKNOWNS_MAX: usize = 1000;
    let (n, names, pointer) = match (given, &args.bounds) {
        (Some(start), _) => (start.len(), start.names().map(<[String]>::to_vec), "/x0"),
        (None, Some(bounds)) => (bounds.len(), bounds.entries().1, "/bounds"),
        (None, None) => {
            refuse!(invalid "/x0", "missing"; "expected `x0` or `bounds`"; "give a start, or finite bounds to start within");
        }
    };
    if n == 0 || n > UNKNOWNS_MAX {
        refuse!(invalid pointer, "shape"; "expected 1 to {UNKNOWNS_MAX} unknowns, found {n}"; "give a number for each unknown");
    }
    Ok(UnknownNames { n, names, pointer })
}

/// The start points: `x0`, then a sequence that fills the bounds evenly (additive recurrence with powers of the root of
/// g^(n+1) = g + 1: M. Roberts, 2018).
fn start_points(
    args: &Args,
    given: Option<&StartPoint>,
    bounds: &VariableBounds,
    ctx: &Ctx,
) -> Result<Vec<Vec<f64>>, ToolError> {
    const WITHOUT_START: usize = 32;
    let n = bounds.low.len();
    let count = match (args.starts, given) {
        (Some(count), _) => count.size(),
        (None, Some(_)) => 1,
        (None, None) => WITHOUT_START,
    };
    ctx.reserve_doubles(2 * n * count)?;
    let mut starts = Vec::with_capacity(count);
    if let Some(given) = given {
        let mut start = given.to_vec();
        if bounds.project(&mut start) {
            ctx.warn("`x0` is outside `bounds`: the nearest point in them is the start");
        }
        starts.push(start);
    }
    if starts.len() < count {
        let width = |i: usize| bounds.high[i] - bounds.low[i];
        if let Some(at) = (0..n).find(|&i| !width(i).is_finite()) {
            refuse!(invalid "/bounds", "infinite"; "expected finite bounds to spread {count} starts in, unknown {at} has none";
                "give `[low, high]` for every unknown, or `x0` alone");
        }
        let mut g = 2.0_f64;
        for _ in 0..64 {
            g = libm::pow(1.0 + g, 1.0 / (n as f64 + 1.0));
        }
        let steps: Vec<f64> = (1..=n).map(|i| libm::pow(g, -(i as f64))).collect();
        for index in 1..=count - starts.len() {
            let share = |i: usize| (0.5 + index as f64 * steps[i]).fract();
            starts.push(
                (0..n)
                    .map(|i| bounds.low[i] + share(i) * width(i))
                    .collect(),
            );
        }
    }
    Ok(starts)
}
