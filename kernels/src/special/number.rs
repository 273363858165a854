//! Integer functions, and other functions of one number: gcd, lcm, sinc, zeta, Lambert's W.

use super::dd::{Dd, PI, sin_cos_pi};
use super::gamma::ln_gamma;

/// The largest double below which every whole number is a double: 2^53.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// The greatest common divisor of two whole numbers up to 2^53 in magnitude, exact; NaN for others. `gcd(0, 0)` is 0.
pub fn gcd(a: f64, b: f64) -> f64 {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => divisor(a, b) as f64,
        _ => f64::NAN,
    }
}

/// The least common multiple of two whole numbers up to 2^53 in magnitude, exact; NaN for others and where it is beyond 2^53. 0
/// when one is 0.
pub fn lcm(a: f64, b: f64) -> f64 {
    match (whole(a), whole(b)) {
        (Some(0), Some(_)) | (Some(_), Some(0)) => 0.0,
        (Some(a), Some(b)) => {
            let multiple = u128::from(a / divisor(a, b)) * u128::from(b);
            if multiple > WHOLE_MAX as u128 {
                f64::NAN
            } else {
                multiple as f64
            }
        }
        _ => f64::NAN,
    }
}

/// `sin(pi x) / (pi x)`, 1 at zero (the normalised form, as in NumPy). Largest error measured: 0.51 units in the last place.
pub fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-10 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    if x.abs() > 1e300 {
        return 0.0; // a whole number
    }
    (sin_cos_pi(x).0 / (PI * Dd::from(x))).round()
}

/// Riemann's zeta function. Largest error measured: 1.1 units in the last place.
///
/// Euler and Maclaurin's summation (NIST DLMF 25.2.9), reflection for negative arguments (25.4.1). Infinite at 1.
pub fn zeta(s: f64) -> f64 {
    if s.is_nan() {
        return s;
    }
    if s == 1.0 {
        return f64::INFINITY;
    }
    if s > -0.5 {
        return zeta_positive(s);
    }
    if s % 2.0 == 0.0 {
        return 0.0;
    }
    if s < -260.0 {
        return f64::NAN; // beyond the range of a double, with a sign that changes every second number
    }
    // 2 (2 pi)^(s - 1) sin(pi s / 2) gamma(1 - s) zeta(1 - s)
    let (sine, _) = sin_cos_pi(0.5 * s);
    let rest = Dd::sum(1.0, -s);
    let ln = ln_gamma(rest) - rest * PI.scale(1).ln();
    let (factor, exponent) = ln.exp_scaled();
    let value = factor * sine * Dd::from(zeta_positive(1.0 - s));
    libm::scalbn(value.scale(1).round(), exponent)
}

/// The branch `k` (0 or -1) of Lambert's W function: the `w` with `w exp(w) = x`. Largest error measured: 1 unit in the last place.
///
/// Halley's method (R. M. Corless and others, "On the Lambert W function", Adv. Comput. Math. 5, 1996) with a last step in double-double
/// arithmetic. Branch 0 for `x >= -1/e`, branch -1 for `-1/e <= x < 0`; NaN beyond and for other branches.
pub fn lambertw(x: f64, branch: i32) -> f64 {
    let e_x = Dd::from(x) * E;
    let above = e_x + Dd::from(1.0); // e x + 1, 0 at the branch point
    if x.is_nan() || above.hi < -1e-16 || !(branch == 0 || (branch == -1 && x <= 0.0)) {
        return f64::NAN;
    }
    if x == 0.0 {
        return if branch == 0 { x } else { f64::NEG_INFINITY };
    }
    if x.is_infinite() {
        return x;
    }
    if above.hi <= 0.0 {
        return -1.0; // the double nearest to -1/e lies just below it
    }
    let root = above.scale(1).abs().sqrt();
    let p = if branch == 0 { root } else { -root };
    if root.hi < 1e-3 {
        // The series at the branch point (NIST DLMF 4.13.6).
        const TERMS: [f64; 8] = [
            -1.0,
            1.0,
            -1.0 / 3.0,
            11.0 / 72.0,
            -43.0 / 540.0,
            769.0 / 17_280.0,
            -221.0 / 8505.0,
            680_863.0 / 43_545_600.0,
        ];
        return TERMS
            .iter()
            .rev()
            .fold(Dd::from(0.0), |value, &term| value * p + Dd::from(term))
            .round();
    }
    let mut w = start(x, p.hi, branch);
    for _ in 0..3 {
        let e = libm::exp(w);
        let residual = w - x / e;
        let denominator = w + 1.0 - (w + 2.0) * residual / (2.0 * w + 2.0);
        w -= residual / denominator;
    }
    let wide = Dd::from(w);
    let residual = wide - Dd::from(x) * (-wide).exp();
    if !residual.hi.is_finite() {
        return w;
    }
    (wide - residual / (wide + Dd::from(1.0))).round()
}

/// Euler's number.
const E: Dd = Dd::new(std::f64::consts::E, 1.445_646_891_729_250_2e-16);

fn start(x: f64, p: f64, branch: i32) -> f64 {
    if x < 0.0 && p.abs() < 1.2 {
        return -1.0 + p * (1.0 - p * (1.0 / 3.0 - p * (11.0 / 72.0 - p * 43.0 / 540.0)));
    }
    if branch == -1 {
        let first = libm::log(-x);
        let second = libm::log(-first);
        return first - second + second / first;
    }
    if x > 3.0 {
        let first = libm::log(x);
        let second = libm::log(first);
        return first - second + second / first;
    }
    let ln = libm::log1p(x);
    ln * (1.0 - libm::log1p(ln) / (2.0 + ln))
}

fn zeta_positive(s: f64) -> f64 {
    const FIRST: f64 = 12.0;
    /// Bernoulli numbers over factorials: B(2k) / (2k)!.
    const BERNOULLI: [f64; 12] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30_240.0,
        -1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        -691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        -3617.0 / 10_670_622_842_880_000.0,
        43_867.0 / 5_109_094_217_170_944_000.0,
        -174_611.0 / 802_857_662_698_291_200_000.0,
        77_683.0 / 14_101_100_039_391_805_440_000.0,
        -236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
    ];
    if s > 60.0 {
        return 1.0 + libm::exp2(-s);
    }
    // From the small terms to the large ones.
    let last = reciprocal_power(FIRST, s);
    let mut rest = 0.0;
    let mut factor = s / FIRST;
    for (k, bernoulli) in BERNOULLI.iter().enumerate() {
        rest += bernoulli * factor;
        let k = (2 * k) as f64;
        factor *= (s + k + 1.0) * (s + k + 2.0) / (FIRST * FIRST);
    }
    let mut sum = last * Dd::from(0.5 + rest) + last * Dd::quotient(FIRST, s - 1.0);
    for n in (1..FIRST as i32).rev() {
        sum = sum + reciprocal_power(f64::from(n), s);
    }
    sum.round()
}

/// `n^-s`; with more digits below 2, where the sum cancels.
fn reciprocal_power(n: f64, s: f64) -> Dd {
    if s < 2.0 {
        (-(Dd::from(n).ln() * Dd::from(s))).exp()
    } else {
        Dd::from(libm::pow(n, -s))
    }
}

fn whole(x: f64) -> Option<u64> {
    (x.fract() == 0.0 && x.abs() <= WHOLE_MAX).then_some(x.abs() as u64)
}

/// Euclid's algorithm.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
