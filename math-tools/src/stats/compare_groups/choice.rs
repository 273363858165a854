//! Which test, and why.

use statistics::anova::{analyse_repeated, test_one_way, test_welch_groups};
use statistics::hypothesis::*;

use crate::stats::reporting::AssumptionRecord;
use crate::stats::reporting::samples::{SampleGroup, group_slices};

/// Groups at least so large have means that are nearly normal, unless the data are very skewed.
const LARGE_GROUP: usize = 30;
/// Smallest group for the t approximation of Brunner and Munzel's test.
const BRUNNER_LEAST: usize = 10;
/// Fewer different values than this are grades rather than measurements.
const GRADES_MAX: usize = 6;

/// The tests that are chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupTest {
    Welch,
    BrunnerMunzel,
    MannWhitney,
    OneWay,
    WelchAnova,
    Kruskal,
    Paired,
    Wilcoxon,
    Repeated,
    Friedman,
}

/// What a test of groups is given.
pub(crate) struct GroupSetting<'a> {
    pub groups: &'a [SampleGroup],
    pub is_paired: bool,
    pub confidence: f64,
}

/// A test with the reasons for it and the assumptions that were checked.
pub(crate) struct GroupChoice {
    pub test: GroupTest,
    pub robust: GroupTest,
    pub reason: String,
    pub assumptions: Vec<AssumptionRecord>,
}

/// How the values look: normal, too few to tell, or not.
struct ValueShape {
    assumptions: Vec<AssumptionRecord>,
    is_normal: bool,
    smallest: usize,
    distinct: usize,
}

impl ValueShape {
    fn new(setting: &GroupSetting) -> Self {
        let groups = group_slices(setting.groups);
        let mut assumptions = Vec::new();
        match (setting.is_paired, &groups[..]) {
            (true, [x, y]) => {
                let differences: Vec<f64> = x.iter().zip(*y).map(|(x, y)| x - y).collect();
                assumptions.extend(AssumptionRecord::normality("the differences", &differences));
            }
            (true, _) => {
                let residuals = subject_residuals(&groups);
                assumptions.extend(AssumptionRecord::normality("the residuals", &residuals));
            }
            (false, _) => {
                let records = setting.groups.iter().filter_map(|group| {
                    AssumptionRecord::normality(&format!("`{}`", group.label), &group.values)
                });
                assumptions.extend(records);
            }
        }
        let mut all: Vec<f64> = groups
            .iter()
            .flat_map(|group| group.iter().copied())
            .collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        Self {
            is_normal: assumptions.iter().all(|record| record.holds),
            assumptions,
            smallest: groups.iter().map(|group| group.len()).min().unwrap_or(0),
            distinct: all.len(),
        }
    }

    fn has_grades(&self) -> bool {
        self.distinct <= GRADES_MAX
    }

    /// Why means may be compared; `None` where they may not.
    fn words_for_means(&self) -> Option<String> {
        if self.has_grades() {
            return None;
        }
        match (self.is_normal, self.smallest >= LARGE_GROUP) {
            (true, _) if self.assumptions.is_empty() => None,
            (true, _) => Some("nothing speaks against normal distributions".to_owned()),
            (false, true) => Some(format!(
                "the values are not normal, but every group has at least {LARGE_GROUP}, so that means are"
            )),
            (false, false) => None,
        }
    }

    fn words_for_ranks(&self) -> String {
        match (self.has_grades(), self.is_normal) {
            (true, _) => format!(
                "there are only {} different values, so that ranks are compared",
                self.distinct
            ),
            (false, false) => {
                "the values are not normal and a group is small, so that ranks are compared"
                    .to_owned()
            }
            (false, true) => {
                "the groups are too small to check their distribution, so that ranks are compared"
                    .to_owned()
            }
        }
    }
}

/// Values less the means of their subject and condition.
fn subject_residuals(columns: &[&[f64]]) -> Vec<f64> {
    let (subjects, width) = (columns[0].len(), columns.len() as f64);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = columns.iter().map(|column| mean(column)).collect();
    let all = mean(&means);
    let own = |subject: usize| columns.iter().map(|column| column[subject]).sum::<f64>() / width;
    (0..subjects)
        .flat_map(|subject| {
            let own = own(subject);
            let residual = |(column, mean): (&&[f64], &f64)| column[subject] - own - mean + all;
            columns
                .iter()
                .zip(&means)
                .map(residual)
                .collect::<Vec<f64>>()
        })
        .collect()
}

impl GroupChoice {
    /// Chooses a test by the number of groups, pairs, distributions, variances and sizes.
    pub(crate) fn new(setting: &GroupSetting) -> Self {
        let shape = ValueShape::new(setting);
        let count = setting.groups.len();
        match (setting.is_paired, count) {
            (true, 2) => Self::of_pairs(shape),
            (true, _) => Self::of_conditions(shape, count),
            (false, 2) => Self::of_two(shape),
            (false, _) => Self::of_several(shape, setting),
        }
    }

    fn of_two(shape: ValueShape) -> Self {
        let means = shape.words_for_means();
        let (test, robust, why) = match means {
            Some(why) => (
                GroupTest::Welch,
                GroupTest::MannWhitney,
                format!("{why}; Welch's form does not need equal variances"),
            ),
            None if shape.smallest >= BRUNNER_LEAST => (
                GroupTest::BrunnerMunzel,
                GroupTest::MannWhitney,
                format!(
                    "{}, by a test that does not need equal spreads",
                    shape.words_for_ranks()
                ),
            ),
            None => (
                GroupTest::MannWhitney,
                GroupTest::Welch,
                shape.words_for_ranks(),
            ),
        };
        Self {
            test,
            robust,
            reason: format!("two independent groups; {why}"),
            assumptions: shape.assumptions,
        }
    }

    fn of_several(shape: ValueShape, setting: &GroupSetting) -> Self {
        let groups = group_slices(setting.groups);
        let count = groups.len();
        let Some(why) = shape.words_for_means() else {
            return Self {
                test: GroupTest::Kruskal,
                robust: GroupTest::WelchAnova,
                reason: format!("{count} independent groups; {}", shape.words_for_ranks()),
                assumptions: shape.assumptions,
            };
        };
        let mut assumptions = shape.assumptions;
        let spread = test_spread(&groups, SpreadCentre::Median, setting.confidence).ok();
        let record =
            spread.map(|result| AssumptionRecord::new("equal variances of the groups", &result));
        let is_equal = record.as_ref().is_some_and(|record| record.holds);
        assumptions.extend(record);
        let (test, robust, variances) = match is_equal {
            true => (
                GroupTest::OneWay,
                GroupTest::WelchAnova,
                "the variances look equal",
            ),
            false => (
                GroupTest::WelchAnova,
                GroupTest::Kruskal,
                "the variances differ, which Welch's form allows",
            ),
        };
        Self {
            test,
            robust,
            reason: format!("{count} independent groups; {why}; {variances}"),
            assumptions,
        }
    }

    fn of_pairs(shape: ValueShape) -> Self {
        let (test, robust, why) = match shape.words_for_means() {
            Some(why) => (GroupTest::Paired, GroupTest::Wilcoxon, why),
            None => (
                GroupTest::Wilcoxon,
                GroupTest::Paired,
                shape.words_for_ranks(),
            ),
        };
        Self {
            test,
            robust,
            reason: format!("two values of each subject; {why}"),
            assumptions: shape.assumptions,
        }
    }

    fn of_conditions(shape: ValueShape, count: usize) -> Self {
        let (test, robust, why) = match shape.words_for_means() {
            Some(why) => (GroupTest::Repeated, GroupTest::Friedman, why),
            None => (
                GroupTest::Friedman,
                GroupTest::Repeated,
                shape.words_for_ranks(),
            ),
        };
        Self {
            test,
            robust,
            reason: format!("{count} values of each subject; {why}"),
            assumptions: shape.assumptions,
        }
    }
}

impl GroupTest {
    /// Runs the test.
    pub(crate) fn run(self, setting: &GroupSetting) -> Result<HypothesisResult, HypothesisError> {
        let groups = group_slices(setting.groups);
        let options = TestOptions {
            confidence: setting.confidence,
            ..TestOptions::default()
        };
        let ranks = RankMethod::default();
        match (self, &groups[..]) {
            (Self::Welch, [x, y]) => test_welch(x, y, &options),
            (Self::BrunnerMunzel, [x, y]) => test_brunner_munzel(x, y, &options)
                .or_else(|_| test_mann_whitney(x, y, ranks, &options)),
            (Self::MannWhitney, [x, y]) => test_mann_whitney(x, y, ranks, &options),
            (Self::Paired, [x, y]) => test_pairs(x, y, &options),
            (Self::Wilcoxon, [x, y]) => {
                let differences: Vec<f64> = x.iter().zip(*y).map(|(x, y)| x - y).collect();
                test_signed_ranks(&differences, ranks, &options)
            }
            (Self::OneWay, _) => test_one_way(&groups, setting.confidence),
            (Self::WelchAnova, _) => test_welch_groups(&groups, setting.confidence),
            (Self::Kruskal, _) => test_kruskal(&groups, ranks.choice, setting.confidence),
            (Self::Repeated, _) => run_repeated(&groups, setting.confidence),
            (Self::Friedman, _) => test_friedman(&groups, ranks.choice, setting.confidence),
            _ => test_kruskal(&groups, ranks.choice, setting.confidence),
        }
    }
}

/// Analysis of variance of repeated measures, with Greenhouse and Geisser's correction unless conditions are spherical.
fn run_repeated(groups: &[&[f64]], confidence: f64) -> Result<HypothesisResult, HypothesisError> {
    let analysis = analyse_repeated(groups, confidence)?;
    let is_spherical = analysis.mauchly.is_some_and(|test| test.p >= 0.05);
    let epsilon = if is_spherical {
        1.0
    } else {
        analysis.greenhouse_geisser
    };
    let note = match (is_spherical, analysis.mauchly) {
        (true, Some(test)) => format!(
            "Mauchly's test of sphericity: W = {:.3}, p = {:.3}",
            test.w, test.p
        ),
        (false, Some(test)) => format!(
            "Mauchly's test of sphericity: W = {:.3}, p = {:.3}; degrees of freedom times Greenhouse and Geisser's epsilon {epsilon:.3}",
            test.w, test.p
        ),
        (_, None) => {
            format!("degrees of freedom times Greenhouse and Geisser's epsilon {epsilon:.3}")
        }
    };
    Ok(HypothesisResult {
        name: "analysis of variance of repeated measures",
        symbol: "F",
        statistic: analysis.f,
        df: vec![epsilon * analysis.df1, epsilon * analysis.df2],
        p: if is_spherical {
            analysis.p
        } else {
            analysis.p_greenhouse_geisser
        },
        basis: PValueBasis::Distribution,
        alternative: Alternative::TwoSided,
        estimate: None,
        effects: analysis.effects,
        notes: vec![note],
    })
}
