//! Parameter sets drawn from the normal distribution of the estimates.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rand_distr::StandardNormal;

use super::names::ModelNames;
use super::report::FitUncertainty;
use crate::optimise::least_squares::levenberg::LeastSquaresResult;
use crate::prelude::*;

/// Draws per set after which a set within the bounds is not waited for any more.
const ATTEMPTS: usize = 1000;

/// Draws the sets: estimates plus a square root of their covariance times standard normal numbers, again where a value is beyond its
/// bounds, so that the distribution is cut there.
///
/// # Errors
/// `numeric` where there is no covariance, or the bounds leave next to nothing of the distribution.
pub(super) fn draw_parameter_sets(
    count: usize,
    names: &ModelNames,
    (found, report): (&LeastSquaresResult, &FitUncertainty),
    bounds: &[[f64; 2]],
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<Vec<BTreeMap<String, f64>>, ToolError> {
    let p = names.parameters.len();
    ctx.reserve_doubles(count.saturating_mul(8 * p))?;
    let root = &report.root;
    let is_known = root.iter().flatten().all(|entry| entry.is_finite());
    if !is_known || root.is_empty() {
        refuse!(numeric "/draws", "no_covariance"; "the data do not determine the covariance of the estimates: nothing can be drawn";
            "fix parameters with `parameters`, pass more data, or leave `draws` out");
    }
    let mut rng = ctx.rng(seed, 0);
    let mut sets = Vec::with_capacity(count);
    let mut attempts = 0;
    while sets.len() < count {
        ctx.check()?;
        attempts += 1;
        if attempts > ATTEMPTS * (sets.len() + 1) {
            refuse!(numeric "/draws", "bounds"; "the bounds leave less than a thousandth of the distribution of the estimates";
                "widen `bounds`, or leave `draws` out");
        }
        let normal: Vec<f64> = root[0].iter().map(|_| rng.sample(StandardNormal)).collect();
        let value = |index: usize| {
            let steps = root[index].iter().zip(&normal);
            found.point[index] + steps.map(|(root, normal)| root * normal).sum::<f64>()
        };
        let set: Vec<f64> = (0..p).map(value).collect();
        let within = |(value, [low, high]): (&f64, &[f64; 2])| (*low..=*high).contains(value);
        if set.iter().zip(bounds).all(within) {
            sets.push(names.parameters.iter().cloned().zip(set).collect());
        }
    }
    Ok(sets)
}
