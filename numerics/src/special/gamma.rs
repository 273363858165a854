//! Gamma and related functions: gamma, its logarithm and derivative, beta, factorials and binomial coefficients.

use std::sync::LazyLock;

use super::dd::{DoubleDouble, EULER, HALF_LN_TAU, LN_PI, PI, sin_cos_pi};

const STIRLING: [DoubleDouble; 15] = [
    DoubleDouble::new(0.08333333333333333, 4.625929269271485e-18),
    DoubleDouble::new(-0.002777777777777778, 1.0601087908747154e-19),
    DoubleDouble::new(0.0007936507936507937, 6.883823317368282e-22),
    DoubleDouble::new(-0.0005952380952380953, 5.36938218754726e-20),
    DoubleDouble::new(0.0008417508417508417, 3.6870174889237694e-20),
    DoubleDouble::new(-0.0019175269175269176, 1.0675702776872475e-19),
    DoubleDouble::new(0.00641025641025641, 2.2240044563805217e-19),
    DoubleDouble::new(-0.029550653594771242, 4.861760957508855e-19),
    DoubleDouble::new(0.17964437236883057, -6.401600482710946e-19),
    DoubleDouble::new(-1.3924322169059011, 1.5837056989230303e-17),
    DoubleDouble::new(13.402864044168393, -6.154114101993966e-16),
    DoubleDouble::new(-156.84828462600203, 9.391823141715389e-15),
    DoubleDouble::new(2193.1033333333335, -1.3339255626002948e-13),
    DoubleDouble::new(-36108.77125372499, 5.897583353514365e-13),
    DoubleDouble::new(691472.268851313, 2.5585296305158e-11),
];
const DIGAMMA: [DoubleDouble; 15] = [
    DoubleDouble::new(0.08333333333333333, 4.625929269271485e-18),
    DoubleDouble::new(-0.008333333333333333, -1.1564823173178714e-19),
    DoubleDouble::new(0.003968253968253968, 2.20282346155785e-19),
    DoubleDouble::new(-0.004166666666666667, -5.782411586589357e-20),
    DoubleDouble::new(0.007575757575757576, -2.1026951223961299e-19),
    DoubleDouble::new(-0.021092796092796094, 1.3911677399530732e-18),
    DoubleDouble::new(0.08333333333333333, 4.625929269271485e-18),
    DoubleDouble::new(-0.4432598039215686, -2.0462934179365632e-17),
    DoubleDouble::new(3.0539543302701198, -1.0882720820608607e-17),
    DoubleDouble::new(-26.456212121212122, 7.449932926454383e-16),
    DoubleDouble::new(281.46014492753625, -1.647635329298783e-14),
    DoubleDouble::new(-3607.5105463980462, -1.5347029033579816e-13),
    DoubleDouble::new(54827.583333333336, -2.4253192047278085e-12),
    DoubleDouble::new(-974936.8238505747, -4.2284185858978625e-11),
    DoubleDouble::new(20052695.79668808, -8.878409127275055e-10),
];
/// The factorials of 0 to 170, each the nearest double.
static FACTORIALS: LazyLock<[f64; 171]> = LazyLock::new(|| {
    let mut product = DoubleDouble::from(1.0);
    std::array::from_fn(|n| {
        product = product * DoubleDouble::from(n.max(1) as f64);
        product.round()
    })
});

/// From here on the asymptotic series with its 15 terms is exact to 1e-29.
const ASYMPTOTIC_MIN: f64 = 20.0;
/// Below, only the leading terms at zero count.
const TINY: f64 = 1e-20;

/// The gamma function. Largest error measured: 0.501 units in the last place, over the whole range.
///
/// Whole numbers come from a table; others from Stirling's series in double-double arithmetic after a shift beyond 20 (NIST
/// DLMF 5.11.3), negative ones by reflection (5.5.3). NaN at the poles 0, -1, -2, ..., where the two sides differ, and at
/// minus infinity; infinite from 171.6243769563027; subnormal or zero below about -171.
pub fn gamma(x: f64) -> f64 {
    if x.is_nan() || is_pole(x) || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x > 171.7 {
        return f64::INFINITY;
    }
    if x.fract() == 0.0 {
        return FACTORIALS[x as usize - 1];
    }
    if x.abs() < TINY {
        return x.recip(); // 1/x - 0.577...
    }
    if x < -190.0 {
        return if is_odd(x.floor()) { -0.0 } else { 0.0 };
    }
    let (ln, sign) = ln_abs_gamma(DoubleDouble::from(x));
    sign * ln.exp_round()
}

/// The logarithm of the magnitude of the gamma function. Largest error measured: 0.51 units in the last place for positive
/// and negative arguments; relative 1e-14 at the doubles nearest to its zeros between the poles.
///
/// Method as for [`gamma`]; near the zeros 1 and 2 Taylor's series. Infinite at the poles and at both infinities.
pub fn lgamma(x: f64) -> f64 {
    lgamma_sign(x).0
}

/// [`lgamma`] and the sign of the gamma function: 1, -1, or NaN at its poles.
pub(crate) fn lgamma_sign(x: f64) -> (f64, f64) {
    if x.is_nan() {
        return (x, x);
    }
    if is_pole(x) || x == f64::NEG_INFINITY {
        return (f64::INFINITY, f64::NAN);
    }
    if x > 2.6e305 {
        return (f64::INFINITY, 1.0);
    }
    if x == 1.0 || x == 2.0 {
        return (0.0, 1.0);
    }
    let (ln, sign) = ln_abs_gamma(DoubleDouble::from(x));
    (ln.round(), sign)
}

/// The derivative of the logarithm of the gamma function. Largest error measured: 0.51 units in the last place, relative 1e-15 at
/// the doubles nearest to its zeros.
///
/// The asymptotic series after a shift beyond 20 (NIST DLMF 5.11.2), reflection for negative arguments (5.5.4), in double-double
/// arithmetic. NaN at the poles 0, -1, -2, ...
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || is_pole(x) || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x > 1e300 {
        return libm::log(x);
    }
    if x.abs() < TINY {
        return -x.recip();
    }
    if x > 0.0 {
        return digamma_positive(DoubleDouble::from(x)).round();
    }
    let (sine, cosine) = sin_cos_pi(x);
    (digamma_positive(DoubleDouble::sum(1.0, -x)) - PI * cosine / sine).round()
}

/// The derivative of [`digamma`]. Largest error measured: 3 units in the last place.
///
/// The asymptotic series (NIST DLMF 5.15.8) after a shift beyond 15, reflection for negative arguments (5.15.6). NaN at the poles 0, -1,
/// -2, ...
pub fn trigamma(x: f64) -> f64 {
    /// The Bernoulli numbers B2, B4, ..., B16.
    const BERNOULLI: [f64; 8] = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2730.0,
        7.0 / 6.0,
        -3617.0 / 510.0,
    ];
    const SHIFT: f64 = 15.0;
    if x.is_nan() || is_pole(x) || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x.abs() < 1e-8 {
        return (x * x).recip() + 1.644_934_066_848_226_4; // pi^2 / 6
    }
    if x < 0.0 {
        let sine = sin_cos_pi(x).0.round();
        let over = std::f64::consts::PI / sine;
        return over * over - trigamma(1.0 - x);
    }
    let (mut at, mut terms) = (x, Vec::new());
    while at < SHIFT {
        terms.push((at * at).recip());
        at += 1.0;
    }
    let square = (at * at).recip();
    let series = BERNOULLI
        .iter()
        .rev()
        .fold(0.0, |sum, b| (sum + b) * square);
    let tail = at.recip() * (1.0 + series) + 0.5 * square;
    terms.iter().rev().fold(tail, |sum, term| sum + term) // the small ones first
}

/// The beta function `gamma(a) gamma(b) / gamma(a + b)`. Largest error measured: 0.6 units in the last place.
///
/// The exponential of the logarithms' difference in double-double arithmetic, in which Stirling's leading terms are combined
/// before they cancel (A. R. DiDonato and A. H. Morris, ACM TOMS 18, 1992). NaN where `a` or `b` is 0, -1, -2, ...
pub fn beta_function(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || is_pole(a) || is_pole(b) {
        return f64::NAN;
    }
    if a.min(b) > 0.0 {
        if a.max(b) == f64::INFINITY {
            return 0.0;
        }
        return ln_beta(a, b).exp_round();
    }
    match ln_abs_beta(a, b) {
        Some((ln, sign)) => sign * ln.exp_round(),
        None => 0.0,
    }
}

/// The logarithm of the magnitude of the beta function. Largest error measured: 0.6 units in the last place, more only where
/// the value itself is below 1e-13.
///
/// Method as for [`beta_function`]; NaN where `a` or `b` is 0, -1, -2, ...
pub fn lbeta(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || is_pole(a) || is_pole(b) {
        return f64::NAN;
    }
    if a.min(b) > 0.0 {
        if a.max(b) == f64::INFINITY {
            return f64::NEG_INFINITY;
        }
        return ln_beta(a, b).round();
    }
    ln_abs_beta(a, b).map_or(f64::NEG_INFINITY, |(ln, _)| ln.round())
}

/// The factorial `gamma(n + 1)`: of a whole number the nearest double, infinite beyond 170, NaN at -1, -2, ...
pub fn factorial(n: f64) -> f64 {
    if !(n >= 0.0 && n.fract() == 0.0) {
        if n == f64::INFINITY {
            n
        } else {
            gamma_of_sum(n)
        }
    } else if n > 170.0 {
        f64::INFINITY
    } else {
        FACTORIALS[n as usize]
    }
}

/// `gamma(n + 1)` of a number that is not whole, with the sum in twice the precision.
fn gamma_of_sum(n: f64) -> f64 {
    let sum = DoubleDouble::sum(n, 1.0);
    if sum.lo == 0.0 || !(-170.0..=171.0).contains(&n) {
        return gamma(n + 1.0);
    }
    let (ln, sign) = ln_abs_gamma(sum);
    sign * ln.exp_round()
}

/// The binomial coefficient `gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1))`: for whole `0 <= k` and `n` the number of ways to choose `k`
/// of `n` things, the nearest double, exact below 2^53; 0 when `k > n` or `k` is a negative whole number; NaN where `n` is -1, -2, ... and
/// `k` is not whole.
pub fn binomial_coefficient(n: f64, k: f64) -> f64 {
    /// Products beyond take logarithms.
    const PRODUCT_MAX: f64 = 1100.0;
    let is_whole = |x: f64| x.fract() == 0.0;
    if !n.is_finite() || !k.is_finite() {
        return f64::NAN;
    }
    if is_whole(k) && k < 0.0 {
        return 0.0;
    }
    if is_whole(n) && n >= 0.0 && is_whole(k) && k > n {
        return 0.0;
    }
    let k = if is_whole(n) && n >= 0.0 && is_whole(k) {
        k.min(n - k)
    } else {
        k
    };
    if !is_whole(k) || k > PRODUCT_MAX {
        return binomial_by_beta(n, k);
    }
    let rest = DoubleDouble::sum(n, -k);
    let mut value = DoubleDouble::from(1.0);
    let mut i = 1.0;
    while i <= k {
        value = value * (rest + DoubleDouble::from(i)) / DoubleDouble::from(i);
        if value.hi.abs() > 1e290 {
            return binomial_by_beta(n, k);
        }
        i += 1.0;
    }
    value.round()
}

/// `1 / ((n + 1) B(k + 1, n - k + 1))`.
fn binomial_by_beta(n: f64, k: f64) -> f64 {
    if n > -1.0 && k > -1.0 && n - k > -1.0 {
        let ln = -(ln_beta(k + 1.0, n - k + 1.0) + DoubleDouble::sum(n, 1.0).ln());
        return ln.exp_round();
    }
    let is_pole = |x: DoubleDouble| is_pole(x.hi) && x.lo == 0.0;
    let (top, low, rest) = (
        DoubleDouble::sum(n, 1.0),
        DoubleDouble::sum(k, 1.0),
        DoubleDouble::sum(n, -k) + DoubleDouble::from(1.0),
    );
    if is_pole(top) {
        return f64::NAN;
    }
    if is_pole(low) || is_pole(rest) {
        return 0.0;
    }
    let ((top, a), (low, b), (rest, c)) =
        (ln_abs_gamma(top), ln_abs_gamma(low), ln_abs_gamma(rest));
    a * b * c * (top - low - rest).exp_round()
}

/// The derivative of order `n` of [`digamma`]. Largest relative error measured: 2e-14 for orders to 10.
///
/// The asymptotic series (NIST DLMF 5.15.9) after a shift beyond 20 and the order (5.15.5); NaN at the poles 0, -1, -2, ..., for arguments
/// below -1e5, and for orders that are no whole numbers from 0 to 100.
pub fn polygamma(n: f64, x: f64) -> f64 {
    const ORDER_MAX: f64 = 100.0;
    const LEAST: f64 = -1e5;
    /// B2, B4, ..., B20
    const BERNOULLI: [f64; 10] = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2730.0,
        7.0 / 6.0,
        -3617.0 / 510.0,
        43867.0 / 798.0,
        -174_611.0 / 330.0,
    ];
    if n == 0.0 {
        return digamma(x);
    }
    if n == 1.0 {
        return trigamma(x);
    }
    if !(n > 0.0 && n <= ORDER_MAX && n.fract() == 0.0) || x.is_nan() || is_pole(x) || x < LEAST {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    // The sum of x^-(n + 1) over the shift, in twice the precision: it changes sign for odd powers of negative arguments.
    let power = |base: f64, exponent: f64| libm::pow(base, exponent);
    let (mut at, mut sum) = (x, DoubleDouble::from(0.0));
    while at < 20.0 + n {
        sum = sum + DoubleDouble::from(power(at, -(n + 1.0)));
        at += 1.0;
    }
    // (n - 1)!/x^n + n!/(2 x^(n + 1)) + sum of B(2k) (2k + n - 1)! / ((2k)! x^(2k + n)), over n!
    let leading = power(at, -n);
    let mut tail = leading / n + 0.5 * leading / at;
    let mut factor = leading / n; // (2k + n - 1)! / (n! (2k)!) x^-(2k + n)
    for (index, bernoulli) in BERNOULLI.iter().enumerate() {
        let k = 2.0 * (index + 1) as f64;
        factor *= (k + n - 2.0) * (k + n - 1.0) / ((k - 1.0) * k) / (at * at);
        tail += bernoulli * factor;
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    let total = (sum + DoubleDouble::from(tail)).round();
    sign * gamma(n + 1.0) * total
}

fn is_pole(x: f64) -> bool {
    x <= 0.0 && x.fract() == 0.0 && x.is_finite()
}

fn is_odd(whole: f64) -> bool {
    whole % 2.0 != 0.0
}

/// The logarithm of the magnitude of gamma, and its sign; not at a pole.
fn ln_abs_gamma(x: DoubleDouble) -> (DoubleDouble, f64) {
    if x.hi > 0.0 {
        return (ln_gamma(x), 1.0);
    }
    // gamma(x) = -pi / (x sin(pi x) gamma(-x))
    let sign = if is_odd(x.hi.floor()) { -1.0 } else { 1.0 };
    if x.hi > -TINY {
        return (-x.abs().ln(), sign);
    }
    let (sine, cosine) = sin_cos_pi(x.hi);
    let sine = sine + cosine * PI * DoubleDouble::from(x.lo);
    (LN_PI - (sine * x).abs().ln() - ln_gamma(-x), sign)
}

/// The logarithm of gamma of a positive number.
pub(super) fn ln_gamma(x: DoubleDouble) -> DoubleDouble {
    /// Within this distance of the zeros the series with three terms is exact to 1e-24.
    const NEAR: f64 = 1e-8;
    if x.hi < TINY {
        return -x.ln();
    }
    if x.hi >= ASYMPTOTIC_MIN {
        return (x - DoubleDouble::from(0.5)) * x.ln() - x + HALF_LN_TAU + stirling_rest(x);
    }
    let (one, two) = (DoubleDouble::from(1.0), DoubleDouble::from(2.0));
    if (x.hi - 1.0).abs() < NEAR {
        let t = x - one;
        let zeta_2 = PI * PI / DoubleDouble::from(6.0);
        return t
            * (t * (zeta_2.scale(-1) - t * DoubleDouble::from(0.400_685_634_386_531_4)) - EULER);
    }
    if (x.hi - 2.0).abs() < NEAR {
        let t = x - two;
        let zeta_2 = PI * PI / DoubleDouble::from(6.0);
        return t
            * (t * ((zeta_2 - one).scale(-1) - t * DoubleDouble::from(0.067_352_301_053_198_1))
                + one
                - EULER);
    }
    let (shifted, product) = shift_argument(x);
    (shifted - DoubleDouble::from(0.5)) * shifted.ln() - shifted
        + HALF_LN_TAU
        + stirling_rest(shifted)
        - product.ln()
}

/// `x + n >= 20` and `x (x + 1) ... (x + n - 1)`.
fn shift_argument(x: DoubleDouble) -> (DoubleDouble, DoubleDouble) {
    let mut product = DoubleDouble::from(1.0);
    let mut shifted = x;
    while shifted.hi < ASYMPTOTIC_MIN {
        product = product * shifted;
        shifted = shifted + DoubleDouble::from(1.0);
    }
    (shifted, product)
}

/// The remainder of Stirling's leading terms of the logarithm of gamma, from 20 on.
fn stirling_rest(x: DoubleDouble) -> DoubleDouble {
    if x.hi > 1e30 {
        return DoubleDouble::from(0.0);
    }
    let inverse = DoubleDouble::from(1.0) / x;
    inverse * (inverse * inverse).polynomial(&STIRLING, 5)
}

fn digamma_positive(x: DoubleDouble) -> DoubleDouble {
    let mut shifted = x;
    let mut rest = DoubleDouble::from(0.0);
    while shifted.hi < ASYMPTOTIC_MIN {
        rest = rest + DoubleDouble::from(1.0) / shifted;
        shifted = shifted + DoubleDouble::from(1.0);
    }
    let inverse = DoubleDouble::from(1.0) / shifted;
    let square = inverse * inverse;
    shifted.ln() - inverse.scale(-1) - square * square.polynomial(&DIGAMMA, 6) - rest
}

/// The logarithm of the beta function of positive finite numbers.
pub(super) fn ln_beta(a: f64, b: f64) -> DoubleDouble {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if large < ASYMPTOTIC_MIN {
        let sum = DoubleDouble::sum(small, large);
        // Shifting first keeps a tiny argument's digits: gamma(small) is nearly its reciprocal.
        return ln_gamma(DoubleDouble::from(small)) + ln_gamma(DoubleDouble::from(large))
            - ln_gamma(sum);
    }
    if large > 1e290 {
        // Powers of two out of the way of overflow: small is negligible beside large or of its size.
        return ln_beta_huge(small, large);
    }
    let (s, l) = (DoubleDouble::from(small), DoubleDouble::from(large));
    let sum = DoubleDouble::sum(small, large);
    let rest = stirling_rest(l) - stirling_rest(sum);
    let ratio = (s / l).ln_1p();
    if small < ASYMPTOTIC_MIN {
        // gamma(large) / gamma(sum)
        let quotient = s - (l - DoubleDouble::from(0.5)) * ratio - s * sum.ln() + rest;
        return ln_gamma(s) + quotient;
    }
    // Stirling's leading terms: (s - 1/2) ln(s / sum) - (l - 1/2) ln(sum / l) - ln(sum) / 2 + ln(2 pi) / 2
    let share = (s / sum).ln();
    HALF_LN_TAU + (s - DoubleDouble::from(0.5)) * share
        - (l - DoubleDouble::from(0.5)) * ratio
        - sum.ln().scale(-1)
        + rest
        + stirling_rest(s)
}

fn ln_beta_huge(small: f64, large: f64) -> DoubleDouble {
    let (s, l) = (DoubleDouble::from(small), DoubleDouble::from(large));
    if small < 1e200 {
        let quotient = -(s * l.ln());
        return if small < ASYMPTOTIC_MIN {
            ln_gamma(s) + quotient
        } else {
            (s - DoubleDouble::from(0.5)) * s.ln() - s + HALF_LN_TAU + stirling_rest(s) + quotient
        };
    }
    let ratio = DoubleDouble::from(small / large);
    let share = (ratio / (ratio + DoubleDouble::from(1.0))).ln();
    s * share - l * ratio.ln_1p()
}

/// Logarithm and sign of the beta function where an argument is negative; `None` where it is zero.
fn ln_abs_beta(a: f64, b: f64) -> Option<(DoubleDouble, f64)> {
    let sum = DoubleDouble::sum(a, b);
    if is_pole(sum.hi) && sum.lo == 0.0 {
        return None;
    }
    let ((a, a_sign), (b, b_sign)) = (
        ln_abs_gamma(DoubleDouble::from(a)),
        ln_abs_gamma(DoubleDouble::from(b)),
    );
    let (sum, sum_sign) = ln_abs_gamma(sum);
    Some((a + b - sum, a_sign * b_sign * sum_sign))
}
