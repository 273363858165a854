//! Images of intervals under functions, with the slopes on them: the parts that definitions are made of.

use numerics::roots::interval::{Interval, IntervalImage};
use numerics::vector::{self, Unary};

use super::super::fault::EvaluationFault;

/// An image with the slopes of the function on the interval.
pub(crate) type ImageAndSlope = Result<(IntervalImage, Interval), EvaluationFault>;

pub(crate) const REAL: Interval = Interval::WHOLE;
pub(crate) const POSITIVE: Interval = Interval::new(0.0, f64::INFINITY);
/// From -1 to 1.
pub(crate) const SHARE: Interval = Interval::new(-1.0, 1.0);

pub(crate) fn interval_one() -> Interval {
    Interval::point(1.0)
}

/// The image of a function that is defined and continuous everywhere.
pub(crate) fn continuous_image(values: Interval) -> IntervalImage {
    IntervalImage {
        values,
        is_defined: true,
        is_continuous: true,
    }
}

/// The image, or the fault of an interval on which the function is defined nowhere.
pub(crate) fn domain_image(found: Option<IntervalImage>) -> Result<IntervalImage, EvaluationFault> {
    found.ok_or(EvaluationFault::Domain)
}

/// The image under a function that increases on all numbers, whose values are in a range.
pub(crate) fn increasing_everywhere(
    op: Unary,
    x: Interval,
    range: Interval,
) -> Result<IntervalImage, EvaluationFault> {
    domain_image(x.increasing(op, REAL, range))
}

/// The image under a function that decreases on a domain.
pub(crate) fn decreasing_image(
    op: Unary,
    x: Interval,
    domain: Interval,
) -> Result<IntervalImage, EvaluationFault> {
    let negated = |x: f64| -vector::evaluate_unary(op, x);
    let found = domain_image(x.increasing_by(negated, domain, REAL))?;
    Ok(IntervalImage {
        values: found.values.negated(),
        ..found
    })
}

/// An image without the bounds of the domain, where the function has poles.
pub(crate) fn open_image(found: IntervalImage, is_inside: bool) -> IntervalImage {
    IntervalImage {
        is_defined: found.is_defined && is_inside,
        ..found
    }
}

/// `1 / slope`; all numbers where that is nothing.
pub(crate) fn reciprocal_slope(slope: Interval) -> Interval {
    slope.reciprocal().map_or(REAL, |image| image.values)
}

/// `sqrt(square)`; all numbers where that is nothing.
pub(crate) fn root_slope(square: Interval) -> Interval {
    square.square_root().map_or(REAL, |image| image.values)
}

/// An even function that increases with the magnitude.
pub(crate) fn even_function_image(op: Unary, x: Interval) -> Interval {
    x.absolute()
        .increasing(op, REAL, REAL)
        .map_or(REAL, |image| image.values)
}

/// A logarithm, whose slope is `1 / (factor x)`.
pub(crate) fn logarithm_image(op: Unary, x: Interval, factor: Interval) -> ImageAndSlope {
    let found = domain_image(x.increasing(op, POSITIVE, REAL))?;
    if x.hi == 0.0 {
        return Err(EvaluationFault::Domain);
    }
    let inside = domain_part(x, POSITIVE)?;
    let slope = reciprocal_slope(inside.times(factor));
    Ok((open_image(found, x.lo > 0.0), slope))
}

/// The part of an interval in a domain.
pub(crate) fn domain_part(x: Interval, domain: Interval) -> Result<Interval, EvaluationFault> {
    x.hull().intersect(domain).ok_or(EvaluationFault::Domain)
}

/// The natural logarithm.
pub(crate) fn natural_logarithm_image(x: Interval) -> ImageAndSlope {
    logarithm_image(Unary::Log, x, interval_one())
}

/// The exponential, which is its own slope.
pub(crate) fn exponential_image(x: Interval) -> ImageAndSlope {
    let found = increasing_everywhere(Unary::Exp, x, POSITIVE)?;
    Ok((found, found.values))
}

pub(crate) fn square_image(x: Interval) -> ImageAndSlope {
    Ok((continuous_image(x.squared()), Interval::point(2.0).times(x)))
}

pub(crate) fn square_root_image(x: Interval) -> ImageAndSlope {
    let found = domain_image(x.square_root())?;
    let slope = reciprocal_slope(Interval::point(2.0).times(found.values));
    Ok((found, slope))
}

pub(crate) fn arc_tangent_image(x: Interval) -> ImageAndSlope {
    let slope = reciprocal_slope(interval_one().plus(x.squared()));
    Ok((increasing_everywhere(Unary::Atan, x, REAL)?, slope))
}

/// A function made of steps that do not fall.
pub(crate) fn step_image(op: Unary, x: Interval) -> ImageAndSlope {
    let x = x.hull();
    let [lo, hi] = [x.lo, x.hi].map(|x| vector::evaluate_unary(op, x));
    Ok((step(Interval::new(lo, hi)), Interval::ZERO))
}

/// The image of a function that is constant between steps.
pub(crate) fn step(values: Interval) -> IntervalImage {
    IntervalImage {
        is_continuous: values.lo == values.hi,
        ..continuous_image(values)
    }
}

/// The product with a factor that was rounded twice.
pub(crate) fn scaled_image(factor: f64, x: Interval) -> ImageAndSlope {
    let factor = Interval::near(factor);
    let factor = Interval::new(factor.lo.next_down(), factor.hi.next_up());
    Ok((continuous_image(x.times(factor)), factor))
}

/// `factor exp(-rate x^2)`.
pub(crate) fn gaussian_enclosure(
    x: Interval,
    rate: f64,
    factor: f64,
) -> Result<Interval, EvaluationFault> {
    let exponent = x.squared().times(Interval::point(rate)).negated();
    let (image, _) = exponential_image(exponent)?;
    Ok(image.values.times(Interval::near(factor)))
}
