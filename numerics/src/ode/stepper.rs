//! [`OdeStepper`], what every method offers to the driver: one attempt at a step after the other, and the solution within the last one.

use super::flow::OdeProblem;

/// The border of the next steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepBounds {
    /// The last time.
    pub end: f64,
    /// The largest size of a step.
    pub step_max: f64,
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepAttempt {
    /// The step was accepted: time and state are those of its end.
    Accepted,
    /// The step was rejected; the next attempt is shorter.
    Rejected,
    /// No shorter step is possible.
    Stuck(OdeEnd),
}

/// Reason an integration ended before the end of its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OdeEnd {
    /// A terminal event; the result is complete.
    TerminalEvent,
    /// [`OdeOptions::max_steps`](super::OdeOptions::max_steps) was used up.
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
    /// Events had changed the state as often as they may.
    MaxEvents,
    /// Events that change the state follow each other ever faster, or at once, and would come to no end (Zeno).
    EventsAccumulate,
}

/// A method with its state.
pub(crate) trait OdeStepper {
    /// Where it stands.
    fn reached(&self) -> &StepState;

    /// Tries one step.
    fn attempt(&mut self, problem: &mut OdeProblem<'_>, bounds: StepBounds) -> StepAttempt;

    /// The time that was reached.
    fn t(&self) -> f64 {
        self.reached().t
    }

    /// The start of the last accepted step.
    fn t_before(&self) -> f64 {
        self.reached().t_before
    }

    /// The state that was reached.
    fn y(&self) -> &[f64] {
        &self.reached().y
    }

    /// The size of the next step, with its sign.
    fn next_step(&self) -> f64 {
        self.reached().h
    }

    /// The solution within the last accepted step.
    fn interpolate(&mut self, problem: &mut OdeProblem<'_>, t: f64, y: &mut [f64]);

    /// The solution within the last accepted step with the accuracy of its ends, where that costs more than interpolation.
    fn sample(&mut self, problem: &mut OdeProblem<'_>, t: f64, y: &mut [f64]) {
        self.interpolate(problem, t, y);
    }

    /// Whether stability, not accuracy, has limited the last steps.
    fn is_stiff(&self) -> bool {
        false
    }

    /// Whether it may have: steps of half the size that stability allows.
    fn may_be_stiff(&self) -> bool {
        false
    }
}

/// Where a method stands: what it has reached, and the step that it tries next.
#[derive(Debug)]
pub(crate) struct StepState {
    /// The time that was reached.
    pub t: f64,
    /// The start of the last accepted step.
    pub t_before: f64,
    /// The state that was reached.
    pub y: Vec<f64>,
    /// The size of the next step, with its sign.
    pub h: f64,
    /// Singular matrices since the last accepted step.
    pub singular: u32,
    /// Whether the last attempt met a value that is not finite.
    pub non_finite: bool,
}

/// The step of an attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedStep {
    /// Its size, with its sign.
    pub h: f64,
    /// Whether it reaches the end.
    pub is_last: bool,
}

impl StepState {
    /// At a start, with the size of the first step.
    pub(crate) fn new((t, y): (f64, &[f64]), h: f64) -> Self {
        Self {
            t,
            t_before: t,
            y: y.to_vec(),
            h,
            singular: 0,
            non_finite: false,
        }
    }

    /// The step of an attempt; `None` where it no longer moves the time. A rest that is longer by a share of the step is not worth a step of its own.
    /// `keeps_size` is for methods whose factors belong to a size of the step.
    pub(crate) fn plan_step(
        &self,
        bounds: StepBounds,
        share: f64,
        keeps_size: bool,
    ) -> Option<PlannedStep> {
        let h = self.h.signum() * self.h.abs().min(bounds.step_max);
        if self.is_stuck(h, bounds) {
            return None;
        }
        let is_last = self.is_last(h, bounds, share);
        let h = if is_last {
            bounds.end - self.t
        } else if keeps_size {
            self.resolved_step(h)
        } else {
            // The step is the difference of two times.
            (self.t + h) - self.t
        };
        Some(PlannedStep { h, is_last })
    }

    /// Whether a step no longer moves the time, though there is time left.
    pub(crate) fn is_stuck(&self, h: f64, bounds: StepBounds) -> bool {
        is_vanishing_step(h, self.t) && !is_vanishing_step(bounds.end - self.t, self.t)
    }

    /// Whether a step and a share of it reach the end.
    pub(crate) fn is_last(&self, h: f64, bounds: StepBounds, share: f64) -> bool {
        let rest = bounds.end - self.t;
        (self.t + (1.0 + share) * h - bounds.end) * h.signum() >= 0.0
            && rest.abs() <= bounds.step_max * (1.0 + 1e-12)
    }

    /// The step as the difference of two times, where these are so large that it matters.
    pub(crate) fn resolved_step(&self, h: f64) -> f64 {
        if f64::EPSILON * self.t.abs() > 1e-9 * h.abs() {
            (self.t + h) - self.t
        } else {
            h
        }
    }

    /// Moves the time to the end of a step that was accepted.
    pub(crate) fn accept_step(&mut self, step: PlannedStep, bounds: StepBounds) {
        self.t_before = self.t;
        self.t = if step.is_last {
            bounds.end
        } else {
            self.t + step.h
        };
        self.singular = 0;
    }

    /// Why no shorter step is possible.
    pub(crate) fn stuck_attempt(&self) -> StepAttempt {
        /// More singular matrices than by chance.
        const SINGULAR: u32 = 5;
        StepAttempt::Stuck(if self.singular > SINGULAR {
            OdeEnd::Singular
        } else if self.non_finite {
            OdeEnd::NotFinite
        } else {
            OdeEnd::StepTooSmall
        })
    }
}

/// Whether a step no longer moves the time.
fn is_vanishing_step(step: f64, t: f64) -> bool {
    step.abs() <= 4.0 * f64::EPSILON * t.abs() || step.abs() < f64::MIN_POSITIVE
}

/// A first step for which an Euler step changes the solution by about a hundredth of the tolerance's scale.
///
/// The algorithm of E. Hairer, S. P. Norsett and G. Wanner, "Solving Ordinary Differential Equations I", section II.4, with a floor
/// that the size of `t` needs: at t = 1e12 a step of 1e-6 does not move the time.
pub(crate) fn initial_step(
    problem: &mut OdeProblem<'_>,
    (t, y, slope): (f64, &[f64], &[f64]),
    bounds: StepBounds,
    order: f64,
) -> f64 {
    let n = y.len();
    let span = (bounds.end - t).abs();
    let direction = (bounds.end - t).signum();
    let floor = (1e3 * f64::EPSILON * t.abs()).min(span);
    let size = |problem: &OdeProblem<'_>, values: &[f64]| problem.tolerances.norm(values, y);
    let (d0, d1) = (size(problem, y), size(problem, slope));
    let euler = if d0 < 1e-5 || d1 < 1e-5 || !d1.is_finite() {
        1e-6
    } else {
        0.01 * d0 / d1
    };
    let euler = euler.clamp(floor, span);
    let step = direction * euler;
    let moved: Vec<f64> = y.iter().zip(slope).map(|(y, f)| y + step * f).collect();
    let mut change = vec![0.0; n];
    problem.eval(t + step, &moved, &mut change);
    for (change, slope) in change.iter_mut().zip(slope) {
        *change -= slope;
    }
    let curvature = d1.max(size(problem, &change) / euler);
    let second = if curvature <= 1e-15 {
        (euler * 1e-3).max(1e-6)
    } else {
        (0.01 / curvature).powf(1.0 / order)
    };
    let step = (100.0 * euler).min(second);
    let step = if step.is_finite() {
        step.clamp(floor, span)
    } else {
        euler
    };
    direction * step.min(bounds.step_max)
}
