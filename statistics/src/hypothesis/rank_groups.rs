//! Several groups by ranks: Kruskal and Wallis, Friedman.
//!
//! # References
//! W. H. Kruskal and W. A. Wallis, JASA 47, 1952; M. Friedman, JASA 32, 1937; M. Tomczak and E. Tomczak, Trends Sport Sci. 21, 2014 (epsilon squared).

use super::outcome::{EffectSize, HypothesisError, HypothesisResult, PValueBasis, check_sample};
use super::rank_states::{GroupStates, GroupedRanks, RankArrangements, SubjectArrangements};
use super::rank_sums::SumCounts;
use super::rank_tables::GroupTables;
use super::ranks::{EXACT_RANKS_MAX, ExactChoice};
use super::sample::SampleRanks;
use super::spread::check_groups;
use crate::distribution::chi_squared_sf;
use crate::effect::noncentral_chi_squared_interval;

/// Most steps, of about ten nanoseconds, of a count that is made unasked.
const STEPS_UNASKED: f64 = 1.2e7;
/// Most steps of a count that was asked for; its tables have some 100 MB.
const STEPS_MAX: f64 = 6e7;

/// The share of the arrangements; `None` where the limit for large samples is to be taken.
fn count_arrangements(
    choice: ExactChoice,
    arrangements: Result<impl RankArrangements, HypothesisError>,
) -> Result<Option<f64>, HypothesisError> {
    let (arrangements, limit) = match (choice, arrangements) {
        (ExactChoice::Asymptotic, _) | (ExactChoice::Auto, Err(_)) => return Ok(None),
        (ExactChoice::Auto, Ok(arrangements)) => (arrangements, STEPS_UNASKED),
        (ExactChoice::Exact, arrangements) => (arrangements?, STEPS_MAX),
    };
    match (arrangements.steps(limit) <= limit, choice) {
        (true, _) => Ok(Some(arrangements.upper_tail())),
        (false, ExactChoice::Exact) => Err(HypothesisError::TooMany {
            what: "steps of counting for an exact test",
            limit: STEPS_MAX as usize,
            found: arrangements.steps(f64::INFINITY) as usize,
        }),
        (false, _) => Ok(None),
    }
}

/// The exact p value of Kruskal and Wallis; `None` where it is not to be counted.
fn count_groups(
    ranks: &SampleRanks,
    sizes: &[usize],
    choice: ExactChoice,
) -> Result<Option<f64>, HypothesisError> {
    if let &[first, second] = sizes {
        return count_two_groups(ranks, first, second, choice);
    }
    let grouped = GroupedRanks::new(&ranks.ranks, sizes);
    match sizes.len() {
        ..=4 => count_arrangements(choice, grouped.map(GroupTables::new)),
        _ => count_arrangements(choice, grouped.map(GroupStates)),
    }
}

/// The same for two groups, by the sums of one.
fn count_two_groups(
    ranks: &SampleRanks,
    first: usize,
    second: usize,
    choice: ExactChoice,
) -> Result<Option<f64>, HypothesisError> {
    if !choice.is_exact(first.max(second) <= EXACT_RANKS_MAX) {
        return Ok(None);
    }
    if first.min(second) > 4 * EXACT_RANKS_MAX {
        return Err(HypothesisError::TooMany {
            what: "observations in the smaller group for an exact test",
            limit: 4 * EXACT_RANKS_MAX,
            found: first.min(second),
        });
    }
    let (counts, unit) = SumCounts::of_choices(&ranks.ranks, first);
    let sum: f64 = ranks.ranks[..first].iter().sum();
    let sum = (sum * unit as f64).round() as usize;
    Ok(Some(
        counts.outer_share(sum, unit * first * (first + second + 1)),
    ))
}

/// The Kruskal-Wallis test of whether values of some group tend to be larger than those of others. P values count all arrangements of the (tied) ranks
/// where that takes few steps (three groups of 13, four of 5, five of 3, two of 50), and are chi-squared, corrected for ties, beyond.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, an empty group, observations that are all equal, and an exact p value of too many observations.
pub fn test_kruskal(
    groups: &[&[f64]],
    choice: ExactChoice,
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
    let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let (p, basis) = match count_groups(&ranks, &sizes, choice)? {
        Some(p) => (p, PValueBasis::Exact),
        None => (chi_squared_sf(h, df), PValueBasis::Asymptotic),
    };
    Ok(HypothesisResult::new("Kruskal-Wallis test", "H", h, p)
        .with_df(&[df])
        .with_basis(basis)
        .with_effects(vec![EffectSize {
            name: "epsilon squared",
            symbol: "epsilon2",
            value: h / (n - 1.0),
            interval: interval.map(|ends| ends.map(|end| (end / (n - 1.0)).min(1.0))),
        }]))
}

/// The Friedman test of `columns`, each the values of one condition for the same subjects. P values count all orders within the subjects where that
/// takes few steps (three conditions of 150 subjects, four of 25, five of 9), and are chi-squared, corrected for ties within a subject, beyond.
///
/// # Errors
/// [`HypothesisError`] for fewer than three conditions, fewer than two subjects, columns of different length, subjects whose values are all equal, and
/// an exact p value of too many subjects.
pub fn test_friedman(
    columns: &[&[f64]],
    choice: ExactChoice,
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
    let mut rows = Vec::with_capacity(subjects);
    for subject in 0..subjects {
        let row: Vec<f64> = columns.iter().map(|column| column[subject]).collect();
        let ranks = SampleRanks::new(&row);
        ties += ranks.tie_sum();
        for (sum, rank) in sums.iter_mut().zip(&ranks.ranks) {
            *sum += rank;
        }
        rows.push(ranks.ranks);
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
    let arrangements = SubjectArrangements::new(&rows, columns.len());
    let (p, basis) = match count_arrangements(choice, arrangements)? {
        Some(p) => (p, PValueBasis::Exact),
        None => (chi_squared_sf(statistic, df), PValueBasis::Asymptotic),
    };
    Ok(HypothesisResult::new("Friedman test", "chi2", statistic, p)
        .with_df(&[df])
        .with_basis(basis)
        .with_effects(vec![EffectSize {
            name: "Kendall W",
            symbol: "W",
            value: statistic / (n * df),
            interval: interval.map(|ends| ends.map(|end| (end / (n * df)).min(1.0))),
        }]))
}

#[cfg(test)]
mod tests;
