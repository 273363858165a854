//! Hyperbolic functions.

use astro_float_num::BigFloat;
use numerics::roots::interval::Interval;
use numerics::vector::Unary;

use super::super::enclosure::images::{
    POSITIVE, REAL, SHARE, continuous_image, domain_image, even_function_image,
    increasing_everywhere, interval_one, open_image, reciprocal_slope, root_slope,
};
use super::super::fault::EvaluationFault;
use super::super::plane::RealOrComplex;
use super::definition::{ComplexForm, FunctionFamily, UnaryDefinition, pole, zero_at_zero};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[&SINH, &COSH, &TANH, &ASINH, &ACOSH, &ATANH],
    binary: &[],
    ternary: &[],
};

/// Hyperbolic sine.
static SINH: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.sinh())),
    ball: Some(|m, x| {
        let (exp, one) = (m.exp(x)?, m.small(1));
        let inverse = m.div(&one, &exp)?;
        let (twice, two) = (m.sub(&exp, &inverse)?, m.small(2));
        m.div(&twice, &two)
    }),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let slope = even_function_image(Unary::Cosh, x);
        Ok((increasing_everywhere(Unary::Sinh, x, REAL)?, slope))
    }),
    ..UnaryDefinition::lanes("sinh", Unary::Sinh)
};

/// Hyperbolic cosine.
static COSH: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.cosh())),
    ball: Some(|m, x| {
        let (exp, one) = (m.exp(x)?, m.small(1));
        let inverse = m.div(&one, &exp)?;
        let (twice, two) = (m.add(&exp, &inverse)?, m.small(2));
        m.div(&twice, &two)
    }),
    interval: Some(|x| {
        let slope = increasing_everywhere(Unary::Sinh, x, REAL)?.values;
        Ok((continuous_image(even_function_image(Unary::Cosh, x)), slope))
    }),
    ..UnaryDefinition::lanes("cosh", Unary::Cosh)
};

/// Hyperbolic tangent.
static TANH: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.tanh())),
    ball: Some(|m, x| m.with_slope_of_one(BigFloat::tanh, x)),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let found = increasing_everywhere(Unary::Tanh, x, SHARE)?;
        Ok((found, interval_one().minus(found.values.squared())))
    }),
    ..UnaryDefinition::lanes("tanh", Unary::Tanh)
};

/// Inverse hyperbolic sine.
static ASINH: UnaryDefinition = UnaryDefinition {
    aliases: &["arcsinh"],
    complex: ComplexForm::Beyond(|z| Ok(z.asinh())),
    ball: Some(|m, x| m.with_slope_of_one(BigFloat::asinh, x)),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let root = root_slope(interval_one().plus(x.squared()));
        let found = increasing_everywhere(Unary::Asinh, x, REAL)?;
        Ok((found, reciprocal_slope(root)))
    }),
    ..UnaryDefinition::lanes("asinh", Unary::Asinh)
};

/// Inverse hyperbolic cosine.
static ACOSH: UnaryDefinition = UnaryDefinition {
    aliases: &["arccosh"],
    complex: ComplexForm::Beyond(|z| Ok(z.acosh())),
    ball: Some(|m, x| {
        // ln(x + sqrt((x - 1) (x + 1)))
        let one = m.small(1);
        let (less, more) = (m.sub(x, &one)?, m.add(x, &one)?);
        let product = m.mul(&less, &more)?;
        if less.sign()? < 0 {
            return Err(EvaluationFault::Domain);
        }
        let root = m.sqrt(&product)?;
        let sum = m.add(x, &root)?;
        m.ln(&sum)
    }),
    interval: Some(|x| {
        let domain = Interval::new(1.0, f64::INFINITY);
        let found = domain_image(x.increasing(Unary::Acosh, domain, POSITIVE))?;
        let root = root_slope(x.squared().minus(interval_one()));
        Ok((found, reciprocal_slope(root)))
    }),
    ..UnaryDefinition::lanes("acosh", Unary::Acosh)
};

/// Inverse hyperbolic tangent.
static ATANH: UnaryDefinition = UnaryDefinition {
    aliases: &["arctanh"],
    fault: Some(pole),
    complex: ComplexForm::Beyond(RealOrComplex::atanh),
    ball: Some(|m, x| {
        // ln((1 + x) / (1 - x)) / 2
        let one = m.small(1);
        let (more, less) = (m.add(&one, x)?, m.sub(&one, x)?);
        if more.sign()? <= 0 || less.sign()? <= 0 {
            return Err(EvaluationFault::Domain);
        }
        let quotient = m.div(&more, &less)?;
        let (ln, two) = (m.ln(&quotient)?, m.small(2));
        m.div(&ln, &two)
    }),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let found = domain_image(x.increasing(Unary::Atanh, SHARE, REAL))?;
        let slope = reciprocal_slope(interval_one().minus(x.squared()));
        Ok((open_image(found, x.lo > -1.0 && x.hi < 1.0), slope))
    }),
    ..UnaryDefinition::lanes("atanh", Unary::Atanh)
};
