//! What the tools of tables share: arguments as columns, answers, computed columns, conditions on rows.

mod answer;
mod check;
mod condition;
mod formula;
mod numbers;
mod phrase;
mod text;
mod text_token;

#[cfg(test)]
mod tests;

use ::tables::{DataTable, TableError};

use crate::prelude::*;

pub(crate) use answer::{ROWS_SHOWN, TableAnswer};
pub(crate) use check::{
    FaultPlaces, check_names, check_new_name, check_sort_keys, table_without_overflow,
    without_overflow,
};
pub(crate) use condition::RowConditions;
pub(crate) use formula::{compute_column, row_mask};
pub(crate) use numbers::column_numbers;
pub(crate) use phrase::{FunctionPhrase, parse_assignment, parse_sort_keys};
pub(crate) use table_values::TableInput;

/// Whether a call is to stop.
pub(crate) fn stop_check(ctx: &Ctx) -> impl Fn() -> bool + '_ {
    || ctx.stop().is_set()
}

/// The error of the argument at a pointer; the name of a column gets the nearest one of a table as hint.
pub(crate) fn table_fault(
    err: TableError,
    pointer: &str,
    table: &DataTable,
    ctx: &Ctx,
) -> ToolError {
    if let (TableError::Stopped, Err(stopped)) = (&err, ctx.check()) {
        return stopped;
    }
    let code = match err {
        TableError::Limit { .. } => ErrorCode::LimitExceeded,
        _ => ErrorCode::InvalidArgs,
    };
    let error = ToolError::new(code, &err).reason("table").at(pointer);
    let names = table.names().iter().map(|name| &**name);
    match &err {
        TableError::UnknownColumn { name, .. } => {
            let near = crate::prelude::did_you_mean(name, names);
            error.hint(near.unwrap_or_else(|| err.hint().to_owned()))
        }
        _ => error.hint(err.hint()),
    }
}
