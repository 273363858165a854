//! What the tools of tests share: records of results, data by groups, and words.

pub(crate) mod faults;
pub(crate) mod samples;
pub(crate) mod words;

use statistics::hypothesis::{
    Alternative, EffectSize, HypothesisResult, PValueBasis, test_shapiro,
};

use crate::prelude::*;

/// P values below it speak against an assumption.
pub(crate) const ASSUMPTION_LEVEL: f64 = 0.05;

/// Which values speak against the hypothesis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TestSide {
    /// Those on either side.
    #[default]
    #[value(alias = "two-sided")]
    TwoSided,
    /// Those below.
    Less,
    /// Those above.
    Greater,
}

impl From<TestSide> for Alternative {
    fn from(side: TestSide) -> Self {
        match side {
            TestSide::TwoSided => Self::TwoSided,
            TestSide::Less => Self::Less,
            TestSide::Greater => Self::Greater,
        }
    }
}

/// How p values of several tests are corrected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum CorrectionName {
    /// Not at all.
    None,
    /// Times the number of tests.
    Bonferroni,
    /// Bonferroni by steps.
    #[default]
    Holm,
    /// Holm's steps from the other end.
    Hochberg,
    /// Benjamini and Hochberg: the share of false findings.
    #[value(alias = "fdr", alias = "benjamini_hochberg")]
    Bh,
    /// Benjamini and Yekutieli: that share, whatever the dependence.
    #[value(alias = "benjamini_yekutieli")]
    By,
}

impl From<CorrectionName> for statistics::hypothesis::PValueCorrection {
    fn from(name: CorrectionName) -> Self {
        match name {
            CorrectionName::None => Self::None,
            CorrectionName::Bonferroni => Self::Bonferroni,
            CorrectionName::Holm => Self::Holm,
            CorrectionName::Hochberg => Self::Hochberg,
            CorrectionName::Bh => Self::BenjaminiHochberg,
            CorrectionName::By => Self::BenjaminiYekutieli,
        }
    }
}

/// The size of an effect with its interval.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct EffectRecord {
    /// Its name, such as `Cohen d`.
    pub name: String,
    /// The letters by which it is reported, such as `d`.
    pub symbol: String,
    /// The estimate, without a unit.
    pub value: Real,
    /// Lower end of its two-sided interval; null where no interval is known.
    pub low: Option<Real>,
    /// Upper end.
    pub high: Option<Real>,
}

impl EffectRecord {
    pub(crate) fn new(effect: &EffectSize) -> Self {
        Self {
            name: effect.name.to_owned(),
            symbol: effect.symbol.to_owned(),
            value: Real(effect.value),
            low: effect.interval.map(|ends| Real(ends[0])),
            high: effect.interval.map(|ends| Real(ends[1])),
        }
    }

    pub(crate) fn list(effects: &[EffectSize]) -> Vec<Self> {
        effects.iter().map(Self::new).collect()
    }
}

/// What a test is about, with its confidence interval.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct EstimateRecord {
    /// What it is, such as `difference of means`: that of the first group less that of the second.
    pub name: String,
    /// The estimate.
    pub value: Real,
    /// Its value under the hypothesis.
    pub null: f64,
    /// Lower end of the confidence interval; infinite for one side, null where no interval is known.
    pub low: Option<Real>,
    /// Upper end.
    pub high: Option<Real>,
}

impl EstimateRecord {
    pub(crate) fn of(result: &HypothesisResult) -> Option<Self> {
        let estimate = result.estimate.as_ref()?;
        Some(Self {
            name: estimate.name.to_owned(),
            value: Real(estimate.value),
            null: estimate.null,
            low: estimate.interval.map(|ends| Real(ends[0])),
            high: estimate.interval.map(|ends| Real(ends[1])),
        })
    }
}

/// A test in one line: the robust alternative, or one of several.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct TestLine {
    /// Name of the test.
    pub test: String,
    /// Letter of its statistic.
    pub statistic_name: String,
    /// The statistic.
    pub statistic: Real,
    /// Degrees of freedom.
    pub df: Vec<f64>,
    /// P value.
    pub p: f64,
    /// Name of the effect size.
    pub effect_name: Option<String>,
    /// The effect size.
    pub effect: Option<Real>,
}

impl TestLine {
    pub(crate) fn new(result: &HypothesisResult) -> Self {
        let effect = result.effects.first();
        Self {
            test: result.name.to_owned(),
            statistic_name: result.symbol.to_owned(),
            statistic: Real(result.statistic),
            df: result.df.clone(),
            p: result.p,
            effect_name: effect.map(|effect| effect.name.to_owned()),
            effect: effect.map(|effect| Real(effect.value)),
        }
    }
}

/// An assumption of a test, checked.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct AssumptionRecord {
    /// What is assumed.
    pub assumption: String,
    /// The test of it.
    pub test: String,
    /// Its statistic.
    pub statistic: Real,
    /// Its p value.
    pub p: f64,
    /// Whether nothing speaks against it at 5 %.
    pub holds: bool,
}

impl AssumptionRecord {
    pub(crate) fn new(assumption: impl Into<String>, result: &HypothesisResult) -> Self {
        Self {
            assumption: assumption.into(),
            test: result.name.to_owned(),
            statistic: Real(result.statistic),
            p: result.p,
            holds: result.p >= ASSUMPTION_LEVEL,
        }
    }

    /// Normality of values by Shapiro and Wilk; `None` for samples that the test does not take.
    pub(crate) fn normality(of: &str, values: &[f64]) -> Option<Self> {
        let result = test_shapiro(values).ok()?;
        Some(Self::new(format!("normal distribution of {of}"), &result))
    }
}

/// The words for where a p value comes from.
pub(crate) fn basis_words(basis: PValueBasis) -> String {
    match basis {
        PValueBasis::Distribution => "distribution of the statistic".to_owned(),
        PValueBasis::Exact => "exact, all arrangements".to_owned(),
        PValueBasis::Asymptotic => "large samples".to_owned(),
        PValueBasis::Corrected => "large samples, with continuity correction".to_owned(),
        PValueBasis::Simulated { draws } => format!("{draws} random arrangements"),
        PValueBasis::Tabulated => "fitted curve or table".to_owned(),
    }
}

/// A group of numbers in one line.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct GroupRecord {
    /// The group.
    pub group: String,
    /// Numbers.
    pub n: usize,
    /// Cells without a number.
    pub missing: usize,
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation with `n - 1`.
    pub sd: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Lower end of the interval of the mean, by Student's t.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl GroupRecord {
    pub(crate) fn new(group: &samples::SampleGroup, confidence: f64) -> Self {
        let summary = statistics::hypothesis::describe_sample(&group.values, confidence);
        Self {
            group: group.label.clone(),
            n: group.values.len(),
            missing: group.missing,
            mean: summary.map(|summary| summary.mean),
            sd: summary.and_then(|summary| summary.deviation),
            median: summary.map(|summary| summary.median),
            low: summary.and_then(|summary| summary.interval.map(|ends| ends[0])),
            high: summary.and_then(|summary| summary.interval.map(|ends| ends[1])),
        }
    }
}

/// A comparison of two groups.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct ComparisonRecord {
    /// First group.
    pub first: String,
    /// Second group.
    pub second: String,
    /// First less second: of means, of mean ranks for Dunn's test, of medians of differences for Wilcoxon's.
    pub difference: Real,
    /// Lower end of its interval; null where none is known.
    pub low: Option<Real>,
    /// Upper end.
    pub high: Option<Real>,
    /// Letter of the statistic.
    pub statistic_name: String,
    /// The statistic.
    pub statistic: Real,
    /// Degrees of freedom; null for statistics without.
    pub df: Option<f64>,
    /// P value, corrected for the number of comparisons.
    pub p: f64,
    /// Name of the effect size.
    pub effect_name: Option<String>,
    /// The effect size.
    pub effect: Option<Real>,
}

impl ComparisonRecord {
    pub(crate) fn new(comparison: &statistics::anova::GroupComparison, labels: &[String]) -> Self {
        let effect = comparison.effect.as_ref();
        Self {
            first: labels[comparison.first].clone(),
            second: labels[comparison.second].clone(),
            difference: Real(comparison.difference),
            low: comparison.interval.map(|ends| Real(ends[0])),
            high: comparison.interval.map(|ends| Real(ends[1])),
            statistic_name: comparison.symbol.to_owned(),
            statistic: Real(comparison.statistic),
            df: comparison.df,
            p: comparison.p,
            effect_name: effect.map(|effect| effect.name.to_owned()),
            effect: effect.map(|effect| Real(effect.value)),
        }
    }
}
