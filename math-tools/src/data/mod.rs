//! Tables, queries and conversions.
//!
//! [`delimiter`] is what the two CSV tools share. Texts come in as arguments; nothing here opens a file.

use tool_core::{ErasedTool, tool_entry};

pub(crate) mod csv_to_json;
pub(crate) mod delimiter;
pub(crate) mod json_query;
pub(crate) mod json_to_csv;
pub(crate) mod sql_query;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<json_query::Args>(),
    tool_entry::<csv_to_json::Args>(),
    tool_entry::<json_to_csv::Args>(),
    tool_entry::<sql_query::Args>(),
];
