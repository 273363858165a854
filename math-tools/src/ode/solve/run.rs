//! [`solve_from_start`]: one trajectory with its evidence.

use tool_core::{Ctx, Describe, Encode, Shortfall, ToolError};

use super::check::{OdeSetup, RTOL_MIN};
use super::detector::EventDoubt;
use super::drive::{OdeOptions, OdeTrajectory, error_at_end, integrate_flow};
use super::event::EventOccurrences;
use super::flow::{OdeFlow, OdeWork};
use super::jump::{DerivativeJump, search_discontinuity};
use super::method::OdeMethod;
use super::sensitivity::VariationalFlow;
use super::stepper::OdeEnd;
use super::watch::TrajectoryWatch;

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

/// Derivatives of the solution by a parameter.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct ParameterSensitivity {
    /// Name of the parameter.
    pub parameter: String,
    /// One row per time, one derivative per component.
    pub y: Vec<Vec<f64>>,
}

/// A trajectory and how it was found.
pub(super) struct OdeSolution {
    /// Times, in the direction of integration.
    pub t: Vec<f64>,
    /// States at the times, one after the other, each with its derivatives by parameters.
    y: Vec<f64>,
    /// Number of components, and of entries of a state.
    widths: (usize, usize),
    /// Reason the end was not reached.
    pub reason: Option<OdeEnd>,
    /// The time that was reached.
    pub t_end: f64,
    /// Work done.
    pub stats: OdeStats,
    /// The methods used, in order.
    pub methods: Vec<OdeMethod>,
    /// The time of the change from one to the next.
    pub switched_at: Option<f64>,
    /// Whether stability limited the steps of an explicit method.
    pub stiff: bool,
    /// Difference at the end from a run with looser tolerances.
    pub error_estimate: Option<f64>,
    /// Zeros of the events.
    pub events: Vec<EventOccurrences>,
    /// Events of which zeros may be missing.
    pub doubts: Vec<(usize, EventDoubt)>,
    jump: Option<(DerivativeJump, bool)>,
    /// The tolerances of the integration in units of those asked for.
    factor: f64,
    /// The estimate of the error at the end in units of what was asked for, where that was not reached, and whether steps ran out.
    pub unmet: Option<(f64, bool)>,
}

/// An integration that was searched for changes of the right-hand side between its steps.
struct OdeIntegration<'a> {
    path: OdeTrajectory,
    watch: TrajectoryWatch<'a>,
    options: OdeOptions,
    /// What was found between the steps, and whether the path has it.
    jump: Option<(DerivativeJump, bool)>,
    /// Work besides that of the path.
    before: OdeWork,
}

impl OdeIntegration<'_> {
    fn is_whole(&self) -> bool {
        is_whole(self.path.stopped)
    }

    fn work(&self) -> OdeWork {
        let mut work = self.path.work;
        work += self.before;
        work
    }
}

/// Whether the end or a terminal event was reached.
fn is_whole(stopped: Option<OdeEnd>) -> bool {
    matches!(stopped, None | Some(OdeEnd::TerminalEvent))
}

/// Integrates, and again with shorter steps where something changes between them.
fn integrate_with_restarts<'a>(
    flow: &mut dyn OdeFlow,
    setup: &'a OdeSetup,
    (y0, free): (&[f64], &'a [f64]),
    options: &OdeOptions,
    ctx: &Ctx,
) -> Result<OdeIntegration<'a>, ToolError> {
    let times = setup.times.as_deref().unwrap_or(&[]);
    let watch = || {
        TrajectoryWatch::new(
            times,
            &setup.events,
            (setup.y0.len(), free),
            setup.span,
            setup.events_max,
        )
    };
    let mut watched = watch();
    let path = integrate_flow(flow, setup.span, y0, options, &mut watched, ctx)?;
    let mut done = OdeIntegration {
        path,
        watch: watched,
        options: options.clone(),
        jump: None,
        before: OdeWork::default(),
    };
    // A stiff method is not misled by what it does not see between its steps, unless that comes with time alone.
    let methods = &done.path.methods;
    let explicit = !methods.iter().any(|method| method.is_implicit());
    let is_looked_at =
        done.is_whole() && !setup.dynamics.has_mass() && (explicit || setup.dynamics.uses_time());
    if !is_looked_at {
        return Ok(done);
    }
    let (found, work) = search_discontinuity(flow, &done.path, options, ctx)?;
    done.before += work;
    let Some(found) = found else {
        return Ok(done);
    };
    let seeing = OdeOptions {
        step_max: found.step.min(options.step_max),
        ..options.clone()
    };
    let mut watched = watch();
    let again = integrate_flow(flow, setup.span, y0, &seeing, &mut watched, ctx)?;
    let seen = is_whole(again.stopped);
    done.jump = Some((found, seen));
    if seen {
        done.before += done.path.work;
        (done.path, done.options, done.watch) = (again, seeing, watched);
    } else {
        done.before += again.work;
    }
    Ok(done)
}

/// Integrates from a start with values of the free parameters.
///
/// # Errors
/// `numeric` at `/system` when the derivative is not finite at the start; a stop request or a budget.
pub(super) fn solve_from_start(
    setup: &OdeSetup,
    y0: &[f64],
    free: &[f64],
    ctx: &Ctx,
) -> Result<OdeSolution, ToolError> {
    let n = y0.len();
    let mut derivative = setup.dynamics.evaluator(free);
    check_start(&mut derivative, setup.span.0, y0, ctx)?;
    if let Some(mass) = &setup.mass {
        mass.check_start(
            &mut derivative,
            (setup.span.0, y0),
            &setup.options.tolerances,
            ctx,
        )?;
    }
    let times = setup.times.as_deref().unwrap_or(&[]);
    let mut options = setup.options.clone();
    let mut plain;
    let mut variational;
    let mut start = y0.to_vec();
    let flow: &mut dyn OdeFlow = match &setup.by_parameters {
        None => {
            plain = derivative;
            &mut plain
        }
        Some(by_parameters) => {
            let at = (setup.span.0, y0);
            if let Some(mass) = &setup.mass {
                let slopes = by_parameters.at(&mut derivative, at);
                for by in mass.start_by_parameters(&mut derivative, at, &slopes, ctx)? {
                    start.extend(by);
                }
            }
            start.resize(n * (1 + by_parameters.count), 0.0);
            ctx.reserve_doubles(10 * start.len())?;
            options.tolerances = options
                .tolerances
                .with_derivatives(n, &free[..by_parameters.count]);
            variational = VariationalFlow::new(derivative, by_parameters);
            &mut variational
        }
    };
    let y0 = start.as_slice();
    let mut extra = OdeWork::default();
    let mut done = integrate_with_restarts(flow, setup, (y0, free), &options, ctx)?;
    let (mut error_estimate, mut factor, mut unmet) = (None, 1.0, None);
    let mut before = f64::INFINITY;
    while setup.estimates && done.is_whole() {
        let wanted = &options.tolerances;
        let changes = || done.watch.changes_alone(&setup.events, free);
        let of = (&done.path, n);
        let (estimate, work) = error_at_end(flow, of, &done.options, wanted, &changes, ctx)?;
        extra += work;
        error_estimate = estimate.map(|estimate| estimate.largest);
        let scaled = estimate.map_or(f64::INFINITY, |estimate| estimate.scaled);
        unmet = (setup.bounds_end && scaled > 1.0).then_some((scaled, false));
        // Where tighter tolerances bring little, as at the level of rounding, still tighter ones bring no more.
        if unmet.is_none() || scaled >= 0.8 * before {
            break;
        }
        before = scaled;
        let next = factor * (0.3 / scaled).max(1e-3);
        let mut finer = done.options.clone();
        finer.tolerances = wanted.times(next);
        finer.tolerances.rtol = finer.tolerances.rtol.max(RTOL_MIN);
        let mut again = integrate_with_restarts(flow, setup, (y0, free), &finer, ctx)?;
        if !again.is_whole() {
            unmet = Some((scaled, again.path.stopped == Some(OdeEnd::MaxSteps)));
            extra += again.work();
            break;
        }
        extra += done.work();
        again.jump = again.jump.or(done.jump);
        (done, factor) = (again, next);
    }
    let OdeIntegration {
        path,
        watch: watched,
        jump: found,
        before,
        ..
    } = done;
    extra += before;
    let reason = path.stopped;
    let t_end = path.t_end();
    let stats = OdeStats {
        // A change of the state by an event is no step.
        steps: {
            let moves = |pair: &&[f64]| pair[0] != pair[1];
            path.t.windows(2).filter(moves).count() as u64
        },
        rejected: path.rejected,
        function_evals: path.work.evaluations,
        extra_evals: extra.evaluations,
        jacobian_evals: path.work.jacobians,
        factorisations: path.work.factorisations,
    };
    let widths = (n, y0.len());
    let (t, y) = if setup.times.is_some() {
        let reached = path.samples.len() / y0.len();
        (times[..reached].to_vec(), path.samples)
    } else {
        (path.t, path.y)
    };
    Ok(OdeSolution {
        t,
        y,
        widths,
        reason,
        t_end,
        stats,
        stiff: path.stiff || path.switched_at.is_some(),
        methods: path.methods,
        switched_at: path.switched_at,
        error_estimate,
        doubts: watched.doubts(),
        events: watched.occurrences(),
        jump: found,
        factor,
        unmet,
    })
}

/// Refuses a right-hand side that is not finite at the start.
fn check_start(flow: &mut dyn OdeFlow, t: f64, y: &[f64], ctx: &Ctx) -> Result<(), ToolError> {
    let mut dy = vec![0.0; y.len()];
    ctx.count_evaluations(1)?;
    flow.eval(t, y, &mut dy);
    let Some(index) = dy.iter().position(|value| !value.is_finite()) else {
        return Ok(());
    };
    let found = tool_core::number::non_finite_spelling(dy[index]);
    refuse!(numeric "/system", "not_finite";
        "the derivative of y{index} at the start (t = {t}) is {found}";
        "check the equation and the start value");
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

impl OdeSolution {
    /// As [`is_whole`].
    pub(super) fn is_complete(&self) -> bool {
        is_whole(self.reason)
    }

    /// The states as rows.
    pub(super) fn rows(&self) -> Vec<Vec<f64>> {
        let (n, width) = self.widths;
        let rows = self.y.chunks_exact(width);
        rows.map(|row| row[..n].to_vec()).collect()
    }

    /// The derivatives by the parameters asked for.
    pub(super) fn derivatives(&self, setup: &OdeSetup) -> Option<Vec<ParameterSensitivity>> {
        let (n, width) = self.widths;
        let by_parameters = setup.by_parameters.as_ref()?;
        let of = |(name, index): (&String, usize)| ParameterSensitivity {
            parameter: name.clone(),
            y: {
                let rows = self.y.chunks_exact(width);
                rows.map(|row| row[(index + 1) * n..(index + 2) * n].to_vec())
                    .collect()
            },
        };
        Some(
            setup
                .free
                .iter()
                .zip(0..by_parameters.count)
                .map(of)
                .collect(),
        )
    }

    /// Says what the caller must know besides the result.
    pub(super) fn warn(&self, setup: &OdeSetup, ctx: &Ctx) {
        if let Some((DerivativeJump { t, step }, seen)) = self.jump {
            ctx.warn(if seen {
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
        for (event, doubt) in &self.doubts {
            ctx.warn(doubt.words(*event));
        }
        let t = self.t_end;
        if let Some(words) = self
            .reason
            .and_then(|reason| shortfall_reason(reason, t, setup))
        {
            ctx.fall_short(Shortfall::Incomplete, words);
        }
        if let Some((scaled, is_short)) = self.unmet {
            let found = match scaled.is_finite() {
                true => format!("estimated as {scaled:.1e} times"),
                false => "not known to be within".to_owned(),
            };
            let next = match is_short {
                true => "raise `max_steps`",
                false => {
                    "errors grow along the solution; raise `rtol` and `atol`, or shorten `t_span`"
                }
            };
            ctx.fall_short(
                Shortfall::Incomplete,
                format!("the error at the end is {found} what `error_control` asks for: {next}"),
            );
        } else if self.factor < 1.0 {
            let factor = self.factor;
            ctx.note(
                "tightened",
                format!("the tolerances of the steps are {factor:.1e} times those given, `rtol` at least {RTOL_MIN:.1e}"),
            );
        }
        if let Some(at) = self.switched_at {
            let methods = method_names(&self.methods);
            ctx.note("switched", format!("stiff from t = {at}: {methods}"));
        } else if self.stiff {
            ctx.warn(format!(
                "the problem is stiff near t = {t}: an explicit method needs steps far smaller than the solution; set `method` to \
                 `auto` or `radau`"
            ));
        }
    }
}

/// Why the result is incomplete; nothing for a terminal event.
fn shortfall_reason(reason: OdeEnd, t: f64, setup: &OdeSetup) -> Option<String> {
    Some(match reason {
        OdeEnd::TerminalEvent | OdeEnd::NotStarted => return None,
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
