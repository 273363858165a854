//! Means of independent groups: Fisher's and Welch's analysis of variance.
//!
//! # References
//! R. A. Fisher, "Statistical Methods for Research Workers", 1925; B. L. Welch, "On the comparison of several mean values", Biometrika 38, 1951.

use crate::distribution::fisher_f_sf;
use crate::effect::{eta_squared, f_effects, omega_squared};
use crate::hypothesis::sample::{is_constant, mean, variance};
use crate::hypothesis::spread::{GroupSquares, check_groups};
use crate::hypothesis::{HypothesisError, HypothesisResult};

/// One-way analysis of variance of groups of one variance.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, an empty group, and observations that do not vary within groups.
pub fn test_one_way(
    groups: &[&[f64]],
    confidence: f64,
) -> Result<HypothesisResult, HypothesisError> {
    check_groups(groups, 1)?;
    let squares = GroupSquares::new(groups);
    if squares.within <= 0.0 || squares.df2 <= 0.0 {
        return Err(HypothesisError::Constant {
            what: "the observations within the groups",
        });
    }
    let f = squares.f_value();
    let shares = squares.shares();
    let p = fisher_f_sf(f, squares.df1, squares.df2);
    Ok(
        HypothesisResult::new("one-way analysis of variance", "F", f, p)
            .with_df(&[squares.df1, squares.df2])
            .with_effects(vec![
                eta_squared(&shares, confidence),
                omega_squared(&shares, confidence),
            ]),
    )
}

/// Welch's one-way analysis of variance, without the assumption that variances are equal.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, groups of fewer than two, and a constant group.
pub fn test_welch_groups(
    groups: &[&[f64]],
    confidence: f64,
) -> Result<HypothesisResult, HypothesisError> {
    check_groups(groups, 2)?;
    if groups.iter().any(|group| is_constant(group)) {
        return Err(HypothesisError::Constant {
            what: "the observations of a group",
        });
    }
    let k = groups.len() as f64;
    let weights: Vec<f64> = groups
        .iter()
        .map(|g| g.len() as f64 / variance(g))
        .collect();
    let means: Vec<f64> = groups.iter().map(|group| mean(group)).collect();
    let total: f64 = weights.iter().sum();
    // From one of the means, so that a common shift costs no digits.
    let deviations: Vec<f64> = means.iter().map(|value| value - means[0]).collect();
    let centre = weights
        .iter()
        .zip(&deviations)
        .map(|(w, d)| w * d)
        .sum::<f64>()
        / total;
    let pairs = weights.iter().zip(&deviations);
    let between = pairs.map(|(w, d)| w * (d - centre).powi(2)).sum::<f64>() / (k - 1.0);
    let parts = weights.iter().zip(groups);
    let lambda: f64 = parts
        .map(|(w, group)| (1.0 - w / total).powi(2) / (group.len() as f64 - 1.0))
        .sum();
    let f = between / (1.0 + 2.0 * (k - 2.0) / (k * k - 1.0) * lambda);
    let (df1, df2) = (k - 1.0, (k * k - 1.0) / (3.0 * lambda));
    let count: usize = groups.iter().map(|group| group.len()).sum();
    Ok(HypothesisResult::new(
        "Welch analysis of variance",
        "F",
        f,
        fisher_f_sf(f, df1, df2),
    )
    .with_df(&[df1, df2])
    .with_effects(f_effects(f, df1, df2, count as f64, confidence)))
}
