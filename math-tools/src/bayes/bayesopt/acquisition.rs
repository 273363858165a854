//! Acquisition functions, as monotone forms that keep their slope where the plain ones underflow.

use std::f64::consts::PI;

use super::Acquisition;
use crate::bayes::process::{Prediction, Process};

/// Standard deviations that the upper confidence bound adds to the mean.
const CONFIDENCE: f64 = 2.0;
/// Improvement, in standard deviations of y, that the probability of improvement requires.
const MARGIN: f64 = 0.01;

/// Acquisition function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// An acquisition function.
    Acquire(Acquisition),
    /// The mean of the process.
    Mean,
}

/// The value to maximise at a point where the best value so far is `best`; writes the gradient.
///
/// `ei` is the logarithm of the expected improvement, `ucb` mean + 2 std, `pi` the argument of the normal distribution
/// function, which has its maxima where the probability has.
///
/// # References
/// D. R. Jones, M. Schonlau and W. J. Welch, J. Global Optimization 13, 1998; S. Ament et al., "Unexpected Improvements to
/// Expected Improvement for Bayesian Optimization", NeurIPS 2023 (the logarithm).
pub(super) fn value(
    goal: Goal,
    process: &Process,
    best: f64,
    point: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let (prediction, mean, std) = process.predict_with_gradient(point);
    let (value, by_mean, by_std) = parts(goal, prediction, best);
    for ((slot, mean), std) in gradient.iter_mut().zip(&mean).zip(&std) {
        *slot = by_mean * mean + by_std * std;
    }
    value
}

/// The value alone.
pub(super) fn quick(goal: Goal, process: &Process, best: f64, point: &[f64]) -> f64 {
    parts(goal, process.predict(point), best).0
}

/// The value and its derivatives by mean and standard deviation.
fn parts(goal: Goal, Prediction { mean, std }: Prediction, best: f64) -> (f64, f64, f64) {
    match goal {
        Goal::Mean => return (mean, 1.0, 0.0),
        Goal::Acquire(Acquisition::Ucb) => return (mean + CONFIDENCE * std, 1.0, CONFIDENCE),
        Goal::Acquire(_) => {}
    }
    if std <= 0.0 {
        return (f64::NEG_INFINITY, 0.0, 0.0);
    }
    if goal == Goal::Acquire(Acquisition::Pi) {
        let z = (mean - best - MARGIN) / std;
        return (z, 1.0 / std, -z / std);
    }
    let improvement = Improvement::new((mean - best) / std);
    let scale = 1.0 / std;
    (
        improvement.log + std.ln(),
        improvement.by_mean * scale,
        improvement.by_std * scale,
    )
}

/// The expected improvement itself, in the units of the mean.
pub(super) fn expected_improvement(prediction: Prediction, best: f64) -> f64 {
    if prediction.std <= 0.0 {
        return (prediction.mean - best).max(0.0);
    }
    prediction.std
        * Improvement::new((prediction.mean - best) / prediction.std)
            .log
            .exp()
}

/// h(z) = phi(z) + z Phi(z): its logarithm, and Phi / h and phi / h.
struct Improvement {
    log: f64,
    by_mean: f64,
    by_std: f64,
}

impl Improvement {
    fn new(z: f64) -> Self {
        let log_density = -0.5 * (z * z + (2.0 * PI).ln());
        if z < -3.0 {
            // With Mills' ratio Phi/phi = 1/(t + c): h/phi = 1 - t/(t + c) = c/(t + c), free of cancellation.
            let t = -z;
            let c = tail_fraction(t);
            let share = c / (t + c);
            return Self {
                log: log_density + share.ln(),
                by_mean: 1.0 / c,
                by_std: 1.0 / share,
            };
        }
        let density = log_density.exp();
        let distribution = distribution(z, density);
        let h = density + z * distribution;
        Self {
            log: h.ln(),
            by_mean: distribution / h,
            by_std: density / h,
        }
    }
}

/// The continued fraction c(t) = 1/(t + 2/(t + 3/(t + ...))) of Mills' ratio, for t >= 3.
fn tail_fraction(t: f64) -> f64 {
    const TERMS: u32 = 60;
    (1..=TERMS)
        .rev()
        .fold(0.0, |rest, k| f64::from(k) / (t + rest))
}

/// The normal distribution function, from the density at the same place.
fn distribution(z: f64, density: f64) -> f64 {
    if z.abs() >= 3.0 {
        let tail = density / (z.abs() + tail_fraction(z.abs()));
        return if z > 0.0 { 1.0 - tail } else { tail };
    }
    // Phi(z) = 1/2 + phi(z) (z + z^3/3 + z^5/(3 5) + ...)
    let (mut term, mut sum, mut odd) = (z, z, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    0.5 + density * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the normal distribution from tables (Abramowitz and Stegun, table 26.1, and 26.2.12 for the tail).
    #[test]
    fn distribution_of_the_normal() {
        for (z, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.0, 0.158_655_253_931_457),
            (2.0, 0.977_249_868_051_821),
            (-3.0, 1.349_898_031_630_09e-3),
            (-5.0, 2.866_515_718_791_94e-7),
            (4.0, 0.999_968_328_758_167),
        ] {
            let found = distribution(z, (-z * z / 2.0_f64).exp() / (2.0 * PI).sqrt());
            assert!((found / expected - 1.0).abs() < 1e-12, "{z}: {found}");
        }
    }

    #[test]
    fn improvement_is_smooth_and_has_a_tail() {
        // h(0) = phi(0); h(z) ~ z for large z; h(-t) ~ phi(t) / t^2 (1 - 3/t^2 ...) for large t.
        assert!((Improvement::new(0.0).log.exp() - 1.0 / (2.0 * PI).sqrt()).abs() < 1e-15);
        assert!((Improvement::new(30.0).log.exp() - 30.0).abs() < 1e-12);
        let far = Improvement::new(-1e4);
        assert!((far.log - (-5e7 - 0.5 * (2.0 * PI).ln() - 2.0 * 1e4_f64.ln())).abs() < 1e-6);
        let (left, right) = (Improvement::new(-3.0 - 1e-9), Improvement::new(-3.0 + 1e-9));
        assert!((left.log - right.log).abs() < 1e-7 && (left.by_mean - right.by_mean).abs() < 1e-6);
        for z in [-8.0, -2.0, 0.5] {
            let slope = (Improvement::new(z + 1e-6).log - Improvement::new(z - 1e-6).log) / 2e-6;
            assert!(
                (slope / Improvement::new(z).by_mean - 1.0).abs() < 1e-6,
                "{z}"
            );
        }
    }
}
