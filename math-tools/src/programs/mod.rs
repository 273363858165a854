//! Programs: linear and quadratic objectives, integers, assignments.

pub(crate) mod assignment;
pub(crate) mod linear_program;
pub(crate) mod quadratic;
mod units;

use tool_core::{ErasedTool, tool_entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<linear_program::Args>(),
    tool_entry::<quadratic::Args>(),
    tool_entry::<assignment::Args>(),
];
