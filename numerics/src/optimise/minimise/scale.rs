//! [`ProblemScale`]: the units in which the tests of convergence are made.
//!
//! The unit of a variable is the step that changes the objective by its own unit, so that tests in these units are the same whatever
//! factor the objective or a variable is multiplied with. Problems of ordinary size keep the unit 1.
//!
//! P. E. Gill, W. Murray, M. H. Wright, "Practical Optimization", Academic Press 1981, sections 7.5 and 8.7.

use crate::optimise::error::OptimiseError;

use super::bounds::VariableBounds;
use super::result::{MinimiseEnd, MinimiseResult};
use super::sizes::{ORDINARY, round_to_scale};
use super::smooth::SmoothFunction;

/// Units of the objective and of each variable, powers of two.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProblemScale {
    pub value: f64,
    pub x: Vec<f64>,
}

/// What is known of a function at the end of a method.
pub(crate) struct ScaleEvidence<'a> {
    pub x: &'a [f64],
    pub gradient: &'a [f64],
    /// Second derivatives by each variable, where they are known.
    pub bends: Option<Vec<f64>>,
    /// By how much the value fell since the start.
    pub drop: f64,
}

impl ProblemScale {
    /// Every unit is 1.
    pub(crate) fn one(n: usize) -> Self {
        Self {
            value: 1.0,
            x: vec![1.0; n],
        }
    }

    /// The units at a point: the objective's is the largest change that a variable makes that changes by its own size or by a step of
    /// Newton's method; where that is small, the fall since the start counts too.
    pub(crate) fn of(sizes: &ScaleEvidence<'_>) -> Self {
        let n = sizes.x.len();
        let bend = |i: usize| sizes.bends.as_ref().map_or(0.0, |bends| bends[i].abs());
        let change = |i: usize| {
            let (x, g, h) = (sizes.x[i].abs(), sizes.gradient[i].abs(), bend(i));
            let newton = if h > 0.0 { g * g / h } else { 0.0 };
            (g * x).max(h * x * x).max(newton)
        };
        let mut unit = (0..n).map(change).fold(0.0, f64::max);
        if unit < ORDINARY.0 {
            unit = unit.max(sizes.drop.min(1.0));
        }
        if unit == 0.0 {
            unit = sizes.gradient.iter().fold(0.0, |most, g| g.abs().max(most)); // by a step of 1
        }
        if !(unit > 0.0 && unit.is_finite()) {
            return Self::one(n);
        }
        let unit = round_to_scale(unit);
        let x = (0..n).map(|i| {
            let (g, h) = (sizes.gradient[i].abs(), bend(i));
            let step = (unit / g).min((unit / h).sqrt());
            let ordinary = !step.is_finite() || step <= 0.0;
            if ordinary { 1.0 } else { round_to_scale(step) }
        });
        Self {
            x: x.collect(),
            value: unit,
        }
    }

    /// Whether every unit is 1.
    pub(crate) fn is_one(&self) -> bool {
        self.value == 1.0 && self.x.iter().all(|unit| *unit == 1.0)
    }

    /// A point as the caller sees it.
    pub(crate) fn outside(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.x).map(|(x, unit)| x * unit).collect()
    }

    /// A point in these units.
    pub(crate) fn inside(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.x).map(|(x, unit)| x / unit).collect()
    }

    /// A gradient of the objective in these units.
    pub(crate) fn gradient(&self, gradient: &[f64]) -> Vec<f64> {
        let entries = gradient.iter().zip(&self.x);
        entries.map(|(g, unit)| g * (unit / self.value)).collect()
    }

    /// A box in these units.
    pub(crate) fn bounds(&self, bounds: &VariableBounds) -> VariableBounds {
        VariableBounds {
            low: self.inside(&bounds.low),
            high: self.inside(&bounds.high),
        }
    }
}

/// A function in other units.
pub(crate) struct ScaledFunction<'a, F> {
    pub function: &'a mut F,
    pub scale: &'a ProblemScale,
}

impl<F: SmoothFunction> SmoothFunction for ScaledFunction<'_, F> {
    fn value(&mut self, x: &[f64]) -> Result<f64, OptimiseError> {
        Ok(self.function.value(&self.scale.outside(x))? / self.scale.value)
    }

    fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, OptimiseError> {
        let outside = self.scale.outside(x);
        let gradient = self.function.gradient(&outside, value * self.scale.value)?;
        Ok(self.scale.gradient(&gradient))
    }

    fn hessian_times(&mut self, x: &[f64], v: &[f64]) -> Result<Option<Vec<f64>>, OptimiseError> {
        let (x, v) = (self.scale.outside(x), self.scale.outside(v));
        let product = self.function.hessian_times(&x, &v)?;
        Ok(product.map(|product| self.scale.gradient(&product)))
    }

    fn gradient_noise(&self, x: &[f64], value: f64) -> f64 {
        let outside = self.scale.outside(x);
        let noise = self
            .function
            .gradient_noise(&outside, value * self.scale.value);
        let widest = self.scale.x.iter().copied().fold(0.0, f64::max);
        noise * widest / self.scale.value
    }
}

/// Runs of a method, from one end to the next, until an end passes the test of convergence in its own units. `run` minimises from a point
/// in given units and answers in them.
///
/// # Errors
/// Those of the function.
pub(crate) fn in_units<F: SmoothFunction, M>(
    function: &mut F,
    bounds: &VariableBounds,
    x0: &[f64],
    tolerance: f64,
    mut run: impl FnMut(
        &mut ScaledFunction<'_, F>,
        &VariableBounds,
        &[f64],
    ) -> Result<(MinimiseResult, M), OptimiseError>,
) -> Result<(MinimiseResult, M), OptimiseError> {
    const ROUNDS_MAX: usize = 3;
    let mut scale = ProblemScale::one(x0.len());
    let mut round = |function: &mut F, scale: &ProblemScale, from: &[f64]| {
        let mut scaled = ScaledFunction { function, scale };
        let (found, method) = run(&mut scaled, &scale.bounds(bounds), &scale.inside(from))?;
        Ok::<_, OptimiseError>((found.outside(scale), method))
    };
    let mut best = round(function, &scale, x0)?;
    for _ in 0..ROUNDS_MAX {
        let Some(next) = other_units(function, bounds, x0, &best.0, tolerance)? else {
            break;
        };
        if next == scale {
            break;
        }
        scale = next;
        let mut found = round(function, &scale, &best.0.x)?;
        found.0.iterations += best.0.iterations;
        let lower = best.0.value - found.0.value > tolerance * scale.value;
        if best.0.converged && !found.0.converged && !lower {
            best.0.iterations = found.0.iterations;
            break;
        }
        best = found;
    }
    Ok(best)
}

/// The units in which an end is not one, or in which a search that failed may do better.
fn other_units<F: SmoothFunction>(
    function: &mut F,
    bounds: &VariableBounds,
    x0: &[f64],
    found: &MinimiseResult,
    tolerance: f64,
) -> Result<Option<ProblemScale>, OptimiseError> {
    if matches!(
        found.reason,
        MinimiseEnd::MaxIter | MinimiseEnd::NegativeCurvature
    ) {
        return Ok(None);
    }
    let noise = function.gradient_noise(&found.x, found.value);
    let is_zero = bounds.slope(&found.x, &found.gradient) <= noise;
    if found.converged && is_zero {
        return Ok(None);
    }
    let sizes = ScaleEvidence {
        x: &found.x,
        gradient: &found.gradient,
        bends: diagonal_curvatures(function, &found.x)?,
        drop: function.value(x0)? - found.value,
    };
    let scale = ProblemScale::of(&sizes);
    if scale.is_one() || !found.converged {
        return Ok(Some(scale));
    }
    let gradient = scale.gradient(&found.gradient);
    let inner = scale.bounds(bounds);
    let step = inner.descent(&scale.inside(&found.x), &gradient);
    let small = |(step, unit): (&f64, &f64)| step.abs() <= tolerance + noise * unit / scale.value;
    let passes = step.iter().zip(&scale.x).all(small);
    Ok((!passes).then_some(scale))
}

/// The second derivatives by each variable, where they are known and the variables are few.
fn diagonal_curvatures<F: SmoothFunction>(
    function: &mut F,
    x: &[f64],
) -> Result<Option<Vec<f64>>, OptimiseError> {
    const VARIABLES_MAX: usize = 1000;
    if x.len() > VARIABLES_MAX {
        return Ok(None);
    }
    let mut bends = Vec::with_capacity(x.len());
    for index in 0..x.len() {
        let mut unit = vec![0.0; x.len()];
        unit[index] = 1.0;
        match function.hessian_times(x, &unit)? {
            Some(column) => bends.push(column[index]),
            None => return Ok(None),
        }
    }
    Ok(Some(bends))
}

impl MinimiseResult {
    /// The end in the caller's units.
    fn outside(self, scale: &ProblemScale) -> Self {
        if scale.is_one() {
            return self;
        }
        let gradient = self.gradient.iter().zip(&scale.x);
        Self {
            gradient: gradient.map(|(g, unit)| g * (scale.value / unit)).collect(),
            x: scale.outside(&self.x),
            value: self.value * scale.value,
            lowest_curvature: None,
            ..self
        }
    }
}
