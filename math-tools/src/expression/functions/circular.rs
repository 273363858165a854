//! Circular functions and angles.

use numerics::vector::{Binary, Unary};

use super::super::ball::{Ball, BallArithmetic, BallResult};
use super::super::enclosure::images::{
    REAL, SHARE, arc_tangent_image, continuous_image, decreasing_image, domain_image, interval_one,
    reciprocal_slope, root_slope, scaled_image,
};
use super::super::fault::EvaluationFault;
use super::super::plane::RealOrComplex;
use super::definition::{
    BinaryDefinition, ComplexForm, DigitCost, FunctionFamily, UnaryDefinition, zero_at_zero,
};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[&SIN, &COS, &TAN, &ASIN, &ACOS, &ATAN, &DEGREES, &RADIANS],
    binary: &[&ATAN2],
    ternary: &[],
};

/// Sine of radians.
static SIN: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.sin())),
    ball: Some(|m, x| m.sine(x)),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| Ok((continuous_image(x.sine()), x.cosine()))),
    ..UnaryDefinition::lanes("sin", Unary::Sin)
};

/// Cosine of radians.
static COS: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.cos())),
    ball: Some(|m, x| m.cosine(x)),
    interval: Some(|x| Ok((continuous_image(x.cosine()), x.sine().negated()))),
    ..UnaryDefinition::lanes("cos", Unary::Cos)
};

/// Tangent of radians.
static TAN: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.tan())),
    ball: Some(|m, x| {
        let (sine, cosine) = (m.sine(x)?, m.cosine(x)?);
        m.div(&sine, &cosine)
    }),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let found = x.sine().over(x.cosine());
        let found = found.ok_or(EvaluationFault::DivisionByZero)?;
        Ok((found, interval_one().plus(found.values.squared())))
    }),
    ..UnaryDefinition::lanes("tan", Unary::Tan)
};

/// Arc sine in radians.
static ASIN: UnaryDefinition = UnaryDefinition {
    aliases: &["arcsin"],
    complex: ComplexForm::Beyond(|z| Ok(z.asin())),
    ball: Some(|m, x| m.arc_sine(x)),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let found = domain_image(x.increasing(Unary::Asin, SHARE, REAL))?;
        let root = root_slope(interval_one().minus(x.squared()));
        Ok((found, reciprocal_slope(root)))
    }),
    ..UnaryDefinition::lanes("asin", Unary::Asin)
};

/// Arc cosine in radians.
static ACOS: UnaryDefinition = UnaryDefinition {
    aliases: &["arccos"],
    complex: ComplexForm::Beyond(|z| Ok(z.acos())),
    ball: Some(|m, x| m.arc_cosine(x)),
    interval: Some(|x| {
        let found = decreasing_image(Unary::Acos, x, SHARE)?;
        let root = root_slope(interval_one().minus(x.squared()));
        Ok((found, reciprocal_slope(root).negated()))
    }),
    ..UnaryDefinition::lanes("acos", Unary::Acos)
};

/// Arc tangent in radians.
static ATAN: UnaryDefinition = UnaryDefinition {
    aliases: &["arctan"],
    complex: ComplexForm::Beyond(RealOrComplex::atan),
    ball: Some(|m, x| m.arc_tangent(x)),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(arc_tangent_image),
    ..UnaryDefinition::lanes("atan", Unary::Atan)
};

/// Degrees from radians.
static DEGREES: UnaryDefinition = UnaryDefinition {
    aliases: &["rad2deg"],
    ball: Some(|m, x| {
        let (half_turn, pi) = (m.small(180), m.pi()?);
        scaled_ball(m, x, &half_turn, &pi)
    }),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| scaled_image(DEGREES.value(1.0), x)),
    ..UnaryDefinition::lanes("degrees", Unary::Degrees)
};

/// Radians from degrees.
static RADIANS: UnaryDefinition = UnaryDefinition {
    aliases: &["deg2rad"],
    ball: Some(|m, x| {
        let (half_turn, pi) = (m.small(180), m.pi()?);
        scaled_ball(m, x, &pi, &half_turn)
    }),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| scaled_image(RADIANS.value(1.0), x)),
    ..UnaryDefinition::lanes("radians", Unary::Radians)
};

/// Angle of the point (x = b, y = a), in radians from -pi to pi.
static ATAN2: BinaryDefinition = BinaryDefinition {
    aliases: &["arctan2"],
    ball: Some(|m, a, b| m.angle(a, b)),
    enclosure: Some(|a, b| {
        if b.values.sign() <= 0 {
            return Err(EvaluationFault::Unsupported);
        }
        a.over(b)?.through(arc_tangent_image)
    }),
    digit_cost: DigitCost::Elementary(3.0),
    ..BinaryDefinition::lanes("atan2", Binary::Atan2)
};

/// `times x / over`.
fn scaled_ball(m: &mut BallArithmetic<'_>, x: &Ball, times: &Ball, over: &Ball) -> BallResult {
    let product = m.mul(x, times)?;
    m.div(&product, over)
}
