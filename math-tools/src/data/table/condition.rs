//! [`RowConditions`]: which rows are taken by the values of their cells, as `where` of `{"$file"}` writes it.

use ::tables::{DataTable, TableCell, TableColumn};

use super::table_fault;
use crate::prelude::*;

/// Conditions on columns, all of which hold in the rows that are taken.
pub(crate) struct RowConditions(Vec<ColumnCondition>);

struct ColumnCondition {
    column: String,
    wanted: WantedCells,
}

enum WantedCells {
    OneOf(Vec<Value>),
    Between {
        least: Option<Value>,
        most: Option<Value>,
    },
}

impl RowConditions {
    /// Reads an object of columns with a value, a list of values, or `{"min": .., "max": ..}` for each.
    pub(crate) fn parse(value: &Value) -> Result<Self, ToolError> {
        const WHAT: &str = "a value, a list of values, or {\"min\": .., \"max\": ..}";
        let Some(members) = value.as_object() else {
            let found = value.kind();
            refuse!(invalid "/where"; "expected an object of column names, found {found}";
                "such as {\"city\": \"Rome\", \"price\": {\"min\": 100}}");
        };
        let condition = |(column, wanted): (&str, &Value)| {
            let wanted = match wanted {
                Value::Object(bounds) => {
                    let known = |key: &str| matches!(key, "min" | "max");
                    let is_fit = !bounds.is_empty() && bounds.iter().all(|(key, _)| known(key));
                    if !is_fit {
                        let mut pointer = "/where".to_owned();
                        tool_core::path::push_key(&mut pointer, column);
                        let message = format!("expected {WHAT}");
                        return Err(ToolError::invalid(pointer, message));
                    }
                    WantedCells::Between {
                        least: bounds.get("min").cloned(),
                        most: bounds.get("max").cloned(),
                    }
                }
                wanted => {
                    let one = || vec![wanted.clone()];
                    WantedCells::OneOf(wanted.items().unwrap_or_else(one))
                }
            };
            Ok(ColumnCondition {
                column: column.to_owned(),
                wanted,
            })
        };
        let conditions = members.iter().map(condition);
        conditions.collect::<Result<_, ToolError>>().map(Self)
    }

    /// Whether each row is taken.
    pub(crate) fn mask(
        &self,
        table: &DataTable,
        ctx: &Ctx,
    ) -> Result<Vec<Option<bool>>, ToolError> {
        let mut mask = vec![Some(true); table.rows()];
        for condition in &self.0 {
            let mut pointer = "/where".to_owned();
            tool_core::path::push_key(&mut pointer, &condition.column);
            let column = table
                .column(&condition.column)
                .map_err(|err| table_fault(err, &pointer, table, ctx))?;
            ctx.check()?;
            for (row, taken) in mask.iter_mut().enumerate() {
                *taken = Some(*taken == Some(true) && condition.wanted.hold(column, row));
            }
        }
        Ok(mask)
    }
}

impl WantedCells {
    fn hold(&self, column: &TableColumn, row: usize) -> bool {
        let cell = column.cell(row);
        match self {
            Self::OneOf(values) => values.iter().any(|value| is_equal(&cell, value)),
            Self::Between { least, most } => {
                let is_above =
                    |bound: &Value| compare(&cell, bound).is_some_and(|order| order.is_ge());
                let is_below =
                    |bound: &Value| compare(&cell, bound).is_some_and(|order| order.is_le());
                least.as_ref().is_none_or(is_above) && most.as_ref().is_none_or(is_below)
            }
        }
    }
}

fn is_equal(cell: &TableCell<'_>, value: &Value) -> bool {
    match (cell, value) {
        (TableCell::Missing, value) => value.is_null(),
        (TableCell::Boolean(cell), Value::Bool(value)) => cell == value,
        (TableCell::Integer(cell), Value::Int(value)) => cell == value,
        _ => compare(cell, value).is_some_and(|order| order.is_eq()),
    }
}

/// The order of a cell and a number or text; dates and times compare as texts of ISO 8601.
fn compare(cell: &TableCell<'_>, value: &Value) -> Option<std::cmp::Ordering> {
    match (cell, value) {
        (TableCell::Text(cell), Value::String(text)) => Some((*cell).cmp(text)),
        (TableCell::Date(_) | TableCell::Moment(_), Value::String(text)) => {
            Some(cell.to_string().as_str().cmp(text))
        }
        _ => cell.as_double()?.partial_cmp(&value.as_f64()?),
    }
}
