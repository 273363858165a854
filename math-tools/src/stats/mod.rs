//! Statistics and regression.

use tool_core::{ErasedTool, tool_entry};

pub(crate) mod linear_regression;
pub(crate) mod statistics;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<statistics::Args>(),
    tool_entry::<linear_regression::Args>(),
];
