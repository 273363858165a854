//! Minimisation without constraints: one method, or several in turn.

use tool_core::ToolError;

use super::bounds::Bounds;
use super::found::{Found, Method};
use super::posed::ITERATIONS;
use super::scale::in_units;
use super::smooth::Smooth;
use super::{lbfgs, nelder_mead, newton};

/// Minimises from a start point in a box; answers which method found the point.
///
/// # Errors
/// Those of the target; `invalid_args` at `/method` for `newton` without second derivatives.
pub(super) fn minimise(
    target: &mut impl Smooth,
    bounds: &Bounds,
    method: Method,
    x0: &[f64],
    (max_iter, tolerance): (Option<u64>, f64),
) -> Result<(Found, Method), ToolError> {
    in_units(target, bounds, x0, tolerance, |target, bounds, x0| {
        let mut search = Search {
            target,
            bounds,
            max_iter,
            tolerance,
        };
        match method {
            Method::Auto => search.in_turn(x0),
            _ => Ok((search.by(method, x0)?, method)),
        }
    })
}

/// A search in given units.
struct Search<'a, F> {
    target: &'a mut F,
    bounds: &'a Bounds,
    max_iter: Option<u64>,
    tolerance: f64,
}

impl<F: Smooth> Search<'_, F> {
    fn iterations(&self) -> u64 {
        self.max_iter.unwrap_or(ITERATIONS)
    }

    fn newton(&mut self, x0: &[f64]) -> Result<Option<Found>, ToolError> {
        let most = self.iterations();
        newton::minimise(self.target, self.bounds, x0, most, self.tolerance)
    }

    fn by(&mut self, method: Method, x0: &[f64]) -> Result<Found, ToolError> {
        match method {
            Method::NelderMead => {
                let usual = ITERATIONS.max(nelder_mead::ITERATIONS_EACH * x0.len() as u64);
                let most = self.max_iter.unwrap_or(usual);
                nelder_mead::minimise(self.target, self.bounds, x0, most, self.tolerance)
            }
            Method::Newton => match self.newton(x0)? {
                Some(found) => Ok(found),
                None => {
                    refuse!(invalid "/method"; "the objective has no known second derivatives at `x0`"; "use `auto`")
                }
            },
            _ => {
                let most = self.iterations();
                lbfgs::minimise(self.target, self.bounds, x0, most, self.tolerance)
            }
        }
    }

    /// The methods in turn until one converges; each starts where the best one ended.
    fn in_turn(&mut self, x0: &[f64]) -> Result<(Found, Method), ToolError> {
        let mut best = (self.by(Method::Gradient, x0)?, Method::Gradient);
        for method in [Method::Newton, Method::NelderMead] {
            let simplex_fits = x0.len() <= nelder_mead::COORDINATES_MAX;
            if best.0.converged || (method == Method::NelderMead && !simplex_fits) {
                break;
            }
            let start = best.0.x.clone();
            let found = if method == Method::Newton {
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
