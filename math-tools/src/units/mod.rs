//! Conversion between units of measurement, with exact factors.

use tool_core::{ErasedTool, tool_entry};

pub(crate) mod convert;
mod quantity;
mod table;

#[cfg(test)]
mod tests;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[tool_entry::<convert::Args>()];
