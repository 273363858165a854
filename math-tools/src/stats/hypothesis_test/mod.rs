//! Tests of hypotheses by name.

mod data;
mod dispatch;
mod names;
mod sentence;

#[cfg(test)]
mod tests;
mod verify;

use statistics::hypothesis::{HypothesisResult, correct_p_values};

pub(crate) use self::data::{TestData, read_data};
use self::dispatch::{TestSettings, run_test};
pub(crate) use self::names::TestName;
use self::sentence::{SentenceLabels, result_sentence, several_sentence};
use super::reporting::faults::test_fault;
use super::reporting::samples::SampleGroup;
use super::reporting::words::apa_line;
use super::reporting::{
    AssumptionRecord, CorrectionName, EffectRecord, EstimateRecord, TestLine, TestSide, basis_words,
};
use crate::data::table::TableInput;
use crate::prelude::*;

/// Most columns of one call.
const COLUMNS_MAX: usize = 1000;

/// Tests a hypothesis by name: two means (Welch by default), pairs, ranks, distributions, variances, counts, proportions, rates, series. The answer has statistic,
/// degrees of freedom, p, the estimate and effect sizes with intervals, assumptions with tests of their own, the robust alternative, an APA line and one sentence.
/// P values are exact where the sizes permit.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The test.
    #[value(default = "default_test")]
    pub test: TestName,
    /// A sample: finite numbers. For `chi_squared` and `g_test` without a table: counts.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub x: Option<Input<Vector>>,
    /// The other sample; for paired tests in the order of `x`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y: Option<Input<Vector>>,
    /// Samples of several groups, or of several conditions in one order of subjects.
    #[value(default)]
    pub groups: Vec<Vec<Finite>>,
    /// Counts: rows of equal length. For `barnard`, `proportions` of it and risk ratios the rows are the groups, and the first column has the successes.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub table: Option<Input<Matrix>>,
    /// A table, as list of records, object of columns or `{"$file": path}`; missing cells are left out and counted.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<TableInput>>,
    /// The column of `data` with the numbers; for tests of counts, one with categories.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub value: Option<String>,
    /// The column of `data` with the categories of the groups or conditions.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub group: Option<String>,
    /// The column of `data` that says which values belong together, for paired tests and conditions.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub subject: Option<String>,
    /// For paired tests and conditions: the columns of `data` to compare, row by row. For other tests: columns that are tested one by one in the place of `value`, with
    /// p values corrected for their number.
    #[value(default)]
    pub columns: Vec<String>,
    /// Which values speak against the hypothesis: `greater` where the estimate (first group less second) is above its value under the hypothesis.
    #[value(default)]
    pub alternative: TestSide,
    /// Value under the hypothesis: of the mean, the difference, the median (0), the proportion (0.5), the rate, the ratio of rates or the odds ratio (1).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub mu: Option<Finite>,
    /// Coverage of the intervals; 1 less it is the level of the sentence.
    #[value(default = "crate::prelude::default_confidence")]
    #[schema(range(min = 0.5, max = 0.999999))]
    pub confidence: Probability,
    /// How p values of several `columns` are corrected.
    #[value(default)]
    pub correction: CorrectionName,
    /// Whether to count arrangements (`mann_whitney`, `wilcoxon`, `kruskal_wallis`, `friedman`, `mcnemar`); by the sizes when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Whether approximations by large samples are corrected for continuity: `chi_squared` and `g_test` of two rows and columns, `proportions` of two groups, `mann_whitney`,
    /// `wilcoxon`, `mcnemar`.
    #[value(default = "default_true")]
    pub continuity: bool,
    /// Share that `yuen` leaves out at each end, below 0.5.
    #[value(default = "default_trim")]
    pub trim: Probability,
    /// Weights of the counts `x` under the hypothesis; equal when absent.
    #[value(default)]
    pub probabilities: Vec<Positive>,
    /// Successes of each group.
    #[value(default)]
    pub successes: Vec<Finite>,
    /// Trials of each group.
    #[value(default)]
    pub trials: Vec<Finite>,
    /// Numbers of events, one or two.
    #[value(default)]
    pub events: Vec<Finite>,
    /// Exposure of each number of events; 1 when absent.
    #[value(default)]
    pub exposure: Vec<Finite>,
    /// The distribution of `ks_one_sample`; standard normal when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub distribution: Option<ReferenceDistribution>,
    /// Lags of `ljung_box` (10), `adf` (by AIC) and `kpss` (by the data).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub lags: Option<BoundedInteger<0, 10_000>>,
    /// What the series of `adf` and `kpss` moves about.
    #[value(default)]
    pub trend: TrendName,
    /// Random arrangements of `permutation` where not all are counted.
    #[value(default = "BoundedInteger::<99, 1_000_000>::of::<9999>")]
    pub draws: BoundedInteger<99, 1_000_000>,
    /// Seed of the random arrangements.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// A distribution with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ReferenceDistribution {
    /// Normal, by mean and standard deviation.
    Normal { mean: f64, std: Positive },
    /// Uniform between two ends.
    Uniform { low: f64, high: f64 },
    /// Exponential, by its rate.
    Exponential { rate: Positive },
}

impl Default for ReferenceDistribution {
    fn default() -> Self {
        Self::Normal {
            mean: 0.0,
            std: Positive::literal(1.0),
        }
    }
}

/// What a series moves about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TrendName {
    /// Zero; of `adf` alone.
    None,
    /// A constant.
    #[default]
    Constant,
    /// A line in time.
    Line,
}

fn default_test() -> TestName {
    TestName::TTest
}

fn default_trim() -> Probability {
    Probability::literal(0.2)
}

/// A test with its evidence.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Name of the test that was made.
    pub test: String,
    /// Letter of the statistic.
    pub statistic_name: String,
    /// The statistic.
    pub statistic: Real,
    /// Degrees of freedom: none, one, or two for F.
    pub df: Vec<f64>,
    /// P value; of the column with the smallest one where there are several `columns`.
    pub p: f64,
    /// Where the p value comes from.
    pub p_from: String,
    /// Which values spoke against the hypothesis.
    pub alternative: TestSide,
    /// What the test is about; null for tests without a parameter.
    pub estimate: Option<EstimateRecord>,
    /// Effect sizes, the usual one first.
    pub effects: Vec<EffectRecord>,
    /// Observations, pairs or counts.
    pub n: f64,
    /// Cells, or subjects and rows, left out.
    pub missing: usize,
    /// What the test assumes, each with a test of it.
    pub assumptions: Vec<AssumptionRecord>,
    /// The test with weaker assumptions beside it; null where there is none.
    pub robust: Option<TestLine>,
    /// Results by column, where there are several `columns`.
    pub tests: Vec<ColumnTest>,
    /// What a reader should know of these data.
    pub notes: Vec<String>,
    /// The line for a report in the style of the APA.
    pub apa: String,
    /// The result in one sentence.
    pub summary: String,
}

/// The test of one of several columns.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct ColumnTest {
    /// The column.
    pub column: String,
    /// The statistic.
    pub statistic: Real,
    /// P value.
    pub p: f64,
    /// P value corrected for the number of columns.
    pub p_corrected: f64,
    /// Observations.
    pub n: f64,
    /// Cells left out.
    pub missing: usize,
    /// The first effect size; null where there is none.
    pub effect: Option<Real>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("hypothesis_test", "Test of a hypothesis")
        .seeded()
        .tags(&[
            "statistics",
            "t test",
            "p value",
            "significance",
            "normality",
            "chi-squared",
            "nonparametric",
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "all five signs are positive: one of 2^5 ways, and its mirror image":
            r#"{"test": "sign", "x": [1, 2, 3, 4, 5]}"#
            => r#"{"test": "sign test", "statistic_name": "S", "statistic": 5.0, "df": [], "p": 0.0625, "p_from": "exact, all arrangements",
                "alternative": "two_sided", "estimate": {"name": "median", "value": 3.0, "null": 0.0, "low": "-Infinity", "high": "Infinity"},
                "effects": [{"name": "difference of shares", "symbol": "r", "value": 1.0, "low": -0.043647500209962775, "high": 1.0}], "n": 5.0, "missing": 0,
                "assumptions": [], "robust": null, "tests": [], "notes": [], "apa": "S = 5.00, p = .062, r = 1.00, 95% CI [-0.04, 1.00]",
                "summary": "No clear shift of the median was found (p = 0.062), which does not show that there is none"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let table = match &args.data {
            Some(data) => Some(data.load(ctx)?.into_table(ctx)?),
            None => None,
        };
        if args.columns.len() > COLUMNS_MAX {
            refuse!(invalid "/columns", "too_many"; "expected at most {COLUMNS_MAX} columns, found more");
        }
        let settings = TestSettings::new(&args, ctx);
        let shape = args.test.shape();
        let takes_conditions = matches!(
            shape,
            names::SampleShape::Pairs
                | names::SampleShape::Conditions
                | names::SampleShape::OneOrPairs
        );
        if args.columns.is_empty() || takes_conditions {
            let data = read_data(&args, shape, table.as_ref(), None, ctx)?;
            let result = run_test(args.test, &data, &settings)
                .map_err(|err| test_fault(err, fault_pointer(&args), ctx))?;
            return Ok(single_output(&settings, &data, &result));
        }
        let mut tested = Vec::with_capacity(args.columns.len());
        for (index, column) in args.columns.iter().enumerate() {
            ctx.check()?;
            let pointer = format!("/columns/{index}");
            let data = read_data(&args, shape, table.as_ref(), Some(column), ctx)?;
            let result = run_test(args.test, &data, &settings)
                .map_err(|err| test_fault(err, &pointer, ctx))?;
            tested.push((data, result));
        }
        Ok(several_output(&settings, &tested))
    }
}

/// The argument that a fault of the data is about.
fn fault_pointer(args: &Args) -> &'static str {
    let given = [
        (args.data.is_some(), "/data"),
        (args.table.is_some(), "/table"),
        (args.x.is_some(), "/x"),
        (!args.groups.is_empty(), "/groups"),
        (!args.successes.is_empty(), "/successes"),
        (!args.events.is_empty(), "/events"),
    ];
    given
        .iter()
        .find(|pair| pair.0)
        .map_or("/test", |pair| pair.1)
}

fn single_output(settings: &TestSettings, data: &TestData, result: &HypothesisResult) -> Output {
    let confidence = settings.options.confidence;
    let test = settings.args.test;
    let labels = data.labels();
    let words = SentenceLabels {
        labels: &labels,
        confidence,
    };
    Output {
        test: result.name.to_owned(),
        statistic_name: result.symbol.to_owned(),
        statistic: Real(result.statistic),
        df: result.df.clone(),
        p: result.p,
        p_from: basis_words(result.basis),
        alternative: settings.args.alternative,
        estimate: EstimateRecord::of(result),
        effects: EffectRecord::list(&result.effects),
        n: data.count(),
        missing: data.missing(),
        assumptions: checked_assumptions(test, data, settings),
        robust: robust_test(test, data)
            .and_then(|test| run_test(test, data, settings).ok())
            .map(|result| TestLine::new(&result)),
        tests: Vec::new(),
        notes: result.notes.clone(),
        apa: apa_line(result, confidence),
        summary: result_sentence(test, result, &words),
    }
}

fn several_output(settings: &TestSettings, tested: &[(TestData, HypothesisResult)]) -> Output {
    let p: Vec<f64> = tested.iter().map(|(_, result)| result.p).collect();
    let corrected = correct_p_values(&p, settings.args.correction.into());
    let columns = &settings.args.columns;
    let tests: Vec<ColumnTest> = tested
        .iter()
        .enumerate()
        .map(|(at, (data, result))| ColumnTest {
            column: columns[at].clone(),
            statistic: Real(result.statistic),
            p: result.p,
            p_corrected: corrected[at],
            n: data.count(),
            missing: data.missing(),
            effect: result.effects.first().map(|effect| Real(effect.value)),
        })
        .collect();
    let least = (0..p.len()).fold(0, |best, at| if p[at] < p[best] { at } else { best });
    let (data, result) = &tested[least];
    let level = 1.0 - settings.options.confidence;
    let found: Vec<String> = tests
        .iter()
        .filter(|test| test.p_corrected < level)
        .map(|test| test.column.clone())
        .collect();
    let mut output = single_output(settings, data, result);
    output.notes.push(format!(
        "statistic, estimate and effects are those of `{}`, the column with the smallest p value",
        columns[least]
    ));
    output.summary = several_sentence(&found, tests.len(), corrected[least]);
    output.tests = tests;
    output
}

/// What the test assumes, with the tests that take these data.
fn checked_assumptions(
    test: TestName,
    data: &TestData,
    settings: &TestSettings,
) -> Vec<AssumptionRecord> {
    let needs_normal = matches!(
        test,
        TestName::TTest
            | TestName::TOneSample
            | TestName::TWelch
            | TestName::TPooled
            | TestName::TPaired
            | TestName::Anova
            | TestName::WelchAnova
            | TestName::Bartlett
    );
    let mut records = Vec::new();
    match data {
        TestData::Groups(groups) if needs_normal => {
            records.extend(groups.iter().filter_map(group_normality));
            let needs_equal = matches!(test, TestName::TPooled | TestName::Anova);
            if needs_equal && let Ok(result) = run_test(TestName::BrownForsythe, data, settings) {
                records.push(AssumptionRecord::new(
                    "equal variances of the groups",
                    &result,
                ));
            }
        }
        TestData::Conditions(conditions, _) if needs_normal => {
            if let [first, second] = &conditions[..] {
                let pairs = first.values.iter().zip(&second.values);
                let differences: Vec<f64> = pairs.map(|(x, y)| x - y).collect();
                records.extend(AssumptionRecord::normality("the differences", &differences));
            }
        }
        _ => {}
    }
    records
}

fn group_normality(group: &SampleGroup) -> Option<AssumptionRecord> {
    AssumptionRecord::normality(&format!("`{}`", group.label), &group.values)
}

/// The test with weaker assumptions.
fn robust_test(test: TestName, data: &TestData) -> Option<TestName> {
    let is_single = data.labels().len() == 1;
    match test {
        TestName::TTest | TestName::TOneSample if is_single => Some(TestName::Wilcoxon),
        TestName::TTest | TestName::TWelch => Some(TestName::Yuen),
        TestName::TPooled => Some(TestName::TWelch),
        TestName::TPaired => Some(TestName::Wilcoxon),
        TestName::Yuen | TestName::MannWhitney => Some(TestName::BrunnerMunzel),
        TestName::Anova => Some(TestName::WelchAnova),
        TestName::WelchAnova => Some(TestName::KruskalWallis),
        TestName::Levene | TestName::Bartlett => Some(TestName::BrownForsythe),
        _ => None,
    }
}
