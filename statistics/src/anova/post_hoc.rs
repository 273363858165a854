//! Comparisons of pairs of groups, and of groups with a control.
//!
//! # References
//! J. W. Tukey, 1953; C. Y. Kramer, Biometrics 12, 1956; P. A. Games and J. F. Howell, J. Educ. Stat. 1, 1976; C. W. Dunnett, JASA 50, 1955;
//! O. J. Dunn, Technometrics 6, 1964.

use super::studentised::{DunnettSizes, studentised_range_isf, studentised_range_sf};
use crate::distribution::normal_sf;
use crate::effect::{DifferenceSummary, dominance_effects, pooled_effects};
use crate::hypothesis::sample::{SampleRanks, is_constant, mean, variance};
use crate::hypothesis::spread::{GroupSquares, check_groups};
use crate::hypothesis::{EffectSize, HypothesisError, PValueCorrection, correct_p_values};

/// Most groups of which all pairs are compared.
pub const COMPARED_MAX: usize = 60;

/// A comparison of two groups.
#[derive(Debug, Clone)]
pub struct GroupComparison {
    /// Place of the first group.
    pub first: usize,
    /// Place of the second group.
    pub second: usize,
    /// Mean of the first less that of the second; mean rank for Dunn's test.
    pub difference: f64,
    /// EstimateInterval of the difference, for all comparisons together; none for Dunn's test.
    pub interval: Option<[f64; 2]>,
    /// Letter of the statistic.
    pub symbol: &'static str,
    /// Statistic.
    pub statistic: f64,
    /// Degrees of freedom; none for a normal statistic.
    pub df: Option<f64>,
    /// P value, corrected for the number of comparisons.
    pub p: f64,
    /// Effect size of the pair, where the groups vary.
    pub effect: Option<EffectSize>,
}

fn check_compared(groups: &[&[f64]], needed: usize) -> Result<(), HypothesisError> {
    check_groups(groups, needed)?;
    match groups.len() > COMPARED_MAX {
        true => Err(HypothesisError::TooMany {
            what: "groups of which all pairs are compared",
            limit: COMPARED_MAX,
            found: groups.len(),
        }),
        false => Ok(()),
    }
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

fn pair_effect(x: &[f64], y: &[f64], confidence: f64) -> Option<EffectSize> {
    match x.len() > 1 && y.len() > 1 {
        true => pooled_effects(&DifferenceSummary::new(x, y, 0.0), confidence).pop(),
        false => None,
    }
}

fn pooled_variance(groups: &[&[f64]]) -> Result<(f64, f64), HypothesisError> {
    let squares = GroupSquares::new(groups);
    match squares.within > 0.0 && squares.df2 > 0.0 {
        true => Ok((squares.within / squares.df2, squares.df2)),
        false => Err(HypothesisError::Constant {
            what: "the observations within the groups",
        }),
    }
}

/// Tukey's honest significant differences of all pairs, with Kramer's form for groups of different size.
///
/// # Errors
/// [`HypothesisError`] for fewer than two or more than [`COMPARED_MAX`] groups, and observations that do not vary within groups.
pub fn compare_tukey(
    groups: &[&[f64]],
    confidence: f64,
) -> Result<Vec<GroupComparison>, HypothesisError> {
    check_compared(groups, 1)?;
    let (within, df) = pooled_variance(groups)?;
    let quantile = studentised_range_isf(1.0 - confidence, groups.len(), df);
    let compare = |(first, second): (usize, usize)| {
        let (x, y) = (groups[first], groups[second]);
        let difference = mean(x) - mean(y);
        let sizes = 1.0 / x.len() as f64 + 1.0 / y.len() as f64;
        let error = (0.5 * within * sizes).sqrt();
        let q = difference.abs() / error;
        GroupComparison {
            first,
            second,
            difference,
            interval: Some([difference - quantile * error, difference + quantile * error]),
            symbol: "q",
            statistic: q,
            df: Some(df),
            p: studentised_range_sf(q, groups.len(), df),
            effect: pair_effect(x, y, confidence),
        }
    };
    Ok(pairs(groups.len()).map(compare).collect())
}

/// The comparisons of Games and Howell of all pairs, for groups of different variance.
///
/// # Errors
/// [`HypothesisError`] for fewer than two or more than [`COMPARED_MAX`] groups, groups of fewer than two, and two constant groups.
pub fn compare_games_howell(
    groups: &[&[f64]],
    confidence: f64,
) -> Result<Vec<GroupComparison>, HypothesisError> {
    check_compared(groups, 2)?;
    if groups.iter().filter(|group| is_constant(group)).count() > 1 {
        return Err(HypothesisError::Constant {
            what: "the observations of two groups",
        });
    }
    let compare = |(first, second): (usize, usize)| {
        let (x, y) = (groups[first], groups[second]);
        let (n, m) = (x.len() as f64, y.len() as f64);
        let (a, b) = (variance(x) / n, variance(y) / m);
        let difference = mean(x) - mean(y);
        let error = (0.5 * (a + b)).sqrt();
        let (share_a, share_b) = (a / (a + b), b / (a + b));
        let df = 1.0 / (share_a * share_a / (n - 1.0) + share_b * share_b / (m - 1.0));
        let q = difference.abs() / error;
        let reach = error * studentised_range_isf(1.0 - confidence, groups.len(), df);
        GroupComparison {
            first,
            second,
            difference,
            interval: Some([difference - reach, difference + reach]),
            symbol: "q",
            statistic: q,
            df: Some(df),
            p: studentised_range_sf(q, groups.len(), df),
            effect: pair_effect(x, y, confidence),
        }
    };
    Ok(pairs(groups.len()).map(compare).collect())
}

/// Dunnett's comparisons of every other group with the one at the place `control`.
///
/// # Errors
/// As [`compare_tukey`], and for a place that is none.
pub fn compare_dunnett(
    groups: &[&[f64]],
    control: usize,
    confidence: f64,
) -> Result<Vec<GroupComparison>, HypothesisError> {
    check_compared(groups, 1)?;
    if control >= groups.len() {
        return Err(HypothesisError::TooMany {
            what: "as the place of the control",
            limit: groups.len() - 1,
            found: control,
        });
    }
    let (within, df) = pooled_variance(groups)?;
    let base = groups[control];
    let others: Vec<usize> = (0..groups.len()).filter(|at| *at != control).collect();
    let counts: Vec<f64> = others.iter().map(|&at| groups[at].len() as f64).collect();
    let sizes = DunnettSizes::new(&counts, base.len() as f64);
    let quantile = sizes.two_sided_isf(1.0 - confidence, df);
    let compare = |&first: &usize| {
        let x = groups[first];
        let difference = mean(x) - mean(base);
        let error = (within * (1.0 / x.len() as f64 + 1.0 / base.len() as f64)).sqrt();
        let t = difference / error;
        GroupComparison {
            first,
            second: control,
            difference,
            interval: Some([difference - quantile * error, difference + quantile * error]),
            symbol: "t",
            statistic: t,
            df: Some(df),
            p: sizes.two_sided_sf(t.abs(), df),
            effect: pair_effect(x, base, confidence),
        }
    };
    Ok(others.iter().map(compare).collect())
}

/// Dunn's comparisons of mean ranks of all pairs.
///
/// # Errors
/// [`HypothesisError`] for fewer than two or more than [`COMPARED_MAX`] groups, and observations that are all equal.
pub fn compare_dunn(
    groups: &[&[f64]],
    correction: PValueCorrection,
    confidence: f64,
) -> Result<Vec<GroupComparison>, HypothesisError> {
    check_compared(groups, 1)?;
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
    let spread = n * (n + 1.0) / 12.0 - ranks.tie_sum() / (12.0 * (n - 1.0));
    let mut start = 0;
    let means: Vec<f64> = groups
        .iter()
        .map(|group| {
            let own = &ranks.ranks[start..start + group.len()];
            start += group.len();
            mean(own)
        })
        .collect();
    let compare = |(first, second): (usize, usize)| {
        let (x, y) = (groups[first], groups[second]);
        let sizes = 1.0 / x.len() as f64 + 1.0 / y.len() as f64;
        let difference = means[first] - means[second];
        let z = difference / (spread * sizes).sqrt();
        GroupComparison {
            first,
            second,
            difference,
            interval: None,
            symbol: "z",
            statistic: z,
            df: None,
            p: 2.0 * normal_sf(z.abs()),
            effect: dominance(x, y, confidence),
        }
    };
    let mut comparisons: Vec<GroupComparison> = pairs(groups.len()).map(compare).collect();
    let p: Vec<f64> = comparisons.iter().map(|comparison| comparison.p).collect();
    for (comparison, p) in comparisons.iter_mut().zip(correct_p_values(&p, correction)) {
        comparison.p = p;
    }
    Ok(comparisons)
}

fn dominance(x: &[f64], y: &[f64], confidence: f64) -> Option<EffectSize> {
    let pooled: Vec<f64> = x.iter().chain(y).copied().collect();
    let sum: f64 = SampleRanks::new(&pooled).ranks[..x.len()].iter().sum();
    let (n, m) = (x.len() as f64, y.len() as f64);
    let share = (sum - 0.5 * n * (n + 1.0)) / (n * m);
    dominance_effects(share, n, m, confidence)
        .into_iter()
        .next()
}
