//! Curves and surfaces through points.

pub(crate) mod interpolate;

use tool_core::{ErasedTool, tool_entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[tool_entry::<interpolate::Args>()];
