//! Tables, queries and conversions.
//!
//! [`delimiter`] is what the two CSV tools share, [`table`] what the tools of whole tables do. Texts come in as arguments; nothing here opens a file.

use tool_core::{ErasedTool, tool_entry};

pub(crate) mod csv_to_json;
pub(crate) mod datetime_calc;
pub(crate) mod delimiter;
pub(crate) mod encode_text;
pub(crate) mod hash_text;
pub(crate) mod json_canonicalize;
pub(crate) mod json_diff;
pub(crate) mod json_parse;
pub(crate) mod json_patch;
pub(crate) mod json_query;
pub(crate) mod json_to_csv;
pub(crate) mod json_validate;
pub(crate) mod regex_extract;
pub(crate) mod sql_query;
pub(crate) mod table;
pub(crate) mod table_describe;
pub(crate) mod table_group;
pub(crate) mod table_join;
pub(crate) mod table_melt;
pub(crate) mod table_pivot;
pub(crate) mod table_select;
pub(crate) mod table_window;
pub(crate) mod text_diff;
pub(crate) mod text_stats;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<json_query::Args>(),
    tool_entry::<csv_to_json::Args>(),
    tool_entry::<json_to_csv::Args>(),
    tool_entry::<sql_query::Args>(),
    tool_entry::<table_describe::Args>(),
    tool_entry::<table_select::Args>(),
    tool_entry::<table_group::Args>(),
    tool_entry::<table_join::Args>(),
    tool_entry::<table_pivot::Args>(),
    tool_entry::<table_melt::Args>(),
    tool_entry::<table_window::Args>(),
    tool_entry::<json_parse::Args>(),
    tool_entry::<json_validate::Args>(),
    tool_entry::<json_canonicalize::Args>(),
    tool_entry::<json_patch::Args>(),
    tool_entry::<json_diff::Args>(),
    tool_entry::<text_stats::Args>(),
    tool_entry::<regex_extract::Args>(),
    tool_entry::<text_diff::Args>(),
    tool_entry::<hash_text::Args>(),
    tool_entry::<encode_text::Args>(),
    tool_entry::<datetime_calc::Args>(),
];
