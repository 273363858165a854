//! Linear models of a table by a formula.

use statistics::design::ModelMatrix;
use statistics::models::WaldTest;
use statistics::models::linear::{
    ErrorEstimate, LinearDiagnostics, LinearModelFit, LinearRequest, fit_linear,
};

use super::answer::{AssumptionCheck, InfluentialRow, LinearMeasures, PredictedRow, TermInflation};
use super::{Args, Output, RegressionTerm};
use crate::call_watch::CallWatch;
use crate::prelude::*;
use crate::stats::glm::{cluster_codes, error_estimate};
use crate::stats::model_data::{ColumnArgument, ModelData, read_model, warn_of_aliases};
use crate::stats::model_words::{EffectScale, effects_sentence};
use crate::stats::reporting::words::{apa_p, apa_share, p_words, percent_words};

/// Rows that are named for their influence.
const INFLUENTIAL_SHOWN: usize = 5;
/// A p value below which an assumption is doubted.
const DOUBT: f64 = 0.05;

/// Fits a formula.
pub(super) fn run_formula(args: &Args, formula: &str, ctx: &Ctx) -> Result<Output, ToolError> {
    let Some(data) = &args.data else {
        refuse!(invalid "/data", "missing"; "a formula needs the table that it is over";
            "give `data` as a list of records, an object of columns, or a file");
    };
    let weights = args.weights.as_deref().map(|name| ColumnArgument {
        pointer: "/weights",
        name,
    });
    let cluster = args.cluster.as_deref().map(|name| ColumnArgument {
        pointer: "/cluster",
        name,
    });
    let beside: Vec<ColumnArgument<'_>> = weights.into_iter().chain(cluster).collect();
    let model = read_model(data, formula, &beside, ctx)?;
    if !model.frame.random.is_empty() {
        refuse!(invalid "/formula", "formula"; "the formula has a random term"; "`mixed_model` fits it");
    }
    if args.penalty.is_some() {
        return super::penalised::run_penalised(args, &model, ctx);
    }
    let weights = weights.map(|column| model.numbers(column)).transpose()?;
    let clusters = cluster.map(|column| model.categories(column)).transpose()?;
    let codes = cluster_codes(clusters.as_ref());
    let request = LinearRequest {
        design: &model.frame.design,
        y: &model.numeric_response()?.values,
        weights: weights.as_deref(),
        offset: model.frame.offset.as_deref(),
        errors: error_estimate(args.errors, cluster.is_some(), &codes)?,
        confidence: args.confidence()?,
    };
    let fit = fit_linear(request, &CallWatch(ctx)).map_err(|err| model.model_fault(err, ctx))?;
    warn_of_fit(&fit, ctx);
    let diagnostics = fit.diagnostics(request, &CallWatch(ctx));
    let diagnostics = diagnostics.map_err(|err| model.model_fault(err, ctx))?;
    let predicted = predicted_rows(args, &model, &fit, ctx)?;
    Ok(output(&model, request, &fit, &diagnostics, predicted))
}

impl Args {
    /// The probability of the intervals.
    pub(super) fn confidence(&self) -> Result<f64, ToolError> {
        confidence_level(self.confidence)
    }
}

fn warn_of_fit(fit: &LinearModelFit, ctx: &Ctx) {
    warn_of_aliases(&fit.aliased, ctx);
    if fit.df_residual == 0 {
        ctx.warn("as many coefficients as rows: the fit is exact and has no standard errors");
    } else if fit.r2.is_nan() {
        ctx.warn("the response does not vary: r2 is undefined");
    }
    if fit.rcond < 1e-12 {
        ctx.warn(format!(
            "the columns are nearly dependent (reciprocal condition {:.1e}): few digits of the coefficients can be trusted",
            fit.rcond
        ));
    }
}

fn predicted_rows(
    args: &Args,
    model: &ModelData,
    fit: &LinearModelFit,
    ctx: &Ctx,
) -> Result<Option<Vec<PredictedRow>>, ToolError> {
    let Some(rows) = &args.predict else {
        return Ok(None);
    };
    let new = model.new_rows(rows, ctx)?;
    let predictions = fit.predict(&new.matrix, new.offset.as_deref());
    let row = |(row, one): (usize, &statistics::models::linear::LinearPrediction)| PredictedRow {
        row,
        mean: one.mean,
        standard_error: Real(one.standard_error),
        lower: Real(one.confidence[0]),
        upper: Real(one.confidence[1]),
        new_lower: Real(one.prediction[0]),
        new_upper: Real(one.prediction[1]),
    };
    Ok(Some(predictions.iter().enumerate().map(row).collect()))
}

fn output(
    model: &ModelData,
    request: LinearRequest<'_>,
    fit: &LinearModelFit,
    diagnostics: &LinearDiagnostics,
    predicted: Option<Vec<PredictedRow>>,
) -> Output {
    let is_constant = |column: usize| request.design.terms[column].is_none();
    let pairs = || fit.kept.iter().zip(&fit.coefficients);
    let intercept = pairs().find(|(column, _)| is_constant(**column));
    let slopes = pairs().filter(|(column, _)| !is_constant(**column));
    let term = |one: &statistics::models::CoefficientEstimate| RegressionTerm {
        name: one.name.clone(),
        estimate: one.estimate,
        standard_error: Real(one.standard_error),
        t: Real(one.statistic),
        p: Real(one.p),
        interval: one.interval.map(Real),
    };
    Output {
        coefficients: slopes.map(|(_, one)| one.estimate).collect(),
        intercept: intercept.map_or(0.0, |(_, one)| one.estimate),
        terms: fit.coefficients.iter().map(term).collect(),
        r2: Real(fit.r2),
        adjusted_r2: Real(fit.adjusted_r2),
        residual_std: Real(fit.residual_std),
        degrees_of_freedom: fit.df_residual,
        rcond: fit.rcond,
        method: match request.errors {
            ErrorEstimate::Classical => "least squares by QR with refinement".to_owned(),
            errors => format!(
                "least squares by QR with refinement, {} errors",
                errors.name()
            ),
        },
        n: Some(fit.rows()),
        missing: Some(model.frame.missing),
        fit: Some(measures(fit)),
        checks: Some(assumption_checks(fit, diagnostics)),
        collinearity: Some(inflations(fit, request.design)),
        influential: Some(influential_rows(fit, model)),
        predicted,
        penalty: None,
        apa: Some(apa_line(fit)),
        summary: Some(summary_sentence(model, request, fit)),
    }
}

fn measures(fit: &LinearModelFit) -> LinearMeasures {
    let missing = WaldTest {
        statistic: f64::NAN,
        df1: 0.0,
        df2: 0.0,
        p: f64::NAN,
    };
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let f = fit.f.unwrap_or(missing);
    LinearMeasures {
        f: finite(f.statistic),
        f_df1: f.df1,
        f_df2: f.df2,
        f_p: finite(f.p),
        log_likelihood: finite(fit.log_likelihood),
        aic: finite(fit.aic),
        bic: finite(fit.bic),
    }
}

/// The checks, each with what its result says.
fn assumption_checks(fit: &LinearModelFit, found: &LinearDiagnostics) -> Vec<AssumptionCheck> {
    let mut checks = Vec::new();
    let mut add = |check: &str, test: Option<WaldTest>, doubt: &str| {
        if let Some(test) = test.filter(|test| test.p.is_finite()) {
            let verdict = match test.p < DOUBT {
                true => doubt.to_owned(),
                false => "no sign against it".to_owned(),
            };
            checks.push(AssumptionCheck {
                check: check.to_owned(),
                statistic: Real(test.statistic),
                df1: Some(test.df1),
                df2: test.df2.is_finite().then_some(test.df2),
                p: Some(test.p),
                verdict,
            });
        }
    };
    add(
        "equal variances (Breusch-Pagan)",
        found.breusch_pagan,
        "doubtful: the spread of the residuals changes with the terms; `errors` HC3 allows for it",
    );
    add(
        "normal residuals (Jarque-Bera)",
        found.jarque_bera,
        "doubtful: matters for prediction bands and small samples; `robust_regression` needs it less",
    );
    add(
        "linear form (RESET)",
        found.reset,
        "doubtful: add a power, a logarithm or an interaction",
    );
    let watson = found.durbin_watson;
    if watson.is_finite() {
        checks.push(AssumptionCheck {
            check: "independent rows (Durbin-Watson)".to_owned(),
            statistic: Real(watson),
            df1: None,
            df2: None,
            p: None,
            verdict: match watson {
                _ if watson < 1.5 => {
                    "neighbouring rows are alike: doubtful where rows are in order of time or place"
                        .to_owned()
                }
                _ if watson > 2.5 => {
                    "neighbouring rows alternate: doubtful where rows are in order of time or place"
                        .to_owned()
                }
                _ => "no sign against it (2 without correlation)".to_owned(),
            },
        });
    }
    let condition = fit.rcond.recip();
    checks.push(AssumptionCheck {
        check: "independent columns (condition)".to_owned(),
        statistic: Real(condition),
        df1: None,
        df2: None,
        p: None,
        verdict: match condition > 1000.0 {
            true => "the columns nearly depend on each other: single coefficients mean little"
                .to_owned(),
            false => "no sign against it (1 for columns at right angles)".to_owned(),
        },
    });
    checks
}

fn inflations(fit: &LinearModelFit, design: &ModelMatrix) -> Vec<TermInflation> {
    let found = fit.variance_inflation(design);
    let row = |one: statistics::models::linear::VarianceInflation| TermInflation {
        name: one.name,
        vif: Real(one.factor),
    };
    found.into_iter().map(row).collect()
}

/// The rows with the largest distances of Cook.
fn influential_rows(fit: &LinearModelFit, model: &ModelData) -> Vec<InfluentialRow> {
    let mut rows = fit.influence();
    rows.retain(|row| row.cooks_distance.is_finite());
    rows.sort_by(|a, b| {
        b.cooks_distance
            .total_cmp(&a.cooks_distance)
            .then(a.row.cmp(&b.row))
    });
    let shown = rows.iter().take(INFLUENTIAL_SHOWN);
    shown
        .map(|row| InfluentialRow {
            row: model.table_row(row.row),
            leverage: row.leverage,
            studentised: Real(row.studentised),
            cooks_distance: row.cooks_distance,
        })
        .collect()
}

/// `F(2, 57) = 12.30, p < .001, R2 = .30, adjusted R2 = .28`.
fn apa_line(fit: &LinearModelFit) -> String {
    let shares = format!(
        "R2 = {}, adjusted R2 = {}",
        apa_share(fit.r2, 2),
        apa_share(fit.adjusted_r2, 2)
    );
    match fit.f.filter(|f| f.statistic.is_finite()) {
        None => shares,
        Some(f) => format!(
            "F({}, {}) = {:.2}, {}, {shares}",
            f.df1,
            f.df2,
            f.statistic,
            apa_p(f.p)
        ),
    }
}

fn summary_sentence(model: &ModelData, request: LinearRequest<'_>, fit: &LinearModelFit) -> String {
    let name = model
        .frame
        .response
        .as_ref()
        .map_or("", |response| response.name.as_str());
    let explained = match (fit.f, fit.r2.is_nan()) {
        (Some(f), false) => format!(
            "The terms explain {} of the variation of `{name}` in {} rows ({}).",
            percent_words(fit.r2),
            fit.rows(),
            p_words(f.p)
        ),
        _ => format!(
            "The model of `{name}` over {} rows has no share of variation to test.",
            fit.rows()
        ),
    };
    let sentence = effects_sentence(
        &fit.coefficients,
        &model.frame,
        EffectScale::Response,
        request.confidence,
    );
    format!("{explained} {sentence}")
}
