//! Error functions and the normal distribution. Derivatives: NIST Digital Library of Mathematical Functions, 7.2 and 7.17.

use std::f64::consts::FRAC_2_SQRT_PI;

use numerics::bytecode::{ProgramBuilder, ProgramNode};
use numerics::roots::interval::Interval;
use numerics::special;
use numerics::vector::{Binary, Unary};

use super::super::enclosure::images::{
    REAL, SHARE, continuous_image, decreasing_image, domain_image, gaussian_enclosure,
    increasing_everywhere,
};
use super::definition::{DigitCost, FunctionFamily, UnaryDefinition, zero_at_zero};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[
        &ERF,
        &ERFC,
        &ERFINV,
        &ERFCINV,
        &NORMCDF,
        &NORMPDF,
        &NORMPPF,
        &LOGNORMCDF,
    ],
    binary: &[],
    ternary: &[],
};

/// What the series of the error function costs.
const ERF_COST: DigitCost = DigitCost::Series(0.02);
/// `1 / sqrt(2 pi)`.
const DENSITY_AT_ZERO: f64 = 0.398_942_280_401_432_7;

/// Error function.
static ERF: UnaryDefinition = UnaryDefinition {
    ball: Some(|m, x| m.erf(x)),
    ball_of_exact: Some(zero_at_zero),
    interval: Some(|x| {
        let slope = gaussian_enclosure(x, 1.0, FRAC_2_SQRT_PI)?;
        Ok((increasing_everywhere(Unary::Erf, x, SHARE)?, slope))
    }),
    digit_cost: ERF_COST,
    ..UnaryDefinition::lanes("erf", Unary::Erf)
};

/// `1 - erf(x)`, accurate where `erf` is near 1.
static ERFC: UnaryDefinition = UnaryDefinition {
    ball: Some(|m, x| {
        let (erf, one) = (m.erf(x)?, m.small(1));
        m.sub(&one, &erf)
    }),
    interval: Some(|x| {
        let slope = gaussian_enclosure(x, 1.0, FRAC_2_SQRT_PI)?;
        Ok((decreasing_image(Unary::Erfc, x, REAL)?, slope.negated()))
    }),
    digit_cost: ERF_COST,
    ..UnaryDefinition::lanes("erfc", Unary::Erfc)
};

/// Inverse error function.
static ERFINV: UnaryDefinition = UnaryDefinition::pointwise(
    "erfinv",
    special::inverse_erf,
    Some(|b, _, y| gaussian_node(b, y, 0.886_226_925_452_758, 1.0)),
);

/// Inverse of `erfc`.
static ERFCINV: UnaryDefinition = UnaryDefinition::pointwise(
    "erfcinv",
    special::inverse_erfc,
    Some(|b, _, y| gaussian_node(b, y, -0.886_226_925_452_758, 1.0)),
);

/// Probability that a standard normal variable is at most x.
static NORMCDF: UnaryDefinition = UnaryDefinition {
    interval: Some(|x| {
        let density = gaussian_enclosure(x, 0.5, DENSITY_AT_ZERO)?;
        let range = Interval::new(0.0, 1.0);
        let found = domain_image(x.increasing_by(special::normal_cdf, REAL, range))?;
        Ok((found, density))
    }),
    ..UnaryDefinition::pointwise(
        "normcdf",
        special::normal_cdf,
        Some(|b, x, _| NORMPDF.lower(b, x)),
    )
};

/// Density of the standard normal distribution.
static NORMPDF: UnaryDefinition = UnaryDefinition {
    interval: Some(|x| {
        let density = gaussian_enclosure(x, 0.5, DENSITY_AT_ZERO)?;
        Ok((continuous_image(density), x.times(density).negated()))
    }),
    ..UnaryDefinition::pointwise(
        "normpdf",
        special::normal_density,
        Some(|b, x, y| {
            let product = b.binary(Binary::Mul, x, y);
            b.unary(Unary::Neg, product)
        }),
    )
};

/// Quantile of the standard normal distribution.
static NORMPPF: UnaryDefinition = UnaryDefinition::pointwise(
    "normppf",
    special::normal_quantile,
    Some(|b, _, y| gaussian_node(b, y, 2.506_628_274_631_000_5, 0.5)),
);

/// Logarithm of `normcdf`, accurate far below zero.
static LOGNORMCDF: UnaryDefinition = UnaryDefinition::pointwise(
    "lognormcdf",
    special::normal_log_cdf,
    Some(|b, x, y| {
        // pdf / cdf, as exp(log pdf - log cdf): both may underflow.
        let half = b.constant(0.5);
        let square = b.unary(Unary::Square, x);
        let square = b.binary(Binary::Mul, half, square);
        let constant = b.constant(-0.918_938_533_204_672_8);
        let logarithm = b.binary(Binary::Sub, constant, square);
        let logarithm = b.binary(Binary::Sub, logarithm, y);
        b.unary(Unary::Exp, logarithm)
    }),
);

/// `factor exp(scale y^2)`.
fn gaussian_node(b: &mut ProgramBuilder, y: ProgramNode, factor: f64, scale: f64) -> ProgramNode {
    let (factor, scale) = (b.constant(factor), b.constant(scale));
    let square = b.unary(Unary::Square, y);
    let exponent = b.binary(Binary::Mul, scale, square);
    let power = b.unary(Unary::Exp, exponent);
    b.binary(Binary::Mul, factor, power)
}
