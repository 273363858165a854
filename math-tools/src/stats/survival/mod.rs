//! Survival times of tables.

mod answer;
mod curves;
mod regression;

#[cfg(test)]
mod tests;

use self::answer::{CoxMeasures, CurveRow, HazardRow, HazardTerm, LogRankAnswer, SurvivalGroup};
use crate::data::table::TableInput;
use crate::prelude::*;

/// Analyses times to an event with censored rows: Kaplan and Meier's curve of each group with medians and intervals, the log-rank test between groups (within
/// strata too), or with a `formula` a Cox regression with hazard ratios, concordance and a test of proportional hazards.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Column of times, 0 or more; with a `formula` they are in `Surv(time, event)`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub time: Option<String>,
    /// Column of events: 1 or true where the time ended in the event, 0 or false where it was censored; 2 and 1 as in R; or a text of two levels, of which
    /// the last is the event.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub event: Option<String>,
    /// Column of groups to compare.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub group: Option<String>,
    /// Column of strata within which groups are compared, or with a baseline hazard of their own.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub strata: Option<String>,
    /// A Cox regression: `Surv(time, event) ~ age + C(sex)`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Events at the same time in a Cox regression.
    #[value(default)]
    pub ties: TiesChoice,
    /// Probability of the intervals; 0.95 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub confidence: Option<Probability>,
    /// Points of each curve in the answer, at most.
    #[value(default = "BoundedInteger::<0, 100_000>::of::<200>")]
    pub points: BoundedInteger<0, 100_000>,
}

/// How events at one time are treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TiesChoice {
    /// Efron's approximation, near the exact likelihood.
    #[default]
    Efron,
    /// Breslow's.
    Breslow,
}

/// Curves and their test, or a Cox regression.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Each group, or all rows as one.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": null }))]
    pub groups: Option<Vec<SurvivalGroup>>,
    /// The curves, point by point.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": null }))]
    pub curve: Option<Vec<CurveRow>>,
    /// The log-rank test between the groups.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": null, "group": { "not": null } }))]
    pub test: Option<LogRankAnswer>,
    /// Coefficients of a Cox regression.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null } }))]
    pub terms: Option<Vec<HazardTerm>>,
    /// Measures of a Cox regression.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null } }))]
    pub fit: Option<CoxMeasures>,
    /// Test of proportional hazards for each term, and for all; empty with fewer than three events.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null } }))]
    pub proportional: Option<Vec<HazardRow>>,
    /// Rows that are used.
    pub n: usize,
    /// Events.
    pub events: usize,
    /// Rows that are left out because a cell is missing.
    pub missing: usize,
    /// What the data say, in a sentence or two.
    pub summary: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("survival", "Survival analysis").tags(&[
        "statistics",
        "numeric",
        "kaplan meier",
        "log rank",
        "cox regression",
        "hazard ratio",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "four rows, of which the second is censored: 3/4 survive the first event, 3/8 the second, none the last":
            r#"{"data": {"week": [1, 2, 3, 4], "died": [1, 0, 1, 1]}, "time": "week", "event": "died"}"# => r#"{"groups": [{"group": "all", "n": 4, "events": 3, "median": 3.0, "median_lower": 1.0, "median_upper": 4.0,
                "restricted_mean": 2.875, "last_time": 4.0, "expected": null}], "curve": [{"group": "all", "time": 1.0, "at_risk": 4,
                "events": 1, "survival": 0.75, "standard_error": 0.2165063509461, "lower": 0.1279469175951,
                "upper": 0.9605486422851}, {"group": "all", "time": 3.0, "at_risk": 2, "events": 1, "survival": 0.375,
                "standard_error": 0.2864109809347, "lower": 0.01097112157484, "upper": 0.8080010724813}, {"group": "all", "time": 4.0,
                "at_risk": 1, "events": 1, "survival": 0.0, "standard_error": 0.0, "lower": 0.0, "upper": 0.0}], "n": 4, "events": 3,
                "missing": 0, "summary": "3 of 4 rows had the event; at most half survive 3."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        match &args.formula {
            Some(formula) => regression::run_cox(&args, formula, ctx),
            None => curves::run_curves(&args, ctx),
        }
    }
}

/// Truth values of events.
fn event_flags(
    events: &[f64],
    rows: impl Fn(usize) -> usize,
    pointer: &str,
    ctx: &Ctx,
) -> Result<Vec<bool>, ToolError> {
    let is_of = |one: f64, two: f64| events.iter().all(|value| *value == one || *value == two);
    if is_of(0.0, 1.0) {
        return Ok(events.iter().map(|value| *value == 1.0).collect());
    }
    if is_of(1.0, 2.0) {
        ctx.warn("events are coded 1 and 2: 2 is taken as the event, 1 as censored, as in R");
        return Ok(events.iter().map(|value| *value == 2.0).collect());
    }
    let at = events
        .iter()
        .position(|value| *value != 0.0 && *value != 1.0)
        .unwrap_or(0);
    let (row, value) = (rows(at), events[at]);
    refuse!(invalid pointer, "event"; "row {row} has the event {value} (rows count from 0)"; "events are 1 and censored times 0")
}

/// Refuses negative times.
fn check_times(
    times: &[f64],
    rows: impl Fn(usize) -> usize,
    pointer: &str,
) -> Result<(), ToolError> {
    match times.iter().position(|time| *time < 0.0) {
        None => Ok(()),
        Some(at) => {
            let (row, value) = (rows(at), times[at]);
            refuse!(invalid pointer, "time"; "row {row} has the time {value} (rows count from 0)"; "times are 0 or more, from the start of observation")
        }
    }
}
