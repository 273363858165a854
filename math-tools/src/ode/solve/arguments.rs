//! The arguments of `solve_ode`, checked: [`Setup`].

use schemars::json_schema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Finite, Positive, Tolerance, ToolError, Vector};

use super::Args;
use super::drive::Options;
use super::dynamics::Dynamics;
use super::event::Event;
use super::flow::Tolerances;
use super::mass::{self, Mass};
use super::method::Method;
use super::system::{self, State};
use crate::expression::Expression;

/// Absolute tolerances: one for all components, or one each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Absolute {
    /// For all components.
    One(Tolerance),
    /// For each component.
    Each(Vec<Tolerance>),
}

tool_core::inline_schema!(
    Absolute,
    "Absolute",
    json_schema!({
        "anyOf": [
            { "type": "number", "minimum": 0 },
            { "type": "array", "minItems": 1, "items": { "type": "number", "minimum": 0 } }
        ]
    })
);

/// A smaller relative error cannot be told from rounding.
pub(super) const RTOL_MIN: f64 = 100.0 * f64::EPSILON;

/// What an integration needs, checked.
pub(super) struct Setup {
    /// The start: the state, with the velocities after the positions.
    pub y0: Vec<f64>,
    /// Start and end.
    pub span: (f64, f64),
    /// Times at which the solution is returned.
    pub times: Option<Vector>,
    /// The right-hand side.
    pub dynamics: Dynamics,
    /// The mass matrix.
    pub mass: Option<Mass>,
    /// Events, and their functions.
    pub events: Vec<Event>,
    /// The functions of the events.
    pub functions: Vec<Expression>,
    /// Settings.
    pub options: Options,
}

/// Checks the arguments.
///
/// # Errors
/// `invalid_args` at the argument.
pub(super) fn check(args: &Args, ctx: &Ctx) -> Result<Setup, ToolError> {
    let mut y0 = args.y0.load(ctx)?.to_vec();
    if y0.is_empty() {
        refuse!(invalid "/y0"; "`y0` is empty"; "give one number per component");
    }
    let state = match &args.v0 {
        None => State::First(y0.len()),
        Some(v0) => {
            let (v0, n) = (v0.load(ctx)?, y0.len());
            if v0.len() != n {
                let found = v0.len();
                refuse!(invalid "/v0", "shape"; "expected {n} velocities, one per entry of `y0`, found {found}");
            }
            y0.extend_from_slice(&v0);
            State::Second(n)
        }
    };
    let span = span(args.t_span)?;
    let times = match &args.t_eval {
        Some(times) => Some(checked_times(times.load(ctx)?, span)?),
        None => None,
    };
    let mut options = options(args, y0.len(), ctx)?;
    let mut dynamics = dynamics(args, state, ctx)?;
    let mass = match &args.mass {
        Some(matrix) => Some(mass::load(matrix, state, ctx)?),
        None => None,
    };
    if let Some(mass) = &mass {
        options.method = implicit(options.method, mass)?;
        dynamics = dynamics.with_mass(mass.entries.clone());
    }
    let functions = functions(args, state)?;
    Ok(Setup {
        y0,
        span,
        times,
        dynamics,
        mass,
        events: args.events.clone(),
        functions,
        options,
    })
}

fn span([start, end]: [Finite; 2]) -> Result<(f64, f64), ToolError> {
    let (start, end) = (start.get(), end.get());
    let message = if start == end {
        "expected two different times, found the same twice"
    } else if !(end - start).is_finite() {
        "the length of `t_span` is too large for a double"
    } else {
        return Ok((start, end));
    };
    Err(ToolError::invalid("/t_span", message))
}

/// Whether a time lies between start and end, whichever is larger.
fn within(time: f64, (start, end): (f64, f64)) -> bool {
    start.min(end) <= time && time <= start.max(end)
}

fn checked_times(times: Vector, span: (f64, f64)) -> Result<Vector, ToolError> {
    if times.is_empty() {
        refuse!(invalid "/t_eval"; "`t_eval` is empty"; "leave it out to get every step");
    }
    if let Some(index) = times.iter().position(|&time| !within(time, span)) {
        let message = format!("expected a time within `t_span`, found {}", times[index]);
        return Err(ToolError::invalid(format!("/t_eval/{index}"), message));
    }
    let forward = span.1 > span.0;
    let wrong = |pair: &[f64]| pair[0] == pair[1] || (pair[0] < pair[1]) != forward;
    if let Some(index) = times.windows(2).position(wrong) {
        let order = if forward { "ascending" } else { "descending" };
        let (before, found) = (times[index], times[index + 1]);
        refuse!(invalid format!("/t_eval/{}", index + 1);
            "expected {order} times, found {found} after {before}");
    }
    Ok(times)
}

fn options(args: &Args, n: usize, ctx: &Ctx) -> Result<Options, ToolError> {
    let mut rtol = args.rtol.get();
    let atol: Vec<f64> = match &args.atol {
        Absolute::One(atol) => vec![atol.get()],
        Absolute::Each(list) if list.len() == n => list.iter().map(|atol| atol.get()).collect(),
        Absolute::Each(list) => {
            let found = list.len();
            refuse!(invalid "/atol", "shape";
                "expected a number or {n} of them, one per component, found {found}");
        }
    };
    if rtol == 0.0 && atol.contains(&0.0) {
        refuse!(invalid "/rtol"; "`rtol` and `atol` are both 0"; "set one of them above 0");
    }
    if rtol < RTOL_MIN {
        ctx.warn(format!(
            "`rtol` {rtol:e} is below what doubles resolve: {RTOL_MIN:.1e} is used"
        ));
        rtol = RTOL_MIN;
    }
    Ok(Options {
        tolerances: Tolerances { rtol, atol },
        max_steps: u32::try_from(args.max_steps.get()).unwrap_or(u32::MAX),
        step_max: args.max_step.map_or(f64::INFINITY, Positive::get),
        method: args.method,
    })
}

fn dynamics(args: &Args, state: State, ctx: &Ctx) -> Result<Dynamics, ToolError> {
    match (&args.system, &args.coefficients) {
        (Some(equations), None) => system::parse(equations, &args.parameters, &[], state),
        (None, Some(_)) if matches!(state, State::Second(_)) => {
            let message =
                "`coefficients` is a system of first order, `v0` belongs to one of second order";
            Err(ToolError::invalid("/v0", message).hint("give `system`, or A of twice the size"))
        }
        (None, Some(linear)) => system::load(linear, state.len(), ctx),
        (Some(_), Some(_)) => {
            let message = "`system` and `coefficients` are both given";
            Err(ToolError::invalid("/coefficients", message).hint("give only one of them"))
        }
        (None, None) => {
            let message = "missing right-hand side: neither `system` nor `coefficients` is given";
            let hint =
                r#"give `system`, such as ["y1", "-y0"], or `coefficients`: {"A": ..., "b": ...}"#;
            Err(ToolError::invalid("/system", message).hint(hint))
        }
    }
}

/// The method for a mass matrix.
fn implicit(method: Method, mass: &Mass) -> Result<Method, ToolError> {
    if method == Method::Auto {
        return Ok(Method::Radau);
    }
    if method.is_implicit() {
        return Ok(method);
    }
    let name = method.name();
    let why = if mass.is_singular() {
        "`mass` is singular, and"
    } else {
        "with `mass`"
    };
    refuse!(invalid "/method"; "{why} `{name}` needs y' itself"; "use `radau`, `bdf` or `rodas4`");
}

fn functions(args: &Args, state: State) -> Result<Vec<Expression>, ToolError> {
    if args.events.is_empty() {
        return Ok(Vec::new());
    }
    let scope = state.scope(&args.parameters, &[])?;
    let parse = |(index, event): (usize, &Event)| {
        let pointer = format!("/events/{index}/g");
        Expression::parse(&event.g, &scope).map_err(|err| err.into_tool_error(&pointer))
    };
    args.events.iter().enumerate().map(parse).collect()
}
