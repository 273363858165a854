//! `curve_fit`: least squares of a model that is not linear in its parameters.

mod answer;
mod arguments;
mod data;
mod draws;
mod equations;
mod model;
mod names;
mod plot;
mod predict;
mod solution;
#[cfg(test)]
mod tests;
mod verify;

use numerics::optimise::{
    LeastSquaresResult, LevenbergOptions, LossKind, RobustLoss, StartData, StepWeights, better_fit,
    minimise_squares, search_starts,
};

use self::answer::{Output, curve_fit_output};
pub(crate) use self::arguments::Args;
use self::equations::ResponseModel;
use self::model::{CurveFitProblem, FitCurve, OverData};
use self::names::ModelNames;
use self::solution::OdeCurve;
use super::errors::fit_error;
use super::least_squares::minimise_doggedly;
use crate::call_watch::CallWatch;
use crate::prelude::*;

impl Tool for Args {
    const SPEC: Spec = Spec::named("curve_fit", "Fit a curve")
        .seeded()
        .tags(&[
            "fit",
            "ode",
            "regression",
            "nonlinear",
            "levenberg-marquardt",
            "optimisation",
            "statistics",
        ])
        .syntax(&[("/model", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a decay":
            r#"{"model": "a*exp(-k*t)", "data": {"t": [0, 1, 2, 3], "y": [8.1, 3.9, 2.1, 0.9], "s": [0.2, 0.1, 0.1, 0.1]},
                "start": {"a": 8, "k": 1}, "bounds": {"k": [0, null]}, "sigma": "s", "plot": false}"#
            => r#"{"parameters": [{"name": "a", "estimate": 8.041083117764533, "standard_error": 0.2234249765299476, "t":
                35.99008151484226, "p": 0.000771137391847958, "interval": [7.079763032603744,
                9.002403202925322], "at_bound": false}, {"name": "k", "estimate": 0.7039211501334094,
                "standard_error": 0.02670979697024718, "t": 26.35441785340142, "p": 0.001436668118675781,
                "interval": [0.5889981692883215, 0.8188441309784973], "at_bound": false}], "converged": true,
                "reason": "orthogonal", "cosine": 8.479027738286959e-16, "residual_std": 1.220635714785495,
                "sum_of_squares": 2.979903096419793, "r2": 0.9975818514198841, "degrees_of_freedom": 2, "aic":
                4.822385683555065, "bic": 2.981268766914736, "covariance": [[0.04991872013740764,
                0.004115529792996738], [0.004115529792996738, 0.0007134132541918253]], "fitted":
                [8.041083117764533, 3.9774568797351133, 1.9674169509828767, 0.9731669194795995], "band":
                [0.9613200851607884, 0.3677706904536775, 0.3363145224761045, 0.26882577327645746],
                "iterations": 7, "evaluations": 11, "starts": 1}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        confidence_level(args.confidence)?;
        if args.absolute_sigma && args.sigma.is_none() {
            refuse!(invalid "/absolute_sigma"; "`absolute_sigma` needs `sigma`: there are no standard deviations to take as they are";
                "name their column with `sigma`");
        }
        let (table, names, dropped) = data::load_complete_table(&args, ctx)?;
        if dropped > 0 {
            ctx.warn(format!(
                "{dropped} of {} rows of `data` miss a cell of a column that the fit uses, and are left out",
                table.rows() + dropped
            ));
        }
        let rows = data::load_fit_rows(&args, &table, &names)?;
        let (n, p) = (rows.len(), names.parameters.len());
        if n < p {
            refuse!(invalid "/data", "underdetermined"; "{p} parameters cannot be fitted to {n} observations";
                "pass more observations, or fix parameters with `parameters`");
        }
        ctx.reserve_doubles(n.saturating_mul(4 * p + 8))?;
        let bounds = data::parameter_bounds(&args, &names)?;
        let loss = RobustLoss {
            kind: args.loss.into(),
            scale: args.loss_scale.get(),
        };
        let known = |name: &String| args.start.get(name).map(|value| value.get());
        let known: Vec<Option<f64>> = names.parameters.iter().map(known).collect();
        let (curve, starts): (Box<dyn FitCurve + '_>, _) = match &args.model {
            ResponseModel::Formula(text) => {
                let over = |table: &Table| {
                    let scope = names.scope_of_data(table, &args.parameters)?.by_row();
                    OverData::new(text, &scope, p, ctx).map(Box::new)
                };
                let formula = over(&table)?;
                let starts = match complete_start_point(&args, &known, &bounds)? {
                    Some(start) => vec![start],
                    None => {
                        let few = rows.thinned();
                        let formula = over(&names.table(&few, &args.response)?)?;
                        search_start_points(formula, &few, &known, &bounds, ctx)?
                    }
                };
                (formula, starts)
            }
            ResponseModel::Equations(equations) => {
                let solution = OdeCurve::new(equations, &args, &names, &rows, ctx)?;
                let Some(start) = complete_start_point(&args, &known, &bounds)? else {
                    return Err(without_start(&names, &known, &equations.time));
                };
                (Box::new(solution), vec![start])
            }
        };
        let mut fitted = CurveFitProblem::new(curve, &rows, loss);
        let (found, iterations) = fit_until_settled(&args, &mut fitted, &starts, &bounds, ctx)?;
        let values = fitted.columns(&found.point)?;
        let Some(values) = values else {
            refuse!(numeric "/model", "not_finite"; "the model is not finite at the fit"; "set `bounds` or another `start`");
        };
        let evaluations = fitted.evaluations;
        let places = match &args.predict {
            None => None,
            Some(predict) => Some(predict::model_at_places(
                &args,
                predict,
                &names,
                &rows,
                &found.point,
                ctx,
            )?),
        };
        let output = curve_fit_output(
            &args,
            &names,
            (&rows, &bounds),
            found,
            (values, places),
            iterations,
            evaluations,
            starts.len(),
            ctx,
        )?;
        Ok(Output {
            dropped: (dropped > 0).then_some(dropped),
            ..output
        })
    }
}

/// The start point where all of it is given.
fn complete_start_point(
    args: &Args,
    known: &[Option<f64>],
    bounds: &[[f64; 2]],
) -> Result<Option<Vec<f64>>, ToolError> {
    let given: Option<Vec<f64>> = known.iter().copied().collect();
    let all = given.iter().flatten().zip(bounds).zip(args.start.keys());
    for ((value, [low, high]), name) in all {
        if !(low..=high).contains(&value) {
            refuse!(invalid names::member_pointer("/start", name); "the start value {value} is not within the bounds");
        }
    }
    Ok(given)
}

/// The error of differential equations without a whole start point.
fn without_start(names: &ModelNames, known: &[Option<f64>], time: &str) -> ToolError {
    let all = names.parameters.iter().zip(known);
    let missing = all.filter(|(_, known)| known.is_none());
    let missing: Vec<&str> = missing.map(|(name, _)| name.as_str()).collect();
    let message = format!(
        "differential equations need a start value for each parameter: none for `{}`",
        missing.join("`, `")
    );
    ToolError::invalid("/start", message).hint(format!(
        "add them to `start`; what is known goes into `parameters`, and the time is named `{time}`"
    ))
}

/// Start points that a search finds.
fn search_start_points(
    formula: Box<OverData<'_>>,
    rows: &model::FitRows,
    known: &[Option<f64>],
    bounds: &[[f64; 2]],
    ctx: &Ctx,
) -> Result<Vec<Vec<f64>>, ToolError> {
    let plain = RobustLoss {
        kind: LossKind::Linear,
        scale: 1.0,
    };
    let mut search = CurveFitProblem::new(formula, rows, plain);
    let data = StartData {
        predictor: rows.predictors.first().map_or(&[][..], Vec::as_slice),
        response: &rows.response,
    };
    let found =
        search_starts(&mut search, data, known, bounds).map_err(|error| fit_error(error, ctx))?;
    if found.is_empty() {
        refuse!(numeric "/model", "not_finite"; "the model is finite at no start point that was tried";
            "give `start` values at which it is");
    }
    Ok(found)
}

/// The best fit, again where a closer look at its end changed the model; and the iterations of all.
fn fit_until_settled(
    args: &Args,
    fitted: &mut CurveFitProblem<'_>,
    starts: &[Vec<f64>],
    bounds: &[[f64; 2]],
    ctx: &Ctx,
) -> Result<(LeastSquaresResult, u64), ToolError> {
    const LOOKS: usize = 3;
    if let [start] = starts {
        fitted.look(start)?;
    }
    let (mut found, mut iterations) = best_fit(args, fitted, starts, bounds, ctx)?;
    for _ in 0..LOOKS {
        if !fitted.look(&found.point)? {
            break;
        }
        let (again, taken) = best_fit(args, fitted, &[found.point], bounds, ctx)?;
        found = again;
        iterations += taken;
    }
    Ok((found, iterations))
}

/// The best fit from several start points, and the iterations of all.
fn best_fit(
    args: &Args,
    fitted: &mut CurveFitProblem<'_>,
    starts: &[Vec<f64>],
    bounds: &[[f64; 2]],
    ctx: &Ctx,
) -> Result<(LeastSquaresResult, u64), ToolError> {
    let scale = numerics::dense::euclidean_norm(&fitted.weighted(fitted.rows.response.clone()));
    let how = LevenbergOptions {
        bounds,
        max_iter: args.max_iter.get() as u64,
        tolerance: args.tolerance.get(),
        scale,
        error: fitted.curve.error() * scale,
        weights: StepWeights::Largest,
    };
    let mut best: Option<LeastSquaresResult> = None;
    let mut iterations = 0;
    for start in starts {
        let found = match starts.len() {
            1 => {
                let (found, taken) = minimise_doggedly(fitted, start, &how, ctx)?;
                iterations += taken;
                found
            }
            _ => {
                let found = minimise_squares(fitted, start, &how, &CallWatch(ctx))
                    .map_err(|error| fit_error(error, ctx))?;
                iterations += found.as_ref().map_or(0, |found| found.iterations);
                found
            }
        };
        best = better_fit(best, found);
    }
    let Some(best) = best else {
        refuse!(numeric "/start", "not_finite"; "the model or a derivative is not finite at the start";
            "choose start values at which it is");
    };
    Ok((best, iterations))
}
