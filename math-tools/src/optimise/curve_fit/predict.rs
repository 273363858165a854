//! The fit at new places: values, confidence bands, and bands of new observations.

use numerics::optimise::FitUncertainty;

use super::arguments::Args;
use super::data;
use super::equations::ResponseModel;
use super::model::{Columns, FitRows, FormulaCurve, require_finite_columns};
use super::names::ModelNames;
use super::solution::OdeCurve;
use crate::expression::{Expression, ExpressionScope};
use crate::prelude::*;

/// The fit at the rows of `predict`.
#[derive(Debug, Encode, Describe)]
pub(crate) struct PredictionBands {
    /// The model at each row.
    #[schema(extend("x-shape" = ["m"]))]
    pub fitted: Vec<f64>,
    /// Half the width of the confidence band of the model at each row.
    #[schema(extend("x-shape" = ["m"]))]
    pub band: Vec<Real>,
    /// Half the width of the band for one new observation at each row: its own spread is counted too. "NaN" with a `sigma` that `predict` does not
    /// have.
    #[schema(extend("x-shape" = ["m"]))]
    pub observation_band: Vec<Real>,
}

/// New places, with the model and its derivatives by the parameters there.
pub(super) struct PredictionPlaces {
    pub(super) rows: FitRows,
    columns: Columns,
}

/// The model of a fit at new places.
///
/// # Errors
/// `invalid_args` at `/predict` for columns that are missing and for a model whose values depend on other rows; `numeric` where it has no value.
pub(super) fn model_at_places(
    args: &Args,
    predict: &Input<Table>,
    names: &ModelNames,
    fitted: &FitRows,
    point: &[f64],
    ctx: &Ctx,
) -> Result<PredictionPlaces, ToolError> {
    let table = predict.load(ctx)?;
    ctx.reserve_doubles(
        table
            .rows()
            .saturating_mul(point.len() + names.predictors.len() + 6),
    )?;
    let rows = data::load_prediction_rows(args, &table, names)?;
    let columns = match &args.model {
        ResponseModel::Formula(text) => {
            let read = |scope: &ExpressionScope| {
                let expression = Expression::parse(text, scope);
                expression.map_err(|err| err.into_tool_error("/model"))
            };
            let table = names.table(fitted, &args.response)?;
            let scope = names.scope_of_data(&table, &args.parameters)?.by_row();
            if read(&scope)?.reduces_columns() {
                refuse!(invalid "/predict"; "the model uses columns as a whole, such as their mean, which new places would change";
                    "write the number into the model, or pass it in `parameters`");
            }
            let expression = read(&names.scope(&args.parameters)?)?;
            let slots: Vec<usize> = (0..point.len()).collect();
            let formula = FormulaCurve::new(&expression, &slots, "/model", ctx)?;
            let varying: Vec<&[f64]> = rows.predictors.iter().map(Vec::as_slice).collect();
            require_finite_columns(formula.at(point, &varying, rows.len())?)
        }
        ResponseModel::Equations(equations) => {
            let mut equations = equations.clone();
            if equations.t0.is_none() {
                let times = fitted.predictors[0].iter().copied();
                equations.t0 = Finite::new(times.fold(f64::INFINITY, f64::min));
            }
            let mut solution = OdeCurve::new(&equations, args, names, &rows, ctx)?;
            solution.predicted(point, &rows)?
        }
    };
    let Some(columns) = columns else {
        refuse!(numeric "/predict", "not_finite"; "the model is not finite at one of the places";
            "leave out places at which the model has no value");
    };
    Ok(PredictionPlaces { rows, columns })
}

/// Values and bands; `variance` is that of a weighted residual.
pub(super) fn prediction_bands(
    places: &PredictionPlaces,
    report: &FitUncertainty,
    variance: f64,
    has_sigma: bool,
) -> PredictionBands {
    let (rows, jacobian) = (&places.rows, &places.columns[1..]);
    let of_mean = |row: usize| -> f64 {
        let Some(first) = report.root.first() else {
            return f64::NAN;
        };
        let part = |k: usize| -> f64 {
            let entries = jacobian.iter().zip(&report.root);
            entries.map(|(column, root)| column[row] * root[k]).sum()
        };
        (0..first.len()).map(|k| part(k).powi(2)).sum()
    };
    let of_one = |row: usize| match (&rows.weights, has_sigma) {
        (Some(weights), _) => variance / weights[row].powi(2),
        (None, true) => f64::NAN,
        (None, false) => variance,
    };
    let band = |of: &dyn Fn(usize) -> f64| {
        let half = |row| Real(report.quantile * of(row).sqrt());
        (0..rows.len()).map(half).collect()
    };
    PredictionBands {
        fitted: places.columns[0].clone(),
        band: band(&of_mean),
        observation_band: band(&|row| of_mean(row) + of_one(row)),
    }
}
