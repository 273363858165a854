//! Densities at large parameters: C. Loader, "Fast and accurate computation of binomial probabilities", 2000.
//!
//! Powers and gamma functions of large numbers are never formed: a density is a square root times the exponential of deviances, which are small where
//! the density is not.

use numerics::special::lgamma;

pub(super) const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;

/// A number as a double and what its rounding left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    pub(super) value: f64,
    pub(super) rest: f64,
}

/// `a b`, exactly.
pub(super) fn exact_product(a: f64, b: f64) -> Rest {
    let value = a * b;
    Rest {
        value,
        rest: a.mul_add(b, -value),
    }
}

/// `a + b`, exactly.
pub(super) fn exact_sum(a: f64, b: f64) -> Rest {
    let value = a + b;
    let part = value - a;
    Rest {
        value,
        rest: (a - (value - part)) + (b - part),
    }
}

/// `n q` for `q = 1 - p`.
pub(super) fn complement_product(n: f64, p: f64) -> Rest {
    let product = exact_product(n, p);
    let sum = exact_sum(n, -product.value);
    Rest {
        value: sum.value,
        rest: sum.rest - product.rest,
    }
}

/// `a / b` to twice the working precision, of numbers with rests.
pub(super) fn exact_quotient(a: Rest, b: Rest) -> Rest {
    let value = a.value / b.value;
    let product = exact_product(value, b.value);
    let rest = ((a.value - product.value) - product.rest + a.rest - value * b.rest) / b.value;
    Rest { value, rest }
}

/// What Stirling's formula leaves of `ln(gamma(n + 1))`: `ln(n!) - (n + 1/2) ln(n) + n - ln(2 pi) / 2`, for `n > 0`.
pub(super) fn stirling_rest(n: f64) -> f64 {
    if n < 10.0 {
        return lgamma(n + 1.0) - (n + 0.5) * n.ln() + n - HALF_LN_TAU;
    }
    const TERMS: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    let square = 1.0 / (n * n);
    TERMS
        .iter()
        .rev()
        .fold(0.0, |sum, term| sum * square + term)
        / n
}

/// The deviance `x ln(x / m) + m - x`, without cancellation near `x = m`.
pub(super) fn deviance(x: f64, mean: Rest) -> f64 {
    let m = mean.value;
    let plain = if (x - m).abs() < 0.5 * (x + m) {
        let d = x - m;
        let v = d / (x + m);
        let (mut sum, mut power, mut j) = (d * v, 2.0 * x * v, 1.0);
        loop {
            power *= v * v;
            let next = sum + power / (2.0 * j + 1.0);
            if next == sum {
                break sum;
            }
            (sum, j) = (next, j + 1.0);
        }
    } else {
        x * (x / m).ln() + m - x
    };
    plain + mean.rest * (m - x) / m
}

/// The logarithm of `m^k exp(-m) / gamma(k + 1)` for real `k >= 0` and `m > 0`.
pub(super) fn ln_poisson(k: f64, mean: Rest) -> f64 {
    if k == 0.0 {
        return -mean.value - mean.rest;
    }
    if k < mean.value * f64::MIN_POSITIVE {
        return -mean.value;
    }
    if mean.value < k * f64::MIN_POSITIVE {
        return k * mean.value.ln() - mean.value - lgamma(k + 1.0);
    }
    -stirling_rest(k) - deviance(k, mean) - HALF_LN_TAU - 0.5 * k.ln()
}

/// The logarithm of `C(n, k) p^k (1 - p)^(n - k)` for real `0 <= k <= n` and `0 < p < 1`.
pub(super) fn ln_binomial(k: f64, n: f64, p: f64) -> f64 {
    if k == 0.0 {
        return n * (-p).ln_1p();
    }
    if k == n {
        return n * p.ln();
    }
    let left = n - k;
    let rests = stirling_rest(n) - stirling_rest(k) - stirling_rest(left);
    let deviances = deviance(k, exact_product(n, p)) + deviance(left, complement_product(n, p));
    // n / (k (n - k)), from parts that do not overflow
    let front = 0.5 * (n / k).ln() - 0.5 * left.ln();
    rests - deviances - HALF_LN_TAU + front
}
