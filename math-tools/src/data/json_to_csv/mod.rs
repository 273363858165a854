//! Records or columns as a CSV text.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use tool_core::json;

use super::delimiter::CsvDelimiter;
use crate::prelude::*;

/// Writes records or columns as a CSV text with a header line (RFC 4180 quoting, lines end in LF). Null and missing cells are
/// empty, numbers have their shortest exact spelling. `csv_to_json` reads the text back, except that an empty text comes back
/// as null, and texts come back as numbers or booleans when every text of their column is spelled like one.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// A list of records, or an object of columns of equal length.
    pub data: Input<Table>,
    /// The columns to write, in this order; all of them in the order of their first appearance when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// The character between cells.
    #[value(default)]
    pub delimiter: CsvDelimiter,
}

/// A CSV text.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The text: a header line, then one line for each record; empty when there is no column.
    pub csv: String,
    /// Number of records, the header not counted.
    pub rows: usize,
    /// The columns written, in order.
    pub columns: Vec<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("json_to_csv", "Write records as CSV")
        .category(Category::Data)
        .tags(&["table", "convert"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "columns in the order of first appearance":
            r#"{"data": {"name": ["Ann", "Bob"], "age": [30, null], "city": [null, "Rome, Italy"]}}"#
            => r#"{"csv": "name,age,city\nAnn,30,\nBob,,\"Rome, Italy\"\n", "rows": 2,
                "columns": ["name", "age", "city"]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let table = args.data.load(ctx)?;
        let columns = choose_columns(&table, args.columns)?;
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let cells: Vec<Option<&[Value]>> = columns.iter().map(|(_, cells)| *cells).collect();
        Ok(Output {
            csv: write_csv(&names, &cells, table.rows(), args.delimiter, ctx)?,
            rows: table.rows(),
            columns: names,
        })
    }
}

/// The columns to write; one of a table without any column has no cells.
type Column<'a> = (String, Option<&'a [Value]>);

fn choose_columns(
    table: &Table,
    wanted: Option<Vec<String>>,
) -> Result<Vec<Column<'_>>, ToolError> {
    let Some(wanted) = wanted else {
        let columns = table.names().zip(table.columns());
        return Ok(columns
            .map(|(name, cells)| (name.to_owned(), Some(&cells[..])))
            .collect());
    };
    let known: HashMap<&str, &[Value]> = table
        .names()
        .zip(table.columns().iter().map(Vec::as_slice))
        .collect();
    let mut places = HashMap::new();
    for (index, name) in wanted.iter().enumerate() {
        let pointer = format!("/columns/{index}");
        if places.insert(name.as_str(), index).is_some() {
            let message = format!("the column `{name}` is listed twice");
            return Err(ToolError::invalid(pointer, message).hint("list each column once"));
        }
        // A table without records has no columns of its own: any header may be requested.
        if !known.is_empty() && !known.contains_key(name.as_str()) {
            let hint = did_you_mean(name, table.names()).unwrap_or_else(|| {
                let names: Vec<String> = table.names().map(|name| format!("`{name}`")).collect();
                format!("the columns are {}", names.join(", "))
            });
            let message = format!("`data` has no column `{name}`");
            return Err(ToolError::invalid(pointer, message)
                .reason("unknown_column")
                .hint(hint));
        }
    }
    Ok(wanted
        .into_iter()
        .map(|name| (name.clone(), known.get(name.as_str()).copied()))
        .collect())
}

fn write_csv(
    names: &[String],
    columns: &[Option<&[Value]>],
    rows: usize,
    delimiter: CsvDelimiter,
    ctx: &Ctx,
) -> Result<String, ToolError> {
    const CELLS: usize = 4096;
    if names.is_empty() {
        return Ok(String::new());
    }
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter.byte())
        .terminator(csv::Terminator::Any(b'\n'))
        .from_writer(Vec::new());
    let broken = |err: csv::Error| ToolError::new(ErrorCode::Internal, err);
    writer.write_record(names).map_err(broken)?;
    let mut cell_count = 0;
    let mut spelling = String::new();
    for row in 0..rows {
        let mut bytes = 0;
        for column in columns {
            if cell_count % CELLS == 0 {
                ctx.check()?;
            }
            cell_count += 1;
            spelling.clear();
            let text = match column.map_or(&Value::Null, |cells| &cells[row]) {
                Value::Null => "",
                Value::String(text) => text,
                other => {
                    json::write_value(other, &mut spelling);
                    &spelling
                }
            };
            bytes += 2 * text.len() as u64 + 3;
            writer.write_field(text).map_err(broken)?;
        }
        ctx.reserve(bytes)?;
        writer.write_record(None::<&[u8]>).map_err(broken)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|err| ToolError::new(ErrorCode::Internal, err.error()))?;
    String::from_utf8(bytes).map_err(|err| ToolError::new(ErrorCode::Internal, err))
}
