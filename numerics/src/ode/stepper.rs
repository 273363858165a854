//! [`OdeStepper`], what every method offers to the driver: one attempt at a step after the other, and the solution within the last one.

use super::flow::OdeProblem;
use tool_core::{Describe, Encode};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub enum OdeEnd {
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

/// A method with its state.
pub(crate) trait OdeStepper {
    /// Tries one step.
    fn attempt(&mut self, problem: &mut OdeProblem<'_>, bounds: StepBounds) -> StepAttempt;

    /// The time that was reached.
    fn t(&self) -> f64;

    /// The start of the last accepted step.
    fn t_before(&self) -> f64;

    /// The state that was reached.
    fn y(&self) -> &[f64];

    /// The solution within the last accepted step.
    fn interpolate(&mut self, problem: &mut OdeProblem<'_>, t: f64, y: &mut [f64]);

    /// The solution within the last accepted step with the accuracy of its ends, where that costs more than interpolation.
    fn sample(&mut self, problem: &mut OdeProblem<'_>, t: f64, y: &mut [f64]) {
        self.interpolate(problem, t, y);
    }

    /// The size of the next step.
    fn next_step(&self) -> f64;

    /// Whether stability, not accuracy, has limited the last steps.
    fn is_stiff(&self) -> bool {
        false
    }

    /// Whether it may have: steps of half the size that stability allows.
    fn may_be_stiff(&self) -> bool {
        false
    }
}

/// The step of an attempt, and whether it is the last; `None` where it no longer moves the time. A rest that is longer by a share of the
/// step is not worth a step of its own.
pub(crate) fn plan_step(h: f64, t: f64, bounds: StepBounds, share: f64) -> Option<(f64, bool)> {
    let rest = bounds.end - t;
    let h = h.signum() * h.abs().min(bounds.step_max);
    if is_vanishing_step(h, t) && !is_vanishing_step(rest, t) {
        return None;
    }
    let last = (t + (1.0 + share) * h - bounds.end) * h.signum() >= 0.0
        && rest.abs() <= bounds.step_max * (1.0 + 1e-12);
    // The step is the difference of two times, also where these are large.
    Some((if last { rest } else { (t + h) - t }, last))
}

/// Why no shorter step is possible, after so many singular matrices.
pub(crate) fn stuck_attempt(singular: u32, non_finite: bool) -> StepAttempt {
    /// More than chance.
    const SINGULAR: u32 = 5;
    StepAttempt::Stuck(if singular > SINGULAR {
        OdeEnd::Singular
    } else if non_finite {
        OdeEnd::NotFinite
    } else {
        OdeEnd::StepTooSmall
    })
}

/// Whether a step no longer moves the time.
pub(crate) fn is_vanishing_step(step: f64, t: f64) -> bool {
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
