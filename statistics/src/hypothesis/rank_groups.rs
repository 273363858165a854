//! Several groups by ranks: Kruskal and Wallis, Friedman.
//!
//! # References
//! W. H. Kruskal and W. A. Wallis, JASA 47, 1952; M. Friedman, JASA 32, 1937; M. Tomczak and E. Tomczak, Trends Sport Sci. 21, 2014 (epsilon squared).

use super::outcome::{EffectSize, HypothesisError, HypothesisResult, PValueBasis, check_sample};
use super::sample::SampleRanks;
use super::spread::check_groups;
use crate::distribution::chi_squared_sf;
use crate::effect::noncentral_chi_squared_interval;

/// The Kruskal-Wallis test of whether values of some group tend to be larger than those of others; chi-squared, corrected for ties.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, an empty group, and observations that are all equal.
pub fn test_kruskal(
    groups: &[&[f64]],
    confidence: f64,
) -> Result<HypothesisResult, HypothesisError> {
    check_groups(groups, 1)?;
    let all: Vec<f64> = groups
        .iter()
        .flat_map(|group| group.iter().copied())
        .collect();
    let ranks = SampleRanks::new(&all);
    if ranks.groups.len() == 1 {
        return Err(HypothesisError::Constant {
            what: "the observations",
        });
    }
    let n = all.len() as f64;
    let middle = 0.5 * (n + 1.0);
    let (mut start, mut sum) = (0, 0.0);
    for group in groups {
        let own = &ranks.ranks[start..start + group.len()];
        let mean = own.iter().map(|rank| rank - middle).sum::<f64>() / own.len() as f64;
        sum += own.len() as f64 * mean * mean;
        start += group.len();
    }
    let ties = 1.0 - ranks.tie_sum() / (n * n * n - n);
    let h = 12.0 / (n * (n + 1.0)) * sum / ties;
    let df = groups.len() as f64 - 1.0;
    let interval = noncentral_chi_squared_interval(h, df, confidence);
    Ok(
        HypothesisResult::new("Kruskal-Wallis test", "H", h, chi_squared_sf(h, df))
            .with_df(&[df])
            .with_basis(PValueBasis::Asymptotic)
            .with_effects(vec![EffectSize {
                name: "epsilon squared",
                symbol: "epsilon2",
                value: h / (n - 1.0),
                interval: interval.map(|ends| ends.map(|end| (end / (n - 1.0)).min(1.0))),
            }]),
    )
}

/// The Friedman test of `columns`, each the values of one condition for the same subjects; chi-squared, corrected for ties within a subject.
///
/// # Errors
/// [`HypothesisError`] for fewer than three conditions, fewer than two subjects, columns of different length, and subjects whose values are all equal.
pub fn test_friedman(
    columns: &[&[f64]],
    confidence: f64,
) -> Result<HypothesisResult, HypothesisError> {
    if columns.len() < 3 {
        return Err(HypothesisError::TooFew {
            what: "conditions",
            needed: 3,
            found: columns.len(),
        });
    }
    let subjects = columns[0].len();
    for column in columns {
        check_sample(column, 2, "subjects")?;
        if column.len() != subjects {
            return Err(HypothesisError::Lengths {
                first: subjects,
                second: column.len(),
            });
        }
    }
    let (k, n) = (columns.len() as f64, subjects as f64);
    let mut sums = vec![0.0; columns.len()];
    let mut ties = 0.0;
    for subject in 0..subjects {
        let row: Vec<f64> = columns.iter().map(|column| column[subject]).collect();
        let ranks = SampleRanks::new(&row);
        ties += ranks.tie_sum();
        for (sum, rank) in sums.iter_mut().zip(&ranks.ranks) {
            *sum += rank;
        }
    }
    let middle = 0.5 * n * (k + 1.0);
    let squares: f64 = sums.iter().map(|sum| (sum - middle).powi(2)).sum();
    let spread = n * k * (k + 1.0) - ties / (k - 1.0);
    if spread <= 0.0 {
        return Err(HypothesisError::Constant {
            what: "the values within each subject",
        });
    }
    let statistic = 12.0 * squares / spread;
    let df = k - 1.0;
    let interval = noncentral_chi_squared_interval(statistic, df, confidence);
    Ok(HypothesisResult::new(
        "Friedman test",
        "chi2",
        statistic,
        chi_squared_sf(statistic, df),
    )
    .with_df(&[df])
    .with_basis(PValueBasis::Asymptotic)
    .with_effects(vec![EffectSize {
        name: "Kendall W",
        symbol: "W",
        value: statistic / (n * df),
        interval: interval.map(|ends| ends.map(|end| (end / (n * df)).min(1.0))),
    }]))
}
