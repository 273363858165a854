//! [`Args`]: the arguments of `solve_ode`.

use tool_core::schema::json;

use super::event::OdeEventArgs;
use super::method::SolveOdeMethod;
use super::system::{LinearOde, OdeEquations};
use crate::expression::NamedParameters;
use crate::prelude::*;

/// Integrate the ordinary differential equations y' = f(t, y) from a start value, forwards or backwards in time, with adaptive
/// steps. Give the right-hand side either as expressions (`system`) or as a linear system (`coefficients`). An integration that
/// does not reach the end is returned as far as it came, with `completed`: false and the reason.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Start value, one number per component.
    #[schema(extend("x-shape" = ["n"]))]
    pub y0: Input<Vector>,
    /// Start and end time; the end may be the smaller one, or the same: then the solution is the start.
    pub t_span: [Finite; 2],
    /// Right-hand side: one expression per component, as a list or as one text separated by `;`. Variables: t, y0, y1, ...; y is
    /// y0 when there is one component. Example: ["y1", "-y0"].
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub system: Option<OdeEquations>,
    /// Named numbers `system` uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which expressions reduce to one number, such as `sum(dose*exp(-(t - at)**2))`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Right-hand side as y' = A y + b.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub coefficients: Option<LinearOde>,
    /// Start velocities of a system of second order: `system` then gives y'' in t, y0, ..., v0, ..., and each row of the solution
    /// has the positions and then the velocities.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub v0: Option<Input<Vector>>,
    /// Constant matrix M of M y' = f, n x n (with `v0`: of M y''); singular for algebraic equations of index 1, which `y0` must fulfil.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub mass: Option<Input<Matrix>>,
    /// Relative tolerance of the error, of each step or as `error_control` says.
    #[value(default = "default_rtol")]
    pub rtol: Tolerance,
    /// Absolute tolerance of the error, in the units of y: a number, or one per component.
    #[value(default = "default_atol")]
    pub atol: AbsoluteTolerance,
    /// Largest number of attempted steps, 1 to 10 million.
    #[value(default = "BoundedInteger::<1, 10_000_000>::of::<10_000>")]
    pub max_steps: BoundedInteger<1, 10_000_000>,
    /// Largest size of a step, in the units of t: at most the length of the shortest event that the solution must not miss. Absent: no
    /// limit, but the right-hand side is sampled at about 200 points of `t_span`, and what the steps jumped over is integrated again by
    /// shorter ones, with a warning (not with `mass`, nor by an implicit method where the system does not depend on t).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub max_step: Option<Positive>,
    /// `auto`: `dop853`, and `radau` where the problem is stiff. Not stiff: `dopri5`, `tsit5` (order 5), `dop853` (order
    /// 8). Stiff: `radau` (order 5, below a tolerance of 3e-8 order 9), `bdf` (orders 1 to 5, for large systems), `rodas4` (order 4, for low accuracy).
    #[value(default)]
    pub method: SolveOdeMethod,
    /// Times at which to return the solution, in the direction of integration and within `t_span`; absent: every accepted step.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub t_eval: Option<Input<Vector>>,
    /// Whether to estimate the error at the end, by a second integration with looser tolerances, which takes a third to a half of the time.
    #[value(default = "default_true")]
    pub error_estimate: bool,
    /// What `rtol` and `atol` bound: with `step` the error of each step, which may grow along the solution; with `end` the estimated error at the
    /// end, relative to the largest size of each component along the solution. For that the equations are integrated again with tighter tolerances
    /// until the bound holds; where it cannot, a warning says by how much it is missed.
    #[value(default)]
    pub error_control: ErrorControl,
    /// Functions whose zeros along the solution are returned, end it, or change the state, as a bounce or a dose does. Where the state changes, the
    /// solution has two rows of the same time, before and after; at a time of `t_eval` it is the one after.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub events: Vec<OdeEventArgs>,
    /// Largest number of changes of the state by `events`, 1 to 100,000.
    #[value(default = "BoundedInteger::<1, 100_000>::of::<1_000>")]
    pub max_events: BoundedInteger<1, 100_000>,
    /// Names of `parameters` by which the solution is differentiated. The start does not depend on them; with a singular `mass`, `mass` times
    /// the start does not, and the rest of it follows from the algebraic equations.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub sensitivities: Vec<String>,
    /// Further trajectories, each with another `y0` or other values of `parameters`; computed in parallel.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub sweep: Vec<SweepVariation>,
    /// Probabilities, such as [0.025, 0.975] for a band: the quantiles of the runs of `sweep` at each time of `t_eval` are returned too.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub quantiles: Vec<Probability>,
}

pub(super) fn default_rtol() -> Tolerance {
    Tolerance::literal(1e-6)
}

pub(super) fn default_atol() -> AbsoluteTolerance {
    AbsoluteTolerance::One(Tolerance::literal(1e-9))
}

/// What the tolerances bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ErrorControl {
    /// The error of each step.
    #[default]
    Step,
    /// The estimated error at the end.
    End,
}

/// Absolute tolerances: one for all components, or one each.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
#[value(untagged)]
pub(crate) enum AbsoluteTolerance {
    /// For all components.
    One(Tolerance),
    /// For each component.
    Each(Vec<Tolerance>),
}

tool_core::inline_schema!(
    AbsoluteTolerance,
    json!({
        "anyOf": [
            { "type": "number", "minimum": 0 },
            { "type": "array", "minItems": 1, "items": { "type": "number", "minimum": 0 } }
        ]
    })
);

/// One trajectory of a sweep: what differs from the other arguments.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct SweepVariation {
    /// Start value; absent: that of the call. With `v0` in the call: positions, then velocities.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y0: Option<Vec<Finite>>,
    /// Values of some of the numbers in the call's `parameters`.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
}
