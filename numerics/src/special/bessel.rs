//! Bessel functions of real arguments and integer order.
//!
//! Values near a zero keep their relative accuracy: everything that cancels is done in double-double arithmetic.

use super::dd::{DoubleDouble, EULER, LN_2, PI, sin_cos};
use super::gamma::ln_gamma;

/// Orders beyond are only answered where a power series converges at once.
pub(crate) const ORDER_MAX: i32 = 100_000;

/// From here on Hankel's expansion is exact to 1e-33.
pub(super) const HANKEL_MIN: f64 = 40.0;
/// Below, the power series has few terms.
const SERIES_MAX: f64 = 0.5;

/// `J` and `Y` of the orders 0 and 1 at one positive point.
struct BesselPair {
    j: [DoubleDouble; 2],
    y: [DoubleDouble; 2],
}

/// Bessel function of the first kind of order 0. Largest error measured: 0.51 units in the last place; relative 4e-15 at the
/// doubles nearest to its zeros.
///
/// The power series below 0.5, backward recurrence up to 40 (J. C. P. Miller; NIST DLMF 3.6(iii)), Hankel's expansion beyond
/// (10.17.3), with the argument reduced exactly at any size.
pub fn bessel_j0(x: f64) -> f64 {
    bessel_jn(0, x)
}

/// Bessel function of the first kind of order 1; accuracy and method of [`bessel_j0`].
pub fn bessel_j1(x: f64) -> f64 {
    bessel_jn(1, x)
}

/// Bessel function of the second kind of order 0. Largest error measured: 0.51 units in the last place; relative 4e-15 at the
/// doubles nearest to its zeros.
///
/// Below 40 Neumann's series in `J` (NIST DLMF 10.8, A&S 9.1.88), Hankel's expansion beyond. Minus infinity at 0, NaN for negative
/// arguments, where it is complex.
pub fn bessel_y0(x: f64) -> f64 {
    bessel_yn(0, x)
}

/// Bessel function of the second kind of order 1; accuracy and method of [`bessel_y0`].
pub fn bessel_y1(x: f64) -> f64 {
    bessel_yn(1, x)
}

/// Bessel function of the first kind of whole order `n`. Largest error measured: 0.51 units in the last place away from its zeros, for
/// `|n|` to 2000; the error in double-double units grows with the order.
///
/// Forward recurrence for orders up to the argument, the power series where its terms fall at once, backward recurrence between
/// (NIST DLMF 10.6, 10.2.2, 3.6). At most about `|n|` steps; NaN for `|n|` beyond `ORDER_MAX` unless `n > x^2 / 40`.
pub fn bessel_jn(n: i32, x: f64) -> f64 {
    let order = n.unsigned_abs();
    let odd = order % 2 == 1;
    let sign = if odd && (n < 0) != (x < 0.0) {
        -1.0
    } else {
        1.0
    };
    let x = x.abs();
    if x.is_nan() {
        return x;
    }
    if x == 0.0 {
        return if order == 0 { 1.0 } else { sign * 0.0 };
    }
    if x.is_infinite() {
        return 0.0;
    }
    if order <= 1 && x < SERIES_MAX {
        return sign * small_pair(x).j[order as usize].round();
    }
    sign * j_positive(order, x)
}

/// Bessel function of the second kind of whole order `n`; accuracy as [`bessel_jn`].
///
/// Forward recurrence from the orders 0 and 1, which is stable. Minus infinity at 0 and where the value overflows, NaN for negative
/// arguments and for `|n|` beyond `ORDER_MAX`.
pub fn bessel_yn(n: i32, x: f64) -> f64 {
    let order = n.unsigned_abs();
    if x.is_nan() || x < 0.0 || order > ORDER_MAX.unsigned_abs() {
        return f64::NAN;
    }
    let sign = if n < 0 && order % 2 == 1 { -1.0 } else { 1.0 };
    if x == 0.0 {
        return sign * f64::NEG_INFINITY;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let [mut before, mut value] = bessel_pair(x).y;
    if order == 0 {
        return before.round();
    }
    for k in 1..order {
        if value.hi < -1e290 * (x / f64::from(2 * k)).min(1.0) {
            return last_steps(value.hi, x, k, order) * sign;
        }
        let next = DoubleDouble::from(f64::from(2 * k)) * value / DoubleDouble::from(x) - before;
        (before, value) = (value, next);
    }
    sign * value.round()
}

/// Modified Bessel function of the first kind of order 0. Largest error measured: 0.51 units in the last place.
///
/// The power series (NIST DLMF 10.25.2) to 40, the expansion for large arguments (10.40.1) beyond, in double-double arithmetic.
/// Infinite where it overflows, beyond 713.98.
pub fn bessel_i0(x: f64) -> f64 {
    i_positive(0, x.abs())
}

/// Modified Bessel function of the first kind of order 1, an odd function; accuracy and method of [`bessel_i0`].
pub fn bessel_i1(x: f64) -> f64 {
    i_positive(1, x.abs()).copysign(x)
}

/// Modified Bessel function of the second kind of order 0. Largest error measured: 1.4 units in the last place.
///
/// The series with the logarithm (NIST DLMF 10.31) to 2, the trapezoidal rule for the integral of
/// `exp(-x cosh(t))`, which converges exponentially (10.32.9), to 20, the expansion for large arguments (10.40.2) beyond.
/// Infinite at 0, NaN for negative arguments, where it is complex.
pub fn bessel_k0(x: f64) -> f64 {
    k_of(0, x)
}

/// Modified Bessel function of the second kind of order 1; accuracy and method of [`bessel_k0`].
pub fn bessel_k1(x: f64) -> f64 {
    k_of(1, x)
}

fn bessel_pair(x: f64) -> BesselPair {
    if x >= HANKEL_MIN {
        hankel_pair(x)
    } else if x >= SERIES_MAX {
        recurrence_pair(x)
    } else {
        small_pair(x)
    }
}

/// Power series with the harmonic numbers (NIST DLMF 10.8.1), for small arguments.
fn small_pair(x: f64) -> BesselPair {
    let half = DoubleDouble::from(0.5 * x);
    let square = half * half;
    let one = DoubleDouble::from(1.0);
    let (mut j0, mut j1) = (one, one);
    let (mut y0, mut y1) = (DoubleDouble::from(0.0), one); // sums with H(k) and H(k) + H(k + 1)
    let (mut term, mut harmonic) = (one, DoubleDouble::from(0.0));
    let mut k = 1.0;
    while term.hi.abs() > 1e-34 {
        // term = (-x^2/4)^k / (k!)^2
        term = -(term * square) / DoubleDouble::from(k * k);
        harmonic = harmonic + DoubleDouble::quotient(1.0, k);
        let odd = term / DoubleDouble::from(k + 1.0);
        j0 = j0 + term;
        j1 = j1 + odd;
        y0 = y0 + term * harmonic;
        y1 = y1 + odd * (harmonic.scale(1) + DoubleDouble::quotient(1.0, k + 1.0));
        k += 1.0;
    }
    // Half the smallest number is rounded to zero.
    let ln = if half.hi == 0.0 {
        DoubleDouble::from(x).ln() - LN_2
    } else {
        half.ln()
    };
    let ln = ln + EULER;
    let j1 = j1 * half;
    let two_over_pi = DoubleDouble::from(2.0) / PI;
    let pole = -(DoubleDouble::from(1.0) / half); // pi times the pole of Y1
    BesselPair {
        j: [j0, j1],
        y: [
            two_over_pi * (ln * j0 - y0),
            (pole + ln.scale(1) * j1 - half * y1) / PI,
        ],
    }
}

/// Backward recurrence, normalised by `1 = J0 + 2 J2 + 2 J4 + ...`; `Y` by Neumann's series.
fn recurrence_pair(x: f64) -> BesselPair {
    let j = backward_recurrence(x, 0);
    let ln = DoubleDouble::from(0.5 * x).ln() + EULER;
    let (mut even, mut odd) = (DoubleDouble::from(0.0), DoubleDouble::from(0.0));
    for k in (1..(j.len() - 1) / 2).rev() {
        let count = k as f64;
        let sign = if k % 2 == 1 { -1.0 } else { 1.0 };
        even = even + j[2 * k] * DoubleDouble::quotient(sign, count);
        odd = odd
            + j[2 * k + 1]
                * DoubleDouble::quotient(sign * (2.0 * count + 1.0), count * (count + 1.0));
    }
    let two_over_pi = DoubleDouble::from(2.0) / PI;
    BesselPair {
        j: [j[0], j[1]],
        y: [
            two_over_pi * (ln * j[0] - even.scale(1)),
            two_over_pi
                * ((ln - DoubleDouble::from(1.0)) * j[1] - odd - j[0] / DoubleDouble::from(x)),
        ],
    }
}

/// `J` of the orders 0 to at least `order`, for arguments from 0.5 to 40.
fn backward_recurrence(x: f64, order: u32) -> Vec<DoubleDouble> {
    // Beyond x + 60 the function has fallen by more than 1e-35 at every x up to 40.
    let spare = if x < 4.0 { 34 } else { 62 };
    let first = (x as usize).max(order as usize) + spare;
    let mut values = vec![DoubleDouble::from(0.0); first + 2];
    values[first] = DoubleDouble::from(1e-290);
    let inverse = DoubleDouble::from(2.0) / DoubleDouble::from(x);
    let mut norm = DoubleDouble::from(0.0);
    for k in (0..first).rev() {
        values[k] = inverse * DoubleDouble::from((k + 1) as f64) * values[k + 1] - values[k + 2];
        if k % 2 == 0 {
            norm = norm
                + if k == 0 {
                    values[0]
                } else {
                    values[k].scale(1)
                };
        }
    }
    for value in &mut values {
        *value = *value / norm;
    }
    values
}

/// Hankel's expansion (NIST DLMF 10.17.3 and 10.17.4).
fn hankel_pair(x: f64) -> BesselPair {
    let (sine, cosine) = sin_cos(x);
    let (sum, difference) = (sine + cosine, sine - cosine);
    // sqrt(2 / (pi x)) / sqrt(2), without overflow
    let amplitude = (DoubleDouble::from(1.0) / PI / DoubleDouble::from(x)).sqrt();
    let (p0, q0) = hankel_sums(DoubleDouble::from(0.0), x);
    let (p1, q1) = hankel_sums(DoubleDouble::from(4.0), x);
    // chi = x - pi/4 for order 0, x - 3 pi/4 for order 1.
    BesselPair {
        j: [
            amplitude * (p0 * sum - q0 * difference),
            amplitude * (p1 * difference + q1 * sum),
        ],
        y: [
            amplitude * (p0 * difference + q0 * sum),
            amplitude * (q1 * difference - p1 * sum),
        ],
    }
}

/// The sums of the even and of the odd terms, with alternating signs; `mu` is four times the order squared.
pub(super) fn hankel_sums(mu: DoubleDouble, x: f64) -> (DoubleDouble, DoubleDouble) {
    let (mut p, mut q) = (DoubleDouble::from(1.0), DoubleDouble::from(0.0));
    let mut term = DoubleDouble::from(1.0);
    let eighth = DoubleDouble::from(0.125) / DoubleDouble::from(x);
    let mut k = 1.0;
    loop {
        let odd = 2.0 * k - 1.0;
        let factor = divide_by_whole(mu - DoubleDouble::from(odd * odd), k) * eighth;
        if factor.hi.abs() >= 1.0 || term.hi.abs() < 1e-35 {
            return (p, q);
        }
        term = term * factor;
        match k as i64 % 4 {
            1 => q = q + term,
            2 => p = p - term,
            3 => q = q - term,
            _ => p = p + term,
        }
        k += 1.0;
    }
}

/// A quotient by a whole number.
fn divide_by_whole(a: DoubleDouble, k: f64) -> DoubleDouble {
    if a.lo == 0.0 {
        DoubleDouble::quotient(a.hi, k)
    } else {
        a / DoubleDouble::from(k)
    }
}

fn j_positive(order: u32, x: f64) -> f64 {
    /// Terms of the series then cancel by at most a factor of `exp(10)`.
    const RATIO_MAX: f64 = 10.0;
    if order > 1 && 0.25 * x * x <= RATIO_MAX * (f64::from(order) + 1.0) {
        return j_series(f64::from(order), x);
    }
    if order > ORDER_MAX.unsigned_abs() {
        return f64::NAN;
    }
    if x < HANKEL_MIN {
        return backward_recurrence(x, order)[order as usize].round();
    }
    if f64::from(order) <= x {
        return forward_recurrence(order, x)[1].round();
    }
    high_order_j(order, x)
}

/// `(x/2)^n / n!` times a series in `-x^2/4` (NIST DLMF 10.2.2).
pub(super) fn j_series(n: f64, x: f64) -> f64 {
    let half = DoubleDouble::from(0.5 * x);
    let ln = half.ln() * DoubleDouble::from(n) - ln_gamma(DoubleDouble::sum(n, 1.0));
    if ln.hi < -800.0 {
        return 0.0;
    }
    let square = half * half;
    let (mut sum, mut term) = (DoubleDouble::from(1.0), DoubleDouble::from(1.0));
    let mut k = 1.0;
    while term.hi.abs() > 1e-33 {
        term = -(term * square) / (DoubleDouble::from(k) * DoubleDouble::sum(n, k));
        sum = sum + term;
        k += 1.0;
    }
    let (factor, exponent) = ln.exp_scaled();
    libm::scalbn((factor * sum).round(), exponent)
}

/// `J` of the orders `order - 1` and `order`, at most the argument, by the stable forward recurrence.
fn forward_recurrence(order: u32, x: f64) -> [DoubleDouble; 2] {
    let [mut before, mut value] = hankel_pair(x).j;
    if order == 0 {
        return [-value, before];
    }
    for k in 1..order {
        let next = DoubleDouble::from(f64::from(2 * k)) * value / DoubleDouble::from(x) - before;
        (before, value) = (value, next);
    }
    [before, value]
}

/// Orders above the argument: backward recurrence from where the function is negligible, down to where the forward one holds.
fn high_order_j(order: u32, x: f64) -> f64 {
    const STEP: i32 = 500;
    let low = x as u32;
    let spare = 60.0 + 30.0 * libm::cbrt(f64::from(order));
    let first = order + spare as u32;
    let (mut above, mut value) = (DoubleDouble::from(0.0), DoubleDouble::from(1.0));
    let mut wanted = value;
    let mut exponent = 0; // of what is wanted, against the present value
    let mut k = first;
    while k > low {
        let next = DoubleDouble::from(f64::from(2 * k)) * value / DoubleDouble::from(x) - above;
        (above, value) = (value, next);
        k -= 1;
        if k == order {
            (wanted, exponent) = (value, 0);
        }
        if value.hi.abs() > 1e200 {
            (above, value) = (above.scale(-STEP), value.scale(-STEP));
            exponent -= STEP;
        }
    }
    // value is of order `low`, above for `low + 1`
    let [_, known] = forward_recurrence(low, x);
    let [_, next] = forward_recurrence(low + 1, x);
    let ratio = if known.hi.abs() > next.hi.abs() {
        known / value
    } else {
        next / above
    };
    libm::scalbn((wanted * ratio).round(), exponent.max(-2200))
}

/// The last steps of the recurrence of `Y` where it is about to overflow: whether it does before the order is reached.
fn last_steps(value: f64, x: f64, from: u32, order: u32) -> f64 {
    // Here the recurrence is dominated by its first term.
    let mut value = value;
    for k in from..order {
        value *= f64::from(2 * k) / x;
        if value.is_infinite() {
            break;
        }
    }
    value
}

fn i_positive(order: usize, x: f64) -> f64 {
    if x.is_nan() || x.is_infinite() {
        return x;
    }
    if x <= HANKEL_MIN {
        let half = DoubleDouble::from(0.5 * x);
        let sum = i_sum(order, half * half);
        return if order == 0 {
            sum.round()
        } else {
            (sum * half).round()
        };
    }
    let mu = DoubleDouble::from(if order == 0 { 0.0 } else { 4.0 });
    let ln = DoubleDouble::from(x) - (PI * DoubleDouble::from(x)).scale(1).ln().scale(-1);
    if ln.hi > 710.0 {
        return f64::INFINITY;
    }
    let (factor, exponent) = ln.exp_scaled();
    libm::scalbn((factor * modified_sum(mu, x, -1.0)).round(), exponent)
}

/// The power series of `I0`, or of `I1` over its leading factor.
fn i_sum(order: usize, square: DoubleDouble) -> DoubleDouble {
    let (mut sum, mut term) = (DoubleDouble::from(1.0), DoubleDouble::from(1.0));
    let mut k = 1.0;
    while term.hi > 1e-33 * sum.hi {
        term = term * square / DoubleDouble::from(k * (k + order as f64));
        sum = sum + term;
        k += 1.0;
    }
    sum
}

/// The expansion for large arguments; terms alternate for `I` (sign -1).
pub(super) fn modified_sum(mu: DoubleDouble, x: f64, sign: f64) -> DoubleDouble {
    let (mut sum, mut term) = (DoubleDouble::from(1.0), DoubleDouble::from(1.0));
    let eighth = DoubleDouble::from(sign * 0.125) / DoubleDouble::from(x);
    let mut k = 1.0;
    loop {
        let odd = 2.0 * k - 1.0;
        let factor = divide_by_whole(mu - DoubleDouble::from(odd * odd), k) * eighth;
        if factor.hi.abs() >= 1.0 || term.hi.abs() < 1e-33 {
            return sum;
        }
        term = term * factor;
        sum = sum + term;
        k += 1.0;
    }
}

fn k_of(order: usize, x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 || (order == 1 && x.recip().is_infinite()) {
        return f64::INFINITY;
    }
    if x <= 2.0 {
        return k_series(order, x);
    }
    if x > 760.0 {
        return 0.0;
    }
    let (ln, sum) = if x < 20.0 {
        (
            DoubleDouble::from(-x),
            DoubleDouble::from(k_trapezoid(order, x)),
        )
    } else {
        let mu = DoubleDouble::from(if order == 0 { 0.0 } else { 4.0 });
        let ln = -DoubleDouble::from(x) - (DoubleDouble::from(x + x) / PI).ln().scale(-1);
        (ln, modified_sum(mu, x, 1.0))
    };
    let (factor, exponent) = ln.exp_scaled();
    libm::scalbn((factor * sum).round(), exponent)
}

fn k_series(order: usize, x: f64) -> f64 {
    let half = DoubleDouble::from(0.5 * x);
    let square = half * half;
    let ln = half.ln() + EULER;
    let (mut sum, mut term) = (DoubleDouble::from(0.0), DoubleDouble::from(1.0));
    let (mut harmonic, mut k) = (DoubleDouble::from(0.0), 1.0);
    if order == 0 {
        // sum of H(k) (x^2/4)^k / (k!)^2
        while term.hi > 1e-34 {
            term = term * square / DoubleDouble::from(k * k);
            harmonic = harmonic + DoubleDouble::quotient(1.0, k);
            sum = sum + term * harmonic;
            k += 1.0;
        }
        return (sum - ln * i_sum(0, square)).round();
    }
    // 1/x + ln(x/2) I1 - (x/4) sum of (psi(k + 1) + psi(k + 2)) (x^2/4)^k / (k! (k + 1)!)
    while term.hi > 1e-34 {
        sum = sum + term * (harmonic.scale(1) + DoubleDouble::quotient(1.0, k));
        term = term * square / DoubleDouble::from(k * (k + 1.0));
        harmonic = harmonic + DoubleDouble::quotient(1.0, k);
        k += 1.0;
    }
    let pole = DoubleDouble::from(1.0) / DoubleDouble::from(x);
    if pole.hi.is_infinite() {
        return f64::INFINITY;
    }
    (pole + half * (ln * i_sum(1, square) - sum.scale(-1))).round()
}

/// `exp(x)` times the function: the integral of `exp(-x (cosh(t) - 1)) cosh(order t)` over positive `t`.
fn k_trapezoid(order: usize, x: f64) -> f64 {
    const STEP: f64 = 0.125;
    let mut sum = DoubleDouble::from(0.5);
    let mut k = 1.0;
    loop {
        let sinh = libm::sinh(0.5 * STEP * k);
        let rise = 2.0 * sinh * sinh; // cosh(t) - 1
        let weight = if order == 0 { 1.0 } else { 1.0 + rise };
        let term = libm::exp(-x * rise) * weight;
        sum = sum + DoubleDouble::from(term);
        if term < 1e-18 {
            return sum.round() * STEP;
        }
        k += 1.0;
    }
}
