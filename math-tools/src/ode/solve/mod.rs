//! `solve_ode`: initial value problems, by expressions or as a linear system.

mod arguments;
mod bdf;
pub(crate) mod drive;
pub(crate) mod dynamics;
pub(crate) mod event;
pub(crate) mod explicit;
pub(crate) mod flow;
mod jump;
mod mass;
pub(crate) mod matrix;
pub(crate) mod method;
mod radau;
mod rodas;
mod run;
pub(crate) mod stepper;
pub(crate) mod system;

use crate::expression::Parameters;
use crate::prelude::*;

use self::arguments::Absolute;
use self::event::{Event, Occurrences};
use self::method::Method;
use self::run::{Stats, solve};
use self::stepper::Reason;
use self::system::{Equations, Linear};

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
    /// Start velocities of a system of second order: `system` then gives y'' in t, y0, ..., v0, ..., and each row of the solution
    /// has the positions and then the velocities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v0: Option<Input<Vector>>,
    /// Constant matrix M of M y' = f, n x n (with `v0`: of M y''); singular for algebraic equations of index 1, which `y0` must fulfil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shape" = ["n", "n"]))]
    pub mass: Option<Input<Matrix>>,
    /// Relative tolerance of the error of each step.
    #[serde(default = "default_rtol")]
    pub rtol: Tolerance,
    /// Absolute tolerance of the error of each step, in the units of y: a number, or one per component.
    #[serde(default = "default_atol")]
    pub atol: Absolute,
    /// Largest number of attempted steps, 1 to 10 million.
    #[serde(default = "Bounded::<1, 10_000_000>::of::<10_000>")]
    pub max_steps: Bounded<1, 10_000_000>,
    /// Largest size of a step, in the units of t: at most the length of the shortest event that the solution must not miss. Absent: no
    /// limit, but the right-hand side is sampled at about 200 points of `t_span`, and what the steps jumped over is integrated again by
    /// shorter ones, with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_step: Option<Positive>,
    /// `auto`: `dop853`, and from where the problem is stiff a stiff method. Not stiff: `dopri5`, `tsit5` (order 5), `dop853` (order
    /// 8). Stiff: `radau` (order 5), `bdf` (orders 1 to 5, for large systems), `rodas4` (order 4, for low accuracy).
    #[serde(default)]
    pub method: Method,
    /// Times at which to return the solution, in the direction of integration and within `t_span`; absent: every accepted step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_eval: Option<Input<Vector>>,
    /// Functions whose zeros along the solution are returned, or end it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
}

fn default_rtol() -> Tolerance {
    Tolerance::literal(1e-6)
}

fn default_atol() -> Absolute {
    Absolute::One(Tolerance::literal(1e-9))
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
    /// Whether the end of `t_span` or a terminal event was reached.
    pub completed: bool,
    /// Reason the end of `t_span` was not reached; absent when it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The time that was reached.
    pub t_end: f64,
    /// Work done.
    pub stats: Stats,
    /// The methods used, in order, separated by commas.
    pub method: String,
    /// The time from which the second method was used; absent when there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switched_at: Option<f64>,
    /// Whether stability rather than accuracy limited the steps of an explicit method: the problem is stiff.
    pub stiff: bool,
    /// Largest difference of a component at the end from a run with ten times looser tolerances, in the units of y: usually
    /// several times the true error. Absent when not completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_estimate: Option<f64>,
    /// Zeros of each of `events`, in their order; absent without events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<Occurrences>>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("solve_ode", "Integrate differential equations")
        .tags(&["ode", "initial value problem", "runge-kutta", "stiff"])
        .syntax(&[("/system", Syntax::Expression)])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "y' = 2 t with y(0) = 1 gives y = 1 + t^2":
            r#"{"y0": [1], "t_span": [0, 3], "system": "2*t", "t_eval": [0, 1, 2, 3]}"#
            => r#"{"t": [0.0, 1.0, 2.0, 3.0], "y": [[1.0], [2.0], [5.0], [10.0]],
                "completed": true, "t_end": 3.0,
                "stats": {"steps": 7, "rejected": 0, "function_evals": 95, "extra_evals": 267,
                    "jacobian_evals": 0, "factorisations": 0},
                "method": "dop853", "stiff": false, "error_estimate": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let setup = arguments::check(&args, ctx)?;
        let solved = solve(&setup, &setup.y0, &[], ctx)?;
        solved.warn(&setup, ctx);
        Ok(Output {
            y: solved.rows(setup.y0.len()),
            t: solved.t,
            completed: matches!(solved.reason, None | Some(Reason::TerminalEvent)),
            reason: solved.reason,
            t_end: solved.t_end,
            stats: solved.stats,
            method: run::names(&solved.methods),
            switched_at: solved.switched_at,
            stiff: solved.stiff,
            error_estimate: solved.error_estimate,
            events: (!args.events.is_empty()).then_some(solved.events),
        })
    }
}

#[cfg(test)]
mod tests;
