//! The line search of the quasi-Newton methods, within a box.
//!
//! J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006, algorithms 3.5 and 3.6.

use crate::optimise::error::OptimiseError;

use super::bounds::VariableBounds;
use super::curvature::point_along;
use super::smooth::{GradientPoint, SmoothFunction};
use crate::dense::dot;

/// Sufficient decrease, as a part of the slope.
const DECREASE: f64 = 1e-4;
/// Remaining slope, as a part of the slope at the start.
const CURVATURE: f64 = 0.9;

/// A trial along the line: step, value and slope there.
#[derive(Clone, Copy)]
struct LineTrial {
    step: f64,
    value: f64,
    slope: f64,
}

/// A direction from a point.
struct SearchLine<'a> {
    bounds: &'a VariableBounds,
    at: &'a GradientPoint,
    direction: &'a [f64],
    slope: f64,
}

/// A trial, by what it says of the minimum along the line.
enum LineTrialResult {
    /// Not low enough: the minimum is before it.
    High(LineTrial),
    /// Satisfies the strong Wolfe conditions.
    Good(GradientPoint),
    /// Lower, with a slope.
    Lower(LineTrial, GradientPoint),
}

impl SearchLine<'_> {
    fn point(&self, step: f64) -> Vec<f64> {
        let mut x = point_along(&self.at.x, step, self.direction);
        self.bounds.project(&mut x); // against rounding
        x
    }

    /// Looks at the point one step away, which is high from the value `bar` on.
    fn tried(
        &self,
        target: &mut impl SmoothFunction,
        step: f64,
        bar: f64,
    ) -> Result<LineTrialResult, OptimiseError> {
        let x = self.point(step);
        let value = target.value(&x)?;
        if value > self.at.value + DECREASE * step * self.slope || value >= bar {
            let slope = f64::NAN;
            return Ok(LineTrialResult::High(LineTrial { step, value, slope }));
        }
        let gradient = target.gradient(&x, value)?;
        let slope = dot(&gradient, self.direction);
        let point = GradientPoint { x, value, gradient };
        Ok(if slope.abs() <= CURVATURE * self.slope.abs() {
            LineTrialResult::Good(point)
        } else {
            LineTrialResult::Lower(LineTrial { step, value, slope }, point)
        })
    }
}

/// Finds a point in a box that satisfies the strong Wolfe conditions, or at least lowers the value; `None` when nothing does. A step as
/// long as the box permits need not be flat.
///
/// # Errors
/// Those of the function.
pub(crate) fn wolfe_line_search(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    at: &GradientPoint,
    direction: &[f64],
    first: f64,
) -> Result<Option<GradientPoint>, OptimiseError> {
    const EXPANSIONS_MAX: usize = 60;
    const EXPANSION: f64 = 4.0;
    let (slope, value) = (dot(direction, &at.gradient), at.value);
    let longest = bounds.longest_step(&at.x, direction);
    let line = SearchLine {
        bounds,
        at,
        direction,
        slope,
    };
    let mut low = LineTrial {
        step: 0.0,
        value,
        slope,
    };
    let (mut step, mut bar, mut lowest) = (first.min(longest), f64::INFINITY, None);
    for _ in 0..EXPANSIONS_MAX {
        match line.tried(target, step, bar)? {
            LineTrialResult::High(high) => return zoom_bracket(target, &line, (low, high), lowest),
            LineTrialResult::Good(point) => return Ok(Some(point)),
            LineTrialResult::Lower(trial, point) if trial.slope >= 0.0 => {
                return zoom_bracket(target, &line, (trial, low), Some(point));
            }
            LineTrialResult::Lower(trial, point) => {
                (low, bar, lowest) = (trial, trial.value, Some(point))
            }
        }
        if step == longest {
            break;
        }
        step = longest.min(EXPANSION * step);
    }
    Ok(lowest)
}

/// Narrows a bracket: `low` has the lowest value that decreases enough, `high` lies across the minimum.
fn zoom_bracket(
    target: &mut impl SmoothFunction,
    line: &SearchLine<'_>,
    (mut low, mut high): (LineTrial, LineTrial),
    mut lowest: Option<GradientPoint>,
) -> Result<Option<GradientPoint>, OptimiseError> {
    const ROUNDS_MAX: usize = 60;
    for _ in 0..ROUNDS_MAX {
        let step = interpolate_minimum(low, high);
        let still = line.point(step) == line.at.x;
        if step == low.step || step == high.step || still {
            break;
        }
        match line.tried(target, step, low.value)? {
            LineTrialResult::High(trial) => high = trial,
            LineTrialResult::Good(point) => return Ok(Some(point)),
            LineTrialResult::Lower(trial, point) => {
                if trial.slope * (high.step - low.step) >= 0.0 {
                    high = low;
                }
                (low, lowest) = (trial, Some(point));
            }
        }
    }
    Ok(lowest)
}

/// The minimum of the parabola through both ends, kept away from them; the middle where it says nothing.
fn interpolate_minimum(low: LineTrial, high: LineTrial) -> f64 {
    const MARGIN: f64 = 0.1;
    let width = high.step - low.step;
    let bend = high.value - low.value - low.slope * width;
    let share = -low.slope * width / (2.0 * bend);
    let share = if share.is_finite() {
        share.clamp(MARGIN, 1.0 - MARGIN)
    } else {
        0.5
    };
    low.step + share * width
}
