//! Adaptive explicit Runge-Kutta integration: [`integrate`], values between the steps, and error estimates.
//!
//! The steps are those of the crate `ode_solvers`. Its workarounds:
//!
//! - its Dop853 (0.6.2) evaluates the twelfth stage at the start of the step instead of its end, which ruins every right-hand side
//!   that depends on time; so the elapsed time travels as a further component of the state and the crate's own time is not used;
//! - its stiffness test and its dense output assume growing time, so a backward problem is reflected;
//! - its counts of steps and rejections are incomplete, so attempts are counted by their evaluations;
//! - the sum of the steps may miss the end by a rounding error, so the last time is set to it;
//! - it can return neither a stop request nor an error of the right-hand side, so both are latched.

use std::cell::RefCell;

use ode_solvers::dop_shared::IntegrationError;
use ode_solvers::{DVector, Dop853, Dopri5, OutputType, System};
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{Ctx, ToolError};

/// Computes `dy = f(t, y)`.
pub(crate) type Rhs<'a> = dyn FnMut(f64, &[f64], &mut [f64]) + 'a;

/// The pair of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pair {
    /// Dormand-Prince 5(4).
    Dopri5,
    /// Dormand-Prince 8(5,3).
    Dop853,
}

/// Settings of an integration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Relative tolerance of the local error.
    pub rtol: f64,
    /// Absolute tolerance of the local error.
    pub atol: f64,
    /// Largest number of attempted steps.
    pub max_steps: u32,
    /// Largest size of a step; infinite when there is no limit.
    pub step_max: f64,
    /// The formulas.
    pub pair: Pair,
}

/// Reason an integration stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// `max_steps` was used up.
    MaxSteps,
    /// The step became too small for a double: a singularity, or a right-hand side that is not smooth or not finite.
    StepTooSmall,
    /// The solution became too large for a double, or is not a number.
    NotFinite,
}

/// The accepted steps.
#[derive(Debug)]
pub(crate) struct Trajectory {
    /// Times, the start first.
    pub t: Vec<f64>,
    /// States, one after the other, each of the length of `y0`.
    pub y: Vec<f64>,
    /// Attempted steps that were rejected.
    pub rejected: u64,
    /// Evaluations of the right-hand side.
    pub evaluations: u64,
    /// Reason it ended before the end of the span; `None` when it did not.
    pub stopped: Option<Reason>,
}

impl Trajectory {
    /// Number of components.
    fn dimension(&self) -> usize {
        self.y.len() / self.t.len()
    }

    /// The state at an index.
    pub(crate) fn state(&self, index: usize) -> &[f64] {
        let n = self.dimension();
        &self.y[index * n..(index + 1) * n]
    }

    /// The last time that was reached.
    pub(crate) fn t_end(&self) -> f64 {
        self.t[self.t.len() - 1]
    }

    /// The last state that was reached.
    pub(crate) fn y_end(&self) -> &[f64] {
        self.state(self.t.len() - 1)
    }
}

/// Integrates `y' = f(t, y)` from `t0` to `t1`, in either direction.
///
/// # Method
/// Embedded pairs of Dormand and Prince with the step control of Hairer, Norsett and Wanner: a step is accepted when the root
/// mean square of `error / (atol + rtol max(|y|, |y_next|))` is at most 1. A non-finite trial rejects the step.
///
/// # Accuracy and cost
/// The local error follows the tolerances; the global error is usually 1 to 100 times larger. 6 (Dopri5) or 11 to 12 (Dop853)
/// evaluations per step, about 30 vectors of memory plus two per step.
///
/// # Errors
/// Only a stop request, a budget, or an error of `f`; an integration that ends early is a [`Trajectory`] that says so.
///
/// # References
/// E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed., Springer 1993, sections II.4-5.
pub(crate) fn integrate(
    rhs: &mut Rhs<'_>,
    (t0, t1): (f64, f64),
    y0: &[f64],
    options: Options,
    ctx: &Ctx,
) -> Result<Trajectory, ToolError> {
    run(rhs, (t0, t1), y0, options, Start::default(), ctx).map(|(trajectory, _)| trajectory)
}

/// Initial values of a run besides the state.
#[derive(Default, Clone, Copy)]
struct Start {
    /// Size of the first step; estimated when absent.
    step: Option<f64>,
    /// Test for stiffness after every step and stop when it is found.
    probe: bool,
}

/// Runs the crate's solver; the second result says whether it found the problem stiff.
fn run(
    rhs: &mut Rhs<'_>,
    (t0, t1): (f64, f64),
    y0: &[f64],
    options: Options,
    start: Start,
    ctx: &Ctx,
) -> Result<(Trajectory, bool), ToolError> {
    let span = (t1 - t0).abs();
    let state = RefCell::new(Run {
        rhs,
        ctx,
        t0,
        span,
        direction: if t1 < t0 { -1.0 } else { 1.0 },
        error: None,
        evaluations: 0,
        t: vec![t0],
        y: y0.to_vec(),
        broken: false,
    });
    ctx.reserve_doubles(40 * (y0.len() + 1))?;
    let step_max = span.min(options.step_max);
    let step = match start.step {
        Some(step) => step.abs(),
        None => initial_step(&mut state.borrow_mut(), span, y0, options),
    };
    let step = step.min(step_max);
    let watched = Watched { state: &state };
    let y = DVector::from_iterator(y0.len() + 1, y0.iter().copied().chain([0.0]));
    // The component of time has no error; the mean of the squares shall not be diluted by it.
    let share = (y0.len() as f64 / (y0.len() + 1) as f64).sqrt();
    let (rtol, atol) = (options.rtol * share, options.atol * share);
    let max_steps = options.max_steps;
    let fewer = max_steps - 1; // Dopri5 allows one attempt more than its limit
    let n_stiff = if start.probe { 1 } else { u32::MAX };
    let sparse = OutputType::Sparse;
    // The numbers are the default step control of both pairs.
    let outcome = match options.pair {
        Pair::Dopri5 => Dopri5::from_param(
            watched, 0.0, span, span, y, rtol, atol, 0.9, 0.04, 0.2, 10.0, step_max, step, fewer,
            n_stiff, sparse,
        )
        .integrate(),
        Pair::Dop853 => Dop853::from_param(
            watched, 0.0, span, span, y, rtol, atol, 0.9, 0.0, 0.333, 6.0, step_max, step,
            max_steps, n_stiff, sparse,
        )
        .integrate(),
    };
    let run = state.into_inner();
    if let Some(error) = run.error {
        return Err(error);
    }
    let stiff = matches!(outcome, Err(IntegrationError::StiffnessDetected { .. }));
    let stopped = match outcome {
        _ if run.broken => Some(Reason::NotFinite),
        Ok(_) => None,
        Err(IntegrationError::MaxNumStepReached { .. }) => Some(Reason::MaxSteps),
        Err(_) => Some(Reason::StepTooSmall),
    };
    let mut trajectory = Trajectory {
        rejected: rejected(run.evaluations, run.t.len() as u64 - 1, options.pair, start),
        t: run.t,
        y: run.y,
        evaluations: run.evaluations,
        stopped,
    };
    if stopped.is_none() {
        let last = trajectory.t.len() - 1;
        trajectory.t[last] = t1;
    }
    Ok((trajectory, stiff))
}

/// Attempts that were rejected. The crate does not report them when it fails, nor those before the first accepted step, but
/// every attempt costs a fixed number of evaluations.
fn rejected(evaluations: u64, accepted: u64, pair: Pair, start: Start) -> u64 {
    let before_the_first = if start.step.is_some() { 1 } else { 3 };
    let stages = evaluations.saturating_sub(before_the_first);
    let attempts = match pair {
        Pair::Dopri5 => stages / 6,
        Pair::Dop853 => stages.saturating_sub(accepted) / 11,
    };
    attempts.saturating_sub(accepted)
}

/// One run as the solver sees it: the right-hand side, and what happened so far.
struct Run<'a, 'f> {
    rhs: &'a mut Rhs<'f>,
    ctx: &'a Ctx,
    t0: f64,
    span: f64,
    direction: f64,
    error: Option<ToolError>,
    evaluations: u64,
    t: Vec<f64>,
    y: Vec<f64>,
    broken: bool,
}

impl Run<'_, '_> {
    fn time(&self, elapsed: f64) -> f64 {
        self.t0 + self.direction * elapsed
    }

    /// The derivative by the elapsed time; not a number once an error is latched, which ends the run within the step.
    fn derivative(&mut self, elapsed: f64, y: &[f64], dy: &mut [f64]) {
        self.evaluations += 1;
        if self.error.is_none() {
            let allowed = self.ctx.check();
            let allowed = allowed.and_then(|()| self.ctx.count_evaluations(1));
            self.error = allowed.err();
        }
        if self.error.is_some() {
            dy.fill(f64::NAN);
            return;
        }
        let time = self.time(elapsed);
        (self.rhs)(time, y, dy);
        if self.direction < 0.0 {
            dy.iter_mut().for_each(|value| *value = -*value);
        }
    }

    /// Records an accepted step; true asks the solver to stop.
    fn accept(&mut self, elapsed: f64, y: &[f64]) -> bool {
        if self.error.is_some() {
            return true;
        }
        if y.iter().any(|value| !value.is_finite()) {
            self.broken = true;
            return true;
        }
        // The solver keeps a copy of its own.
        if let Err(error) = self.ctx.reserve_doubles(2 * y.len() + 10) {
            self.error = Some(error);
            return true;
        }
        self.t.push(self.time(elapsed));
        if self.t.len().is_multiple_of(1024) {
            let (t, steps) = (self.time(elapsed), self.t.len());
            let words = || format!("t = {t:.6}, {steps} steps");
            self.ctx.progress(elapsed / self.span, words);
        }
        self.y.extend_from_slice(y);
        false
    }
}

/// The face of a [`Run`] towards the crate, which evaluates through a shared reference.
struct Watched<'r, 'a, 'f> {
    state: &'r RefCell<Run<'a, 'f>>,
}

impl System<f64, DVector<f64>> for Watched<'_, '_, '_> {
    fn system(&self, _: f64, state: &DVector<f64>, derivative: &mut DVector<f64>) {
        let (elapsed, y) = split(state);
        let n = y.len();
        let derivative = derivative.as_mut_slice();
        derivative[n] = 1.0;
        let mut run = self.state.borrow_mut();
        run.derivative(elapsed, y, &mut derivative[..n]);
    }

    fn solout(&mut self, _: f64, state: &DVector<f64>, _: &DVector<f64>) -> bool {
        let (elapsed, y) = split(state);
        self.state.borrow_mut().accept(elapsed, y)
    }
}

/// The elapsed time, which is the last component, and the others.
fn split(state: &DVector<f64>) -> (f64, &[f64]) {
    let parts = state.as_slice().split_last();
    let (elapsed, y) = parts.expect("the state holds at least the elapsed time");
    (*elapsed, y)
}

/// A first step for which an Euler step changes the solution by about a hundredth of the tolerance's scale.
///
/// The algorithm of Hairer, Norsett and Wanner (section II.4), with a floor that the size of `t` needs: at t = 1e12 a step of
/// 1e-6 does not move the time.
fn initial_step(run: &mut Run<'_, '_>, span: f64, y0: &[f64], options: Options) -> f64 {
    let n = y0.len();
    let order = match options.pair {
        Pair::Dopri5 => 5.0,
        Pair::Dop853 => 8.0,
    };
    let floor = (1e3 * f64::EPSILON * run.t0.abs()).min(span);
    let size = |values: &[f64]| {
        let scaled = |(value, y): (&f64, &f64)| value / (options.atol + options.rtol * y.abs());
        let squares = values.iter().zip(y0).map(|pair| scaled(pair).powi(2));
        (squares.sum::<f64>() / n as f64).sqrt()
    };
    let mut f0 = vec![0.0; n];
    run.derivative(0.0, y0, &mut f0);
    let (d0, d1) = (size(y0), size(&f0));
    let euler = if d0 < 1e-5 || d1 < 1e-5 || !d1.is_finite() {
        1e-6
    } else {
        0.01 * d0 / d1
    };
    let euler = euler.clamp(floor, span);
    let y1: Vec<f64> = y0.iter().zip(&f0).map(|(y, f)| y + euler * f).collect();
    let mut f1 = vec![0.0; n];
    run.derivative(euler, &y1, &mut f1);
    let change: Vec<f64> = f1.iter().zip(&f0).map(|(f1, f0)| f1 - f0).collect();
    let curvature = d1.max(size(&change) / euler);
    let second = if curvature <= 1e-15 {
        (euler * 1e-3).max(1e-6)
    } else {
        (0.01 / curvature).powf(1.0 / order)
    };
    let step = (100.0 * euler).min(second);
    if step.is_finite() {
        step.clamp(floor, span)
    } else {
        euler
    }
}

/// States at the given times, each by one step from the accepted one before it, so that they have the method's own order and do
/// not depend on each other. The times must lie between the first and the last of the trajectory, in its order.
///
/// # Errors
/// As [`integrate`], and `numeric` where a time cannot be reached from the step before it.
pub(crate) fn states_at(
    rhs: &mut Rhs<'_>,
    trajectory: &Trajectory,
    times: &[f64],
    options: Options,
    ctx: &Ctx,
) -> Result<(Vec<f64>, u64), ToolError> {
    const SUBSTEPS_MAX: u32 = 1000;
    let n = trajectory.dimension();
    ctx.reserve_doubles(times.len().saturating_mul(n))?;
    let (mut states, mut evaluations, mut index) = (Vec::with_capacity(times.len() * n), 0, 0);
    let forward = trajectory.t_end() >= trajectory.t[0];
    let passed = |t: f64, limit: f64| if forward { t <= limit } else { t >= limit };
    for &time in times {
        while index + 1 < trajectory.t.len() && passed(trajectory.t[index + 1], time) {
            index += 1;
        }
        let (t, y) = (trajectory.t[index], trajectory.state(index));
        if t == time {
            states.extend_from_slice(y);
            continue;
        }
        let start = Start {
            step: Some(time - t),
            probe: false,
        };
        let options = Options {
            max_steps: SUBSTEPS_MAX,
            ..options
        };
        let (between, _) = run(rhs, (t, time), y, options, start, ctx)?;
        if between.stopped.is_some() {
            refuse!(numeric "/t_eval", "no_convergence";
                "the solution at t = {time}, between two steps, was not reached";
                "the right-hand side is not smooth there; leave `t_eval` out to see the steps");
        }
        evaluations += between.evaluations;
        states.extend_from_slice(between.y_end());
    }
    Ok((states, evaluations))
}

/// Whether stability rather than accuracy limits the steps, and the evaluations that the answer took.
///
/// # Method
/// Hairer's test on up to 60 steps before the end: step size times an estimate of the dominant eigenvalue stays near the border
/// of the stability region.
///
/// # Errors
/// As [`integrate`].
pub(crate) fn is_stiff(
    rhs: &mut Rhs<'_>,
    trajectory: &Trajectory,
    t1: f64,
    options: Options,
    ctx: &Ctx,
) -> Result<(bool, u64), ToolError> {
    const STEPS: usize = 60;
    /// Fewer steps than this were no burden.
    const STEPS_MIN: usize = 200;
    if trajectory.t.len() < STEPS_MIN {
        return Ok((false, 0));
    }
    let from = trajectory.t.len() - 1 - STEPS;
    let step = trajectory.t[from + 1] - trajectory.t[from];
    let start = Start {
        step: Some(step),
        probe: true,
    };
    let options = Options {
        max_steps: STEPS as u32,
        pair: Pair::Dop853,
        ..options
    };
    let span = (trajectory.t[from], t1);
    let (probe, stiff) = run(rhs, span, trajectory.state(from), options, start, ctx)?;
    Ok((stiff, probe.evaluations))
}

/// Estimates the largest error of a component at the end by comparing with a run at ten times looser tolerances; `None` when
/// that run does not arrive. Returns the evaluations too.
///
/// # Errors
/// As [`integrate`].
pub(crate) fn error_at_end(
    rhs: &mut Rhs<'_>,
    trajectory: &Trajectory,
    options: Options,
    ctx: &Ctx,
) -> Result<(Option<f64>, u64), ToolError> {
    const LOOSER: f64 = 10.0;
    let looser = Options {
        rtol: options.rtol * LOOSER,
        atol: options.atol * LOOSER,
        ..options
    };
    let span = (trajectory.t[0], trajectory.t_end());
    let other = integrate(rhs, span, trajectory.state(0), looser, ctx)?;
    let pairs = trajectory.y_end().iter().zip(other.y_end());
    let difference = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let arrived = other.stopped.is_none();
    Ok((arrived.then_some(difference), other.evaluations))
}
