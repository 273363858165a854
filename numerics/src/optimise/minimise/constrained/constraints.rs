//! [`ConstraintEvaluator`]: constraints, counted and stoppable, with differences where no derivative is known.

use super::super::bounds::VariableBounds;
use super::super::sizes::difference_step;
use crate::Watch;
use crate::dense::add_multiple;
use crate::optimise::error::OptimiseError;
use crate::optimise::functions::{ConstraintFunctions, ConstraintKinds, KnownDerivative};

/// Evaluates constraints, counted and stoppable.
pub struct ConstraintEvaluator<'a> {
    pub(super) kinds: &'a ConstraintKinds,
    functions: Box<dyn ConstraintFunctions + 'a>,
    watch: &'a dyn Watch,
}

impl<'a> ConstraintEvaluator<'a> {
    /// Constraints of these kinds.
    pub fn new(
        kinds: &'a ConstraintKinds,
        functions: Box<dyn ConstraintFunctions + 'a>,
        watch: &'a dyn Watch,
    ) -> Self {
        Self {
            kinds,
            functions,
            watch,
        }
    }

    fn count(&self) -> Result<(), OptimiseError> {
        self.watch.check()?;
        self.watch.count_evaluations(1)?;
        Ok(())
    }

    /// The values of `c`; not all finite outside a domain.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn values(&mut self, x: &[f64]) -> Result<Vec<f64>, OptimiseError> {
        self.count()?;
        let mut found = vec![0.0; self.kinds.equal.len()];
        self.functions.values(x, &mut found)?;
        Ok(found)
    }

    /// The derivatives of each `c`, row by row: by formula, or by differences within the bounds.
    ///
    /// # Errors
    /// As [`ConstraintEvaluator::values`].
    pub(crate) fn jacobian(
        &mut self,
        x: &[f64],
        bounds: &VariableBounds,
    ) -> Result<Vec<Vec<f64>>, OptimiseError> {
        let (m, n) = (self.kinds.equal.len(), x.len());
        match self.functions.jacobian(x)? {
            KnownDerivative::Known(rows) => {
                self.count()?;
                return Ok(rows);
            }
            KnownDerivative::NotFinite => self.count()?,
            KnownDerivative::Unknown => {}
        }
        let mut rows = vec![vec![0.0; n]; m];
        let here = self.values(x)?;
        let mut point = x.to_vec();
        for column in 0..n {
            let step = difference_step(x[column]);
            let mut ends = [
                bounds.nearest(column, x[column] + step),
                bounds.nearest(column, x[column] - step),
            ];
            let mut values = [Vec::new(), Vec::new()];
            for side in 0..2 {
                point[column] = ends[side];
                values[side] = self.values(&point)?;
                if values[side].iter().any(|value| !value.is_finite()) {
                    (ends[side], values[side]) = (x[column], here.clone());
                }
            }
            point[column] = x[column];
            let width = ends[0] - ends[1];
            if width > 0.0 {
                for (row, (up, down)) in rows.iter_mut().zip(values[0].iter().zip(&values[1])) {
                    row[column] = (up - down) / width;
                }
            }
        }
        Ok(rows)
    }

    /// The gradient of the sum of `weights` times `c`: by formula, or from differences within the bounds.
    ///
    /// # Errors
    /// As [`ConstraintEvaluator::values`].
    pub(crate) fn weighted_gradient(
        &mut self,
        x: &[f64],
        weights: &[f64],
        bounds: &VariableBounds,
    ) -> Result<Vec<f64>, OptimiseError> {
        match self.functions.weighted_gradient(x, weights)? {
            KnownDerivative::Known(gradient) => {
                self.count()?;
                return Ok(gradient);
            }
            KnownDerivative::NotFinite => self.count()?,
            KnownDerivative::Unknown => {}
        }
        let mut gradient = vec![0.0; x.len()];
        for (weight, row) in weights.iter().zip(self.jacobian(x, bounds)?) {
            add_multiple(&mut gradient, *weight, &row);
        }
        Ok(gradient)
    }

    /// The product of the Hessian of the sum of `weights` times `c` and a vector, where second derivatives are known.
    ///
    /// # Errors
    /// As [`ConstraintEvaluator::values`].
    pub(crate) fn hessian_times(
        &mut self,
        x: &[f64],
        weights: &[f64],
        v: &[f64],
    ) -> Result<Option<Vec<f64>>, OptimiseError> {
        let Some(product) = self.functions.hessian_times(x, weights, v)? else {
            return Ok(None);
        };
        self.count()?;
        Ok(Some(product).filter(|product| product.iter().all(|entry| entry.is_finite())))
    }
}
