//! Parameter sets drawn from the normal distribution of the estimates.

use std::collections::BTreeMap;

use numerics::optimise::{FitUncertainty, LeastSquaresResult, ParameterDrawError, draw_parameters};

use super::names::ModelNames;
use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Draws the sets, by name.
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
    let watch = CallWatch(ctx);
    match draw_parameters(count, &found.point, report, bounds, seed.get(), &watch) {
        Ok(sets) => {
            let named = |set: Vec<f64>| names.parameters.iter().cloned().zip(set).collect();
            Ok(sets.into_iter().map(named).collect())
        }
        Err(ParameterDrawError::Interrupted(interruption)) => {
            Err(watch.interruption_error(interruption))
        }
        Err(ParameterDrawError::NoCovariance) => {
            refuse!(numeric "/draws", "no_covariance"; "the data do not determine the covariance of the estimates: nothing can be drawn";
                "fix parameters with `parameters`, pass more data, or leave `draws` out");
        }
        Err(ParameterDrawError::NarrowBounds) => {
            refuse!(numeric "/draws", "bounds"; "the bounds leave less than a thousandth of the distribution of the estimates";
                "widen `bounds`, or leave `draws` out");
        }
    }
}
