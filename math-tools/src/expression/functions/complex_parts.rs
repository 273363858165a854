//! The parts of complex numbers.

use std::f64::consts::PI;

use numerics::roots::interval::Interval;

use super::super::enclosure::images::{continuous_image, interval_one};
use super::super::plane::RealOrComplex;
use super::super::rational::Rational;
use super::definition::{ComplexForm, FunctionFamily, UnaryDefinition};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[&RE, &IM, &ARG, &CONJ],
    binary: &[],
    ternary: &[],
};

/// Real part; of a real number itself.
static RE: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(RealOrComplex::Real(z.parts().0))),
    exact: Some(|x| Ok(x.clone())),
    ball: Some(|_, x| Ok(x.clone())),
    interval: Some(|x| Ok((continuous_image(x), interval_one()))),
    ..UnaryDefinition::pointwise("re", |x| x, Some(|b, _, _| b.constant(1.0)))
};

/// Imaginary part; zero for a real number.
static IM: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(RealOrComplex::Real(z.parts().1))),
    exact: Some(|_| Ok(Rational::from(0))),
    ball: Some(|m, _| Ok(m.small(0))),
    interval: Some(|_| Ok((continuous_image(Interval::ZERO), Interval::ZERO))),
    ..UnaryDefinition::pointwise("im", |x| 0.0 * x, Some(|b, _, _| b.constant(0.0)))
};

/// Angle in the complex plane, in radians: 0, or pi for a negative real number.
static ARG: UnaryDefinition = UnaryDefinition {
    is_smooth: false,
    complex: ComplexForm::Everywhere(|z| Ok(RealOrComplex::Real(z.arg()))),
    ball: Some(|m, x| {
        if x.sign()? < 0 {
            m.pi()
        } else {
            Ok(m.small(0))
        }
    }),
    ..UnaryDefinition::pointwise(
        "arg",
        |x| if x < 0.0 { PI } else { 0.0 * x },
        Some(|b, _, _| b.constant(0.0)),
    )
};

/// Complex conjugate; of a real number itself.
static CONJ: UnaryDefinition = UnaryDefinition {
    complex: ComplexForm::Beyond(|z| Ok(z.conj())),
    exact: Some(|x| Ok(x.clone())),
    ball: Some(|_, x| Ok(x.clone())),
    interval: Some(|x| Ok((continuous_image(x), interval_one()))),
    ..UnaryDefinition::pointwise("conj", |x| x, Some(|b, _, _| b.constant(1.0)))
};
