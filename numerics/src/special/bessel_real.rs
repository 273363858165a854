//! Bessel functions of real order: the methods of N. M. Temme, "On the numerical evaluation of the ordinary Bessel function of the second
//! kind", J. Comput. Phys. 21, 1976, and "On the numerical evaluation of the modified Bessel function of the third kind", ibid. 19, 1975,
//! with Steed's continued fraction (A. R. Barnett, D. H. Feng, J. W. Steed and L. J. B. Goldfarb, Comput. Phys. Commun. 8, 1974), in
//! double-double arithmetic. Whole orders take the functions of `bessel`.

use super::bessel::{self, HANKEL_MIN, ORDER_MAX, hankel_sums, j_series, modified_sum};
use super::dd::{DoubleDouble, EULER, PI, sin_cos, sin_cos_pi};
use super::gamma::ln_gamma;

/// Where a continued fraction has converged.
const SMALL: f64 = 1e-31;
/// Beyond this argument the continued fractions take too long, unless the order is below its root.
const ARGUMENT_MAX: f64 = 200_000.0;
/// Values are scaled when they pass this, by so many powers of two.
const LARGE: f64 = 1e200;
const STEP: i32 = 500;

/// Bessel function of the first kind of real order. Largest error measured: 0.5 units in the last place, at 1500 random orders from -30
/// to 300 and arguments from 0.001 to 1000; the tests allow 1 unit.
///
/// NaN for a negative argument where the order is not whole, for orders beyond `ORDER_MAX`, and for arguments beyond 200,000 unless
/// the order is below their root.
pub fn bessel_jv(order: f64, x: f64) -> f64 {
    if let Some(n) = integer_order(order) {
        return bessel::bessel_jn(n, x);
    }
    if order.is_nan() || x.is_nan() || x < 0.0 || order.abs() > f64::from(ORDER_MAX) {
        return f64::NAN;
    }
    if x == 0.0 {
        return at_zero(order);
    }
    if x.is_infinite() {
        return 0.0;
    }
    if order > 0.0 {
        return match series_converges(order, x) {
            true => j_series(order, x),
            false => positive_order_pair(order, x).map_or(f64::NAN, |pair| pair.j()),
        };
    }
    let Some(pair) = positive_order_pair(-order, x) else {
        return f64::NAN;
    };
    // J(-v) = cos(v pi) J(v) - sin(v pi) Y(v)
    let (sine, cosine) = sin_cos_pi(-order);
    pair.combined(cosine, -sine)
}

/// Bessel function of the second kind of real order; accuracy and limits of [`bessel_jv`].
pub fn bessel_yv(order: f64, x: f64) -> f64 {
    if let Some(n) = integer_order(order) {
        return bessel::bessel_yn(n, x);
    }
    if order.is_nan() || x.is_nan() || x < 0.0 || order.abs() > f64::from(ORDER_MAX) {
        return f64::NAN;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let (sine, cosine) = sin_cos_pi(order.abs());
    if x == 0.0 {
        // Y(-v) = sin(v pi) J(v) + cos(v pi) Y(v)
        return match (order > 0.0, cosine.hi) {
            (false, 0.0) => 0.0,
            (false, cosine) => f64::NEG_INFINITY * cosine,
            _ => f64::NEG_INFINITY,
        };
    }
    let Some(pair) = positive_order_pair(order.abs(), x) else {
        return f64::NAN;
    };
    match order > 0.0 {
        true => pair.y(),
        false => pair.combined(sine, cosine),
    }
}

/// Modified Bessel function of the first kind of real order; accuracy of [`bessel_jv`].
///
/// The power series, whose terms are positive (NIST DLMF 10.25.2). NaN for a negative argument where the order is not whole, and for orders
/// beyond `ORDER_MAX`.
pub fn bessel_iv(order: f64, x: f64) -> f64 {
    if order.is_nan() || x.is_nan() || order.abs() > f64::from(ORDER_MAX) {
        return f64::NAN;
    }
    let is_whole = order.fract() == 0.0;
    if is_whole {
        let sign = if x < 0.0 && order % 2.0 != 0.0 {
            -1.0
        } else {
            1.0
        };
        return sign * i_positive(order.abs(), x.abs());
    }
    if x < 0.0 {
        return f64::NAN;
    }
    if order > 0.0 {
        return i_positive(order, x);
    }
    if x == 0.0 {
        return at_zero(order);
    }
    if x.is_infinite() {
        return x;
    }
    // I(-v) = I(v) + 2/pi sin(v pi) K(v)
    let (sine, _) = sin_cos_pi(-order);
    let i = i_parts(-order, x);
    if i.0.hi.is_infinite() {
        return f64::INFINITY;
    }
    let Some((k, k_exponent)) = k_positive(-order, x) else {
        return f64::NAN;
    };
    let k = k * sine * (DoubleDouble::from(2.0) / PI);
    sum_scaled(i, (k, k_exponent))
}

/// Modified Bessel function of the second kind of real order, an even function of it; accuracy of [`bessel_jv`].
///
/// Infinite at 0, NaN for negative arguments, where it is complex, and for orders beyond `ORDER_MAX`.
pub fn bessel_kv(order: f64, x: f64) -> f64 {
    let order = order.abs();
    if order.is_nan() || x.is_nan() || x < 0.0 || order > f64::from(ORDER_MAX) {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::INFINITY;
    }
    if x.is_infinite() {
        return 0.0;
    }
    k_positive(order, x).map_or(f64::NAN, |(value, exponent)| scale_value(value, exponent))
}

/// The order as an integer.
fn integer_order(order: f64) -> Option<i32> {
    let whole = order as i32;
    (f64::from(whole) == order).then_some(whole)
}

/// `J` and `I` at zero of an order that is not whole: of a negative one the sign of `1 / gamma(1 + order)`, infinite.
fn at_zero(order: f64) -> f64 {
    if order > 0.0 {
        return 0.0;
    }
    let is_odd = order.ceil() % 2.0 != 0.0;
    if is_odd {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    }
}

/// Terms of the series then cancel by at most a factor of `exp(10)`.
fn series_converges(order: f64, x: f64) -> bool {
    0.25 * x * x <= 10.0 * (order + 1.0)
}

/// `J` and `Y` with powers of two.
struct ScaledBessel {
    j: (DoubleDouble, i32),
    y: (DoubleDouble, i32),
}

impl ScaledBessel {
    fn j(&self) -> f64 {
        scale_value(self.j.0, self.j.1)
    }

    fn y(&self) -> f64 {
        scale_value(self.y.0, self.y.1)
    }

    /// `a J + b Y`.
    fn combined(&self, a: DoubleDouble, b: DoubleDouble) -> f64 {
        sum_scaled((self.j.0 * a, self.j.1), (self.y.0 * b, self.y.1))
    }
}

/// Times a power of two of any size.
fn scale_value(value: DoubleDouble, exponent: i32) -> f64 {
    libm::scalbn(value.round(), exponent.clamp(-5000, 5000))
}

fn sum_scaled(a: (DoubleDouble, i32), b: (DoubleDouble, i32)) -> f64 {
    if b.0.hi == 0.0 {
        return scale_value(a.0, a.1);
    }
    if a.0.hi == 0.0 {
        return scale_value(b.0, b.1);
    }
    let exponent = a.1.max(b.1);
    let shift = |(value, own): (DoubleDouble, i32)| value.scale((own - exponent).max(-2000));
    scale_value(shift(a) + shift(b), exponent)
}

/// `1 / gamma(1 + mu)` and `1 / gamma(1 - mu)`, their mean, and their difference over `-2 mu`.
fn reciprocal_gammas(mu: f64) -> [DoubleDouble; 4] {
    const NEAR: f64 = 1e-12;
    let plus = (-ln_gamma(DoubleDouble::sum(1.0, mu))).exp();
    let minus = (-ln_gamma(DoubleDouble::sum(1.0, -mu))).exp();
    let difference = if mu.abs() < NEAR {
        -EULER
    } else {
        (minus - plus) / DoubleDouble::from(2.0 * mu)
    };
    [plus, minus, (plus + minus).scale(-1), difference]
}

/// `sinh(x) / x` without cancellation.
fn sinh_over(x: DoubleDouble) -> DoubleDouble {
    if x.hi.abs() > 0.3 {
        return (x.exp() - (-x).exp()).scale(-1) / x;
    }
    let square = x * x;
    let (mut sum, mut term) = (DoubleDouble::from(1.0), DoubleDouble::from(1.0));
    let mut k = 1.0;
    while term.hi.abs() > 1e-34 {
        term = term * square / DoubleDouble::from(2.0 * k * (2.0 * k + 1.0));
        sum = sum + term;
        k += 1.0;
    }
    sum
}

/// `pi mu / sin(pi mu)`.
fn over_sine(mu: f64) -> DoubleDouble {
    let (sine, _) = sin_cos_pi(mu);
    if sine.hi == 0.0 {
        DoubleDouble::from(1.0)
    } else {
        PI * DoubleDouble::from(mu) / sine
    }
}

/// `J` and `Y` of a positive order at a positive argument.
fn positive_order_pair(order: f64, x: f64) -> Option<ScaledBessel> {
    if x >= HANKEL_MIN && order * order <= x {
        return Some(hankel_expansion(order, x));
    }
    if x > ARGUMENT_MAX {
        return None;
    }
    // J'/J of the order, by the continued fraction.
    let steps = match x < 2.0 {
        true => (order + 0.5) as u32,
        false => (order - x + 1.5).max(0.0) as u32,
    };
    let mu = order - f64::from(steps);
    let inverse = DoubleDouble::from(1.0) / DoubleDouble::from(x);
    let double = inverse.scale(1);
    let mut b = double * DoubleDouble::from(order);
    let mut h = avoid_zero(inverse * DoubleDouble::from(order));
    let (mut c, mut d, mut sign, mut iterations) = (h, DoubleDouble::from(0.0), 1.0, 0.0);
    loop {
        b = b + double;
        d = DoubleDouble::from(1.0) / avoid_zero(b - d);
        c = avoid_zero(b - DoubleDouble::from(1.0) / c);
        let change = c * d;
        h = h * change;
        if d.hi < 0.0 {
            sign = -sign;
        }
        if (change - DoubleDouble::from(1.0)).hi.abs() < SMALL {
            break;
        }
        iterations += 1.0;
        if iterations > 2.0 * ARGUMENT_MAX || change.hi.is_nan() {
            return None;
        }
    }
    // Down to the order mu, with scaling: J of the order is `first` times 2^exponent there.
    let (first, mut exponent) = (DoubleDouble::from(sign), 0);
    let (mut value, mut slope) = (first, h * first);
    let mut factor = inverse * DoubleDouble::from(order);
    for _ in 0..steps {
        let below = factor * value + slope;
        factor = factor - inverse;
        slope = factor * below - value;
        value = below;
        if value.hi.abs() > LARGE {
            (value, slope) = (value.scale(-STEP), slope.scale(-STEP));
            exponent -= STEP;
        }
    }
    let value = avoid_zero(value);
    let ratio = slope / value;
    let (j, y, next) = match x < 2.0 {
        true => temme_series(mu, x, ratio),
        false => steed_fraction(mu, x, ratio, value.hi < 0.0),
    };
    let share = first * (j / value);
    // Up again with Y.
    let (mut before, mut y, mut y_exponent) = (y, next, 0);
    if steps == 0 {
        y = before;
    }
    for k in 1..steps {
        let above = DoubleDouble::sum(mu, f64::from(k)) * double * y - before;
        (before, y) = (y, above);
        if y.hi.abs() > LARGE {
            (before, y) = (before.scale(-STEP), y.scale(-STEP));
            y_exponent += STEP;
        }
    }
    Some(ScaledBessel {
        j: (share, exponent),
        y: (y, y_exponent),
    })
}

/// `J` and `Y` of the order mu and `Y` of the next, by Temme's series, for x < 2.
fn temme_series(
    mu: f64,
    x: f64,
    ratio: DoubleDouble,
) -> (DoubleDouble, DoubleDouble, DoubleDouble) {
    let [plus, minus, mean, difference] = reciprocal_gammas(mu);
    let half = DoubleDouble::from(0.5 * x);
    let inverse = DoubleDouble::from(1.0) / DoubleDouble::from(x);
    let logarithm = -half.ln();
    let e = DoubleDouble::from(mu) * logarithm;
    let (up, down) = (e.exp(), (-e).exp());
    let cosh = (up + down).scale(-1);
    let mut f = (DoubleDouble::from(2.0) / PI)
        * over_sine(mu)
        * (difference * cosh + mean * sinh_over(e) * logarithm);
    let mut p = up / (plus * PI);
    let mut q = down / (minus * PI);
    // The gammas are reciprocal already: p and q are divided by 1 / gamma, so that they are multiplied by gamma.
    let (sine, _) = sin_cos_pi(0.5 * mu);
    let r = if mu == 0.0 {
        DoubleDouble::from(0.0)
    } else {
        // pi (pi mu / 2) (sin(pi mu / 2) / (pi mu / 2))^2
        sine * sine.scale(1) / DoubleDouble::from(mu)
    };
    let square = half * half;
    let (mut c, mut sum, mut next) = (DoubleDouble::from(1.0), f + r * q, p);
    let mut i = 1.0;
    loop {
        f = (DoubleDouble::from(i) * f + p + q)
            / (DoubleDouble::product(i, i) - DoubleDouble::product(mu, mu));
        c = -(c * square) / DoubleDouble::from(i);
        p = p / DoubleDouble::sum(i, -mu);
        q = q / DoubleDouble::sum(i, mu);
        let change = c * (f + r * q);
        sum = sum + change;
        next = next + (c * p - DoubleDouble::from(i) * change);
        if change.hi.abs() < (1.0 + sum.hi.abs()) * SMALL {
            break;
        }
        i += 1.0;
    }
    let y = -sum;
    let above = -(next * inverse.scale(1));
    let slope = DoubleDouble::from(mu) * inverse * y - above;
    let wronskian = inverse.scale(1) / PI;
    let j = wronskian / (slope - ratio * y);
    (j, y, above)
}

/// The same for x >= 2, by Steed's continued fraction.
fn steed_fraction(
    mu: f64,
    x: f64,
    ratio: DoubleDouble,
    is_negative: bool,
) -> (DoubleDouble, DoubleDouble, DoubleDouble) {
    let one = DoubleDouble::from(1.0);
    let inverse = one / DoubleDouble::from(x);
    let mut a = DoubleDouble::from(0.25) - DoubleDouble::product(mu, mu);
    let (mut p, mut q) = (-inverse.scale(-1), one);
    let (br, mut bi) = (DoubleDouble::from(2.0 * x), DoubleDouble::from(2.0));
    let mut factor = a * inverse / (p * p + q * q);
    let (mut cr, mut ci) = (br + q * factor, bi + p * factor);
    let size = br * br + bi * bi;
    let (mut dr, mut di) = (br / size, -(bi / size));
    let mut along = cr * dr - ci * di;
    let mut across = cr * di + ci * dr;
    (p, q) = (p * along - q * across, p * across + q * along);
    let mut i = 2.0;
    loop {
        a = a + DoubleDouble::from(2.0 * (i - 1.0));
        bi = bi + DoubleDouble::from(2.0);
        dr = a * dr + br;
        di = a * di + bi;
        factor = a / (cr * cr + ci * ci);
        cr = br + cr * factor;
        ci = bi - ci * factor;
        let size = dr * dr + di * di;
        dr = dr / size;
        di = -(di / size);
        along = cr * dr - ci * di;
        across = cr * di + ci * dr;
        (p, q) = (p * along - q * across, p * across + q * along);
        if (along - one).hi.abs() + across.hi.abs() < SMALL || i > 20_000.0 {
            break;
        }
        i += 1.0;
    }
    let wronskian = inverse.scale(1) / PI;
    let gamma = (p - ratio) / q;
    let size = (wronskian / ((p - ratio) * gamma + q)).sqrt();
    let j = if is_negative { -size } else { size };
    let y = j * gamma;
    let slope = j * (p * gamma + q);
    let above = DoubleDouble::from(mu) * inverse * y - slope;
    (j, y, above)
}

/// Hankel's expansion (NIST DLMF 10.17.3 and 10.17.4), for an order up to the root of the argument.
fn hankel_expansion(order: f64, x: f64) -> ScaledBessel {
    let square = DoubleDouble::product(order, order).scale(2);
    let (even, odd) = hankel_sums(square, x);
    // The phase x - (order / 2 + 1/4) pi, by its parts.
    let (sine, cosine) = sin_cos(x);
    let (turn_sine, turn_cosine) = sin_cos_pi(0.5 * order);
    let (s, c) = (
        sine * turn_cosine - cosine * turn_sine,
        cosine * turn_cosine + sine * turn_sine,
    );
    let (s, c) = (s - c, s + c); // both times the root of 2
    let amplitude = (DoubleDouble::from(1.0) / PI / DoubleDouble::from(x)).sqrt();
    ScaledBessel {
        j: (amplitude * (even * c - odd * s), 0),
        y: (amplitude * (even * s + odd * c), 0),
    }
}

fn avoid_zero(x: DoubleDouble) -> DoubleDouble {
    if x.hi == 0.0 {
        DoubleDouble::from(1e-290)
    } else {
        x
    }
}

/// `I` of an order that is not negative, at an argument that is not.
fn i_positive(order: f64, x: f64) -> f64 {
    if x == 0.0 {
        return if order == 0.0 { 1.0 } else { 0.0 };
    }
    if x.is_infinite() {
        return x;
    }
    let (factor, exponent) = i_parts(order, x);
    scale_value(factor, exponent)
}

/// `I` as a factor and a power of two.
fn i_parts(order: f64, x: f64) -> (DoubleDouble, i32) {
    /// The logarithm of the function from where on it certainly overflows.
    const LN_MAX: f64 = 780.0;
    let infinite = (DoubleDouble::from(f64::INFINITY), 0);
    if x > HANKEL_MIN && order * order <= x {
        if x > LN_MAX {
            return infinite;
        }
        let mu = DoubleDouble::product(order, order).scale(2);
        let ln = DoubleDouble::from(x) - (PI * DoubleDouble::from(x)).scale(1).ln().scale(-1);
        let (factor, exponent) = ln.exp_scaled();
        return (factor * modified_sum(mu, x, -1.0), exponent);
    }
    // sqrt(v^2 + x^2) + v ln(x / (v + sqrt(v^2 + x^2))), the exponent for large orders (NIST DLMF 10.41.3)
    let length = libm::hypot(order, x);
    if length + order * libm::log(x / (order + length)) > LN_MAX {
        return infinite;
    }
    let half = DoubleDouble::from(0.5 * x);
    let ln = half.ln() * DoubleDouble::from(order) - ln_gamma(DoubleDouble::sum(order, 1.0));
    let square = half * half;
    let (mut sum, mut term, mut k, mut lifted) =
        (DoubleDouble::from(1.0), DoubleDouble::from(1.0), 1.0, 0);
    while term.hi > 1e-33 * sum.hi {
        term = term * square / (DoubleDouble::from(k) * DoubleDouble::sum(order, k));
        sum = sum + term;
        if sum.hi > LARGE {
            (sum, term) = (sum.scale(-STEP), term.scale(-STEP));
            lifted += STEP;
        }
        k += 1.0;
    }
    let (factor, exponent) = ln.exp_scaled();
    (factor * sum, exponent.saturating_add(lifted))
}

/// `K` of an order that is not negative at a positive argument, with a power of two.
fn k_positive(order: f64, x: f64) -> Option<(DoubleDouble, i32)> {
    /// Beyond, the exponential is zero for every order.
    const VANISHES: f64 = 1e6;
    if x > VANISHES {
        return Some((DoubleDouble::from(0.0), 0));
    }
    if x > HANKEL_MIN && order * order <= x {
        let mu = DoubleDouble::product(order, order).scale(2);
        let ln = -DoubleDouble::from(x) - (DoubleDouble::from(x + x) / PI).ln().scale(-1);
        let (factor, exponent) = ln.exp_scaled();
        return Some((factor * modified_sum(mu, x, 1.0), exponent));
    }
    let steps = (order + 0.5) as u32;
    let mu = order - f64::from(steps);
    let inverse = DoubleDouble::from(1.0) / DoubleDouble::from(x);
    let double = inverse.scale(1);
    let ((mut before, mut value), mut exponent) = match x < 2.0 {
        true => (temme_modified(mu, x), 0),
        false => {
            let (factor, exponent) = (-DoubleDouble::from(x)).exp_scaled();
            let (a, b) = steed_modified(mu, x);
            ((factor * a, factor * b), exponent)
        }
    };
    if steps == 0 {
        return Some((before, exponent));
    }
    for k in 1..steps {
        let above = DoubleDouble::sum(mu, f64::from(k)) * double * value + before;
        (before, value) = (value, above);
        if value.hi > LARGE {
            (before, value) = (before.scale(-STEP), value.scale(-STEP));
            exponent += STEP;
        }
    }
    Some((value, exponent))
}

/// `K` of the orders mu and mu + 1 by Temme's series, for x < 2.
fn temme_modified(mu: f64, x: f64) -> (DoubleDouble, DoubleDouble) {
    let [plus, minus, mean, difference] = reciprocal_gammas(mu);
    let half = DoubleDouble::from(0.5 * x);
    let logarithm = -half.ln();
    let e = DoubleDouble::from(mu) * logarithm;
    let (up, down) = (e.exp(), (-e).exp());
    let cosh = (up + down).scale(-1);
    let mut f = over_sine(mu) * (difference * cosh + mean * sinh_over(e) * logarithm);
    let mut p = (up / plus).scale(-1);
    let mut q = (down / minus).scale(-1);
    let square = half * half;
    let (mut c, mut sum, mut next) = (DoubleDouble::from(1.0), f, p);
    let mut i = 1.0;
    loop {
        f = (DoubleDouble::from(i) * f + p + q)
            / (DoubleDouble::product(i, i) - DoubleDouble::product(mu, mu));
        c = c * square / DoubleDouble::from(i);
        p = p / DoubleDouble::sum(i, -mu);
        q = q / DoubleDouble::sum(i, mu);
        let change = c * f;
        sum = sum + change;
        next = next + c * (p - DoubleDouble::from(i) * f);
        if change.hi.abs() < sum.hi.abs() * SMALL {
            break;
        }
        i += 1.0;
    }
    (sum, next / half)
}

/// `exp(x) K` of the orders mu and mu + 1 by the continued fraction, for x >= 2.
///
/// `c` grows as a factorial and the sequence of `q2` falls as one; only their products count, so both are scaled before `c` overflows.
fn steed_modified(mu: f64, x: f64) -> (DoubleDouble, DoubleDouble) {
    let one = DoubleDouble::from(1.0);
    let mut b = DoubleDouble::sum(1.0, x).scale(1);
    let mut d = one / b;
    let (mut h, mut delta) = (d, d);
    let (mut q1, mut q2) = (DoubleDouble::from(0.0), one);
    let first = DoubleDouble::from(0.25) - DoubleDouble::product(mu, mu);
    let (mut q, mut c, mut a) = (first, first, -first);
    let mut sum = one + q * delta;
    let mut i = 2.0;
    loop {
        a = a - DoubleDouble::from(2.0 * (i - 1.0));
        c = -(a * c) / DoubleDouble::from(i);
        if c.hi.abs() > LARGE {
            c = c.scale(-STEP);
            (q1, q2) = (q1.scale(STEP), q2.scale(STEP));
        }
        let next = (q1 - b * q2) / a;
        (q1, q2) = (q2, next);
        q = q + c * next;
        b = b + DoubleDouble::from(2.0);
        d = one / (b + a * d);
        delta = (b * d - one) * delta;
        h = h + delta;
        let change = q * delta;
        sum = sum + change;
        if (change.hi / sum.hi).abs() < SMALL || i > 20_000.0 {
            break;
        }
        i += 1.0;
    }
    let h = first * h;
    let value = (PI / DoubleDouble::from(2.0 * x)).sqrt() / sum;
    let above =
        value * (DoubleDouble::sum(mu, x) + DoubleDouble::from(0.5) - h) / DoubleDouble::from(x);
    (value, above)
}
