//! Columns of a table as numbers.

use tool_core::{ToolError, Value};

/// A column of finite numbers.
///
/// # Errors
/// `invalid_args` at the first cell of `data` that is none.
pub(super) fn numbers(name: &str, cells: &[Value]) -> Result<Vec<f64>, ToolError> {
    let number = |(row, cell): (usize, &Value)| {
        let value = cell.as_f64().filter(|value| value.is_finite());
        value.ok_or_else(|| {
            let mut pointer = "/data".to_owned();
            tool_core::path::push_key(&mut pointer, name);
            tool_core::path::push_index(&mut pointer, row);
            let message = format!(
                "expected a number, found {} in row {row} of column `{name}`",
                cell.kind()
            );
            ToolError::invalid(pointer, message)
                .hint("leave rows without numbers out, with `sql_query` or `json_query`")
        })
    };
    cells.iter().enumerate().map(number).collect()
}
