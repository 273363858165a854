//! Tables of counts.

#[cfg(test)]
mod tests;

use statistics::contingency::{
    agreement_kappa, cell_residuals, goodman_kruskal_gamma, kendall_tau_b, predictive_lambda,
};
use statistics::hypothesis::*;

use super::reporting::faults::test_fault;
use super::reporting::samples::{CrossCounts, cross_counts};
use super::reporting::words::{
    apa_line, interval_words, number_words, unclear_words, unlikely_words,
};
use super::reporting::{EffectRecord, TestLine};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Counts in rows and columns: chi-squared, G and Fisher's exact test of independence, phi, Cramer's V, lambda, gamma, tau-b and kappa, odds and risk ratios with
/// intervals, McNemar's test, and the residual of each cell.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The counts: rows of equal length. Ratios compare the first row with the second one by the first column.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub counts: Option<Input<Matrix>>,
    /// Names of the rows of `counts`.
    #[value(default)]
    pub row_names: Vec<String>,
    /// Names of the columns of `counts`.
    #[value(default)]
    pub column_names: Vec<String>,
    /// A table whose rows are counted by two columns: list of records, object of columns, or `{"$file": path}`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<TableInput>>,
    /// The column of `data` whose categories are the rows.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub rows: Option<String>,
    /// The column of `data` whose categories are the columns.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub columns: Option<String>,
    /// Whether chi-squared and G of two rows and columns are corrected for continuity (Yates).
    #[value(default = "default_true")]
    pub continuity: bool,
    /// Coverage of the intervals; 1 less it is the level of the sentence.
    #[value(default = "crate::prelude::default_confidence")]
    #[schema(range(min = 0.5, max = 0.999999))]
    pub confidence: Probability,
}

/// A table of counts with its tests and measures.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The result in one sentence.
    pub summary: String,
    /// The test that the sentence is about: Fisher's where an expected count is below 5 and it can be made, else chi-squared.
    pub test: String,
    /// Why it was chosen.
    pub reason: String,
    /// Its p value.
    pub p: f64,
    /// The tests: chi-squared, G, Fisher, and McNemar for two rows and columns.
    pub tests: Vec<TestLine>,
    /// Measures of association, each with its interval.
    pub measures: Vec<EffectRecord>,
    /// The cells, row by row.
    pub cells: Vec<CellRecord>,
    /// Sum of the counts.
    pub n: f64,
    /// Rows of `data` without a category.
    pub missing: usize,
    /// What a reader should know of these data.
    pub notes: Vec<String>,
    /// The line for a report in the style of the APA.
    pub apa: String,
}

/// A cell.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct CellRecord {
    /// Row.
    pub row: String,
    /// Column.
    pub column: String,
    /// Count.
    pub count: f64,
    /// Count expected where rows and columns are independent.
    pub expected: f64,
    /// Share of the row.
    pub row_share: f64,
    /// (count - expected) / sqrt(expected).
    pub pearson: f64,
    /// The same in standard deviations: beyond 2 is unusual.
    pub adjusted: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("contingency", "Table of counts").tags(&[
        "statistics",
        "chi-squared",
        "association",
        "odds ratio",
        "table",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "every row has one column alone":
            r#"{"counts": [[10, 0], [0, 10]]}"# => r#"{"summary": "Rows and columns are associated (Cramer V 1, 95 % interval 0.562 to 1), unlikely to be chance (p < 0.001)",
                "test": "chi-squared test of independence", "reason": "all expected counts are at least 5", "p": 0.00005699411623331844,
                "tests": [{"test": "chi-squared test of independence", "statistic_name": "chi2", "statistic": 16.2, "df": [1.0], "p": 0.00005699411623331844,
                "effect_name": "Cramer V", "effect": 1.0}, {"test": "G test of independence", "statistic_name": "G", "statistic": 19.785277488562908,
                "df": [1.0], "p": 8.664752761209002e-6, "effect_name": "Cramer V", "effect": 1.0}, {"test": "Fisher exact test", "statistic_name": "a",
                "statistic": 10.0, "df": [], "p": 0.000010825088224469023, "effect_name": "phi", "effect": 1.0}], "measures": [{"name": "Cramer V",
                "symbol": "V", "value": 1.0, "low": 0.5617387297062336, "high": 1.0}, {"name": "phi", "symbol": "phi", "value": 1.0, "low": null, "high": null},
                {"name": "odds ratio", "symbol": "OR", "value": "Infinity", "low": null, "high": null}, {"name": "risk ratio", "symbol": "RR",
                "value": "Infinity", "low": null, "high": null}, {"name": "lambda of the columns", "symbol": "lambda", "value": 1.0, "low": 1.0, "high": 1.0},
                {"name": "gamma", "symbol": "gamma", "value": 1.0, "low": 1.0, "high": 1.0}, {"name": "Kendall tau-b", "symbol": "tau_b", "value": 1.0,
                "low": 1.0, "high": 1.0}, {"name": "Cohen kappa", "symbol": "kappa", "value": 1.0, "low": 1.0, "high": 1.0}], "cells": [{"row": "row 1",
                "column": "column 1", "count": 10.0, "expected": 5.0, "row_share": 1.0, "pearson": 2.23606797749979, "adjusted": 4.47213595499958},
                {"row": "row 1", "column": "column 2", "count": 0.0, "expected": 5.0, "row_share": 0.0, "pearson": -2.23606797749979,
                "adjusted": -4.47213595499958}, {"row": "row 2", "column": "column 1", "count": 0.0, "expected": 5.0, "row_share": 0.0,
                "pearson": -2.23606797749979, "adjusted": -4.47213595499958}, {"row": "row 2", "column": "column 2", "count": 10.0, "expected": 5.0,
                "row_share": 1.0, "pearson": 2.23606797749979, "adjusted": 4.47213595499958}], "n": 20.0, "missing": 0, "notes": [],
                "apa": "chi2(1) = 16.20, p < .001, V = 1.00, 95% CI [0.56, 1.00]"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let counted = read_counts(&args, ctx)?;
        let confidence = args.confidence.get();
        let fault = |err| test_fault(err, "/counts", ctx);
        let table = &counted.table;
        let chi = test_independence(table, CountStatistic::Pearson, args.continuity, confidence)
            .map_err(fault)?;
        let g = test_independence(
            table,
            CountStatistic::LikelihoodRatio,
            args.continuity,
            confidence,
        )
        .map_err(fault)?;
        let exact = exact_test(table, confidence, ctx);
        ctx.check()?;
        let mut tests = vec![TestLine::new(&chi), TestLine::new(&g)];
        tests.extend(exact.as_ref().ok().map(TestLine::new));
        if let Ok(mcnemar) = test_mcnemar(table, McNemarForm::Exact, confidence) {
            tests.push(TestLine::new(&mcnemar));
        }
        let mut notes = chi.notes.clone();
        if let Err(err) = &exact {
            notes.push(format!("no exact test: {err}"));
        }
        let is_small = table.expected().iter().any(|expected| *expected < 5.0);
        let (chosen, reason) = match (is_small, &exact) {
            (true, Ok(exact)) => (
                exact,
                "an expected count is below 5, so that the exact test is taken",
            ),
            (true, Err(_)) => (
                &chi,
                "an expected count is below 5, but the exact test cannot be made",
            ),
            (false, _) => (&chi, "all expected counts are at least 5"),
        };
        Ok(Output {
            summary: association_sentence(&args, chosen, confidence),
            test: chosen.name.to_owned(),
            reason: reason.to_owned(),
            p: chosen.p,
            tests,
            measures: association_measures(table, confidence),
            cells: cell_records(&counted),
            n: table.margins().total,
            missing: counted.missing,
            notes,
            apa: apa_line(chosen, confidence),
        })
    }
}

fn exact_test(
    table: &CountTable,
    confidence: f64,
    ctx: &Ctx,
) -> Result<HypothesisResult, HypothesisError> {
    let options = TestOptions {
        confidence,
        null: 1.0,
        ..TestOptions::default()
    };
    match table.two_by_two() {
        Some(_) => test_fisher(table, &options),
        None => test_fisher_table(table, confidence, &CallWatch(ctx)),
    }
}

fn read_counts(args: &Args, ctx: &Ctx) -> Result<CrossCounts, ToolError> {
    if let Some(counts) = &args.counts {
        let counts = counts.load(ctx)?;
        let (rows, columns) = (counts.rows(), counts.columns());
        let made = CountTable::new(counts.as_slice(), rows, columns);
        let names = |given: &[String], count: usize, word: &str, pointer: &str| {
            if given.is_empty() {
                return Ok((1..=count).map(|at| format!("{word} {at}")).collect());
            }
            if given.len() != count {
                let found = given.len();
                refuse!(invalid pointer, "shape"; "expected {count} names, found {found}");
            }
            Ok(given.to_vec())
        };
        return Ok(CrossCounts {
            table: made.map_err(|err| test_fault(err, "/counts", ctx))?,
            rows: names(&args.row_names, rows, "row", "/row_names")?,
            columns: names(&args.column_names, columns, "column", "/column_names")?,
            missing: 0,
        });
    }
    let (Some(data), Some(rows), Some(columns)) = (&args.data, &args.rows, &args.columns) else {
        refuse!(invalid "/counts"; "expected counts, found none";
            "give `counts` as rows of numbers, or `data` with the columns `rows` and `columns`")
    };
    let table = data.load(ctx)?.into_table(ctx)?;
    cross_counts(&table, rows, columns, ["/rows", "/columns"], ctx)
}

fn association_measures(table: &CountTable, confidence: f64) -> Vec<EffectRecord> {
    let mut measures = association_effects(table, confidence);
    measures.extend(predictive_lambda(table, confidence));
    measures.extend(goodman_kruskal_gamma(table, confidence));
    measures.push(kendall_tau_b(table, confidence));
    measures.extend(agreement_kappa(table, confidence));
    EffectRecord::list(&measures)
}

fn cell_records(counted: &CrossCounts) -> Vec<CellRecord> {
    let margins = counted.table.margins();
    let cells = cell_residuals(&counted.table).into_iter();
    let record = |cell: statistics::contingency::CellResidual| CellRecord {
        row: counted.rows[cell.row].clone(),
        column: counted.columns[cell.column].clone(),
        count: cell.count,
        expected: cell.expected,
        row_share: cell.count / margins.rows[cell.row],
        pearson: cell.pearson,
        adjusted: cell.adjusted,
    };
    cells.map(record).collect()
}

fn association_sentence(args: &Args, result: &HypothesisResult, confidence: f64) -> String {
    let names = match (&args.rows, &args.columns) {
        (Some(rows), Some(columns)) => format!("`{rows}` and `{columns}`"),
        _ => "rows and columns".to_owned(),
    };
    if result.p >= 1.0 - confidence {
        return unclear_words(&format!("association of {names}"), result.p);
    }
    let strength = result.effects.iter().find(|effect| effect.symbol == "V");
    let strength = strength.map_or_else(String::new, |effect| {
        format!(
            " (Cramer V {}{})",
            number_words(effect.value),
            interval_words(effect.interval, confidence)
                .replace(" (", ", ")
                .replace(')', "")
        )
    });
    let mut words = format!(
        "{names} are associated{strength}, {}",
        unlikely_words(result.p)
    );
    if let Some(first) = words.get(..1).map(str::to_uppercase) {
        words.replace_range(..1, &first);
    }
    words
}
