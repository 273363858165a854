//! The columns that a fit uses, and its bounds.

use super::arguments::Args;
use super::model::FitRows;
use super::names::{ModelNames, find_column};
use crate::expression::data;
use crate::prelude::*;

/// A column of finite numbers.
fn finite_column(name: &str, cells: &[Value]) -> Result<Vec<f64>, ToolError> {
    data::numeric_column(name, cells).map(|column| column.to_vec())
}

/// The table of a fit without the rows that miss a cell of a column that the fit uses, its names, and how many rows are left out.
pub(super) fn load_complete_table(
    args: &Args,
    ctx: &Ctx,
) -> Result<(Table, ModelNames, usize), ToolError> {
    let table = args.data.load(ctx)?;
    let names = ModelNames::of(args, &table)?;
    let mut used: Vec<usize> = names.predictors.iter().map(|(_, column)| *column).collect();
    let others = [Some(&args.response), args.sigma.as_ref()];
    let place = |name: &String| table.names().position(|known| known == name);
    used.extend(others.into_iter().flatten().filter_map(place));
    let (table, dropped) = table.complete_rows(&used);
    if dropped > 0 && table.rows() == 0 {
        refuse!(invalid "/data", "empty"; "each of the {dropped} rows misses a cell of a column that the fit uses";
            "look at the columns with `sql_query`, or fit without the empty one");
    }
    Ok((table, names, dropped))
}

/// The columns of a fit, checked.
pub(super) fn load_fit_rows(
    args: &Args,
    table: &Table,
    names: &ModelNames,
) -> Result<FitRows, ToolError> {
    if table.rows() == 0 {
        refuse!(invalid "/data", "empty"; "expected at least one row, found none");
    }
    let predictors = names.predictors.iter();
    let predictors =
        predictors.map(|(name, column)| finite_column(name, &table.columns()[*column]));
    let response = find_column(table, "/response", &args.response)?;
    let weights = match &args.sigma {
        None => None,
        Some(name) => {
            let column =
                finite_column(name, &table.columns()[find_column(table, "/sigma", name)?])?;
            if let Some(row) = column.iter().position(|value| *value <= 0.0) {
                refuse!(invalid format!("/data/{name}/{row}"); "expected positive standard deviations, found {}", column[row];
                    "leave such rows out");
            }
            Some(column.iter().map(|value| 1.0 / value).collect())
        }
    };
    Ok(FitRows {
        predictors: predictors.collect::<Result<_, _>>()?,
        response: finite_column(&args.response, &table.columns()[response])?,
        weights,
    })
}

/// The places of `predict`: rows whose response is not known.
pub(super) fn load_prediction_rows(
    args: &Args,
    table: &Table,
    names: &ModelNames,
) -> Result<FitRows, ToolError> {
    if table.rows() == 0 {
        refuse!(invalid "/predict", "empty"; "expected at least one row, found none");
    }
    let column = |name: &str| -> Result<Option<Vec<f64>>, ToolError> {
        let place = table.names().position(|known| known == name);
        let cells = place.map(|place| &table.columns()[place]);
        let read = |cells: &Vec<Value>| data::numbers_of("/predict", name, cells);
        cells
            .map(read)
            .transpose()
            .map(|column| column.map(|column| column.to_vec()))
    };
    let mut predictors = Vec::with_capacity(names.predictors.len());
    for (name, _) in &names.predictors {
        let Some(numbers) = column(name)? else {
            refuse!(invalid "/predict"; "the model uses the column `{name}`, which `predict` does not have";
                "give its values at the new places");
        };
        predictors.push(numbers);
    }
    let sigma = match &args.sigma {
        None => None,
        Some(name) => column(name)?,
    };
    Ok(FitRows {
        predictors,
        response: vec![0.0; table.rows()],
        weights: sigma.map(|sigma| sigma.into_iter().map(|value| 1.0 / value).collect()),
    })
}

/// The bounds of each parameter.
pub(super) fn parameter_bounds(
    args: &Args,
    names: &ModelNames,
) -> Result<Vec<[f64; 2]>, ToolError> {
    let of = |name: &String| {
        let [low, high] = args.bounds.get(name).copied().unwrap_or([None, None]);
        let low = low.map_or(f64::NEG_INFINITY, Finite::get);
        let high = high.map_or(f64::INFINITY, Finite::get);
        if low >= high {
            refuse!(invalid format!("/bounds/{name}"); "expected a lower bound below the upper one, found {low} and {high}";
                "a parameter that is known goes into `parameters`");
        }
        Ok([low, high])
    };
    names.parameters.iter().map(of).collect()
}
