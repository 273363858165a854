//! How well a distribution fits a sample: Kolmogorov and Smirnov's distance, Anderson and Darling's.

use super::Distribution;

/// A distance of a sample from a distribution, with the probability of one as large where the distribution is the true one and was not fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GoodnessOfFit {
    /// The distance.
    pub statistic: f64,
    /// Its p value.
    pub p: f64,
}

/// The largest distance of the empirical distribution function from that of a continuous distribution. `sorted` is ascending and not empty.
pub fn kolmogorov_smirnov(distribution: &dyn Distribution, sorted: &[f64]) -> GoodnessOfFit {
    let n = sorted.len() as f64;
    let mut statistic = 0.0_f64;
    for (index, &x) in sorted.iter().enumerate() {
        let (lower, upper) = (distribution.cdf(x), distribution.sf(x));
        let above = (index as f64 + 1.0) / n - lower;
        let below = upper - (n - index as f64) / n;
        // 1 - upper - index / n
        statistic = statistic.max(above).max(-below);
    }
    GoodnessOfFit {
        statistic,
        p: kolmogorov_sf(sorted.len(), statistic),
    }
}

/// The probability that the two-sided statistic of `n` values exceeds `d`: exact up to 200 values (G. Marsaglia, W. W. Tsang and J. Wang, "Evaluating
/// Kolmogorov's distribution", J. Stat. Software 8(18), 2003), beyond by the limit with Stephens' correction, good to about 1e-4 of itself.
pub fn kolmogorov_sf(n: usize, d: f64) -> f64 {
    const EXACT_MAX: usize = 200;
    if d <= 0.0 || d >= 1.0 {
        return if d <= 0.0 { 1.0 } else { 0.0 };
    }
    let root = (n as f64).sqrt();
    // Far out twice the one-sided tail, which is exact there (Z. W. Birnbaum and F. H. Tingey, 1951).
    if root * d > 1.8 && n <= 10_000 {
        return (2.0 * one_sided_sf(n, d)).min(1.0);
    }
    if n <= EXACT_MAX {
        return (1.0 - marsaglia_cdf(n, d)).clamp(0.0, 1.0);
    }
    kolmogorov_limit_sf((root + 0.12 + 0.11 / root) * d)
}

/// The probability that the one-sided statistic of `n` values is at least `d`: all terms are positive.
fn one_sided_sf(n: usize, d: f64) -> f64 {
    let size = n as f64;
    let most = (size * (1.0 - d)).floor() as usize;
    let term = |j: usize| {
        let j = j as f64;
        let (up, down) = (d + j / size, 1.0 - d - j / size);
        if down <= 0.0 {
            return 0.0;
        }
        let ln = numerics::special::lgamma(size + 1.0)
            - numerics::special::lgamma(j + 1.0)
            - numerics::special::lgamma(size - j + 1.0)
            + (size - j) * down.ln()
            + (j - 1.0) * up.ln();
        ln.exp()
    };
    d * (0..=most).map(term).sum::<f64>()
}

/// The limit of the probability that `sqrt(n) D` exceeds `x`.
pub fn kolmogorov_limit_sf(x: f64) -> f64 {
    if x < 0.3 {
        return 1.0;
    }
    let mut sum = 0.0;
    for k in 1..=100 {
        let term = (-2.0 * f64::from(k * k) * x * x).exp();
        sum += if k % 2 == 1 { term } else { -term };
        if term < 1e-18 {
            break;
        }
    }
    (2.0 * sum).clamp(0.0, 1.0)
}

/// The n-th power of a matrix gives the distribution function.
fn marsaglia_cdf(n: usize, d: f64) -> f64 {
    let size = n as f64;
    let k = (size * d).floor() as usize + 1;
    let m = 2 * k - 1;
    let h = k as f64 - size * d;
    let mut matrix = vec![vec![0.0; m]; m];
    for (i, row) in matrix.iter_mut().enumerate() {
        for (j, cell) in row.iter_mut().enumerate() {
            *cell = if i + 1 >= j { 1.0 } else { 0.0 };
        }
    }
    for (i, row) in matrix.iter_mut().enumerate() {
        row[0] -= h.powi(i as i32 + 1);
    }
    for (i, cell) in matrix[m - 1].iter_mut().enumerate() {
        *cell -= h.powi((m - i) as i32);
    }
    if 2.0 * h - 1.0 > 0.0 {
        matrix[m - 1][0] += (2.0 * h - 1.0).powi(m as i32);
    }
    for (i, row) in matrix.iter_mut().enumerate() {
        for (j, cell) in row.iter_mut().enumerate() {
            for divisor in 1..=(i + 1).saturating_sub(j) {
                *cell /= divisor as f64;
            }
        }
    }
    let (power, mut exponent) = matrix_power(&matrix, n);
    let mut value = power[k - 1][k - 1];
    for i in 1..=n {
        value *= i as f64 / size;
        if value < 1e-140 {
            value *= 1e140;
            exponent -= 140;
        }
    }
    value * 10_f64.powi(exponent)
}

/// A power of a matrix and the decimal exponent that was taken out of it.
fn matrix_power(matrix: &[Vec<f64>], n: usize) -> (Vec<Vec<f64>>, i32) {
    let m = matrix.len();
    let multiply = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let cell = |i: usize, j: usize| (0..m).map(|k| a[i][k] * b[k][j]).sum();
        (0..m)
            .map(|i| (0..m).map(|j| cell(i, j)).collect())
            .collect()
    };
    let shorten = |a: &mut Vec<Vec<f64>>, exponent: &mut i32| {
        if a[m / 2][m / 2] > 1e140 {
            a.iter_mut().flatten().for_each(|cell| *cell *= 1e-140);
            *exponent += 140;
        }
    };
    let mut result: Vec<Vec<f64>> = (0..m)
        .map(|i| (0..m).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    let (mut base, mut base_exponent, mut exponent) = (matrix.to_vec(), 0, 0);
    let mut rest = n;
    while rest > 0 {
        if rest % 2 == 1 {
            result = multiply(&result, &base);
            exponent += base_exponent;
            shorten(&mut result, &mut exponent);
        }
        rest /= 2;
        if rest > 0 {
            base = multiply(&base, &base);
            base_exponent *= 2;
            shorten(&mut base, &mut base_exponent);
        }
    }
    (result, exponent)
}

/// Anderson and Darling's statistic of a continuous distribution, with the p value of G. Marsaglia and J. Marsaglia, "Evaluating the Anderson-Darling
/// distribution", J. Stat. Software 9(2), 2004 (absolute error below 1e-5). `sorted` is ascending and not empty.
pub fn anderson_darling(distribution: &dyn Distribution, sorted: &[f64]) -> GoodnessOfFit {
    let n = sorted.len() as f64;
    let mut sum = 0.0;
    for (index, &x) in sorted.iter().enumerate() {
        let mirrored = sorted[sorted.len() - 1 - index];
        let weight = 2.0 * index as f64 + 1.0;
        sum += weight * (distribution.ln_cdf(x) + distribution.ln_sf(mirrored));
    }
    let statistic = -n - sum / n;
    GoodnessOfFit {
        statistic,
        p: (1.0 - anderson_darling_cdf(sorted.len(), statistic)).clamp(0.0, 1.0),
    }
}

fn anderson_darling_cdf(n: usize, z: f64) -> f64 {
    if z.is_nan() || z <= 0.0 {
        return 0.0;
    }
    let limit = anderson_darling_limit(z);
    let n = n as f64;
    if limit > 0.8 {
        let polynomial = [
            -130.2137, 745.2337, -1705.091, 1950.646, -1116.360, 255.7844,
        ];
        let value = polynomial.iter().rev().fold(0.0, |sum, c| sum * limit + c);
        return limit + value / n;
    }
    let c = 0.01265 + 0.1757 / n;
    if limit < c {
        let v = limit / c;
        let value = v.sqrt() * (1.0 - v) * (49.0 * v - 102.0);
        return limit + value * (0.0037 / (n * n) + 0.00078 / n + 0.00006) / n;
    }
    let v = (limit - c) / (0.8 - c);
    let polynomial = [-0.00022633, 6.54034, -14.6538, 14.458, -8.259, 1.91864];
    let value = polynomial.iter().rev().fold(0.0, |sum, c| sum * v + c);
    limit + value * (0.04213 + 0.01365 / n) / n
}

/// The limit for many values.
fn anderson_darling_limit(z: f64) -> f64 {
    if z < 2.0 {
        let polynomial = [
            2.00012, 0.247105, -0.0649821, 0.0347962, -0.011672, 0.00168691,
        ];
        let value = polynomial.iter().rev().fold(0.0, |sum, c| sum * z + c);
        return (-1.2337141 / z).exp() / z.sqrt() * value;
    }
    let polynomial = [1.0776, -2.30695, 0.43424, -0.082433, 0.008056, -0.0003146];
    let value = polynomial.iter().rev().fold(0.0, |sum, c| sum * z + c);
    (-value.exp()).exp()
}
