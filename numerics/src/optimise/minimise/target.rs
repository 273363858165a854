//! [`MinimisationTarget`]: an objective as the methods see it, always minimised, counted, and stoppable.

use super::bounds::VariableBounds;
use super::sizes::difference_step;
use crate::Watch;
use crate::optimise::error::{NotFinitePlace, OptimiseError, UnboundedFall};
use crate::optimise::functions::{CostFunction, FunctionShape, KnownDerivative};

/// The objective as the methods see it: minimised, counted, watched for stop requests and for a fall without end.
pub struct MinimisationTarget<'a> {
    function: Box<dyn CostFunction + 'a>,
    pub(super) watch: &'a dyn Watch,
    /// Differences stay within.
    bounds: VariableBounds,
    /// -1 when the caller maximises.
    sign: f64,
    /// Below this the objective counts as unbounded.
    floor: f64,
    /// Evaluations so far.
    pub(crate) evaluations: u64,
    /// The lowest value and its point.
    best: (f64, Vec<f64>),
}

impl<'a> MinimisationTarget<'a> {
    /// Evaluates a function at a start point.
    ///
    /// # Errors
    /// [`NotFinitePlace::Start`] when the function is not finite there.
    pub(crate) fn new(
        function: Box<dyn CostFunction + 'a>,
        maximise: bool,
        x0: &[f64],
        watch: &'a dyn Watch,
    ) -> Result<Self, OptimiseError> {
        let (target, value) = Self::near(function, maximise, x0, watch)?;
        if !value.is_finite() {
            return Err(NotFinitePlace::Start { value }.into());
        }
        Ok(target)
    }

    /// Evaluates a function at a start point, where it need not be finite; answers its value too.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub fn near(
        function: Box<dyn CostFunction + 'a>,
        maximise: bool,
        x0: &[f64],
        watch: &'a dyn Watch,
    ) -> Result<(Self, f64), OptimiseError> {
        /// Drop below the start, relative to its size, beyond which a value is no optimum.
        const FALL: f64 = 1e100;
        let sign = if maximise { -1.0 } else { 1.0 };
        let mut target = Self {
            function,
            watch,
            bounds: VariableBounds::free(x0.len()),
            sign,
            floor: f64::NEG_INFINITY,
            evaluations: 0,
            best: (f64::INFINITY, x0.to_vec()),
        };
        let start = target.raw(x0)?;
        let finite = if start.is_finite() { start } else { 0.0 };
        if start.is_finite() {
            target.best.0 = sign * start;
        }
        target.floor = -FALL * (1.0 + finite.abs());
        Ok((target, start))
    }

    /// Takes differences within these bounds only.
    #[must_use]
    pub fn within(self, bounds: &VariableBounds) -> Self {
        let bounds = bounds.clone();
        Self { bounds, ..self }
    }

    fn count(&mut self) -> Result<(), OptimiseError> {
        self.watch.check()?;
        self.watch.count_evaluations(1)?;
        self.evaluations += 1;
        if self.evaluations.is_multiple_of(4096) {
            let (evaluations, best) = (self.evaluations, self.sign * self.best.0);
            let words = || format!("{evaluations} evaluations, best value {best:.6}");
            self.watch.progress(None, &words);
        }
        Ok(())
    }

    /// The function as the caller wrote it.
    fn raw(&mut self, x: &[f64]) -> Result<f64, OptimiseError> {
        self.count()?;
        Ok(self.function.value(x)?)
    }

    /// The value to be minimised; positive infinity where the function is not finite.
    ///
    /// # Errors
    /// A stop request, a budget, or [`OptimiseError::Unbounded`] with the best point.
    pub(crate) fn value(&mut self, x: &[f64]) -> Result<f64, OptimiseError> {
        let raw = self.raw(x)?;
        if x.iter().any(|x| !x.is_finite()) {
            return Ok(f64::INFINITY); // the objective need not use every coordinate
        }
        let value = self.sign * raw;
        if value < self.best.0 {
            if value.is_finite() {
                self.best = (value, x.to_vec());
            }
            if value < self.floor {
                return Err(self.unbounded(&self.best.1, self.best.0));
            }
        }
        let finite = value.is_finite();
        Ok(if finite { value } else { f64::INFINITY })
    }

    /// How the objective changes from point to point.
    pub(crate) fn shape(&self) -> FunctionShape {
        self.function.shape()
    }

    /// Whether the objective has a known gradient and neither kinks nor steps.
    pub(crate) fn is_smooth(&self) -> bool {
        self.shape() == FunctionShape::Smooth
    }

    /// Below this the objective counts as unbounded.
    pub(crate) fn floor(&self) -> f64 {
        self.floor
    }

    /// Takes only values below this for a fall without end.
    #[must_use]
    pub fn down_to(self, floor: f64) -> Self {
        Self { floor, ..self }
    }

    /// The end at an objective without an optimum, with a point of the fall.
    pub(crate) fn unbounded(&self, x: &[f64], value: f64) -> OptimiseError {
        OptimiseError::Unbounded(Box::new(UnboundedFall {
            x: x.to_vec(),
            value: self.sign * value,
            evaluations: self.evaluations,
            is_maximised: self.sign < 0.0,
        }))
    }

    /// The gradient, given the value at the point: by formula, else by central differences of step 6e-6 max(1, |x|), one-sided
    /// where a neighbour is not finite or beyond a bound.
    ///
    /// # Errors
    /// As `MinimisationTarget::value`.
    pub fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, OptimiseError> {
        match self.function.gradient(x)? {
            KnownDerivative::Known(mut gradient) => {
                self.count()?;
                gradient.iter_mut().for_each(|entry| *entry *= self.sign);
                return Ok(gradient);
            }
            KnownDerivative::NotFinite => self.count()?,
            KnownDerivative::Unknown => {}
        }
        let mut point = x.to_vec();
        let mut gradient = Vec::with_capacity(x.len());
        for index in 0..x.len() {
            let step = difference_step(x[index]);
            let above = self.bounds.nearest(index, x[index] + step);
            let below = self.bounds.nearest(index, x[index] - step);
            if above == below {
                gradient.push(0.0); // the bounds leave one value
                continue;
            }
            point[index] = above;
            let up = self.value(&point)?;
            point[index] = below;
            let down = self.value(&point)?;
            point[index] = x[index];
            gradient.push(match (up.is_finite(), down.is_finite()) {
                (true, false) => (up - value) / (above - x[index]),
                (false, true) => (value - down) / (x[index] - below),
                _ => (up - down) / (above - below),
            });
        }
        Ok(gradient)
    }

    /// The product of the Hessian and a vector; `None` where second derivatives are not known, or not finite at this point.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn hessian_times(
        &mut self,
        x: &[f64],
        v: &[f64],
    ) -> Result<Option<Vec<f64>>, OptimiseError> {
        self.watch.check()?;
        let Some(mut product) = self.function.hessian_times(x, v)? else {
            return Ok(None);
        };
        self.count()?;
        product.iter_mut().for_each(|entry| *entry *= self.sign);
        Ok(Some(product).filter(|product| product.iter().all(|entry| entry.is_finite())))
    }

    /// The size of the rounding error of a component of the gradient.
    pub(crate) fn gradient_noise(&self, x: &[f64], value: f64) -> f64 {
        const ROUNDINGS: f64 = 4.0;
        let size = self.function.gradient_size(x, value);
        ROUNDINGS * f64::EPSILON * size
    }

    /// A value in the caller's sign.
    pub fn restored(&self, value: f64) -> f64 {
        self.sign * value + 0.0 // no negative zero
    }
}
