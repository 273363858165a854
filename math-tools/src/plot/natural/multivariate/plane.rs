//! Rows in a plane: two columns, or the first two components of more.

use statistics::multivariate::{ColumnScaling, fit_pca};

use super::super::result::{DrawnResult, column_numbers, number_list};
use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Places of rows, and what the axes are.
pub(super) struct RowPlane {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub titles: [String; 2],
}

/// A whole number of a result that is not negative.
pub(super) fn places_of(source: &DrawnResult<'_>, name: &str) -> Result<Vec<usize>, ToolError> {
    let numbers = source.numbers(name)?;
    let place = |value: &f64| (*value >= 0.0 && value.fract() == 0.0).then_some(*value as usize);
    let places: Option<Vec<usize>> = numbers.iter().map(place).collect();
    places.ok_or_else(|| source.missing(name, "numbers of rows or clusters"))
}

impl RowPlane {
    /// The complete rows of a result: in the columns `x` and `y` of the call, or in the columns of the result.
    pub(super) fn of_result(source: &DrawnResult<'_>) -> Result<Self, ToolError> {
        let rows = places_of(source, "rows")?;
        let names: Vec<String> = match (source.x, source.y) {
            (Some(x), Some(y)) => vec![x.to_owned(), y.to_owned()],
            _ => source
                .result
                .items_at("columns")
                .iter()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
        };
        let Some(table) = source.table()? else {
            refuse!(invalid "/data", "missing"; "the result has no rows to draw";
                "pass the table as `data`, or the arguments of the call as `call`");
        };
        let mut columns = Vec::with_capacity(names.len());
        for name in &names {
            let cells = column_numbers(&table, name);
            let cell = |row: &usize| Some(*cells.as_ref()?.get(*row)?);
            let column: Option<Vec<f64>> = rows.iter().map(cell).collect();
            let column = column.filter(|column| column.iter().all(|value| value.is_finite()));
            let Some(column) = column else {
                refuse!(invalid "/data", "unknown_column"; "the data have no numbers `{name}` in the rows of the result";
                    "pass the table of the call");
            };
            columns.push(column);
        }
        Self::of_columns(source, names, columns)
    }

    fn of_columns(
        source: &DrawnResult<'_>,
        names: Vec<String>,
        columns: Vec<Vec<f64>>,
    ) -> Result<Self, ToolError> {
        let is_standardised = source
            .result
            .get("standardised")
            .is_some_and(|value| value == &Value::Bool(true));
        match (columns.as_slice(), names.as_slice()) {
            ([], _) => Err(source.missing("columns", "names of columns")),
            ([column], [name, ..]) => Ok(Self {
                y: column.clone(),
                x: super::ranks(column.len()),
                titles: ["row, in order".to_owned(), name.clone()],
            }),
            ([x, y], [first, second, ..]) => Ok(Self {
                x: x.clone(),
                y: y.clone(),
                titles: [first.clone(), second.clone()],
            }),
            _ => {
                let scaling = match is_standardised {
                    true => ColumnScaling::Standard,
                    false => ColumnScaling::Plain,
                };
                Self::of_components(&columns, scaling)
            }
        }
    }

    /// The first two components; rows of one dimension lie on a line.
    fn of_components(columns: &[Vec<f64>], scaling: ColumnScaling) -> Result<Self, ToolError> {
        let ctx = Ctx::default();
        let watch = CallWatch(&ctx);
        let rows = columns[0].len();
        let plain = || Self {
            x: columns[0].clone(),
            y: columns[1].clone(),
            titles: ["first column".to_owned(), "second column".to_owned()],
        };
        let Ok(pca) = fit_pca(columns, scaling, &watch) else {
            return Ok(plain());
        };
        let count = pca.directions.len().min(2);
        let Ok(scores) = pca.scores(count, &watch) else {
            return Ok(plain());
        };
        let part = |component: usize| -> Vec<f64> {
            match component < count {
                true => scores
                    .iter()
                    .skip(component)
                    .step_by(count)
                    .copied()
                    .collect(),
                false => vec![0.0; rows],
            }
        };
        let title = |component: usize| {
            let share = pca.shares.get(component).copied().unwrap_or(0.0);
            format!("PC{} ({:.1} %)", component + 1, 100.0 * share)
        };
        Ok(Self {
            x: part(0),
            y: part(1),
            titles: [title(0), title(1)],
        })
    }
}

/// The numbers of a member of each record of a list.
pub(super) fn record_numbers(records: &[Value], name: &str) -> Vec<Vec<f64>> {
    let numbers = |record: &Value| record.get(name).and_then(number_list);
    records.iter().filter_map(numbers).collect()
}
