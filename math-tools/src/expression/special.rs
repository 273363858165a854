//! The special functions of the language: their values are those of [`kernels::special`], their derivatives formulas in one
//! another (NIST Digital Library of Mathematical Functions, 5.4, 6.2, 7.17, 10.6 and 10.29, 4.13).

use kernels::program::{
    BinaryFunction, ProgramBuilder, ProgramNode, TernaryFunction, UnaryFunction,
};
use kernels::special;
use kernels::vector::{Binary, Unary};

macro_rules! functions {
    ($($name:ident = $word:literal, $value:expr, $slope:expr;)+) => {$(
        pub(super) static $name: UnaryFunction = UnaryFunction { name: $word, value: $value, slope: $slope };
    )+};
}

functions! {
    GAMMA = "gamma", special::gamma, Some(|b, x, y| {
        let slope = b.call1(&DIGAMMA, x);
        b.binary(Binary::Mul, y, slope)
    });
    LGAMMA = "lgamma", special::lgamma, Some(|b, x, _| b.call1(&DIGAMMA, x));
    DIGAMMA = "digamma", special::digamma, Some(|b, x, _| b.call1(&TRIGAMMA, x));
    TRIGAMMA = "trigamma", special::trigamma, Some(|b, x, _| {
        let two = b.constant(2.0);
        b.call2(&POLYGAMMA, two, x)
    });
    FACTORIAL = "factorial", special::factorial, Some(|b, x, y| {
        let slope = digamma_above(b, x);
        b.binary(Binary::Mul, y, slope)
    });
    ERFINV = "erfinv", special::inverse_erf, Some(|b, _, y| gaussian_node(b, y, 0.886_226_925_452_758, 1.0));
    ERFCINV = "erfcinv", special::inverse_erfc, Some(|b, _, y| gaussian_node(b, y, -0.886_226_925_452_758, 1.0));
    NORMCDF = "normcdf", special::normal_cdf, Some(|b, x, _| b.call1(&NORMPDF, x));
    NORMPDF = "normpdf", special::normal_density, Some(|b, x, y| {
        let product = b.binary(Binary::Mul, x, y);
        b.unary(Unary::Neg, product)
    });
    NORMPPF = "normppf", special::normal_quantile, Some(|b, _, y| gaussian_node(b, y, 2.506_628_274_631_000_5, 0.5));
    LOGNORMCDF = "lognormcdf", special::normal_log_cdf, Some(|b, x, y| {
        // pdf / cdf, as exp(log pdf - log cdf): both may underflow.
        let half = b.constant(0.5);
        let square = b.unary(Unary::Square, x);
        let square = b.binary(Binary::Mul, half, square);
        let constant = b.constant(-0.918_938_533_204_672_8);
        let logarithm = b.binary(Binary::Sub, constant, square);
        let logarithm = b.binary(Binary::Sub, logarithm, y);
        b.unary(Unary::Exp, logarithm)
    });
    BESSELJ0 = "besselj0", special::bessel_j0, Some(|b, x, _| negated_function(b, &BESSELJ1, x));
    BESSELJ1 = "besselj1", special::bessel_j1, Some(|b, x, y| half_at_zero(b, &BESSELJ0, x, y));
    BESSELY0 = "bessely0", special::bessel_y0, Some(|b, x, _| negated_function(b, &BESSELY1, x));
    BESSELY1 = "bessely1", special::bessel_y1, Some(|b, x, y| {
        let y0 = b.call1(&BESSELY0, x);
        less_quotient(b, y0, x, y)
    });
    BESSELI0 = "besseli0", special::bessel_i0, Some(|b, x, _| b.call1(&BESSELI1, x));
    BESSELI1 = "besseli1", special::bessel_i1, Some(|b, x, y| half_at_zero(b, &BESSELI0, x, y));
    BESSELK0 = "besselk0", special::bessel_k0, Some(|b, x, _| negated_function(b, &BESSELK1, x));
    BESSELK1 = "besselk1", special::bessel_k1, Some(|b, x, y| {
        let k0 = negated_function(b, &BESSELK0, x);
        less_quotient(b, k0, x, y)
    });
    RE = "re", |x| x, Some(|b, _, _| b.constant(1.0));
    CONJ = "conj", |x| x, Some(|b, _, _| b.constant(1.0));
    IM = "im", |x| 0.0 * x, Some(|b, _, _| b.constant(0.0));
    ARG = "arg", |x| if x < 0.0 { std::f64::consts::PI } else { 0.0 * x }, Some(|b, _, _| b.constant(0.0));
    ZETA = "zeta", special::riemann_zeta, Some(|b, x, _| {
        let one = b.constant(1.0);
        b.call2(&ZETA_DERIVATIVE, one, x)
    });
    LAMBERTW = "lambertw", |x| special::lambert_w(x, 0), Some(|b, _, y| {
        // 1 / (e^w (1 + w)), which has no 0 / 0 at the origin.
        let one = b.constant(1.0);
        let power = b.unary(Unary::Exp, y);
        let sum = b.binary(Binary::Add, one, y);
        let product = b.binary(Binary::Mul, power, sum);
        b.unary(Unary::Reciprocal, product)
    });
    SINC = "sinc", special::sinc, Some(slope_of_sinc);
    COSPI = "cos of pi x", special::cos_pi, Some(|b, x, _| scaled_function(b, -std::f64::consts::PI, &SINPI, x));
    SINPI = "sin of pi x", special::sin_pi, Some(|b, x, _| scaled_function(b, std::f64::consts::PI, &COSPI, x));
    EXPI = "expi", special::exponential_integral_ei, Some(|b, x, _| {
        let power = b.unary(Unary::Exp, x);
        b.binary(Binary::Div, power, x)
    });
    EXP1 = "exp1", special::exponential_integral_e1, Some(|b, x, _| {
        let negative = b.unary(Unary::Neg, x);
        let power = b.unary(Unary::Exp, negative);
        let quotient = b.binary(Binary::Div, power, x);
        b.unary(Unary::Neg, quotient)
    });
}

macro_rules! pairs {
    ($($name:ident = $word:literal, $value:expr, [$($slope:expr),+];)+) => {$(
        pub(super) static $name: BinaryFunction = BinaryFunction { name: $word, value: $value, slopes: [$($slope),+] };
    )+};
}

macro_rules! triples {
    ($($name:ident = $word:literal, $value:expr, [$($slope:expr),+];)+) => {$(
        pub(super) static $name: TernaryFunction = TernaryFunction { name: $word, value: $value, slopes: [$($slope),+] };
    )+};
}

pairs! {
    BETA = "beta", special::beta_function, [
        Some(|b, [x, z], y| {
            let slope = digamma_difference(b, x, z);
            b.binary(Binary::Mul, y, slope)
        }),
        Some(|b, [x, z], y| {
            let slope = digamma_difference(b, z, x);
            b.binary(Binary::Mul, y, slope)
        })
    ];
    LBETA = "lbeta", special::lbeta, [
        Some(|b, [x, z], _| digamma_difference(b, x, z)),
        Some(|b, [x, z], _| digamma_difference(b, z, x))
    ];
    COMB = "comb", special::binomial_coefficient, [
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
        })
    ];
    GAMMAINC = "gammainc", special::regularised_gamma_p, [None, Some(|b, [a, x], _| gamma_density(b, a, x))];
    GAMMAINCC = "gammaincc", special::regularised_gamma_q, [None, Some(|b, [a, x], _| {
        let density = gamma_density(b, a, x);
        b.unary(Unary::Neg, density)
    })];
    GAMMAINCINV = "gammaincinv", special::inverse_regularised_gamma, [None, Some(|b, [a, _], y| {
        let density = gamma_density(b, a, y);
        b.unary(Unary::Reciprocal, density)
    })];
    TCDF = "tcdf", |t, nu| special::student_cdf(nu, t), [Some(|b, [t, nu], _| student_density(b, t, nu)), None];
    TINV = "tinv", |p, nu| special::student_quantile(nu, p), [Some(|b, [_, nu], y| {
        let density = student_density(b, y, nu);
        b.unary(Unary::Reciprocal, density)
    }), None];
    POISSON_QUANTILE = "poisson_quantile", special::poisson_quantile, [None, None];
    BESSELJ = "besselj", special::bessel_jv, [None, Some(|b, [n, x], _| join_neighbouring_orders(b, (&BESSELJ, 0.5, Binary::Sub), n, x))];
    BESSELY = "bessely", special::bessel_yv, [None, Some(|b, [n, x], _| join_neighbouring_orders(b, (&BESSELY, 0.5, Binary::Sub), n, x))];
    BESSELI = "besseli", special::bessel_iv, [None, Some(|b, [n, x], _| join_neighbouring_orders(b, (&BESSELI, 0.5, Binary::Add), n, x))];
    BESSELK = "besselk", special::bessel_kv, [None, Some(|b, [n, x], _| join_neighbouring_orders(b, (&BESSELK, -0.5, Binary::Add), n, x))];
    POLYGAMMA = "polygamma", special::polygamma, [None, Some(|b, [n, x], _| next_order(b, &POLYGAMMA, n, x))];
    ZETA_DERIVATIVE = "zeta", special::zeta_derivative, [None, Some(|b, [n, x], _| next_order(b, &ZETA_DERIVATIVE, n, x))];
    GCD = "gcd", special::gcd, [None, None];
    LCM = "lcm", special::lcm, [None, None];
}

triples! {
    BETAINC = "betainc", special::regularised_beta, [None, None, Some(|b, [p, q, x], _| beta_density(b, p, q, x))];
    BETAINCC = "betaincc", special::regularised_beta_complement, [None, None, Some(|b, [p, q, x], _| {
        let density = beta_density(b, p, q, x);
        b.unary(Unary::Neg, density)
    })];
    BETAINCINV = "betaincinv", special::inverse_regularised_beta, [None, None, Some(|b, [p, q, _], y| {
        let density = beta_density(b, p, q, y);
        b.unary(Unary::Reciprocal, density)
    })];
    BINOMIAL_CDF = "binomial_cdf", special::binomial_cdf, [None, None, Some(|b, operands, _| {
        let slope = slope_of_binomial(b, operands);
        b.unary(Unary::Neg, slope)
    })];
    BINOMIAL_CCDF = "binomial_ccdf", special::binomial_ccdf, [None, None, Some(|b, operands, _| slope_of_binomial(b, operands))];
    BINOMIAL_QUANTILE = "binomial_quantile", special::binomial_quantile, [None, None, None];
}

/// `cos(pi x) / x - sinc(x) / x`; near zero, where these cancel, Taylor's polynomial.
fn slope_of_sinc(b: &mut ProgramBuilder, x: ProgramNode, y: ProgramNode) -> ProgramNode {
    const NEAR: f64 = 0.5;
    const DEGREE: u32 = 14;
    let square = b.unary(Unary::Square, x);
    // The coefficient of x^(2k - 1) is (-1)^k pi^(2k) 2k / (2k + 1)!
    let (mut factor, mut coefficients) = (1.0, Vec::new());
    for k in 1..=DEGREE {
        let k = f64::from(k);
        factor *= -std::f64::consts::PI * std::f64::consts::PI / (2.0 * k * (2.0 * k + 1.0));
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

/// `digamma(x) - digamma(x + z)`.
fn digamma_difference(b: &mut ProgramBuilder, x: ProgramNode, z: ProgramNode) -> ProgramNode {
    let sum = b.binary(Binary::Add, x, z);
    let (first, second) = (b.call1(&DIGAMMA, x), b.call1(&DIGAMMA, sum));
    b.binary(Binary::Sub, first, second)
}

/// `digamma(x + 1)`.
fn digamma_above(b: &mut ProgramBuilder, x: ProgramNode) -> ProgramNode {
    let one = b.constant(1.0);
    let above = b.binary(Binary::Add, x, one);
    b.call1(&DIGAMMA, above)
}

/// The function of the next order.
fn next_order(
    b: &mut ProgramBuilder,
    function: &'static BinaryFunction,
    n: ProgramNode,
    x: ProgramNode,
) -> ProgramNode {
    let one = b.constant(1.0);
    let next = b.binary(Binary::Add, n, one);
    b.call2(function, next, x)
}

/// `factor (f(n - 1, x) joined with f(n + 1, x))`, the derivatives of the Bessel functions.
fn join_neighbouring_orders(
    b: &mut ProgramBuilder,
    (function, factor, join): (&'static BinaryFunction, f64, Binary),
    n: ProgramNode,
    x: ProgramNode,
) -> ProgramNode {
    let one = b.constant(1.0);
    let (below, above) = (b.binary(Binary::Sub, n, one), b.binary(Binary::Add, n, one));
    let (below, above) = (b.call2(function, below, x), b.call2(function, above, x));
    let (factor, joined) = (b.constant(factor), b.binary(join, below, above));
    b.binary(Binary::Mul, factor, joined)
}

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
    let norm = b.call1(&LGAMMA, a);
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
    let norm = b.call2(&LBETA, p, q);
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
    let norm = b.call2(&LBETA, halves, half);
    let root = b.unary(Unary::Log, nu);
    let root = b.binary(Binary::Mul, half, root);
    let norm = b.binary(Binary::Add, norm, root);
    let sum = b.binary(Binary::Add, product, norm);
    let negative = b.unary(Unary::Neg, sum);
    b.unary(Unary::Exp, negative)
}

/// `factor exp(scale y^2)`.
fn gaussian_node(b: &mut ProgramBuilder, y: ProgramNode, factor: f64, scale: f64) -> ProgramNode {
    let (factor, scale) = (b.constant(factor), b.constant(scale));
    let square = b.unary(Unary::Square, y);
    let exponent = b.binary(Binary::Mul, scale, square);
    let power = b.unary(Unary::Exp, exponent);
    b.binary(Binary::Mul, factor, power)
}

/// `-function(x)`.
fn negated_function(
    b: &mut ProgramBuilder,
    function: &'static UnaryFunction,
    x: ProgramNode,
) -> ProgramNode {
    let value = b.call1(function, x);
    b.unary(Unary::Neg, value)
}

/// `function(x) - y / x`, 1/2 at zero.
fn half_at_zero(
    b: &mut ProgramBuilder,
    function: &'static UnaryFunction,
    x: ProgramNode,
    y: ProgramNode,
) -> ProgramNode {
    let value = b.call1(function, x);
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
