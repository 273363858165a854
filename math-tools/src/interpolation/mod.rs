//! Curves and surfaces through points.

pub(crate) mod interpolate;

use tool_core::{ErasedTool, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[entry::<interpolate::Args>()];
