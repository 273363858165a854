//! `sweep`: the same equations from several starts and with several values of parameters, in parallel.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{Ctx, ErrorCode, Shortfall, ToolError};

use super::check::Setup;
use super::event::Occurrences;
use super::run::{Derivatives, Solved, Stats, names, solve};
use super::stepper::Reason;

/// The outcome of one trajectory of a sweep.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Run {
    /// Times.
    pub t: Vec<f64>,
    /// The solution: one row per time.
    pub y: Vec<Vec<f64>>,
    /// Whether the end of `t_span` or a terminal event was reached.
    pub completed: bool,
    /// Reason the end was not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What was wrong with the start, where that was the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The time that was reached.
    pub t_end: f64,
    /// Work done.
    pub stats: Stats,
    /// The methods used.
    pub method: String,
    /// As for the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_estimate: Option<f64>,
    /// Zeros of the events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<Occurrences>>,
    /// Derivatives by parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivities: Option<Vec<Derivatives>>,
}

/// Integrates each variation, on as many threads as there are; each result depends on its variation alone.
///
/// # Errors
/// The first that ends the call, such as a budget. What is wrong with one start is told in its run.
pub(super) fn sweep(setup: &Setup, ctx: &Ctx) -> Result<Vec<Run>, ToolError> {
    let solved: Vec<Result<Solved, ToolError>> = setup
        .sweep
        .par_iter()
        .map(|start| solve(setup, &start.y0, &start.free, ctx))
        .collect();
    let mut runs = Vec::with_capacity(solved.len());
    for solved in solved {
        runs.push(match solved {
            Ok(solved) => run(setup, solved),
            Err(err) if err.code() == ErrorCode::Numeric => failed(setup, &err),
            Err(err) => return Err(err),
        });
    }
    let short = runs.iter().filter(|run| !run.completed).count();
    if short > 0 {
        let all = runs.len();
        let first = runs.iter().position(|run| !run.completed).unwrap_or(0);
        ctx.fall_short(
            Shortfall::Incomplete,
            format!("{short} of {all} runs of `sweep` did not reach their end, the first is number {first}, counted from 0"),
        );
    }
    Ok(runs)
}

fn run(setup: &Setup, solved: Solved) -> Run {
    Run {
        y: solved.rows(),
        completed: solved.is_complete(),
        reason: solved.reason,
        error: None,
        t_end: solved.t_end,
        stats: solved.stats,
        method: names(&solved.methods),
        error_estimate: solved.error_estimate,
        sensitivities: solved.derivatives(setup),
        events: (!setup.events.is_empty()).then_some(solved.events),
        t: solved.t,
    }
}

fn failed(setup: &Setup, err: &ToolError) -> Run {
    Run {
        t: Vec::new(),
        y: Vec::new(),
        completed: false,
        reason: Some(Reason::NotStarted),
        error: Some(err.message().to_owned()),
        t_end: setup.span.0,
        stats: Stats::default(),
        method: String::new(),
        error_estimate: None,
        events: None,
        sensitivities: None,
    }
}
