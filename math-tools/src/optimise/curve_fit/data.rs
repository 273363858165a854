//! The names of a model, and the columns that they mean.

use super::Args;
use super::model::Rows;
use crate::expression::{self, Parameters, Scope};
use crate::optimise::columns::numbers;
use crate::prelude::*;

/// Most parameters of a fit.
const PARAMETERS_MAX: usize = 100;

/// The names in a model, in alphabetical order.
pub(super) struct Names {
    pub(super) parameters: Vec<String>,
    /// Columns, by their names and places in the table.
    pub(super) predictors: Vec<(String, usize)>,
}

impl Names {
    /// # Errors
    /// `invalid_args` for a model without parameters, and for names of `start` and `bounds` that it does not have.
    pub(super) fn of(args: &Args, table: &Table) -> Result<Self, ToolError> {
        let found = expression::names(&args.model).map_err(|err| err.into_tool_error("/model"))?;
        let column = |name: &str| table.names().position(|known| known == name);
        let mut names = Self {
            parameters: Vec::new(),
            predictors: Vec::new(),
        };
        for name in found {
            match column(&name) {
                Some(_) if args.parameters.get(&name).is_some() => {
                    refuse!(invalid format!("/parameters/{name}"); "`{name}` is a column of `data` too";
                        "rename one of them");
                }
                None if args.parameters.get(&name).is_some() => {}
                Some(_) if name == args.response => {
                    refuse!(invalid "/model"; "the model of `{name}` contains `{name}`";
                        "name the column of the response with `response`");
                }
                Some(column) => names.predictors.push((name, column)),
                None if expression::is_constant(&name) => {}
                None => names.parameters.push(name),
            }
        }
        if names.parameters.is_empty() {
            refuse!(invalid "/model"; "the model has no parameter: every name is a column, a constant or given";
                "use names that are no columns of `data` for what is fitted");
        }
        if names.parameters.len() > PARAMETERS_MAX {
            let found = names.parameters.len();
            refuse!(invalid "/model", "parameters"; "the model has {found} parameters, the limit is {PARAMETERS_MAX}");
        }
        for (argument, given) in [
            ("start", args.start.keys().collect::<Vec<_>>()),
            ("bounds", args.bounds.keys().collect()),
        ] {
            let mut unknown = given
                .into_iter()
                .filter(|name| !names.parameters.contains(name));
            if let Some(name) = unknown.next() {
                return Err(names.unknown(argument, name));
            }
        }
        Ok(names)
    }

    /// The error for a name in an argument that is no parameter.
    fn unknown(&self, argument: &str, name: &str) -> ToolError {
        let mut pointer = format!("/{argument}");
        tool_core::path::push_key(&mut pointer, name);
        let message = format!("the model has no parameter `{name}`");
        let error = ToolError::invalid(pointer, message);
        let near = did_you_mean(name, self.parameters.iter().map(String::as_str));
        let listed = || format!("its parameters are `{}`", self.parameters.join("`, `"));
        error.hint(near.unwrap_or_else(listed))
    }

    /// The parameters in the first slots, then the columns.
    pub(super) fn scope(&self, parameters: &Parameters) -> Result<Scope, ToolError> {
        let columns = self.predictors.iter().map(|(name, _)| name);
        let names = self.parameters.iter().chain(columns);
        let scope = names.fold(Scope::new(), |scope, name| scope.variable(name));
        scope.with_parameters(parameters, "/parameters")
    }
}

/// The columns of a fit, checked.
pub(super) fn rows(args: &Args, table: &Table, names: &Names) -> Result<Rows, ToolError> {
    let named = |argument: &str, name: &str| {
        let found = table.names().position(|known| known == name);
        found.ok_or_else(|| {
            let columns: Vec<&str> = table.names().collect();
            let message = format!(
                "`data` has no column `{name}`; its columns are `{}`",
                columns.join("`, `")
            );
            let error = ToolError::invalid(format!("/{argument}"), message);
            match did_you_mean(name, table.names()) {
                Some(near) => error.hint(near),
                None => error,
            }
        })
    };
    if table.rows() == 0 {
        refuse!(invalid "/data", "empty"; "expected at least one row, found none");
    }
    let predictors = names.predictors.iter();
    let predictors = predictors.map(|(name, column)| numbers(name, &table.columns()[*column]));
    let response = named("response", &args.response)?;
    let weights = match &args.sigma {
        None => None,
        Some(name) => {
            let column = numbers(name, &table.columns()[named("sigma", name)?])?;
            if let Some(row) = column.iter().position(|value| *value <= 0.0) {
                refuse!(invalid format!("/data/{name}/{row}"); "expected positive standard deviations, found {}", column[row];
                    "leave such rows out");
            }
            Some(column.iter().map(|value| 1.0 / value).collect())
        }
    };
    Ok(Rows {
        predictors: predictors.collect::<Result<_, _>>()?,
        response: numbers(&args.response, &table.columns()[response])?,
        weights,
    })
}

/// The bounds of each parameter.
pub(super) fn bounds(args: &Args, names: &Names) -> Result<Vec<[f64; 2]>, ToolError> {
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
