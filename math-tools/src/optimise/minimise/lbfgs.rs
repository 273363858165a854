//! Limited-memory BFGS with a strong Wolfe line search.

use std::collections::VecDeque;

use tool_core::ToolError;

use super::curvature::{self, along, lower_point};
use super::target::Target;
use super::{Found, Reason};
use crate::linalg::dense::{add_multiple, dot, max_abs};

/// Pairs of steps and gradient changes that are kept.
const MEMORY: usize = 10;
/// Sufficient decrease, as a part of the slope.
const DECREASE: f64 = 1e-4;
/// Remaining slope, as a part of the slope at the start.
const CURVATURE: f64 = 0.9;

/// Minimises from a start point.
///
/// # Method
/// Two-loop recursion over the last ten steps; the line search brackets and then interpolates until the strong Wolfe conditions
/// hold. Where values agree up to rounding, a step counts that halves the gradient. Before a point counts as a minimum its
/// neighbours along the axes are looked at (up to 1000 coordinates), and the direction in which the function curves down most, so
/// that a saddle or a maximum, where the gradient vanishes too, is left again.
///
/// # Accuracy and cost
/// Converged when the largest component of the gradient is at most `tolerance` plus its own rounding error and no direction of
/// negative curvature is found. 2n + 1 evaluations per gradient by differences; n, at most 60, products of the Hessian and a vector
/// at the end. Memory 20 n.
///
/// # Errors
/// Those of the target.
///
/// # References
/// J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006, algorithms 7.4, 3.5 and 3.6.
pub(crate) fn minimise(
    target: &mut Target<'_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<Found, ToolError> {
    let mut at = Point::new(target, x0.to_vec())?;
    let mut history = History::default();
    let mut iterations = 0;
    loop {
        if max_abs(&at.gradient) <= small(target, &at, tolerance) {
            let lower = match lower_neighbour(target, &at)? {
                None => look_down(target, &at)?,
                Some(lower) => Look::Lower(lower),
            };
            match lower {
                Look::Lower(lower) => at = Point::new(target, lower)?,
                Look::Minimum(lowest) => {
                    let found = at.found(iterations, true, Reason::Gradient);
                    return Ok(found.with_curvature(lowest));
                }
                Look::Saddle(lowest) => {
                    let found = at.found(iterations, false, Reason::NegativeCurvature);
                    return Ok(found.with_curvature(Some(lowest)));
                }
            }
            history = History::default();
        }
        if iterations == max_iter {
            return Ok(at.found(iterations, false, Reason::MaxIter));
        }
        iterations += 1;
        let mut direction = history.direction(&at.gradient);
        if dot(&direction, &at.gradient) >= 0.0 {
            history = History::default();
            direction = history.direction(&at.gradient);
        }
        let first = if history.pairs.is_empty() {
            first_step(&at)
        } else {
            1.0
        };
        let mut next = line_search(target, &at, &direction, first)?;
        if next.is_none() && !history.pairs.is_empty() {
            next = flatter(target, &at, &direction)?;
            if next.is_none() {
                history = History::default();
                continue;
            }
        }
        if next.is_none() {
            let Some(curvature) = curvature::lowest(target, &at.x)? else {
                return Ok(at.found(iterations, false, Reason::NoProgress));
            };
            next = match curvature.newton_step(&at.gradient) {
                Some(step) => flatter(target, &at, &step)?,
                None => match lower_point(target, (&at.x, at.value), &curvature)? {
                    Some(lower) => Some(Point::new(target, lower)?),
                    None => None,
                },
            };
            history = History::default();
        }
        match next {
            Some(next) => {
                history.push(&at, &next);
                at = next;
            }
            None => return Ok(at.found(iterations, false, Reason::NoProgress)),
        }
    }
}

/// The largest component of a gradient that counts as zero.
fn small(target: &Target<'_>, at: &Point, tolerance: f64) -> f64 {
    tolerance + target.gradient_noise(&at.x, at.value)
}

/// The result of a search below a point where the gradient vanishes.
enum Look {
    Lower(Vec<f64>),
    /// With the lowest curvature, where it is known.
    Minimum(Option<f64>),
    /// With a negative curvature.
    Saddle(f64),
}

fn look_down(target: &mut Target<'_>, at: &Point) -> Result<Look, ToolError> {
    let Some(curvature) = curvature::lowest(target, &at.x)? else {
        return Ok(Look::Minimum(None));
    };
    Ok(match lower_point(target, (&at.x, at.value), &curvature)? {
        Some(lower) => Look::Lower(lower),
        None if curvature.is_negative() => Look::Saddle(curvature.lowest),
        None => Look::Minimum(Some(curvature.lowest)),
    })
}

/// A point at the end of a step where the gradient is at most half as large, and the value is no larger but for rounding: near a
/// minimum values say less than gradients.
///
/// # References
/// W. W. Hager, H. Zhang, "A new conjugate gradient method with guaranteed descent and an efficient line search", SIAM J. Optim.
/// 16(1), 2005, section 4.1.
fn flatter(target: &mut Target<'_>, at: &Point, step: &[f64]) -> Result<Option<Point>, ToolError> {
    /// Relative to the value: residuals that cancel leave more than rounding.
    const HIGHER: f64 = 1e-9;
    let x = along(&at.x, 1.0, step);
    let value = target.value(&x)?;
    if !value.is_finite() || value > at.value + HIGHER * at.value.abs() {
        return Ok(None);
    }
    let gradient = target.gradient(&x, value)?;
    let halved = max_abs(&gradient) <= 0.5 * max_abs(&at.gradient);
    Ok(halved.then_some(Point { x, value, gradient }))
}

/// A point with its value and gradient.
pub(crate) struct Point {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
}

impl Point {
    fn new(target: &mut Target<'_>, x: Vec<f64>) -> Result<Self, ToolError> {
        let value = target.value(&x)?;
        let gradient = target.gradient(&x, value)?;
        Ok(Self { x, value, gradient })
    }

    /// The point as the result of a method.
    pub(crate) fn found(self, iterations: u64, converged: bool, reason: Reason) -> Found {
        Found {
            gradient_norm: max_abs(&self.gradient),
            x: self.x,
            value: self.value,
            iterations,
            converged,
            reason,
            lowest_curvature: None,
        }
    }
}

/// The first step: the coordinate that moves most moves by the size of the point.
fn first_step(at: &Point) -> f64 {
    1.0_f64.max(max_abs(&at.x)) / max_abs(&at.gradient)
}

/// A point along an axis that is clearly lower; not looked for where there are many axes.
fn lower_neighbour(target: &mut Target<'_>, at: &Point) -> Result<Option<Vec<f64>>, ToolError> {
    const STEP: f64 = 1e-3;
    const AXES_MAX: usize = 1000;
    if at.x.len() > AXES_MAX {
        return Ok(None);
    }
    let clearly = 1e-12 * (1.0 + at.value.abs());
    let mut point = at.x.clone();
    for index in 0..point.len() {
        let step = STEP * at.x[index].abs().max(1.0);
        for signed in [step, -step] {
            point[index] = at.x[index] + signed;
            if target.value(&point)? < at.value - clearly {
                return Ok(Some(point));
            }
        }
        point[index] = at.x[index];
    }
    Ok(None)
}

/// The last steps, changes of gradient, and the inverse of their inner products.
#[derive(Default)]
struct History {
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl History {
    fn push(&mut self, from: &Point, to: &Point) {
        let step = along(&to.x, -1.0, &from.x);
        let change = along(&to.gradient, -1.0, &from.gradient);
        let inner = dot(&step, &change);
        let least = f64::EPSILON * dot(&change, &change).min(dot(&step, &step));
        if inner.is_finite() && inner > least {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back((step, change, inner.recip()));
        }
    }

    /// Minus the inverse Hessian, as far as it is known, times the gradient.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = gradient.iter().map(|value| -value).collect();
        let mut weights = Vec::with_capacity(self.pairs.len());
        for (step, change, inverse) in self.pairs.iter().rev() {
            let weight = inverse * dot(step, &direction);
            add_multiple(&mut direction, -weight, change);
            weights.push(weight);
        }
        if let Some((_, change, inverse)) = self.pairs.back() {
            let scale = (inverse * dot(change, change)).recip();
            direction.iter_mut().for_each(|value| *value *= scale);
        }
        for ((step, change, inverse), weight) in self.pairs.iter().zip(weights.into_iter().rev()) {
            let correction = weight - inverse * dot(change, &direction);
            add_multiple(&mut direction, correction, step);
        }
        direction
    }
}

/// A trial along the line: step, value and slope there.
#[derive(Clone, Copy)]
struct Trial {
    step: f64,
    value: f64,
    slope: f64,
}

/// A direction from a point.
struct Line<'a> {
    at: &'a Point,
    direction: &'a [f64],
    slope: f64,
}

/// A trial, by what it says of the minimum along the line.
enum Tried {
    /// Not low enough: the minimum is before it.
    High(Trial),
    /// Satisfies the strong Wolfe conditions.
    Good(Point),
    /// Lower, with a slope.
    Lower(Trial, Point),
}

impl Line<'_> {
    /// Looks at the point one step away, which is high from the value `bar` on.
    fn tried(&self, target: &mut Target<'_>, step: f64, bar: f64) -> Result<Tried, ToolError> {
        let x = along(&self.at.x, step, self.direction);
        let value = target.value(&x)?;
        if value > self.at.value + DECREASE * step * self.slope || value >= bar {
            let slope = f64::NAN;
            return Ok(Tried::High(Trial { step, value, slope }));
        }
        let gradient = target.gradient(&x, value)?;
        let slope = dot(&gradient, self.direction);
        let point = Point { x, value, gradient };
        Ok(if slope.abs() <= CURVATURE * self.slope.abs() {
            Tried::Good(point)
        } else {
            Tried::Lower(Trial { step, value, slope }, point)
        })
    }
}

/// Finds a point that satisfies the strong Wolfe conditions, or at least lowers the value; `None` when nothing does.
fn line_search(
    target: &mut Target<'_>,
    at: &Point,
    direction: &[f64],
    first: f64,
) -> Result<Option<Point>, ToolError> {
    const EXPANSIONS_MAX: usize = 60;
    const EXPANSION: f64 = 4.0;
    let (slope, value) = (dot(direction, &at.gradient), at.value);
    let line = Line {
        at,
        direction,
        slope,
    };
    let mut low = Trial {
        step: 0.0,
        value,
        slope,
    };
    let (mut step, mut bar, mut lowest) = (first, f64::INFINITY, None);
    for _ in 0..EXPANSIONS_MAX {
        match line.tried(target, step, bar)? {
            Tried::High(high) => return zoom(target, &line, (low, high), lowest),
            Tried::Good(point) => return Ok(Some(point)),
            Tried::Lower(trial, point) if trial.slope >= 0.0 => {
                return zoom(target, &line, (trial, low), Some(point));
            }
            Tried::Lower(trial, point) => (low, bar, lowest) = (trial, trial.value, Some(point)),
        }
        step *= EXPANSION;
    }
    Ok(lowest)
}

/// Narrows a bracket: `low` has the lowest value that decreases enough, `high` lies across the minimum.
fn zoom(
    target: &mut Target<'_>,
    line: &Line<'_>,
    (mut low, mut high): (Trial, Trial),
    mut lowest: Option<Point>,
) -> Result<Option<Point>, ToolError> {
    const ROUNDS_MAX: usize = 60;
    for _ in 0..ROUNDS_MAX {
        let step = interpolate(low, high);
        let still = along(&line.at.x, step, line.direction) == line.at.x;
        if step == low.step || step == high.step || still {
            break;
        }
        match line.tried(target, step, low.value)? {
            Tried::High(trial) => high = trial,
            Tried::Good(point) => return Ok(Some(point)),
            Tried::Lower(trial, point) => {
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
fn interpolate(low: Trial, high: Trial) -> f64 {
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
