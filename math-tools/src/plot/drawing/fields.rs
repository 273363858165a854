//! Columns of a call, and the table as the library of plots has it.

use plots::{DataTable, PlotColumn};
use tool_core::convert::{DecodeError, EncodeError, Encoder};
use tool_core::schema::json;

use crate::prelude::*;

/// Most columns that are drawn over one.
pub(super) const SERIES_MAX: usize = 40;

/// One column or several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PlottedFields {
    /// One.
    One(String),
    /// Several, each in its colour.
    Several(Vec<String>),
}

impl Encode for PlottedFields {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::One(name) => name.encode(encoder),
            Self::Several(names) => names.encode(encoder),
        }
    }
}

impl Decode for PlottedFields {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        if let Some(name) = value.as_str() {
            return Ok(Self::One(name.to_owned()));
        }
        let expected = "the name of a column or a list of names";
        let items = value
            .items()
            .ok_or_else(|| DecodeError::expected(expected, value))?;
        let names = items.iter().map(|item| item.as_str().map(str::to_owned));
        let names: Option<Vec<String>> = names.collect();
        let names = names.filter(|names| (1..=SERIES_MAX).contains(&names.len()));
        names
            .map(Self::Several)
            .ok_or_else(|| DecodeError::new(format_args!("expected {expected}")))
    }
}

tool_core::inline_schema!(
    PlottedFields,
    json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": SERIES_MAX }] })
);

/// The columns of a table: numbers where all cells are numbers or missing, else texts, and dates where all of those are dates.
pub(super) fn drawn_table(table: &Table, ctx: &Ctx) -> Result<DataTable, ToolError> {
    ctx.reserve(16 * (table.rows() * table.columns().len()) as u64)?;
    let mut columns = Vec::with_capacity(table.columns().len());
    for (name, cells) in table.names().zip(table.columns()) {
        ctx.check()?;
        columns.push(drawn_column(name, cells));
    }
    DataTable::new(columns)
        .map_err(|err| ToolError::invalid("/data", err.to_string()).reason("shape"))
}

fn drawn_column(name: &str, cells: &[Value]) -> PlotColumn {
    let number = |cell: &Value| match cell {
        Value::Null => Some(f64::NAN),
        other => other.as_f64(),
    };
    let numbers: Option<Vec<f64>> = cells.iter().map(number).collect();
    let is_empty = cells.iter().all(Value::is_null);
    if let Some(numbers) = numbers.filter(|_| !is_empty) {
        return PlotColumn::of_numbers(name, numbers);
    }
    let texts: Vec<Option<std::borrow::Cow<'_, str>>> = cells
        .iter()
        .map(|cell| match cell {
            Value::Null => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(std::borrow::Cow::Borrowed(&**text)),
            other => Some(std::borrow::Cow::Owned(tool_core::json::to_text(other))),
        })
        .collect();
    PlotColumn::of_texts(name, texts.iter().map(Option::as_deref))
}
