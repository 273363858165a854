//! Analysis of variance of repeated measures.

use statistics::anova::{RepeatedResult, analyse_repeated};
use statistics::hypothesis::*;

use super::formula::VarianceFormula;
use super::post_hoc::PostHocName;
use super::{Args, Output, TermRecord, residual_record, terms_sentence};
use crate::prelude::*;
use crate::stats::reporting::faults::test_fault;
use crate::stats::reporting::samples::{SampleGroup, group_slices, paired_samples};
use crate::stats::reporting::words::{apa_effect, p_words};
use crate::stats::reporting::{
    AssumptionRecord, ComparisonRecord, EffectRecord, GroupRecord, TestLine,
};

/// The analysis of one factor within subjects.
pub(super) fn analyse(
    args: &Args,
    formula: &VarianceFormula,
    subject: &str,
    table: &::tables::DataTable,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let [factor] = &formula.factors[..] else {
        let found = formula.factors.len();
        refuse!(invalid "/formula", "formula"; "an analysis within subjects takes one factor, found {found}";
            "such as `score ~ week` with `subject`")
    };
    let read = paired_samples(table, &formula.response, factor, subject, ctx)?;
    let groups = group_slices(&read.conditions);
    let confidence = args.confidence.get();
    let result =
        analyse_repeated(&groups, confidence).map_err(|err| test_fault(err, "/data", ctx))?;
    let comparisons = match args.post_hoc {
        PostHocName::None => Vec::new(),
        _ => compare_conditions(args, &read.conditions)
            .map_err(|err| test_fault(err, "/data", ctx))?,
    };
    let is_spherical = groups.len() == 2 || result.mauchly.is_some_and(|test| test.p >= 0.05);
    let epsilon = if is_spherical {
        1.0
    } else {
        result.greenhouse_geisser
    };
    let terms = repeated_terms(factor, &result, epsilon, is_spherical);
    let mut notes = vec![format!(
        "epsilon of Greenhouse and Geisser {:.4} (p = {:.3e}), of Huynh and Feldt {:.4} (p = {:.3e}), uncorrected p = {:.3e}",
        result.greenhouse_geisser,
        result.p_greenhouse_geisser,
        result.huynh_feldt,
        result.p_huynh_feldt,
        result.p
    )];
    if read.incomplete > 0 {
        notes.push(format!(
            "{} subjects without a value in every condition are left out",
            read.incomplete
        ));
    }
    let count: usize = groups.iter().map(|group| group.len()).sum();
    let effect = result
        .effects
        .first()
        .map(|effect| apa_effect(effect, confidence));
    let p = terms[0].p.unwrap_or(1.0);
    Ok(Output {
        summary: terms_sentence(&formula.response, &terms, confidence),
        test: "analysis of variance of repeated measures".to_owned(),
        effects: EffectRecord::list(&result.effects),
        groups: read
            .conditions
            .iter()
            .map(|group| GroupRecord::new(group, confidence))
            .collect(),
        comparison_method: match comparisons.is_empty() {
            true => String::new(),
            false => "paired t tests, corrected".to_owned(),
        },
        comparisons,
        assumptions: result
            .mauchly
            .map(|test| AssumptionRecord {
                assumption: "sphericity of the conditions".to_owned(),
                test: "Mauchly test".to_owned(),
                statistic: Real(test.w),
                p: test.p,
                holds: test.p >= 0.05,
            })
            .into_iter()
            .collect(),
        robust: test_friedman(&groups, ExactChoice::Auto, confidence)
            .ok()
            .map(|result| TestLine::new(&result)),
        n: count,
        missing: table.rows() - count,
        notes,
        apa: vec![format!(
            "{factor}: F({:.2}, {:.2}) = {:.2}, {}, {}",
            epsilon * result.df1,
            epsilon * result.df2,
            result.f,
            p_words(p),
            effect.unwrap_or_default()
        )],
        terms,
    })
}

fn repeated_terms(
    factor: &str,
    result: &RepeatedResult,
    epsilon: f64,
    is_spherical: bool,
) -> Vec<TermRecord> {
    let effect = |at: usize| result.effects.get(at).map(|effect| Real(effect.value));
    let ends = result.effects.first().and_then(|effect| effect.interval);
    let condition = TermRecord {
        term: factor.to_owned(),
        squares: result.condition_squares,
        df: epsilon * result.df1,
        mean_square: Some(result.condition_squares / (epsilon * result.df1)),
        f: Some(result.f),
        p: Some(if is_spherical {
            result.p
        } else {
            result.p_greenhouse_geisser
        }),
        eta2: effect(1),
        partial_eta2: effect(0),
        low: ends.map(|ends| Real(ends[0])),
        high: ends.map(|ends| Real(ends[1])),
        omega2: effect(2),
    };
    vec![
        condition,
        residual_record(result.error_squares, epsilon * result.df2),
    ]
}

/// Paired t tests of all pairs of conditions.
fn compare_conditions(
    args: &Args,
    conditions: &[SampleGroup],
) -> Result<Vec<ComparisonRecord>, HypothesisError> {
    let options = TestOptions {
        confidence: args.confidence.get(),
        ..TestOptions::default()
    };
    let mut records = Vec::new();
    for (at, first) in conditions.iter().enumerate() {
        for second in &conditions[at + 1..] {
            let result = test_pairs(&first.values, &second.values, &options)?;
            let estimate = result.estimate.as_ref();
            let ends = estimate.and_then(|estimate| estimate.interval);
            records.push(ComparisonRecord {
                first: first.label.clone(),
                second: second.label.clone(),
                difference: Real(estimate.map_or(0.0, |estimate| estimate.value)),
                low: ends.map(|ends| Real(ends[0])),
                high: ends.map(|ends| Real(ends[1])),
                statistic_name: result.symbol.to_owned(),
                statistic: Real(result.statistic),
                df: result.df.first().copied(),
                p: result.p,
                effect_name: result.effects.first().map(|effect| effect.name.to_owned()),
                effect: result.effects.first().map(|effect| Real(effect.value)),
            });
        }
    }
    let p: Vec<f64> = records.iter().map(|record| record.p).collect();
    let corrected = correct_p_values(&p, args.correction.into());
    for (record, p) in records.iter_mut().zip(corrected) {
        record.p = p;
    }
    Ok(records)
}
