//! Regression that wild rows do not move.

use statistics::models::robust::{RobustFit, RobustMethod, RobustRequest, fit_robust};

use super::model_data::{ModelData, read_model, warn_of_aliases};
use super::model_words::{EffectScale, effects_sentence};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Rows that are named for their weight.
const ROWS_SHOWN: usize = 10;
/// A weight below which a row counts as wild.
const LOW_WEIGHT: f64 = 0.5;

/// Fits a linear model of a table by a formula so that outliers of the response lose their weight: Huber's and Tukey's M estimates as statsmodels' RLM, or
/// an MM estimate that even two fifths of wild rows do not move. The rows with little weight are named.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// The model: `price ~ area + C(city)`.
    pub formula: String,
    /// How residuals lose their weight.
    #[value(default)]
    pub method: RobustMethodChoice,
    /// Probability of the intervals; 0.95 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub confidence: Option<Probability>,
    /// Seed of the starts of `mm`; that of the call when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// How residuals lose their weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum RobustMethodChoice {
    /// Large residuals pull with the same force (c = 1.345).
    #[default]
    Huber,
    /// Tukey's bisquare: residuals beyond 4.685 scales do not pull.
    Tukey,
    /// Tukey's bisquare from a start that half of the rows cannot move.
    Mm,
}

/// A robust fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The coefficients, with z tests.
    pub terms: Vec<RobustTerm>,
    /// Robust scale of the residuals.
    pub scale: f64,
    /// The rows with the least weight, below 0.5, at most ten.
    pub outliers: Vec<OutlyingRow>,
    /// Rows with a weight below 0.5.
    pub low_weights: usize,
    /// Rows that are used.
    pub n: usize,
    /// Rows that are left out because a cell is missing.
    pub missing: usize,
    /// Seed of the starts.
    pub seed: RandomSeed,
    /// Iterations.
    pub iterations: usize,
    /// What the model says, in a sentence or two.
    pub summary: String,
}

/// A coefficient.
#[derive(Debug, Encode, Describe)]
pub(crate) struct RobustTerm {
    /// The column of the model.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: Real,
    /// Estimate over error.
    pub z: Real,
    /// Two-sided p value (normal).
    pub p: Real,
    /// Lower end of the confidence interval.
    pub lower: Real,
    /// Upper end.
    pub upper: Real,
}

/// A row with little weight.
#[derive(Debug, Encode, Describe)]
pub(crate) struct OutlyingRow {
    /// Row of the table, from 0.
    pub row: usize,
    /// Its weight, from 0 to 1.
    pub weight: f64,
    /// Its residual.
    pub residual: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("robust_regression", "Robust regression").tags(&[
        "statistics",
        "numeric",
        "fit",
        "robust",
        "outliers",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "1 + 2 x with small waves, and a wild row, which loses its weight":
            r#"{"data": {"x": [0, 1, 2, 3, 4, 5, 6, 7], "y": [1.1, 2.9, 5.1, 6.9, 9.1, 10.9, 13.1, 90]}, "formula": "y ~ x", "method": "tukey", "seed": 1}"#
            => r#"{"terms": [{"name": "Intercept", "estimate": 1.015575641299, "standard_error": 0.08874207642514, "z": 11.44412754591, "p": 0.0,
                "lower": 0.841644367592, "upper": 1.189506915005}, {"name": "x", "estimate": 2.0, "standard_error": 0.02121341371901,
                "z": 94.27996957451, "p": 0.0, "lower": 1.958422473122, "upper": 2.041577526878}], "scale": 0.1482602218506,
                "outliers": [{"row": 7, "weight": 0.0, "residual": 74.9844243587}], "low_weights": 1, "n": 8, "missing": 0, "seed": 1,
                "iterations": 13,
                "summary": "1 of 8 rows of `y` keeps less than half of its weight. Clear at 95 %: `x` +2 per unit (interval 1.958 to 2.042)."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let model = read_model(&args.data, &args.formula, &[], ctx)?;
        if !model.frame.random.is_empty() || model.frame.offset.is_some() {
            refuse!(invalid "/formula", "formula"; "robust regression takes neither random terms nor offsets"; "leave them out of the formula");
        }
        let confidence = confidence_level(args.confidence)?;
        let seed = ctx.seed(args.seed);
        let request = RobustRequest {
            design: &model.frame.design,
            y: &model.numeric_response()?.values,
            method: match args.method {
                RobustMethodChoice::Huber => RobustMethod::Huber,
                RobustMethodChoice::Tukey => RobustMethod::Tukey,
                RobustMethodChoice::Mm => RobustMethod::Mm,
            },
            confidence,
            seed: seed.get(),
        };
        let fit =
            fit_robust(request, &CallWatch(ctx)).map_err(|err| model.model_fault(err, ctx))?;
        warn_of_aliases(&fit.aliased, ctx);
        let term = |one: &statistics::models::CoefficientEstimate| RobustTerm {
            name: one.name.clone(),
            estimate: one.estimate,
            standard_error: Real(one.standard_error),
            z: Real(one.statistic),
            p: Real(one.p),
            lower: Real(one.interval[0]),
            upper: Real(one.interval[1]),
        };
        let low_weights = fit
            .weights
            .iter()
            .filter(|weight| **weight < LOW_WEIGHT)
            .count();
        Ok(Output {
            terms: fit.coefficients.iter().map(term).collect(),
            scale: fit.scale,
            outliers: outlying_rows(&fit, &model),
            low_weights,
            n: fit.weights.len(),
            missing: model.frame.missing,
            seed,
            iterations: fit.iterations,
            summary: summary_sentence(&fit, &model, low_weights, confidence)?,
        })
    }
}

fn outlying_rows(fit: &RobustFit, model: &ModelData) -> Vec<OutlyingRow> {
    let mut rows: Vec<usize> = (0..fit.weights.len())
        .filter(|row| fit.weights[*row] < LOW_WEIGHT)
        .collect();
    let size = |row: &usize| fit.residuals[*row].abs();
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
    let row = |row: &usize| OutlyingRow {
        row: model.table_row(*row),
        weight: fit.weights[*row],
        residual: fit.residuals[*row],
    };
    rows.iter().take(ROWS_SHOWN).map(row).collect()
}

fn summary_sentence(
    fit: &RobustFit,
    model: &ModelData,
    low_weights: usize,
    confidence: f64,
) -> Result<String, ToolError> {
    let (name, n) = (&model.response()?.name, fit.weights.len());
    let wild = match low_weights {
        0 => format!("No row of `{name}` loses half of its weight among {n}."),
        1 => format!("1 of {n} rows of `{name}` keeps less than half of its weight."),
        count => format!("{count} of {n} rows of `{name}` keep less than half of their weight."),
    };
    let sentence = effects_sentence(
        &fit.coefficients,
        &model.frame,
        EffectScale::Response,
        confidence,
    );
    Ok(format!("{wild} {sentence}"))
}
