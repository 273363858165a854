//! Linear models with a penalty.

use statistics::models::linear::{PenaltyFit, PenaltyPoint, PenaltyRequest, fit_penalised};

use super::answer::{PenaltyAnswer, PenaltyStep, PredictedRow};
use super::{Args, Output, PenaltyKind, RegressionTerm};
use crate::call_watch::CallWatch;
use crate::prelude::*;
use crate::stats::model_data::ModelData;
use crate::stats::reporting::words::{estimate_words, percent_words};

/// Steps of the path that an answer shows.
const STEPS_SHOWN: usize = 100;

/// Fits with the penalty of the call.
pub(super) fn run_penalised(
    args: &Args,
    model: &ModelData,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    if args.weights.is_some() || args.cluster.is_some() || args.errors.is_some() {
        refuse!(invalid "/penalty", "penalty"; "a penalised fit takes no weights and has no standard errors";
            "leave out `weights`, `errors` and `cluster`");
    }
    if model.frame.offset.is_some() {
        refuse!(invalid "/formula", "penalty"; "a penalised fit takes no offset"; "subtract it from the response");
    }
    let kind = args.penalty.unwrap_or(PenaltyKind::Lasso);
    let l1_ratio = match (kind, args.l1_ratio) {
        (PenaltyKind::Lasso, None) => 1.0,
        (PenaltyKind::Ridge, None) => 0.0,
        (PenaltyKind::ElasticNet, ratio) => ratio.map_or(0.5, |ratio| ratio.get()),
        (_, Some(_)) => {
            refuse!(invalid "/l1_ratio", "penalty"; "`l1_ratio` belongs to the elastic net"; "set `penalty` to elastic_net");
        }
    };
    let seed = ctx.seed(args.seed);
    let response = &model.numeric_response()?.values;
    let request = PenaltyRequest {
        design: &model.frame.design,
        y: response,
        l1_ratio,
        strength: args.strength.map(|strength| strength.get()),
        folds: args.folds.map_or(10, BoundedInteger::size),
        seed: seed.get(),
    };
    let fit = fit_penalised(request, &CallWatch(ctx)).map_err(|err| model.model_fault(err, ctx))?;
    ctx.warn("estimates with a penalty are drawn towards 0: they have no standard errors, and no p values");
    let predicted = match &args.predict {
        None => None,
        Some(rows) => {
            let new = model.new_rows(rows, ctx)?;
            Some(predicted_rows(&fit, &new.matrix))
        }
    };
    Ok(output(kind, &fit, model, seed, l1_ratio, predicted))
}

fn predicted_rows(fit: &PenaltyFit, matrix: &statistics::design::ModelMatrix) -> Vec<PredictedRow> {
    let slopes: Vec<usize> = (0..matrix.names.len())
        .filter(|column| matrix.terms[*column].is_some())
        .collect();
    let none = Real(f64::NAN);
    (0..matrix.matrix.rows)
        .map(|row| {
            let terms = slopes.iter().zip(&fit.coefficients);
            let sum: f64 = terms
                .map(|(column, b)| matrix.matrix.column(*column)[row] * b)
                .sum();
            PredictedRow {
                row,
                mean: fit.intercept + sum,
                standard_error: none,
                lower: none,
                upper: none,
                new_lower: none,
                new_upper: none,
            }
        })
        .collect()
}

fn output(
    kind: PenaltyKind,
    fit: &PenaltyFit,
    model: &ModelData,
    seed: RandomSeed,
    l1_ratio: f64,
    predicted: Option<Vec<PredictedRow>>,
) -> Output {
    let none = Real(f64::NAN);
    let term = |name: &str, estimate: f64| RegressionTerm {
        name: name.to_owned(),
        estimate,
        standard_error: none,
        t: none,
        p: none,
        interval: [none; 2],
    };
    let n = fit.fitted.len();
    let nonzero = fit
        .coefficients
        .iter()
        .filter(|value| **value != 0.0)
        .count();
    let has_constant = model.frame.design.terms.iter().any(Option::is_none);
    let constant = has_constant.then(|| term("Intercept", fit.intercept));
    let slopes = fit
        .names
        .iter()
        .zip(&fit.coefficients)
        .map(|(name, value)| term(name, *value));
    let response = model.frame.response.as_ref();
    let rest = response.map_or(0.0, |response| {
        response
            .values
            .iter()
            .zip(&fit.fitted)
            .map(|(y, fitted)| (y - fitted).powi(2))
            .sum::<f64>()
    });
    let freedom = n.saturating_sub(nonzero + usize::from(has_constant));
    let (word, chosen) = (
        kind.word(),
        if fit.path.is_empty() {
            "given"
        } else {
            "chosen by cross-validation"
        },
    );
    let name = response.map_or("", |response| response.name.as_str());
    Output {
        coefficients: fit.coefficients.clone(),
        intercept: fit.intercept,
        terms: constant.into_iter().chain(slopes).collect(),
        r2: Real(fit.r2),
        adjusted_r2: none,
        residual_std: Real((rest / freedom as f64).sqrt()),
        degrees_of_freedom: freedom,
        rcond: 1.0,
        method: format!("{word} over columns of variance 1, strength {chosen}"),
        n: Some(n),
        missing: Some(model.frame.missing),
        fit: None,
        checks: None,
        collinearity: None,
        influential: None,
        predicted,
        apa: None,
        summary: Some(format!(
            "With the {word} penalty {} ({chosen}) the terms explain {} of the variation of `{name}` in {n} rows; {nonzero} of {} coefficients are not 0.",
            estimate_words(fit.strength),
            percent_words(fit.r2),
            fit.coefficients.len()
        )),
        penalty: Some(PenaltyAnswer {
            kind: word.to_owned(),
            strength: fit.strength,
            strength_1se: fit.strength_1se,
            l1_ratio,
            nonzero,
            seed,
            path: fit
                .path
                .iter()
                .take(STEPS_SHOWN)
                .map(penalty_step)
                .collect(),
        }),
    }
}

fn penalty_step(point: &PenaltyPoint) -> PenaltyStep {
    PenaltyStep {
        strength: point.strength,
        error: point.error,
        deviation: point.deviation,
        nonzero: point.nonzero,
    }
}
