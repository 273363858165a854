//! The gamma function and its relatives. Derivatives: NIST Digital Library of Mathematical Functions, 5.4 and 5.12.

use numerics::bytecode::{ProgramBuilder, ProgramNode};
use numerics::special;
use numerics::vector::Binary;

use super::super::ball::{Ball, ExactOrBall};
use super::super::enclosure::images::{POSITIVE, REAL, domain_image};
use super::super::fault::EvaluationFault;
use super::super::rational::Rational;
use super::definition::{BinaryDefinition, DigitCost, FunctionFamily, UnaryDefinition, pole};
use super::formulas::next_order;

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[&GAMMA, &LGAMMA, &DIGAMMA, &TRIGAMMA, &FACTORIAL],
    binary: &[&BETA, &LBETA, &COMB, &POLYGAMMA],
    ternary: &[],
};

/// What the series of the gamma function costs.
const GAMMA_COST: DigitCost = DigitCost::Series(0.1);

/// Gamma function; NaN at its poles.
static GAMMA: UnaryDefinition = UnaryDefinition {
    exact: Some(|x| x.gamma()),
    ball: Some(|m, x| m.gamma(x)),
    digit_cost: GAMMA_COST,
    ..UnaryDefinition::pointwise(
        "gamma",
        special::gamma,
        Some(|b, x, y| {
            let slope = DIGAMMA.lower(b, x);
            b.binary(Binary::Mul, y, slope)
        }),
    )
};

/// Logarithm of the magnitude of the gamma function.
pub(super) static LGAMMA: UnaryDefinition = UnaryDefinition {
    fault: Some(pole),
    exact: Some(|x| {
        let is_zero = *x == Rational::from(1) || *x == Rational::from(2);
        is_zero.then(|| 0.into()).ok_or(EvaluationFault::Inexact)
    }),
    ball: Some(|m, x| {
        if let Some(logarithm) = m.ln_gamma(x)? {
            return Ok(logarithm);
        }
        let gamma = m.gamma(x)?;
        m.ln(&Ball {
            middle: gamma.middle.abs(),
            radius: gamma.radius,
        })
    }),
    ball_of_exact: Some(|m, x| match x.gamma() {
        Ok(gamma) if !m.has_stirling() => {
            let gamma = m.rational(&gamma)?;
            let logarithm = m.ln(&gamma)?;
            Ok(Some(ExactOrBall::Ball(logarithm)))
        }
        _ => Ok(None),
    }),
    digit_cost: GAMMA_COST,
    ..UnaryDefinition::pointwise(
        "lgamma",
        special::lgamma,
        Some(|b, x, _| DIGAMMA.lower(b, x)),
    )
};

/// Logarithmic derivative of the gamma function.
static DIGAMMA: UnaryDefinition = UnaryDefinition {
    interval: Some(|x| {
        if x.sign() <= 0 {
            return Err(EvaluationFault::Unsupported);
        }
        let falling = x.increasing_by(|x| -special::trigamma(x), POSITIVE, REAL);
        let found = domain_image(x.increasing_by(special::digamma, POSITIVE, REAL))?;
        Ok((found, domain_image(falling)?.values.negated()))
    }),
    ..UnaryDefinition::pointwise(
        "digamma",
        special::digamma,
        Some(|b, x, _| TRIGAMMA.lower(b, x)),
    )
};

/// Derivative of the digamma function.
static TRIGAMMA: UnaryDefinition = UnaryDefinition::pointwise(
    "trigamma",
    special::trigamma,
    Some(|b, x, _| {
        let two = b.constant(2.0);
        POLYGAMMA.lower(b, two, x)
    }),
);

/// Factorial, `gamma(x + 1)`.
static FACTORIAL: UnaryDefinition = UnaryDefinition {
    exact: Some(|x| x.factorial()),
    ball: Some(|m, x| {
        let one = m.small(1);
        let above = m.add(x, &one)?;
        m.gamma(&above)
    }),
    digit_cost: GAMMA_COST,
    ..UnaryDefinition::pointwise(
        "factorial",
        special::factorial,
        Some(|b, x, y| {
            let slope = digamma_above(b, x);
            b.binary(Binary::Mul, y, slope)
        }),
    )
};

/// Beta function.
static BETA: BinaryDefinition = BinaryDefinition::pointwise(
    "beta",
    special::beta_function,
    [
        Some(|b, [x, z], y| {
            let slope = digamma_difference(b, x, z);
            b.binary(Binary::Mul, y, slope)
        }),
        Some(|b, [x, z], y| {
            let slope = digamma_difference(b, z, x);
            b.binary(Binary::Mul, y, slope)
        }),
    ],
);

/// Logarithm of the magnitude of the beta function.
pub(super) static LBETA: BinaryDefinition = BinaryDefinition::pointwise(
    "lbeta",
    special::lbeta,
    [
        Some(|b, [x, z], _| digamma_difference(b, x, z)),
        Some(|b, [x, z], _| digamma_difference(b, z, x)),
    ],
);

/// Binomial coefficient, a over b.
static COMB: BinaryDefinition = BinaryDefinition {
    aliases: &["binom"],
    ..BinaryDefinition::pointwise(
        "comb",
        special::binomial_coefficient,
        [
            Some(|b, [n, k], y| {
                let rest = b.binary(Binary::Sub, n, k);
                let (all, rest) = (digamma_above(b, n), digamma_above(b, rest));
                let slope = b.binary(Binary::Sub, all, rest);
                b.binary(Binary::Mul, y, slope)
            }),
            Some(|b, [n, k], y| {
                let rest = b.binary(Binary::Sub, n, k);
                let (rest, chosen) = (digamma_above(b, rest), digamma_above(b, k));
                let slope = b.binary(Binary::Sub, rest, chosen);
                b.binary(Binary::Mul, y, slope)
            }),
        ],
    )
};

/// Derivative of whole order a of the digamma function at b.
static POLYGAMMA: BinaryDefinition = BinaryDefinition {
    fault: Some(|[order, _], value| {
        let is_whole = order >= 0.0 && order.fract() == 0.0;
        (value.is_nan() && !is_whole).then_some(EvaluationFault::Whole)
    }),
    ..BinaryDefinition::pointwise(
        "polygamma",
        special::polygamma,
        [
            None,
            Some(|b, [n, x], _| {
                let next = next_order(b, n);
                POLYGAMMA.lower(b, next, x)
            }),
        ],
    )
};

/// `digamma(x) - digamma(x + z)`.
fn digamma_difference(b: &mut ProgramBuilder, x: ProgramNode, z: ProgramNode) -> ProgramNode {
    let sum = b.binary(Binary::Add, x, z);
    let (first, second) = (DIGAMMA.lower(b, x), DIGAMMA.lower(b, sum));
    b.binary(Binary::Sub, first, second)
}

/// `digamma(x + 1)`.
fn digamma_above(b: &mut ProgramBuilder, x: ProgramNode) -> ProgramNode {
    let one = b.constant(1.0);
    let above = b.binary(Binary::Add, x, one);
    DIGAMMA.lower(b, above)
}
