//! The end of a method with gradients: which gradient counts as zero, and whether the point is a minimum.

use crate::optimise::error::OptimiseError;

use super::bounds::VariableBounds;
use super::curvature::{self, lower_point, point_along};
use super::smooth::{GradientPoint, SmoothFunction};
use crate::dense::max_abs;

/// The largest component of a gradient that counts as zero.
pub(super) fn gradient_threshold(
    target: &impl SmoothFunction,
    at: &GradientPoint,
    tolerance: f64,
) -> f64 {
    tolerance + target.gradient_noise(&at.x, at.value)
}

/// The result of a search below a point where the gradient vanishes.
pub(super) enum StationaryPointVerdict {
    Lower(Vec<f64>),
    /// With the lowest curvature, where it is known.
    Minimum(Option<f64>),
    /// With a negative curvature.
    Saddle(f64),
}

/// The lowest curvature in the variables that no bound holds.
///
/// # Errors
/// Those of the target.
pub(super) fn curvature_of_free(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    at: &GradientPoint,
) -> Result<Option<curvature::HessianCurvature>, OptimiseError> {
    curvature::find_lowest_curvature(target, &at.x, &bounds.movable(&at.x, &at.gradient))
}

/// Whether a point where the gradient vanishes is a minimum: its neighbours along the axes, and the direction in which the function curves
/// down most.
///
/// # Errors
/// Those of the target.
pub(super) fn examine_stationary_point(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    at: &GradientPoint,
    tolerance: f64,
) -> Result<StationaryPointVerdict, OptimiseError> {
    if let Some(lower) = lower_neighbour(target, bounds, at)? {
        return Ok(StationaryPointVerdict::Lower(lower));
    }
    if bounds.slope(&at.x, &at.gradient) > tolerance
        && let Some(lower) = lower_far_down(target, bounds, at)?
    {
        return Ok(StationaryPointVerdict::Lower(lower));
    }
    let small = gradient_threshold(target, at, tolerance);
    let (free, weak) = bounds.loose(&at.x, &at.gradient, small);
    if !weak.is_empty()
        && let Some(look) = look_from_bounds(target, bounds, at, (&free, &weak))?
    {
        return Ok(look);
    }
    let Some(curvature) = curvature::find_lowest_curvature(target, &at.x, &free)? else {
        return Ok(StationaryPointVerdict::Minimum(None));
    };
    Ok(
        match lower_point(target, bounds, (&at.x, at.value), &curvature)? {
            Some(lower) => StationaryPointVerdict::Lower(lower),
            None if curvature.is_negative() => StationaryPointVerdict::Saddle(curvature.lowest),
            None => StationaryPointVerdict::Minimum(Some(curvature.lowest)),
        },
    )
}

/// Looks for a direction of negative curvature that leads from bounds into the box: variables without a gradient that are at a bound may
/// move one way. `None` where there is none.
///
/// # Method
/// The lowest curvature over a cone is taken within one of its faces, where it is the lowest eigenvalue of the Hessian: all faces are tried
/// where at most ten variables are at a bound so, else those of one and two of them and the widest.
///
/// # References
/// K. P. Hadeler, "On copositive matrices", Linear Algebra Appl. 49, 1983.
fn look_from_bounds(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    at: &GradientPoint,
    (free, weak): (&[usize], &[usize]),
) -> Result<Option<StationaryPointVerdict>, OptimiseError> {
    const FACES_WHOLE_MAX: usize = 10;
    let all: Vec<usize> = free.iter().chain(weak).copied().collect();
    let mut widest = None;
    if all.len() > curvature::WHOLE_MAX {
        widest = curvature::find_lowest_curvature(target, &at.x, &all)?;
    } else if let Some(hessian) = curvature::hessian_in_free_variables(target, &at.x, &all)? {
        for face in position_subsets(weak.len(), FACES_WHOLE_MAX) {
            let kept: Vec<usize> = (0..free.len())
                .chain(face.iter().map(|position| free.len() + position))
                .collect();
            let Some(curvature) = curvature::of_part(&hessian, &kept, &all, at.x.len()) else {
                continue;
            };
            let inwards = |sign: f64| {
                face.iter().all(|&position| {
                    let index = weak[position];
                    let up = at.x[index] <= bounds.low[index];
                    let step = sign * curvature.direction()[index];
                    if up { step > 0.0 } else { step < 0.0 }
                })
            };
            if !curvature.is_negative() || !(inwards(1.0) || inwards(-1.0)) {
                continue;
            }
            return Ok(Some(
                match lower_point(target, bounds, (&at.x, at.value), &curvature)? {
                    Some(lower) => StationaryPointVerdict::Lower(lower),
                    None => StationaryPointVerdict::Saddle(curvature.lowest),
                },
            ));
        }
    }
    // The signs of its direction are not known to fit: it counts where a value is lower.
    if let Some(curvature) = widest
        && let Some(lower) = lower_point(target, bounds, (&at.x, at.value), &curvature)?
    {
        return Ok(Some(StationaryPointVerdict::Lower(lower)));
    }
    Ok(None)
}

/// Sets of positions below a count, small ones first, none empty: all up to a count, beyond it those of one, of two and of all positions.
pub(super) fn position_subsets(count: usize, whole_max: usize) -> Vec<Vec<usize>> {
    if count <= whole_max {
        let members = |set: usize| (0..count).filter(move |bit| set >> bit & 1 == 1).collect();
        let mut all: Vec<Vec<usize>> = (1..1_usize << count).map(members).collect();
        all.sort_by_key(Vec::len);
        return all;
    }
    let singles = (0..count).map(|one| vec![one]);
    let pairs = (0..count).flat_map(|one| (0..one).map(move |two| vec![two, one]));
    let whole = std::iter::once((0..count).collect());
    singles.chain(pairs).chain(whole).collect()
}

/// A point at the end of a step where the gradient is at most half as large, and the value is no larger but for rounding: near a
/// minimum values say less than gradients.
///
/// # Errors
/// Those of the target.
///
/// # References
/// W. W. Hager, H. Zhang, "A new conjugate gradient method with guaranteed descent and an efficient line search", SIAM J. Optim.
/// 16(1), 2005, section 4.1.
pub(super) fn find_flatter_point(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    at: &GradientPoint,
    step: &[f64],
) -> Result<Option<GradientPoint>, OptimiseError> {
    /// Relative to the value: residuals that cancel leave more than rounding.
    const HIGHER: f64 = 1e-9;
    let mut x = point_along(&at.x, 1.0, step);
    bounds.project(&mut x);
    let value = target.value(&x)?;
    if !value.is_finite() || value > at.value + HIGHER * at.value.abs() {
        return Ok(None);
    }
    let gradient = target.gradient(&x, value)?;
    let halved = bounds.slope(&x, &gradient) <= 0.5 * bounds.slope(&at.x, &at.gradient);
    Ok(halved.then_some(GradientPoint { x, value, gradient }))
}

/// The lowest of points against the gradient, each ten times as far as the one before, where one is clearly lower: a gradient that the rounding
/// error of a large value hides near by may lead far down.
fn lower_far_down(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    at: &GradientPoint,
) -> Result<Option<Vec<f64>>, OptimiseError> {
    const NEAREST: f64 = 1e-3;
    const ROUNDS: i32 = 40;
    let clearly = 1e-12 * (1.0 + at.value.abs());
    let mut found: Option<(f64, Vec<f64>)> = None;
    for round in 0..ROUNDS {
        let length = NEAREST * 10_f64.powi(round) * max_abs(&at.x).max(1.0);
        let mut point = point_along(&at.x, -length / max_abs(&at.gradient), &at.gradient);
        bounds.project(&mut point);
        let value = target.value(&point)?;
        let before = found.as_ref().map_or(at.value - clearly, |found| found.0);
        if value < before {
            found = Some((value, point));
        } else if found.is_some() {
            break;
        }
    }
    Ok(found.map(|found| found.1))
}

/// A point along an axis that is clearly lower; not looked for where there are many axes.
fn lower_neighbour(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    at: &GradientPoint,
) -> Result<Option<Vec<f64>>, OptimiseError> {
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
            point[index] = bounds.nearest(index, at.x[index] + signed);
            if target.value(&point)? < at.value - clearly {
                return Ok(Some(point));
            }
        }
        point[index] = at.x[index];
    }
    Ok(None)
}
