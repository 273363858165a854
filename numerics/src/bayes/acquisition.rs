//! Acquisition functions, as monotone forms that keep their slope where the plain ones underflow.

use std::f64::consts::PI;

use super::process::{GaussianProcess, ProcessPrediction};
use crate::special::normal_cdf;

/// Standard deviations that the upper confidence bound adds to the mean.
const CONFIDENCE: f64 = 2.0;
/// Improvement, in standard deviations of y, that the probability of improvement requires.
const MARGIN: f64 = 0.01;

/// Criterion for the next point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AcquisitionFunction {
    /// Expected improvement over the best value so far.
    #[default]
    ExpectedImprovement,
    /// Upper confidence bound: mean + 2 standard deviations.
    UpperConfidence,
    /// Probability of improving the best value by 0.01 standard deviations of all values; searches locally.
    ImprovementProbability,
}

/// What a point is proposed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AcquisitionGoal {
    /// An acquisition function.
    Acquire(AcquisitionFunction),
    /// The mean of the process.
    Mean,
}

/// The value to maximise at a point where the best value so far is `best`; writes the gradient.
///
/// Expected improvement by its logarithm, the upper confidence bound as mean + 2 std, the probability of improvement by the argument of
/// the normal distribution function, which has its maxima where the probability has.
///
/// # References
/// D. R. Jones, M. Schonlau and W. J. Welch, J. Global Optimization 13, 1998; S. Ament et al., "Unexpected Improvements to
/// Expected Improvement for Bayesian Optimization", NeurIPS 2023 (the logarithm).
pub(super) fn acquisition_with_gradient(
    goal: AcquisitionGoal,
    process: &GaussianProcess,
    best: f64,
    point: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let (prediction, mean, std) = process.predict_with_gradient(point);
    let (value, by_mean, by_std) = acquisition_derivatives(goal, prediction, best);
    for ((slot, mean), std) in gradient.iter_mut().zip(&mean).zip(&std) {
        *slot = by_mean * mean + by_std * std;
    }
    value
}

/// The value alone.
pub(super) fn acquisition_value(
    goal: AcquisitionGoal,
    process: &GaussianProcess,
    best: f64,
    point: &[f64],
) -> f64 {
    acquisition_derivatives(goal, process.predict(point), best).0
}

/// The value and its derivatives by mean and standard deviation.
fn acquisition_derivatives(
    goal: AcquisitionGoal,
    ProcessPrediction { mean, std }: ProcessPrediction,
    best: f64,
) -> (f64, f64, f64) {
    match goal {
        AcquisitionGoal::Mean => return (mean, 1.0, 0.0),
        AcquisitionGoal::Acquire(AcquisitionFunction::UpperConfidence) => {
            return (mean + CONFIDENCE * std, 1.0, CONFIDENCE);
        }
        AcquisitionGoal::Acquire(_) => {}
    }
    if std <= 0.0 {
        return (f64::NEG_INFINITY, 0.0, 0.0);
    }
    if goal == AcquisitionGoal::Acquire(AcquisitionFunction::ImprovementProbability) {
        let z = (mean - best - MARGIN) / std;
        return (z, 1.0 / std, -z / std);
    }
    let improvement = ExpectedImprovement::new((mean - best) / std);
    let scale = 1.0 / std;
    (
        improvement.log + std.ln(),
        improvement.by_mean * scale,
        improvement.by_std * scale,
    )
}

/// The expected improvement itself, in the units of the mean.
pub(super) fn expected_improvement(prediction: ProcessPrediction, best: f64) -> f64 {
    if prediction.std <= 0.0 {
        return (prediction.mean - best).max(0.0);
    }
    prediction.std
        * ExpectedImprovement::new((prediction.mean - best) / prediction.std)
            .log
            .exp()
}

/// h(z) = phi(z) + z Phi(z): its logarithm, and Phi / h and phi / h.
struct ExpectedImprovement {
    log: f64,
    by_mean: f64,
    by_std: f64,
}

impl ExpectedImprovement {
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
        let distribution = normal_cdf(z);
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
