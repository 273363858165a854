//! Minimisation without constraints: one method, or several in turn.

use crate::optimise::error::{MethodMismatch, OptimiseError};

use super::bounds::VariableBounds;
use super::result::{MinimiseMethod, MinimiseResult};
use super::scale::in_units;
use super::smooth::SmoothFunction;
use super::{lbfgs, nelder_mead, newton};

/// Iterations of a method where the caller sets no limit.
pub(super) const ITERATIONS: u64 = 1000;

/// Minimises from a start point in a box; answers which method found the point.
///
/// # Errors
/// Those of the target; [`OptimiseError::Unsuitable`] for Newton's method without second derivatives.
pub(super) fn minimise_in_box(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    method: MinimiseMethod,
    x0: &[f64],
    (max_iter, tolerance): (Option<u64>, f64),
) -> Result<(MinimiseResult, MinimiseMethod), OptimiseError> {
    in_units(target, bounds, x0, tolerance, |target, bounds, x0| {
        let mut search = DescentSearch {
            target,
            bounds,
            max_iter,
            tolerance,
        };
        match method {
            MinimiseMethod::Auto => search.in_turn(x0),
            _ => Ok((search.by(method, x0)?, method)),
        }
    })
}

/// A search in given units.
struct DescentSearch<'a, F> {
    target: &'a mut F,
    bounds: &'a VariableBounds,
    max_iter: Option<u64>,
    tolerance: f64,
}

impl<F: SmoothFunction> DescentSearch<'_, F> {
    fn iterations(&self) -> u64 {
        self.max_iter.unwrap_or(ITERATIONS)
    }

    fn newton(&mut self, x0: &[f64]) -> Result<Option<MinimiseResult>, OptimiseError> {
        let most = self.iterations();
        newton::minimise_by_newton(self.target, self.bounds, x0, most, self.tolerance)
    }

    fn by(&mut self, method: MinimiseMethod, x0: &[f64]) -> Result<MinimiseResult, OptimiseError> {
        match method {
            MinimiseMethod::NelderMead => {
                let usual = ITERATIONS.max(nelder_mead::ITERATIONS_EACH * x0.len() as u64);
                let most = self.max_iter.unwrap_or(usual);
                nelder_mead::minimise_by_simplex(self.target, self.bounds, x0, most, self.tolerance)
            }
            MinimiseMethod::Newton => match self.newton(x0)? {
                Some(found) => Ok(found),
                None => Err(MethodMismatch::NoSecondDerivatives.into()),
            },
            _ => {
                let most = self.iterations();
                lbfgs::minimise_by_lbfgs(self.target, self.bounds, x0, most, self.tolerance)
            }
        }
    }

    /// The methods in turn until one converges; each starts where the best one ended.
    fn in_turn(&mut self, x0: &[f64]) -> Result<(MinimiseResult, MinimiseMethod), OptimiseError> {
        let mut best = (
            self.by(MinimiseMethod::Gradient, x0)?,
            MinimiseMethod::Gradient,
        );
        for method in [MinimiseMethod::Newton, MinimiseMethod::NelderMead] {
            let simplex_fits = x0.len() <= nelder_mead::COORDINATES_MAX;
            if best.0.converged || (method == MinimiseMethod::NelderMead && !simplex_fits) {
                break;
            }
            let start = best.0.x.clone();
            let found = if method == MinimiseMethod::Newton {
                self.newton(&start)?
            } else {
                Some(self.by(method, &start)?)
            };
            if let Some(mut found) = found {
                found.iterations += best.0.iterations;
                if found.converged || found.value <= best.0.value {
                    best = (found, method);
                } else {
                    best.0.iterations = found.iterations;
                }
            }
        }
        Ok(best)
    }
}
