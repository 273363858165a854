//! [`OdeSetup`]: the arguments of `solve_ode`, checked.

use std::collections::BTreeSet;

use numerics::ode::{
    MassMatrix, OdeMethod, OdeOptions, OdeTimeError, OdeTolerances, RTOL_MIN, check_times,
};
use tool_core::{Ctx, Finite, Positive, Probability, ToolError, Vector};

use super::arguments::{AbsoluteTolerance, Args, ErrorControl};
use super::dynamics::OdeDynamics;
use super::event::{CheckedEvent, OdeEventArgs};
use super::mass;
use super::sensitivity::ByParameters;
use super::system::{self, StateNames};
use crate::expression::parameters::ParameterValue;
use crate::expression::{Expression, ExpressionScope, ExpressionSystem, unknowns};

/// What an integration needs, checked.
pub(super) struct OdeSetup {
    /// The start: the state, with the velocities after the positions.
    pub y0: Vec<f64>,
    /// Start and end.
    pub span: (f64, f64),
    /// Times at which the solution is returned.
    pub times: Option<Vector>,
    /// The right-hand side.
    pub dynamics: OdeDynamics,
    /// Names of the parameters that are variables of the expressions: those of `sensitivities`, then those that vary in `sweep`.
    pub free: Vec<String>,
    /// Their values.
    pub values: Vec<f64>,
    /// The derivatives by the first of them.
    pub by_parameters: Option<ByParameters>,
    /// The starts of the sweep.
    pub sweep: Vec<OdeStart>,
    /// Probabilities of the quantiles of the sweep.
    pub quantiles: Vec<Probability>,
    /// The mass matrix.
    pub mass: Option<MassMatrix>,
    /// Events.
    pub events: Vec<CheckedEvent>,
    /// Largest number of changes of the state by them.
    pub events_max: u64,
    /// Whether the error at the end is estimated.
    pub estimates: bool,
    /// Whether the tolerances bound that.
    pub bounds_end: bool,
    /// Settings.
    pub options: OdeOptions,
}

/// A checked variation.
#[derive(Debug)]
pub(super) struct OdeStart {
    pub y0: Vec<f64>,
    /// Values of the free parameters.
    pub free: Vec<f64>,
}

/// Checks the arguments.
///
/// # Errors
/// `invalid_args` at the argument.
pub(super) fn check_arguments(args: &Args, ctx: &Ctx) -> Result<OdeSetup, ToolError> {
    let mut y0 = args.y0.load(ctx)?.to_vec();
    if y0.is_empty() {
        refuse!(invalid "/y0"; "`y0` is empty"; "give one number per component");
    }
    let state = match &args.v0 {
        None => StateNames::First(y0.len()),
        Some(v0) => {
            let (v0, n) = (v0.load(ctx)?, y0.len());
            if v0.len() != n {
                let found = v0.len();
                refuse!(invalid "/v0", "shape"; "expected {n} velocities, one per entry of `y0`, found {found}");
            }
            y0.extend_from_slice(&v0);
            StateNames::Second(n)
        }
    };
    let span = check_time_span(args.t_span)?;
    let times = match &args.t_eval {
        Some(times) => Some(checked_times(times.load(ctx)?, span)?),
        None => None,
    };
    let mut options = integration_options(args, y0.len(), ctx)?;
    let free = free_parameters(args);
    let values = parameter_values(args, &free)?;
    let scope = state.scope(&args.parameters, &free, args.data.as_ref(), ctx)?;
    let mut dynamics =
        build_dynamics(args, &scope, state, ctx)?.with_tolerances(&options.tolerances);
    let mass = match &args.mass {
        Some(matrix) => Some(mass::load_mass_matrix(matrix, state, ctx)?),
        None => None,
    };
    if let Some(mass) = &mass {
        options.method = choose_implicit_method(options.method, mass)?;
        dynamics = dynamics.with_mass(mass.entries().to_vec());
    }
    let events = check_events(args, &scope, state, mass.as_ref())?;
    let of_events = events.iter().flat_map(|checked| {
        let set = checked.set.iter().map(|(_, new)| new);
        std::iter::once(&checked.function).chain(set)
    });
    let expressions = dynamics.equations().iter().chain(of_events);
    unknowns::check_use(args.data.as_ref(), expressions, ctx)?;
    let by_parameters = by_parameters(args, &dynamics, options.method, mass.as_ref())?;
    let sweep = sweep_starts(args, (&y0, &free, &values), ctx)?;
    if args.error_control == ErrorControl::End && !args.error_estimate {
        refuse!(invalid "/error_estimate"; "`error_control` `end` needs the estimate of the error";
            "leave `error_estimate` out, or set `error_control` to `step`");
    }
    if !args.quantiles.is_empty() && (args.sweep.is_empty() || args.t_eval.is_none()) {
        refuse!(invalid "/quantiles"; "quantiles are those of the runs of `sweep` at the times of `t_eval`: both are needed";
            "give both, or leave `quantiles` out");
    }
    Ok(OdeSetup {
        y0,
        span,
        times,
        dynamics,
        free,
        values,
        by_parameters,
        sweep,
        quantiles: args.quantiles.clone(),
        mass,
        events,
        events_max: args.max_events.get().unsigned_abs(),
        estimates: args.error_estimate,
        bounds_end: args.error_control == ErrorControl::End,
        options,
    })
}

fn check_time_span([start, end]: [Finite; 2]) -> Result<(f64, f64), ToolError> {
    let (start, end) = (start.get(), end.get());
    if !(end - start).is_finite() {
        refuse!(invalid "/t_span"; "the length of `t_span` is too large for a double");
    }
    Ok((start, end))
}

/// Times in the direction of a span and within it.
///
/// # Errors
/// `invalid_args` at `/t_eval`.
fn checked_times(times: Vector, span: (f64, f64)) -> Result<Vector, ToolError> {
    if times.is_empty() {
        refuse!(invalid "/t_eval"; "`t_eval` is empty"; "leave it out to get every step");
    }
    match check_times(&times, span) {
        Ok(()) => {}
        Err(OdeTimeError::Outside { index, time }) => {
            refuse!(invalid format!("/t_eval/{index}"); "expected a time within `t_span`, found {time}");
        }
        Err(OdeTimeError::Order {
            index,
            before,
            found,
        }) => {
            let order = if span.1 > span.0 {
                "ascending"
            } else {
                "descending"
            };
            refuse!(invalid format!("/t_eval/{index}"); "expected {order} times, found {found} after {before}");
        }
    }
    Ok(times)
}

fn integration_options(args: &Args, n: usize, ctx: &Ctx) -> Result<OdeOptions, ToolError> {
    let mut rtol = args.rtol.get();
    let atol: Vec<f64> = match &args.atol {
        AbsoluteTolerance::One(atol) => vec![atol.get()],
        AbsoluteTolerance::Each(list) if list.len() == n => {
            list.iter().map(|atol| atol.get()).collect()
        }
        AbsoluteTolerance::Each(list) => {
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
    Ok(OdeOptions {
        tolerances: OdeTolerances { rtol, atol },
        max_steps: u32::try_from(args.max_steps.get()).unwrap_or(u32::MAX),
        step_max: args.max_step.map_or(f64::INFINITY, Positive::get),
        method: args.method.into(),
    })
}

fn build_dynamics(
    args: &Args,
    scope: &ExpressionScope,
    state: StateNames,
    ctx: &Ctx,
) -> Result<OdeDynamics, ToolError> {
    match (&args.system, &args.coefficients) {
        (Some(equations), None) => system::parse_equations(equations, scope, state),
        (None, Some(_)) if matches!(state, StateNames::Second(_)) => {
            let message =
                "`coefficients` is a system of first order, `v0` belongs to one of second order";
            Err(ToolError::invalid("/v0", message).hint("give `system`, or A of twice the size"))
        }
        (None, Some(linear)) => system::load_linear_system(linear, state.len(), ctx),
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

/// The parameters that are no constants of the expressions.
fn free_parameters(args: &Args) -> Vec<String> {
    let mut free = args.sensitivities.clone();
    let varied = args
        .sweep
        .iter()
        .flat_map(|variation| variation.parameters.iter());
    let varied: BTreeSet<&str> = varied.map(|(name, _)| name).collect();
    for name in varied {
        if !free.iter().any(|known| known == name) {
            free.push(name.to_owned());
        }
    }
    free
}

/// The values of free parameters in the call.
fn parameter_values(args: &Args, free: &[String]) -> Result<Vec<f64>, ToolError> {
    let count = args.sensitivities.len();
    let mut values = Vec::with_capacity(free.len());
    for (index, name) in free.iter().enumerate() {
        let pointer = if index < count {
            format!("/sensitivities/{index}")
        } else {
            "/sweep".to_owned()
        };
        if free[..index].contains(name) {
            refuse!(invalid pointer; "`{name}` is named twice"; "name each parameter once");
        }
        let Some(ParameterValue::Number(value)) = args.parameters.get(name) else {
            refuse!(invalid pointer; "expected the name of a number in `parameters`, found `{name}`";
                "give it a value in `parameters`, and use it in `system`");
        };
        values.push(*value);
    }
    if !free.is_empty() && args.system.is_none() {
        refuse!(invalid "/system"; "parameters can vary in `system` only"; "give `system` instead of `coefficients`");
    }
    Ok(values)
}

fn by_parameters(
    args: &Args,
    dynamics: &OdeDynamics,
    method: OdeMethod,
    mass: Option<&MassMatrix>,
) -> Result<Option<ByParameters>, ToolError> {
    let count = args.sensitivities.len();
    if count == 0 {
        return Ok(None);
    }
    if method == OdeMethod::Rodas4 {
        refuse!(invalid "/method"; "`rodas4` gives no derivatives by parameters"; "use `radau` or `bdf`");
    }
    // The small first steps of order 1 leave roundings of M y / h in the difference of two rows, beyond the tolerance of derivatives.
    if method == OdeMethod::Bdf && mass.is_some_and(MassMatrix::mixes_rows) {
        refuse!(invalid "/method"; "`bdf` gives derivatives by parameters only where each equation without derivatives is a row of `mass` that is 0";
            "use `radau`, or subtract equations until such rows are 0");
    }
    ByParameters::of(dynamics, count).map(Some).map_err(|err| {
        ToolError::invalid("/sensitivities", err).hint("replace the function in `system` by others")
    })
}

/// The starts of a sweep.
fn sweep_starts(
    args: &Args,
    (y0, free, values): (&[f64], &[String], &[f64]),
    ctx: &Ctx,
) -> Result<Vec<OdeStart>, ToolError> {
    ctx.reserve_doubles(
        args.sweep
            .len()
            .saturating_mul(y0.len() + values.len() + 40),
    )?;
    let mut starts = Vec::with_capacity(args.sweep.len());
    for (index, variation) in args.sweep.iter().enumerate() {
        let start = match &variation.y0 {
            None => y0.to_vec(),
            Some(start) if start.len() == y0.len() => start.iter().map(|y| y.get()).collect(),
            Some(start) => {
                let (n, found) = (y0.len(), start.len());
                refuse!(invalid format!("/sweep/{index}/y0"), "shape"; "expected {n} numbers, found {found}");
            }
        };
        let mut own = values.to_vec();
        for (name, parameter) in variation.parameters.iter() {
            let ParameterValue::Number(value) = parameter else {
                refuse!(invalid format!("/sweep/{index}/parameters/{name}"); "expected a number, found a list";
                    "vary single numbers");
            };
            if let Some(place) = free.iter().position(|known| known == name) {
                own[place] = *value;
            }
        }
        starts.push(OdeStart {
            y0: start,
            free: own,
        });
    }
    Ok(starts)
}

/// The method for a mass matrix.
fn choose_implicit_method(method: OdeMethod, mass: &MassMatrix) -> Result<OdeMethod, ToolError> {
    if method == OdeMethod::Auto {
        return Ok(OdeMethod::Radau);
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

fn check_events(
    args: &Args,
    scope: &ExpressionScope,
    state: StateNames,
    mass: Option<&MassMatrix>,
) -> Result<Vec<CheckedEvent>, ToolError> {
    let mut checked = Vec::with_capacity(args.events.len());
    for (index, event) in args.events.iter().enumerate() {
        let pointer = format!("/events/{index}/g");
        let function =
            Expression::parse(&event.g, scope).map_err(|err| err.into_tool_error(&pointer))?;
        if !event.set.is_empty() {
            let pointer = format!("/events/{index}/set");
            if !args.sensitivities.is_empty() {
                refuse!(invalid pointer; "derivatives by parameters are not known where an event changes the state";
                    "leave `sensitivities` out, or integrate from event to event");
            }
            if mass.is_some_and(MassMatrix::is_singular) {
                refuse!(invalid pointer; "`mass` is singular: a changed state need not fulfil the equations without a derivative";
                    "end the integration with `terminal`, and begin another with a start that fulfils them");
            }
        }
        let set = parse_event_updates(event, index, scope, state)?;
        let slots: Vec<usize> = (0..=state.len()).collect();
        let gradient = match set.is_empty() {
            true => None,
            false => ExpressionSystem::value_and_gradient(&function, &slots).ok(),
        };
        checked.push(CheckedEvent {
            event: event.clone(),
            function,
            set,
            gradient,
        });
    }
    Ok(checked)
}

/// The new values of the entries of the state that an event sets.
fn parse_event_updates(
    event: &OdeEventArgs,
    index: usize,
    scope: &ExpressionScope,
    state: StateNames,
) -> Result<Vec<(usize, Expression)>, ToolError> {
    let mut set: Vec<(usize, Expression)> = Vec::with_capacity(event.set.len());
    for (name, text) in &event.set {
        let mut pointer = format!("/events/{index}/set");
        tool_core::path::push_key(&mut pointer, name);
        let slot = scope
            .slot(name)
            .filter(|slot| (1..=state.len()).contains(slot));
        let Some(slot) = slot else {
            let last = state.equations() - 1;
            let names = match state {
                StateNames::First(_) => format!("`y0` to `y{last}`"),
                StateNames::Second(_) => format!("`y0` to `y{last}` and `v0` to `v{last}`"),
            };
            let message = format!("`{name}` is no entry of the state");
            let hint = format!("the entries are {names}; time and parameters do not change");
            return Err(ToolError::invalid(pointer, message).hint(hint));
        };
        if set.iter().any(|(entry, _)| entry + 1 == slot) {
            refuse!(invalid pointer; "`{name}` names an entry of the state that another name sets too"; "set each entry once");
        }
        let new = Expression::parse(text, scope).map_err(|err| err.into_tool_error(&pointer))?;
        set.push((slot - 1, new));
    }
    Ok(set)
}
