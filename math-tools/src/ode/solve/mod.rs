//! `solve_ode`: initial value problems, by expressions or as a linear system.

mod jump;
pub(crate) mod kernel;
pub(crate) mod system;

use tool_core::Shortfall;

use crate::expression::Parameters;
use crate::prelude::*;

use self::jump::Jump;
use self::kernel::{Options, Pair, Reason, Trajectory};
use self::system::{Dynamics, Equations, Linear};

/// Integrate the ordinary differential equations y' = f(t, y) from a start value, forwards or backwards in time, with adaptive
/// steps. Give the right-hand side either as expressions (`system`) or as a linear system (`coefficients`). An integration that
/// does not reach the end is returned as far as it came, with `completed`: false and the reason.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Start value, one number per component.
    #[schemars(extend("x-shape" = ["n"]))]
    pub y0: Input<Vector>,
    /// Start and end time, two different numbers; the end may be the smaller one.
    pub t_span: [Finite; 2],
    /// Right-hand side: one expression per component, as a list or as one text separated by `;`. Variables: t, y0, y1, ...; y is
    /// y0 when there is one component. Example: ["y1", "-y0"].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<Equations>,
    /// Named numbers `system` uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Right-hand side as y' = A y + b.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coefficients: Option<Linear>,
    /// Relative tolerance of the error of each step.
    #[serde(default = "default_rtol")]
    pub rtol: Tolerance,
    /// Absolute tolerance of the error of each step, in the units of y.
    #[serde(default = "default_atol")]
    pub atol: Tolerance,
    /// Largest number of attempted steps, 1 to 10 million.
    #[serde(default = "Bounded::<1, 10_000_000>::of::<10_000>")]
    pub max_steps: Bounded<1, 10_000_000>,
    /// Largest size of a step, in the units of t: at most the length of the shortest event that the solution must not miss. Absent: no
    /// limit, but the right-hand side is sampled at about 200 points of `t_span`, and what the steps jumped over is integrated again by
    /// shorter ones, with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_step: Option<Positive>,
    /// `dopri5` (order 5), `dop853` (order 8), or `auto`: `dop853`, which needs fewer evaluations at the same error.
    #[serde(default)]
    pub method: Method,
    /// Times at which to return the solution, in the direction of integration and within `t_span`; absent: every accepted step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_eval: Option<Input<Vector>>,
}

fn default_rtol() -> Tolerance {
    Tolerance::literal(1e-6)
}

fn default_atol() -> Tolerance {
    Tolerance::literal(1e-9)
}

/// The integration method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    /// `dop853`.
    #[default]
    Auto,
    /// Dormand-Prince 5(4), explicit.
    Dopri5,
    /// Dormand-Prince 8(5,3), explicit.
    Dop853,
}

/// The solution and how it was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Times, in the direction of integration.
    #[schemars(extend("x-shape" = ["times"]))]
    pub t: Vec<f64>,
    /// The solution: one row per time, one number per component.
    #[schemars(extend("x-shape" = ["times", "n"]))]
    pub y: Vec<Vec<f64>>,
    /// Whether the end of `t_span` was reached.
    pub completed: bool,
    /// Reason it was not reached; absent when it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The time that was reached.
    pub t_end: f64,
    /// Work done.
    pub stats: Stats,
    /// The method used: `dopri5` or `dop853`.
    pub method: Method,
    /// Whether stability rather than accuracy limited the steps near the end: the problem is stiff for an explicit method.
    pub stiff: bool,
    /// Largest difference of a component at the end from a run with ten times looser tolerances, in the units of y: usually
    /// several times the true error. Absent when not completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_estimate: Option<f64>,
}

/// Work done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Stats {
    /// Accepted steps.
    pub steps: u64,
    /// Attempted steps that were rejected.
    pub rejected: u64,
    /// Evaluations of the right-hand side by the integration.
    pub function_evals: u64,
    /// Evaluations besides: for `t_eval`, the error estimate, the stiffness test and the look between the steps.
    pub extra_evals: u64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("solve_ode", "Integrate differential equations")
        .tags(&["ode", "initial value problem", "runge-kutta"])
        .syntax(&[("/system", Syntax::Expression)])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "y' = 2 t with y(0) = 1 gives y = 1 + t^2":
            r#"{"y0": [1], "t_span": [0, 3], "system": "2*t", "t_eval": [0, 1, 2, 3]}"#
            => r#"{"t": [0.0, 1.0, 2.0, 3.0], "y": [[1.0], [2.0], [5.0], [10.0]],
                "completed": true, "t_end": 3.0,
                "stats": {"steps": 7, "rejected": 0, "function_evals": 87, "extra_evals": 307},
                "method": "dop853", "stiff": false, "error_estimate": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let y0 = args.y0.load(ctx)?;
        if y0.is_empty() {
            refuse!(invalid "/y0"; "`y0` is empty"; "give one number per component");
        }
        let span = span(args.t_span)?;
        let times = match &args.t_eval {
            Some(times) => Some(checked_times(times.load(ctx)?, span)?),
            None => None,
        };
        let mut options = options(&args, ctx)?;
        let dynamics = dynamics(&args, y0.len(), ctx)?;
        let mut derivative = dynamics.evaluators();
        let mut rhs = |t: f64, y: &[f64], dy: &mut [f64]| derivative.eval(t, y, dy);
        check_start(&mut rhs, span.0, &y0, ctx)?;

        let mut path = kernel::integrate(&mut rhs, span, &y0, options, ctx)?;
        let mut extra = 0;
        if path.stopped.is_none() {
            let (jump, evaluations) = jump::jump(&mut rhs, &path, options, ctx)?;
            extra = evaluations;
            if let Some(jump) = jump {
                let seeing = Options {
                    step_max: jump.step,
                    ..options
                };
                let again = kernel::integrate(&mut rhs, span, &y0, seeing, ctx)?;
                warn_of_jump(jump, again.stopped, ctx);
                if again.stopped.is_none() {
                    extra += path.evaluations;
                    (path, options) = (again, seeing);
                } else {
                    extra += again.evaluations;
                }
            }
        }
        let (stiff, evaluations) = kernel::is_stiff(&mut rhs, &path, span.1, options, ctx)?;
        extra += evaluations;
        let reason = path.stopped;
        let mut error_estimate = None;
        if reason.is_none() {
            let (estimate, evaluations) = kernel::error_at_end(&mut rhs, &path, options, ctx)?;
            error_estimate = estimate;
            extra += evaluations;
        }
        let mut stats = Stats {
            steps: path.t.len() as u64 - 1,
            rejected: path.rejected,
            function_evals: path.evaluations,
            extra_evals: extra,
        };
        warn(&path, reason, stiff, options, ctx);
        let t_end = path.t_end();
        let (t, y, evaluations) = match times {
            None => (path.t, path.y, 0),
            Some(times) => {
                let reached = |time: &&f64| within(**time, (span.0, t_end));
                let times = times[..times.iter().filter(reached).count()].to_vec();
                let (y, evaluations) = kernel::states_at(&mut rhs, &path, &times, options, ctx)?;
                (times, y, evaluations)
            }
        };
        stats.extra_evals += evaluations;
        Ok(Output {
            y: y.chunks_exact(y0.len()).map(<[f64]>::to_vec).collect(),
            t,
            completed: reason.is_none(),
            reason,
            t_end,
            stats,
            method: match options.pair {
                Pair::Dopri5 => Method::Dopri5,
                Pair::Dop853 => Method::Dop853,
            },
            stiff,
            error_estimate,
        })
    }
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

fn options(args: &Args, ctx: &Ctx) -> Result<Options, ToolError> {
    /// A smaller relative error cannot be told from rounding.
    const RTOL_MIN: f64 = 100.0 * f64::EPSILON;
    let (mut rtol, atol) = (args.rtol.get(), args.atol.get());
    if rtol == 0.0 && atol == 0.0 {
        refuse!(invalid "/rtol"; "`rtol` and `atol` are both 0"; "set one of them above 0");
    }
    if rtol < RTOL_MIN {
        ctx.warn(format!(
            "`rtol` {rtol:e} is below what doubles resolve: {RTOL_MIN:.1e} is used"
        ));
        rtol = RTOL_MIN;
    }
    Ok(Options {
        rtol,
        atol,
        max_steps: args.max_steps.get() as u32,
        step_max: args.max_step.map_or(f64::INFINITY, Positive::get),
        pair: if args.method == Method::Dopri5 {
            Pair::Dopri5
        } else {
            Pair::Dop853
        },
    })
}

fn dynamics(args: &Args, n: usize, ctx: &Ctx) -> Result<Dynamics, ToolError> {
    match (&args.system, &args.coefficients) {
        (Some(equations), None) => Dynamics::parse(equations, &args.parameters, n),
        (None, Some(linear)) => Dynamics::load(linear, n, ctx),
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

/// Refuses a right-hand side that is not finite at the start.
fn check_start(rhs: &mut kernel::Rhs<'_>, t: f64, y: &[f64], ctx: &Ctx) -> Result<(), ToolError> {
    let mut dy = vec![0.0; y.len()];
    ctx.count_evaluations(1)?;
    rhs(t, y, &mut dy);
    let Some(index) = dy.iter().position(|value| !value.is_finite()) else {
        return Ok(());
    };
    let found = tool_core::number::spelling(dy[index]);
    refuse!(numeric "/system", "not_finite";
        "the derivative of y{index} at the start (t = {t}) is {found}";
        "check the equation and the start value");
}

fn warn_of_jump(Jump { t, step }: Jump, stopped: Option<Reason>, ctx: &Ctx) {
    ctx.warn(if stopped.is_none() {
        format!(
            "the right-hand side changes near t = {t} within less than the steps saw: integrated again with steps of at most {step}; \
             set `max_step` to what must not be missed"
        )
    } else {
        format!(
            "the right-hand side changes near t = {t} within less than the steps saw, and the solution does not count it: set `max_step` \
             to {step} or less, and `max_steps` to match"
        )
    });
}

fn warn(path: &Trajectory, reason: Option<Reason>, stiff: bool, options: Options, ctx: &Ctx) {
    let t = path.t_end();
    match reason {
        None => {}
        Some(Reason::MaxSteps) => ctx.fall_short(Shortfall::Incomplete, format!(
            "stopped at t = {t} after {} steps, before the end of `t_span`; raise `max_steps` or the tolerances",
            options.max_steps
        )),
        Some(Reason::StepTooSmall | Reason::NotFinite) => ctx.fall_short(Shortfall::Incomplete, format!(
            "stopped at t = {t}: the solution has a singularity there, or the right-hand side is not finite or not smooth beyond it"
        )),
    }
    if stiff {
        ctx.warn(format!(
            "the problem is stiff near t = {t}: an explicit method needs steps far smaller than the solution; shorten `t_span`, \
             raise `max_steps`, or remove the fast components"
        ));
    }
}

#[cfg(test)]
mod tests;
