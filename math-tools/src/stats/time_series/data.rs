//! The series of a call: its values, their times, the gaps between them.

use ::tables::{DataTable, TableColumn};
use statistics::series::interpolate_missing;
use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};
use tool_core::{LoadInput, Object};

use super::arguments::{Args, MissingChoice};
use super::calendar::TimeAxis;
use crate::data::table::{TableInput, table_fault};
use crate::prelude::*;
use crate::stats::reporting::samples::{number_cells, number_column_names};

/// Fewest values of a series.
const VALUES_MIN: usize = 5;

/// Most values, those of gaps in the dates included.
const VALUES_MAX: usize = 10_000_000;

/// A list of numbers, or a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeriesInput(TableInput);

/// The column of a plain list.
const LIST_COLUMN: &str = "value";

impl LoadInput for SeriesInput {
    const KIND: InputKind = InputKind::Table;
    const NAMED: bool = true;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let is_list = match value {
            Value::Numbers(numbers) => numbers.rank() == 1,
            Value::Array(cells) => {
                let is_cell =
                    |cell: &Value| matches!(cell, Value::Null | Value::Int(_) | Value::Float(_));
                !cells.is_empty() && cells.iter().all(is_cell)
            }
            _ => false,
        };
        if !is_list {
            return TableInput::from_value(value).map(Self);
        }
        let mut columns = Object::new();
        columns.insert(LIST_COLUMN, value.clone());
        TableInput::from_value(&Value::from(columns)).map(Self)
    }

    fn to_value(&self) -> Value {
        LoadInput::to_value(&self.0)
    }

    fn schema() -> Schema {
        json!({
            "anyOf": [
                TableInput::schema(),
                { "type": "array", "items": { "type": ["number", "null"] } }
            ]
        })
    }
}

/// A series without gaps, divided by a power of two so that its values are about 1 in size.
pub(crate) struct SeriesData {
    /// The name of its column.
    pub name: String,
    /// The values over `unit`.
    pub values: Vec<f64>,
    /// The power of two.
    pub unit: f64,
    /// The times of the values, and those after them.
    pub axis: TimeAxis,
    /// Values between others that were missing and are filled.
    pub filled: usize,
}

/// Reads the series of a call.
pub(crate) fn read_series(args: &Args, ctx: &Ctx) -> Result<SeriesData, ToolError> {
    let table = args.data.load(ctx)?.0.into_table(ctx)?;
    let name = series_column(args, &table)?;
    let cells = number_cells(&table, &name, pointer_of(args), ctx)?;
    ctx.reserve_doubles(cells.len().saturating_mul(8))?;
    let (axis, cells) = match time_column(args, &table, ctx)? {
        Some((time, column)) => TimeAxis::of_column(&time, column, cells, VALUES_MAX, ctx)?,
        None => (TimeAxis::None, cells),
    };
    let period = args.period.map_or(1, |period| period.size());
    let repaired = interpolate_missing(&cells, axis.usual_period().unwrap_or(period));
    if repaired.filled > 0 && args.missing == MissingChoice::Refuse {
        let (filled, longest) = (repaired.filled, repaired.longest_gap);
        refuse!(invalid "/data", "missing"; "`{name}` has missing values between others: {filled}, at most {longest} in a row";
            "pass `missing` \"interpolate\" to fill them, or a series without gaps");
    }
    if repaired.values.len() < VALUES_MIN {
        let found = repaired.values.len();
        refuse!(invalid "/data", "too_few"; "expected at least {VALUES_MIN} values of `{name}`, found {found}";
            "a model of a series needs more values than parameters");
    }
    if repaired.filled > 0 {
        let (filled, all) = (repaired.filled, repaired.values.len());
        ctx.warn(format!(
            "filled from their neighbours: {filled} of {all} values, which count as observed in all errors and intervals"
        ));
    }
    let first = repaired.values[0];
    if repaired.values.iter().all(|value| *value == first) {
        refuse!(invalid "/data", "constant"; "all {} values of `{name}` are {first}", repaired.values.len();
            "a constant series needs no model: its forecast is its value");
    }
    let largest = repaired
        .values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let unit = power_of_two(largest);
    Ok(SeriesData {
        axis: axis.starting_at(repaired.first),
        values: repaired.values.iter().map(|value| value / unit).collect(),
        filled: repaired.filled,
        name,
        unit,
    })
}

/// The power of two at or below a size, within what can be divided by.
fn power_of_two(size: f64) -> f64 {
    let exponent = libm::ilogb(size).clamp(-1022, 1022);
    libm::ldexp(1.0, exponent)
}

fn pointer_of(args: &Args) -> &'static str {
    match args.y {
        Some(_) => "/y",
        None => "/data",
    }
}

/// The named column, or the only one that has numbers.
fn series_column(args: &Args, table: &DataTable) -> Result<String, ToolError> {
    if let Some(name) = &args.y {
        return Ok(name.clone());
    }
    let names = number_column_names(table);
    let names: Vec<&String> = names
        .iter()
        .filter(|name| Some(*name) != args.time.as_ref())
        .collect();
    match names.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            refuse!(invalid "/data", "table"; "the data have no column of numbers";
                "pass a list of numbers, or a table with a column of them")
        }
        several => {
            refuse!(invalid "/y", "missing"; "the data have {} columns of numbers", several.len();
                "name the one that is the series in `y`")
        }
    }
}

/// The column of times: the named one, or the first with dates.
fn time_column<'a>(
    args: &Args,
    table: &'a DataTable,
    ctx: &Ctx,
) -> Result<Option<(String, &'a TableColumn)>, ToolError> {
    if let Some(name) = &args.time {
        let column = table.column(name);
        let column = column.map_err(|err| table_fault(err, "/time", table, ctx))?;
        return Ok(Some((name.clone(), column)));
    }
    let is_dates =
        |column: &TableColumn| matches!(column, TableColumn::Date(_) | TableColumn::Moment(_));
    let mut dates = table.iter().filter(|(_, column)| is_dates(column));
    Ok(dates
        .next()
        .map(|(name, column)| (name.to_string(), column)))
}
