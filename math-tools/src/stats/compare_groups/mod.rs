//! Groups compared by the test that fits the data.

mod choice;
mod comparisons;

#[cfg(test)]
mod tests;

use statistics::hypothesis::HypothesisResult;

use self::choice::{GroupChoice, GroupSetting};
use self::comparisons::{PairMethod, compare_pairs};
use super::reporting::faults::test_fault;
use super::reporting::samples::{SampleGroup, grouped_samples, paired_samples};
use super::reporting::words::{
    apa_line, interval_words, number_words, p_words, unclear_words, unlikely_words,
};
use super::reporting::{
    AssumptionRecord, ComparisonRecord, CorrectionName, EffectRecord, EstimateRecord, GroupRecord,
    TestLine, basis_words,
};
use crate::data::table::TableInput;
use crate::prelude::*;

/// Compares a column of numbers between the groups of another column, by the test that fits: two groups or more, pairs or not, normal or ranks, equal variances or
/// not. Answers which test and why, the groups, the assumptions, effect sizes with intervals, comparisons of pairs for more than two groups, the robust alternative, an
/// APA line and one sentence.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table, with a row for each value: list of records, object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// The column of numbers; rows without one are left out and counted.
    pub value: String,
    /// The column of the groups.
    pub group: String,
    /// The column that says which values are of one subject, where groups are conditions of the same subjects; subjects without a value in every condition are left
    /// out and counted.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Coverage of the intervals; 1 less it is the level of the sentence.
    #[value(default = "crate::prelude::default_confidence")]
    #[schema(range(min = 0.5, max = 0.999999))]
    pub confidence: Probability,
    /// How p values of pairs are corrected where the method has no own correction (Tukey and Games-Howell have).
    #[value(default)]
    pub correction: CorrectionName,
}

/// A comparison of groups with its evidence.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The result in one sentence.
    pub summary: String,
    /// Name of the test that was chosen.
    pub test: String,
    /// Why it was chosen.
    pub reason: String,
    /// Letter of the statistic.
    pub statistic_name: String,
    /// The statistic.
    pub statistic: Real,
    /// Degrees of freedom: none, one, or two for F.
    pub df: Vec<f64>,
    /// P value.
    pub p: f64,
    /// Where the p value comes from.
    pub p_from: String,
    /// The difference of two groups, first less second; null for more.
    pub estimate: Option<EstimateRecord>,
    /// Effect sizes, the usual one first.
    pub effects: Vec<EffectRecord>,
    /// The groups.
    pub groups: Vec<GroupRecord>,
    /// All pairs of more than two groups, with p values corrected for their number.
    pub comparisons: Vec<ComparisonRecord>,
    /// Method of the comparisons; empty for two groups.
    pub comparison_method: String,
    /// What the test assumes, each with a test of it.
    pub assumptions: Vec<AssumptionRecord>,
    /// The test with weaker assumptions beside it; null where it cannot be made.
    pub robust: Option<TestLine>,
    /// Values that were compared.
    pub n: usize,
    /// Rows left out: without a value, without a group, or of subjects who lack a condition.
    pub missing: usize,
    /// What a reader should know of these data.
    pub notes: Vec<String>,
    /// The line for a report in the style of the APA.
    pub apa: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("compare_groups", "Compare groups").tags(&[
        "statistics",
        "t test",
        "anova",
        "significance",
        "table",
        "effect size",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "three against three that do not overlap: 2 of 20 arrangements are as extreme":
            r#"{"data": {"v": [1, 2, 2, 5, 5, 6], "g": ["a", "a", "a", "b", "b", "b"]}, "value": "v", "group": "g"}"#
            => r#"{"summary": "No clear difference of `v` between the groups was found (p = 0.10), which does not show that there is none",
                "test": "Mann-Whitney U test", "reason": "two independent groups; there are only 4 different values, so that ranks are compared",
                "statistic_name": "U", "statistic": 0.0, "df": [], "p": 0.1, "p_from": "exact, all arrangements", "estimate": {"name": "shift", "value": -4.0,
                "null": 0.0, "low": "-Infinity", "high": "Infinity"}, "effects": [{"name": "rank-biserial correlation", "symbol": "r_rb", "value": -1.0,
                "low": null, "high": null}, {"name": "probability of superiority", "symbol": "A", "value": 0.0, "low": null, "high": null}],
                "groups": [{"group": "a", "n": 3, "missing": 0, "mean": 1.6666666666666667, "sd": 0.5773502691896257, "median": 2.0, "low": 0.23244909008351278,
                "high": 3.100884243249821}, {"group": "b", "n": 3, "missing": 0, "mean": 5.333333333333333, "sd": 0.5773502691896258, "median": 5.0,
                "low": 3.899115756750179, "high": 6.767550909916487}], "comparisons": [], "comparison_method": "",
                "assumptions": [{"assumption": "normal distribution of `a`", "test": "Shapiro-Wilk test", "statistic": 0.7500000000000001,
                "p": 4.240739575284689e-16, "holds": false}, {"assumption": "normal distribution of `b`", "test": "Shapiro-Wilk test",
                "statistic": 0.7500000000000001, "p": 4.240739575284689e-16, "holds": false}], "robust": {"test": "Welch two-sample t test",
                "statistic_name": "t", "statistic": -7.778174593052022, "df": [3.999999999999999], "p": 0.0014731194152033803, "effect_name": "Cohen d",
                "effect": -6.350852961085882}, "n": 6, "missing": 0, "notes": [], "apa": "U = 0.00, p = .100, r_rb = -1.00"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let table = args.data.load(ctx)?.into_table(ctx)?;
        let read = read_groups(&args, &table, ctx)?;
        let setting = GroupSetting {
            groups: &read.groups,
            is_paired: args.subject.is_some(),
            confidence: args.confidence.get(),
        };
        ctx.check()?;
        let choice = GroupChoice::new(&setting);
        let result = choice
            .test
            .run(&setting)
            .map_err(|err| test_fault(err, "/value", ctx))?;
        let pairs = match read.groups.len() {
            2 => None,
            _ => compare_pairs(choice.test, &setting, args.correction.into()),
        };
        Ok(build_output(&args, &read, choice, &result, pairs))
    }
}

/// The groups of a call, and what is left out.
pub(crate) struct GroupsOfCall {
    /// The groups, or the conditions with one order of subjects.
    pub groups: Vec<SampleGroup>,
    missing: usize,
    notes: Vec<String>,
}

/// The groups that a call compares.
pub(crate) fn read_groups(
    args: &Args,
    table: &::tables::DataTable,
    ctx: &Ctx,
) -> Result<GroupsOfCall, ToolError> {
    let mut notes = Vec::new();
    let (mut groups, missing) = match &args.subject {
        Some(subject) => {
            let read = paired_samples(table, &args.value, &args.group, subject, ctx)?;
            if read.incomplete > 0 {
                notes.push(format!(
                    "{} subjects without a value in every condition are left out",
                    read.incomplete
                ));
            }
            let count: usize = read.conditions.iter().map(|group| group.values.len()).sum();
            (read.conditions, table.rows() - count)
        }
        None => {
            let read = grouped_samples(table, &args.value, &args.group, ctx)?;
            let cells: usize = read.groups.iter().map(|group| group.missing).sum();
            (read.groups, cells + read.without_group)
        }
    };
    if args.subject.is_none() {
        let small: Vec<String> = groups
            .iter()
            .filter(|group| group.values.len() < 2)
            .take(10)
            .map(|group| format!("`{}`", group.label))
            .collect();
        if !small.is_empty() {
            notes.push(format!(
                "groups of fewer than two values are left out: {}",
                small.join(", ")
            ));
            groups.retain(|group| group.values.len() >= 2);
        }
    }
    if groups.len() < 2 {
        let found = groups.len();
        refuse!(invalid "/group", "too_few"; "expected at least two groups with two values each, found {found}";
            "one group alone is described by `statistics`, and tested by `hypothesis_test`");
    }
    Ok(GroupsOfCall {
        groups,
        missing,
        notes,
    })
}

fn build_output(
    args: &Args,
    read: &GroupsOfCall,
    choice: GroupChoice,
    result: &HypothesisResult,
    pairs: Option<PairMethod>,
) -> Output {
    let confidence = args.confidence.get();
    let setting = GroupSetting {
        groups: &read.groups,
        is_paired: args.subject.is_some(),
        confidence,
    };
    let robust = choice.robust.run(&setting).ok();
    let mut notes = read.notes.clone();
    notes.extend(result.notes.iter().cloned());
    if pairs.is_none() && read.groups.len() > 2 {
        notes.push(format!(
            "the pairs of {} groups are not compared: they are too many, or one of them has no spread",
            read.groups.len()
        ));
    }
    let (comparisons, comparison_method) = match pairs {
        Some(pairs) => (pairs.records, pairs.method),
        None => (Vec::new(), String::new()),
    };
    Output {
        summary: groups_sentence(args, &read.groups, result, &comparisons),
        test: result.name.to_owned(),
        reason: choice.reason,
        statistic_name: result.symbol.to_owned(),
        statistic: Real(result.statistic),
        df: result.df.clone(),
        p: result.p,
        p_from: basis_words(result.basis),
        estimate: EstimateRecord::of(result),
        effects: EffectRecord::list(&result.effects),
        groups: read
            .groups
            .iter()
            .map(|group| GroupRecord::new(group, confidence))
            .collect(),
        comparisons,
        comparison_method,
        assumptions: choice.assumptions,
        robust: robust.map(|result| TestLine::new(&result)),
        n: read.groups.iter().map(|group| group.values.len()).sum(),
        missing: read.missing,
        notes,
        apa: apa_line(result, confidence),
    }
}

/// The sentence: who is higher and by how much, or that nothing clear was found.
fn groups_sentence(
    args: &Args,
    groups: &[SampleGroup],
    result: &HypothesisResult,
    comparisons: &[ComparisonRecord],
) -> String {
    let (value, confidence) = (&args.value, args.confidence.get());
    if result.p >= 1.0 - confidence {
        return unclear_words(
            &format!("difference of `{value}` between the groups"),
            result.p,
        );
    }
    if let [first, second] = groups {
        return pair_sentence(args, [&first.label, &second.label], result);
    }
    let clear: Vec<String> = comparisons
        .iter()
        .filter(|pair| pair.p < 1.0 - confidence)
        .take(6)
        .map(|pair| {
            let sign = if pair.difference.0 > 0.0 {
                "above"
            } else {
                "below"
            };
            format!(
                "{} {sign} {} ({})",
                pair.first,
                pair.second,
                p_words(pair.p)
            )
        })
        .collect();
    let pairs = match clear.is_empty() {
        true => "; no single pair differs clearly".to_owned(),
        false => format!("; clear pairs: {}", clear.join(", ")),
    };
    format!(
        "`{value}` differs between the {} groups of `{}`, {}{pairs}",
        groups.len(),
        args.group,
        unlikely_words(result.p)
    )
}

/// The sentence about two groups.
fn pair_sentence(args: &Args, labels: [&str; 2], result: &HypothesisResult) -> String {
    let value = &args.value;
    let [first, second] = labels;
    let unlikely = unlikely_words(result.p);
    let Some(estimate) = result.estimate.as_ref().filter(|it| it.value != it.null) else {
        return format!("`{value}` differs between `{first}` and `{second}`, {unlikely}");
    };
    let is_higher = estimate.value > estimate.null;
    let (upper, lower) = if is_higher {
        (first, second)
    } else {
        (second, first)
    };
    let turned = |[low, high]: [f64; 2]| {
        if is_higher {
            [low, high]
        } else {
            [-high, -low]
        }
    };
    let confidence = args.confidence.get();
    if estimate.name == "probability of superiority" {
        let share = if is_higher {
            estimate.value
        } else {
            1.0 - estimate.value
        };
        let ends = estimate.interval.map(|[low, high]| match is_higher {
            true => [low, high],
            false => [1.0 - high, 1.0 - low],
        });
        return format!(
            "`{value}` tends to be higher in `{upper}` than in `{lower}`: a value of `{upper}` is the higher one in {} % of pairs{}, {unlikely}",
            number_words(100.0 * share),
            interval_words(ends.map(|ends| ends.map(|end| 100.0 * end)), confidence)
        );
    }
    let kind = match estimate.name {
        "shift" | "pseudomedian" => "typically by",
        _ => "on average by",
    };
    format!(
        "`{value}` is higher in `{upper}` than in `{lower}`, {kind} {}{}, {unlikely}",
        number_words(estimate.value.abs()),
        interval_words(estimate.interval.map(turned), confidence)
    )
}
