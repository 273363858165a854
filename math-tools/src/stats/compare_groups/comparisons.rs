//! All pairs of more than two groups.

use statistics::anova::{
    COMPARED_MAX, GroupComparison, compare_dunn, compare_games_howell, compare_tukey,
};
use statistics::hypothesis::*;

use super::choice::{GroupSetting, GroupTest};
use crate::stats::reporting::ComparisonRecord;
use crate::stats::reporting::samples::group_slices;

/// Comparisons with the name of their method.
pub(crate) struct PairMethod {
    pub method: String,
    pub records: Vec<ComparisonRecord>,
}

/// The comparisons that belong to a test; `None` for too many groups, and where a pair cannot be compared.
pub(crate) fn compare_pairs(
    test: GroupTest,
    setting: &GroupSetting,
    correction: PValueCorrection,
) -> Option<PairMethod> {
    let groups = group_slices(setting.groups);
    if groups.len() > COMPARED_MAX {
        return None;
    }
    let confidence = setting.confidence;
    let (method, comparisons) = match test {
        GroupTest::OneWay => ("Tukey HSD", compare_tukey(&groups, confidence).ok()?),
        GroupTest::WelchAnova => (
            "Games-Howell",
            compare_games_howell(&groups, confidence).ok()?,
        ),
        GroupTest::Repeated => (
            "paired t tests, corrected",
            paired_comparisons(&groups, GroupTest::Paired, confidence, correction)?,
        ),
        GroupTest::Friedman => (
            "Wilcoxon signed-rank tests, corrected",
            paired_comparisons(&groups, GroupTest::Wilcoxon, confidence, correction)?,
        ),
        _ => (
            "Dunn tests, corrected",
            compare_dunn(&groups, correction, confidence).ok()?,
        ),
    };
    let labels: Vec<String> = setting
        .groups
        .iter()
        .map(|group| group.label.clone())
        .collect();
    Some(PairMethod {
        method: method.to_owned(),
        records: comparisons
            .iter()
            .map(|it| ComparisonRecord::new(it, &labels))
            .collect(),
    })
}

/// Tests of the differences of all pairs of conditions.
fn paired_comparisons(
    groups: &[&[f64]],
    test: GroupTest,
    confidence: f64,
    correction: PValueCorrection,
) -> Option<Vec<GroupComparison>> {
    let options = TestOptions {
        confidence,
        ..TestOptions::default()
    };
    let mut comparisons = Vec::new();
    for first in 0..groups.len() {
        for second in first + 1..groups.len() {
            let (x, y) = (groups[first], groups[second]);
            let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
            let result = match test {
                GroupTest::Paired => test_pairs(x, y, &options),
                _ => test_signed_ranks(&differences, RankMethod::default(), &options),
            };
            let result = result.ok()?;
            let estimate = result.estimate?;
            comparisons.push(GroupComparison {
                first,
                second,
                difference: estimate.value,
                interval: estimate.interval,
                symbol: result.symbol,
                statistic: result.statistic,
                df: result.df.first().copied(),
                p: result.p,
                effect: result.effects.into_iter().next(),
            });
        }
    }
    let p: Vec<f64> = comparisons.iter().map(|comparison| comparison.p).collect();
    for (comparison, p) in comparisons.iter_mut().zip(correct_p_values(&p, correction)) {
        comparison.p = p;
    }
    Some(comparisons)
}
