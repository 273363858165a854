//! [`fit_residuals`]: residuals as a closure, with derivatives by differences.

use super::levenberg::{
    LeastSquaresResult, LevenbergOptions, LinearisedResiduals, ResidualProblem, StepWeights,
};
use super::loss::{LossKind, RobustLoss};
use super::projected::minimise_doggedly;
use crate::optimise::error::{MethodMismatch, NotFinitePlace, OptimiseError};
use crate::optimise::minimise::bounds::VariableBounds;
use crate::optimise::minimise::sizes::difference_step;
use crate::{FunctionError, Watch};

/// How residuals are fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct FitOptions {
    /// Bounds of the parameters; absent: none.
    pub bounds: Option<VariableBounds>,
    /// How much a residual counts.
    pub loss: RobustLoss,
    /// Largest number of iterations.
    pub max_iter: u64,
    /// Ended when a step changes the parameters by less than this, relative to their size.
    pub tolerance: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            bounds: None,
            loss: RobustLoss {
                kind: LossKind::Linear,
                scale: 1.0,
            },
            max_iter: 1000,
            tolerance: 1e-12,
        }
    }
}

/// Minimises the sum of squares of residuals from a start, which is first moved into the bounds. Derivatives are central differences, so the
/// parameters have about ten digits; a [`ResidualProblem`] with exact ones has all.
///
/// ```
/// use numerics::NoWatch;
/// use numerics::optimise::{FitOptions, fit_residuals};
///
/// let (t, y) = ([0.0, 1.0, 2.0, 3.0], [8.0, 4.0, 2.0, 1.0_f64]);
/// let decay = |p: &[f64]| (0..4).map(|i| p[0] * (-p[1] * t[i]).exp() - y[i]).collect();
/// let found = fit_residuals(decay, &[5.0, 1.0], &FitOptions::default(), &NoWatch)?;
/// assert!((found.point[0] - 8.0).abs() < 1e-6);
/// assert!((found.point[1] - 2.0_f64.ln()).abs() < 1e-6);
/// # Ok::<(), numerics::optimise::OptimiseError>(())
/// ```
///
/// # Errors
/// [`OptimiseError`]: an interruption, bounds that do not fit, residuals that are not finite at the start.
pub fn fit_residuals(
    residuals: impl FnMut(&[f64]) -> Vec<f64>,
    x0: &[f64],
    options: &FitOptions,
    watch: &dyn Watch,
) -> Result<LeastSquaresResult, OptimiseError> {
    let n = x0.len();
    if n == 0 {
        return Err(MethodMismatch::NoVariables.into());
    }
    let free = VariableBounds::free(n);
    let bounds = options.bounds.as_ref().unwrap_or(&free);
    bounds.check(n)?;
    let mut start = x0.to_vec();
    bounds.project(&mut start);
    let pairs = bounds.low.iter().zip(&bounds.high);
    let pairs: Vec<[f64; 2]> = pairs.map(|(low, high)| [*low, *high]).collect();
    let how = LevenbergOptions {
        bounds: &pairs,
        max_iter: options.max_iter,
        tolerance: options.tolerance,
        scale: 0.0,
        error: 0.0,
        weights: StepWeights::Largest,
    };
    let mut problem = ResidualClosure {
        residuals,
        loss: options.loss,
        bounds,
        watch,
    };
    let (found, _) = minimise_doggedly(&mut problem, &start, &how, watch)?;
    found.ok_or_else(|| NotFinitePlace::StartOfBoth.into())
}

/// Residuals by a closure, differentiated by central differences within bounds.
struct ResidualClosure<'a, F> {
    residuals: F,
    loss: RobustLoss,
    bounds: &'a VariableBounds,
    watch: &'a dyn Watch,
}

impl<F: FnMut(&[f64]) -> Vec<f64>> ResidualClosure<'_, F> {
    /// The residuals; `None` where one is not finite.
    fn values(&mut self, point: &[f64]) -> Result<Option<Vec<f64>>, OptimiseError> {
        self.watch.check()?;
        self.watch.count_evaluations(1)?;
        let values = (self.residuals)(point);
        Ok(Some(values).filter(|values| values.iter().all(|value| value.is_finite())))
    }
}

impl<F: FnMut(&[f64]) -> Vec<f64>> ResidualProblem for ResidualClosure<'_, F> {
    fn cost(&mut self, point: &[f64]) -> Result<Option<f64>, OptimiseError> {
        let values = self.values(point)?;
        let cost = values.map(|values| self.loss.sum(&values));
        Ok(cost.filter(|cost| cost.is_finite()))
    }

    fn linear(&mut self, point: &[f64]) -> Result<Option<LinearisedResiduals>, OptimiseError> {
        let Some(mut residuals) = self.values(point)? else {
            return Ok(None);
        };
        let mut jacobian = Vec::with_capacity(point.len());
        let mut moved = point.to_vec();
        for index in 0..point.len() {
            let step = difference_step(point[index]);
            let ends = [step, -step].map(|step| self.bounds.nearest(index, point[index] + step));
            let width = ends[0] - ends[1];
            let mut column = vec![0.0; residuals.len()];
            if width > 0.0 {
                moved[index] = ends[0];
                let up = self.values(&moved)?;
                moved[index] = ends[1];
                let (Some(up), Some(down)) = (up, self.values(&moved)?) else {
                    return Ok(None);
                };
                if up.len() != residuals.len() || down.len() != residuals.len() {
                    let message = "the number of residuals changes from point to point";
                    return Err(FunctionError::new(message).into());
                }
                for (entry, (up, down)) in column.iter_mut().zip(up.iter().zip(&down)) {
                    *entry = (up - down) / width;
                }
            }
            moved[index] = point[index];
            jacobian.push(column);
        }
        let cost = self.loss.sum(&residuals);
        self.loss.scale(&mut residuals, &mut jacobian);
        let linear = LinearisedResiduals {
            residuals,
            jacobian,
            cost,
        };
        Ok(linear.cost.is_finite().then_some(linear))
    }
}
