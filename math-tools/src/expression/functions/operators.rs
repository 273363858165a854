//! The operators, and functions made of them.

use std::cmp::Ordering;

use numerics::bytecode::{ProgramBuilder, ProgramNode};
use numerics::vector::{Binary, Unary};

use super::super::ball::{Ball, BallArithmetic, BallResult, ExactOrBall};
use super::super::enclosure::bounds::{BoxEnclosure, BoxResult};
use super::super::enclosure::images::{
    continuous_image, interval_one, square_image, square_root_image, step_image,
};
use super::super::fault::EvaluationFault;
use super::super::plane::RealOrComplex;
use super::super::rational::Rational;
use super::definition::{
    BinaryDefinition, ComplexForm, DigitCost, FunctionFamily, ReductionFunction, ShortCut,
    UnaryDefinition,
};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[&NEG, &SQUARE, &RECIPROCAL],
    binary: &[
        &ADD,
        &SUB,
        &MUL,
        &DIV,
        &POW,
        &MOD,
        &FLOOR_DIV,
        &LESS,
        &LESS_EQUAL,
        &GREATER,
        &GREATER_EQUAL,
        &EQUAL,
        &NOT_EQUAL,
        &MIN,
        &MAX,
        &HYPOT,
        &FMOD,
        &COPY_SIGN,
    ],
    ternary: &[],
};

/// Minus.
pub(crate) static NEG: UnaryDefinition = UnaryDefinition {
    aliases: &["negative"],
    complex: ComplexForm::Beyond(|z| Ok(z.neg())),
    exact: Some(|x| Ok(x.neg())),
    ball: Some(|_, x| Ok(x.negated())),
    interval: Some(|x| Ok((continuous_image(x.negated()), interval_one().negated()))),
    digit_cost: DigitCost::Copy,
    ..UnaryDefinition::lanes("-", Unary::Neg)
};

/// The square, from a power with the literal exponent 2.
static SQUARE: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.mul(z))),
    exact: Some(|x| x.mul(x)),
    ball: Some(|m, x| m.mul(x, x)),
    interval: Some(square_image),
    ..UnaryDefinition::lanes("square", Unary::Square)
};

/// `1 / x`.
static RECIPROCAL: UnaryDefinition = UnaryDefinition {
    exact: Some(|x| Rational::from(1).div(x)),
    ball: Some(|m, x| {
        let one = m.small(1);
        m.div(&one, x)
    }),
    interval: Some(|x| {
        let found = x.reciprocal().ok_or(EvaluationFault::DivisionByZero)?;
        Ok((found, found.values.squared().negated()))
    }),
    ..UnaryDefinition::lanes("reciprocal", Unary::Reciprocal)
};

/// Sum.
pub(crate) static ADD: BinaryDefinition = BinaryDefinition {
    reduction: Some(ReductionFunction::Sum),
    complex: Some(|a, b| Ok(a.add(b))),
    exact: Some(Rational::add),
    ball: Some(|m, a, b| m.add(a, b)),
    enclosure: Some(|a, b| Ok(a.plus(b))),
    ..BinaryDefinition::lanes("+", Binary::Add)
};

/// Difference.
pub(crate) static SUB: BinaryDefinition = BinaryDefinition {
    complex: Some(|a, b| Ok(a.sub(b))),
    exact: Some(Rational::sub),
    ball: Some(|m, a, b| m.sub(a, b)),
    enclosure: Some(|a, b| Ok(a.minus(b))),
    ..BinaryDefinition::lanes("-", Binary::Sub)
};

/// Product.
pub(crate) static MUL: BinaryDefinition = BinaryDefinition {
    complex: Some(|a, b| Ok(a.mul(b))),
    exact: Some(Rational::mul),
    ball: Some(|m, a, b| m.mul(a, b)),
    enclosure: Some(|a, b| Ok(a.times(b))),
    ..BinaryDefinition::lanes("*", Binary::Mul)
};

/// Quotient.
pub(crate) static DIV: BinaryDefinition = BinaryDefinition {
    aliases: &["divide"],
    fault: Some(zero_divisor),
    complex: Some(|a, b| a.div(b)),
    exact: Some(Rational::div),
    ball: Some(|m, a, b| m.div(a, b)),
    enclosure: Some(BoxEnclosure::over),
    ..BinaryDefinition::lanes("/", Binary::Div)
};

/// Remainder with the divisor's sign.
pub(crate) static MOD: BinaryDefinition = BinaryDefinition {
    aliases: &["mod", "remainder"],
    is_smooth: false,
    fault: Some(zero_divisor),
    exact: Some(Rational::modulo),
    ball: Some(|m, a, b| {
        let whole = floor_quotient(m, a, b)?;
        less_multiple(m, a, &whole, b)
    }),
    enclosure: Some(|a, b| {
        let whole = floor_quotient_of_boxes(a, b)?;
        Ok(a.minus(&whole.times(b)))
    }),
    ..BinaryDefinition::lanes("%", Binary::Mod)
};

/// The largest whole number not above the quotient.
pub(crate) static FLOOR_DIV: BinaryDefinition = BinaryDefinition {
    aliases: &["floor_divide"],
    is_smooth: false,
    fault: Some(zero_divisor),
    exact: Some(|a, b| a.div(b).map(|quotient| quotient.floor())),
    ball: Some(floor_quotient),
    enclosure: Some(floor_quotient_of_boxes),
    ..BinaryDefinition::composed("//", lower_floor_quotient)
};

/// Power.
pub(crate) static POW: BinaryDefinition = BinaryDefinition {
    aliases: &["pow", "power"],
    fault: Some(|[a, b], _| (a == 0.0 && b < 0.0).then_some(EvaluationFault::DivisionByZero)),
    complex: Some(|a, b| a.pow(b)),
    exact: Some(Rational::pow),
    ball: Some(|m, a, b| m.real_power(a, b)),
    ball_of_exact: Some(power_of_exact),
    enclosure: Some(BoxEnclosure::power),
    digit_cost: DigitCost::Elementary(3.0),
    ..BinaryDefinition::lanes("**", Binary::Pow)
};

/// 1 when less.
pub(crate) static LESS: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    relation: Some(Ordering::is_lt),
    ..BinaryDefinition::lanes("<", Binary::Less)
};

/// 1 when less or equal.
pub(crate) static LESS_EQUAL: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    relation: Some(Ordering::is_le),
    ..BinaryDefinition::lanes("<=", Binary::LessEqual)
};

/// 1 when greater.
pub(crate) static GREATER: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    relation: Some(Ordering::is_gt),
    ..BinaryDefinition::lanes(">", Binary::Greater)
};

/// 1 when greater or equal.
pub(crate) static GREATER_EQUAL: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    relation: Some(Ordering::is_ge),
    ..BinaryDefinition::lanes(">=", Binary::GreaterEqual)
};

/// 1 when equal.
pub(crate) static EQUAL: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    relation: Some(Ordering::is_eq),
    complex: Some(|a, b| Ok(RealOrComplex::truth(a.parts() == b.parts()))),
    ..BinaryDefinition::lanes("==", Binary::Equal)
};

/// 1 when different.
pub(crate) static NOT_EQUAL: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    relation: Some(Ordering::is_ne),
    complex: Some(|a, b| Ok(RealOrComplex::truth(a.parts() != b.parts()))),
    ..BinaryDefinition::lanes("!=", Binary::NotEqual)
};

/// The smaller; NaN when one is NaN.
pub(crate) static MIN: BinaryDefinition = BinaryDefinition {
    aliases: &["minimum"],
    is_smooth: false,
    reduction: Some(ReductionFunction::Min),
    exact: Some(|a, b| Ok(a.min(b).clone())),
    ball: Some(|m, a, b| {
        let is_first = m.order(a, b)?.is_le();
        Ok(if is_first { a.clone() } else { b.clone() })
    }),
    enclosure: Some(|a, b| Ok(a.extreme(b, f64::min))),
    ..BinaryDefinition::lanes("min", Binary::Min)
};

/// The larger; NaN when one is NaN.
pub(crate) static MAX: BinaryDefinition = BinaryDefinition {
    aliases: &["maximum"],
    is_smooth: false,
    reduction: Some(ReductionFunction::Max),
    exact: Some(|a, b| Ok(a.max(b).clone())),
    ball: Some(|m, a, b| {
        let is_first = m.order(a, b)?.is_ge();
        Ok(if is_first { a.clone() } else { b.clone() })
    }),
    enclosure: Some(|a, b| Ok(a.extreme(b, f64::max))),
    ..BinaryDefinition::lanes("max", Binary::Max)
};

/// Length of the vector (a, b).
static HYPOT: BinaryDefinition = BinaryDefinition {
    ball: Some(|m, a, b| {
        let (a, b) = (m.mul(a, a)?, m.mul(b, b)?);
        let sum = m.add(&a, &b)?;
        m.sqrt(&sum)
    }),
    enclosure: Some(|a, b| {
        let (a, b) = (a.through(square_image)?, b.through(square_image)?);
        a.plus(&b).through(square_root_image)
    }),
    digit_cost: DigitCost::Elementary(3.0),
    ..BinaryDefinition::lanes("hypot", Binary::Hypot)
};

/// Remainder with the dividend's sign.
static FMOD: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    fault: Some(zero_divisor),
    exact: Some(Rational::remainder),
    ball: Some(|m, a, b| {
        let quotient = m.div(a, b)?;
        let whole = m.trunc(&quotient)?;
        less_multiple(m, a, &whole, b)
    }),
    ..BinaryDefinition::lanes("fmod", Binary::Fmod)
};

/// The magnitude of a with the sign of b.
static COPY_SIGN: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    exact: Some(|a, b| {
        let is_same = a.is_negative() == b.is_negative();
        Ok(if is_same { a.clone() } else { a.neg() })
    }),
    ..BinaryDefinition::lanes("copysign", Binary::CopySign)
};

fn zero_divisor([_, b]: [f64; 2], _: f64) -> Option<EvaluationFault> {
    (b == 0.0).then_some(EvaluationFault::DivisionByZero)
}

/// As Python does it: the floor of the rounded quotient of 1 and 0.1 would be 10, and ten times 0.1 is more than 1.
fn lower_floor_quotient(
    builder: &mut ProgramBuilder,
    a: ProgramNode,
    b: ProgramNode,
) -> ProgramNode {
    let rest = builder.binary(Binary::Mod, a, b);
    let multiple = builder.binary(Binary::Sub, a, rest);
    let quotient = builder.binary(Binary::Div, multiple, b);
    builder.unary(Unary::Round, quotient)
}

fn floor_quotient(m: &mut BallArithmetic<'_>, a: &Ball, b: &Ball) -> BallResult {
    let quotient = m.div(a, b)?;
    m.floor(&quotient)
}

/// `a - whole b`.
fn less_multiple(m: &mut BallArithmetic<'_>, a: &Ball, whole: &Ball, b: &Ball) -> BallResult {
    let part = m.mul(whole, b)?;
    m.sub(a, &part)
}

fn floor_quotient_of_boxes(a: &BoxEnclosure, b: &BoxEnclosure) -> BoxResult {
    a.over(b)?.through(|x| step_image(Unary::Floor, x))
}

/// Powers with an exact exponent that products and roots give.
fn power_of_exact(
    m: &mut BallArithmetic<'_>,
    base: &ExactOrBall,
    exponent: &ExactOrBall,
) -> ShortCut {
    let ExactOrBall::Exact(exponent) = exponent else {
        return Ok(None);
    };
    if let Some(exponent) = exponent.small_integer() {
        let base = m.ball(base)?;
        let power = m.whole_power(&base, exponent)?;
        return Ok(Some(ExactOrBall::Ball(power)));
    }
    if let ExactOrBall::Exact(base) = base
        && base.is_zero()
        && !exponent.is_zero()
        && !exponent.is_negative()
    {
        // Exactly zero, where no number of bits would show it.
        return Ok(Some(ExactOrBall::Exact(base.clone())));
    }
    let is_square = matches!(base, ExactOrBall::Exact(base) if base.sqrt().is_ok());
    if let Some(halves) = exponent.half_integer()
        && !is_square
    {
        let base = m.ball(base)?;
        if base.sign()? > 0 {
            // A root and a few products take a tenth of the time of a logarithm and an exponential.
            let root = m.sqrt(&base)?;
            let power = m.whole_power(&root, halves)?;
            return Ok(Some(ExactOrBall::Ball(power)));
        }
    }
    Ok(None)
}
