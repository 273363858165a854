//! [`solve_from_start`]: one trajectory; and what the answer says of it.

use numerics::Watch;
use numerics::ode::{
    DerivativeJump, EventOccurrences, InitialValueProblem, OdeEnd, OdeError, OdeMethod,
    OdeSolution, OdeSolutionWork, RTOL_MIN, SkippedChange, UnmetTolerance,
};
use tool_core::{Ctx, Describe, Encode, Shortfall};

use super::check::OdeSetup;
use super::event::{EventOccurrenceRows, doubt_words};
use super::sensitivity::ParametricDynamics;

/// Reason an integration ended before the end of its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SolveOdeReason {
    /// A terminal event; the result is complete.
    TerminalEvent,
    /// A run of a sweep whose start is not valid; `error` says why.
    NotStarted,
    /// `max_steps` was used up.
    MaxSteps,
    /// The step became too small for a double: a singularity, or a right-hand side that is not smooth.
    StepTooSmall,
    /// The solution grows without bound towards this time.
    BlowUp,
    /// The solution became too large for a double, or the right-hand side is not a number beyond this time.
    NotFinite,
    /// A component is 0 where its absolute tolerance is 0 too: no error of it is small enough.
    NoTolerance,
    /// The matrix of the implicit equations is singular for every step: the equations do not determine the solution.
    Singular,
    /// Events had changed the state `max_events` times.
    MaxEvents,
    /// Events that change the state follow each other ever faster, or at once, and would come to no end (Zeno).
    EventsAccumulate,
}

impl From<OdeEnd> for SolveOdeReason {
    fn from(end: OdeEnd) -> Self {
        match end {
            OdeEnd::TerminalEvent => Self::TerminalEvent,
            OdeEnd::MaxSteps => Self::MaxSteps,
            OdeEnd::StepTooSmall => Self::StepTooSmall,
            OdeEnd::BlowUp => Self::BlowUp,
            OdeEnd::NotFinite => Self::NotFinite,
            OdeEnd::NoTolerance => Self::NoTolerance,
            OdeEnd::Singular => Self::Singular,
            OdeEnd::MaxEvents => Self::MaxEvents,
            OdeEnd::EventsAccumulate => Self::EventsAccumulate,
        }
    }
}

/// Work done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Describe)]
pub(crate) struct OdeStats {
    /// Accepted steps.
    pub steps: u64,
    /// Attempted steps that were rejected.
    pub rejected: u64,
    /// Evaluations of the right-hand side by the integration.
    pub function_evals: u64,
    /// Evaluations besides: for the error estimate and the look between the steps.
    pub extra_evals: u64,
    /// Evaluations of the Jacobian by the integration.
    pub jacobian_evals: u64,
    /// LU factorisations by the integration, complex ones included.
    pub factorisations: u64,
}

impl From<OdeSolutionWork> for OdeStats {
    fn from(work: OdeSolutionWork) -> Self {
        Self {
            steps: work.steps,
            rejected: work.rejected,
            function_evals: work.integration.evaluations,
            extra_evals: work.extra_evaluations,
            jacobian_evals: work.integration.jacobians,
            factorisations: work.integration.factorisations,
        }
    }
}

/// Derivatives of the solution by a parameter.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct ParameterSensitivity {
    /// Name of the parameter.
    pub parameter: String,
    /// One row per time, one derivative per component.
    pub y: Vec<Vec<f64>>,
}

/// Integrates from a start with values of the free parameters.
///
/// # Errors
/// As [`InitialValueProblem::solve`].
pub(super) fn solve_from_start(
    setup: &OdeSetup,
    y0: &[f64],
    free: &[f64],
    watch: &dyn Watch,
) -> Result<OdeSolution, OdeError> {
    let events = || {
        let events = setup.events.iter();
        events.map(|event| event.observed(y0.len(), free)).collect()
    };
    let problem = InitialValueProblem {
        y0,
        span: setup.span,
        times: setup.times.as_deref(),
        mass: setup.mass.as_ref(),
        events: &events,
        changes_max: setup.events_max,
        uses_time: setup.dynamics.uses_time(),
        estimates_error: setup.estimates,
        bounds_end: setup.bounds_end,
        options: setup.options.clone(),
    };
    let mut derivative = setup.dynamics.evaluator(free);
    match &setup.by_parameters {
        None => problem.solve(&mut derivative, watch),
        Some(by_parameters) => {
            let mut derivative = ParametricDynamics::new(derivative, by_parameters);
            let parameters = &free[..by_parameters.count];
            problem.solve_with_derivatives(&mut derivative, parameters, watch)
        }
    }
}

/// The names of methods, separated by commas; the first few of many.
pub(super) fn method_names(methods: &[OdeMethod]) -> String {
    const SHOWN: usize = 5;
    let shown = methods.iter().take(SHOWN).map(|method| method.name());
    let shown = shown.collect::<Vec<&str>>().join(", ");
    match methods.len() {
        0..=SHOWN => shown,
        all => format!("{shown}, ... ({} changes)", all - 1),
    }
}

/// The states as rows.
pub(super) fn state_rows(solved: &OdeSolution) -> Vec<Vec<f64>> {
    solved.states().map(<[f64]>::to_vec).collect()
}

/// The derivatives by the parameters asked for.
pub(super) fn derivative_rows(
    solved: &OdeSolution,
    setup: &OdeSetup,
) -> Option<Vec<ParameterSensitivity>> {
    let by_parameters = setup.by_parameters.as_ref()?;
    let of = |(name, index): (&String, usize)| ParameterSensitivity {
        parameter: name.clone(),
        y: solved.derivatives(index).map(<[f64]>::to_vec).collect(),
    };
    let names = setup.free.iter().zip(0..by_parameters.count);
    Some(names.map(of).collect())
}

/// The zeros of each event; absent without events.
pub(super) fn event_rows(
    events: Vec<EventOccurrences>,
    setup: &OdeSetup,
) -> Option<Vec<EventOccurrenceRows>> {
    let rows = events.into_iter().map(EventOccurrenceRows::from);
    (!setup.events.is_empty()).then(|| rows.collect())
}

/// Says what the caller must know besides the result.
pub(super) fn warn_of(solved: &OdeSolution, setup: &OdeSetup, ctx: &Ctx) {
    if let Some(SkippedChange { jump, is_included }) = solved.skipped {
        let DerivativeJump { t, step } = jump;
        ctx.warn(if is_included {
                format!(
                    "the right-hand side changes near t = {t} within less than the steps saw: integrated again with steps of at most \
                     {step}; set `max_step` to what must not be missed"
                )
            } else {
                format!(
                    "the right-hand side changes near t = {t} within less than the steps saw, and the solution does not count it: set \
                     `max_step` to {step} or less, and `max_steps` to match"
                )
            });
    }
    for &(event, doubt) in &solved.doubts {
        ctx.warn(doubt_words(event, doubt));
    }
    let t = solved.t_end;
    if let Some(words) = solved
        .stopped
        .and_then(|reason| shortfall_reason(reason, t, setup))
    {
        ctx.fall_short(Shortfall::Incomplete, words);
    }
    if let Some(UnmetTolerance {
        scaled,
        is_short_of_steps,
    }) = solved.unmet
    {
        let found = match scaled.is_finite() {
            true => format!("estimated as {scaled:.1e} times"),
            false => "not known to be within".to_owned(),
        };
        let next = match is_short_of_steps {
            true => "raise `max_steps`",
            false => "errors grow along the solution; raise `rtol` and `atol`, or shorten `t_span`",
        };
        ctx.fall_short(
            Shortfall::Incomplete,
            format!("the error at the end is {found} what `error_control` asks for: {next}"),
        );
    } else if solved.tightened < 1.0 {
        let factor = solved.tightened;
        ctx.note(
                "tightened",
                format!("the tolerances of the steps are {factor:.1e} times those given, `rtol` at least {RTOL_MIN:.1e}"),
            );
    }
    if let Some(at) = solved.switched_at {
        let methods = method_names(&solved.methods);
        ctx.note("switched", format!("stiff from t = {at}: {methods}"));
    } else if solved.is_stiff {
        ctx.warn(format!(
                "the problem is stiff near t = {t}: an explicit method needs steps far smaller than the solution; set `method` to \
                 `auto` or `radau`"
            ));
    }
}

/// Why the result is incomplete; nothing for a terminal event.
fn shortfall_reason(reason: OdeEnd, t: f64, setup: &OdeSetup) -> Option<String> {
    Some(match reason {
        OdeEnd::TerminalEvent => return None,
        OdeEnd::MaxSteps => format!(
            "stopped at t = {t} after {} steps, before the end of `t_span`; raise `max_steps` or the tolerances",
            setup.options.max_steps
        ),
        OdeEnd::StepTooSmall => format!(
            "stopped at t = {t}: the step became too small for a double; the solution has a singularity there, or the right-hand side \
             is not smooth"
        ),
        OdeEnd::BlowUp => format!(
            "stopped at t = {t}: the solution grows without bound towards a singularity there"
        ),
        OdeEnd::NotFinite => format!(
            "stopped at t = {t}: beyond it the right-hand side or the solution is not a finite number, as at a singularity"
        ),
        OdeEnd::NoTolerance => format!(
            "stopped at t = {t}: a component, or a derivative by a parameter, is 0 there, and so is its tolerance `atol` + `rtol` |y|; set `atol` above 0"
        ),
        OdeEnd::Singular => format!(
            "stopped at t = {t}: the matrix of the implicit equations is singular, so that they do not determine the solution; check \
             `mass` and the equations without a derivative"
        ),
        OdeEnd::MaxEvents => format!(
            "stopped at t = {t} after {} changes of the state by events, before the end of `t_span`; raise `max_events`",
            setup.events_max
        ),
        OdeEnd::EventsAccumulate => format!(
            "stopped at t = {t}: events that change the state follow each other without time between them, and would come to no end; add a terminal \
             event that ends the run before, such as a speed that falls below a small number, or let `set` lead away from the zero"
        ),
    })
}
