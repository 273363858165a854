//! What methods ask of a problem: [`CostFunction`] and [`ConstraintFunctions`], with the derivatives that are known.

use super::minimise::sizes::{difference_gradient_size, formula_gradient_size};
use crate::FunctionError;

/// A derivative at a point, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum KnownDerivative<T> {
    /// Its entries.
    Known(T),
    /// There is a formula, which has no finite value at this point: differences take its place, and it counts as one evaluation more.
    NotFinite,
    /// There is no formula: differences take its place.
    Unknown,
}

/// How a function changes from point to point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionShape {
    /// Its gradient is known, and it has neither kinks nor steps.
    Smooth,
    /// It has kinks or steps, or no gradient is known.
    Kinked,
    /// Nothing is known but values.
    Unknown,
}

/// A function of n variables whose minimum or maximum is looked for.
///
/// Every closure `FnMut(&[f64]) -> f64` is one, without derivatives; [`CostWithGradient`] has a gradient too.
pub trait CostFunction {
    /// The value at a point; NaN or infinite where there is none.
    ///
    /// # Errors
    /// Why no value can be had any more; it ends the search.
    fn value(&mut self, x: &[f64]) -> Result<f64, FunctionError>;

    /// The gradient at a point, n entries.
    ///
    /// # Errors
    /// As [`CostFunction::value`].
    fn gradient(&mut self, x: &[f64]) -> Result<KnownDerivative<Vec<f64>>, FunctionError> {
        let _ = x;
        Ok(KnownDerivative::Unknown)
    }

    /// The product of the Hessian at a point and a vector, n entries; `None` where second derivatives are not known.
    ///
    /// # Errors
    /// As [`CostFunction::value`].
    fn hessian_times(&mut self, x: &[f64], v: &[f64]) -> Result<Option<Vec<f64>>, FunctionError> {
        let _ = (x, v);
        Ok(None)
    }

    /// How the function changes from point to point.
    fn shape(&self) -> FunctionShape {
        FunctionShape::Unknown
    }

    /// The size of the terms that a component of the gradient is made of, at a point with a value: the component is known to a few roundings
    /// of it. By default that of differences.
    fn gradient_size(&self, x: &[f64], value: f64) -> f64 {
        let _ = x;
        difference_gradient_size(value)
    }
}

impl<F: FnMut(&[f64]) -> f64> CostFunction for F {
    fn value(&mut self, x: &[f64]) -> Result<f64, FunctionError> {
        Ok(self(x))
    }
}

/// A smooth function with its gradient, as two closures.
#[derive(Debug)]
pub struct CostWithGradient<F, G> {
    /// The value at a point.
    pub value: F,
    /// The gradient at a point.
    pub gradient: G,
}

impl<F: FnMut(&[f64]) -> f64, G: FnMut(&[f64]) -> Vec<f64>> CostFunction
    for CostWithGradient<F, G>
{
    fn value(&mut self, x: &[f64]) -> Result<f64, FunctionError> {
        Ok((self.value)(x))
    }

    fn gradient(&mut self, x: &[f64]) -> Result<KnownDerivative<Vec<f64>>, FunctionError> {
        let gradient = (self.gradient)(x);
        let is_finite = gradient.iter().all(|entry| entry.is_finite());
        Ok(if is_finite {
            KnownDerivative::Known(gradient)
        } else {
            KnownDerivative::NotFinite
        })
    }

    fn shape(&self) -> FunctionShape {
        FunctionShape::Smooth
    }

    fn gradient_size(&self, x: &[f64], value: f64) -> f64 {
        formula_gradient_size(x, value)
    }
}

/// What is known of constraints before they are evaluated: `c(x) = 0` or `c(x) >= 0` for each.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintKinds {
    /// Whether each is an equality.
    pub equal: Vec<bool>,
    /// Whether the derivatives of each are constant; the start is moved to satisfy those, and they hold from then on.
    pub affine: Vec<bool>,
    /// Whether none has a kink or a step.
    pub is_smooth: bool,
}

impl ConstraintKinds {
    /// No constraints.
    pub const NONE: Self = Self {
        equal: Vec::new(),
        affine: Vec::new(),
        is_smooth: true,
    };
}

/// Constraints on n variables, `c(x) = 0` or `c(x) >= 0` as [`ConstraintKinds`] says.
///
/// A closure `FnMut(&[f64], &mut [f64])` that writes the values is one, without derivatives.
pub trait ConstraintFunctions {
    /// Writes the value of each constraint; those that are not finite are outside of their domain.
    ///
    /// # Errors
    /// Why no values can be had any more; it ends the search.
    fn values(&mut self, x: &[f64], c: &mut [f64]) -> Result<(), FunctionError>;

    /// The derivatives of each constraint, a row of n entries for each.
    ///
    /// # Errors
    /// As [`ConstraintFunctions::values`].
    fn jacobian(&mut self, x: &[f64]) -> Result<KnownDerivative<Vec<Vec<f64>>>, FunctionError> {
        let _ = x;
        Ok(KnownDerivative::Unknown)
    }

    /// The gradient of the sum of the constraints times weights, n entries.
    ///
    /// # Errors
    /// As [`ConstraintFunctions::values`].
    fn weighted_gradient(
        &mut self,
        x: &[f64],
        weights: &[f64],
    ) -> Result<KnownDerivative<Vec<f64>>, FunctionError> {
        let _ = (x, weights);
        Ok(KnownDerivative::Unknown)
    }

    /// The product of the Hessian of the sum of the constraints times weights and a vector; `None` where second derivatives are not known.
    ///
    /// # Errors
    /// As [`ConstraintFunctions::values`].
    fn hessian_times(
        &mut self,
        x: &[f64],
        weights: &[f64],
        v: &[f64],
    ) -> Result<Option<Vec<f64>>, FunctionError> {
        let _ = (x, weights, v);
        Ok(None)
    }
}

impl<F: FnMut(&[f64], &mut [f64])> ConstraintFunctions for F {
    fn values(&mut self, x: &[f64], c: &mut [f64]) -> Result<(), FunctionError> {
        self(x, c);
        Ok(())
    }
}

/// The functions of no constraints.
pub(crate) fn no_constraint(_: &[f64], _: &mut [f64]) {}
