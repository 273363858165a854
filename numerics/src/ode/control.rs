//! [`StepController`]: the size of the next step of the one-step methods.
//!
//! # Reference
//! K. Gustafsson, "Control-theoretic techniques for stepsize selection in implicit Runge-Kutta methods", ACM TOMS 20, 1994; E. Hairer, G.
//! Wanner, "Solving Ordinary Differential Equations II", 2nd ed., Springer 1996, section IV.8.

/// Largest shrinking of a step.
const SHRINKING: f64 = 5.0;

/// The controller: it takes the trend of the errors into account, and no step grows after one that was rejected.
#[derive(Debug)]
pub(super) struct StepController {
    /// Largest growth of a step.
    growth: f64,
    /// Power of the step with which the error estimate goes.
    power: f64,
    /// The share of the step for an error of 1 that is taken.
    safety: f64,
    accepted: u64,
    rejected: bool,
    /// Size and error of the last accepted step.
    before: (f64, f64),
}

impl StepController {
    /// Before the first step.
    pub(super) fn new(growth: f64, power: f64, safety: f64) -> Self {
        Self {
            growth,
            power,
            safety,
            accepted: 0,
            rejected: false,
            before: (0.0, 0.0),
        }
    }

    /// Whether no step was accepted yet.
    pub(super) fn is_first(&self) -> bool {
        self.accepted == 0
    }

    /// Whether the last step was rejected.
    pub(super) fn is_after_rejection(&self) -> bool {
        self.rejected
    }

    /// Records a step that was rejected.
    pub(super) fn reject(&mut self) {
        self.rejected = true;
    }

    /// What a step is divided by for an error of 1; `caution` is at most 1.
    pub(super) fn quotient(&self, error: f64, caution: f64) -> f64 {
        self.clamped(self.root(error) / (self.safety * caution))
    }

    /// Records a step that was accepted; the size of the next.
    pub(super) fn accept(&mut self, h: f64, error: f64, caution: f64) -> f64 {
        let mut quotient = self.quotient(error, caution);
        self.accepted += 1;
        if self.accepted > 1 {
            let (h_before, error_before) = self.before;
            let trend = self.root(error * error / error_before);
            let predicted = (h_before / h) * trend / self.safety;
            quotient = quotient.max(self.clamped(predicted.abs()));
        }
        self.before = (h, error.max(1e-2));
        let next = h / quotient;
        match std::mem::take(&mut self.rejected) {
            true => h.signum() * next.abs().min(h.abs()),
            false => next,
        }
    }

    /// The change of the step that changes the error by a factor.
    fn root(&self, factor: f64) -> f64 {
        // Roots are faster than a general power, and the same on every machine.
        match self.power {
            4.0 => factor.sqrt().sqrt(),
            8.0 => factor.sqrt().sqrt().sqrt(),
            power => factor.powf(1.0 / power),
        }
    }

    fn clamped(&self, quotient: f64) -> f64 {
        quotient.clamp(1.0 / self.growth, SHRINKING)
    }
}
