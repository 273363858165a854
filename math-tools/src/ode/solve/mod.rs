//! `solve_ode`: initial value problems, by expressions or as a linear system.

mod answer;
mod arguments;
mod check;
pub(crate) mod dynamics;
mod event;
mod failure;
mod mass;
pub(crate) mod method;
pub(crate) mod parametric;
pub(crate) mod sensitivity;
mod sweep;
pub(crate) mod system;
mod verify;

use crate::call_watch::CallWatch;
use crate::prelude::*;

use self::answer::{
    OdeStats, ParameterSensitivity, SolveOdeReason, derivative_rows, event_rows, method_names,
    solve_from_start, state_rows, warn_of,
};
use self::event::EventOccurrenceRows;
use self::failure::ode_error;
use self::sweep::{SweepQuantile, SweepRun};

pub(crate) use self::arguments::Args;

/// The solution and how it was found.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Times, in the direction of integration.
    #[schema(extend("x-shape" = ["times"]))]
    pub t: Vec<f64>,
    /// The solution: one row per time, one number per component.
    #[schema(extend("x-shape" = ["times", "n"]))]
    pub y: Vec<Vec<f64>>,
    /// Whether the end of `t_span` or a terminal event was reached.
    pub completed: bool,
    /// Reason the end of `t_span` was not reached; absent when it was.
    #[value(skip_encoding_if = "Option::is_none")]
    pub reason: Option<SolveOdeReason>,
    /// The time that was reached.
    pub t_end: f64,
    /// Work done.
    pub stats: OdeStats,
    /// The methods used, in order, separated by commas; of more than five the first five, and the number of changes.
    pub method: String,
    /// The time of the first change of method; absent when there was none.
    #[value(skip_encoding_if = "Option::is_none")]
    pub switched_at: Option<f64>,
    /// Whether stability rather than accuracy limited the steps of an explicit method: the problem is, or was for a time, stiff.
    pub stiff: bool,
    /// Largest difference of a component at the end from a run with ten times looser tolerances (with shorter steps where those are the same), in the units of y: usually
    /// several times the true error. Absent when not completed, or not asked for.
    #[value(skip_encoding_if = "Option::is_none")]
    pub error_estimate: Option<f64>,
    /// Zeros of each of `events`, in their order; absent without events.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "events": { "least": 1 } }))]
    pub events: Option<Vec<EventOccurrenceRows>>,
    /// Derivatives of the solution by each of `sensitivities`; absent without them.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "sensitivities": { "least": 1 } }))]
    pub sensitivities: Option<Vec<ParameterSensitivity>>,
    /// The trajectories of `sweep`, in their order; absent without it.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "sweep": { "least": 1 } }))]
    pub sweep: Option<Vec<SweepRun>>,
    /// Quantiles of the runs of `sweep`, for each of `quantiles`; absent without them.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "quantiles": { "least": 1 } }))]
    pub quantiles: Option<Vec<SweepQuantile>>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("solve_ode", "Integrate differential equations")
        .tags(&["ode", "initial value problem", "runge-kutta", "stiff"])
        .syntax(&[
            ("/system", Syntax::Expression),
            ("/events", Syntax::Expression),
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "y' = 2 t with y(0) = 1 gives y = 1 + t^2":
            r#"{"y0": [1], "t_span": [0, 3], "system": "2*t", "t_eval": [0, 1, 2, 3]}"#
            => r#"{"t": [0.0, 1.0, 2.0, 3.0], "y": [[1.0], [2.0], [5.0], [10.0]],
                "completed": true, "t_end": 3.0,
                "stats": {"steps": 7, "rejected": 0, "function_evals": 89, "extra_evals": 378,
                    "jacobian_evals": 0, "factorisations": 0},
                "method": "dop853", "stiff": false, "error_estimate": 1.7763568394002505e-15}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let setup = check::check_arguments(&args, ctx)?;
        let watch = CallWatch(ctx);
        let solved = solve_from_start(&setup, &setup.y0, &setup.values, &watch)
            .map_err(|error| ode_error(error, watch))?;
        warn_of(&solved, &setup, ctx);
        let runs = sweep::run_sweep(&setup, ctx)?;
        let quantiles = sweep::sweep_quantiles(&setup, &runs, ctx)?;
        Ok(Output {
            y: state_rows(&solved),
            completed: solved.is_complete(),
            sensitivities: derivative_rows(&solved, &setup),
            sweep: (!runs.is_empty()).then_some(runs),
            quantiles: (!args.quantiles.is_empty()).then_some(quantiles),
            t: solved.t,
            reason: solved.stopped.map(SolveOdeReason::from),
            t_end: solved.t_end,
            stats: solved.work.into(),
            method: method_names(&solved.methods),
            switched_at: solved.switched_at,
            stiff: solved.is_stiff,
            error_estimate: solved.error_estimate,
            events: event_rows(solved.events, &setup),
        })
    }
}

#[cfg(test)]
mod tests;
