//! The Anderson-Darling test of several samples.
//!
//! # References
//! F. W. Scholz and M. A. Stephens, "K-sample Anderson-Darling tests", JASA 82, 1987: statistic with mid-ranks, its variance, and its limit, a weighted sum
//! of chi-squared values, whose tail is found by J. P. Imhof's integral, Biometrika 48, 1961.

use super::outcome::{HypothesisError, HypothesisResult, PValueBasis};
use super::sample::sorted;
use super::spread::check_groups;

/// The test of whether samples are of one distribution, whichever it is; the statistic is standardised.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, groups of fewer than two, and observations that are all equal.
pub fn test_anderson_groups(groups: &[&[f64]]) -> Result<HypothesisResult, HypothesisError> {
    check_groups(groups, 2)?;
    let all: Vec<f64> = groups
        .iter()
        .flat_map(|group| group.iter().copied())
        .collect();
    let pooled = sorted(&all);
    if pooled[0] == pooled[pooled.len() - 1] {
        return Err(HypothesisError::Constant {
            what: "the observations",
        });
    }
    let k = groups.len() as f64;
    let squared = midrank_statistic(groups, &pooled);
    let standard = (squared - (k - 1.0)) / statistic_variance(groups, pooled.len()).sqrt();
    let limit_variance = 2.0 * (k - 1.0) * (std::f64::consts::PI.powi(2) / 3.0 - 3.0);
    let p = limit_tail(k - 1.0 + standard * limit_variance.sqrt(), k - 1.0);
    Ok(
        HypothesisResult::new("k-sample Anderson-Darling test", "T", standard, p)
            .with_basis(PValueBasis::Asymptotic),
    )
}

/// Scholz and Stephens' equation 7.
fn midrank_statistic(groups: &[&[f64]], pooled: &[f64]) -> f64 {
    let n = pooled.len() as f64;
    let orders: Vec<Vec<f64>> = groups.iter().map(|group| sorted(group)).collect();
    let mut distinct = Vec::new();
    let mut start = 0;
    while start < pooled.len() {
        let end = start
            + pooled[start..]
                .iter()
                .take_while(|v| **v == pooled[start])
                .count();
        distinct.push((pooled[start], start as f64, (end - start) as f64));
        start = end;
    }
    let part = |group: &Vec<f64>| {
        let size = group.len() as f64;
        let (mut from, mut sum) = (0, 0.0);
        for &(value, before, ties) in &distinct {
            let equal = group[from..].iter().take_while(|v| **v == value).count();
            let b = before + 0.5 * ties;
            let m = from as f64 + 0.5 * equal as f64;
            let weight = b * (n - b) - 0.25 * n * ties;
            if weight > 0.0 {
                sum += ties * (n * m - b * size).powi(2) / weight;
            }
            from += equal;
        }
        sum / size
    };
    (n - 1.0) / (n * n) * orders.iter().map(part).sum::<f64>()
}

/// Scholz and Stephens' equation 4.
fn statistic_variance(groups: &[&[f64]], total: usize) -> f64 {
    let (n, k) = (total as f64, groups.len() as f64);
    let inverse: f64 = groups.iter().map(|group| 1.0 / group.len() as f64).sum();
    let harmonic: f64 = (1..total).map(|i| 1.0 / i as f64).sum();
    let (mut tail, mut nested) = (0.0, 0.0);
    for i in (2..total).rev() {
        // The sum of 1 / j over j above i, divided by the distance of i - 1 from the end.
        tail += 1.0 / i as f64;
        nested += tail / (n - i as f64 + 1.0);
    }
    let (h, g) = (harmonic, nested);
    let a = (4.0 * g - 6.0) * (k - 1.0) + (10.0 - 6.0 * g) * inverse;
    let b = (2.0 * g - 4.0) * k * k + 8.0 * h * k + (2.0 * g - 14.0 * h - 4.0) * inverse - 8.0 * h
        + 4.0 * g
        - 6.0;
    let c = (6.0 * h + 2.0 * g - 2.0) * k * k
        + (4.0 * h - 4.0 * g + 6.0) * k
        + (2.0 * h - 6.0) * inverse
        + 4.0 * h;
    let d = (2.0 * h + 6.0) * k * k - 4.0 * h * k;
    (((a * n + b) * n + c) * n + d) / ((n - 1.0) * (n - 2.0) * (n - 3.0))
}

/// P(Q > x) for Q the sum over j of chi-squared values with `df` degrees of freedom divided by j (j + 1).
fn limit_tail(x: f64, df: f64) -> f64 {
    /// Weights taken one by one; the rest has the variance of a constant.
    const WEIGHTS: usize = 60;
    const STEP: f64 = 0.05;
    const END: f64 = 4000.0;
    if x <= 0.0 {
        return 1.0;
    }
    let weight = |j: usize| 1.0 / (j as f64 * (j as f64 + 1.0));
    let rest = df / (WEIGHTS as f64 + 1.0);
    let x = x - rest;
    let integrand = |u: f64| {
        let (mut angle, mut log) = (-0.5 * x * u, 0.0);
        for j in 1..=WEIGHTS {
            let product = weight(j) * u;
            angle += 0.5 * df * product.atan();
            log += 0.25 * df * (product * product).ln_1p();
        }
        let slope = 0.5 * (df * (1..=WEIGHTS).map(weight).sum::<f64>() - x);
        match u > 0.0 {
            true => angle.sin() / u * (-log).exp(),
            false => slope,
        }
    };
    let (mut sum, mut u) = (0.5 * integrand(0.0), STEP);
    while u < END {
        let value = integrand(u);
        sum += value;
        if value.abs() < 1e-16 && u > 50.0 {
            break;
        }
        u += STEP;
    }
    (0.5 + sum * STEP / std::f64::consts::PI).clamp(0.0, 1.0)
}
