//! Tables, queries and conversions.
//!
//! [`delimiter`] is what the two CSV tools share. Texts come in as arguments; nothing here opens a file.

use tool_core::{Entry, entry};

pub mod csv_to_json;
pub mod delimiter;
pub mod json_query;
pub mod json_to_csv;
pub mod sql_query;

/// The tools of this family.
pub static TOOLS: &[Entry] = &[
    entry::<json_query::JsonQuery>(),
    entry::<csv_to_json::CsvToJson>(),
    entry::<json_to_csv::JsonToCsv>(),
    entry::<sql_query::SqlQuery>(),
];

/// A value written as JSON in an example.
pub(crate) fn literal(text: &str) -> tool_core::Value {
    tool_core::json::parse(text, tool_core::json::Limits::default())
        .expect("an example is written as JSON")
}

/// A table written as JSON in an example.
pub(crate) fn table(text: &str) -> tool_core::Input<tool_core::Table> {
    let table = <tool_core::Table as tool_core::Load>::from_value(&literal(text));
    tool_core::Input::Inline(
        table.expect("an example is a list of records or an object of columns"),
    )
}
