//! Magnitude, sign, and rounding to whole numbers.

use numerics::roots::interval::Interval;
use numerics::vector::Unary;

use super::super::ball::Ball;
use super::super::enclosure::images::{SHARE, continuous_image, interval_one, step, step_image};
use super::super::fault::EvaluationFault;
use super::super::plane::RealOrComplex;
use super::definition::{ComplexForm, DigitCost, FunctionFamily, UnaryDefinition};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[&ABS, &FLOOR, &CEIL, &ROUND, &TRUNC, &SIGN],
    binary: &[],
    ternary: &[],
};

/// Magnitude.
static ABS: UnaryDefinition = UnaryDefinition {
    aliases: &["absolute", "fabs"],
    is_smooth: false,
    complex: ComplexForm::Beyond(|z| Ok(RealOrComplex::Real(z.abs()))),
    exact: Some(|x| Ok(x.abs())),
    ball: Some(|_, x| {
        let (middle, radius) = (x.middle.abs(), x.radius);
        Ok(Ball { middle, radius })
    }),
    interval: Some(|x| {
        let slope = match x.sign() {
            1 => interval_one(),
            -1 => interval_one().negated(),
            _ => SHARE,
        };
        Ok((continuous_image(x.absolute()), slope))
    }),
    digit_cost: DigitCost::Copy,
    ..UnaryDefinition::lanes("abs", Unary::Abs)
};

/// Next integer below.
static FLOOR: UnaryDefinition = UnaryDefinition {
    is_smooth: false,
    exact: Some(|x| Ok(x.floor())),
    ball: Some(|m, x| m.floor(x)),
    interval: Some(|x| step_image(Unary::Floor, x)),
    ..UnaryDefinition::lanes("floor", Unary::Floor)
};

/// Next integer above.
static CEIL: UnaryDefinition = UnaryDefinition {
    is_smooth: false,
    exact: Some(|x| Ok(x.ceil())),
    ball: Some(|m, x| m.ceil(x)),
    interval: Some(|x| step_image(Unary::Ceil, x)),
    ..UnaryDefinition::lanes("ceil", Unary::Ceil)
};

/// Nearest integer, halves to even.
static ROUND: UnaryDefinition = UnaryDefinition {
    aliases: &["rint"],
    is_smooth: false,
    exact: Some(|x| x.round()),
    ball: Some(|m, x| m.nearest_integer(x).map(|whole| m.whole_ball(&whole))),
    // An exact value that is too long to be rounded exactly.
    ball_of_exact: Some(|_, _| Err(EvaluationFault::Exponent)),
    interval: Some(|x| step_image(Unary::Round, x)),
    ..UnaryDefinition::lanes("round", Unary::Round)
};

/// Integer part.
static TRUNC: UnaryDefinition = UnaryDefinition {
    aliases: &["fix"],
    is_smooth: false,
    exact: Some(|x| Ok(x.trunc())),
    ball: Some(|m, x| m.trunc(x)),
    interval: Some(|x| step_image(Unary::Trunc, x)),
    ..UnaryDefinition::lanes("trunc", Unary::Trunc)
};

/// -1, 0 or 1.
static SIGN: UnaryDefinition = UnaryDefinition {
    aliases: &["sgn"],
    is_smooth: false,
    exact: Some(|x| Ok(x.sign())),
    ball: Some(|m, x| Ok(m.small(x.sign()?))),
    interval: Some(|x| {
        let values = match x.sign() {
            0 if x == Interval::ZERO => Interval::ZERO,
            0 => SHARE,
            sign => Interval::point(f64::from(sign)),
        };
        Ok((step(values), Interval::ZERO))
    }),
    ..UnaryDefinition::lanes("sign", Unary::Sign)
};
