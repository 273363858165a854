//! Variances compared: Levene, Brown and Forsythe, Bartlett.
//!
//! # References
//! H. Levene, in "Contributions to Probability and Statistics", 1960; M. B. Brown and A. B. Forsythe, JASA 69, 1974;
//! M. S. Bartlett, Proc. R. Soc. A 160, 1937.

use super::outcome::{EffectSize, HypothesisError, HypothesisResult, PValueBasis, check_sample};
use super::sample::{is_constant, mean, median, squared_deviations, variance};
use crate::distribution::{chi_squared_sf, fisher_f_sf};
use crate::effect::{VarianceShares, eta_squared};

/// What deviations are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpreadCentre {
    /// The mean: Levene's test.
    Mean,
    /// The median: the test of Brown and Forsythe, which stands skewed data.
    Median,
}

/// Refuses fewer than two groups, and groups of fewer than `needed`.
pub(crate) fn check_groups(groups: &[&[f64]], needed: usize) -> Result<(), HypothesisError> {
    if groups.len() < 2 {
        return Err(HypothesisError::TooFew {
            what: "groups",
            needed: 2,
            found: groups.len(),
        });
    }
    groups
        .iter()
        .try_for_each(|group| check_sample(group, needed, "observations in each group"))
}

/// Sums of squares between and within groups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupSquares {
    pub between: f64,
    pub within: f64,
    pub df1: f64,
    pub df2: f64,
    pub count: f64,
}

impl GroupSquares {
    pub(crate) fn new(groups: &[&[f64]]) -> Self {
        let all: Vec<f64> = groups
            .iter()
            .flat_map(|group| group.iter().copied())
            .collect();
        let centre = mean(&all);
        let between = groups
            .iter()
            .map(|group| group.len() as f64 * (mean(group) - centre).powi(2))
            .sum();
        Self {
            between,
            within: groups.iter().map(|group| squared_deviations(group)).sum(),
            df1: groups.len() as f64 - 1.0,
            df2: (all.len() - groups.len()) as f64,
            count: all.len() as f64,
        }
    }

    pub(crate) fn f_value(&self) -> f64 {
        (self.between / self.df1) / (self.within / self.df2)
    }

    pub(crate) fn shares(&self) -> VarianceShares {
        VarianceShares {
            term_squares: self.between,
            term_df: self.df1,
            error_squares: self.within,
            error_df: self.df2,
            total_squares: self.between + self.within,
            count: self.count,
        }
    }
}

/// The test of Levene or of Brown and Forsythe: analysis of variance of the absolute deviations.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, groups of fewer than two, and groups in none of which the deviations differ.
pub fn test_spread(
    groups: &[&[f64]],
    centre: SpreadCentre,
    confidence: f64,
) -> Result<HypothesisResult, HypothesisError> {
    check_groups(groups, 2)?;
    let deviations: Vec<Vec<f64>> = groups
        .iter()
        .map(|group| {
            let middle = match centre {
                SpreadCentre::Mean => mean(group),
                SpreadCentre::Median => median(group),
            };
            group.iter().map(|value| (value - middle).abs()).collect()
        })
        .collect();
    let deviations: Vec<&[f64]> = deviations.iter().map(Vec::as_slice).collect();
    let squares = GroupSquares::new(&deviations);
    let size: f64 = deviations
        .iter()
        .flat_map(|d| d.iter())
        .map(|d| d * d)
        .sum();
    if squares.within <= 1e-24 * size {
        return Err(HypothesisError::Constant {
            what: "the absolute deviations within the groups",
        });
    }
    let name = match centre {
        SpreadCentre::Mean => "Levene test",
        SpreadCentre::Median => "Brown-Forsythe test",
    };
    let f = squares.f_value();
    let p = fisher_f_sf(f, squares.df1, squares.df2);
    Ok(HypothesisResult::new(name, "F", f, p)
        .with_df(&[squares.df1, squares.df2])
        .with_effects(vec![eta_squared(&squares.shares(), confidence)]))
}

/// Bartlett's test of equal variances of normal groups.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, groups of fewer than two, and a constant group.
pub fn test_bartlett(groups: &[&[f64]]) -> Result<HypothesisResult, HypothesisError> {
    check_groups(groups, 2)?;
    if groups.iter().any(|group| is_constant(group)) {
        return Err(HypothesisError::Constant {
            what: "the observations of a group",
        });
    }
    let k = groups.len() as f64;
    let total: f64 = groups.iter().map(|group| group.len() as f64).sum();
    let free = |group: &[f64]| group.len() as f64 - 1.0;
    let variances: Vec<f64> = groups.iter().map(|group| variance(group)).collect();
    let pooled = groups.iter().zip(&variances).map(|(g, v)| free(g) * v);
    let pooled = pooled.sum::<f64>() / (total - k);
    let logs = groups
        .iter()
        .zip(&variances)
        .map(|(g, v)| free(g) * (pooled / v).ln());
    let inverse: f64 = groups.iter().map(|group| 1.0 / free(group)).sum();
    let correction = 1.0 + (inverse - 1.0 / (total - k)) / (3.0 * (k - 1.0));
    let statistic = logs.sum::<f64>() / correction;
    let least = variances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = variances.iter().copied().fold(0.0, f64::max);
    Ok(HypothesisResult::new(
        "Bartlett test",
        "K2",
        statistic,
        chi_squared_sf(statistic, k - 1.0),
    )
    .with_df(&[k - 1.0])
    .with_basis(PValueBasis::Asymptotic)
    .with_effects(vec![EffectSize {
        name: "largest by smallest variance",
        symbol: "ratio",
        value: most / least,
        interval: None,
    }]))
}
