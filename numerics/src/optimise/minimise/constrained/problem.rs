//! [`ConstrainedProblem`]: an objective with constraints and bounds, as the methods see them.

use faer::Mat;

use super::ConstrainedPoint;
use super::constraints::ConstraintEvaluator;
use super::kkt::{self, KktEvidence};
use super::unbounded;
use crate::optimise::error::{ConstraintConflict, OptimiseError};
use crate::optimise::minimise::bounds::VariableBounds;
use crate::optimise::minimise::scale::ProblemScale;
use crate::optimise::minimise::target::MinimisationTarget;

/// A problem: the objective, its constraints and bounds. Points, values and derivatives are in the units of `scale`; constraints keep the
/// caller's.
pub struct ConstrainedProblem<'a> {
    /// The objective.
    pub target: MinimisationTarget<'a>,
    pub(crate) watched: ConstraintEvaluator<'a>,
    /// The box that the variables may not leave.
    pub bounds: VariableBounds,
    pub(crate) scale: ProblemScale,
    /// The bounds in the caller's units.
    given: VariableBounds,
    /// The start, in the caller's units.
    start: Vec<f64>,
    /// A feasible point with a lower value may show that there is no minimum.
    floor: f64,
    /// Evaluations of the objective at which a global search stops a method.
    pub(crate) limit: Option<u64>,
}

impl<'a> ConstrainedProblem<'a> {
    pub(crate) fn new(
        target: MinimisationTarget<'a>,
        watched: ConstraintEvaluator<'a>,
        bounds: VariableBounds,
        x0: &[f64],
    ) -> Self {
        /// Points on curved constraints do not get as far as free ones.
        const FALL: f64 = 1e-70;
        let floor = FALL * target.floor();
        let target = target.down_to(f64::NEG_INFINITY);
        Self {
            floor,
            ..Self::in_box(target, watched, bounds, x0)
        }
    }

    /// A problem in a finite box, where no value shows that there is no minimum.
    pub fn in_box(
        target: MinimisationTarget<'a>,
        watched: ConstraintEvaluator<'a>,
        bounds: VariableBounds,
        x0: &[f64],
    ) -> Self {
        Self {
            target,
            watched,
            given: bounds.clone(),
            bounds,
            scale: ProblemScale::one(x0.len()),
            start: x0.to_vec(),
            floor: f64::NEG_INFINITY,
            limit: None,
        }
    }

    /// Changes the units.
    pub(crate) fn set_scale(&mut self, scale: ProblemScale) {
        self.bounds = scale.bounds(&self.given);
        self.scale = scale;
    }

    /// The start in the present units.
    pub(super) fn start(&self) -> Vec<f64> {
        self.scale.inside(&self.start)
    }

    /// Whether neither objective nor constraints have kinks or steps.
    pub fn is_smooth(&self) -> bool {
        self.target.is_smooth() && self.watched.kinds.is_smooth
    }

    /// Whether each constraint is an equality.
    pub fn equal(&self) -> &'a [bool] {
        &self.watched.kinds.equal
    }

    fn afford(&self) -> Result<(), OptimiseError> {
        match self.limit {
            Some(limit) if self.target.evaluations >= limit => Err(OptimiseError::EvaluationsSpent),
            _ => Ok(()),
        }
    }

    /// The objective; infinite where it is not finite.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(super) fn objective(&mut self, x: &[f64]) -> Result<f64, OptimiseError> {
        self.afford()?;
        Ok(self.target.value(&self.scale.outside(x))? / self.scale.value)
    }

    /// The values of the constraints.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn constraints(&mut self, x: &[f64]) -> Result<Vec<f64>, OptimiseError> {
        self.watched.values(&self.scale.outside(x))
    }

    /// The derivatives of the constraints, row by row.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(super) fn jacobian(&mut self, x: &[f64]) -> Result<Vec<Vec<f64>>, OptimiseError> {
        let mut rows = self.watched.jacobian(&self.scale.outside(x), &self.given)?;
        for row in &mut rows {
            row.iter_mut()
                .zip(&self.scale.x)
                .for_each(|(entry, unit)| *entry *= unit);
        }
        Ok(rows)
    }

    /// The gradient of a weighted sum of the constraints.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(super) fn weighted_gradient(
        &mut self,
        x: &[f64],
        weights: &[f64],
    ) -> Result<Vec<f64>, OptimiseError> {
        let outside = self.scale.outside(x);
        let mut sum = self
            .watched
            .weighted_gradient(&outside, weights, &self.given)?;
        sum.iter_mut()
            .zip(&self.scale.x)
            .for_each(|(entry, unit)| *entry *= unit);
        Ok(sum)
    }

    /// The gradient of the objective, given the value there.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(super) fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, OptimiseError> {
        self.afford()?;
        let outside = value * self.scale.value;
        let gradient = self.target.gradient(&self.scale.outside(x), outside)?;
        Ok(self.scale.gradient(&gradient))
    }

    /// Whether matrices of all variables can be factored.
    pub(super) fn is_small(&self) -> bool {
        super::takes_dense_factors(self.start.len())
    }

    /// Objective and constraints at a point of the box; an infinite value where one of them is not finite.
    ///
    /// # Errors
    /// A stop request, a budget, or [`OptimiseError::Unbounded`].
    pub fn values(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), OptimiseError> {
        let c = self.constraints(x)?;
        if c.iter().any(|c| !c.is_finite()) {
            return Ok((f64::INFINITY, c));
        }
        let value = self.objective(x)?;
        let outside = value * self.scale.value;
        if outside < self.floor {
            if !unbounded::is_feasible(self, x, &c)? {
                return Ok((f64::INFINITY, c));
            }
            // Not again before the value is much lower.
            self.floor = 1e10 * outside;
            if unbounded::goes_on(self, x, value)? {
                return Err(self.target.unbounded(&self.scale.outside(x), outside));
            }
        }
        Ok((value, c))
    }

    /// A point with its derivatives; those of constraints where the variables are few.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn state(
        &mut self,
        x: Vec<f64>,
        (value, c): (f64, Vec<f64>),
    ) -> Result<ConstrainedPoint, OptimiseError> {
        let gradient = self.gradient(&x, value)?;
        let jacobian = match self.is_small() {
            true => self.jacobian(&x)?,
            false => Vec::new(),
        };
        Ok(ConstrainedPoint {
            gradient,
            x,
            value,
            c,
            jacobian,
        })
    }

    /// The size of the rounding error of a component of the gradient.
    pub(super) fn gradient_noise(&self, at: &ConstrainedPoint) -> f64 {
        self.noise(&at.x, at.value)
    }

    /// The same at a point with a value.
    pub(super) fn noise(&self, x: &[f64], value: f64) -> f64 {
        let x = self.scale.outside(x);
        let widest = self.scale.x.iter().copied().fold(0.0, f64::max);
        let noise = self.target.gradient_noise(&x, value * self.scale.value);
        noise * widest / self.scale.value
    }

    /// The product of the Hessian of the Lagrangian and a vector, where second derivatives are known and finite.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(super) fn hessian_times(
        &mut self,
        x: &[f64],
        multipliers: &[f64],
        v: &[f64],
    ) -> Result<Option<Vec<f64>>, OptimiseError> {
        let (x, v) = (self.scale.outside(x), self.scale.outside(v));
        self.afford()?;
        let Some(mut product) = self.target.hessian_times(&x, &v)? else {
            return Ok(None);
        };
        if multipliers.iter().any(|entry| *entry != 0.0) {
            let weights: Vec<f64> = multipliers.iter().map(|m| m * self.scale.value).collect();
            let Some(curved) = self.watched.hessian_times(&x, &weights, &v)? else {
                return Ok(None);
            };
            product.iter_mut().zip(curved).for_each(|(p, c)| *p -= c);
        }
        Ok(Some(self.scale.gradient(&product)))
    }

    /// The Hessian of the Lagrangian, where second derivatives are known and finite.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn hessian(
        &mut self,
        x: &[f64],
        multipliers: &[f64],
    ) -> Result<Option<Mat<f64>>, OptimiseError> {
        let n = x.len();
        let mut hessian = Mat::<f64>::zeros(n, n);
        for column in 0..n {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            let Some(product) = self.hessian_times(x, multipliers, &unit)? else {
                return Ok(None);
            };
            for (row, entry) in product.iter().enumerate() {
                hessian[(row, column)] += entry / 2.0;
                hessian[(column, row)] += entry / 2.0;
            }
        }
        Ok(Some(hessian))
    }

    /// Evidence of optimality at a point.
    ///
    /// # Errors
    /// A stop request.
    pub(crate) fn evidence(&self, at: &ConstrainedPoint) -> Result<KktEvidence, OptimiseError> {
        let watch = self.target.watch;
        Ok(kkt::kkt_evidence(at, self.equal(), &self.bounds, watch)?)
    }

    /// Whether the multipliers at a point are determined, as far as the derivatives are at hand.
    /// `least` is the distance of a gradient of length 1 from the span of the others that makes it independent.
    pub(super) fn has_unique_multipliers(&self, at: &ConstrainedPoint, least: f64) -> bool {
        !self.is_small() || kkt::are_unique(at, self.equal(), &self.bounds, least)
    }

    /// What is violated at a point by more than a tolerance, as given.
    pub fn violated(&self, c: &[f64], tolerance: f64) -> Vec<usize> {
        let violations = kkt::constraint_violations(c, self.equal()).enumerate();
        violations
            .filter(|(_, violation)| *violation > tolerance)
            .map(|(index, _)| index)
            .collect()
    }

    /// The end at a problem whose constraints cannot all hold: near a point, or anywhere in the case of affine ones.
    pub(crate) fn conflict(
        &self,
        x: &[f64],
        c: &[f64],
        violated: &[usize],
        is_proven: bool,
    ) -> ConstraintConflict {
        ConstraintConflict {
            x: self.scale.outside(x),
            violation: kkt::constraint_violations(c, self.equal()).fold(0.0, f64::max),
            violated: violated.to_vec(),
            is_proven,
        }
    }

    /// The same as an error.
    pub(super) fn infeasible(
        &self,
        x: &[f64],
        c: &[f64],
        violated: &[usize],
        is_proven: bool,
    ) -> OptimiseError {
        OptimiseError::Infeasible(Box::new(self.conflict(x, c, violated, is_proven)))
    }
}
