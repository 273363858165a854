//! Ordinary differential equations.

pub(crate) mod bvp;
pub(crate) mod solve;

use tool_core::{ErasedTool, tool_entry, verified_entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] =
    &[verified_entry::<solve::Args>(), tool_entry::<bvp::Args>()];
