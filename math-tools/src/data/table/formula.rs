//! Columns computed by the expression language, over whole columns.

use ::tables::{DataTable, TableCell, TableColumn};
use tool_core::{LoadInput, Object};

use super::numbers::column_numbers;
use super::table_fault;
use super::text::{ColumnPhrase, read_phrase};
use crate::expression::{self, Expression, ExpressionScope, ExpressionSystem};
use crate::prelude::*;

/// The value of an expression in each row; a part about texts or dates is computed first, and one that is nothing else keeps its type. A row where a column of the expression is missing, or where the value is not finite, has none;
/// what reduces a column, such as its mean, is over the rows in which all of them are there.
pub(crate) fn compute_column(
    table: &DataTable,
    text: &str,
    pointer: &str,
    ctx: &Ctx,
) -> Result<TableColumn, ToolError> {
    match read_phrase(table, text, pointer, ctx)? {
        ColumnPhrase::Column(column) => Ok(column),
        ColumnPhrase::Numbers(phrase) => compute_numbers(&phrase.table, &phrase.text, pointer, ctx),
    }
}

fn compute_numbers(
    table: &DataTable,
    text: &str,
    pointer: &str,
    ctx: &Ctx,
) -> Result<TableColumn, ToolError> {
    let names = expression::free_names(text).map_err(|err| err.into_tool_error(pointer))?;
    let used: Vec<String> = names
        .into_iter()
        .filter(|name| table.position(name).is_ok())
        .collect();
    let mut columns = Vec::with_capacity(used.len());
    for name in &used {
        columns.push(numbers_of(table, name, pointer, ctx)?);
    }
    let is_complete = |row: &usize| columns.iter().all(|column| column[*row].is_some());
    let rows: Vec<usize> = (0..table.rows()).filter(is_complete).collect();
    if rows.is_empty() && !used.is_empty() {
        return Ok(TableColumn::Missing(table.rows()));
    }
    ctx.reserve_doubles(rows.len().saturating_mul(used.len() + 4))?;
    let mut data = Object::new();
    for (name, column) in used.iter().zip(&columns) {
        let cells = rows.iter().filter_map(|row| column[*row]);
        data.insert(name.as_str(), Value::vector(cells.collect()));
    }
    let mut scope = ExpressionScope::new();
    if !used.is_empty() {
        let data = Table::from_value(&Value::from(data))
            .map_err(|problem| ToolError::invalid(pointer, problem.message))?;
        scope = scope.with_data(&data)?.by_row();
    }
    let unknown = |err: expression::ExpressionError| {
        let error = err.into_tool_error(pointer);
        let known = table.names().iter().map(|name| &**name);
        match table.names().len() {
            0 => error,
            _ => near_column(error, text, known),
        }
    };
    let expression = Expression::parse(text, &scope).map_err(unknown)?;
    let system = ExpressionSystem::values([&expression]);
    let mut evaluator = system.evaluator();
    let mut value = [f64::NAN];
    evaluator.run(&[], &mut value);
    ctx.check()?;
    let mut cells = vec![None; table.rows()];
    let mut faults = 0;
    let computed = evaluator.column(0);
    for (place, row) in rows.iter().enumerate() {
        let value = computed.map_or(value[0], |column| column[place]);
        match value.is_finite() {
            true => cells[*row] = Some(value),
            false => faults += 1,
        }
    }
    if faults > 0 {
        ctx.warn(format!(
            "`{text}` has no finite value in {faults} rows, where it is missing"
        ));
    }
    Ok(TableColumn::doubles(cells))
}

/// The rows where an expression is not zero; a row without a value is not taken.
pub(crate) fn row_mask(
    table: &DataTable,
    text: &str,
    pointer: &str,
    ctx: &Ctx,
) -> Result<Vec<Option<bool>>, ToolError> {
    let column = compute_column(table, text, pointer, ctx)?;
    let found = column.column_type();
    if !found.is_number() && !matches!(column, TableColumn::Boolean(_) | TableColumn::Missing(_)) {
        refuse!(invalid pointer, "table"; "expected a condition, found {found}";
            "such as `city == \"Rome\"` or `year(sold) >= 2022`");
    }
    let cells = column.cells();
    Ok(cells
        .map(|cell| match cell {
            TableCell::Boolean(truth) => Some(truth),
            cell => cell.as_double().map(|value| value != 0.0),
        })
        .collect())
}

/// The cells of a column as numbers; truth values are 1 and 0.
fn numbers_of(
    table: &DataTable,
    name: &str,
    pointer: &str,
    ctx: &Ctx,
) -> Result<Vec<Option<f64>>, ToolError> {
    let column = table
        .column(name)
        .map_err(|err| table_fault(err, pointer, table, ctx))?;
    let finite = |cell: Option<f64>| cell.filter(|number| number.is_finite());
    match column_numbers(column) {
        Some(numbers) => Ok(numbers.into_iter().map(finite).collect()),
        None => {
            let found = column.column_type();
            refuse!(invalid pointer, "table"; "expressions are over numbers, and column `{name}` is {found}";
                "choose rows by its values with `where`")
        }
    }
}

/// Adds the nearest column to the error of an unknown name.
fn near_column<'a>(
    error: ToolError,
    text: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> ToolError {
    let names = expression::free_names(text).unwrap_or_default();
    let unknown = names.iter().find(|name| {
        let is_named = error.message().contains(&format!("`{name}`"));
        is_named && !expression::is_constant(name)
    });
    let near = unknown.and_then(|name| crate::prelude::did_you_mean(name, known.clone()));
    match (unknown, near) {
        (Some(_), Some(near)) => error.hint(near),
        (Some(_), None) => {
            let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
            error.hint(format_args!("the columns are {}", known.join(", ")))
        }
        _ => error,
    }
}
