//! Each test with its data.

use statistics::anova::{test_one_way, test_welch_groups};
use statistics::distribution::normal_sf;
use statistics::hypothesis::*;

use super::data::TestData;
use super::names::TestName;
use super::{Args, ReferenceDistribution, TrendName};
use crate::call_watch::CallWatch;
use crate::prelude::*;
use crate::stats::reporting::samples::{SampleGroup, group_slices};

type TestOutcome = Result<HypothesisResult, HypothesisError>;

/// The options of a call, as tests take them.
pub(crate) struct TestSettings<'a> {
    pub args: &'a Args,
    /// Whether all arrangements are counted; absent: where they are few.
    pub exact: Option<bool>,
    pub options: TestOptions,
    pub draws: PermutationDraws,
    pub watch: CallWatch<'a>,
}

impl<'a> TestSettings<'a> {
    /// The settings of a call.
    pub(crate) fn new(args: &'a Args, ctx: &'a Ctx) -> Self {
        Self {
            args,
            exact: args.exact,
            options: TestOptions {
                alternative: args.alternative.into(),
                confidence: args.confidence.get(),
                null: args.mu.map_or(0.0, |mu| mu.get()),
            },
            draws: PermutationDraws {
                draws: args.draws.size(),
                seed: ctx.seed(args.seed).get(),
            },
            watch: CallWatch(ctx),
        }
    }

    fn ranks(&self) -> RankMethod {
        RankMethod {
            choice: match self.exact {
                None => ExactChoice::Auto,
                Some(true) => ExactChoice::Exact,
                Some(false) => ExactChoice::Asymptotic,
            },
            has_continuity: self.args.continuity,
        }
    }

    /// The options with a value under the hypothesis where none was given.
    fn options_about(&self, null: f64) -> TestOptions {
        TestOptions {
            null: self.args.mu.map_or(null, |mu| mu.get()),
            ..self.options
        }
    }
}

/// Runs a test.
pub(crate) fn run_test(test: TestName, data: &TestData, settings: &TestSettings) -> TestOutcome {
    match data {
        TestData::Groups(groups) => match &groups[..] {
            [one] => run_one(test, &one.values, settings),
            [first, second] => run_two(test, first, second, settings),
            _ => run_groups(test, &group_slices(groups), settings),
        },
        TestData::Conditions(conditions, _) => match &conditions[..] {
            [first, second] => run_pairs(test, &first.values, &second.values, settings),
            _ => run_conditions(test, &group_slices(conditions), settings),
        },
        TestData::Table(table, _) => run_table(test, table, settings),
        TestData::Counts(counts) => {
            let weights: Vec<f64> = settings
                .args
                .probabilities
                .iter()
                .map(|w| w.get())
                .collect();
            let weights = (!weights.is_empty()).then_some(weights.as_slice());
            let statistic = count_statistic(test);
            test_goodness(counts, weights, statistic, settings.options.confidence)
        }
        TestData::Successes(groups) => match (&groups[..], test) {
            ([one], TestName::Binomial) => test_binomial(*one, &settings.options_about(0.5)),
            (_, TestName::Binomial) => Err(HypothesisError::Undefined {
                reason: "the binomial test takes one proportion; `proportions` compares several",
            }),
            _ => test_proportions(groups, settings.args.continuity, &settings.options),
        },
        TestData::Events(groups) => match &groups[..] {
            [first, second] => test_rates(*first, *second, &settings.options_about(1.0)),
            [one, ..] => test_rate(*one, &settings.options_about(1.0)),
            [] => Err(not_for_these()),
        },
    }
}

fn not_for_these() -> HypothesisError {
    HypothesisError::Undefined {
        reason: "the test is not for data of this shape",
    }
}

fn count_statistic(test: TestName) -> CountStatistic {
    match test {
        TestName::GTest => CountStatistic::LikelihoodRatio,
        _ => CountStatistic::Pearson,
    }
}

fn run_one(test: TestName, x: &[f64], settings: &TestSettings) -> TestOutcome {
    let options = &settings.options;
    let lags = settings.args.lags.map(BoundedInteger::size);
    let trend = match settings.args.trend {
        TrendName::None => SeriesTrend::None,
        TrendName::Constant => SeriesTrend::Constant,
        TrendName::Line => SeriesTrend::Line,
    };
    match test {
        TestName::TTest | TestName::TOneSample => test_mean(x, options),
        TestName::Wilcoxon => test_signed_ranks(x, settings.ranks(), options),
        TestName::Sign => test_signs(x, options),
        TestName::KsOneSample => {
            let reference = settings.args.distribution.unwrap_or_default();
            test_kolmogorov(x, |value| reference.cdf(value), options.alternative)
        }
        TestName::AndersonDarling => test_anderson(x),
        TestName::ShapiroWilk => test_shapiro(x),
        TestName::Lilliefors => test_lilliefors(x),
        TestName::JarqueBera => test_jarque_bera(x),
        TestName::LjungBox => {
            let most = x.len().saturating_sub(1).max(1);
            test_ljung_box(x, lags.unwrap_or(10.min(most)), 0)
        }
        TestName::Adf => test_dickey_fuller(x, trend, lags),
        TestName::Kpss => test_kpss(x, trend, lags),
        TestName::Runs => test_runs(x, options.alternative),
        _ => Err(not_for_these()),
    }
}

fn run_two(
    test: TestName,
    first: &SampleGroup,
    second: &SampleGroup,
    settings: &TestSettings,
) -> TestOutcome {
    let (x, y) = (&first.values[..], &second.values[..]);
    let options = &settings.options;
    match test {
        TestName::TTest | TestName::TWelch => test_welch(x, y, options),
        TestName::TPooled => test_pooled(x, y, options),
        TestName::Yuen => test_yuen(x, y, settings.args.trim.get(), options),
        TestName::MannWhitney => test_mann_whitney(x, y, settings.ranks(), options),
        TestName::BrunnerMunzel => test_brunner_munzel(x, y, options),
        TestName::KsTwoSample => test_smirnov(x, y, options.alternative),
        TestName::Permutation => test_permutation(x, y, settings.draws, options, &settings.watch),
        _ => run_groups(test, &[x, y], settings),
    }
}

fn run_groups(test: TestName, groups: &[&[f64]], settings: &TestSettings) -> TestOutcome {
    let confidence = settings.options.confidence;
    match test {
        TestName::Permutation => {
            test_permutation_groups(groups, settings.draws, confidence, &settings.watch)
        }
        TestName::AndersonKSample => test_anderson_groups(groups),
        TestName::Levene => test_spread(groups, SpreadCentre::Mean, confidence),
        TestName::BrownForsythe => test_spread(groups, SpreadCentre::Median, confidence),
        TestName::Bartlett => test_bartlett(groups),
        TestName::Anova => test_one_way(groups, confidence),
        TestName::WelchAnova => test_welch_groups(groups, confidence),
        TestName::KruskalWallis => test_kruskal(groups, settings.ranks().choice, confidence),
        _ => Err(not_for_these()),
    }
}

fn run_pairs(test: TestName, x: &[f64], y: &[f64], settings: &TestSettings) -> TestOutcome {
    let options = &settings.options;
    let differences = || -> Result<Vec<f64>, HypothesisError> {
        match x.len() == y.len() {
            true => Ok(x.iter().zip(y).map(|(x, y)| x - y).collect()),
            false => Err(HypothesisError::Lengths {
                first: x.len(),
                second: y.len(),
            }),
        }
    };
    match test {
        TestName::TPaired => test_pairs(x, y, options),
        TestName::Wilcoxon => test_signed_ranks(&differences()?, settings.ranks(), options),
        TestName::Sign => test_signs(&differences()?, options),
        TestName::PermutationPaired => {
            test_sign_permutation(x, y, settings.draws, options, &settings.watch)
        }
        _ => run_conditions(test, &[x, y], settings),
    }
}

fn run_conditions(test: TestName, columns: &[&[f64]], settings: &TestSettings) -> TestOutcome {
    match test {
        TestName::Friedman => test_friedman(
            columns,
            settings.ranks().choice,
            settings.options.confidence,
        ),
        TestName::CochranQ => test_cochran(columns),
        _ => Err(not_for_these()),
    }
}

fn run_table(test: TestName, table: &CountTable, settings: &TestSettings) -> TestOutcome {
    let confidence = settings.options.confidence;
    let has_continuity = settings.args.continuity;
    match test {
        TestName::FisherExact => match table.two_by_two() {
            Some(_) => test_fisher(table, &settings.options_about(1.0)),
            None => test_fisher_table(table, confidence, &settings.watch),
        },
        TestName::Barnard => test_barnard(table, &settings.options),
        TestName::Mcnemar => {
            let form = match (settings.exact, table.two_by_two(), has_continuity) {
                (Some(false), _, true) => McNemarForm::Corrected,
                (Some(false), _, false) => McNemarForm::Plain,
                (None, Some([_, b, c, _]), true) if b + c > EXACT_DISCORDANT_MAX => {
                    McNemarForm::Corrected
                }
                _ => McNemarForm::Exact,
            };
            test_mcnemar(table, form, confidence)
        }
        _ => test_independence(table, count_statistic(test), has_continuity, confidence),
    }
}

impl ReferenceDistribution {
    /// The distribution function.
    fn cdf(self, x: f64) -> f64 {
        match self {
            Self::Normal { mean, std } => normal_sf(-(x - mean) / std.get()),
            Self::Uniform { low, high } => ((x - low) / (high - low)).clamp(0.0, 1.0),
            Self::Exponential { rate } => -(-rate.get() * x.max(0.0)).exp_m1(),
        }
    }
}
