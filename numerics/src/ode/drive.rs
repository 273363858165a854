//! [`integrate_flow`]: steps of a method from the start to the end, with the values asked for on the way.

use super::error::{OdeArgumentError, OdeError};
use crate::watch::{Interruption, Watch};
use faer::c64;

use super::flow::{OdeFlow, OdeProblem, OdeTolerances, OdeWork, RTOL_MIN};
use super::matrix::{JacobianStorage, ShiftedFactors};
use super::method::OdeMethod;
use super::observer::{IntegrationHalt, TrajectoryObserver};
use super::radau;
use super::stepper::{OdeEnd, OdeStepper, StepAttempt, StepBounds};
use super::switch::{
    LOOK, LOOK_BACK, SETTLED, TRIAL, explicit_pays, is_cheap, is_smooth, stiff_step_cost,
};

/// Settings of an integration.
#[derive(Debug, Clone)]
pub struct OdeOptions {
    /// Tolerances of the local error.
    pub tolerances: OdeTolerances,
    /// Largest number of attempted steps.
    pub max_steps: u32,
    /// Largest size of a step; infinite when there is no limit.
    pub step_max: f64,
    /// The method.
    pub method: OdeMethod,
}

impl Default for OdeOptions {
    /// `auto` with a relative tolerance of 1e-6, an absolute one of 1e-9, and at most 10,000 steps.
    fn default() -> Self {
        Self {
            tolerances: OdeTolerances {
                rtol: 1e-6,
                atol: vec![1e-9],
            },
            max_steps: 10_000,
            step_max: f64::INFINITY,
            method: OdeMethod::default(),
        }
    }
}

impl OdeOptions {
    /// Refuses tolerances and steps of which there is no solution for `n` components.
    ///
    /// # Errors
    /// [`OdeArgumentError`].
    pub fn check(&self, n: usize) -> Result<(), OdeArgumentError> {
        let OdeTolerances { rtol, atol } = &self.tolerances;
        if !(RTOL_MIN..=1.0).contains(rtol) {
            return Err(OdeArgumentError::RelativeTolerance {
                least: RTOL_MIN,
                found: *rtol,
            });
        }
        let is_tolerance = |atol: &f64| *atol >= 0.0 && atol.is_finite();
        if ![1, n].contains(&atol.len()) || !atol.iter().all(is_tolerance) {
            let found = atol.clone();
            return Err(OdeArgumentError::AbsoluteTolerance { found });
        }
        let found = self.step_max;
        if found.is_nan() || found <= 0.0 {
            return Err(OdeArgumentError::StepLimit { found });
        }
        Ok(())
    }
}

/// The accepted steps, and what was asked for on the way.
#[derive(Debug)]
pub struct OdeTrajectory {
    /// Times, the start first.
    pub t: Vec<f64>,
    /// States, one after the other, each of the length of `y0`.
    pub y: Vec<f64>,
    /// States at the times asked for, as far as they were reached.
    pub samples: Vec<f64>,
    /// Attempted steps that were rejected.
    pub rejected: u64,
    /// Work done.
    pub work: OdeWork,
    /// Reason it ended before the end of the span; `None` when it did not.
    pub stopped: Option<OdeEnd>,
    /// The methods used, in order.
    pub methods: Vec<OdeMethod>,
    /// The time of the change from one to the next.
    pub switched_at: Option<f64>,
    /// Whether stability limited the steps of an explicit method at the end.
    pub stiff: bool,
}

impl OdeTrajectory {
    /// Number of components.
    fn dimension(&self) -> usize {
        self.y.len() / self.t.len()
    }

    /// The state at an index of `t`.
    ///
    /// # Panics
    /// Beyond the last.
    pub fn state(&self, index: usize) -> &[f64] {
        let n = self.dimension();
        &self.y[index * n..(index + 1) * n]
    }

    /// The last time that was reached.
    pub fn t_end(&self) -> f64 {
        self.t[self.t.len() - 1]
    }

    /// The last state that was reached.
    pub fn y_end(&self) -> &[f64] {
        self.state(self.t.len() - 1)
    }
}

/// Fewer steps than this were no burden, even where stability limited them.
const STIFF_STEPS_MIN: usize = 200;

/// `auto` aims at one more digit, since the errors of a whole integration are 10 to 100 times the tolerance of a step; at the order of its
/// methods that costs a third more evaluations.
const TIGHTER: f64 = 0.1;

/// Integrates from `t0` to `t1`, in either direction.
///
/// # Method
/// Steps of the method, as its module says. `auto` begins with `dop853`; where its test finds that stability may limit the steps, or the solution
/// is smooth over many of them, and a trial of `radau` takes much longer ones, it continues with that from the state that was reached; and with
/// `dop853` again where a trial of that takes steps as long, or nearly so.
///
/// # Accuracy and cost
/// The local error follows the tolerances; the global error is usually 1 to 100 times larger. Two vectors of memory per step.
///
/// # Errors
/// An interruption, and [`OdeError::EventValue`]; an integration that ends early is an [`OdeTrajectory`] that says so.
///
/// # Panics
/// Where `y0`, the pattern of the flow and the tolerances are of different lengths, which [`OdeOptions::check`] tells.
pub fn integrate_flow(
    flow: &mut dyn OdeFlow,
    (t0, t1): (f64, f64),
    y0: &[f64],
    options: &OdeOptions,
    observer: &mut TrajectoryObserver<'_>,
    watch: &dyn Watch,
) -> Result<OdeTrajectory, OdeError> {
    let n = y0.len();
    watch.reserve_doubles(40 * (n + 1))?;
    let mut method = options.method;
    let tolerances = if method == OdeMethod::Auto {
        options.tolerances.times(TIGHTER)
    } else {
        options.tolerances.clone()
    };
    let mut problem = OdeProblem::new(flow, tolerances);
    if method.is_implicit() {
        afford_implicit_method(&mut problem, n, watch)?;
    }
    let bounds = StepBounds {
        end: t1,
        step_max: options.step_max.min((t1 - t0).abs()),
    };
    let mut path = OdeTrajectory {
        t: vec![t0],
        y: y0.to_vec(),
        samples: Vec::new(),
        rejected: 0,
        work: OdeWork::default(),
        stopped: None,
        methods: vec![method.first()],
        switched_at: None,
        stiff: false,
    };
    observer.begin((t0, y0), &mut path.samples);
    if t0 == t1 {
        return Ok(path);
    }
    let mut stepper = method.start(&mut problem, (t0, y0), None, bounds);
    let mut counted = 0;
    let (mut attempts, mut next_look, mut next_trial, mut patience) = (0, LOOK, 0, LOOK_BACK);
    // Steps before the explicit method took over last.
    let mut since = 0;
    while stepper.t() != t1 {
        watch.check()?;
        watch.count_evaluations(problem.work.evaluations - counted)?;
        counted = problem.work.evaluations;
        if attempts == options.max_steps {
            path.stopped = Some(OdeEnd::MaxSteps);
            break;
        }
        attempts += 1;
        match stepper.attempt(&mut problem, bounds) {
            StepAttempt::Rejected => {
                path.rejected += 1;
                continue;
            }
            StepAttempt::Stuck(reason) => {
                path.stopped = Some(told_apart(reason, &path, &problem.tolerances));
                break;
            }
            StepAttempt::Accepted => {}
        }
        match record_step(&mut path, &mut problem, stepper.as_mut(), observer, watch)? {
            PathProgress::Whole => {}
            PathProgress::Ended(reason) => {
                path.stopped = Some(reason);
                break;
            }
            PathProgress::Changed if path.t_end() == t1 => break,
            PathProgress::Changed => {
                // The steps before say nothing about those of another state.
                let (t, state) = (path.t_end(), path.y_end().to_vec());
                stepper = method.start(&mut problem, (t, &state), None, bounds);
                since = path.t.len();
                (next_look, next_trial) = (since + LOOK, next_trial.max(since + SETTLED));
                continue;
            }
        }
        if path.t.len().is_multiple_of(1024) {
            let (t, steps) = (stepper.t(), path.t.len());
            let words = || format!("t = {t:.6}, {steps} steps");
            watch.progress(Some(((t - t0) / (t1 - t0)).abs()), &words);
        }
        if options.method == OdeMethod::Auto && method == OdeMethod::Radau {
            if path.t.len() < next_trial {
                continue;
            }
            let at = (stepper.t(), stepper.y());
            if explicit_pays(&mut problem, at, stepper.next_step(), bounds) {
                let (t, state) = (stepper.t(), stepper.y().to_vec());
                let step = stepper.next_step();
                method = OdeMethod::Auto;
                stepper = method.start(&mut problem, (t, &state), Some(step), bounds);
                path.methods.push(method.first());
                since = path.t.len();
                next_trial = since + SETTLED;
                next_look = since + LOOK;
            } else {
                next_trial = path.t.len() + patience;
            }
            // After a return too, so that of many stiff phases not each costs two changes.
            patience *= 2;
            continue;
        }
        let done = path.t.len();
        if method == OdeMethod::Auto && done >= next_trial {
            if !stepper.may_be_stiff() {
                if done < next_look {
                    continue;
                }
                next_look = done + LOOK;
                if !is_smooth(&path, &problem.tolerances) || !is_cheap(&problem.pattern()) {
                    continue;
                }
            }
            next_trial = 2 * done - since;
            let has_room = path.switched_at.is_some()
                || afford_implicit_method(&mut problem, n, watch).is_ok();
            let left = options.max_steps - attempts;
            if has_room
                && left > TRIAL
                && let Some(stiff) = try_stiff_method(
                    (&mut path, observer),
                    &mut problem,
                    stepper.as_ref(),
                    bounds,
                    watch,
                )?
            {
                path.switched_at = path.switched_at.or(Some(stepper.t()));
                (method, stepper) = (OdeMethod::Radau, stiff);
                path.methods.push(method);
                attempts += TRIAL;
                next_trial = path.t.len() + patience;
            }
        }
    }
    watch.count_evaluations(problem.work.evaluations - counted)?;
    path.work = problem.work;
    path.stiff = stepper.is_stiff() && path.t.len() >= STIFF_STEPS_MIN;
    Ok(path)
}

/// How far the last step was added to a path.
#[derive(Debug)]
enum PathProgress {
    /// As a whole.
    Whole,
    /// To where the integration ends.
    Ended(OdeEnd),
    /// To an event, with the state after it as a further one at the same time.
    Changed,
}

/// Adds the last step of a method to the path.
fn record_step(
    path: &mut OdeTrajectory,
    problem: &mut OdeProblem<'_>,
    stepper: &mut dyn OdeStepper,
    observer: &mut TrajectoryObserver<'_>,
    watch: &dyn Watch,
) -> Result<PathProgress, OdeError> {
    if stepper.y().iter().any(|value| !value.is_finite()) {
        return Ok(PathProgress::Ended(OdeEnd::NotFinite));
    }
    let n = stepper.y().len();
    if path.y.len() + 2 * n > path.y.capacity() {
        let states = path.t.len().max(32);
        watch.reserve_doubles(states * (n + 1))?;
        path.y.reserve(states * n);
    }
    let halt = observer.step(problem, stepper, &mut path.samples, watch)?;
    let (t, y) = match &halt {
        None => (stepper.t(), stepper.y()),
        Some(IntegrationHalt::End(_, t, y) | IntegrationHalt::Change(t, y, _)) => (*t, &y[..]),
    };
    // An event at the start of the step, where another has changed the state, is no step.
    if t != path.t_end() {
        path.t.push(t);
        path.y.extend_from_slice(y);
    }
    Ok(match halt {
        None => PathProgress::Whole,
        Some(IntegrationHalt::End(reason, ..)) => PathProgress::Ended(reason),
        Some(IntegrationHalt::Change(t, _, after)) => {
            path.t.push(t);
            path.y.extend_from_slice(&after);
            PathProgress::Changed
        }
    })
}

/// A few steps of the stiff method from the state of the explicit one, which stay in the path where they are so much longer that it pays;
/// otherwise it is as if they had not been.
fn try_stiff_method(
    (path, observer): (&mut OdeTrajectory, &mut TrajectoryObserver<'_>),
    problem: &mut OdeProblem<'_>,
    explicit: &dyn OdeStepper,
    bounds: StepBounds,
    watch: &dyn Watch,
) -> Result<Option<Box<dyn OdeStepper>>, OdeError> {
    let (t, step) = (explicit.t(), explicit.next_step());
    let (steps, samples, rejected) = (path.t.len(), path.samples.len(), path.rejected);
    let mark = observer.mark();
    let mut stiff = OdeMethod::Radau.start(problem, (t, explicit.y()), Some(step), bounds);
    let mut is_whole = true;
    for _ in 0..TRIAL {
        if stiff.t() == bounds.end {
            break;
        }
        match stiff.attempt(problem, bounds) {
            StepAttempt::Accepted => {
                let recorded = record_step(path, problem, stiff.as_mut(), observer, watch)?;
                is_whole = matches!(recorded, PathProgress::Whole);
            }
            StepAttempt::Rejected => path.rejected += 1,
            StepAttempt::Stuck(_) => is_whole = false,
        }
        if !is_whole {
            break;
        }
    }
    let mean = (stiff.t() - t).abs() / f64::from(TRIAL);
    let longest = mean.max(stiff.next_step().abs());
    if is_whole && longest > stiff_step_cost(&problem.pattern()) * step.abs() {
        return Ok(Some(stiff));
    }
    let n = path.dimension();
    path.t.truncate(steps);
    path.y.truncate(steps * n);
    path.samples.truncate(samples);
    path.rejected = rejected;
    observer.rewind(&mark);
    Ok(None)
}

/// Sets aside the memory of an implicit method, and refuses factors that would outlast the deadline.
fn afford_implicit_method(
    problem: &mut OdeProblem<'_>,
    n: usize,
    watch: &dyn Watch,
) -> Result<(), Interruption> {
    let pattern = &*problem.pattern();
    let size = pattern.n as f64;
    if pattern.storage() == JacobianStorage::Dense {
        watch.afford(3.0 * size * size * size)?;
    }
    let pairs = if radau::has_five_stages(&problem.tolerances) {
        2
    } else {
        1
    };
    let complex = ShiftedFactors::<c64>::room(pattern).saturating_mul(pairs);
    let room = ShiftedFactors::<f64>::room(pattern).saturating_add(complex);
    watch.reserve_doubles(room.saturating_add(30 * n + pattern.entries.len()))
}

/// A step that became too small because the solution has grown beyond all measure is a blow-up; because of a component that must have no
/// error, a lack of tolerance.
fn told_apart(reason: OdeEnd, path: &OdeTrajectory, tolerances: &OdeTolerances) -> OdeEnd {
    const GROWTH: f64 = 1e6;
    let size = |y: &[f64]| y.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let grown = size(path.y_end()) > GROWTH * size(path.state(0)).max(1.0);
    let mut ends = path.y_end().iter().enumerate();
    let is_exact = ends.any(|(index, y)| tolerances.scale(index, *y) == 0.0);
    match reason {
        OdeEnd::StepTooSmall | OdeEnd::NotFinite if is_exact => OdeEnd::NoTolerance,
        OdeEnd::StepTooSmall | OdeEnd::NotFinite if grown => OdeEnd::BlowUp,
        other => other,
    }
}

/// The error at the end of an integration, by comparison with another.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ErrorAtEnd {
    /// Largest difference of a component.
    pub largest: f64,
    /// The same in units of `atol + rtol |y|`, with the largest `|y|` of the component along the solution.
    pub scaled: f64,
}

/// Estimates the errors of the first `n` components at the end by comparing with a run at ten times looser tolerances, or with steps
/// half as long where those are the same; `None` when that run does not arrive. Returns the work too. `tolerances` are those of
/// [`ErrorAtEnd::scaled`], `observer` has the events that change the state, for each run anew.
///
/// # Errors
/// As [`integrate_flow`].
pub(crate) fn error_at_end<'a>(
    flow: &mut dyn OdeFlow,
    (path, n): (&OdeTrajectory, usize),
    options: &OdeOptions,
    tolerances: &OdeTolerances,
    observer: &dyn Fn() -> TrajectoryObserver<'a>,
    watch: &dyn Watch,
) -> Result<(Option<ErrorAtEnd>, OdeWork), OdeError> {
    const LOOSER: f64 = 10.0;
    // Where `auto` needed the stiff method early and to the end, the other run need not find that out again.
    let soon = |at: f64| {
        let before = path.t.iter().take_while(|t| **t != at).count();
        2 * before < path.t.len()
    };
    let is_stiff = options.method == OdeMethod::Auto
        && path.methods.len() == 2
        && path.switched_at.is_some_and(soon);
    let (method, tighter) = match is_stiff {
        true => (OdeMethod::Radau, TIGHTER),
        false => (options.method, 1.0),
    };
    let looser = OdeOptions {
        tolerances: options.tolerances.times(LOOSER * tighter),
        method,
        ..options.clone()
    };
    let span = (path.t[0], path.t_end());
    if span.0 == span.1 {
        return Ok((Some(ErrorAtEnd::default()), OdeWork::default()));
    }
    let mut other = integrate_flow(flow, span, path.state(0), &looser, &mut observer(), watch)?;
    let mut work = other.work;
    if other.stopped.is_none() && other.t == path.t {
        // Not the tolerance but another limit makes the steps: shorter ones tell how far off these are.
        let steps = path.t.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        let shorter = OdeOptions {
            step_max: 0.5 * steps.fold(0.0, f64::max),
            max_steps: options.max_steps.saturating_mul(4),
            ..options.clone()
        };
        other = integrate_flow(flow, span, path.state(0), &shorter, &mut observer(), watch)?;
        work += other.work;
    }
    if other.stopped.is_some() {
        return Ok((None, work));
    }
    let mut found = ErrorAtEnd::default();
    for (index, (y, other)) in path.y_end().iter().zip(other.y_end()).take(n).enumerate() {
        let difference = (y - other).abs();
        let sizes = path.y[index..].iter().step_by(path.dimension());
        let size = sizes.fold(0.0_f64, |most, y| most.max(y.abs()));
        found.largest = found.largest.max(difference);
        let scale = tolerances.scale(index, size).max(f64::MIN_POSITIVE);
        found.scaled = found.scaled.max(difference / scale);
    }
    Ok((Some(found), work))
}
