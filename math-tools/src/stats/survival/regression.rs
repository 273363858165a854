//! Cox regression.

use statistics::models::survival::{CoxFit, CoxRequest, CoxTies, HazardChecks, fit_cox};

use super::answer::{CoxMeasures, HazardRow, HazardTerm};
use super::{Args, Output, TiesChoice, check_times, event_flags};
use crate::call_watch::CallWatch;
use crate::prelude::*;
use crate::stats::model_data::{ColumnArgument, ModelData, read_model, warn_of_aliases};
use crate::stats::model_words::{EffectScale, effects_sentence};
use crate::stats::reporting::words::p_words;

/// A p value below which proportional hazards are doubted.
const DOUBT: f64 = 0.05;

/// Fits a Cox regression.
pub(super) fn run_cox(args: &Args, formula: &str, ctx: &Ctx) -> Result<Output, ToolError> {
    for (pointer, is_there) in [
        ("/time", args.time.is_some()),
        ("/event", args.event.is_some()),
        ("/group", args.group.is_some()),
    ] {
        if is_there {
            let name = &pointer[1..];
            refuse!(invalid pointer, "formula"; "a formula takes the place of `{name}`"; "such as `Surv(time, event) ~ age + C(group)`");
        }
    }
    let strata = args.strata.as_deref().map(|name| ColumnArgument {
        pointer: "/strata",
        name,
    });
    let beside: Vec<ColumnArgument<'_>> = strata.into_iter().collect();
    let model = read_model(&args.data, formula, &beside, ctx)?;
    let response = model.response()?;
    let Some(events) = response
        .second
        .as_ref()
        .filter(|_| response.name.starts_with("Surv("))
    else {
        refuse!(invalid "/formula", "response"; "the response has to be `Surv(time, event)`, found `{}`", response.name;
            "such as `Surv(days, died) ~ age`");
    };
    if !model.frame.random.is_empty() {
        refuse!(invalid "/formula", "formula"; "a Cox regression takes no random terms"; "`strata` gives groups a baseline of their own");
    }
    let table_row = |row: usize| model.table_row(row);
    check_times(&response.values, table_row, "/formula")?;
    let is_event = event_flags(events, table_row, "/formula", ctx)?;
    let strata = strata.map(|column| model.categories(column)).transpose()?;
    let strata: Option<Vec<u32>> =
        strata.map(|strata| strata.codes.iter().flatten().copied().collect());
    let confidence = confidence_level(args.confidence)?;
    let request = CoxRequest {
        design: &model.frame.design,
        times: &response.values,
        is_event: &is_event,
        strata: strata.as_deref(),
        offset: model.frame.offset.as_deref(),
        ties: match args.ties {
            TiesChoice::Efron => CoxTies::Efron,
            TiesChoice::Breslow => CoxTies::Breslow,
        },
        confidence,
    };
    let fit = fit_cox(request, &CallWatch(ctx)).map_err(|err| model.model_fault(err, ctx))?;
    warn_of_aliases(&fit.aliased, ctx);
    let checks = fit.hazard_checks(&request);
    Ok(output(&model, &fit, checks.as_ref(), confidence))
}

/// The exponential, where a double holds it.
fn finite_ratio(value: f64) -> Option<f64> {
    Some(value.exp()).filter(|ratio| ratio.is_finite())
}

fn output(
    model: &ModelData,
    fit: &CoxFit,
    checks: Option<&HazardChecks>,
    confidence: f64,
) -> Output {
    let term = |one: &statistics::models::CoefficientEstimate| HazardTerm {
        name: one.name.clone(),
        estimate: one.estimate,
        standard_error: one.standard_error,
        z: Real(one.statistic),
        p: Real(one.p),
        lower: one.interval[0],
        upper: one.interval[1],
        ratio: finite_ratio(one.estimate),
        ratio_lower: finite_ratio(one.interval[0]),
        ratio_upper: finite_ratio(one.interval[1]),
    };
    Output {
        groups: None,
        curve: None,
        test: None,
        terms: Some(fit.coefficients.iter().map(term).collect()),
        fit: Some(measures(fit)),
        proportional: Some(checks.map(hazard_rows).unwrap_or_default()),
        n: fit.predictors.len(),
        events: fit.events,
        missing: model.frame.missing,
        summary: summary_sentence(model, fit, checks, confidence),
    }
}

fn measures(fit: &CoxFit) -> CoxMeasures {
    let statistic = |test: Option<statistics::models::WaldTest>| {
        Real(test.map_or(f64::NAN, |test| test.statistic))
    };
    let p = |test: Option<statistics::models::WaldTest>| Real(test.map_or(f64::NAN, |test| test.p));
    CoxMeasures {
        log_likelihood: fit.log_likelihood,
        null_log_likelihood: fit.null_log_likelihood,
        likelihood_ratio: fit.likelihood_ratio.statistic,
        df: fit.likelihood_ratio.df1,
        likelihood_ratio_p: fit.likelihood_ratio.p,
        wald: statistic(fit.wald),
        wald_p: p(fit.wald),
        score: statistic(fit.score),
        score_p: p(fit.score),
        concordance: Real(fit.concordance.share),
        aic: -2.0 * fit.log_likelihood + 2.0 * fit.coefficients.len() as f64,
        iterations: fit.iterations,
    }
}

fn hazard_rows(checks: &HazardChecks) -> Vec<HazardRow> {
    let verdict = |p: f64| match p < DOUBT {
        true => "doubtful: the hazard ratio changes with time; use `strata`, or split the time"
            .to_owned(),
        false => "no sign against proportional hazards".to_owned(),
    };
    let mut rows: Vec<HazardRow> = checks
        .terms
        .iter()
        .map(|one| HazardRow {
            name: one.name.clone(),
            statistic: Real(one.test.statistic),
            df: one.test.df1,
            p: Real(one.test.p),
            correlation: Some(one.correlation).filter(|value| value.is_finite()),
            verdict: verdict(one.test.p),
        })
        .collect();
    if let (Some(global), true) = (checks.global, rows.len() > 1) {
        rows.push(HazardRow {
            name: "all terms".to_owned(),
            statistic: Real(global.statistic),
            df: global.df1,
            p: Real(global.p),
            correlation: None,
            verdict: verdict(global.p),
        });
    }
    rows
}

fn summary_sentence(
    model: &ModelData,
    fit: &CoxFit,
    checks: Option<&HazardChecks>,
    confidence: f64,
) -> String {
    let head = format!(
        "{} events in {} rows; the terms order {} of the comparable pairs rightly ({}).",
        fit.events,
        fit.predictors.len(),
        crate::stats::reporting::words::percent_words(fit.concordance.share),
        p_words(fit.likelihood_ratio.p)
    );
    let sentence = effects_sentence(
        &fit.coefficients,
        &model.frame,
        EffectScale::Ratio("hazard ratio"),
        confidence,
    );
    let doubted = checks.is_some_and(|checks| checks.terms.iter().any(|one| one.test.p < DOUBT));
    match doubted {
        true => format!("{head} {sentence} Some hazard ratios change with time."),
        false => format!("{head} {sentence}"),
    }
}
