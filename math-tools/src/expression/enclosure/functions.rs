//! Functions of one interval, with their slopes.

use kernels::roots::interval::{Interval, IntervalImage};
use kernels::vector;

use super::{continuous_image, interval_one};
use crate::expression::evaluate::EvaluationFault;
use crate::expression::functions::{Binary, Unary};

/// An image with the slope of the function on the interval.
type Mapped = Result<(IntervalImage, Interval), EvaluationFault>;

/// The image of a function and its slope.
pub(super) fn image_and_slope(op: Unary, x: Interval) -> Mapped {
    use vector::Unary as One;
    const REAL: Interval = Interval::WHOLE;
    /// Beyond, the error bound of the Bessel functions is not known.
    const BESSEL_MAX: f64 = 1e5;
    const POSITIVE: Interval = Interval::new(0.0, f64::INFINITY);
    const SHARE: Interval = Interval::new(-1.0, 1.0);
    let image = |found: Option<IntervalImage>| found.ok_or(EvaluationFault::Domain);
    let everywhere = |one: One, range: Interval| image(x.increasing(one, REAL, range));
    let over = |slope: Interval| slope.reciprocal().map_or(REAL, |image| image.values);
    let root = |square: Interval| square.square_root().map_or(REAL, |image| image.values);
    let two = Interval::point(2.0);
    let kernel = |value: f64| Interval::near(value);
    Ok(match op {
        Unary::Neg => (continuous_image(x.negated()), interval_one().negated()),
        Unary::Re | Unary::Conj => (continuous_image(x), interval_one()),
        Unary::Im => (continuous_image(Interval::ZERO), Interval::ZERO),
        Unary::Abs => {
            let slope = match x.sign() {
                1 => interval_one(),
                -1 => interval_one().negated(),
                _ => SHARE,
            };
            (continuous_image(x.absolute()), slope)
        }
        Unary::Square => (continuous_image(x.squared()), two.times(x)),
        Unary::Reciprocal => {
            let found = x.reciprocal().ok_or(EvaluationFault::DivisionByZero)?;
            (found, found.values.squared().negated())
        }
        Unary::Sin => (continuous_image(x.sine()), x.cosine()),
        Unary::Cos => (continuous_image(x.cosine()), x.sine().negated()),
        Unary::Tan => {
            let found = x
                .sine()
                .over(x.cosine())
                .ok_or(EvaluationFault::DivisionByZero)?;
            (found, interval_one().plus(found.values.squared()))
        }
        Unary::Asin => {
            let found = image(x.increasing(One::Asin, SHARE, REAL))?;
            (found, over(root(interval_one().minus(x.squared()))))
        }
        Unary::Acos => {
            let found =
                image(x.increasing_by(|x| -vector::evaluate_unary(One::Acos, x), SHARE, REAL))?;
            let slope = over(root(interval_one().minus(x.squared()))).negated();
            (
                IntervalImage {
                    values: found.values.negated(),
                    ..found
                },
                slope,
            )
        }
        Unary::Atan => (
            everywhere(One::Atan, REAL)?,
            over(interval_one().plus(x.squared())),
        ),
        Unary::Sinh => (
            everywhere(One::Sinh, REAL)?,
            even_function_image(One::Cosh, x),
        ),
        Unary::Cosh => {
            let slope = everywhere(One::Sinh, REAL)?.values;
            (continuous_image(even_function_image(One::Cosh, x)), slope)
        }
        Unary::Tanh => {
            let found = everywhere(One::Tanh, SHARE)?;
            (found, interval_one().minus(found.values.squared()))
        }
        Unary::Asinh => (
            everywhere(One::Asinh, REAL)?,
            over(root(interval_one().plus(x.squared()))),
        ),
        Unary::Acosh => {
            let found =
                image(x.increasing(One::Acosh, Interval::new(1.0, f64::INFINITY), POSITIVE))?;
            (found, over(root(x.squared().minus(interval_one()))))
        }
        Unary::Atanh => {
            let found = image(x.increasing(One::Atanh, SHARE, REAL))?;
            let is_defined = found.is_defined && x.lo > -1.0 && x.hi < 1.0;
            (
                IntervalImage {
                    is_defined,
                    ..found
                },
                over(interval_one().minus(x.squared())),
            )
        }
        Unary::Exp => {
            let found = everywhere(One::Exp, POSITIVE)?;
            (found, found.values)
        }
        Unary::Exp2 => {
            let found = everywhere(One::Exp2, POSITIVE)?;
            (found, found.values.times(kernel(std::f64::consts::LN_2)))
        }
        Unary::Expm1 => {
            let slope = everywhere(One::Exp, POSITIVE)?.values;
            (
                everywhere(One::Expm1, Interval::new(-1.0, f64::INFINITY))?,
                slope,
            )
        }
        Unary::Ln | Unary::Log2 | Unary::Log10 => {
            let (one, factor) = match op {
                Unary::Ln => (One::Log, Interval::point(1.0)),
                Unary::Log2 => (One::Log2, kernel(std::f64::consts::LN_2)),
                _ => (One::Log10, kernel(std::f64::consts::LN_10)),
            };
            let found = image(x.increasing(one, POSITIVE, REAL))?;
            if x.hi == 0.0 {
                return Err(EvaluationFault::Domain);
            }
            let is_defined = found.is_defined && x.lo > 0.0;
            let inside = x
                .hull()
                .intersect(POSITIVE)
                .ok_or(EvaluationFault::Domain)?;
            (
                IntervalImage {
                    is_defined,
                    ..found
                },
                over(inside.times(factor)),
            )
        }
        Unary::Log1p => {
            let domain = Interval::new(-1.0, f64::INFINITY);
            let found = image(x.increasing(One::Log1p, domain, REAL))?;
            let inside = x.hull().intersect(domain).ok_or(EvaluationFault::Domain)?;
            let is_defined = found.is_defined && x.lo > -1.0;
            (
                IntervalImage {
                    is_defined,
                    ..found
                },
                over(inside.plus(Interval::point(1.0))),
            )
        }
        Unary::Sqrt => {
            let found = image(x.square_root())?;
            (found, over(two.times(found.values)))
        }
        Unary::Cbrt => {
            let found = everywhere(One::Cbrt, REAL)?;
            (
                found,
                over(Interval::point(3.0).times(found.values.squared())),
            )
        }
        Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc => {
            let x = x.hull();
            let values = Interval::new(op.value(x.lo), op.value(x.hi));
            let is_continuous = values.lo == values.hi;
            (
                IntervalImage {
                    is_continuous,
                    ..continuous_image(values)
                },
                Interval::ZERO,
            )
        }
        Unary::Sign => {
            let values = match x.sign() {
                0 if x == Interval::ZERO => Interval::ZERO,
                0 => SHARE,
                sign => Interval::point(f64::from(sign)),
            };
            let is_continuous = values.lo == values.hi;
            (
                IntervalImage {
                    is_continuous,
                    ..continuous_image(values)
                },
                Interval::ZERO,
            )
        }
        Unary::Degrees | Unary::Radians => {
            let factor = kernel(op.value(1.0));
            let factor = Interval::new(factor.lo.next_down(), factor.hi.next_up());
            (continuous_image(x.times(factor)), factor)
        }
        Unary::Erf | Unary::Erfc => {
            let slope = gaussian_enclosure(x, 1.0, std::f64::consts::FRAC_2_SQRT_PI)?;
            if op == Unary::Erf {
                (everywhere(One::Erf, SHARE)?, slope)
            } else {
                let found =
                    image(x.increasing_by(|x| -vector::evaluate_unary(One::Erfc, x), REAL, REAL))?;
                (
                    IntervalImage {
                        values: found.values.negated(),
                        ..found
                    },
                    slope.negated(),
                )
            }
        }
        Unary::Normcdf | Unary::Normpdf => {
            let density = gaussian_enclosure(x, 0.5, 0.398_942_280_401_432_7)?;
            if op == Unary::Normpdf {
                (continuous_image(density), x.times(density).negated())
            } else {
                (
                    image(x.increasing_by(|x| op.value(x), REAL, Interval::new(0.0, 1.0)))?,
                    density,
                )
            }
        }
        Unary::BesselJ0 | Unary::BesselJ1 if x.magnitude() > BESSEL_MAX => {
            (continuous_image(SHARE), SHARE)
        }
        Unary::BesselJ0 => {
            // Of J0 the slope is -J1, and |J1| <= 0.582; of J1 it is at most 1/2.
            let slope = x.lipschitz(|x| -Unary::BesselJ1.value(x), 0.5, 1e-13);
            (
                continuous_image(x.lipschitz(|x| op.value(x), 0.582, 1e-13)),
                slope,
            )
        }
        Unary::BesselJ1 => {
            // J1' = (J0 - J2) / 2, whose slope is below 1.
            let slope = |x: f64| (Unary::BesselJ0.value(x) - Binary::BesselJ.value(2.0, x)) / 2.0;
            (
                continuous_image(x.lipschitz(|x| op.value(x), 0.5, 1e-13)),
                x.lipschitz(slope, 1.0, 1e-13),
            )
        }
        Unary::Digamma if x.sign() > 0 => {
            let falling = x.increasing_by(|x| -Unary::Trigamma.value(x), POSITIVE, REAL);
            (
                image(x.increasing_by(|x| op.value(x), POSITIVE, REAL))?,
                image(falling)?.values.negated(),
            )
        }
        _ => return Err(EvaluationFault::Unsupported),
    })
}

/// An even function that increases with the magnitude.
fn even_function_image(op: vector::Unary, x: Interval) -> Interval {
    x.absolute()
        .increasing(op, Interval::WHOLE, Interval::WHOLE)
        .map_or(Interval::WHOLE, |image| image.values)
}

/// `factor exp(-rate x^2)`.
fn gaussian_enclosure(x: Interval, rate: f64, factor: f64) -> Result<Interval, EvaluationFault> {
    let exponent = x.squared().times(Interval::point(rate)).negated();
    let (image, _) = image_and_slope(Unary::Exp, exponent)?;
    Ok(image.values.times(Interval::near(factor)))
}
