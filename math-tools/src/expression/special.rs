//! The special functions of the language: their values are those of [`kernels::special`], their derivatives formulas in one
//! another (NIST Digital Library of Mathematical Functions, 5.4, 6.2, 7.17, 10.6 and 10.29, 4.13).

use kernels::program::{Builder, Function1, Function2, Node};
use kernels::special;
use kernels::vector::{Binary, Unary};

macro_rules! functions {
    ($($name:ident = $word:literal, $value:expr, $slope:expr;)+) => {$(
        pub(super) static $name: Function1 = Function1 { name: $word, value: $value, slope: $slope };
    )+};
}

functions! {
    GAMMA = "gamma", special::gamma, Some(|b, x, y| {
        let slope = b.call1(&DIGAMMA, x);
        b.binary(Binary::Mul, y, slope)
    });
    LGAMMA = "lgamma", special::lgamma, Some(|b, x, _| b.call1(&DIGAMMA, x));
    DIGAMMA = "digamma", special::digamma, Some(|b, x, _| b.call1(&TRIGAMMA, x));
    TRIGAMMA = "trigamma", special::trigamma, None;
    FACTORIAL = "factorial", special::factorial, None;
    ERFINV = "erfinv", special::erfinv, Some(|b, _, y| bell(b, y, 0.886_226_925_452_758, 1.0));
    ERFCINV = "erfcinv", special::erfcinv, Some(|b, _, y| bell(b, y, -0.886_226_925_452_758, 1.0));
    NORMCDF = "normcdf", special::normcdf, Some(|b, x, _| b.call1(&NORMPDF, x));
    NORMPDF = "normpdf", special::normpdf, Some(|b, x, y| {
        let product = b.binary(Binary::Mul, x, y);
        b.unary(Unary::Neg, product)
    });
    NORMPPF = "normppf", special::normppf, Some(|b, _, y| bell(b, y, 2.506_628_274_631_000_5, 0.5));
    LOGNORMCDF = "lognormcdf", special::lognormcdf, Some(|b, x, y| {
        // pdf / cdf, as exp(log pdf - log cdf): both may underflow.
        let half = b.constant(0.5);
        let square = b.unary(Unary::Square, x);
        let square = b.binary(Binary::Mul, half, square);
        let constant = b.constant(-0.918_938_533_204_672_8);
        let logarithm = b.binary(Binary::Sub, constant, square);
        let logarithm = b.binary(Binary::Sub, logarithm, y);
        b.unary(Unary::Exp, logarithm)
    });
    BESSELJ0 = "besselj0", special::besselj0, Some(|b, x, _| minus(b, &BESSELJ1, x));
    BESSELJ1 = "besselj1", special::besselj1, Some(|b, x, y| half_at_zero(b, &BESSELJ0, x, y));
    BESSELY0 = "bessely0", special::bessely0, Some(|b, x, _| minus(b, &BESSELY1, x));
    BESSELY1 = "bessely1", special::bessely1, Some(|b, x, y| {
        let y0 = b.call1(&BESSELY0, x);
        less_quotient(b, y0, x, y)
    });
    BESSELI0 = "besseli0", special::besseli0, Some(|b, x, _| b.call1(&BESSELI1, x));
    BESSELI1 = "besseli1", special::besseli1, Some(|b, x, y| half_at_zero(b, &BESSELI0, x, y));
    BESSELK0 = "besselk0", special::besselk0, Some(|b, x, _| minus(b, &BESSELK1, x));
    BESSELK1 = "besselk1", special::besselk1, Some(|b, x, y| {
        let k0 = minus(b, &BESSELK0, x);
        less_quotient(b, k0, x, y)
    });
    RE = "re", |x| x, Some(|b, _, _| b.constant(1.0));
    CONJ = "conj", |x| x, Some(|b, _, _| b.constant(1.0));
    IM = "im", |x| 0.0 * x, Some(|b, _, _| b.constant(0.0));
    ARG = "arg", |x| if x < 0.0 { std::f64::consts::PI } else { 0.0 * x }, Some(|b, _, _| b.constant(0.0));
    ZETA = "zeta", special::zeta, None;
    LAMBERTW = "lambertw", |x| special::lambertw(x, 0), Some(|b, _, y| {
        // 1 / (e^w (1 + w)), which has no 0 / 0 at the origin.
        let one = b.constant(1.0);
        let power = b.unary(Unary::Exp, y);
        let sum = b.binary(Binary::Add, one, y);
        let product = b.binary(Binary::Mul, power, sum);
        b.unary(Unary::Reciprocal, product)
    });
    SINC = "sinc", special::sinc, None;
    EXPI = "expi", special::ei, Some(|b, x, _| {
        let power = b.unary(Unary::Exp, x);
        b.binary(Binary::Div, power, x)
    });
    EXP1 = "exp1", special::e1, Some(|b, x, _| {
        let negative = b.unary(Unary::Neg, x);
        let power = b.unary(Unary::Exp, negative);
        let quotient = b.binary(Binary::Div, power, x);
        b.unary(Unary::Neg, quotient)
    });
}

macro_rules! pairs {
    ($($name:ident = $word:literal, $value:expr;)+) => {$(
        pub(super) static $name: Function2 = Function2 { name: $word, value: $value };
    )+};
}

pairs! {
    BETA = "beta", special::beta;
    LBETA = "lbeta", special::lbeta;
    COMB = "comb", special::binomial;
    GAMMAINC = "gammainc", special::gammainc;
    GAMMAINCC = "gammaincc", special::gammaincc;
    BESSELJ = "besselj", |n, x| with_order(n, |n| special::besselj(n, x));
    BESSELY = "bessely", |n, x| with_order(n, |n| special::bessely(n, x));
    GCD = "gcd", special::gcd;
    LCM = "lcm", special::lcm;
}

/// The value for a whole order; NaN for others.
fn with_order(order: f64, value: impl Fn(i32) -> f64) -> f64 {
    let whole = order as i32;
    if f64::from(whole) == order {
        value(whole)
    } else {
        f64::NAN
    }
}

/// `factor exp(scale y^2)`.
fn bell(b: &mut Builder, y: Node, factor: f64, scale: f64) -> Node {
    let (factor, scale) = (b.constant(factor), b.constant(scale));
    let square = b.unary(Unary::Square, y);
    let exponent = b.binary(Binary::Mul, scale, square);
    let power = b.unary(Unary::Exp, exponent);
    b.binary(Binary::Mul, factor, power)
}

/// `-function(x)`.
fn minus(b: &mut Builder, function: &'static Function1, x: Node) -> Node {
    let value = b.call1(function, x);
    b.unary(Unary::Neg, value)
}

/// `function(x) - y / x`, 1/2 at zero.
fn half_at_zero(b: &mut Builder, function: &'static Function1, x: Node, y: Node) -> Node {
    let value = b.call1(function, x);
    let slope = less_quotient(b, value, x, y);
    let half = b.constant(0.5);
    b.select(x, slope, half)
}

/// `a - y / x`.
fn less_quotient(b: &mut Builder, a: Node, x: Node, y: Node) -> Node {
    let quotient = b.binary(Binary::Div, y, x);
    b.binary(Binary::Sub, a, quotient)
}
