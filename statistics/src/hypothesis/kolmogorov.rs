//! Kolmogorov and Smirnov: a sample against a distribution, and two samples.
//!
//! # References
//! G. Marsaglia, W. W. Tsang and J. Wang, "Evaluating Kolmogorov's distribution", J. Stat. Softw. 8(18), 2003; Z. W. Birnbaum and F. H. Tingey, Ann.
//! Math. Stat. 22, 1951; J. L. Hodges, Ark. Mat. 3, 1958, and G. Schroeer and D. Trenkler, Comput. Stat. Data Anal. 20, 1995 (two samples, with ties);
//! J. Vrbik, "Small-sample corrections to Kolmogorov-Smirnov test statistic", Pioneer J. Theor. Appl. Stat. 15, 2018.

use numerics::special::lgamma;

use super::outcome::{
    Alternative, EffectSize, HypothesisError, HypothesisResult, PValueBasis, check_sample,
};
use super::sample::sorted;

/// Largest sample whose two-sided p value is exact.
pub const EXACT_KOLMOGOROV_MAX: usize = 2000;
/// Largest product of two sample sizes whose paths are counted.
pub const EXACT_SMIRNOV_MAX: usize = 4_000_000;

/// Largest differences of two distribution functions, above and below.
#[derive(Debug, Clone, Copy)]
struct Deviations {
    above: f64,
    below: f64,
}

impl Deviations {
    fn of(&self, alternative: Alternative) -> f64 {
        match alternative {
            Alternative::TwoSided => self.above.max(self.below),
            Alternative::Greater => self.above,
            Alternative::Less => self.below,
        }
    }
}

/// The Kolmogorov-Smirnov test of whether a sample is of a continuous distribution, by its distribution function. `greater` means that the function of
/// the sample lies above. Exact up to [`EXACT_KOLMOGOROV_MAX`] values, by the corrected limit beyond.
///
/// # Errors
/// [`HypothesisError`] for an empty sample, and a distribution function that leaves 0 to 1.
pub fn test_kolmogorov(
    x: &[f64],
    cdf: impl Fn(f64) -> f64,
    alternative: Alternative,
) -> Result<HypothesisResult, HypothesisError> {
    check_sample(x, 1, "observations")?;
    let deviations = kolmogorov_deviations(x, cdf)?;
    let d = deviations.of(alternative);
    let n = x.len() as f64;
    let (p, basis) = match alternative {
        Alternative::TwoSided if x.len() > EXACT_KOLMOGOROV_MAX => {
            (kolmogorov_limit_sf(d, n), PValueBasis::Asymptotic)
        }
        Alternative::TwoSided => (kolmogorov_sf(d, x.len()), PValueBasis::Exact),
        _ => (one_sided_sf(d, n), PValueBasis::Exact),
    };
    Ok(
        HypothesisResult::new("one-sample Kolmogorov-Smirnov test", "D", d, p)
            .with_basis(basis)
            .with_alternative(alternative)
            .with_effects(vec![largest_difference(d)]),
    )
}

fn largest_difference(d: f64) -> EffectSize {
    EffectSize {
        name: "largest difference of distribution functions",
        symbol: "D",
        value: d,
        interval: None,
    }
}

fn kolmogorov_deviations(
    x: &[f64],
    cdf: impl Fn(f64) -> f64,
) -> Result<Deviations, HypothesisError> {
    let n = x.len() as f64;
    let (mut above, mut below) = (0.0_f64, 0.0_f64);
    for (index, &value) in sorted(x).iter().enumerate() {
        let at = cdf(value);
        if !(0.0..=1.0).contains(&at) {
            return Err(HypothesisError::Range {
                expected: "a distribution function from 0 to 1",
                found: at,
            });
        }
        above = above.max((index as f64 + 1.0) / n - at);
        below = below.max(at - index as f64 / n);
    }
    Ok(Deviations { above, below })
}

/// The two-sided statistic of a sample against a distribution function.
pub(crate) fn kolmogorov_distance(
    x: &[f64],
    cdf: impl Fn(f64) -> f64,
) -> Result<f64, HypothesisError> {
    Ok(kolmogorov_deviations(x, cdf)?.of(Alternative::TwoSided))
}

/// P(D+ >= d): the sum of Birnbaum and Tingey, whose terms are positive.
fn one_sided_sf(d: f64, n: f64) -> f64 {
    if d <= 0.0 {
        return 1.0;
    }
    if d >= 1.0 {
        return 0.0;
    }
    let most = (n * (1.0 - d)).floor();
    let constant = lgamma(n + 1.0);
    let mut sum = 0.0;
    let mut j = 0.0;
    while j <= most {
        let (up, down) = (d + j / n, 1.0 - d - j / n);
        if down > 0.0 || n == j {
            let tail = match n == j {
                true => 0.0,
                false => (n - j) * down.ln(),
            };
            let log = constant - lgamma(j + 1.0) - lgamma(n - j + 1.0);
            sum += (log + (j - 1.0) * up.ln() + tail).exp();
        }
        j += 1.0;
    }
    (d * sum).min(1.0)
}

/// P(D >= d) of the two-sided statistic.
pub fn kolmogorov_sf(d: f64, n: usize) -> f64 {
    /// From here on `n d^2` both one-sided events exclude each other to eleven digits.
    const ONE_SIDED_FROM: f64 = 4.0;
    let count = n as f64;
    if d <= 0.5 / count {
        return 1.0;
    }
    if d >= 1.0 {
        return 0.0;
    }
    match count * d * d >= ONE_SIDED_FROM || d >= 0.5 {
        true => (2.0 * one_sided_sf(d, count)).min(1.0),
        false => 1.0 - durbin_cdf(d, n),
    }
}

/// P(D < d) by Durbin's matrix, after Marsaglia, Tsang and Wang.
fn durbin_cdf(d: f64, n: usize) -> f64 {
    let k = (n as f64 * d).floor() as usize + 1;
    let size = 2 * k - 1;
    let h = k as f64 - n as f64 * d;
    let mut matrix = SquareMatrix::zero(size);
    for row in 0..size {
        for column in 0..size.min(row + 2) {
            matrix.cells[row * size + column] = 1.0;
        }
    }
    for at in 0..size {
        matrix.cells[at * size] -= h.powi(at as i32 + 1);
        matrix.cells[(size - 1) * size + at] -= h.powi((size - at) as i32);
    }
    let corner = (2.0 * h - 1.0).max(0.0).powi(size as i32);
    matrix.cells[(size - 1) * size] += corner;
    for row in 0..size {
        for column in 0..size.min(row + 1) {
            for divisor in 1..=(row - column + 1) {
                matrix.cells[row * size + column] /= divisor as f64;
            }
        }
    }
    let power = matrix.power(n);
    let at = (k - 1) * size + k - 1;
    let mut value = power.cells[at];
    let mut exponent = power.exponent;
    for factor in 1..=n {
        value *= factor as f64 / n as f64;
        if value < 1e-140 {
            value *= 1e140;
            exponent -= 140;
        }
    }
    (value * 10f64.powi(exponent)).clamp(0.0, 1.0)
}

/// A square matrix times a power of ten.
#[derive(Debug, Clone)]
struct SquareMatrix {
    size: usize,
    cells: Vec<f64>,
    exponent: i32,
}

impl SquareMatrix {
    fn zero(size: usize) -> Self {
        Self {
            size,
            cells: vec![0.0; size * size],
            exponent: 0,
        }
    }

    fn product(&self, other: &Self) -> Self {
        let mut result = Self::zero(self.size);
        for (row, cells) in result.cells.chunks_mut(self.size).enumerate() {
            for (inner, factor) in self.cells[row * self.size..][..self.size]
                .iter()
                .enumerate()
            {
                let from = &other.cells[inner * self.size..][..self.size];
                for (cell, value) in cells.iter_mut().zip(from) {
                    *cell += factor * value;
                }
            }
        }
        result.exponent = self.exponent + other.exponent;
        let centre = result.cells[(self.size / 2) * self.size + self.size / 2];
        if centre > 1e140 {
            result.cells.iter_mut().for_each(|cell| *cell *= 1e-140);
            result.exponent += 140;
        }
        result
    }

    fn power(&self, exponent: usize) -> Self {
        let mut result: Option<Self> = None;
        let (mut base, mut left) = (self.clone(), exponent);
        while left > 0 {
            if left % 2 == 1 {
                result = Some(match &result {
                    Some(so_far) => so_far.product(&base),
                    None => base.clone(),
                });
            }
            left /= 2;
            if left > 0 {
                base = base.product(&base);
            }
        }
        result.unwrap_or_else(|| self.clone())
    }
}

/// P(D >= d) by Kolmogorov's limit with Vrbik's correction for the size of the sample.
fn kolmogorov_limit_sf(d: f64, n: f64) -> f64 {
    let z = d * n.sqrt();
    limit_sf(z + 1.0 / (6.0 * n.sqrt()) + (z - 1.0) / (4.0 * n))
}

/// The upper tail of Kolmogorov's limit.
fn limit_sf(z: f64) -> f64 {
    if z <= 0.0 {
        return 1.0;
    }
    if z < 1.0 {
        let scale = std::f64::consts::PI.powi(2) / (8.0 * z * z);
        let terms = (1..=6).map(|k| (-f64::from((2 * k - 1) * (2 * k - 1)) * scale).exp());
        return 1.0 - (2.0 * std::f64::consts::PI).sqrt() / z * terms.sum::<f64>();
    }
    let term = |k: i32| {
        let sign = if k % 2 == 1 { 2.0 } else { -2.0 };
        sign * (-2.0 * f64::from(k * k) * z * z).exp()
    };
    (1..=8).map(term).sum()
}

/// The Smirnov test of whether two samples are of one distribution. `greater` means that the distribution function of `x` lies above, so that its values tend
/// to be smaller. Exact, with ties, while the product of the sizes is at most [`EXACT_SMIRNOV_MAX`].
///
/// # Errors
/// [`HypothesisError`] for an empty sample.
pub fn test_smirnov(
    x: &[f64],
    y: &[f64],
    alternative: Alternative,
) -> Result<HypothesisResult, HypothesisError> {
    check_sample(x, 1, "observations in each group")?;
    check_sample(y, 1, "observations in each group")?;
    let paths = SmirnovPaths::new(x, y, alternative);
    let d = paths.most as f64 / (x.len() as f64 * y.len() as f64);
    let (n, m) = (x.len() as f64, y.len() as f64);
    let (p, basis) = match x.len().saturating_mul(y.len()) <= EXACT_SMIRNOV_MAX {
        true => (paths.tail(), PValueBasis::Exact),
        false => {
            let z = d * (n * m / (n + m)).sqrt();
            let p = match alternative {
                Alternative::TwoSided => limit_sf(z),
                _ => (-2.0 * z * z).exp(),
            };
            (p, PValueBasis::Asymptotic)
        }
    };
    Ok(
        HypothesisResult::new("two-sample Kolmogorov-Smirnov test", "D", d, p)
            .with_basis(basis)
            .with_alternative(alternative)
            .with_effects(vec![largest_difference(d)]),
    )
}

/// Paths through the pooled sample, and where they are compared.
struct SmirnovPaths {
    rows: usize,
    columns: usize,
    alternative: Alternative,
    /// Whether the pooled sample has no tie between a place and the next.
    ends: Vec<bool>,
    /// The largest difference, times both sizes.
    most: i64,
}

impl SmirnovPaths {
    fn new(x: &[f64], y: &[f64], alternative: Alternative) -> Self {
        let mut pooled: Vec<(f64, bool)> = x.iter().map(|&value| (value, true)).collect();
        pooled.extend(y.iter().map(|&value| (value, false)));
        pooled.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut paths = Self {
            rows: x.len(),
            columns: y.len(),
            alternative,
            ends: vec![true; pooled.len() + 1],
            most: 0,
        };
        let (mut i, mut j) = (0, 0);
        for (at, (value, is_first)) in pooled.iter().enumerate() {
            (i, j) = if *is_first { (i + 1, j) } else { (i, j + 1) };
            let is_end = pooled.get(at + 1).is_none_or(|next| next.0 != *value);
            paths.ends[at + 1] = is_end;
            if is_end {
                paths.most = paths.most.max(paths.difference(i, j));
            }
        }
        paths
    }

    fn difference(&self, i: usize, j: usize) -> i64 {
        let signed = (i * self.columns) as i64 - (j * self.rows) as i64;
        match self.alternative {
            Alternative::TwoSided => signed.abs(),
            Alternative::Greater => signed,
            Alternative::Less => -signed,
        }
    }

    /// Probability that a random path has a difference at least as large, by the probability of having met one at each point.
    fn tail(&self) -> f64 {
        let mut met = vec![0.0; self.columns + 1];
        for i in 0..=self.rows {
            for j in 0..=self.columns {
                let at = i + j;
                if self.ends[at] && self.difference(i, j) >= self.most {
                    met[j] = 1.0;
                } else if at > 0 {
                    let above = if i > 0 { met[j] } else { 0.0 };
                    let before = if j > 0 { met[j - 1] } else { 0.0 };
                    met[j] = (i as f64 * above + j as f64 * before) / at as f64;
                }
            }
        }
        met[self.columns]
    }
}
