//! Adaptation before the first retained draw: windows, the covariance of a window, and the step size.

use crate::vector::{Unary, evaluate_unary};

/// Ends of warm-up windows, the next one last: the first window, up to `start`, only finds the bulk; then windows of doubling
/// length up to `end`. A rest shorter than the next window belongs to the one before.
pub(super) fn window_ends(start: usize, end: usize, mut length: usize) -> Vec<usize> {
    let mut ends = vec![start];
    let mut position = start;
    while position < end {
        let last = position + 3 * length > end;
        position = if last { end } else { position + length };
        ends.push(position);
        length *= 2;
    }
    ends.reverse();
    ends
}

/// Mean and sum of outer products of the points of one window.
pub(super) struct WarmupWindow {
    count: f64,
    mean: Vec<f64>,
    products: Vec<f64>,
    deviation: Vec<f64>,
}

impl WarmupWindow {
    pub(super) fn new(dimension: usize) -> Self {
        Self {
            count: 0.0,
            mean: vec![0.0; dimension],
            products: vec![0.0; dimension * dimension],
            deviation: vec![0.0; dimension],
        }
    }

    pub(super) fn add(&mut self, point: &[f64]) {
        self.count += 1.0;
        let n = point.len();
        for (axis, x) in point.iter().enumerate() {
            self.deviation[axis] = x - self.mean[axis];
            self.mean[axis] += self.deviation[axis] / self.count;
        }
        for (row, x) in point.iter().enumerate() {
            let after = x - self.mean[row];
            for column in 0..=row {
                self.products[row * n + column] += after * self.deviation[column];
            }
        }
    }

    /// Sample covariance (lower triangle), shrunk towards its diagonal as if `dimension + 5` uncorrelated points had been seen.
    pub(super) fn covariance(&self) -> Vec<f64> {
        let n = self.mean.len();
        let weight = self.count / (self.count + n as f64 + 5.0);
        let shrunk = |sum: &f64| weight * sum / (self.count - 1.0).max(1.0);
        let mut covariance: Vec<f64> = self.products.iter().map(shrunk).collect();
        let diagonal = covariance.iter_mut().step_by(n + 1);
        diagonal.for_each(|entry| *entry /= weight);
        covariance
    }
}

/// Dual averaging of the logarithm of a step size towards a target acceptance.
///
/// # References
/// M. D. Hoffman, A. Gelman, "The No-U-Turn Sampler", JMLR 15, 2014, section 3.2, with the constants given there.
pub(super) struct StepSize {
    target: f64,
    /// Attractor of the iterates: ten times the first guess, because large steps are cheap.
    centre: f64,
    count: f64,
    mean_error: f64,
    mean_log: f64,
    /// The step to use now.
    pub(super) current: f64,
}

impl StepSize {
    /// Starts from a guess.
    pub(super) fn new(guess: f64, target: f64) -> Self {
        Self {
            target,
            centre: (10.0 * guess).ln(),
            count: 0.0,
            mean_error: 0.0,
            mean_log: 0.0,
            current: guess,
        }
    }

    /// Learns from the acceptance of one trajectory.
    pub(super) fn adapt(&mut self, acceptance: f64) {
        const GAMMA: f64 = 0.05;
        const OFFSET: f64 = 10.0;
        const KAPPA: f64 = 0.75;
        self.count += 1.0;
        let share = 1.0 / (self.count + OFFSET);
        self.mean_error += share * (self.target - acceptance - self.mean_error);
        let log = self.centre - self.count.sqrt() / GAMMA * self.mean_error;
        let weight = self.count.powf(-KAPPA);
        self.mean_log += weight * (log - self.mean_log);
        self.current = evaluate_unary(Unary::Exp, log);
    }

    /// The step to keep: the average of the iterates, weighted towards the last; the guess when there were none.
    pub(super) fn settled(&self) -> f64 {
        if self.count > 0.0 {
            evaluate_unary(Unary::Exp, self.mean_log)
        } else {
            self.current
        }
    }
}
