//! Exponentials, logarithms and roots.

use numerics::bytecode::{ProgramBuilder, ProgramNode};
use numerics::roots::interval::Interval;
use numerics::vector::{Binary, Unary};

use super::super::enclosure::images::{
    POSITIVE, REAL, domain_image, domain_part, exponential_image, increasing_everywhere,
    interval_one, logarithm_image, natural_logarithm_image, open_image, reciprocal_slope,
    square_root_image,
};
use super::super::plane::RealOrComplex;
use super::definition::{
    BinaryDefinition, ComplexForm, DigitCost, FunctionFamily, ReductionFunction, UnaryDefinition,
    pole, zero_at_zero,
};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[
        &EXP, &EXPM1, &LN, &LOG2, &LOG10, &LOG1P, &SQRT, &CBRT, &EXP2,
    ],
    binary: &[&LOG_ADD_EXP, &LOG_BASE],
    ternary: &[],
};

/// e to the power x.
pub(crate) static EXP: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.exp())),
    ball: Some(|m, x| m.exp(x)),
    interval: Some(exponential_image),
    ..UnaryDefinition::lanes("exp", Unary::Exp)
};

/// `exp(x) - 1`, accurate near zero.
static EXPM1: UnaryDefinition = UnaryDefinition {
    ball: Some(|m, x| {
        let exp = m.exp(x)?;
        let one = m.small(1);
        m.sub(&exp, &one)
    }),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let range = Interval::new(-1.0, f64::INFINITY);
        let (power, _) = exponential_image(x)?;
        Ok((increasing_everywhere(Unary::Expm1, x, range)?, power.values))
    }),
    ..UnaryDefinition::lanes("expm1", Unary::Expm1)
};

/// Natural logarithm.
pub(crate) static LN: UnaryDefinition = UnaryDefinition {
    aliases: &["ln"],
    fault: Some(pole),
    complex: ComplexForm::Beyond(RealOrComplex::ln),
    ball: Some(|m, x| m.ln(x)),
    interval: Some(natural_logarithm_image),
    ..UnaryDefinition::lanes("log", Unary::Log)
};

/// Logarithm to base 2.
pub(crate) static LOG2: UnaryDefinition = UnaryDefinition {
    fault: Some(pole),
    complex: ComplexForm::Beyond(|z| z.ln()?.div(RealOrComplex::Real(std::f64::consts::LN_2))),
    ball: Some(|m, x| m.log_base(x, 2)),
    interval: Some(|x| logarithm_image(Unary::Log2, x, Interval::near(std::f64::consts::LN_2))),
    ..UnaryDefinition::lanes("log2", Unary::Log2)
};

/// Logarithm to base 10.
pub(crate) static LOG10: UnaryDefinition = UnaryDefinition {
    fault: Some(pole),
    complex: ComplexForm::Beyond(|z| z.ln()?.div(RealOrComplex::Real(std::f64::consts::LN_10))),
    ball: Some(|m, x| m.log_base(x, 10)),
    interval: Some(|x| logarithm_image(Unary::Log10, x, Interval::near(std::f64::consts::LN_10))),
    ..UnaryDefinition::lanes("log10", Unary::Log10)
};

/// `log(1 + x)`, accurate near zero.
static LOG1P: UnaryDefinition = UnaryDefinition {
    fault: Some(pole),
    ball: Some(|m, x| {
        let one = m.small(1);
        let sum = m.add(x, &one)?;
        m.ln(&sum)
    }),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let domain = Interval::new(-1.0, f64::INFINITY);
        let found = domain_image(x.increasing(Unary::Log1p, domain, REAL))?;
        let above = domain_part(x, domain)?.plus(interval_one());
        Ok((open_image(found, x.lo > -1.0), reciprocal_slope(above)))
    }),
    ..UnaryDefinition::lanes("log1p", Unary::Log1p)
};

/// Square root.
static SQRT: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.sqrt())),
    exact: Some(|x| x.sqrt()),
    ball: Some(|m, x| m.sqrt(x)),
    interval: Some(square_root_image),
    ..UnaryDefinition::lanes("sqrt", Unary::Sqrt)
};

/// Cube root, also of negative numbers.
static CBRT: UnaryDefinition = UnaryDefinition {
    ball: Some(|m, x| m.cbrt(x)),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let found = increasing_everywhere(Unary::Cbrt, x, REAL)?;
        let slope = Interval::point(3.0).times(found.values.squared());
        Ok((found, reciprocal_slope(slope)))
    }),
    ..UnaryDefinition::lanes("cbrt", Unary::Cbrt)
};

/// 2 to the power x.
static EXP2: UnaryDefinition = UnaryDefinition {
    ball: Some(|m, x| {
        let two = m.small(2);
        let ln = m.ln(&two)?;
        let exponent = m.mul(x, &ln)?;
        m.exp(&exponent)
    }),
    interval: Some(|x| {
        let found = increasing_everywhere(Unary::Exp2, x, POSITIVE)?;
        let slope = found.values.times(Interval::near(std::f64::consts::LN_2));
        Ok((found, slope))
    }),
    ..UnaryDefinition::lanes("exp2", Unary::Exp2)
};

/// `log(exp(a) + exp(b))`, without overflow.
pub(crate) static LOG_ADD_EXP: BinaryDefinition = BinaryDefinition {
    reduction: Some(ReductionFunction::LogSumExp),
    ..BinaryDefinition::composed("logaddexp", lower_log_add_exp)
};

/// Logarithm of a to base b.
pub(crate) static LOG_BASE: BinaryDefinition = BinaryDefinition {
    fault: Some(|[a, _], value| pole(a, value)),
    complex: Some(|a, b| a.ln()?.div(b.ln()?)),
    ball: Some(|m, a, b| {
        let (a, b) = (m.ln(a)?, m.ln(b)?);
        m.div(&a, &b)
    }),
    enclosure: Some(|a, b| {
        let base = b.through(natural_logarithm_image);
        a.through(natural_logarithm_image)?.over(&base?)
    }),
    digit_cost: DigitCost::Elementary(3.0),
    ..BinaryDefinition::composed("log", |builder, a, b| {
        let (a, b) = (builder.unary(Unary::Log, a), builder.unary(Unary::Log, b));
        builder.binary(Binary::Div, a, b)
    })
};

/// The larger operand, plus the contribution of the smaller.
fn lower_log_add_exp(builder: &mut ProgramBuilder, a: ProgramNode, b: ProgramNode) -> ProgramNode {
    let (larger, smaller) = (
        builder.binary(Binary::Max, a, b),
        builder.binary(Binary::Min, a, b),
    );
    // Of two infinities there is no difference: equal ones add nothing that counts.
    let equal = builder.binary(Binary::Equal, larger, smaller);
    let difference = builder.binary(Binary::Sub, smaller, larger);
    let zero = builder.constant(0.0);
    let difference = builder.select(equal, zero, difference);
    let share = builder.unary(Unary::Exp, difference);
    let rest = builder.unary(Unary::Log1p, share);
    builder.binary(Binary::Add, larger, rest)
}
