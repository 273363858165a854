//! Incomplete gamma and beta functions, and the distributions that are made of them.

use numerics::bytecode::{ProgramBuilder, ProgramNode};
use numerics::special;
use numerics::vector::{Binary, Unary};

use super::definition::{BinaryDefinition, FunctionFamily, TernaryDefinition};
use super::gamma::{LBETA, LGAMMA};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[],
    binary: &[
        &GAMMAINC,
        &GAMMAINCC,
        &GAMMAINCINV,
        &TCDF,
        &TINV,
        &POISSON_QUANTILE,
    ],
    ternary: &[
        &BETAINC,
        &BETAINCC,
        &BETAINCINV,
        &BINOMIAL_CDF,
        &BINOMIAL_CCDF,
        &BINOMIAL_QUANTILE,
    ],
};

/// Regularised lower incomplete gamma function P(a, b).
static GAMMAINC: BinaryDefinition = BinaryDefinition::pointwise(
    "gammainc",
    special::regularised_gamma_p,
    [None, Some(|b, [a, x], _| gamma_density(b, a, x))],
);

/// Regularised upper incomplete gamma function Q(a, b).
static GAMMAINCC: BinaryDefinition = BinaryDefinition::pointwise(
    "gammaincc",
    special::regularised_gamma_q,
    [
        None,
        Some(|b, [a, x], _| {
            let density = gamma_density(b, a, x);
            b.unary(Unary::Neg, density)
        }),
    ],
);

/// The x of which `gammainc(a, x)` is b.
static GAMMAINCINV: BinaryDefinition = BinaryDefinition::pointwise(
    "gammaincinv",
    special::inverse_regularised_gamma,
    [
        None,
        Some(|b, [a, _], y| {
            let density = gamma_density(b, a, y);
            b.unary(Unary::Reciprocal, density)
        }),
    ],
);

/// Probability that Student's t of b degrees of freedom is at most a.
static TCDF: BinaryDefinition = BinaryDefinition::pointwise(
    "tcdf",
    |t, nu| special::student_cdf(nu, t),
    [Some(|b, [t, nu], _| student_density(b, t, nu)), None],
);

/// Quantile a of Student's t distribution of b degrees of freedom.
static TINV: BinaryDefinition = BinaryDefinition::pointwise(
    "tinv",
    |p, nu| special::student_quantile(nu, p),
    [
        Some(|b, [_, nu], y| {
            let density = student_density(b, y, nu);
            b.unary(Unary::Reciprocal, density)
        }),
        None,
    ],
);

/// Quantile a of the Poisson distribution of rate b.
static POISSON_QUANTILE: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    ..BinaryDefinition::pointwise("poisson_quantile", special::poisson_quantile, [None, None])
};

/// Regularised incomplete beta function I(a, b, x).
static BETAINC: TernaryDefinition = TernaryDefinition::pointwise(
    "betainc",
    special::regularised_beta,
    [None, None, Some(|b, [p, q, x], _| beta_density(b, p, q, x))],
);

/// Its complement.
static BETAINCC: TernaryDefinition = TernaryDefinition::pointwise(
    "betaincc",
    special::regularised_beta_complement,
    [
        None,
        None,
        Some(|b, [p, q, x], _| {
            let density = beta_density(b, p, q, x);
            b.unary(Unary::Neg, density)
        }),
    ],
);

/// Its inverse in the last operand.
static BETAINCINV: TernaryDefinition = TernaryDefinition::pointwise(
    "betaincinv",
    special::inverse_regularised_beta,
    [
        None,
        None,
        Some(|b, [p, q, _], y| {
            let density = beta_density(b, p, q, y);
            b.unary(Unary::Reciprocal, density)
        }),
    ],
);

/// Probability of at most k successes.
static BINOMIAL_CDF: TernaryDefinition = TernaryDefinition {
    is_smooth: false,
    ..TernaryDefinition::pointwise(
        "binomial_cdf",
        special::binomial_cdf,
        [
            None,
            None,
            Some(|b, operands, _| {
                let slope = slope_of_binomial(b, operands);
                b.unary(Unary::Neg, slope)
            }),
        ],
    )
};

/// Probability of more.
static BINOMIAL_CCDF: TernaryDefinition = TernaryDefinition {
    is_smooth: false,
    ..TernaryDefinition::pointwise(
        "binomial_ccdf",
        special::binomial_ccdf,
        [
            None,
            None,
            Some(|b, operands, _| slope_of_binomial(b, operands)),
        ],
    )
};

/// Its quantile.
static BINOMIAL_QUANTILE: TernaryDefinition = TernaryDefinition {
    is_smooth: false,
    ..TernaryDefinition::pointwise(
        "binomial_quantile",
        special::binomial_quantile,
        [None, None, None],
    )
};

/// `(a - 1) log(x)`, without 0 times the logarithm of 0.
fn times_log(b: &mut ProgramBuilder, a: ProgramNode, x: ProgramNode) -> ProgramNode {
    let one = b.constant(1.0);
    let power = b.binary(Binary::Sub, a, one);
    let logarithm = b.unary(Unary::Log, x);
    let product = b.binary(Binary::Mul, power, logarithm);
    let zero = b.constant(0.0);
    b.select(power, product, zero)
}

/// `x^(a - 1) exp(-x) / gamma(a)`.
fn gamma_density(b: &mut ProgramBuilder, a: ProgramNode, x: ProgramNode) -> ProgramNode {
    let power = times_log(b, a, x);
    let logarithm = b.binary(Binary::Sub, power, x);
    let norm = LGAMMA.lower(b, a);
    let logarithm = b.binary(Binary::Sub, logarithm, norm);
    b.unary(Unary::Exp, logarithm)
}

/// `x^(p - 1) (1 - x)^(q - 1) / beta(p, q)`.
fn beta_density(
    b: &mut ProgramBuilder,
    p: ProgramNode,
    q: ProgramNode,
    x: ProgramNode,
) -> ProgramNode {
    let one = b.constant(1.0);
    let rest = b.binary(Binary::Sub, one, x);
    let (left, right) = (times_log(b, p, x), times_log(b, q, rest));
    let sum = b.binary(Binary::Add, left, right);
    let norm = LBETA.lower(b, p, q);
    let logarithm = b.binary(Binary::Sub, sum, norm);
    b.unary(Unary::Exp, logarithm)
}

/// The derivative by p of the probability of more than k of n: the density of the beta distribution of k + 1 and n - k.
fn slope_of_binomial(b: &mut ProgramBuilder, [k, n, p]: [ProgramNode; 3]) -> ProgramNode {
    let (zero, one) = (b.constant(0.0), b.constant(1.0));
    let k = b.unary(Unary::Floor, k);
    let (above, rest) = (b.binary(Binary::Add, k, one), b.binary(Binary::Sub, n, k));
    let density = beta_density(b, above, rest, p);
    let begun = b.binary(Binary::GreaterEqual, k, zero);
    let unfinished = b.binary(Binary::Greater, rest, zero);
    let inside = b.binary(Binary::Mul, begun, unfinished);
    b.select(inside, density, zero)
}

/// `(1 + t^2 / nu)^(-(nu + 1) / 2) / (sqrt(nu) beta(nu / 2, 1 / 2))`.
fn student_density(b: &mut ProgramBuilder, t: ProgramNode, nu: ProgramNode) -> ProgramNode {
    let (one, half) = (b.constant(1.0), b.constant(0.5));
    let square = b.unary(Unary::Square, t);
    let ratio = b.binary(Binary::Div, square, nu);
    let ln = b.unary(Unary::Log1p, ratio);
    let above = b.binary(Binary::Add, nu, one);
    let power = b.binary(Binary::Mul, half, above);
    let product = b.binary(Binary::Mul, power, ln);
    let halves = b.binary(Binary::Mul, half, nu);
    let norm = LBETA.lower(b, halves, half);
    let root = b.unary(Unary::Log, nu);
    let root = b.binary(Binary::Mul, half, root);
    let norm = b.binary(Binary::Add, norm, root);
    let sum = b.binary(Binary::Add, product, norm);
    let negative = b.unary(Unary::Neg, sum);
    b.unary(Unary::Exp, negative)
}
