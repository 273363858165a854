//! [`SmoothFunction`]: what the methods with gradients ask of a function, and [`GradientPoint`].

use crate::optimise::error::OptimiseError;

use super::result::{MinimiseEnd, MinimiseResult};
use super::target::MinimisationTarget;

/// A function to be minimised, with its derivatives.
pub(crate) trait SmoothFunction {
    /// The value; positive infinity where it is not finite.
    ///
    /// # Errors
    /// A stop request, a budget, or a fall without end.
    fn value(&mut self, x: &[f64]) -> Result<f64, OptimiseError>;

    /// The gradient, given the value there.
    ///
    /// # Errors
    /// As [`SmoothFunction::value`].
    fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, OptimiseError>;

    /// The product of the Hessian and a vector, where it is known and finite.
    ///
    /// # Errors
    /// As [`SmoothFunction::value`].
    fn hessian_times(&mut self, x: &[f64], v: &[f64]) -> Result<Option<Vec<f64>>, OptimiseError>;

    /// The size of the rounding error of a component of the gradient.
    fn gradient_noise(&self, x: &[f64], value: f64) -> f64;
}

impl SmoothFunction for MinimisationTarget<'_> {
    fn value(&mut self, x: &[f64]) -> Result<f64, OptimiseError> {
        MinimisationTarget::value(self, x)
    }

    fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, OptimiseError> {
        MinimisationTarget::gradient(self, x, value)
    }

    fn hessian_times(&mut self, x: &[f64], v: &[f64]) -> Result<Option<Vec<f64>>, OptimiseError> {
        MinimisationTarget::hessian_times(self, x, v)
    }

    fn gradient_noise(&self, x: &[f64], value: f64) -> f64 {
        MinimisationTarget::gradient_noise(self, x, value)
    }
}

/// A point with its value and gradient.
#[derive(Debug, Clone)]
pub(crate) struct GradientPoint {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
}

impl GradientPoint {
    pub(crate) fn new(f: &mut impl SmoothFunction, x: Vec<f64>) -> Result<Self, OptimiseError> {
        let value = f.value(&x)?;
        let gradient = f.gradient(&x, value)?;
        Ok(Self { x, value, gradient })
    }

    /// The point as the result of a method.
    pub(crate) fn found(
        self,
        iterations: u64,
        converged: bool,
        reason: MinimiseEnd,
    ) -> MinimiseResult {
        MinimiseResult {
            gradient: self.gradient,
            x: self.x,
            value: self.value,
            iterations,
            converged,
            reason,
            lowest_curvature: None,
        }
    }
}
