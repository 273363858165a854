//! Bessel functions. Derivatives: NIST Digital Library of Mathematical Functions, 10.6 and 10.29.

use numerics::bytecode::{ProgramBuilder, ProgramNode};
use numerics::roots::interval::Interval;
use numerics::special;
use numerics::vector::{Binary, Unary};

use super::super::enclosure::images::{ImageAndSlope, SHARE, continuous_image};
use super::super::fault::EvaluationFault;
use super::definition::{BinaryDefinition, FunctionFamily, UnaryDefinition};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[
        &BESSEL_J0, &BESSEL_J1, &BESSEL_Y0, &BESSEL_Y1, &BESSEL_I0, &BESSEL_I1, &BESSEL_K0,
        &BESSEL_K1,
    ],
    binary: &[&BESSEL_J, &BESSEL_Y, &BESSEL_I, &BESSEL_K],
    ternary: &[],
};

/// Bessel function of the first kind, order 0.
static BESSEL_J0: UnaryDefinition = UnaryDefinition {
    interval: Some(|x| {
        // The slope is -J1, and |J1| <= 0.582; that of J1 is at most 1/2.
        let slope = |x: f64| -special::bessel_j1(x);
        oscillating_image(x, [special::bessel_j0, slope], [0.582, 0.5])
    }),
    ..UnaryDefinition::pointwise(
        "besselj0",
        special::bessel_j0,
        Some(|b, x, _| negated_function(b, &BESSEL_J1, x)),
    )
};

/// Bessel function of the first kind, order 1.
static BESSEL_J1: UnaryDefinition = UnaryDefinition {
    interval: Some(|x| {
        // J1' = (J0 - J2) / 2, whose slope is below 1.
        let slope = |x: f64| (special::bessel_j0(x) - special::bessel_jv(2.0, x)) / 2.0;
        oscillating_image(x, [special::bessel_j1, slope], [0.5, 1.0])
    }),
    ..UnaryDefinition::pointwise(
        "besselj1",
        special::bessel_j1,
        Some(|b, x, y| half_at_zero(b, &BESSEL_J0, x, y)),
    )
};

/// Bessel function of the second kind, order 0.
static BESSEL_Y0: UnaryDefinition = UnaryDefinition::pointwise(
    "bessely0",
    special::bessel_y0,
    Some(|b, x, _| negated_function(b, &BESSEL_Y1, x)),
);

/// Bessel function of the second kind, order 1.
static BESSEL_Y1: UnaryDefinition = UnaryDefinition::pointwise(
    "bessely1",
    special::bessel_y1,
    Some(|b, x, y| {
        let y0 = BESSEL_Y0.lower(b, x);
        less_quotient(b, y0, x, y)
    }),
);

/// Modified Bessel function of the first kind, order 0.
static BESSEL_I0: UnaryDefinition = UnaryDefinition::pointwise(
    "besseli0",
    special::bessel_i0,
    Some(|b, x, _| BESSEL_I1.lower(b, x)),
);

/// Modified Bessel function of the first kind, order 1.
static BESSEL_I1: UnaryDefinition = UnaryDefinition::pointwise(
    "besseli1",
    special::bessel_i1,
    Some(|b, x, y| half_at_zero(b, &BESSEL_I0, x, y)),
);

/// Modified Bessel function of the second kind, order 0.
static BESSEL_K0: UnaryDefinition = UnaryDefinition::pointwise(
    "besselk0",
    special::bessel_k0,
    Some(|b, x, _| negated_function(b, &BESSEL_K1, x)),
);

/// Modified Bessel function of the second kind, order 1.
static BESSEL_K1: UnaryDefinition = UnaryDefinition::pointwise(
    "besselk1",
    special::bessel_k1,
    Some(|b, x, y| {
        let k0 = negated_function(b, &BESSEL_K0, x);
        less_quotient(b, k0, x, y)
    }),
);

/// Bessel function of the first kind of order a at b.
static BESSEL_J: BinaryDefinition = BinaryDefinition {
    aliases: &["jv"],
    fault: Some(beyond_orders),
    ..BinaryDefinition::pointwise(
        "besselj",
        special::bessel_jv,
        [
            None,
            Some(|b, operands, _| {
                join_neighbouring_orders(b, &BESSEL_J, 0.5, Binary::Sub, operands)
            }),
        ],
    )
};

/// Bessel function of the second kind of order a at b.
static BESSEL_Y: BinaryDefinition = BinaryDefinition {
    aliases: &["yv"],
    fault: Some(beyond_orders),
    ..BinaryDefinition::pointwise(
        "bessely",
        special::bessel_yv,
        [
            None,
            Some(|b, operands, _| {
                join_neighbouring_orders(b, &BESSEL_Y, 0.5, Binary::Sub, operands)
            }),
        ],
    )
};

/// Modified Bessel function of the first kind of order a at b.
static BESSEL_I: BinaryDefinition = BinaryDefinition {
    aliases: &["iv"],
    fault: Some(beyond_orders),
    ..BinaryDefinition::pointwise(
        "besseli",
        special::bessel_iv,
        [
            None,
            Some(|b, operands, _| {
                join_neighbouring_orders(b, &BESSEL_I, 0.5, Binary::Add, operands)
            }),
        ],
    )
};

/// Modified Bessel function of the second kind of order a at b.
static BESSEL_K: BinaryDefinition = BinaryDefinition {
    aliases: &["kv"],
    fault: Some(beyond_orders),
    ..BinaryDefinition::pointwise(
        "besselk",
        special::bessel_kv,
        [
            None,
            Some(|b, operands, _| {
                join_neighbouring_orders(b, &BESSEL_K, -0.5, Binary::Add, operands)
            }),
        ],
    )
};

/// Where there is a value, but no method for so large an order or argument.
fn beyond_orders([_, x]: [f64; 2], value: f64) -> Option<EvaluationFault> {
    (value.is_nan() && x >= 0.0).then_some(EvaluationFault::Far)
}

/// A function and its slope, by bounds of the slopes of both.
fn oscillating_image(
    x: Interval,
    [value, slope]: [fn(f64) -> f64; 2],
    [value_slope, slope_slope]: [f64; 2],
) -> ImageAndSlope {
    /// Beyond, the error bound of the functions is not known.
    const ARGUMENT_MAX: f64 = 1e5;
    const ERROR: f64 = 1e-13;
    if x.magnitude() > ARGUMENT_MAX {
        return Ok((continuous_image(SHARE), SHARE));
    }
    let values = x.lipschitz(value, value_slope, ERROR);
    Ok((
        continuous_image(values),
        x.lipschitz(slope, slope_slope, ERROR),
    ))
}

/// `factor (f(n - 1, x) joined with f(n + 1, x))`, the derivatives of the Bessel functions.
fn join_neighbouring_orders(
    b: &mut ProgramBuilder,
    function: &'static BinaryDefinition,
    factor: f64,
    join: Binary,
    [n, x]: [ProgramNode; 2],
) -> ProgramNode {
    let one = b.constant(1.0);
    let (below, above) = (b.binary(Binary::Sub, n, one), b.binary(Binary::Add, n, one));
    let (below, above) = (function.lower(b, below, x), function.lower(b, above, x));
    let (factor, joined) = (b.constant(factor), b.binary(join, below, above));
    b.binary(Binary::Mul, factor, joined)
}

/// `-function(x)`.
fn negated_function(
    b: &mut ProgramBuilder,
    function: &'static UnaryDefinition,
    x: ProgramNode,
) -> ProgramNode {
    let value = function.lower(b, x);
    b.unary(Unary::Neg, value)
}

/// `function(x) - y / x`, 1/2 at zero.
fn half_at_zero(
    b: &mut ProgramBuilder,
    function: &'static UnaryDefinition,
    x: ProgramNode,
    y: ProgramNode,
) -> ProgramNode {
    let value = function.lower(b, x);
    let slope = less_quotient(b, value, x, y);
    let half = b.constant(0.5);
    b.select(x, slope, half)
}

/// `a - y / x`.
fn less_quotient(
    b: &mut ProgramBuilder,
    a: ProgramNode,
    x: ProgramNode,
    y: ProgramNode,
) -> ProgramNode {
    let quotient = b.binary(Binary::Div, y, x);
    b.binary(Binary::Sub, a, quotient)
}
