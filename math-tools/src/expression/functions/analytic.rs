//! Zeta and W functions, the cardinal sine, exponential integrals. Derivatives: NIST Digital Library of Mathematical Functions, 4.13 and 6.2.

use std::f64::consts::PI;

use numerics::bytecode::{BinaryFunction, ProgramBuilder, ProgramNode, UnaryFunction};
use numerics::special;
use numerics::vector::{Binary, Unary};

use super::definition::{FunctionFamily, UnaryDefinition};
use super::formulas::next_order;

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[&ZETA, &LAMBERT_W, &SINC, &EXPI, &EXP1],
    binary: &[],
    ternary: &[],
};

/// Riemann zeta function.
static ZETA: UnaryDefinition = UnaryDefinition::pointwise(
    "zeta",
    special::riemann_zeta,
    Some(|b, x, _| {
        let one = b.constant(1.0);
        b.call2(&ZETA_DERIVATIVE, one, x)
    }),
);

/// The principal solution w of `w exp(w) = x`.
static LAMBERT_W: UnaryDefinition = UnaryDefinition::pointwise(
    "lambertw",
    |x| special::lambert_w(x, 0),
    Some(|b, _, y| {
        // 1 / (e^w (1 + w)), which has no 0 / 0 at the origin.
        let one = b.constant(1.0);
        let power = b.unary(Unary::Exp, y);
        let sum = b.binary(Binary::Add, one, y);
        let product = b.binary(Binary::Mul, power, sum);
        b.unary(Unary::Reciprocal, product)
    }),
);

/// `sin(pi x) / (pi x)`, 1 at 0.
static SINC: UnaryDefinition =
    UnaryDefinition::pointwise("sinc", special::sinc, Some(slope_of_sinc));

/// Exponential integral Ei.
static EXPI: UnaryDefinition = UnaryDefinition::pointwise(
    "expi",
    special::exponential_integral_ei,
    Some(|b, x, _| {
        let power = b.unary(Unary::Exp, x);
        b.binary(Binary::Div, power, x)
    }),
);

/// Exponential integral E1.
static EXP1: UnaryDefinition = UnaryDefinition::pointwise(
    "exp1",
    special::exponential_integral_e1,
    Some(|b, x, _| {
        let negative = b.unary(Unary::Neg, x);
        let power = b.unary(Unary::Exp, negative);
        let quotient = b.binary(Binary::Div, power, x);
        b.unary(Unary::Neg, quotient)
    }),
);

/// The derivative of an order of the zeta function.
static ZETA_DERIVATIVE: BinaryFunction = BinaryFunction {
    name: "zeta",
    value: special::zeta_derivative,
    slopes: [
        None,
        Some(|b, [n, x], _| {
            let next = next_order(b, n);
            b.call2(&ZETA_DERIVATIVE, next, x)
        }),
    ],
};

static COSPI: UnaryFunction = UnaryFunction {
    name: "cos of pi x",
    value: special::cos_pi,
    slope: Some(|b, x, _| scaled_function(b, -PI, &SINPI, x)),
};

static SINPI: UnaryFunction = UnaryFunction {
    name: "sin of pi x",
    value: special::sin_pi,
    slope: Some(|b, x, _| scaled_function(b, PI, &COSPI, x)),
};

/// `cos(pi x) / x - sinc(x) / x`; near zero, where these cancel, Taylor's polynomial.
fn slope_of_sinc(b: &mut ProgramBuilder, x: ProgramNode, y: ProgramNode) -> ProgramNode {
    const NEAR: f64 = 0.5;
    const DEGREE: u32 = 14;
    let square = b.unary(Unary::Square, x);
    // The coefficient of x^(2k - 1) is (-1)^k pi^(2k) 2k / (2k + 1)!
    let (mut factor, mut coefficients) = (1.0, Vec::new());
    for k in 1..=DEGREE {
        let k = f64::from(k);
        factor *= -PI * PI / (2.0 * k * (2.0 * k + 1.0));
        coefficients.push(2.0 * k * factor);
    }
    let mut polynomial = b.constant(0.0);
    for coefficient in coefficients.into_iter().rev() {
        let coefficient = b.constant(coefficient);
        let product = b.binary(Binary::Mul, polynomial, square);
        polynomial = b.binary(Binary::Add, product, coefficient);
    }
    let near = b.binary(Binary::Mul, polynomial, x);
    let cosine = b.call1(&COSPI, x);
    let difference = b.binary(Binary::Sub, cosine, y);
    let far = b.binary(Binary::Div, difference, x);
    let (size, limit) = (b.unary(Unary::Abs, x), b.constant(NEAR));
    let is_near = b.binary(Binary::Less, size, limit);
    b.select(is_near, near, far)
}

/// `factor function(x)`.
fn scaled_function(
    b: &mut ProgramBuilder,
    factor: f64,
    function: &'static UnaryFunction,
    x: ProgramNode,
) -> ProgramNode {
    let (factor, value) = (b.constant(factor), b.call1(function, x));
    b.binary(Binary::Mul, factor, value)
}
