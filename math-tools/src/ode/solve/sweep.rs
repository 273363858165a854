//! `sweep`: the same equations from several starts and with several values of parameters, in parallel.

use numerics::ode::{OdeError, OdeSolution};
use rayon::prelude::*;
use tool_core::{Ctx, Describe, Encode, Probability, Shortfall, ToolError};

use super::answer::{
    OdeStats, ParameterSensitivity, SolveOdeReason, derivative_rows, event_rows, method_names,
    solve_from_start, state_rows,
};
use super::check::{OdeSetup, OdeStart};
use super::event::EventOccurrenceRows;
use super::failure::ode_error;
use crate::call_watch::CallWatch;
use crate::sampling::blocks::sorted_quantile;

/// The outcome of one trajectory of a sweep.
#[derive(Debug, Encode, Describe)]
pub(crate) struct SweepRun {
    /// Times.
    pub t: Vec<f64>,
    /// The solution: one row per time.
    pub y: Vec<Vec<f64>>,
    /// Whether the end of `t_span` or a terminal event was reached.
    pub completed: bool,
    /// Reason the end was not reached.
    #[value(skip_encoding_if = "Option::is_none")]
    pub reason: Option<SolveOdeReason>,
    /// What was wrong with the start, where that was the reason.
    #[value(skip_encoding_if = "Option::is_none")]
    pub error: Option<String>,
    /// The time that was reached.
    pub t_end: f64,
    /// Work done.
    pub stats: OdeStats,
    /// The methods used.
    pub method: String,
    /// As for the call.
    #[value(skip_encoding_if = "Option::is_none")]
    pub error_estimate: Option<f64>,
    /// Zeros of the events.
    #[value(skip_encoding_if = "Option::is_none")]
    pub events: Option<Vec<EventOccurrenceRows>>,
    /// Derivatives by parameters.
    #[value(skip_encoding_if = "Option::is_none")]
    pub sensitivities: Option<Vec<ParameterSensitivity>>,
}

/// The values below which a share of the runs lies.
#[derive(Debug, Encode, Describe)]
pub(crate) struct SweepQuantile {
    /// The share.
    pub probability: f64,
    /// One row per time of `t_eval`, one quantile per component: by linear interpolation between the runs (Hyndman-Fan type 7).
    #[schema(extend("x-shape" = ["times", "n"]))]
    pub y: Vec<Vec<f64>>,
}

/// Integrates each variation, on as many threads as there are; each result depends on its variation alone.
///
/// # Errors
/// The first that ends the call, such as a budget. What is wrong with one start is told in its run.
pub(super) fn run_sweep(setup: &OdeSetup, ctx: &Ctx) -> Result<Vec<SweepRun>, ToolError> {
    // Parallel iteration starts the threads, which takes longer than many an integration.
    if setup.sweep.is_empty() {
        return Ok(Vec::new());
    }
    let watch = CallWatch(ctx);
    let one = |start: &OdeStart| solve_from_start(setup, &start.y0, &start.free, &watch);
    let solved: Vec<Result<OdeSolution, OdeError>> =
        thread_pools::run_in_pool(|| setup.sweep.par_iter().map(one).collect());
    let unmet = |solved: &Result<OdeSolution, OdeError>| matches!(solved, Ok(solved) if solved.unmet.is_some());
    let loose = solved.iter().filter(|solved| unmet(solved)).count();
    if loose > 0 {
        let all = solved.len();
        ctx.fall_short(
            Shortfall::Incomplete,
            format!("{loose} of {all} runs of `sweep` have larger errors at their end than `error_control` asks for, as `error_estimate` says"),
        );
    }
    let has_doubts = |solved: &Result<OdeSolution, OdeError>| matches!(solved, Ok(solved) if !solved.doubts.is_empty());
    let doubtful = solved.iter().filter(|solved| has_doubts(solved)).count();
    if let Some(first) = solved.iter().position(has_doubts) {
        let all = solved.len();
        ctx.warn(format!(
            "zeros of `events` may be missing in {doubtful} of {all} runs of `sweep`, the first is number {first}, counted from 0: a call of that \
             start says where"
        ));
    }
    let mut runs = Vec::with_capacity(solved.len());
    for solved in solved {
        runs.push(match solved {
            Ok(solved) => completed_run(setup, solved),
            Err(err @ OdeError::Interrupted(_)) => return Err(ode_error(err, watch)),
            Err(err) => failed_run(setup, &ode_error(err, watch)),
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

/// The quantiles asked for, of the runs that reached every time; a warning tells how many did not.
///
/// # Errors
/// `numeric` where no run did; a stop or a limit of memory.
pub(super) fn sweep_quantiles(
    setup: &OdeSetup,
    runs: &[SweepRun],
    ctx: &Ctx,
) -> Result<Vec<SweepQuantile>, ToolError> {
    let times = setup.times.as_ref().map_or(0, |times| times.len());
    if setup.quantiles.is_empty() {
        return Ok(Vec::new());
    }
    let whole: Vec<&SweepRun> = runs.iter().filter(|run| run.y.len() == times).collect();
    if whole.is_empty() {
        refuse!(numeric "/quantiles", "incomplete"; "no run of `sweep` reached the last time of `t_eval`";
            "end `t_eval` earlier, or leave `quantiles` out");
    }
    if whole.len() < runs.len() {
        let (short, all) = (runs.len() - whole.len(), runs.len());
        ctx.warn(format!(
            "{short} of {all} runs of `sweep` ended before the last time of `t_eval`: `quantiles` are those of the others"
        ));
    }
    let n = setup.y0.len();
    ctx.reserve_doubles(n * times * setup.quantiles.len() + whole.len())?;
    let none = |probability: &Probability| SweepQuantile {
        probability: probability.get(),
        y: vec![vec![0.0; n]; times],
    };
    let mut quantiles: Vec<SweepQuantile> = setup.quantiles.iter().map(none).collect();
    for time in 0..times {
        ctx.check()?;
        for component in 0..n {
            let mut values: Vec<f64> = whole.iter().map(|run| run.y[time][component]).collect();
            values.sort_unstable_by(f64::total_cmp);
            for found in &mut quantiles {
                found.y[time][component] = sorted_quantile(&values, found.probability);
            }
        }
    }
    Ok(quantiles)
}

fn completed_run(setup: &OdeSetup, solved: OdeSolution) -> SweepRun {
    SweepRun {
        y: state_rows(&solved),
        completed: solved.is_complete(),
        reason: solved.stopped.map(SolveOdeReason::from),
        error: None,
        t_end: solved.t_end,
        stats: solved.work.into(),
        method: method_names(&solved.methods),
        error_estimate: solved.error_estimate,
        sensitivities: derivative_rows(&solved, setup),
        events: event_rows(solved.events, setup),
        t: solved.t,
    }
}

fn failed_run(setup: &OdeSetup, err: &ToolError) -> SweepRun {
    SweepRun {
        t: Vec::new(),
        y: Vec::new(),
        completed: false,
        reason: Some(SolveOdeReason::NotStarted),
        error: Some(err.message().to_owned()),
        t_end: setup.span.0,
        stats: OdeStats::default(),
        method: String::new(),
        error_estimate: None,
        events: None,
        sensitivities: None,
    }
}
