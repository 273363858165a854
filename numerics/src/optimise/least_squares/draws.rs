//! Parameter sets drawn from the normal distribution of the estimates.

use rand::RngExt;
use rand_distr::StandardNormal;
use random_streams::stream_rng;

use super::uncertainty::FitUncertainty;
use crate::{Interruption, Watch};

/// Draws per set after which a set within the bounds is not waited for any more.
const ATTEMPTS: usize = 1000;

/// Why no parameter sets can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ParameterDrawError {
    /// The caller said no.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// The data do not determine the covariance of the estimates.
    #[error("the covariance of the estimates is not determined")]
    NoCovariance,
    /// The bounds leave less than a thousandth of the distribution.
    #[error("the bounds leave less than a thousandth of the distribution of the estimates")]
    NarrowBounds,
}

/// Draws `count` sets: the estimates plus a square root of their covariance times standard normal numbers, again where a value is beyond its
/// bounds, so that the distribution is cut there.
///
/// # Errors
/// [`ParameterDrawError`].
pub fn draw_parameters(
    count: usize,
    estimates: &[f64],
    uncertainty: &FitUncertainty,
    bounds: &[[f64; 2]],
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<Vec<f64>>, ParameterDrawError> {
    let p = estimates.len();
    watch.reserve_doubles(count.saturating_mul(8 * p))?;
    let root = &uncertainty.root;
    let is_known = root.iter().flatten().all(|entry| entry.is_finite());
    if !is_known || root.is_empty() {
        return Err(ParameterDrawError::NoCovariance);
    }
    let mut rng = stream_rng(seed, 0);
    let mut sets = Vec::with_capacity(count);
    let mut attempts = 0;
    while sets.len() < count {
        watch.check()?;
        attempts += 1;
        if attempts > ATTEMPTS * (sets.len() + 1) {
            return Err(ParameterDrawError::NarrowBounds);
        }
        let normal: Vec<f64> = root[0].iter().map(|_| rng.sample(StandardNormal)).collect();
        let value = |index: usize| {
            let steps = root[index].iter().zip(&normal);
            estimates[index] + steps.map(|(root, normal)| root * normal).sum::<f64>()
        };
        let set: Vec<f64> = (0..p).map(value).collect();
        let within = |(value, [low, high]): (&f64, &[f64; 2])| (*low..=*high).contains(value);
        if set.iter().zip(bounds).all(within) {
            sets.push(set);
        }
    }
    Ok(sets)
}
