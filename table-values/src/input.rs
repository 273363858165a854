//! [`TableInput`]: a table as an argument, in columns.

use std::collections::HashMap;
use std::sync::Arc;

use tables::DataTable;
use tables::read::{LooseColumn, TypedColumn};
use tool_core::input::InputKind;
use tool_core::schema::Schema;
use tool_core::{Ctx, LoadInput, Numbers, Object, RequestProblem, Table, ToolError, Value};

use crate::{loose_cell, number_column, table_value, typed_columns};

/// Named columns: read from a list of records, an object of columns, or the table of a file; what other tools take as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableInput {
    table: DataTable,
    notes: Vec<String>,
}

impl TableInput {
    /// The table; what may surprise about its types becomes warnings.
    ///
    /// # Errors
    /// Memory beyond the limit of the call.
    pub fn into_table(self, ctx: &Ctx) -> Result<DataTable, ToolError> {
        ctx.reserve(self.table.memory_bytes())?;
        self.notes.into_iter().for_each(|note| ctx.warn(note));
        Ok(self.table)
    }

    fn new(columns: Vec<(Arc<str>, TypedColumn)>) -> Result<Self, RequestProblem> {
        let mut notes = Vec::new();
        let columns = columns.into_iter().map(|(name, typed)| {
            notes.extend(typed.note.map(|note| format!("column `{name}`: {note}")));
            (name, typed.column)
        });
        let table = DataTable::new(columns.collect());
        let table = table.map_err(|err| RequestProblem::new("", &err).hint(err.hint()))?;
        Ok(Self { table, notes })
    }

    fn of_columns(object: &Object) -> Result<Self, RequestProblem> {
        Self::new(typed_columns(object))
    }

    /// The columns `c0`, `c1`, ... of an array.
    fn of_array(numbers: &Numbers) -> Result<Self, RequestProblem> {
        let width = numbers.shape()[1];
        let column = |column: usize| {
            let cells = numbers.as_slice().iter().skip(column).step_by(width.max(1));
            let cells = Numbers::vector(cells.copied().collect(), numbers.integral());
            let typed = TypedColumn {
                column: number_column(&cells),
                note: None,
            };
            (Arc::from(format!("c{column}")), typed)
        };
        Self::new((0..width).map(column).collect())
    }

    fn of_records(records: &[Value]) -> Result<Self, RequestProblem> {
        let (mut names, mut columns) = (Vec::<Arc<str>>::new(), Vec::<LooseColumn>::new());
        let mut places = HashMap::new();
        for (row, record) in records.iter().enumerate() {
            for (name, cell) in record.as_object().into_iter().flat_map(Object::iter) {
                let place = *places.entry(Arc::<str>::from(name)).or_insert_with(|| {
                    names.push(name.into());
                    columns.push(LooseColumn::of_missing(row));
                    names.len() - 1
                });
                columns[place].fill_to(row);
                columns[place].push(loose_cell(cell));
            }
        }
        columns
            .iter_mut()
            .for_each(|column| column.fill_to(records.len()));
        let columns = columns.into_iter().map(LooseColumn::finish);
        Self::new(names.into_iter().zip(columns).collect())
    }
}

impl LoadInput for TableInput {
    const KIND: InputKind = InputKind::Table;
    const NAMED: bool = true;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let is_nested =
            |cell: &Value| matches!(cell, Value::Object(_) | Value::Array(_) | Value::Numbers(_));
        let is_fit = match value {
            Value::Array(records) => records.iter().all(|record| {
                let members = record.as_object();
                members.is_some_and(|members| members.iter().all(|(_, cell)| !is_nested(cell)))
            }),
            Value::Object(columns) if columns.table().is_some() => true,
            Value::Object(columns) => columns.iter().all(|(_, column)| match column {
                Value::Numbers(numbers) => numbers.rank() == 1,
                Value::Array(cells) => !cells.iter().any(is_nested),
                _ => false,
            }),
            _ => false,
        };
        match (value, is_fit) {
            (Value::Numbers(numbers), _) if numbers.rank() == 2 => Self::of_array(numbers),
            (Value::Array(records), true) => Self::of_records(records),
            (Value::Object(columns), true) => Self::of_columns(columns),
            // Arrays without names, and the words for what is no table.
            _ => {
                let plain = Table::from_value(value)?;
                match plain.to_value() {
                    Value::Object(columns) => Self::of_columns(&columns),
                    _ => Self::new(Vec::new()),
                }
            }
        }
    }

    fn to_value(&self) -> Value {
        table_value(self.table.clone())
    }

    fn schema() -> Schema {
        Table::schema()
    }
}
